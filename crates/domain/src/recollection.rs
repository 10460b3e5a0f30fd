//! The answer to a cue.

use std::sync::Arc;

use crate::id::{RecallId, TraceId};
use crate::reminder::DueReminder;
use crate::time::Timestamp;
use crate::trace::{Source, TraceKind};

/// The terms of a score, so that `why` can show them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ScoreTerms {
    /// Cosine of the sentence embeddings, −1…1; 0 without embeddings.
    pub cosine: f32,
    /// Weighted share of the cue's words that the trace holds, 0…1.
    pub words: f32,
    /// How well the cue's content words are covered by meaning, 0…1.
    pub coverage: f32,
    /// What the relevance lost because it speaks of someone else, 0…1.
    pub subject: f32,
    /// Learned usefulness, 0…1.
    pub priority: f32,
}

/// One recalled trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// Its id.
    pub id: TraceId,
    /// Kind of memory.
    pub kind: TraceKind,
    /// What is remembered.
    pub text: Arc<str>,
    /// Who said it; none when the user speaks of themselves.
    pub speaker: Option<Arc<str>>,
    /// Where it comes from.
    pub source: Source,
    /// How sure the source is, 0…1.
    pub confidence: f32,
    /// When it happened.
    pub occurred_at: Timestamp,
    /// When it was stored.
    pub recorded_at: Timestamp,
    /// Ranking number inside this recollection.
    pub score: f32,
    /// Calibrated similarity to the cue, 0…1.
    pub relevance: f32,
    /// How alive it is, 0…1.
    pub strength: f32,
    /// Strength is below the fading line.
    pub faded: bool,
    /// Since when; none while it is alive, and in the record of a turn.
    pub faded_at: Option<Timestamp>,
    /// What the score is made of.
    pub terms: ScoreTerms,
}

/// What memory can say about whether it knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Knowing {
    /// Something relevant is there.
    Known,
    /// Nothing living, but a faded trace is near.
    OnceKnown,
    /// Nothing.
    NeverKnown,
}

impl Knowing {
    /// The word used in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Known => "known",
            Self::OnceKnown => "once_known",
            Self::NeverKnown => "never_known",
        }
    }
}

/// The feeling of knowing (Nelson and Narens 1990).
#[derive(Debug, Clone, PartialEq)]
pub struct Feeling {
    /// State of knowledge.
    pub knowing: Knowing,
    /// The nearest faded trace above the threshold, and when it was recorded.
    pub faded: Option<(TraceId, Timestamp)>,
    /// Living traces that came near but stayed below the threshold.
    pub below_threshold: usize,
    /// Traces that were looked through.
    pub considered: usize,
}

/// The answer to a cue.
#[derive(Debug, Clone, PartialEq)]
pub struct Recollection {
    /// By which use can be reported; none when looking only.
    pub recall: Option<RecallId>,
    /// Reminders that are due, in the order in which they are told; each counts as scored
    /// [`DUE_SCORE`](crate::reminder::DUE_SCORE), before all traces and outside their number.
    pub reminders: Vec<DueReminder>,
    /// Best first.
    pub traces: Vec<Recalled>,
    /// Whether memory knows.
    pub feeling: Feeling,
}

impl Recollection {
    /// Nothing recalled because nothing was asked of memory.
    #[must_use]
    pub fn none() -> Self {
        Self {
            recall: None,
            reminders: Vec::new(),
            traces: Vec::new(),
            feeling: Feeling { knowing: Knowing::NeverKnown, faded: None, below_threshold: 0, considered: 0 },
        }
    }
}

/// What is known about the user, grouped by kind, pinned and strong first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Overview {
    /// Groups with at least one trace, in the order of [`TraceKind::ALL`].
    pub groups: Vec<OverviewGroup>,
    /// All that could have been shown.
    pub total: usize,
}

/// Traces of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct OverviewGroup {
    /// Their kind.
    pub kind: TraceKind,
    /// The first of them.
    pub traces: Vec<Recalled>,
    /// How many more there are.
    pub more: usize,
}
