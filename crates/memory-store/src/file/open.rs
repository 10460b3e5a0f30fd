//! Creating and opening a space's file. What is not ours, damaged or newer is refused and left byte for byte as it was.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use redb::backends::FileBackend;
use redb::{Builder, Database, ReadableDatabase};

use super::shadow::{Disk, Shadow};
use super::tables::{FORMAT, FORMAT_KEY, META, SPACE_KEY, Tables};
use crate::error::StoreError;
use crate::paths;
use crate::records::{self, Meta};

/// How every file of this kind begins.
const MAGIC: &[u8; 9] = b"redb\x1A\x0A\xA9\x0D\x0A";

/// How files are opened.
#[derive(Debug, Clone)]
pub(crate) struct Opening {
    /// Page cache in bytes.
    pub(crate) cache_bytes: usize,
    /// What goes wrong with the disk, in crash tests.
    pub(crate) disk: Option<Disk>,
}

/// Opens the file of a space, and creates it when there is none.
pub(crate) fn open_or_create(path: &Path, meta: &Meta, how: &Opening) -> Result<Database, StoreError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => create(path, meta)?,
        Err(error) => return Err(StoreError::io(path, error)),
        Ok(_) => {}
    }
    open(path, how)
}

/// Opens an existing file of a space.
pub(crate) fn open(path: &Path, how: &Opening) -> Result<Database, StoreError> {
    let file = checked_file(path)?;
    guarded(path, || probe(path, &file, check_format))?;
    open_file(path, file, how)
}

/// Opens an existing database that is no space.
pub(crate) fn open_database(path: &Path, how: &Opening) -> Result<Database, StoreError> {
    let file = checked_file(path)?;
    guarded(path, || probe(path, &file, |_, _| Ok(())))?;
    open_file(path, file, how)
}

fn open_file(path: &Path, file: File, how: &Opening) -> Result<Database, StoreError> {
    let backend = FileBackend::new(file).map_err(|error| StoreError::database(path, error))?;
    let mut builder = Builder::new();
    builder.set_cache_size(how.cache_bytes);
    guarded(path, || {
        let database = match &how.disk {
            None => builder.create_with_backend(backend),
            Some(disk) => {
                let shadow =
                    Shadow::new(backend, disk.clone()).map_err(|error| StoreError::io(path, error))?;
                builder.create_with_backend(shadow)
            }
        };
        database.map_err(|error| StoreError::database(path, error))
    })
}

/// Runs what touches pages; a panic over damaged ones becomes an error.
pub(crate) fn guarded<T>(path: &Path, work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(StoreError::damaged(path, text.unwrap_or_else(|| "its pages contradict each other".to_owned())))
    })
}

/// The opened file, if it can be one of ours by its kind, size, mode and first bytes.
fn checked_file(path: &Path) -> Result<File, StoreError> {
    let fault = |error| StoreError::io(path, error);
    let about = fs::metadata(path).map_err(fault)?;
    if !about.is_file() {
        return Err(StoreError::NotAFile { path: path.to_owned() });
    }
    if about.permissions().readonly() {
        return Err(StoreError::ReadOnly { path: path.to_owned() });
    }
    if about.len() == 0 {
        return Err(StoreError::Empty { path: path.to_owned() });
    }
    let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(fault)?;
    let mut first = [0u8; MAGIC.len()];
    let read = file.read(&mut first).map_err(fault)?;
    if read < MAGIC.len() || &first != MAGIC {
        return Err(StoreError::Foreign { path: path.to_owned() });
    }
    Ok(file)
}

/// Looks into a file without touching it: every page must be sound, and the content as expected.
fn probe(
    path: &Path,
    file: &File,
    expected: fn(&Path, &Database) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let fault = |error| StoreError::io(path, error);
    let copy = file.try_clone().map_err(fault)?;
    let backend = FileBackend::new(copy).map_err(|error| StoreError::database(path, error))?;
    let shadow = Shadow::new(backend, Disk::after(0)).map_err(fault)?;
    let mut builder = Builder::new();
    // The check reads each page once.
    builder.set_cache_size(1024 * 1024);
    let mut database =
        builder.create_with_backend(shadow).map_err(|error| StoreError::database(path, error))?;
    expected(path, &database)?;
    match database.check_integrity() {
        Ok(true) => Ok(()),
        Ok(false) => Err(StoreError::damaged(path, "a checksum does not match")),
        Err(error) => Err(StoreError::database(path, error)),
    }
}

fn check_format(path: &Path, database: &Database) -> Result<(), StoreError> {
    match format_of(path, database)? {
        found if found > FORMAT => {
            Err(StoreError::TooNew { path: path.to_owned(), found, supported: FORMAT })
        }
        _ => Ok(()),
    }
}

fn format_of(path: &Path, database: &Database) -> Result<u32, StoreError> {
    let read = database.begin_read().map_err(|error| StoreError::database(path, error))?;
    // A database of another program has no such table.
    let foreign = || StoreError::Foreign { path: path.to_owned() };
    let meta = read.open_table(META).map_err(|_| foreign())?;
    let value = meta.get(FORMAT_KEY).map_err(|error| StoreError::database(path, error))?;
    let bytes = value.as_ref().map(|value| value.value().try_into());
    match bytes {
        Some(Ok(bytes)) => Ok(u32::from_le_bytes(bytes)),
        _ => Err(foreign()),
    }
}

/// Reads whose memory a file is.
pub(crate) fn meta_of(path: &Path, database: &Database) -> Result<Meta, StoreError> {
    let fault = |error: redb::Error| StoreError::database(path, error);
    let read = database.begin_read().map_err(|error| fault(error.into()))?;
    let table = read.open_table(META).map_err(|error| fault(error.into()))?;
    let value = table.get(SPACE_KEY).map_err(|error| fault(error.into()))?;
    let Some(value) = value else { return Err(StoreError::damaged(path, "it does not say whose it is")) };
    records::decode_meta(value.value()).map_err(|error| StoreError::damaged(path, error.to_string()))
}

/// Builds a complete new file beside its place and renames it there, so that a crash leaves all of it or nothing.
fn create(path: &Path, meta: &Meta) -> Result<(), StoreError> {
    let dir = path.parent().unwrap_or(Path::new("."));
    paths::create_private_dir(dir)?;
    build_beside(path, |tables| tables.begin(meta))
}

/// Fills a new file under another name, makes it durable, and puts it in the place of `path`.
pub(crate) fn build_beside(
    path: &Path,
    fill: impl FnOnce(&mut Tables<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let fault = |error| StoreError::io(path, error);
    let fresh = beside(path);
    match fs::remove_file(&fresh) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(fault(error)),
        // What a crash left of an earlier attempt.
        _ => {}
    }
    let built = write_new(&fresh, fill).and_then(|()| fs::rename(&fresh, path).map_err(fault));
    if built.is_err() {
        // It may not be there; and the first error is the one that matters.
        let _ = fs::remove_file(&fresh);
    }
    built?;
    paths::sync_dir(path.parent().unwrap_or(Path::new("."))).map_err(fault)
}

fn beside(path: &Path) -> PathBuf {
    path.with_extension("redb-new")
}

fn write_new(
    fresh: &Path,
    fill: impl FnOnce(&mut Tables<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let file = paths::create_private_file(fresh).map_err(|error| StoreError::io(fresh, error))?;
    let fault = |error: redb::Error| StoreError::database(fresh, error);
    let backend = FileBackend::new(file).map_err(|error| fault(error.into()))?;
    let database = Builder::new()
        .set_cache_size(16 * 1024 * 1024)
        .create_with_backend(backend)
        .map_err(|error| fault(error.into()))?;
    let transaction = database.begin_write().map_err(|error| fault(error.into()))?;
    {
        let mut tables = Tables::open(&transaction, fresh)?;
        fill(&mut tables)?;
    }
    transaction.commit().map_err(|error| fault(error.into()))?;
    database.close().map_err(|error| fault(error.into()))?;
    File::open(fresh).and_then(|file| file.sync_all()).map_err(|error| StoreError::io(fresh, error))
}
