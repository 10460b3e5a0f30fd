//! Where the open file of a space is kept, so that every incarnation of its actor shares it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockWriteGuard};

use bethink_domain::{EmbedderIdentity, SpaceId, Timestamp};
use redb::Database;

#[cfg(any(test, feature = "testing"))]
use super::faulty::FaultyDisk;
use super::load;
use super::migrate::migrate;
use super::open::{self, Looking, Opening, guarded};
use super::shadow::Disk;
use super::tables::FORMAT;
use crate::error::StoreError;
use crate::records::Meta;

/// How often a long reading is begun anew for others before it has its way.
const GIVING_WAY_MAX: usize = 64;

/// The open file of one space.
///
/// Clones share it. It is opened once, outside the actor, because a new incarnation of an actor starts before the old
/// one has stopped. Until something is committed it is only looked at, and created only then where there is none. An
/// error of the disk closes it; the next use opens it again. A file of an earlier format is read as it is, and migrated by
/// the first commit.
#[derive(Clone)]
pub struct StoreSlot {
    inner: Arc<Inner>,
}

struct Inner {
    path: PathBuf,
    /// What a new file says of itself.
    meta: Meta,
    embedder: Option<EmbedderIdentity>,
    /// Whose vectors the file held when it was opened.
    stored: Option<EmbedderIdentity>,
    opening: Opening,
    /// Closed for good.
    retired: AtomicBool,
    /// The file may only be read, as far as was seen.
    read_only: AtomicBool,
    /// What is committed reaches the disk, as far as was seen.
    writing: AtomicBool,
    /// Reading it takes the file for use; writing it opens, replaces or closes.
    held: RwLock<Held>,
    /// Those who wait to open, replace or close; whoever reads for long gives way to them.
    wanted: AtomicUsize,
    /// Jobs that had the turn: as long as it stays the same, nothing was done to the file.
    jobs: AtomicU64,
    /// Held by whoever commits or loads, so that a job of an earlier incarnation cannot commit after a later one loaded.
    turn: Mutex<()>,
    /// The incarnation that may commit.
    epoch: AtomicU64,
}

/// What there is of the file.
enum Held {
    /// Closed, for good or after an error.
    Closed,
    /// There is no file yet; the database lies in memory, and is empty.
    Absent(Database),
    /// Nothing was written so far, and nothing that is done to the database reaches the file.
    Looking(Looking),
    /// Open for writing.
    Writing(Database),
}

impl Held {
    fn database(&self) -> Option<&Database> {
        match self {
            Self::Closed => None,
            Self::Absent(database) | Self::Writing(database) => Some(database),
            Self::Looking(looking) => Some(&looking.database),
        }
    }
}

impl std::fmt::Debug for StoreSlot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoreSlot").field("path", &self.inner.path).finish_non_exhaustive()
    }
}

impl StoreSlot {
    /// Opens the file of a space; where there is none, the space is empty, and its file is created by the first commit.
    ///
    /// Blocks on the disk. Foreign, damaged, empty and newer files are refused. Any file is left byte for byte as it was
    /// until something is committed; one that may only be read can be read, and refuses commits.
    ///
    /// # Errors
    /// A [`StoreError`] that names the path and says what can be done;
    /// [`StoreError::EmbedderChanged`] when the file holds vectors of another embedder than the configured one.
    pub fn open(
        path: &Path,
        space: &SpaceId,
        embedder: Option<&EmbedderIdentity>,
        created_at: Timestamp,
        cache_bytes: usize,
    ) -> Result<Self, StoreError> {
        let opening = Opening { cache_bytes, disk: None };
        let slot = Self::open_with(path, space, embedder, created_at, opening)?;
        slot.refuse_other_embedder()?;
        Ok(slot)
    }

    /// Opens it even if its vectors are another embedder's, so that they can serve until those of the configured one do.
    ///
    /// # Errors
    /// As [`StoreSlot::open`], but for [`StoreError::EmbedderChanged`].
    pub fn open_to_move(
        path: &Path,
        space: &SpaceId,
        embedder: Option<&EmbedderIdentity>,
        created_at: Timestamp,
        cache_bytes: usize,
    ) -> Result<Self, StoreError> {
        let opening = Opening { cache_bytes, disk: None };
        Self::open_with(path, space, embedder, created_at, opening)
    }

    /// Opens it on a disk that goes wrong.
    ///
    /// # Errors
    /// As [`StoreSlot::open`].
    #[cfg(any(test, feature = "testing"))]
    pub fn open_on(
        path: &Path,
        space: &SpaceId,
        embedder: Option<&EmbedderIdentity>,
        disk: &FaultyDisk,
    ) -> Result<Self, StoreError> {
        let opening = Opening { cache_bytes: 1024 * 1024, disk: Some(disk.0.clone()) };
        Self::open_with(path, space, embedder, Timestamp::default(), opening)
    }

    fn open_with(
        path: &Path,
        space: &SpaceId,
        embedder: Option<&EmbedderIdentity>,
        created_at: Timestamp,
        opening: Opening,
    ) -> Result<Self, StoreError> {
        let meta = Meta { space: space.clone(), created_at };
        let (held, stored) = match open::look_or_miss(path, &opening)? {
            Some(looking) => {
                let stored = load::stored_embedder(path, &looking.database);
                // Who has no embedder need not know whose the vectors are; that it cannot be read shows when all is read.
                let stored = if embedder.is_some() { stored? } else { stored.unwrap_or_default() };
                (Held::Looking(looking), stored.map(|stored| stored.identity))
            }
            None => (Held::Absent(open::nothing(path, &meta)?), None),
        };
        let inner = Inner {
            path: path.to_owned(),
            meta,
            embedder: embedder.cloned(),
            stored,
            opening,
            retired: AtomicBool::new(false),
            read_only: AtomicBool::new(matches!(&held, Held::Looking(looking) if !looking.writable)),
            writing: AtomicBool::new(false),
            held: RwLock::new(held),
            wanted: AtomicUsize::new(0),
            jobs: AtomicU64::new(0),
            turn: Mutex::new(()),
            epoch: AtomicU64::new(0),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Whose memory it is.
    #[must_use]
    pub fn space(&self) -> &SpaceId {
        &self.inner.meta.space
    }

    /// The configured embedder, whose vectors are the only ones to be stored and compared.
    #[must_use]
    pub fn embedder(&self) -> Option<&EmbedderIdentity> {
        self.inner.embedder.as_ref()
    }

    /// Brings the file to the newest format now, where it is older; gives the format that it had, or none where there is no
    /// file. Blocks on the disk.
    ///
    /// # Errors
    /// A [`StoreError`] when it cannot be migrated; then it is as it was.
    pub fn migrate(&self) -> Result<Option<u32>, StoreError> {
        let (path, opening) = (&self.inner.path, &self.inner.opening);
        self.in_turn(self.epoch(), || {
            self.reopen()?;
            let mut held = self.held_alone();
            match std::mem::replace(&mut *held, Held::Closed) {
                Held::Looking(looking) => {
                    let had = looking.format;
                    *held = Held::Looking(migrate(path, looking, opening)?);
                    Ok(Some(had))
                }
                Held::Absent(nothing) => {
                    *held = Held::Absent(nothing);
                    Ok(None)
                }
                writing => {
                    *held = writing;
                    Ok(Some(FORMAT))
                }
            }
        })
    }

    /// The embedder whose vectors the file held when it was opened, if it is another than the configured one.
    #[must_use]
    pub fn former(&self) -> Option<&EmbedderIdentity> {
        let configured = self.inner.embedder.as_ref()?;
        self.inner.stored.as_ref().filter(|stored| *stored != configured)
    }

    fn refuse_other_embedder(&self) -> Result<(), StoreError> {
        match (self.former(), self.embedder()) {
            (Some(stored), Some(configured)) => Err(load::changed(self.path(), stored, configured)),
            _ => Ok(()),
        }
    }

    /// Closes the file for good, as when its space goes to sleep. Waits for work that uses it, and blocks on the disk.
    pub fn retire(&self) {
        self.inner.retired.store(true, Ordering::SeqCst);
        self.close();
    }

    /// Whether commits can be tried: the file is not one that may only be read. Never blocks.
    pub(crate) fn writable(&self) -> bool {
        !self.inner.read_only.load(Ordering::SeqCst)
    }

    /// Whether something was written since the file was opened, so that more may be. Never blocks.
    pub(crate) fn writing(&self) -> bool {
        self.inner.writing.load(Ordering::SeqCst)
    }

    /// Uses the file to read it, opening it again if an error had closed it.
    pub(crate) fn with<T>(
        &self,
        work: impl FnOnce(&Database) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.with_held(|database, _| work(database))
    }

    /// Uses the file; `work` is told whether what it commits reaches the disk.
    pub(crate) fn with_held<T>(
        &self,
        work: impl FnOnce(&Database, bool) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.reopen()?;
        let result = {
            let held = self.inner.held.read().unwrap_or_else(PoisonError::into_inner);
            let database = held.database().ok_or_else(|| self.closed())?;
            guarded(&self.inner.path, || work(database, matches!(*held, Held::Writing(_))))
        };
        self.close_after(&result);
        result
    }

    /// Makes sure that what is committed reaches the disk: opens the file for writing, or creates it.
    pub(crate) fn take_for_writing(&self) -> Result<(), StoreError> {
        self.reopen()?;
        let mut held = self.held_alone();
        let (path, opening) = (&self.inner.path, &self.inner.opening);
        match std::mem::replace(&mut *held, Held::Closed) {
            Held::Closed => return Err(self.closed()),
            Held::Writing(database) => *held = Held::Writing(database),
            // Its mode may have changed meanwhile.
            Held::Looking(looking) if !looking.writable => {
                drop(looking);
                *held = Held::Writing(migrate(path, self.look()?, opening)?.write(path, opening)?);
            }
            // On an error it stays closed, and the next use looks again.
            Held::Looking(looking) => {
                *held = Held::Writing(migrate(path, looking, opening)?.write(path, opening)?);
            }
            Held::Absent(nothing) => match open::create_and_open(path, &self.inner.meta, opening) {
                Ok(database) => *held = Held::Writing(database),
                Err(error) => {
                    // With the file made but not opened, the next use must find it.
                    let made = !matches!(error, StoreError::InUse { .. }) && path.exists();
                    *held = if made { Held::Closed } else { Held::Absent(nothing) };
                    return Err(error);
                }
            },
        }
        self.inner.writing.store(true, Ordering::SeqCst);
        Ok(())
    }

    /// Closes the file after an error of the disk: the database refuses all work then, and opened again it recovers.
    fn close_after<T>(&self, result: &Result<T, StoreError>) {
        let fault = matches!(
            result,
            Err(StoreError::Io { .. } | StoreError::Damaged { .. } | StoreError::ReadOnly { .. })
        );
        if !fault {
            return;
        }
        let mut held = self.held_alone();
        if !matches!(*held, Held::Absent(_)) {
            *held = Held::Closed;
        }
    }

    /// Takes the file from all others, those who read it for long too.
    fn held_alone(&self) -> RwLockWriteGuard<'_, Held> {
        self.inner.wanted.fetch_add(1, Ordering::SeqCst);
        let held = self.inner.held.write().unwrap_or_else(PoisonError::into_inner);
        self.inner.wanted.fetch_sub(1, Ordering::SeqCst);
        held
    }

    /// Reads for as long as nobody wants the file for himself; `work` asks from time to time, gives None when somebody
    /// does, and is begun anew. None when there is no file.
    pub(crate) fn read_giving_way<T>(
        &self,
        mut work: impl FnMut(&Database, &dyn Fn() -> bool) -> Result<Option<T>, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        for attempt in 1..=GIVING_WAY_MAX {
            self.reopen()?;
            let held = self.inner.held.read().unwrap_or_else(PoisonError::into_inner);
            if matches!(*held, Held::Absent(_)) {
                return Ok(None);
            }
            let database = held.database().ok_or_else(|| self.closed())?;
            let wanted = || attempt < GIVING_WAY_MAX && self.inner.wanted.load(Ordering::SeqCst) > 0;
            let done = guarded(&self.inner.path, || work(database, &wanted))?;
            if done.is_some() {
                return Ok(done);
            }
            drop(held);
            std::thread::yield_now();
        }
        Err(self.closed())
    }

    fn closed(&self) -> StoreError {
        StoreError::Closed { path: self.inner.path.clone() }
    }

    /// Takes the turn to commit or load; `epoch` is the incarnation that wants to.
    ///
    /// # Errors
    /// [`StoreError::Closed`] when a later incarnation has loaded the file.
    pub(crate) fn in_turn<T>(
        &self,
        epoch: u64,
        work: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let _turn = self.inner.turn.lock().unwrap_or_else(PoisonError::into_inner);
        if self.inner.epoch.load(Ordering::SeqCst) != epoch {
            return Err(StoreError::Closed { path: self.inner.path.clone() });
        }
        self.inner.jobs.fetch_add(1, Ordering::SeqCst);
        work()
    }

    /// Jobs that had the turn so far.
    pub(crate) fn jobs(&self) -> u64 {
        self.inner.jobs.load(Ordering::SeqCst)
    }

    /// What goes wrong with the disk, in crash tests.
    pub(crate) fn disk(&self) -> Option<&Disk> {
        self.inner.opening.disk.as_ref()
    }

    /// Size of the file; 0 where there is none.
    pub(crate) fn file_bytes(&self) -> u64 {
        std::fs::metadata(&self.inner.path).map_or(0, |about| about.len())
    }

    /// The incarnation that may commit.
    pub(crate) fn epoch(&self) -> u64 {
        self.inner.epoch.load(Ordering::SeqCst)
    }

    /// Begins a new incarnation: later than any job of an earlier one that still runs, and shutting out the rest.
    pub(crate) fn begin_epoch(&self) -> u64 {
        let _turn = self.inner.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.inner.epoch.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Replaces the file by what `build` puts in its place, while nobody uses it.
    pub(crate) fn replace(
        &self,
        build: impl FnOnce(&Database, Option<&Disk>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.reopen()?;
        let path = &self.inner.path;
        let mut held = self.held_alone();
        if let Held::Looking(looking) = &*held {
            looking.check_writable(path)?;
        }
        let database = held.database().ok_or_else(|| self.closed())?;
        guarded(path, || build(database, self.inner.opening.disk.as_ref()))?;
        // Closed before the new file is opened: the old one has lost its name already.
        *held = Held::Closed;
        *held = Held::Looking(self.look()?);
        Ok(())
    }

    fn look(&self) -> Result<Looking, StoreError> {
        let looking = open::look(&self.inner.path, &self.inner.opening)?;
        self.inner.read_only.store(!looking.writable, Ordering::SeqCst);
        self.inner.writing.store(false, Ordering::SeqCst);
        Ok(looking)
    }

    fn reopen(&self) -> Result<(), StoreError> {
        let closed = |held: &Held| matches!(held, Held::Closed);
        if !closed(&self.inner.held.read().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(());
        }
        let mut held = self.held_alone();
        if self.inner.retired.load(Ordering::SeqCst) {
            return Err(self.closed());
        }
        if closed(&held) {
            *held = Held::Looking(self.look()?);
        }
        Ok(())
    }

    fn close(&self) {
        *self.held_alone() = Held::Closed;
    }
}
