//! Reading a whole space at waking.

use std::path::Path;
use std::sync::Arc;

use bethink_cognition::Decay;
use bethink_domain::{EmbedderIdentity, RecallId, TraceId};
use redb::{
    AccessGuard, Database, Range, ReadTransaction, ReadableDatabase, ReadableTable, ReadableTableMetadata,
};

use super::open;
use super::read::{bulky_text, sound};
use super::tables::{
    BODIES, BULKY, COUNTERS_KEY, EMBEDDER_KEY, JOURNAL, META, RECALLS, Rows, STATES, TRANSCRIPT, TURNS,
    TextSlot, VECTORS,
};
use crate::error::StoreError;
use crate::records::{self, EmbedderRecord};
use crate::rows::{Counters, JournalHead};
use crate::snapshot::{Row, Snapshot};

/// Refuses a file whose vectors are not the configured embedder's.
pub(crate) fn check_embedder(
    path: &Path,
    database: &Database,
    configured: Option<&EmbedderIdentity>,
) -> Result<(), StoreError> {
    let stored = stored_embedder(path, database)?;
    let (Some(stored), Some(configured)) = (stored, configured) else { return Ok(()) };
    if stored.identity == *configured {
        return Ok(());
    }
    Err(StoreError::EmbedderChanged {
        path: path.to_owned(),
        stored: named(&stored.identity),
        configured: named(configured),
    })
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
    let embedder_stored = stored.is_some();
    let embedder = stored
        .or_else(|| configured.map(|identity| EmbedderRecord { identity: identity.clone(), generation: 1 }));
    let read = begin(path, database)?;
    let mut snapshot = Snapshot::new(embedder, decay);
    snapshot.embedder_stored = embedder_stored;
    snapshot.counters = counters(path, &read)?;
    snapshot.journal_head = journal_head(path, &read)?;
    rows(path, &read, &mut snapshot)?;
    let recalls = read.open_table(RECALLS).map_err(|error| StoreError::database(path, error))?;
    for entry in recalls.iter().map_err(|error| StoreError::database(path, error))? {
        let (key, bytes) = entry.map_err(|error| StoreError::database(path, error))?;
        let recall = sound(path, records::decode_recall(bytes.value()))?;
        snapshot.recalls.put(RecallId::from_raw(key.value()), recall);
    }
    Ok(snapshot)
}

/// Walks the tables of traces side by side; they are sorted by the same ids.
fn rows(path: &Path, read: &ReadTransaction, snapshot: &mut Snapshot) -> Result<(), StoreError> {
    let count = |table: Rows| -> Result<u64, StoreError> {
        let table = read.open_table(table).map_err(|error| StoreError::database(path, error))?;
        table.len().map_err(|error| StoreError::database(path, error))
    };
    if count(STATES)? > count(BODIES)? {
        return Err(StoreError::damaged(path, "it holds numbers of no trace"));
    }
    let bodies = Walk::new(path, read, BODIES)?;
    let mut states = Walk::new(path, read, STATES)?;
    let mut vectors = Walk::new(path, read, VECTORS)?;
    let bulky = read.open_table(BULKY).map_err(|error| StoreError::database(path, error))?;
    let generation = snapshot.embedder().map(|embedder| embedder.generation);
    let mut gathered = Vec::new();
    for entry in bodies.range {
        let (key, bytes) = entry.map_err(|error| StoreError::database(path, error))?;
        let id = key.value();
        let (body, tokens) =
            sound(path, records::decode_body(bytes.value(), || bulky_text(&bulky, TextSlot::Trace, id)))?;
        let Some(state) = states.at(id)? else {
            return Err(StoreError::damaged(path, "it holds a trace without its numbers"));
        };
        let vector = match vectors.at(id)? {
            Some(bytes) => Some(sound(path, records::decode_vector(bytes.value()))?),
            None => None,
        };
        gathered.push(Row {
            id: TraceId::from_raw(id),
            state: sound(path, records::decode_state(state.value()))?,
            tokens,
            body: Arc::new(body),
            vector: vector.filter(|(of, _)| Some(*of) == generation).map(|(_, vector)| vector),
        });
    }
    snapshot.extend(gathered);
    Ok(())
}

/// A table read in step with another.
struct Walk<'a> {
    path: &'a Path,
    range: Range<'static, u64, &'static [u8]>,
    ahead: Option<(u64, AccessGuard<'static, &'static [u8]>)>,
}

impl<'a> Walk<'a> {
    fn new(path: &'a Path, read: &ReadTransaction, table: Rows) -> Result<Self, StoreError> {
        let table = read.open_table(table).map_err(|error| StoreError::database(path, error))?;
        let range = table.range::<u64>(..).map_err(|error| StoreError::database(path, error))?;
        Ok(Self { path, range, ahead: None })
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
            let Some(entry) = self.range.next() else { return Ok(None) };
            let (key, bytes) = entry.map_err(|error| StoreError::database(self.path, error))?;
            self.ahead = Some((key.value(), bytes));
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

fn stored_embedder(path: &Path, database: &Database) -> Result<Option<EmbedderRecord>, StoreError> {
    let read = begin(path, database)?;
    let table = read.open_table(META).map_err(|error| StoreError::database(path, error))?;
    let value = table.get(EMBEDDER_KEY).map_err(|error| StoreError::database(path, error))?;
    value.map(|value| sound(path, records::decode_embedder(value.value()))).transpose()
}

fn named(embedder: &EmbedderIdentity) -> String {
    format!("`{}` ({} dimensions, revision {})", embedder.model, embedder.dimensions, embedder.revision)
}
