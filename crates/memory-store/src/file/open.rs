//! Creating and opening a space's file. What is not ours, damaged or newer is refused and left byte for byte as it was.
//!
//! A file is looked at first, through storage that lets nothing reach it, and opened for writing only when there is
//! something to be written. The database itself would mark a file as soon as it opens it.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use redb::backends::{FileBackend, InMemoryBackend};
use redb::{Builder, Database, ReadableDatabase};

use super::shadow::{Disk, Shadow};
use super::tables::{FORMAT, FORMAT_KEY, META, SPACE_KEY, Tables};
use crate::error::StoreError;
use crate::paths;
use crate::records::{self, Meta};

/// How every file of this kind begins.
const MAGIC: &[u8; 9] = b"redb\x1A\x0A\xA9\x0D\x0A";
/// Page cache of a file that is only looked at, in bytes: waking reads every page once, and recall none of them, so that what
/// is kept of them only takes memory from other spaces.
const LOOKING_CACHE_BYTES: usize = 256 * 1024;
/// Page cache of a space that has no file yet.
const EMPTY_CACHE_BYTES: usize = 64 * 1024;

/// How files are opened.
#[derive(Debug, Clone)]
pub(crate) struct Opening {
    /// Page cache in bytes.
    pub(crate) cache_bytes: usize,
    /// What goes wrong with the disk, in crash tests.
    pub(crate) disk: Option<Disk>,
}

/// A file that is only looked at: nothing that is done to `database` reaches it.
pub(crate) struct Looking {
    /// Sound in all its pages. What a crash left is mended in memory only.
    pub(crate) database: Database,
    /// The file itself. It keeps others out for as long as it is held.
    file: File,
    /// Whether the file may be written at all.
    pub(crate) writable: bool,
    /// Its format, at most [`FORMAT`].
    pub(crate) format: u32,
}

/// Looks at the file of a space; none when there is no file.
pub(crate) fn look_or_miss(path: &Path, how: &Opening) -> Result<Option<Looking>, StoreError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io(path, error)),
        Ok(_) => look(path, how).map(Some),
    }
}

/// Looks at an existing file of a space.
pub(crate) fn look(path: &Path, how: &Opening) -> Result<Looking, StoreError> {
    let (file, writable) = checked_file(path)?;
    let database = guarded(path, || probe(path, &file, writable, how, check_format))?;
    let format = format_of(path, &database)?;
    Ok(Looking { database, file, writable, format })
}

impl Looking {
    /// Refuses a file that may only be read.
    pub(crate) fn check_writable(&self, path: &Path) -> Result<(), StoreError> {
        if self.writable { Ok(()) } else { Err(StoreError::ReadOnly { path: path.to_owned() }) }
    }

    /// Opens the same file for writing. Its pages were checked when it was looked at, and nobody came in between.
    pub(crate) fn write(self, path: &Path, how: &Opening) -> Result<Database, StoreError> {
        self.check_writable(path)?;
        drop(self.database);
        open_file(path, self.file, how)
    }
}

/// Opens an existing database that is no space.
pub(crate) fn open_database(path: &Path, how: &Opening) -> Result<Database, StoreError> {
    let (file, writable) = checked_file(path)?;
    let database = guarded(path, || probe(path, &file, writable, how, |_, _| Ok(())))?;
    Looking { database, file, writable, format: FORMAT }.write(path, how)
}

/// What an empty file would hold, without one.
pub(crate) fn nothing(path: &Path, meta: &Meta) -> Result<Database, StoreError> {
    let fault = |error: redb::Error| StoreError::database(path, error);
    let database = Builder::new()
        .set_cache_size(EMPTY_CACHE_BYTES)
        .create_with_backend(InMemoryBackend::new())
        .map_err(|error| fault(error.into()))?;
    in_one_commit(path, &database, |tables| tables.begin(meta))?;
    Ok(database)
}

/// Creates the file of a space where there is none, and opens it for writing.
pub(crate) fn create_and_open(path: &Path, meta: &Meta, how: &Opening) -> Result<Database, StoreError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(StoreError::io(path, error)),
        // Somebody else made it since it was looked for.
        Ok(_) => return Err(StoreError::InUse { path: path.to_owned() }),
    }
    create(path, meta)?;
    look(path, how)?.write(path, how)
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

/// The opened file, if it can be one of ours by its kind, size and first bytes; and whether it may be written.
fn checked_file(path: &Path) -> Result<(File, bool), StoreError> {
    let fault = |error| StoreError::io(path, error);
    let about = fs::metadata(path).map_err(fault)?;
    if !about.is_file() {
        return Err(StoreError::NotAFile { path: path.to_owned() });
    }
    if about.len() == 0 {
        return Err(StoreError::Empty { path: path.to_owned() });
    }
    // The mode counts even for those whom the system lets write everything.
    let (mut file, writable) = if about.permissions().readonly() {
        (File::open(path).map_err(fault)?, false)
    } else {
        match OpenOptions::new().read(true).write(true).open(path) {
            Ok(file) => (file, true),
            Err(error)
                if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) =>
            {
                (File::open(path).map_err(fault)?, false)
            }
            Err(error) => return Err(fault(error)),
        }
    };
    let mut first = [0u8; MAGIC.len()];
    let read = file.read(&mut first).map_err(fault)?;
    if read < MAGIC.len() || &first != MAGIC {
        return Err(StoreError::Foreign { path: path.to_owned() });
    }
    Ok((file, writable))
}

/// Opens a file without touching it: every page must be sound, and the content as expected.
fn probe(
    path: &Path,
    file: &File,
    writable: bool,
    how: &Opening,
    expected: fn(&Path, &Database) -> Result<(), StoreError>,
) -> Result<Database, StoreError> {
    let fault = |error| StoreError::io(path, error);
    let copy = file.try_clone().map_err(fault)?;
    let backend = FileBackend::new(copy).map_err(|error| StoreError::database(path, error))?;
    let shadow = Shadow::looking(backend, writable).map_err(fault)?;
    let mut database = Builder::new()
        .set_cache_size(how.cache_bytes.min(LOOKING_CACHE_BYTES))
        .create_with_backend(shadow)
        .map_err(|error| StoreError::database(path, error))?;
    expected(path, &database)?;
    match database.check_integrity() {
        Ok(true) => Ok(database),
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

/// The format that a file says it has.
pub(crate) fn format_of(path: &Path, database: &Database) -> Result<u32, StoreError> {
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
    build_beside(path, None, |tables| tables.begin(meta))
}

/// Fills a new file under another name, makes it durable, and puts it in the place of `path`.
pub(crate) fn build_beside(
    path: &Path,
    disk: Option<&Disk>,
    fill: impl FnOnce(&mut Tables<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let fresh = write_beside(path, disk, fill)?;
    put_in_place(&fresh, path, disk)
}

/// Fills a new file under another name and makes it durable; gives that name.
pub(crate) fn write_beside(
    path: &Path,
    disk: Option<&Disk>,
    fill: impl FnOnce(&mut Tables<'_>) -> Result<(), StoreError>,
) -> Result<PathBuf, StoreError> {
    let fresh = beside(path);
    match fs::remove_file(&fresh) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(StoreError::io(path, error)),
        // What a crash left of an earlier attempt.
        _ => {}
    }
    let written = write_new(&fresh, disk, fill);
    if written.is_err() {
        remove_beside(path);
    }
    written.map(|()| fresh)
}

/// Puts a complete file in the place of `path`, and makes that durable.
pub(crate) fn put_in_place(fresh: &Path, path: &Path, disk: Option<&Disk>) -> Result<(), StoreError> {
    let fault = |error| StoreError::io(path, error);
    if disk.is_some_and(|disk| !disk.renames()) {
        return Ok(());
    }
    if let Err(error) = fs::rename(fresh, path) {
        remove_beside(path);
        return Err(fault(error));
    }
    paths::sync_dir(path.parent().unwrap_or(Path::new("."))).map_err(fault)
}

/// Removes what was built beside a file and is not to take its place.
pub(crate) fn remove_beside(path: &Path) {
    // It may not be there; and the error that led here is the one that matters.
    let _ = fs::remove_file(beside(path));
}

/// The name under which a file is built before it takes its place.
pub(crate) fn beside(path: &Path) -> PathBuf {
    path.with_extension(paths::BESIDE_ENDING)
}

fn write_new(
    fresh: &Path,
    disk: Option<&Disk>,
    fill: impl FnOnce(&mut Tables<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let fault = |error: redb::Error| StoreError::database(fresh, error);
    let database = new_database(fresh, disk)?;
    in_one_commit(fresh, &database, fill)?;
    database.close().map_err(|error| fault(error.into()))?;
    File::open(fresh).and_then(|file| file.sync_all()).map_err(|error| StoreError::io(fresh, error))
}

/// A database in a file that must not exist yet.
pub(crate) fn new_database(fresh: &Path, disk: Option<&Disk>) -> Result<Database, StoreError> {
    let file = paths::create_private_file(fresh).map_err(|error| StoreError::io(fresh, error))?;
    let fault = |error: redb::Error| StoreError::database(fresh, error);
    let backend = FileBackend::new(file).map_err(|error| fault(error.into()))?;
    let mut builder = Builder::new();
    builder.set_cache_size(16 * 1024 * 1024);
    let database = match disk {
        None => builder.create_with_backend(backend),
        Some(disk) => {
            let shadow = Shadow::new(backend, disk.clone()).map_err(|error| StoreError::io(fresh, error))?;
            builder.create_with_backend(shadow)
        }
    };
    database.map_err(|error| fault(error.into()))
}

fn in_one_commit(
    path: &Path,
    database: &Database,
    fill: impl FnOnce(&mut Tables<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let transaction = database.begin_write().map_err(|error| StoreError::database(path, error))?;
    {
        let mut tables = Tables::open(&transaction, path)?;
        fill(&mut tables)?;
    }
    transaction.commit().map_err(|error| StoreError::database(path, error))
}
