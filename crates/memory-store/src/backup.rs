//! Copies of all spaces of a data directory, made while they are in use.
//!
//! A backup is a directory with a manifest and a file for each space, laid out as in a data directory. It is built beside
//! its place, verified file by file, and renamed there when it is complete; until then its manifest says that it is not.

mod kept;
mod known;
mod manifest;
mod restore;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use bethink_domain::{SpaceId, Timestamp};

pub use kept::KeptBackups;
pub use known::{Holding, KnownBackups};
pub use manifest::{LeftOut, Manifest, SpaceCopy};
pub use restore::{Present, Restore, SpaceRestore};

use crate::error::StoreError;
use crate::file::copy::{self, Content};
use crate::file::open::{self, Opening, look, meta_of};
use crate::file::slot::StoreSlot;
use crate::paths::{self, create_private_dir, space_path};

/// Added to the name of a backup while it is being made.
const UNFINISHED: &str = ".incomplete";
/// Free space that is asked for beyond the size of all files, in bytes: directories, the manifest, and what is told while
/// the copies are made.
const SPARE_BYTES: u64 = 16 << 20;
/// Page cache while a copy is read, in bytes.
const CACHE_BYTES: usize = 4 << 20;

/// A backup in the making. Everything here blocks on the disk.
#[derive(Debug)]
pub struct BackupDraft {
    target: PathBuf,
    building: PathBuf,
    data_dir: PathBuf,
    manifest: Manifest,
}

impl BackupDraft {
    /// Begins a backup of `data_dir` at `target`, which must be absent or an empty directory outside of it.
    ///
    /// What an earlier attempt left is removed. `program` is the version of the program.
    ///
    /// # Errors
    /// [`StoreError::Taken`] when something is there already, [`StoreError::NoRoom`] when the disk can't hold it,
    /// [`StoreError::Io`] and [`StoreError::ReadOnly`] when it can't be written.
    pub fn begin(target: &Path, data_dir: &Path, at: Timestamp, program: &str) -> Result<Self, StoreError> {
        let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty());
        let (Some(parent), Some(name)) = (parent, target.file_name()) else {
            return Err(StoreError::taken(target, "it is no place for a backup"));
        };
        create_private_dir(parent)?;
        let fault = |error| StoreError::io(parent, error);
        let parent = parent.canonicalize().map_err(fault)?;
        let target = parent.join(name);
        if target.starts_with(data_dir.canonicalize().map_err(fault)?) {
            return Err(StoreError::taken(
                &target,
                "it lies in the data directory, and would be lost with it",
            ));
        }
        check_free(&target)?;
        let mut unfinished = name.to_owned();
        unfinished.push(UNFINISHED);
        let building = parent.join(unfinished);
        clear_unfinished(&building)?;
        check_room(&parent, data_dir)?;
        create_private_dir(&building)?;
        let draft = Self {
            manifest: Manifest::begun(at, program, data_dir),
            target,
            building,
            data_dir: data_dir.to_owned(),
        };
        draft.manifest.write(&draft.building)?;
        Ok(draft)
    }

    /// Where the backup will be.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Copies a space that is open. Readers and writers go on; whoever wants the file for himself goes first. False when
    /// it has no file yet.
    ///
    /// # Errors
    /// A [`StoreError`] that names the file which can't be read, or the copy which can't be written.
    pub fn add_open(&mut self, slot: &StoreSlot) -> Result<bool, StoreError> {
        let to = self.place(slot.space())?;
        let copied =
            slot.read_giving_way(|database, wanted| copy::copy(slot.path(), database, &to, wanted))?;
        let Some(content) = copied else { return Ok(false) };
        self.verified(slot.space(), &to, &content)?;
        Ok(true)
    }

    /// Copies a space that nobody has open. False when `wanted` said that somebody wants to open it; then it is to be
    /// tried again.
    ///
    /// # Errors
    /// As [`BackupDraft::add_open`].
    pub fn add_closed(&mut self, space: &SpaceId, wanted: &dyn Fn() -> bool) -> Result<bool, StoreError> {
        let (path, to) = (space_path(&self.data_dir, space), self.place(space)?);
        let looking = look(&path, &opening())?;
        let copied = open::guarded(&path, || copy::copy(&path, &looking.database, &to, wanted))?;
        drop(looking);
        let Some(content) = copied else { return Ok(false) };
        self.verified(space, &to, &content)?;
        Ok(true)
    }

    /// Notes that a space could not be copied.
    pub fn leave_out(&mut self, space: &SpaceId, reason: String) {
        self.manifest.left_out.push(LeftOut {
            agent: space.agent.to_string(),
            user: space.user.to_string(),
            reason,
        });
    }

    /// Makes the backup complete, and gives its manifest.
    ///
    /// # Errors
    /// [`StoreError::Io`] when it can't be put in its place; then it stays incomplete.
    pub fn finish(mut self) -> Result<Manifest, StoreError> {
        self.manifest.complete = true;
        self.manifest.write(&self.building)?;
        let fault = |error| StoreError::io(&self.target, error);
        for dir in dirs_below(&self.building)? {
            paths::sync_dir(&dir).map_err(fault)?;
        }
        fs::rename(&self.building, &self.target).map_err(fault)?;
        paths::sync_dir(self.target.parent().unwrap_or(Path::new("/"))).map_err(fault)?;
        Ok(self.manifest)
    }

    /// Gives the backup up, and removes what there is of it.
    pub fn abandon(self) {
        // What can't be removed says of itself that it is incomplete.
        let _ = fs::remove_dir_all(&self.building);
    }

    fn place(&self, space: &SpaceId) -> Result<PathBuf, StoreError> {
        let to = space_path(&self.building, space);
        create_private_dir(to.parent().unwrap_or(&self.building))?;
        Ok(to)
    }

    /// Opens a copy and holds it against what was read.
    fn verified(&mut self, space: &SpaceId, to: &Path, expected: &Content) -> Result<(), StoreError> {
        let found = verify(to, space)?;
        if found != *expected {
            return Err(StoreError::damaged(to, "the copy differs from what was read"));
        }
        let bytes = fs::metadata(to).map_err(|error| StoreError::io(to, error))?.len();
        let file = to.strip_prefix(&self.building).unwrap_or(to).display().to_string();
        self.manifest.spaces.push(SpaceCopy {
            agent: space.agent.to_string(),
            user: space.user.to_string(),
            file,
            traces: found.traces,
            turns: found.turns,
            bytes,
            checksum: found.checksum,
        });
        Ok(())
    }
}

/// Opens a file, checks its pages and whose it is, and reads all of it.
pub(crate) fn verify(path: &Path, space: &SpaceId) -> Result<Content, StoreError> {
    let looking = look(path, &opening())?;
    let meta = meta_of(path, &looking.database)?;
    if meta.space != *space {
        return Err(StoreError::damaged(path, format!("it is the memory of {}", meta.space)));
    }
    open::guarded(path, || copy::content(path, &looking.database))
}

pub(crate) fn opening() -> Opening {
    Opening { cache_bytes: CACHE_BYTES, disk: None }
}

/// Refuses a place where something is.
fn check_free(target: &Path) -> Result<(), StoreError> {
    match fs::symlink_metadata(target) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(StoreError::io(target, error)),
        Ok(about) if !about.is_dir() => return Err(StoreError::taken(target, "there is a file")),
        Ok(_) => {}
    }
    if is_empty(target)? {
        return Ok(());
    }
    let what = match Manifest::read(target) {
        Ok(manifest) => format!("it holds the backup of {}", manifest.made_at),
        Err(_) => "it holds something else".to_owned(),
    };
    Err(StoreError::taken(target, what))
}

/// Removes what an earlier attempt left, if it is that.
fn clear_unfinished(building: &Path) -> Result<(), StoreError> {
    if fs::symlink_metadata(building).is_err() {
        return Ok(());
    }
    let ours = building.is_dir() && (is_empty(building)? || Manifest::is_at(building));
    if !ours {
        return Err(StoreError::taken(building, "it holds something else"));
    }
    fs::remove_dir_all(building).map_err(|error| StoreError::io(building, error))
}

fn is_empty(dir: &Path) -> Result<bool, StoreError> {
    let mut entries = fs::read_dir(dir).map_err(|error| StoreError::io(dir, error))?;
    Ok(entries.next().is_none())
}

/// Asks whether the disk has room for copies of all files. They are rarely larger than the files.
fn check_room(parent: &Path, data_dir: &Path) -> Result<(), StoreError> {
    let mut needed = SPARE_BYTES;
    for space in paths::spaces_on_disk(data_dir)? {
        // One that vanished meanwhile needs no room.
        needed += fs::metadata(space_path(data_dir, &space)).map_or(0, |about| about.len());
    }
    let about = rustix::fs::statvfs(parent).map_err(|error| StoreError::io(parent, error.into()))?;
    let free = about.f_bavail.saturating_mul(about.f_frsize);
    if free < needed {
        return Err(StoreError::NoRoom { path: parent.to_owned(), needed, free });
    }
    Ok(())
}

/// A directory and those below it, deepest first.
fn dirs_below(dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let fault = |error| StoreError::io(dir, error);
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        if path.is_dir() {
            found.extend(dirs_below(&path)?);
        }
    }
    found.push(dir.to_owned());
    Ok(found)
}
