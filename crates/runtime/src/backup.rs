//! Backups: one at a time, space by space, beside everything else.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bethink_domain::{SpaceId, Timestamp, TraceId, TurnId};
use bethink_memory_store::{BackupDraft, Holding, KnownBackups, Manifest, StoreError, spaces_on_disk};
use bethink_protocol::{Offload, offload};
use kameo::actor::WeakActorRef;

use crate::directory::{Directory, Lend, Lent};
use crate::error::RuntimeError;
use crate::family::store_error;

/// Between two attempts at a space that is about to wake or to sleep.
const RETRY: Duration = Duration::from_millis(20);
/// Attempts at one space; after them, a space that is busy all the time is left out and told of. Two minutes.
const ATTEMPTS_MAX: usize = 6_000;

/// Makes backups of a runtime's spaces. Clones share which one is being made.
#[derive(Clone)]
pub(crate) struct Backups {
    directory: WeakActorRef<Directory>,
    data_dir: Arc<PathBuf>,
    blocking: Arc<dyn Offload>,
    making: Arc<AtomicBool>,
}

/// What is being made, until it is dropped.
struct Making(Arc<AtomicBool>);

impl Drop for Making {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

impl Backups {
    pub(crate) fn new(
        directory: WeakActorRef<Directory>,
        data_dir: Arc<PathBuf>,
        blocking: Arc<dyn Offload>,
    ) -> Self {
        Self { directory, data_dir, blocking, making: Arc::default() }
    }

    pub(crate) fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// Copies every space into a new backup at `target`, which must be absolute.
    pub(crate) async fn make(&self, target: &Path, at: Timestamp) -> Result<Manifest, RuntimeError> {
        if self.making.swap(true, Ordering::SeqCst) {
            return Err(RuntimeError::Unavailable(
                "a backup is being made already; try again later".to_owned(),
            ));
        }
        let making = Making(Arc::clone(&self.making));
        let (to, dir) = (target.to_owned(), Arc::clone(&self.data_dir));
        let draft = self
            .off(move || {
                let draft = BackupDraft::begin(&to, &dir, at, env!("CARGO_PKG_VERSION"))?;
                KnownBackups::note(&dir, draft.target(), at)?;
                Ok((draft, spaces_on_disk(&dir)?))
            })
            .await?;
        let (mut draft, spaces) = draft;
        for space in spaces {
            draft = self.add(draft, &space).await?;
        }
        let manifest = self.off(move || draft.finish()).await?;
        drop(making);
        Ok(manifest)
    }

    /// The backups that hold one of these traces or turns.
    pub(crate) async fn holding(
        &self,
        space: &SpaceId,
        traces: Vec<TraceId>,
        turns: Vec<TurnId>,
    ) -> Vec<Holding> {
        let (dir, space) = (Arc::clone(&self.data_dir), space.clone());
        let known =
            offload(&self.blocking, move || KnownBackups::read(&dir).holding(&space, &traces, &turns));
        known.await.unwrap_or_default()
    }

    /// Copies one space, awake or asleep. What can't be read is left out; what can't be written ends the backup.
    async fn add(&self, mut draft: BackupDraft, space: &SpaceId) -> Result<BackupDraft, RuntimeError> {
        let mut last = "it was busy all the time".to_owned();
        for _ in 0..ATTEMPTS_MAX {
            let directory = self.directory.upgrade().ok_or(RuntimeError::Stopping)?;
            let lent = directory.ask(Lend { space: space.clone() }).await;
            let (tried, outcome) = match lent.map_err(|_| RuntimeError::Stopping)? {
                Lent::Stopping => {
                    self.off(move || {
                        draft.abandon();
                        Ok(())
                    })
                    .await?;
                    return Err(RuntimeError::Stopping);
                }
                Lent::NotNow => (draft, Ok(false)),
                Lent::Awake(slot) => {
                    self.with(draft, move |draft| draft.add_open(&slot).map(|_| true)).await?
                }
                Lent::Asleep(loan) => {
                    let (of, wanted) = (space.clone(), loan.wanted.clone());
                    let tried = self.with(draft, move |draft| draft.add_closed(&of, &|| wanted.is())).await?;
                    drop(loan);
                    tried
                }
            };
            draft = tried;
            match outcome {
                Ok(true) => return Ok(draft),
                Ok(false) => {}
                // It fell asleep, or waking was quicker.
                Err(error @ (StoreError::Closed { .. } | StoreError::InUse { .. })) => {
                    last = error.to_string()
                }
                Err(error) if writes(&error, draft.target()) => {
                    let told = store_error(&error);
                    self.off(move || {
                        draft.abandon();
                        Ok(())
                    })
                    .await?;
                    return Err(told);
                }
                Err(error) => {
                    last = error.to_string();
                    break;
                }
            }
            tokio::time::sleep(RETRY).await;
        }
        tracing::warn!(%space, reason = last, "space is not in the backup");
        draft.leave_out(space, last);
        Ok(draft)
    }

    async fn with(
        &self,
        mut draft: BackupDraft,
        work: impl FnOnce(&mut BackupDraft) -> Result<bool, StoreError> + Send + 'static,
    ) -> Result<(BackupDraft, Result<bool, StoreError>), RuntimeError> {
        let done = offload(&self.blocking, move || {
            let outcome = work(&mut draft);
            (draft, outcome)
        });
        done.await.map_err(|_| abandoned())
    }

    async fn off<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, RuntimeError> {
        let done = offload(&self.blocking, work).await;
        done.map_err(|_| abandoned())?.map_err(|error| store_error(&error))
    }
}

fn abandoned() -> RuntimeError {
    RuntimeError::Unavailable("the backup was abandoned".to_owned())
}

/// Whether an error is about the backup's own disk, and not about a space.
fn writes(error: &StoreError, target: &Path) -> bool {
    let place = target.parent().unwrap_or(target);
    error.unwritable_path().is_some_and(|path| path.starts_with(place))
}
