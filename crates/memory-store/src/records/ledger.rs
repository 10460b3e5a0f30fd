//! Records about the space and its history: meta, embedder, counters, journal, recalls.

use std::sync::Arc;

use bethink_domain::{
    AgentName, Cause, Change, EmbedderIdentity, JournalEntry, Quantity, RecallId, SpaceId, Timestamp,
    TraceId, TurnId, UserName,
};
use serde::{Deserialize, Serialize};

use super::{RecordFault, decode, encode};
use crate::rows::{Counters, RecallRow};

/// What never changes about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Meta {
    pub(crate) space: SpaceId,
    pub(crate) created_at: Timestamp,
}

#[derive(Serialize, Deserialize)]
struct MetaV1 {
    agent: String,
    user: String,
    created_ms: i64,
}

pub(crate) fn encode_meta(meta: &Meta) -> Vec<u8> {
    let record = MetaV1 {
        agent: meta.space.agent.to_string(),
        user: meta.space.user.to_string(),
        created_ms: meta.created_at.as_millis(),
    };
    encode(1, &record)
}

pub(crate) fn decode_meta(bytes: &[u8]) -> Result<Meta, RecordFault> {
    let record: MetaV1 = decode("description of the space", bytes)?;
    let garbled = || RecordFault::Garbled { what: "description of the space" };
    Ok(Meta {
        space: SpaceId {
            agent: AgentName::new(&record.agent).map_err(|_| garbled())?,
            user: UserName::new(&record.user).map_err(|_| garbled())?,
        },
        created_at: Timestamp::from_millis(record.created_ms),
    })
}

/// The embedder whose vectors are stored, and the generation that marks them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EmbedderRecord {
    pub(crate) identity: EmbedderIdentity,
    pub(crate) generation: u16,
}

#[derive(Serialize, Deserialize)]
struct EmbedderV1 {
    model: String,
    dimensions: u16,
    revision: String,
    generation: u16,
}

pub(crate) fn encode_embedder(embedder: &EmbedderRecord) -> Vec<u8> {
    let record = EmbedderV1 {
        model: embedder.identity.model.to_string(),
        dimensions: embedder.identity.dimensions,
        revision: embedder.identity.revision.to_string(),
        generation: embedder.generation,
    };
    encode(1, &record)
}

pub(crate) fn decode_embedder(bytes: &[u8]) -> Result<EmbedderRecord, RecordFault> {
    let record: EmbedderV1 = decode("embedder", bytes)?;
    let identity = EmbedderIdentity {
        model: Arc::from(record.model),
        dimensions: record.dimensions,
        revision: Arc::from(record.revision),
    };
    Ok(EmbedderRecord { identity, generation: record.generation })
}

#[derive(Serialize, Deserialize)]
struct CountersV1 {
    last_trace: u64,
    last_turn: u64,
    journal: u64,
    turns: u64,
    clock_high_ms: i64,
    clock_back_ms: i64,
    clock_behind: bool,
    sealed_upto: u64,
    scrub_pending: bool,
}

pub(crate) fn encode_counters(counters: &Counters) -> Vec<u8> {
    let record = CountersV1 {
        last_trace: counters.last_trace,
        last_turn: counters.last_turn,
        journal: counters.journal,
        turns: counters.turns,
        clock_high_ms: counters.clock_high_ms,
        clock_back_ms: counters.clock_back_ms,
        clock_behind: counters.clock_behind,
        sealed_upto: counters.sealed_upto,
        scrub_pending: counters.scrub_pending,
    };
    encode(1, &record)
}

pub(crate) fn decode_counters(bytes: &[u8]) -> Result<Counters, RecordFault> {
    let record: CountersV1 = decode("counters", bytes)?;
    Ok(Counters {
        last_trace: record.last_trace,
        last_turn: record.last_turn,
        journal: record.journal,
        turns: record.turns,
        clock_high_ms: record.clock_high_ms,
        clock_back_ms: record.clock_back_ms,
        clock_behind: record.clock_behind,
        sealed_upto: record.sealed_upto,
        scrub_pending: record.scrub_pending,
    })
}

#[derive(Serialize, Deserialize)]
pub(super) enum CauseV1 {
    Turn(u64),
    Recall(u64),
    Cycle(u64),
    Command,
    Clock,
}

impl From<Cause> for CauseV1 {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Turn(turn) => Self::Turn(turn.raw()),
            Cause::Recall(recall) => Self::Recall(recall.raw()),
            Cause::Cycle(number) => Self::Cycle(number),
            Cause::Command => Self::Command,
            Cause::Clock => Self::Clock,
        }
    }
}

impl From<CauseV1> for Cause {
    fn from(cause: CauseV1) -> Self {
        match cause {
            CauseV1::Turn(raw) => Self::Turn(TurnId::from_raw(raw)),
            CauseV1::Recall(raw) => Self::Recall(RecallId::from_raw(raw)),
            CauseV1::Cycle(number) => Self::Cycle(number),
            CauseV1::Command => Self::Command,
            CauseV1::Clock => Self::Clock,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct JournalV1 {
    at_ms: i64,
    cause: CauseV1,
    mechanism: u8,
    /// Trace, quantity, before, after.
    changes: Vec<(u64, u8, f32, f32)>,
}

/// Codes of mechanisms and quantities: the place in these lists. New members are appended.
pub(super) const MECHANISMS: [&str; 11] = [
    "encoding",
    "evidence",
    "credit",
    "correction",
    "embedding",
    "pin",
    "edit",
    "forgetting",
    "clock",
    "praise",
    "prospective",
];
pub(super) const QUANTITIES: [Quantity; 20] = [
    Quantity::Encoded,
    Quantity::Strength,
    Quantity::StabilityDays,
    Quantity::Uses,
    Quantity::Priority,
    Quantity::Evidence,
    Quantity::Pinned,
    Quantity::Text,
    Quantity::Forgotten,
    Quantity::Embedded,
    Quantity::Scheduled,
    Quantity::Delivered,
    Quantity::Acknowledged,
    Quantity::Snoozed,
    Quantity::Cancelled,
    Quantity::Fired,
    Quantity::Expired,
    Quantity::Rescheduled,
    Quantity::Moved,
    Quantity::Held,
];

pub(super) fn place<T: PartialEq>(list: &[T], value: &T) -> u8 {
    list.iter().position(|known| known == value).map_or(u8::MAX, |place| place as u8)
}

pub(crate) fn encode_journal(entry: &JournalEntry) -> Vec<u8> {
    let change = |c: &Change| (c.trace.raw(), place(&QUANTITIES, &c.quantity), c.before, c.after);
    let record = JournalV1 {
        at_ms: entry.at.as_millis(),
        cause: entry.cause.into(),
        mechanism: place(&MECHANISMS, &entry.mechanism),
        changes: entry.changes.iter().map(change).collect(),
    };
    encode(1, &record)
}

pub(crate) fn decode_journal(sequence: u64, bytes: &[u8]) -> Result<JournalEntry, RecordFault> {
    let record: JournalV1 = decode("journal entry", bytes)?;
    let garbled = RecordFault::Garbled { what: "journal entry" };
    let change = |(trace, quantity, before, after): (u64, u8, f32, f32)| {
        let quantity = QUANTITIES.get(usize::from(quantity)).copied();
        quantity.map(|quantity| Change { trace: TraceId::from_raw(trace), quantity, before, after })
    };
    let changes = record.changes.into_iter().map(change).collect::<Option<_>>();
    let mechanism = MECHANISMS.get(usize::from(record.mechanism)).copied();
    let (Some(changes), Some(mechanism)) = (changes, mechanism) else { return Err(garbled) };
    Ok(JournalEntry {
        sequence,
        at: Timestamp::from_millis(record.at_ms),
        cause: record.cause.into(),
        mechanism,
        changes,
    })
}

#[derive(Serialize, Deserialize)]
struct RecallV1 {
    at_ms: i64,
    shown: Vec<u64>,
    credited: Vec<u64>,
    corrected: Vec<u64>,
}

pub(crate) fn encode_recall(recall: &RecallRow) -> Vec<u8> {
    let raws = |ids: &[TraceId]| ids.iter().map(|id| id.raw()).collect();
    let record = RecallV1 {
        at_ms: recall.at.as_millis(),
        shown: raws(&recall.shown),
        credited: raws(&recall.credited),
        corrected: raws(&recall.corrected),
    };
    encode(1, &record)
}

pub(crate) fn decode_recall(bytes: &[u8]) -> Result<RecallRow, RecordFault> {
    let record: RecallV1 = decode("recall", bytes)?;
    let ids = |raws: Vec<u64>| raws.into_iter().map(TraceId::from_raw).collect();
    Ok(RecallRow {
        at: Timestamp::from_millis(record.at_ms),
        shown: ids(record.shown),
        credited: ids(record.credited),
        corrected: ids(record.corrected),
    })
}
