//! Bringing a file of an earlier format to the newest one: a function for each step.
//!
//! A step reads every record of the old file and writes it to a new one beside it. The new file takes the old one's place
//! once it is complete, on the disk, and found sound; until then the old one is whole. What cannot be read stops the
//! migration, so that damage is never copied into records that look sound.

use std::path::Path;
use std::sync::Arc;

use bethink_domain::{RecallId, TraceId, TurnId};
use redb::{Database, ReadTransaction, ReadableDatabase, ReadableTable, ReadableTableMetadata};

use super::open::{self, Looking, Opening};
use super::read::{bulky_text, open_if_there, read_exchange, sound};
use super::tables::{
    BODIES, BULKY, COUNTERS_KEY, EMBEDDER_KEY, FOLDED, FORGOTTEN, FORMAT, JOURNAL, META, Op, RECALLS, Rows,
    STATES, TRANSCRIPT, TURNS, Tables, TextSlot, VECTORS,
};
use crate::error::StoreError;
use crate::records;

/// Fills the tables of the next format from a file.
type Step = fn(&Path, &Database, &mut Tables<'_>) -> Result<(), StoreError>;

/// What puts a record of the old file into the new one, by key and bytes.
type Reader<'r> = &'r dyn Fn(u64, &[u8]) -> Result<Op, StoreError>;

/// The first makes format 2 of format 1, and so on.
const STEPS: [Step; FORMAT as usize - 1] = [seal_records];

/// Brings the file to the newest format, where it is older; everything that it holds is then in the new file.
///
/// # Errors
/// A [`StoreError`] when the file cannot be read or the new one not be written; then the old one stands.
pub(crate) fn migrate(path: &Path, mut looking: Looking, how: &Opening) -> Result<Looking, StoreError> {
    let first = looking.format;
    looking.check_writable(path)?;
    while looking.format < FORMAT {
        let from = looking.format;
        let step = from.checked_sub(1).and_then(|number| STEPS.get(number as usize));
        let step =
            step.ok_or_else(|| StoreError::damaged(path, format!("it has format {from}, which never was")))?;
        let fresh =
            open::write_beside(path, how.disk.as_ref(), |tables| step(path, &looking.database, tables))?;
        let lost = || StoreError::damaged(path, format!("its migration from format {from} did not succeed"));
        // Read back before the old file is given up.
        let whole =
            open::look(&fresh, how).and_then(|made| same_rows(path, &looking.database, &made.database));
        if !matches!(whole, Ok(true)) {
            open::remove_beside(path);
            return Err(whole.err().unwrap_or_else(lost));
        }
        open::put_in_place(&fresh, path, how.disk.as_ref())?;
        // Nobody comes in between: whoever would is kept out by the lock on the data directory.
        drop(looking);
        looking = open::look(path, how)?;
        if looking.format <= from {
            return Err(lost());
        }
    }
    if first < FORMAT {
        tracing::info!(path = %path.display(), from = first, to = FORMAT, "memory was migrated");
    }
    Ok(looking)
}

/// Whether two files have as many rows in each table.
fn same_rows(path: &Path, old: &Database, new: &Database) -> Result<bool, StoreError> {
    let (old, new) = (begin(path, old)?, begin(path, new)?);
    for rows in [BODIES, STATES, VECTORS, TRANSCRIPT, TURNS, JOURNAL, FOLDED, RECALLS] {
        let rows = |read: &ReadTransaction| {
            open_if_there(path, read, rows)?.map_or(Ok(0), |table| count(path, &table))
        };
        if rows(&old)? != rows(&new)? {
            return Ok(false);
        }
    }
    let fault = |error| StoreError::database(path, error);
    let texts = |read: &ReadTransaction| count(path, &read.open_table(BULKY).map_err(fault)?);
    let forgotten = |read: &ReadTransaction| count(path, &read.open_table(FORGOTTEN).map_err(fault)?);
    Ok(texts(&old)? == texts(&new)? && forgotten(&old)? == forgotten(&new)?)
}

fn count(path: &Path, table: &impl ReadableTableMetadata) -> Result<u64, StoreError> {
    table.len().map_err(|error| StoreError::database(path, error))
}

fn begin(path: &Path, database: &Database) -> Result<ReadTransaction, StoreError> {
    database.begin_read().map_err(|error| StoreError::database(path, error))
}

/// Format 1 to 2: every record and every text that lies apart gets a checksum.
fn seal_records(path: &Path, from: &Database, to: &mut Tables<'_>) -> Result<(), StoreError> {
    let fault = |error| StoreError::database(path, error);
    let read = begin(path, from)?;
    to.begin(&open::meta_of(path, from)?)?;
    let meta = read.open_table(META).map_err(|error| StoreError::database(path, error))?;
    if let Some(bytes) = meta.get(EMBEDDER_KEY).map_err(fault)? {
        to.write(&Op::Embedder(sound(path, records::decode_embedder(bytes.value()))?))?;
    }
    if let Some(bytes) = meta.get(COUNTERS_KEY).map_err(fault)? {
        to.write(&Op::Counters(sound(path, records::decode_counters(bytes.value()))?))?;
    }
    let forgotten = read.open_table(FORGOTTEN).map_err(|error| StoreError::database(path, error))?;
    for entry in forgotten.iter().map_err(fault)? {
        let (hash, at) = entry.map_err(fault)?;
        to.forgotten.insert(hash.value(), at.value()).map_err(fault)?;
    }
    // Texts first: a record that has its own inside removes the one beside it.
    let bulky = read.open_table(BULKY).map_err(|error| StoreError::database(path, error))?;
    for entry in bulky.iter().map_err(fault)? {
        let (key, text) = entry.map_err(fault)?;
        to.bulky.insert(key.value(), text.value()).map_err(fault)?;
    }
    let mut each = |rows: Rows, op: Reader<'_>| {
        let Some(table) = open_if_there(path, &read, rows)? else { return Ok(()) };
        for entry in table.iter().map_err(fault)? {
            let (key, bytes) = entry.map_err(fault)?;
            to.write(&op(key.value(), bytes.value())?)?;
        }
        Ok::<(), StoreError>(())
    };
    each(BODIES, &|id, bytes| {
        let text = || bulky_text(&bulky, TextSlot::Trace, id);
        let (body, tokens) = sound(path, records::decode_body(bytes, text))?;
        Ok(Op::Body(TraceId::from_raw(id), Arc::new(body), Arc::new(tokens)))
    })?;
    each(STATES, &|id, bytes| {
        Ok(Op::State(TraceId::from_raw(id), sound(path, records::decode_state(bytes))?))
    })?;
    each(VECTORS, &|id, bytes| {
        let (generation, vector) = sound(path, records::decode_vector(bytes))?;
        Ok(Op::Vector(TraceId::from_raw(id), generation, Arc::new(vector)))
    })?;
    each(TRANSCRIPT, &|id, bytes| {
        Ok(Op::Exchange(Box::new(read_exchange(path, TurnId::from_raw(id), bytes, &bulky)?)))
    })?;
    each(TURNS, &|id, bytes| {
        Ok(Op::Turn(Box::new(sound(path, records::decode_turn(TurnId::from_raw(id), bytes))?)))
    })?;
    each(JOURNAL, &|sequence, bytes| {
        Ok(Op::Journal(sound(path, records::decode_journal(sequence, bytes))?))
    })?;
    each(FOLDED, &|id, bytes| {
        Ok(Op::Folded(TraceId::from_raw(id), sound(path, records::decode_folded(bytes))?))
    })?;
    each(RECALLS, &|id, bytes| {
        Ok(Op::Recall(RecallId::from_raw(id), sound(path, records::decode_recall(bytes))?))
    })
}
