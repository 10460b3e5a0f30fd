//! When sleeping spaces must wake by themselves.
//!
//! A space that falls asleep with statements whose vectors could not be made is woken later to try again. The times are
//! kept in the catalogue, so that they outlive the process; they are derived, and without a usable catalogue a space
//! tries again when somebody next talks to it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bethink_domain::{SpaceId, Span, Timestamp};
use bethink_memory_store::{Catalogue, StoreError, Wake};
use bethink_protocol::{Offload, offload};

/// After so long a space without vectors tries again. An embedder that failed is rarely back within minutes.
pub(crate) const RETRY_AFTER: Span = Span::from_seconds(3_600);
/// The catalogue's file in the data directory.
const NAME: &str = "catalogue.redb";
/// Spaces woken at one stroke of the timer; the others follow at the next ones.
const ROUSED_MAX: usize = 4;

/// The catalogue, off the actors' threads.
#[derive(Clone)]
pub(crate) struct Wakes {
    /// None until something is to be noted, and after the runtime has shut down.
    catalogue: Arc<Mutex<Option<Arc<Catalogue>>>>,
    data_dir: Arc<PathBuf>,
    blocking: Arc<dyn Offload>,
}

impl Wakes {
    /// Opens the catalogue where there is one. Blocks on the disk.
    pub(crate) fn open(data_dir: &Path, blocking: Arc<dyn Offload>) -> Self {
        let catalogue = if data_dir.join(NAME).exists() { usable(data_dir) } else { None };
        let data_dir = Arc::new(data_dir.to_owned());
        Self { catalogue: Arc::new(Mutex::new(catalogue)), data_dir, blocking }
    }

    /// Closes the catalogue, so that another runtime can open it.
    pub(crate) fn close(&self) {
        drop(self.catalogue.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// The catalogue, where there is one.
    pub(crate) fn catalogue(&self) -> Option<Arc<Catalogue>> {
        self.catalogue.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes when a space must wake; none clears it. The first note makes the catalogue.
    pub(crate) async fn note(&self, space: &SpaceId, not_before: Option<Timestamp>) {
        let wake = Wake { space: space.clone(), not_before, events: Vec::new() };
        let (kept, data_dir) = (Arc::clone(&self.catalogue), Arc::clone(&self.data_dir));
        let noted = offload(&self.blocking, move || {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.is_none() && wake.not_before.is_some() {
                *kept = usable(&data_dir);
            }
            kept.as_ref().map_or(Ok(()), |catalogue| catalogue.set_next_wake(&wake))
        });
        match noted.await {
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

/// The catalogue, made where there is none, and anew where it is damaged, since all that it holds is derived.
fn usable(data_dir: &Path) -> Option<Arc<Catalogue>> {
    let opened = match Catalogue::open(data_dir) {
        Err(error @ (StoreError::Damaged { .. } | StoreError::Foreign { .. } | StoreError::Empty { .. })) => {
            tracing::warn!(%error, "the catalogue is made anew");
            // Whether it could be removed shows when it is opened.
            let _ = std::fs::remove_file(data_dir.join(NAME));
            Catalogue::open(data_dir)
        }
        other => other,
    };
    opened.map_err(|error| tracing::warn!(%error, "no catalogue")).ok().map(Arc::new)
}
