//! Copying what a space holds into a new file, and telling whether two files hold the same.

use std::fs::File;
use std::path::Path;

use bethink_domain::Timestamp;
use redb::{
    Database, Key, ReadTransaction, ReadableDatabase, ReadableTable, ReadableTableMetadata, TableDefinition,
    TableError, Value, WriteTransaction,
};
use ring::digest::{Context, SHA256};

use super::open::new_database;
use super::shadow::Disk;
use super::tables::{BODIES, COUNTERS_KEY, META, Rows, SCRUBBED_KEY, TRANSCRIPT, VisitTable, each_table};
use crate::error::StoreError;
use crate::paths;

/// Rows between two looks at whether somebody wants the file.
const ROWS_BETWEEN_LOOKS: usize = 64;

/// What a copy says of itself in place of what the original says.
#[derive(Debug)]
pub(crate) struct Facts {
    /// The record of its counters.
    pub(crate) counters: Vec<u8>,
    /// When it was scrubbed; as the original says if none.
    pub(crate) scrubbed_at: Option<Timestamp>,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) traces: u64,
    pub(crate) turns: u64,
    /// Bytes of all keys and values.
    pub(crate) payload_bytes: u64,
    /// SHA-256 of all rows of all tables, in hexadecimal digits.
    pub(crate) checksum: String,
}

/// Copies everything of one moment into a new file without freed or half-filled pages, and makes it durable. None when
/// `wanted` said that the file is wanted; then nothing is left at `to`.
pub(crate) fn copy(
    path: &Path,
    database: &Database,
    to: &Path,
    wanted: &dyn Fn() -> bool,
) -> Result<Option<Content>, StoreError> {
    copy_with(path, database, to, None, None, wanted)
}

/// The same for a copy that says something else of itself, on a disk that may go wrong.
pub(crate) fn copy_with(
    path: &Path,
    database: &Database,
    to: &Path,
    facts: Option<&Facts>,
    disk: Option<&Disk>,
    wanted: &dyn Fn() -> bool,
) -> Result<Option<Content>, StoreError> {
    paths::remove_if_there(to).map_err(|error| StoreError::io(to, error))?;
    let copied = copy_new((path, database), to, facts, disk, wanted);
    if !matches!(copied, Ok(Some(_))) {
        // It may not be there; and the first error is the one that matters.
        let _ = std::fs::remove_file(to);
    }
    copied
}

fn copy_new(
    (path, database): (&Path, &Database),
    to: &Path,
    facts: Option<&Facts>,
    disk: Option<&Disk>,
    wanted: &dyn Fn() -> bool,
) -> Result<Option<Content>, StoreError> {
    let read = database.begin_read().map_err(|error| StoreError::database(path, error))?;
    let fault = |error: redb::Error| StoreError::database(to, error);
    let mut fresh = new_database(to, disk)?;
    let write = fresh.begin_write().map_err(|error| fault(error.into()))?;
    let Some(content) = walk(path, &read, Some((to, &write)), wanted)? else {
        write.abort().map_err(|error| fault(error.into()))?;
        return Ok(None);
    };
    if let Some(facts) = facts {
        let mut meta = write.open_table(META).map_err(|error| fault(error.into()))?;
        meta.insert(COUNTERS_KEY, facts.counters.as_slice()).map_err(|error| fault(error.into()))?;
        if let Some(at) = facts.scrubbed_at {
            let at = at.as_millis().to_le_bytes();
            meta.insert(SCRUBBED_KEY, at.as_slice()).map_err(|error| fault(error.into()))?;
        }
    }
    write.commit().map_err(|error| fault(error.into()))?;
    // A file grows by halves ahead of what it holds; this gives the rest back.
    fresh.compact().map_err(|error| fault(error.into()))?;
    fresh.close().map_err(|error| fault(error.into()))?;
    File::open(to).and_then(|file| file.sync_all()).map_err(|error| StoreError::io(to, error))?;
    Ok(Some(content))
}

/// Traces and turns of a file.
pub(crate) fn rows_of(path: &Path, database: &Database) -> Result<(u64, u64), StoreError> {
    let read = database.begin_read().map_err(|error| StoreError::database(path, error))?;
    Ok((rows(path, &read, BODIES)?, rows(path, &read, TRANSCRIPT)?))
}

/// Bytes of all keys and values. None when `wanted` said that the file is wanted.
pub(crate) fn payload(
    path: &Path,
    database: &Database,
    wanted: &dyn Fn() -> bool,
) -> Result<Option<u64>, StoreError> {
    let read = database.begin_read().map_err(|error| StoreError::database(path, error))?;
    Ok(walk(path, &read, None, wanted)?.map(|content| content.payload_bytes))
}

/// What a file holds now.
pub(crate) fn content(path: &Path, database: &Database) -> Result<Content, StoreError> {
    let read = database.begin_read().map_err(|error| StoreError::database(path, error))?;
    let content = walk(path, &read, None, &|| false)?;
    content.ok_or_else(|| StoreError::damaged(path, "it could not be read to its end"))
}

fn walk(
    path: &Path,
    read: &ReadTransaction,
    to: Option<(&Path, &WriteTransaction)>,
    wanted: &dyn Fn() -> bool,
) -> Result<Option<Content>, StoreError> {
    let mut walk = Walk { path, read, to, wanted, rows: 0, payload_bytes: 0, hash: Context::new(&SHA256) };
    if !each_table(&mut walk)? {
        return Ok(None);
    }
    let digest = walk.hash.finish();
    let checksum = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    let (traces, turns) = (rows(path, read, BODIES)?, rows(path, read, TRANSCRIPT)?);
    Ok(Some(Content { traces, turns, payload_bytes: walk.payload_bytes, checksum }))
}

fn rows(path: &Path, read: &ReadTransaction, table: Rows) -> Result<u64, StoreError> {
    let table = read.open_table(table).map_err(|error| StoreError::database(path, error))?;
    table.len().map_err(|error| StoreError::database(path, error))
}

/// Reads every row, and writes it where it is copied to.
struct Walk<'a> {
    path: &'a Path,
    read: &'a ReadTransaction,
    to: Option<(&'a Path, &'a WriteTransaction)>,
    wanted: &'a dyn Fn() -> bool,
    rows: usize,
    payload_bytes: u64,
    hash: Context,
}

impl Walk<'_> {
    fn note(&mut self, key: &[u8], value: &[u8]) {
        for bytes in [key, value] {
            self.hash.update(&(bytes.len() as u64).to_le_bytes());
            self.hash.update(bytes);
            self.payload_bytes += bytes.len() as u64;
        }
        self.rows += 1;
    }
}

impl VisitTable for Walk<'_> {
    fn visit<K: Key + 'static, V: Value + 'static>(
        &mut self,
        table: TableDefinition<'static, K, V>,
    ) -> Result<bool, StoreError> {
        if (self.wanted)() {
            return Ok(false);
        }
        let fault = |error: redb::Error| StoreError::database(self.path, error);
        let from = match self.read.open_table(table) {
            Ok(from) => from,
            // A file of an earlier program has fewer tables.
            Err(TableError::TableDoesNotExist(_)) => return Ok(true),
            Err(error) => return Err(fault(error.into())),
        };
        let mut to = match self.to {
            Some((at, write)) => {
                let opened = write.open_table(table);
                Some((at, opened.map_err(|error| StoreError::database(at, error))?))
            }
            None => None,
        };
        for entry in from.iter().map_err(|error| fault(error.into()))? {
            let (key, value) = entry.map_err(|error| StoreError::database(self.path, error))?;
            self.note(K::as_bytes(&key.value()).as_ref(), V::as_bytes(&value.value()).as_ref());
            if let Some((at, to)) = &mut to {
                to.insert(key.value(), value.value()).map_err(|error| StoreError::database(at, error))?;
            }
            if self.rows.is_multiple_of(ROWS_BETWEEN_LOOKS) && (self.wanted)() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
