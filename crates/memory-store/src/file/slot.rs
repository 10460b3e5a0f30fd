//! Where the open file of a space is kept, so that every incarnation of its actor shares it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use bethink_domain::{EmbedderIdentity, SpaceId, Timestamp};
use redb::Database;

#[cfg(any(test, feature = "testing"))]
use super::faulty::FaultyDisk;
use super::load;
use super::open::{self, Opening, guarded};
use crate::error::StoreError;
use crate::records::Meta;

/// The open file of one space.
///
/// Clones share it. It is opened once, outside the actor, because a new incarnation of an actor starts before the old
/// one has stopped. An error of the disk closes it; the next use opens it again.
#[derive(Clone)]
pub struct StoreSlot {
    inner: Arc<Inner>,
}

struct Inner {
    path: PathBuf,
    space: SpaceId,
    embedder: Option<EmbedderIdentity>,
    opening: Opening,
    /// Closed for good.
    retired: AtomicBool,
    /// None while it is closed after an error. Reading it takes the file for use; writing it opens, replaces or closes.
    database: RwLock<Option<Database>>,
    /// Held by whoever commits or loads, so that a job of an earlier incarnation cannot commit after a later one loaded.
    turn: Mutex<()>,
    /// The incarnation that may commit.
    epoch: AtomicU64,
}

impl std::fmt::Debug for StoreSlot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoreSlot").field("path", &self.inner.path).finish_non_exhaustive()
    }
}

impl StoreSlot {
    /// Opens the file of a space, or creates it, complete with all tables, where there is none.
    ///
    /// Blocks on the disk. Foreign, damaged, empty, newer and read-only files are refused and left byte for byte as
    /// they were.
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
        let database = open::open_or_create(path, &meta, &opening)?;
        load::check_embedder(path, &database, embedder)?;
        let inner = Inner {
            path: path.to_owned(),
            space: space.clone(),
            embedder: embedder.cloned(),
            opening,
            retired: AtomicBool::new(false),
            database: RwLock::new(Some(database)),
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
        &self.inner.space
    }

    /// The configured embedder, whose vectors are the only ones to be stored and compared.
    #[must_use]
    pub fn embedder(&self) -> Option<&EmbedderIdentity> {
        self.inner.embedder.as_ref()
    }

    /// Closes the file for good, as when its space goes to sleep. Waits for work that uses it, and blocks on the disk.
    pub fn retire(&self) {
        self.inner.retired.store(true, Ordering::SeqCst);
        self.close();
    }

    /// Uses the file, opening it again if an error had closed it.
    pub(crate) fn with<T>(
        &self,
        work: impl FnOnce(&Database) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.reopen()?;
        let result = {
            let held = self.inner.database.read().unwrap_or_else(PoisonError::into_inner);
            let Some(database) = held.as_ref() else {
                return Err(StoreError::Closed { path: self.inner.path.clone() });
            };
            guarded(&self.inner.path, || work(database))
        };
        if matches!(
            result,
            Err(StoreError::Io { .. } | StoreError::Damaged { .. } | StoreError::ReadOnly { .. })
        ) {
            // The database refuses all work after an error of the disk; opened again it recovers.
            self.close();
        }
        result
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
        work()
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
        build: impl FnOnce(&Database) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.reopen()?;
        let mut held = self.inner.database.write().unwrap_or_else(PoisonError::into_inner);
        let Some(database) = held.as_ref() else {
            return Err(StoreError::Closed { path: self.inner.path.clone() });
        };
        guarded(&self.inner.path, || build(database))?;
        // Closed before the new file is opened: the old one has lost its name already.
        *held = None;
        *held = Some(open::open(&self.inner.path, &self.inner.opening)?);
        Ok(())
    }

    fn reopen(&self) -> Result<(), StoreError> {
        if self.inner.database.read().unwrap_or_else(PoisonError::into_inner).is_some() {
            return Ok(());
        }
        let mut held = self.inner.database.write().unwrap_or_else(PoisonError::into_inner);
        if self.inner.retired.load(Ordering::SeqCst) {
            return Err(StoreError::Closed { path: self.inner.path.clone() });
        }
        if held.is_none() {
            *held = Some(open::open(&self.inner.path, &self.inner.opening)?);
        }
        Ok(())
    }

    fn close(&self) {
        *self.inner.database.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
