//! The tables of a space's file, and what one transaction does to them.

use std::path::Path;
use std::sync::Arc;

use bethink_domain::{
    Exchange, Folded, JournalEntry, RecallId, Reminder, Timestamp, TraceId, TurnId, TurnRecord, Whereabouts,
};
use redb::{Key, ReadableTable, Table, TableDefinition, Value, WriteTransaction};

use super::sealed::SealedTable;
use crate::error::StoreError;
use crate::records;
use crate::records::{EmbedderRecord, Meta, MigrationRecord};
use crate::rows::{Counters, RecallRow, TraceBody, TraceState};
use crate::tokens::Tokens;
use crate::vector::QuantisedVector;

/// The newest format that this program reads and the one that it writes.
pub(crate) const FORMAT: u32 = 2;

pub(crate) type Rows = TableDefinition<'static, u64, &'static [u8]>;

/// Facts of the whole file, by name.
pub(crate) const META: TableDefinition<'static, &str, &[u8]> = TableDefinition::new("meta");
/// What traces say, by trace id.
pub(crate) const BODIES: Rows = TableDefinition::new("trace_text");
/// Numbers of traces, by trace id.
pub(crate) const STATES: Rows = TableDefinition::new("trace_state");
/// Vectors of odd generations, by trace id; a trace without one waits for it.
pub(crate) const VECTORS: Rows = TableDefinition::new("vectors");
/// Vectors of even generations. While a space moves to another embedder it has both, and one number says which serves.
pub(crate) const VECTORS_EVEN: Rows = TableDefinition::new("vectors_even");
/// Messages and replies, by turn id.
pub(crate) const TRANSCRIPT: Rows = TableDefinition::new("transcript");
/// How turns were answered, by turn id.
pub(crate) const TURNS: Rows = TableDefinition::new("turns");
/// Changes, by sequence number from 1.
pub(crate) const JOURNAL: Rows = TableDefinition::new("journal");
/// Older changes of each trace, by trace id.
pub(crate) const FOLDED: Rows = TableDefinition::new("journal_folded");
/// Recalls that may still be credited, by recall id.
pub(crate) const RECALLS: Rows = TableDefinition::new("recalls");
/// What makes intentions due and how far their delivery is, by trace id.
pub(crate) const REMINDERS: Rows = TableDefinition::new("reminders");
/// Hashes of forgotten texts, and when they were forgotten in milliseconds since 1970.
pub(crate) const FORGOTTEN: TableDefinition<'static, u128, i64> = TableDefinition::new("forgotten");
/// Texts that are too long for their record, by whose they are and id.
pub(crate) const BULKY: TableDefinition<'static, (u8, u64), &str> = TableDefinition::new("bulky_text");

/// Hashes of texts that a trace had before it was edited, by trace id. They are forgotten with it.
pub(crate) const FORMER: TableDefinition<'static, (u64, u128), ()> = TableDefinition::new("former_texts");

type Definition<K, V> = TableDefinition<'static, K, V>;
/// Whether the visit goes on.
type Visited = Result<bool, StoreError>;

/// Something that is done with each table.
pub(crate) trait VisitTable {
    /// Takes one table; false ends the visit.
    fn visit<K: Key + 'static, V: Value + 'static>(&mut self, table: Definition<K, V>) -> Visited;
}

/// Visits every table, those too that could be made anew, always in the same order. False when the visitor ended it.
pub(crate) fn each_table(visitor: &mut impl VisitTable) -> Result<bool, StoreError> {
    let all = visitor.visit(META)?
        && visitor.visit(BODIES)?
        && visitor.visit(STATES)?
        && visitor.visit(VECTORS)?
        && visitor.visit(VECTORS_EVEN)?
        && visitor.visit(TRANSCRIPT)?
        && visitor.visit(TURNS)?
        && visitor.visit(JOURNAL)?
        && visitor.visit(FOLDED)?
        && visitor.visit(RECALLS)?
        && visitor.visit(REMINDERS)?
        && visitor.visit(FORGOTTEN)?
        && visitor.visit(FORMER)?
        && visitor.visit(BULKY)?
        && visitor.visit(SEALED)?;
    Ok(all)
}

/// Pieces of sealed segments, by part and by segment and piece. Derived from the rows; losing it loses nothing.
pub(crate) const SEALED: TableDefinition<'static, (u8, u64), &[u8]> = TableDefinition::new("sealed");

pub(crate) const FORMAT_KEY: &str = "format";
pub(crate) const SPACE_KEY: &str = "space";
pub(crate) const EMBEDDER_KEY: &str = "embedder";
pub(crate) const MIGRATION_KEY: &str = "migration";
pub(crate) const COUNTERS_KEY: &str = "counters";
pub(crate) const WHEREABOUTS_KEY: &str = "whereabouts";
/// When the file was last written anew after something was forgotten, in milliseconds since 1970.
pub(crate) const SCRUBBED_KEY: &str = "scrubbed";

/// Whose text a bulky text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum TextSlot {
    Trace = 0,
    Message = 1,
    Reply = 2,
}

/// One change to the tables.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Op {
    Body(TraceId, Arc<TraceBody>, Arc<Tokens>),
    State(TraceId, TraceState),
    Vector(TraceId, u16, Arc<QuantisedVector>),
    /// Drops a trace's vectors of every generation.
    DropVector(TraceId),
    /// Drops vectors from the table that this generation does not lie in.
    DropVectorsBeside(u16, Vec<TraceId>),
    DropTrace(TraceId),
    Exchange(Box<Exchange>),
    Turn(Box<TurnRecord>),
    /// Drops records of turns with lower ids.
    DropTurnsBelow(TurnId),
    Journal(JournalEntry),
    /// Drops entries of the journal with lower sequence numbers.
    DropJournalBelow(u64),
    /// Older changes of a trace.
    Folded(TraceId, Vec<Folded>),
    Recall(RecallId, RecallRow),
    /// Drops recalls with lower ids.
    DropRecallsBelow(RecallId),
    /// What makes an intention due; its words lie in the trace.
    Reminder(Arc<Reminder>),
    /// Where the user is.
    Whereabouts(Arc<Whereabouts>),
    Forgotten(u128, Timestamp),
    /// A forgotten text was told again.
    ToldAgain(u128),
    /// A trace had another text before.
    Former(TraceId, u128),
    Embedder(EmbedderRecord),
    Migration(MigrationRecord),
    Counters(Counters),
}

/// Every table, open for writing in one transaction.
pub(crate) struct Tables<'t> {
    path: &'t Path,
    pub(crate) meta: Table<'t, &'static str, &'static [u8]>,
    pub(crate) bodies: Table<'t, u64, &'static [u8]>,
    pub(crate) states: Table<'t, u64, &'static [u8]>,
    pub(crate) vectors: Table<'t, u64, &'static [u8]>,
    pub(crate) vectors_even: Table<'t, u64, &'static [u8]>,
    pub(crate) transcript: Table<'t, u64, &'static [u8]>,
    pub(crate) turns: Table<'t, u64, &'static [u8]>,
    pub(crate) journal: Table<'t, u64, &'static [u8]>,
    pub(crate) folded: Table<'t, u64, &'static [u8]>,
    pub(crate) recalls: Table<'t, u64, &'static [u8]>,
    pub(crate) reminders: Table<'t, u64, &'static [u8]>,
    pub(crate) forgotten: Table<'t, u128, i64>,
    pub(crate) former: Table<'t, (u64, u128), ()>,
    pub(crate) bulky: Table<'t, (u8, u64), &'static str>,
    pub(crate) sealed: SealedTable<'t>,
}

/// The table in which the vectors of a generation lie.
pub(crate) fn vectors_of(generation: u16) -> Rows {
    if generation.is_multiple_of(2) { VECTORS_EVEN } else { VECTORS }
}

impl<'t> Tables<'t> {
    pub(crate) fn open(transaction: &'t WriteTransaction, path: &'t Path) -> Result<Self, StoreError> {
        let rows =
            |table: Rows| transaction.open_table(table).map_err(|error| StoreError::database(path, error));
        let fault = |error| StoreError::database(path, error);
        Ok(Self {
            path,
            meta: transaction.open_table(META).map_err(fault)?,
            bodies: rows(BODIES)?,
            states: rows(STATES)?,
            vectors: rows(VECTORS)?,
            vectors_even: rows(VECTORS_EVEN)?,
            transcript: rows(TRANSCRIPT)?,
            turns: rows(TURNS)?,
            journal: rows(JOURNAL)?,
            folded: rows(FOLDED)?,
            recalls: rows(RECALLS)?,
            reminders: rows(REMINDERS)?,
            forgotten: transaction.open_table(FORGOTTEN).map_err(fault)?,
            former: transaction.open_table(FORMER).map_err(fault)?,
            bulky: transaction.open_table(BULKY).map_err(fault)?,
            sealed: transaction.open_table(SEALED).map_err(fault)?,
        })
    }

    /// Path of the file.
    pub(crate) fn path(&self) -> &'t Path {
        self.path
    }

    /// Writes what a new file holds.
    pub(crate) fn begin(&mut self, meta: &Meta) -> Result<(), StoreError> {
        self.put_meta(FORMAT_KEY, &FORMAT.to_le_bytes())?;
        self.put_meta(SPACE_KEY, &records::encode_meta(meta))?;
        self.put_meta(COUNTERS_KEY, &records::encode_counters(&Counters::default()))
    }

    /// Does one change.
    pub(crate) fn write(&mut self, op: &Op) -> Result<(), StoreError> {
        match op {
            Op::Body(id, body, tokens) => self.put_body(*id, body, tokens),
            Op::State(id, state) => put(&mut self.states, id.raw(), &records::encode_state(state)),
            Op::Vector(id, generation, vector) => {
                put(self.vectors_of(*generation), id.raw(), &records::encode_vector(*generation, vector))
            }
            Op::DropVector(id) => self.drop_vectors(id.raw()),
            Op::DropVectorsBeside(generation, ids) => {
                let beside = self.vectors_of(generation.wrapping_add(1));
                ids.iter().try_for_each(|id| beside.remove(id.raw()).map(drop))
            }
            Op::DropTrace(id) => self.drop_trace(id.raw()),
            Op::Exchange(exchange) => self.put_exchange(exchange),
            Op::Turn(turn) => put(&mut self.turns, turn.turn.raw(), &records::encode_turn(turn)),
            Op::DropTurnsBelow(turn) => drop_below(&mut self.turns, turn.raw()),
            Op::Journal(entry) => put(&mut self.journal, entry.sequence, &records::encode_journal(entry)),
            Op::DropJournalBelow(sequence) => drop_below(&mut self.journal, *sequence),
            Op::Folded(id, folded) => put(&mut self.folded, id.raw(), &records::encode_folded(folded)),
            Op::Recall(id, recall) => put(&mut self.recalls, id.raw(), &records::encode_recall(recall)),
            Op::DropRecallsBelow(id) => drop_below(&mut self.recalls, id.raw()),
            Op::Reminder(reminder) => {
                put(&mut self.reminders, reminder.id.raw(), &records::encode_reminder(reminder))
            }
            Op::Forgotten(hash, at) => self.forgotten.insert(hash, at.as_millis()).map(drop),
            Op::ToldAgain(hash) => self.forgotten.remove(hash).map(drop),
            Op::Former(id, hash) => self.former.insert((id.raw(), *hash), ()).map(drop),
            Op::Embedder(embedder) => {
                return self.put_meta(EMBEDDER_KEY, &records::encode_embedder(embedder));
            }
            Op::Migration(migration) => {
                return self.put_meta(MIGRATION_KEY, &records::encode_migration(migration));
            }
            Op::Whereabouts(whereabouts) => {
                return self.put_meta(WHEREABOUTS_KEY, &records::encode_whereabouts(whereabouts));
            }
            Op::Counters(counters) => {
                return self.put_meta(COUNTERS_KEY, &records::encode_counters(counters));
            }
        }
        .map_err(|error| StoreError::database(self.path, error))
    }

    fn put_meta(&mut self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        self.meta.insert(key, value).map(drop).map_err(|error| StoreError::database(self.path, error))
    }

    fn put_body(&mut self, id: TraceId, body: &TraceBody, tokens: &Tokens) -> Result<(), redb::StorageError> {
        let (bytes, bulky) = records::encode_body(body, tokens);
        self.put_bulky(TextSlot::Trace, id.raw(), bulky)?;
        put(&mut self.bodies, id.raw(), &bytes)
    }

    fn put_exchange(&mut self, exchange: &Exchange) -> Result<(), redb::StorageError> {
        let (bytes, [message, reply]) = records::encode_exchange(exchange);
        self.put_bulky(TextSlot::Message, exchange.turn.raw(), message)?;
        self.put_bulky(TextSlot::Reply, exchange.turn.raw(), reply)?;
        put(&mut self.transcript, exchange.turn.raw(), &bytes)
    }

    fn put_bulky(&mut self, slot: TextSlot, id: u64, text: Option<&str>) -> Result<(), redb::StorageError> {
        match text {
            Some(text) => self.bulky.insert((slot as u8, id), text).map(drop),
            None => self.bulky.remove((slot as u8, id)).map(drop),
        }
    }

    /// The table in which the vectors of a generation lie.
    fn vectors_of(&mut self, generation: u16) -> &mut Table<'t, u64, &'static [u8]> {
        if generation.is_multiple_of(2) { &mut self.vectors_even } else { &mut self.vectors }
    }

    fn drop_vectors(&mut self, id: u64) -> Result<(), redb::StorageError> {
        self.vectors.remove(id)?;
        self.vectors_even.remove(id).map(drop)
    }

    fn drop_trace(&mut self, id: u64) -> Result<(), redb::StorageError> {
        for table in [&mut self.bodies, &mut self.states, &mut self.folded, &mut self.reminders] {
            table.remove(id)?;
        }
        self.drop_vectors(id)?;
        self.former.retain_in((id, u128::MIN)..=(id, u128::MAX), |_, ()| false)?;
        self.put_bulky(TextSlot::Trace, id, None)
    }
}

fn put(table: &mut Table<'_, u64, &'static [u8]>, key: u64, bytes: &[u8]) -> Result<(), redb::StorageError> {
    table.insert(key, bytes).map(drop)
}

/// Rows dropped by one commit at most, so that a commit stays short; the rest goes with the next ones.
const DROPPED_PER_COMMIT: usize = 64;

fn drop_below(table: &mut Table<'_, u64, &'static [u8]>, below: u64) -> Result<(), redb::StorageError> {
    let old: Vec<u64> = table
        .range(..below)?
        .take(DROPPED_PER_COMMIT)
        .map(|entry| entry.map(|(key, _)| key.value()))
        .collect::<Result<_, _>>()?;
    old.into_iter().try_for_each(|key| table.remove(key).map(drop))
}
