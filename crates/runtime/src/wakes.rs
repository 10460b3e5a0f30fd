//! When sleeping spaces must wake by themselves.
//!
//! A space that falls asleep with statements whose vectors could not be made is woken later to try again. The times are
//! kept in the catalogue, so that they outlive the process; they are derived, and without a usable catalogue a space
//! tries again when somebody next talks to it.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bethink_domain::{SpaceId, Span, Timestamp};
use bethink_memory_store::{Catalogue, StoreError, Wake};
use bethink_protocol::{Offload, offload};

/// After so long a space without vectors tries again. An embedder that failed is rarely back within minutes.
pub(crate) const RETRY_AFTER: Span = Span::from_seconds(3_600);
/// Spaces woken at one stroke of the timer; the others follow at the next ones.
const ROUSED_MAX: usize = 4;

/// The catalogue, off the actors' threads.
#[derive(Clone)]
pub(crate) struct Wakes {
    /// None when it can't be used, and after the runtime has shut down.
    catalogue: Arc<Mutex<Option<Arc<Catalogue>>>>,
    blocking: Arc<dyn Offload>,
}

impl Wakes {
    /// Opens the catalogue; a damaged one is made anew, since all that it holds is derived. Blocks on the disk.
    pub(crate) fn open(data_dir: &Path, blocking: Arc<dyn Offload>) -> Self {
        let opened = match Catalogue::open(data_dir) {
            Err(
                error @ (StoreError::Damaged { .. } | StoreError::Foreign { .. } | StoreError::Empty { .. }),
            ) => {
                tracing::warn!(%error, "the catalogue is made anew");
                // Whether it could be removed shows when it is opened.
                let _ = std::fs::remove_file(data_dir.join("catalogue.redb"));
                Catalogue::open(data_dir)
            }
            other => other,
        };
        let catalogue = opened.map_err(|error| tracing::warn!(%error, "no catalogue")).ok().map(Arc::new);
        Self { catalogue: Arc::new(Mutex::new(catalogue)), blocking }
    }

    /// Closes the catalogue, so that another runtime can open it.
    pub(crate) fn close(&self) {
        drop(self.catalogue.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    fn catalogue(&self) -> Option<Arc<Catalogue>> {
        self.catalogue.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes when a space must wake; none clears it.
    pub(crate) async fn note(&self, space: &SpaceId, not_before: Option<Timestamp>) {
        let Some(catalogue) = self.catalogue() else { return };
        let wake = Wake { space: space.clone(), not_before, events: Vec::new() };
        match offload(&self.blocking, move || catalogue.set_next_wake(&wake)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%space, %error, "the next waking could not be noted"),
            Err(error) => tracing::warn!(%space, %error, "the next waking could not be noted"),
        }
    }

    /// A few spaces whose time has come; each is given once.
    pub(crate) async fn take_due(&self, now: Timestamp) -> Vec<SpaceId> {
        let Some(catalogue) = self.catalogue() else { return Vec::new() };
        let due = offload(&self.blocking, move || catalogue.due(now)).await;
        let mut due = match due {
            Ok(Ok(due)) => due,
            Ok(Err(error)) => {
                tracing::warn!(%error, "the catalogue could not be read");
                return Vec::new();
            }
            Err(_) => return Vec::new(),
        };
        due.truncate(ROUSED_MAX);
        for space in &due {
            self.note(space, None).await;
        }
        due
    }
}
