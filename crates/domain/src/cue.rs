//! What one recalls by.

use crate::embedding::UnitVector;
use crate::intent::Intent;
use crate::time::Timestamp;

/// Whether recall may change memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecallMode {
    /// As in a turn: recall reshapes what it touches, and returns an id by which use can be reported.
    Learn,
    /// Looks and changes nothing at all.
    Observe,
}

/// Which traces are looked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CueScope {
    /// Those that have not faded.
    Living,
    /// Faded ones alone.
    Faded,
    /// Both; for measuring.
    All,
}

/// A question to memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Cue {
    /// Text, any length; only the start of a very long one is read.
    pub text: String,
    /// Its meaning; without it words alone decide.
    pub embedding: Option<UnitVector>,
    /// Intent, where the Planner decided one.
    pub intent: Option<Intent>,
    /// At most so many traces, 0…100.
    pub k: usize,
    /// Relevance below which nothing is returned, 0…1; none takes the configured one.
    pub threshold: Option<f32>,
    /// Which traces are looked through.
    pub scope: CueScope,
    /// The time at which the question is asked.
    pub at: Timestamp,
}

impl Cue {
    /// Most traces that one recall returns.
    pub const K_MAX: usize = 100;
    /// Traces returned outside a turn unless asked otherwise.
    pub const K_DEFAULT: usize = 8;

    /// A cue of text alone, with the defaults of a recall outside a turn.
    #[must_use]
    pub fn new(text: impl Into<String>, at: Timestamp) -> Self {
        Self {
            text: text.into(),
            embedding: None,
            intent: None,
            k: Self::K_DEFAULT,
            threshold: None,
            scope: CueScope::Living,
            at,
        }
    }
}
