//! How extensions are.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use bethink_domain::SpaceId;

/// Longest error that is kept, in characters: what a person reads at a glance.
const ERROR_CHARS_MAX: usize = 300;

/// What an extension does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExtensionState {
    /// It runs.
    Running,
    /// It crashed, and is built again in a moment.
    Restarting,
    /// It crashed too often, and is left alone until its process or space starts again.
    Resting,
    /// It has come to its end.
    Ended,
}

impl ExtensionState {
    /// The word used in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Restarting => "restarting",
            Self::Resting => "resting",
            Self::Ended => "ended",
        }
    }
}

/// How an extension is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionHealth {
    /// Its name.
    pub name: String,
    /// The space that it lives with; none for one of the process.
    pub space: Option<SpaceId>,
    /// What it does.
    pub state: ExtensionState,
    /// How often it was built again after a crash.
    pub restarts: u32,
    /// Messages that wait for it.
    pub waiting: usize,
    /// Why it crashed last.
    pub last_error: Option<String>,
}

type Waiting = Box<dyn Fn() -> usize + Send + Sync>;

/// One extension's place on the board.
pub(crate) struct Entry {
    name: String,
    space: Option<SpaceId>,
    told: Mutex<Told>,
}

struct Told {
    state: ExtensionState,
    builds: u32,
    waiting: Option<Waiting>,
    last_error: Option<String>,
}

impl Entry {
    fn told<T>(&self, look: impl FnOnce(&mut Told) -> T) -> T {
        look(&mut self.told.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// It is being built, for the first time or again.
    pub(super) fn built(&self) {
        self.told(|told| {
            told.state = ExtensionState::Running;
            told.builds = told.builds.saturating_add(1);
        });
    }

    pub(super) fn counts(&self, waiting: Waiting) {
        self.told(|told| told.waiting = Some(waiting));
    }

    pub(super) fn crashed(&self, state: ExtensionState, error: &str) {
        let error = error.chars().take(ERROR_CHARS_MAX).collect();
        self.told(|told| (told.state, told.last_error) = (state, Some(error)));
    }

    pub(super) fn ended(&self) {
        self.told(|told| told.state = ExtensionState::Ended);
    }

    fn health(&self) -> ExtensionHealth {
        self.told(|told| ExtensionHealth {
            name: self.name.clone(),
            space: self.space.clone(),
            state: told.state,
            restarts: told.builds.saturating_sub(1),
            waiting: told.waiting.as_ref().map_or(0, |count| count()),
            last_error: told.last_error.clone(),
        })
    }
}

/// Where extensions are seen. Those whose space sleeps are not on it.
#[derive(Clone, Default)]
pub(crate) struct Board(Arc<Mutex<Vec<Weak<Entry>>>>);

impl Board {
    pub(super) fn enter(&self, name: &str, space: Option<&SpaceId>) -> Arc<Entry> {
        let told = Told { state: ExtensionState::Running, builds: 0, waiting: None, last_error: None };
        let entry = Arc::new(Entry { name: name.to_owned(), space: space.cloned(), told: Mutex::new(told) });
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| entry.strong_count() > 0);
        entries.push(Arc::downgrade(&entry));
        entry
    }

    pub(crate) fn health(&self) -> Vec<ExtensionHealth> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.iter().filter_map(Weak::upgrade).map(|entry| entry.health()).collect()
    }
}
