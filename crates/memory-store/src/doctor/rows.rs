//! Reading every table. What cannot be read is found here, with its table and id.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bethink_domain::{FindingKind, Origin, Quantity, RecallId, Timestamp, TraceId, TurnEnd, TurnId};
use redb::{Key, ReadOnlyTable, ReadTransaction, ReadableTable, TableDefinition, Value};

use super::contents;
use super::{Checkup, Cure, Diagnosis};
use crate::error::StoreError;
use crate::file::read::{bulky_text, open_if_there};
use crate::file::tables::{
    BODIES, BULKY, COUNTERS_KEY, EMBEDDER_KEY, FOLDED, JOURNAL, META, MIGRATION_KEY, RECALLS, SPACE_KEY,
    STATES, TRANSCRIPT, TURNS, TextSlot, vectors_of,
};
use crate::records::{self, EmbedderRecord, Meta, RecordFault};
use crate::rows::{Counters, TraceState};
use crate::snapshot::Snapshot;

/// A row, or none where it is there and cannot be read.
pub(super) type Read<T> = Option<T>;

/// What the tables hold, as far as their agreement needs it; by id.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) meta: Option<Meta>,
    /// None where there is none.
    pub(super) embedder: Option<Read<EmbedderRecord>>,
    pub(super) counters: Option<Counters>,
    pub(super) bodies: BTreeMap<u64, Read<BodyFacts>>,
    pub(super) states: BTreeMap<u64, Read<TraceState>>,
    pub(super) vectors: BTreeSet<u64>,
    /// Vectors of another generation, while the space moves to another embedder.
    pub(super) beside: BTreeSet<u64>,
    pub(super) transcript: BTreeMap<u64, Read<Timestamp>>,
    pub(super) turns: BTreeMap<u64, Read<TurnFacts>>,
    pub(super) journal: BTreeMap<u64, Read<EntryFacts>>,
    /// Whether the folded changes of a trace tell when it came to be.
    pub(super) folded: BTreeMap<u64, Read<bool>>,
    pub(super) recalls: BTreeMap<u64, Read<Vec<TraceId>>>,
    /// Texts that lie apart.
    pub(super) texts: BTreeSet<(u8, u64)>,
    /// Texts that records say lie apart, or may say.
    pub(super) owned: BTreeSet<(u8, u64)>,
}

#[derive(Debug, Default)]
pub(super) struct BodyFacts {
    pub(super) lineage: Vec<Origin>,
}

#[derive(Debug)]
pub(super) struct TurnFacts {
    pub(super) done: bool,
    /// Every trace that it names.
    pub(super) named: BTreeSet<TraceId>,
}

#[derive(Debug)]
pub(super) struct EntryFacts {
    pub(super) at: Timestamp,
    /// It says that the clock went back.
    pub(super) clock: bool,
    pub(super) changes: Vec<(TraceId, Quantity)>,
}

/// Reads tables of one transaction.
pub(super) struct Reader<'a> {
    pub(super) path: &'a Path,
    pub(super) read: &'a ReadTransaction,
    pub(super) checkup: &'a Checkup,
    /// Records must have checksums.
    pub(super) sealed: bool,
    /// Memory that was published when the transaction began.
    pub(super) snapshot: Option<&'a Snapshot>,
}

/// The place of a trace, for people.
pub(super) fn trace(id: u64) -> String {
    format!("trace {}", TraceId::from_raw(id))
}

/// The place of a turn, for people.
pub(super) fn turn(id: u64) -> String {
    format!("turn {}", TurnId::from_raw(id))
}

fn recall(id: u64) -> String {
    format!("recall {}", RecallId::from_raw(id))
}

pub(super) fn entry(sequence: u64) -> String {
    format!("entry {sequence} of the journal")
}

impl Reader<'_> {
    /// Reads every table.
    pub(super) fn rows(&self, found: &mut Diagnosis) -> Rows {
        let mut rows = Rows::default();
        self.meta(&mut rows, found);
        let texts = self.table(BULKY, found);
        self.each(BULKY, found, |key, _, _| {
            rows.texts.insert(key);
        });
        self.traces(&mut rows, texts.as_ref(), found);
        self.conversation(&mut rows, texts.as_ref(), found);
        self.each(JOURNAL, found, |sequence, bytes, found| {
            let entry = records::decode_journal(sequence, bytes).map(|entry| EntryFacts {
                at: entry.at,
                clock: entry.mechanism == "clock",
                changes: entry.changes.iter().map(|change| (change.trace, change.quantity)).collect(),
            });
            rows.journal.insert(sequence, self.sound(entry, bytes, || self::entry(sequence), found));
        });
        self.each(FOLDED, found, |id, bytes, found| {
            let encoded = records::decode_folded(bytes)
                .map(|folds| folds.iter().any(|fold| fold.quantity == Quantity::Encoded));
            let place = || format!("folded history of {}", trace(id));
            rows.folded.insert(id, self.sound(encoded, bytes, place, found));
        });
        self.each(RECALLS, found, |id, bytes, found| {
            let named = records::decode_recall(bytes).map(|row| {
                let all = row.shown.iter().chain(&row.credited).chain(&row.corrected);
                all.copied().collect::<Vec<_>>()
            });
            rows.recalls.insert(id, self.sound(named, bytes, || recall(id), found));
        });
        rows
    }

    fn meta(&self, rows: &mut Rows, found: &mut Diagnosis) {
        let Some(table) = self.table(META, found) else { return };
        let get = |key: &'static str| table.get(key).ok().flatten().map(|value| value.value().to_vec());
        let place = |key: &str| format!("`{key}` of the file");
        match get(SPACE_KEY) {
            Some(bytes) => {
                rows.meta = self.sound(records::decode_meta(&bytes), &bytes, || place(SPACE_KEY), found);
            }
            None => found.add(FindingKind::RecordDamaged, place(SPACE_KEY), "it is not there"),
        }
        match get(COUNTERS_KEY) {
            Some(bytes) => {
                let counters = records::decode_counters(&bytes);
                rows.counters = self.sound(counters, &bytes, || place(COUNTERS_KEY), found);
            }
            None => found.add(FindingKind::RecordDamaged, place(COUNTERS_KEY), "they are not there"),
        }
        if let Some(bytes) = get(MIGRATION_KEY) {
            self.sound(records::decode_migration(&bytes), &bytes, || place(MIGRATION_KEY), found);
        }
        if let Some(bytes) = get(EMBEDDER_KEY) {
            let embedder = records::decode_embedder(&bytes);
            rows.embedder = Some(self.sound(embedder, &bytes, || place(EMBEDDER_KEY), found));
        }
    }

    fn traces(&self, rows: &mut Rows, texts: Option<&TextTable>, found: &mut Diagnosis) {
        self.each(BODIES, found, |id, bytes, found| {
            let apart = Apart::default();
            let decoded = records::decode_body(bytes, || apart.find(texts, TextSlot::Trace, id));
            rows.owned.extend(apart.asked.take());
            let decoded = self.text_sound(decoded, &apart, bytes, || trace(id), found);
            if let Some((body, tokens)) = &decoded
                && self.checkup.deep
            {
                contents::words(id, body, tokens, found);
                contents::body_in_memory(self.snapshot, id, body, tokens, found);
            }
            if decoded.is_none() {
                // What it owned cannot be told any more.
                rows.owned.insert((TextSlot::Trace as u8, id));
            }
            rows.bodies.insert(id, decoded.map(|(body, _)| BodyFacts { lineage: body.lineage }));
        });
        self.each(STATES, found, |id, bytes, found| {
            let place = || format!("numbers of {}", trace(id));
            let state = self.sound(records::decode_state(bytes), bytes, place, found);
            if let Some(state) = &state
                && self.checkup.deep
            {
                contents::state_in_memory(self.snapshot, id, state, found);
            }
            rows.states.insert(id, state);
        });
        let embedder = rows.embedder.as_ref().and_then(Option::as_ref);
        let serving = embedder.map_or(1, |embedder| embedder.generation);
        self.each(vectors_of(serving), found, |id, bytes, found| {
            rows.vectors.insert(id);
            let decoded = records::decode_vector(bytes);
            let snapshot = self.snapshot.filter(|_| self.checkup.deep);
            contents::vector(id, decoded, rows.embedder.as_ref(), snapshot, found);
            self.unsealed(bytes, || format!("vector of {}", trace(id)), found);
        });
        // Of a move to another embedder that goes on, or of one that is over.
        self.each(vectors_of(serving.wrapping_add(1)), found, |id, bytes, found| {
            rows.beside.insert(id);
            let place = format!("second vector of {}", trace(id));
            self.unsealed(bytes, || place.clone(), found);
            if let Err(fault) = records::decode_vector(bytes) {
                found.curable(FindingKind::VectorDamaged, place, fault.to_string(), Cure::DropVector(id));
            }
        });
        if self.checkup.deep {
            contents::only_in_memory(self.snapshot, |id| rows.bodies.contains_key(&id), found);
        }
    }

    fn conversation(&self, rows: &mut Rows, texts: Option<&TextTable>, found: &mut Diagnosis) {
        self.each(TRANSCRIPT, found, |id, bytes, found| {
            let apart = Apart::default();
            let slot = |which| if which == 0 { TextSlot::Message } else { TextSlot::Reply };
            let find = |which| apart.find(texts, slot(which), id);
            let decoded = records::decode_exchange(TurnId::from_raw(id), bytes, find);
            let place = || format!("{} of the transcript", turn(id));
            rows.owned.extend(apart.asked.take());
            let decoded = self.text_sound(decoded, &apart, bytes, place, found);
            if decoded.is_none() {
                rows.owned.extend([TextSlot::Message, TextSlot::Reply].map(|slot| (slot as u8, id)));
            }
            rows.transcript.insert(id, decoded.map(|exchange| exchange.at));
        });
        self.each(TURNS, found, |id, bytes, found| {
            let record = records::decode_turn(TurnId::from_raw(id), bytes).map(|record| {
                let recalled = record.recalled.iter().map(|recalled| recalled.id);
                let named = recalled.chain(record.shown).chain(record.used).chain(record.encoded).collect();
                TurnFacts { done: record.end == TurnEnd::Done, named }
            });
            let place = || format!("record of {}", turn(id));
            rows.turns.insert(id, self.sound(record, bytes, place, found));
        });
    }

    /// What a record says, unless it cannot be read.
    fn sound<T>(
        &self,
        record: Result<T, RecordFault>,
        bytes: &[u8],
        place: impl Fn() -> String,
        found: &mut Diagnosis,
    ) -> Read<T> {
        self.unsealed(bytes, &place, found);
        match record {
            Ok(record) => Some(record),
            Err(fault) => {
                found.add(FindingKind::RecordDamaged, place(), fault.to_string());
                None
            }
        }
    }

    /// The same for a record whose texts may lie apart.
    fn text_sound<T>(
        &self,
        record: Result<T, RecordFault>,
        apart: &Apart,
        bytes: &[u8],
        place: impl Fn() -> String,
        found: &mut Diagnosis,
    ) -> Read<T> {
        match record {
            Err(_) if apart.missing.get() => {
                found.add(FindingKind::TextMissing, place(), "");
                None
            }
            Err(RecordFault::Checksum { what }) if what.starts_with("text") => {
                found.add(FindingKind::TextDamaged, place(), "its checksum differs");
                None
            }
            record => self.sound(record, bytes, place, found),
        }
    }

    fn unsealed(&self, bytes: &[u8], place: impl Fn() -> String, found: &mut Diagnosis) {
        if self.sealed && !records::is_sealed(bytes) {
            found.add(FindingKind::RecordUnsealed, place(), "");
        }
    }

    /// A table, unless an earlier program did not have it.
    fn table<K: Key + 'static, V: Value + 'static>(
        &self,
        table: TableDefinition<'static, K, V>,
        found: &mut Diagnosis,
    ) -> Option<ReadOnlyTable<K, V>> {
        use redb::TableHandle;
        open_if_there(self.path, self.read, table).unwrap_or_else(|error| {
            found.add(FindingKind::TableUnreadable, format!("table {}", table.name()), error.to_string());
            None
        })
    }

    fn each<K, V>(
        &self,
        definition: TableDefinition<'static, K, V>,
        found: &mut Diagnosis,
        mut visit: impl FnMut(K::SelfType<'_>, V::SelfType<'_>, &mut Diagnosis),
    ) where
        K: Key + 'static,
        V: Value + 'static,
    {
        use redb::TableHandle;
        let Some(table) = self.table(definition, found) else { return };
        let mut walk = || -> Result<(), redb::StorageError> {
            for entry in table.iter()? {
                let (key, value) = entry?;
                visit(key.value(), value.value(), found);
            }
            Ok(())
        };
        if let Err(error) = walk() {
            let error = StoreError::database(self.path, error).to_string();
            found.add(FindingKind::TableUnreadable, format!("table {}", definition.name()), error);
        }
    }
}

type TextTable = ReadOnlyTable<(u8, u64), &'static str>;

/// Which texts a record looked for beside itself.
#[derive(Default)]
struct Apart {
    asked: Cell<Vec<(u8, u64)>>,
    missing: Cell<bool>,
}

impl Apart {
    fn find(&self, texts: Option<&TextTable>, slot: TextSlot, id: u64) -> Option<String> {
        let mut asked = self.asked.take();
        asked.push((slot as u8, id));
        self.asked.set(asked);
        let text = texts.and_then(|table| bulky_text(table, slot, id));
        self.missing.set(self.missing.get() || text.is_none());
        text
    }
}
