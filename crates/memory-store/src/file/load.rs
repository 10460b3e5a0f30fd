//! Reading a whole space at waking.

mod aside;

use std::path::Path;
use std::sync::Arc;
use std::thread;

use bethink_cognition::Decay;
use bethink_domain::{EmbedderIdentity, RecallId, TraceId};
use redb::{
    AccessGuard, Database, Range, ReadTransaction, ReadableDatabase, ReadableTable, ReadableTableMetadata,
};

use aside::{Beside, Numbers, Source};

use super::open;
use super::read::{bulky_text, open_if_there, sound};
use super::sealed::{self, Stored};
use super::tables::{
    BODIES, BULKY, COUNTERS_KEY, EMBEDDER_KEY, JOURNAL, META, MIGRATION_KEY, RECALLS, REMINDERS, Rows,
    STATES, TRANSCRIPT, TURNS, TextSlot, WHEREABOUTS_KEY, vectors_of,
};
use crate::error::StoreError;
use crate::records::{self, EmbedderRecord};
use crate::rows::{Counters, JournalHead};
use crate::snapshot::{Moving, ROWS_MAX, Row, Snapshot};

/// The refusal of a file whose vectors are not the configured embedder's.
pub(crate) fn changed(path: &Path, stored: &EmbedderIdentity, configured: &EmbedderIdentity) -> StoreError {
    StoreError::EmbedderChanged {
        path: path.to_owned(),
        stored: named(stored),
        configured: named(configured),
    }
}

/// Reads every trace of a space into a snapshot.
pub(crate) fn load(
    path: &Path,
    database: &Database,
    configured: Option<&EmbedderIdentity>,
    decay: Decay,
) -> Result<Snapshot, StoreError> {
    let meta = open::meta_of(path, database)?;
    tracing::debug!(space = %meta.space, created_ms = meta.created_at.as_millis(), "reading memory");
    let stored = stored_embedder(path, database)?;
    load_by(path, database, stored, configured, decay)
}

/// Reads every trace, with the vectors of this embedder.
pub(crate) fn load_by(
    path: &Path,
    database: &Database,
    stored: Option<EmbedderRecord>,
    configured: Option<&EmbedderIdentity>,
    decay: Decay,
) -> Result<Snapshot, StoreError> {
    let embedder_stored = stored.is_some();
    let embedder = stored
        .or_else(|| configured.map(|identity| EmbedderRecord { identity: identity.clone(), generation: 1 }));
    let read = begin(path, database)?;
    let mut snapshot = Snapshot::new(embedder, decay);
    snapshot.embedder_stored = embedder_stored;
    let serving = snapshot.embedder().map(|embedder| &embedder.identity);
    snapshot.foreign = configured.is_some() && serving != configured;
    snapshot.counters = counters(path, &read)?;
    snapshot.journal_head = journal_head(path, &read)?;
    rows(path, &read, &mut snapshot)?;
    let numbers = sealed::numbers(path, &read)?;
    snapshot.last_segment = numbers.last().copied().unwrap_or_default();
    snapshot.strays = numbers;
    let kept: Vec<u64> = snapshot.segments().iter().map(|segment| segment.number).collect();
    snapshot.strays.retain(|number| !kept.contains(number));
    moving(path, &read, &mut snapshot)?;
    reminders(path, &read, &mut snapshot)?;
    let recalls = read.open_table(RECALLS).map_err(|error| StoreError::database(path, error))?;
    for entry in recalls.iter().map_err(|error| StoreError::database(path, error))? {
        let (key, bytes) = entry.map_err(|error| StoreError::database(path, error))?;
        let recall = sound(path, records::decode_recall(bytes.value()))?;
        snapshot.recalls.put(RecallId::from_raw(key.value()), recall);
    }
    Ok(snapshot)
}

/// Rows that are gathered before they become blocks, so that waking holds few of them twice.
const GATHERED_MAX: usize = 64 * ROWS_MAX;
/// A segment of which more than one row in so many was forgotten is built anew.
const GONE_SHARE: usize = 4;

/// Walks the tables of traces side by side; they are sorted by the same ids.
fn rows(path: &Path, read: &ReadTransaction, snapshot: &mut Snapshot) -> Result<(), StoreError> {
    let count = |table: Rows| -> Result<u64, StoreError> {
        let table = read.open_table(table).map_err(|error| StoreError::database(path, error))?;
        table.len().map_err(|error| StoreError::database(path, error))
    };
    let bodies = count(BODIES)?;
    if count(STATES)? > bodies {
        return Err(StoreError::damaged(path, "it holds numbers of no trace"));
    }
    let generation = snapshot.embedder().map(|embedder| embedder.generation);
    let beside = Beside::new(path, read, vectors_of(generation.unwrap_or(1)), generation)?;
    let bulky = read.open_table(BULKY).map_err(|error| StoreError::database(path, error))?;
    let stored = sealed::segments(path, read)?;
    let bodies_walk = Walk::new(path, read, BODIES)?;
    thread::scope(|scope| {
        let numbers =
            if bodies < aside::MANY { Source::Here(Box::new(beside)) } else { Source::aside(scope, beside) };
        gather(RowWalk { path, bodies: bodies_walk, bulky, numbers }, stored, snapshot)
    })
}

/// Makes blocks of all rows, open ones and those of segments.
fn gather(mut walk: RowWalk<'_>, stored: Vec<Stored>, snapshot: &mut Snapshot) -> Result<(), StoreError> {
    let mut stored = stored.into_iter().peekable();
    let mut gathered: Vec<Row> = Vec::new();
    while let Some(row) = walk.next()? {
        while stored.peek().is_some_and(|segment| segment.head.last_id < row.id.raw()) {
            settle(snapshot, stored.next(), &mut gathered);
        }
        let ahead = stored.peek().map(|segment| segment.head.first_id);
        let within = |id: u64| ahead.is_some_and(|first| first <= id);
        let begins = within(row.id.raw()) && gathered.last().is_some_and(|row| !within(row.id.raw()));
        let many = !within(row.id.raw()) && gathered.len() >= GATHERED_MAX;
        if begins || many {
            snapshot.extend(std::mem::take(&mut gathered));
        }
        gathered.push(row);
    }
    settle(snapshot, stored.next(), &mut gathered);
    Ok(())
}

/// Makes blocks of the rows that were gathered: those of a segment where they are its rows, else open ones.
fn settle(snapshot: &mut Snapshot, stored: Option<Stored>, gathered: &mut Vec<Row>) {
    let rows = std::mem::take(gathered);
    let Some(stored) = stored else { return snapshot.extend(rows) };
    let known = rows.iter().all(|row| stored.ids.binary_search(&row.id).is_ok());
    let gone = stored.ids.len().saturating_sub(rows.len());
    if known && gone * GONE_SHARE <= stored.ids.len() {
        let ids = stored.ids.clone();
        let generation = snapshot.embedder().map(|embedder| embedder.generation);
        let segment = stored.segment(snapshot.blocks().len() as u32, generation);
        snapshot.extend_sealed(&ids, rows, segment);
    } else {
        tracing::warn!(number = stored.number, "segment does not fit its rows and is built anew");
        snapshot.extend(rows);
    }
}

/// All rows of a space, ascending by id.
struct RowWalk<'a> {
    path: &'a Path,
    bodies: Walk<'a>,
    bulky: redb::ReadOnlyTable<(u8, u64), &'static str>,
    numbers: Source<'a>,
}

impl RowWalk<'_> {
    fn next(&mut self) -> Result<Option<Row>, StoreError> {
        let path = self.path;
        let Some((id, bytes)) = self.bodies.next()? else { return Ok(None) };
        let bulky = || bulky_text(&self.bulky, TextSlot::Trace, id);
        let (body, tokens) = sound(path, records::decode_body(bytes.value(), bulky))?;
        let Some(Numbers { state, vector, .. }) = self.numbers.at(id)? else {
            return Err(StoreError::damaged(path, "it holds a trace without its numbers"));
        };
        Ok(Some(Row { id: TraceId::from_raw(id), state, tokens, body: Arc::new(body), vector }))
    }
}

/// Reminders, with the words of their traces. One whose trace is not there is left out; the doctor names it.
fn reminders(path: &Path, read: &ReadTransaction, snapshot: &mut Snapshot) -> Result<(), StoreError> {
    let fault = |error| StoreError::database(path, error);
    let meta = read.open_table(META).map_err(|error| StoreError::database(path, error))?;
    if let Some(value) = meta.get(WHEREABOUTS_KEY).map_err(fault)? {
        let whereabouts = sound(path, records::decode_whereabouts(value.value()))?;
        snapshot.reminders.set_whereabouts(Arc::new(whereabouts));
    }
    let mut walk = Walk::new(path, read, REMINDERS)?;
    while let Some((key, bytes)) = walk.next()? {
        let id = TraceId::from_raw(key);
        let reminder = sound(path, records::decode_reminder(id, bytes.value()))?;
        let Some(place) = snapshot.find(id) else { continue };
        let body = snapshot.body(place);
        let (text, tags) = (body.text.clone(), body.tags.clone());
        snapshot.reminders.put(Arc::new(bethink_domain::Reminder { text, tags, ..reminder }));
    }
    Ok(())
}

/// How far the move to another embedder is, and whether vectors are left of an earlier one.
fn moving(path: &Path, read: &ReadTransaction, snapshot: &mut Snapshot) -> Result<(), StoreError> {
    let fault = |error| StoreError::database(path, error);
    let meta = read.open_table(META).map_err(|error| StoreError::database(path, error))?;
    let record = meta.get(MIGRATION_KEY).map_err(fault)?;
    let record = record.map(|value| sound(path, records::decode_migration(value.value()))).transpose()?;
    let live = record.as_ref().filter(|record| record.migration.state.live()).cloned();
    let Some(record) = live else {
        let serving = snapshot.embedder().map_or(1, |embedder| embedder.generation);
        let beside = open_if_there(path, read, vectors_of(serving.wrapping_add(1)))?;
        let left = beside.map(|table| table.is_empty()).transpose().map_err(fault)?;
        snapshot.leftover = left == Some(false);
        snapshot.set_moving(record.map(Moving::new));
        return Ok(());
    };
    let generation = record.generation;
    let mut vectors = Walk::new(path, read, vectors_of(generation))?;
    let mut made = Vec::with_capacity(snapshot.len());
    for place in snapshot.places() {
        let id = snapshot.id(place);
        let vector = match vectors.at(id.raw())? {
            Some(bytes) => Some(sound(path, records::decode_vector(bytes.value()))?),
            None => None,
        };
        made.push((id, vector.is_some_and(|(of, _)| of == generation)));
    }
    snapshot.set_moving(Some(Moving::resumed(record, made.into_iter())));
    Ok(())
}

/// A row's id, and its bytes.
type Entry = (u64, AccessGuard<'static, &'static [u8]>);

/// A table read in step with another; one that is not there is empty.
struct Walk<'a> {
    path: &'a Path,
    range: Option<Range<'static, u64, &'static [u8]>>,
    ahead: Option<Entry>,
}

impl<'a> Walk<'a> {
    fn new(path: &'a Path, read: &ReadTransaction, table: Rows) -> Result<Self, StoreError> {
        let table = open_if_there(path, read, table)?;
        let range = table.map(|table| table.range::<u64>(..)).transpose();
        let range = range.map_err(|error| StoreError::database(path, error))?;
        Ok(Self { path, range, ahead: None })
    }

    /// The next row.
    fn next(&mut self) -> Result<Option<Entry>, StoreError> {
        let Some(entry) = self.range.as_mut().and_then(Iterator::next) else { return Ok(None) };
        let (key, bytes) = entry.map_err(|error| StoreError::database(self.path, error))?;
        Ok(Some((key.value(), bytes)))
    }

    /// The row of an id; ids must be asked for in ascending order.
    fn at(&mut self, id: u64) -> Result<Option<AccessGuard<'static, &'static [u8]>>, StoreError> {
        loop {
            match self.ahead.take() {
                Some((key, bytes)) if key == id => return Ok(Some(bytes)),
                Some((key, bytes)) if key > id => {
                    self.ahead = Some((key, bytes));
                    return Ok(None);
                }
                _ => {}
            }
            let Some(next) = self.next()? else { return Ok(None) };
            self.ahead = Some(next);
        }
    }
}

fn begin(path: &Path, database: &Database) -> Result<ReadTransaction, StoreError> {
    database.begin_read().map_err(|error| StoreError::database(path, error))
}

/// Numbers of the space: as last written, brought up to date by the last rows of the tables.
fn counters(path: &Path, read: &ReadTransaction) -> Result<Counters, StoreError> {
    let fault = |error| StoreError::database(path, error);
    let table = read.open_table(META).map_err(|error| StoreError::database(path, error))?;
    let value = table.get(COUNTERS_KEY).map_err(fault)?;
    let Some(value) = value else { return Err(StoreError::damaged(path, "it has no counters")) };
    let mut counters = sound(path, records::decode_counters(value.value()))?;
    let open = |table: Rows| read.open_table(table).map_err(|error| StoreError::database(path, error));
    let last = |table: Rows| -> Result<u64, StoreError> {
        Ok(open(table)?.last().map_err(fault)?.map_or(0, |(key, _)| key.value()))
    };
    counters.last_trace = counters.last_trace.max(last(BODIES)?);
    counters.last_turn = counters.last_turn.max(last(TURNS)?).max(last(TRANSCRIPT)?);
    counters.turns = open(TRANSCRIPT)?.len().map_err(fault)?;
    if let Some((key, bytes)) = open(JOURNAL)?.last().map_err(fault)? {
        let entry = sound(path, records::decode_journal(key.value(), bytes.value()))?;
        counters.journal = counters.journal.max(entry.sequence);
        counters.clock_high_ms = counters.clock_high_ms.max(entry.at.as_millis());
    }
    Ok(counters)
}

fn journal_head(path: &Path, read: &ReadTransaction) -> Result<Option<JournalHead>, StoreError> {
    let journal = read.open_table(JOURNAL).map_err(|error| StoreError::database(path, error))?;
    let first = journal.first().map_err(|error| StoreError::database(path, error))?;
    let Some((key, bytes)) = first else { return Ok(None) };
    let entry = sound(path, records::decode_journal(key.value(), bytes.value()))?;
    Ok(Some(JournalHead { first: entry.sequence, at: entry.at }))
}

pub(crate) fn stored_embedder(
    path: &Path,
    database: &Database,
) -> Result<Option<EmbedderRecord>, StoreError> {
    let read = begin(path, database)?;
    let table = read.open_table(META).map_err(|error| StoreError::database(path, error))?;
    let value = table.get(EMBEDDER_KEY).map_err(|error| StoreError::database(path, error))?;
    value.map(|value| sound(path, records::decode_embedder(value.value()))).transpose()
}

fn named(embedder: &EmbedderIdentity) -> String {
    format!("`{}` ({} dimensions, revision {})", embedder.model, embedder.dimensions, embedder.revision)
}
