//! Scrubbing: a file is copied without its freed pages, which may still hold what was forgotten.

use std::path::Path;

use redb::{Database, Key, ReadTransaction, ReadableDatabase, ReadableTable, Table, TableDefinition, Value};

use super::open::build_beside;
use super::read::open_if_there;
use super::slot::StoreSlot;
use super::tables::{
    BODIES, BULKY, COUNTERS_KEY, FOLDED, FORGOTTEN, JOURNAL, META, RECALLS, SEALED, STATES, TRANSCRIPT,
    TURNS, Tables, VECTORS, VECTORS_EVEN,
};
use crate::error::StoreError;
use crate::records;
use crate::rows::Counters;

/// Puts a fresh copy in the place of the file, so that no freed page holds anything any more.
///
/// A crash in between leaves the old file, and the mark that this is still to be done.
pub(crate) fn rewrite(slot: &StoreSlot, epoch: u64, counters: Counters) -> Result<(), StoreError> {
    let scrubbed = records::encode_counters(&Counters { scrub_pending: false, ..counters });
    let path = slot.path();
    slot.in_turn(epoch, || {
        slot.replace(|database, disk| {
            build_beside(path, disk, |tables| copy(path, database, tables, &scrubbed))
        })
    })
}

fn copy(path: &Path, database: &Database, to: &mut Tables<'_>, counters: &[u8]) -> Result<(), StoreError> {
    let read = database.begin_read().map_err(|error| StoreError::database(path, error))?;
    copy_table(path, &read, META, &mut to.meta)?;
    copy_table(path, &read, BODIES, &mut to.bodies)?;
    copy_table(path, &read, STATES, &mut to.states)?;
    copy_table(path, &read, VECTORS, &mut to.vectors)?;
    copy_table(path, &read, VECTORS_EVEN, &mut to.vectors_even)?;
    copy_table(path, &read, TRANSCRIPT, &mut to.transcript)?;
    copy_table(path, &read, TURNS, &mut to.turns)?;
    copy_table(path, &read, JOURNAL, &mut to.journal)?;
    copy_table(path, &read, FOLDED, &mut to.folded)?;
    copy_table(path, &read, RECALLS, &mut to.recalls)?;
    copy_table(path, &read, FORGOTTEN, &mut to.forgotten)?;
    copy_table(path, &read, BULKY, &mut to.bulky)?;
    copy_table(path, &read, SEALED, &mut to.sealed)?;
    to.meta.insert(COUNTERS_KEY, counters).map(drop).map_err(|error| StoreError::database(path, error))
}

fn copy_table<K: Key + 'static, V: Value + 'static>(
    path: &Path,
    read: &ReadTransaction,
    from: TableDefinition<'static, K, V>,
    to: &mut Table<'_, K, V>,
) -> Result<(), StoreError> {
    let Some(from) = open_if_there(path, read, from)? else { return Ok(()) };
    for entry in from.iter().map_err(|error| StoreError::database(path, error))? {
        let (key, value) = entry.map_err(|error| StoreError::database(path, error))?;
        to.insert(key.value(), value.value()).map_err(|error| StoreError::database(path, error))?;
    }
    Ok(())
}
