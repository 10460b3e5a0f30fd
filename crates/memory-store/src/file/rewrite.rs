//! Writing a file anew: without freed pages, which may still hold what was forgotten, and without room that nothing uses.

use std::path::PathBuf;

use bethink_domain::Timestamp;
use redb::{Database, ReadableDatabase, TableError};

use super::copy::{self, Content, Facts};
use super::open::{beside, look, put_in_place, remove_beside};
use super::shadow::Disk;
use super::slot::StoreSlot;
use super::tables::{META, SCRUBBED_KEY};
use crate::backup::opening;
use crate::error::StoreError;
use crate::paths;
use crate::records;
use crate::rows::Counters;

/// A copy beside a file, complete and on the disk, that may take its place.
#[derive(Debug)]
pub(crate) struct Renewed {
    fresh: PathBuf,
    /// What had been done to the file when the copy was begun.
    jobs: u64,
}

/// What a renewed file says of itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Marks {
    pub(crate) counters: Counters,
    /// Set when the file is renewed because something was forgotten.
    pub(crate) scrubbed_at: Option<Timestamp>,
}

impl Marks {
    fn facts(&self) -> Facts {
        let scrubbed = self.scrubbed_at.is_some();
        let pending = self.counters.scrub_pending && !scrubbed;
        Facts {
            counters: records::encode_counters(&Counters { scrub_pending: pending, ..self.counters }),
            scrubbed_at: self.scrubbed_at,
        }
    }
}

/// Copies the file beside it, while commits and readers go on. A crash leaves the old file.
pub(crate) fn copy_beside(slot: &StoreSlot, epoch: u64, marks: &Marks) -> Result<Renewed, StoreError> {
    let jobs = slot.in_turn(epoch, || slot.take_for_writing().map(|()| slot.jobs()))?;
    let (path, fresh, facts) = (slot.path(), beside(slot.path()), marks.facts());
    let copied = slot.read_giving_way(|database, wanted| {
        copy::copy_with(path, database, &fresh, Some(&facts), slot.disk(), wanted)
    })?;
    let content = copied.ok_or_else(|| StoreError::Closed { path: path.to_owned() })?;
    check(&fresh, &content).inspect_err(|_| remove_beside(path))?;
    Ok(Renewed { fresh, jobs })
}

/// Puts a copy in the place of the file. False when something was done to the file meanwhile; then the copy is removed.
pub(crate) fn take_place(slot: &StoreSlot, epoch: u64, renewed: &Renewed) -> Result<bool, StoreError> {
    slot.in_turn(epoch, || {
        // This very job is one more.
        if slot.jobs() != renewed.jobs + 1 {
            remove_beside(slot.path());
            return Ok(false);
        }
        slot.replace(|_, disk: Option<&Disk>| put_in_place(&renewed.fresh, slot.path(), disk))?;
        paths::remove_set_aside(slot.path());
        Ok(true)
    })
}

/// Does both while nobody else uses the file.
///
/// A crash in between leaves the old file, and the mark that this is still to be done.
pub(crate) fn rewrite(slot: &StoreSlot, epoch: u64, marks: &Marks) -> Result<(), StoreError> {
    let (path, facts) = (slot.path(), marks.facts());
    slot.in_turn(epoch, || {
        slot.take_for_writing()?;
        slot.replace(|database, disk| {
            let fresh = beside(path);
            let copied = copy::copy_with(path, database, &fresh, Some(&facts), disk, &|| false)?;
            let content = copied.ok_or_else(|| StoreError::Closed { path: path.to_owned() })?;
            check(&fresh, &content).inspect_err(|_| remove_beside(path))?;
            put_in_place(&fresh, path, disk)
        })?;
        paths::remove_set_aside(path);
        Ok(())
    })
}

/// Reads a copy back before it takes a place.
fn check(fresh: &std::path::Path, expected: &Content) -> Result<(), StoreError> {
    let looking = look(fresh, &opening())?;
    let rows = copy::rows_of(fresh, &looking.database)?;
    if rows == (expected.traces, expected.turns) {
        return Ok(());
    }
    Err(StoreError::damaged(fresh, "the copy differs from what was read"))
}

/// When the file was last written anew after something was forgotten.
pub(crate) fn scrubbed_at(
    path: &std::path::Path,
    database: &Database,
) -> Result<Option<Timestamp>, StoreError> {
    let fault = |error: redb::Error| StoreError::database(path, error);
    let read = database.begin_read().map_err(|error| fault(error.into()))?;
    let meta = match read.open_table(META) {
        Ok(meta) => meta,
        Err(TableError::TableDoesNotExist(_)) => return Ok(None),
        Err(error) => return Err(fault(error.into())),
    };
    let value = meta.get(SCRUBBED_KEY).map_err(|error| fault(error.into()))?;
    let ms = value.and_then(|value| value.value().try_into().ok()).map(i64::from_le_bytes);
    Ok(ms.map(Timestamp::from_millis))
}

/// How much of a file is of use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fill {
    pub(crate) file_bytes: u64,
    /// Bytes of all keys and values.
    pub(crate) payload_bytes: u64,
}

impl Fill {
    /// The share of the file that is no key and no value, 0 to 1.
    pub(crate) fn slack(self) -> f64 {
        1.0 - self.payload_bytes as f64 / self.file_bytes.max(1) as f64
    }
}

/// Measures a file; none where there is none.
pub(crate) fn fill(slot: &StoreSlot) -> Result<Option<Fill>, StoreError> {
    let path = slot.path();
    let payload = slot.read_giving_way(|database, wanted| copy::payload(path, database, wanted))?;
    let Some(payload_bytes) = payload else { return Ok(None) };
    Ok(Some(Fill { file_bytes: slot.file_bytes(), payload_bytes }))
}
