//! When spaces must be looked at by themselves, asleep or awake.
//!
//! A space waits for its reminders, and one that fell asleep with statements whose vectors could not be made tries again
//! later. The times are kept in memory, soonest first, and in the catalogue, so that they outlive the process. They are
//! derived: without a usable catalogue every space counts as waiting until it was looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bethink_domain::{SpaceId, Span, Timestamp};
use bethink_memory_store::{Catalogue, StoreError, Wake, spaces_on_disk};
use bethink_protocol::{NextLook, Offload, Upcoming, offload};
use tokio::sync::{Notify, Semaphore};

/// After so long a space without vectors tries again. An embedder that failed is rarely back within minutes.
pub(crate) const RETRY_AFTER: Span = Span::from_seconds(3_600);
/// The catalogue's file in the data directory.
pub(crate) const NAME: &str = "catalogue.redb";

/// What is known of one space.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Entry {
    /// For its reminders, in whatever process.
    by: Option<Timestamp>,
    /// When this process looks at its reminders next.
    strike: Option<Timestamp>,
    /// For its vectors.
    retry: Option<Timestamp>,
    events: Vec<String>,
}

impl Entry {
    /// When it must be looked at; a time that is past hides no later one.
    fn times(&self) -> impl Iterator<Item = Timestamp> + use<> {
        [self.strike, self.retry].into_iter().flatten()
    }

    fn durable(&self) -> (Option<Timestamp>, Option<Timestamp>, &[String]) {
        (self.by, self.retry, &self.events)
    }
}

/// Every space that waits for something.
#[derive(Debug, Default)]
struct Book {
    entries: BTreeMap<SpaceId, Entry>,
    /// Soonest first.
    order: BTreeSet<(Timestamp, SpaceId)>,
}

impl Book {
    /// Changes what is known of a space; whether its durable part is another now.
    fn change(&mut self, space: &SpaceId, change: impl FnOnce(&mut Entry)) -> bool {
        let mut entry = self.entries.remove(space).unwrap_or_default();
        let before = entry.clone();
        for at in entry.times() {
            self.order.remove(&(at, space.clone()));
        }
        change(&mut entry);
        self.order.extend(entry.times().map(|at| (at, space.clone())));
        let differs = entry.durable() != before.durable();
        if entry != Entry::default() {
            self.entries.insert(space.clone(), entry);
        }
        differs
    }

    fn wake(&self, space: &SpaceId) -> Wake {
        let entry = self.entries.get(space).cloned().unwrap_or_default();
        let (not_before, retry, events) = entry.durable();
        Wake { space: space.clone(), not_before, retry, events: events.to_vec() }
    }
}

/// The catalogue, off the actors' threads. Clones are the same one.
#[derive(Clone)]
pub(crate) struct Wakes(Arc<Inner>);

struct Inner {
    book: Mutex<Book>,
    /// None until something is to be noted, and after the runtime has shut down.
    catalogue: Mutex<Option<Arc<Catalogue>>>,
    /// One note after another, so that what is said last is what is written last.
    writing: Semaphore,
    /// Something may be due sooner than it was.
    sooner: Notify,
    data_dir: PathBuf,
    blocking: Arc<dyn Offload>,
}

impl std::fmt::Debug for Wakes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wakes").field("data_dir", &self.0.data_dir).finish_non_exhaustive()
    }
}

impl Wakes {
    /// Opens the catalogue where there is one. Blocks on the disk.
    pub(crate) fn open(data_dir: &Path, blocking: Arc<dyn Offload>) -> Self {
        let catalogue = if data_dir.join(NAME).exists() { usable(data_dir) } else { None };
        let noted = catalogue.as_deref().and_then(|catalogue| catalogue.wakes().ok());
        let wakes = noted.unwrap_or_else(|| unknown(data_dir));
        let mut book = Book::default();
        for wake in wakes {
            let Wake { space, not_before, retry, events } = wake;
            book.change(&space, |entry| {
                *entry = Entry { by: not_before, strike: not_before, retry, events };
            });
        }
        Self(Arc::new(Inner {
            book: Mutex::new(book),
            catalogue: Mutex::new(catalogue),
            writing: Semaphore::new(1),
            sooner: Notify::new(),
            data_dir: data_dir.to_owned(),
            blocking,
        }))
    }

    /// Closes the catalogue, so that another runtime can open it.
    pub(crate) fn close(&self) {
        drop(self.0.catalogue.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// The catalogue, where there is one.
    pub(crate) fn catalogue(&self) -> Option<Arc<Catalogue>> {
        self.0.catalogue.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes when a space must wake to make vectors; none clears it.
    pub(crate) async fn note_retry(&self, space: &SpaceId, retry: Option<Timestamp>) {
        let _one = self.0.writing.acquire().await;
        if self.book().change(space, |entry| entry.retry = retry) {
            self.write(space).await;
        }
    }

    /// Spaces whose time has come, soonest first.
    pub(crate) fn due(&self, now: Timestamp) -> Vec<SpaceId> {
        let book = self.book();
        let mut due: Vec<SpaceId> = Vec::new();
        let mut seen = BTreeSet::new();
        for (_, space) in book.order.iter().take_while(|(at, _)| *at <= now) {
            if seen.insert(space) {
                due.push(space.clone());
            }
        }
        due
    }

    /// Whether a space must be looked at for its vectors.
    pub(crate) fn retries(&self, space: &SpaceId, now: Timestamp) -> bool {
        self.book().entries.get(space).is_some_and(|entry| entry.retry.is_some_and(|at| at <= now))
    }

    /// Spaces that wait for an event, or may.
    pub(crate) fn waiting_for(&self, matches: impl Fn(&str) -> bool) -> Vec<SpaceId> {
        let book = self.book();
        let waits = |entry: &Entry| entry.events.iter().any(|event| matches(event));
        book.entries.iter().filter(|(_, entry)| waits(entry)).map(|(space, _)| space.clone()).collect()
    }

    /// The first time after now at which something comes due.
    pub(crate) fn next(&self, now: Timestamp) -> Option<Timestamp> {
        self.book().order.iter().map(|(at, _)| *at).find(|at| *at > now)
    }

    /// Waits until something may be due sooner than it was.
    pub(crate) async fn sooner(&self) {
        self.0.sooner.notified().await;
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes durable what is known of a space. The first note makes the catalogue.
    async fn write(&self, space: &SpaceId) {
        let (wake, this) = (self.book().wake(space), self.clone());
        let noted = offload(&self.0.blocking, move || {
            let mut kept = this.0.catalogue.lock().unwrap_or_else(PoisonError::into_inner);
            let waits = wake.not_before.is_some() || wake.retry.is_some() || !wake.events.is_empty();
            if kept.is_none() && waits {
                let absent = !this.0.data_dir.join(NAME).exists();
                let data_dir = &this.0.data_dir;
                *kept = if absent { fresh(data_dir).ok().map(Arc::new) } else { usable(data_dir) };
            }
            kept.as_ref().map_or(Ok(()), |catalogue| catalogue.set_next_wake(&wake))
        });
        match noted.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%space, %error, "the next waking could not be noted"),
            Err(error) => tracing::warn!(%space, %error, "the next waking could not be noted"),
        }
    }
}

impl NextLook for Wakes {
    fn lower<'a>(
        &'a self,
        space: &'a SpaceId,
        by: Option<Timestamp>,
        event: Option<&'a str>,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            let _one = self.0.writing.acquire().await;
            let differs = self.book().change(space, |entry| {
                let sooner = |known: Option<Timestamp>| [known, by].into_iter().flatten().min();
                (entry.by, entry.strike) = (sooner(entry.by), sooner(entry.strike));
                if let Some(event) = event.filter(|event| !entry.events.iter().any(|known| known == event)) {
                    entry.events.push(event.to_owned());
                }
            });
            if differs {
                self.write(space).await;
                self.0.sooner.notify_one();
            }
        })
    }

    fn set<'a>(
        &'a self,
        space: &'a SpaceId,
        next: Upcoming,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            let _one = self.0.writing.acquire().await;
            let Upcoming { by, strike, events } = next;
            let differs = self.book().change(space, |entry| {
                (entry.by, entry.strike, entry.events) = (by, strike, events);
            });
            if differs {
                self.write(space).await;
            }
            self.0.sooner.notify_one();
        })
    }
}

/// Spaces of which nothing is noted: each is to be looked at.
fn unknown(data_dir: &Path) -> Vec<Wake> {
    let spaces = spaces_on_disk(data_dir).unwrap_or_default();
    spaces.into_iter().map(Wake::unlooked).collect()
}

/// The catalogue, made where there is none, and anew where it is damaged, since all that it holds is derived.
fn usable(data_dir: &Path) -> Option<Arc<Catalogue>> {
    let opened = match Catalogue::open(data_dir) {
        Err(error @ (StoreError::Damaged { .. } | StoreError::Foreign { .. } | StoreError::Empty { .. })) => {
            tracing::warn!(%error, "the catalogue is made anew");
            // Whether it could be removed shows when it is opened.
            let _ = std::fs::remove_file(data_dir.join(NAME));
            fresh(data_dir)
        }
        Ok(catalogue) => Ok(catalogue),
        Err(error) => Err(error),
    };
    opened.map_err(|error| tracing::warn!(%error, "no catalogue")).ok().map(Arc::new)
}

/// A new catalogue, in which every space that is there counts as waiting.
fn fresh(data_dir: &Path) -> Result<Catalogue, StoreError> {
    let catalogue = Catalogue::open(data_dir)?;
    catalogue.rebuild(&unknown(data_dir))?;
    Ok(catalogue)
}
