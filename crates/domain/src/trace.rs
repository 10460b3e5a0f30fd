//! A remembered thing.

use std::sync::Arc;

use crate::affect::Affect;
use crate::embedding::UnitVector;
use crate::id::{TraceId, TurnId};
use crate::journal::{Folded, JournalEntry};
use crate::time::Timestamp;

/// Five kinds of memory (Tulving 1972, Sumers et al. 2023; relational: bonds and trust).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TraceKind {
    /// An event.
    Episodic,
    /// A fact.
    Semantic,
    /// How something is done, or how the user likes to be dealt with.
    Procedural,
    /// An intention for the future.
    Prospective,
    /// Trust, bonds, turning points between user and agent.
    Relational,
}

impl TraceKind {
    /// Every kind, in the order in which people read them.
    pub const ALL: [Self; 5] =
        [Self::Semantic, Self::Episodic, Self::Procedural, Self::Relational, Self::Prospective];

    /// The word used in output and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Episodic => "episodic",
            Self::Semantic => "semantic",
            Self::Procedural => "procedural",
            Self::Prospective => "prospective",
            Self::Relational => "relational",
        }
    }

    /// Reads what [`TraceKind::name`] writes.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The layer that recall scores it in; intentions are in neither.
    #[must_use]
    pub fn layer(self) -> Option<Layer> {
        match self {
            Self::Episodic => Some(Layer::Episodic),
            Self::Semantic | Self::Procedural | Self::Relational => Some(Layer::Semantic),
            Self::Prospective => None,
        }
    }
}

/// How recall scores a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layer {
    /// By meaning and by how strong the trace still is.
    Episodic,
    /// By meaning.
    Semantic,
}

/// Where a trace comes from (source monitoring, Johnson et al. 1993).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// The user said it.
    UserStatement,
    /// A tool returned it.
    ToolResult,
    /// Perceived, not told.
    Observation,
    /// The agent concluded it.
    AgentInference,
    /// Thought about thoughts.
    Reflection,
    /// A document, service or import.
    External,
}

impl Source {
    /// Every source.
    pub const ALL: [Self; 6] = [
        Self::UserStatement,
        Self::ToolResult,
        Self::Observation,
        Self::AgentInference,
        Self::Reflection,
        Self::External,
    ];

    /// Reads what [`Source::name`] writes.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.name() == name)
    }

    /// The word used in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::UserStatement => "user_statement",
            Self::ToolResult => "tool_result",
            Self::Observation => "observation",
            Self::AgentInference => "agent_inference",
            Self::Reflection => "reflection",
            Self::External => "external",
        }
    }
}

/// One thing that a trace was made from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Said in a turn.
    Turn(TurnId),
    /// Derived from another trace.
    Trace(TraceId),
    /// Given by a command, import or tool of this name.
    Given(Box<str>),
}

/// What is to become a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// Kind of memory.
    pub kind: TraceKind,
    /// What is remembered, as it will be shown. Secrets are masked by the store before anything is written.
    pub text: String,
    /// Who said it; none when the user speaks of themselves.
    pub speaker: Option<String>,
    /// Where it comes from.
    pub source: Source,
    /// How sure the source is, 0…1.
    pub confidence: f32,
    /// What it was made from.
    pub lineage: Vec<Origin>,
    /// Feeling.
    pub affect: Affect,
    /// 1…10.
    pub importance: f32,
    /// When it happened.
    pub occurred_at: Timestamp,
    /// Waiting to be distilled.
    pub provisional: bool,
    /// Stored on explicit request (`remember`).
    pub asked: bool,
    /// Meaning; none when the embedder could not give one yet.
    pub embedding: Option<UnitVector>,
}

impl Draft {
    /// What a person asks to have remembered: a fact, word for word, of importance 7, where what is said in passing
    /// has 5. It happened and was told at `at`.
    #[must_use]
    pub fn asked(text: impl Into<String>, at: Timestamp) -> Self {
        Self {
            kind: TraceKind::Semantic,
            text: text.into(),
            speaker: None,
            source: Source::UserStatement,
            confidence: 1.0,
            lineage: vec![Origin::Given("remember".into())],
            affect: Affect::NEUTRAL,
            importance: 7.0,
            occurred_at: at,
            provisional: false,
            asked: true,
            embedding: None,
        }
    }
}

/// Factors of a trace's stability, each kept apart so that it can be explained and undone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stability {
    /// Times that it was credited.
    pub uses: u32,
    /// Suppression by competitors, 0.1…1.
    pub suppression: f32,
    /// Loss of confidence in its source, 0…1.
    pub source: f32,
    /// Fit with a schema, 1 or 1.1.
    pub schema: f32,
}

impl Stability {
    /// Never used, never suppressed.
    pub const FRESH: Self = Self { uses: 0, suppression: 1.0, source: 1.0, schema: 1.0 };
}

/// Independent origins of what a trace says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence(pub u32);

/// One remembered thing, as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// Its id.
    pub id: TraceId,
    /// Counts the changes to it, from 0.
    pub revision: u32,
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
    /// What it was made from.
    pub lineage: Vec<Origin>,
    /// Independent origins; retellings and echoes do not count.
    pub evidence: Evidence,
    /// Names in it.
    pub entities: Vec<Box<str>>,
    /// Labels given to it.
    pub tags: Vec<Box<str>>,
    /// Feeling.
    pub affect: Affect,
    /// 1…10.
    pub importance: f32,
    /// When it happened.
    pub occurred_at: Timestamp,
    /// When it was stored.
    pub recorded_at: Timestamp,
    /// Since when it holds, if said.
    pub valid_from: Option<Timestamp>,
    /// Until when it held, if over.
    pub valid_to: Option<Timestamp>,
    /// The trace that made it untrue.
    pub superseded_by: Option<TraceId>,
    /// The trace that says it better.
    pub distilled_into: Option<TraceId>,
    /// Encoding weight, starts at 1.
    pub weight: f32,
    /// Factors of stability.
    pub stability: Stability,
    /// When it was last credited.
    pub credited_at: Option<Timestamp>,
    /// Learned usefulness, 0…1, starts at 0.
    pub priority: f32,
    /// Kept by the user's wish.
    pub pinned: bool,
    /// Burnt in by strong feeling (Brown and Kulik 1977).
    pub flashbulb: bool,
    /// Waiting to be distilled.
    pub provisional: bool,
    /// Stored on explicit request.
    pub asked: bool,
    /// Has a vector.
    pub embedded: bool,
}

/// A trace with what is computed about it now, for people.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceView {
    /// As stored.
    pub trace: Trace,
    /// How alive it is now, 0…1.
    pub strength: f32,
    /// Days after which retention is 1/e.
    pub stability_days: f32,
    /// Strength is below the fading line.
    pub faded: bool,
    /// Why time alone cannot fade it, if so.
    pub kept: Option<&'static str>,
    /// Older changes, folded by quantity; empty in lists.
    pub folded: Vec<Folded>,
    /// What changed it since, oldest first; empty in lists.
    pub history: Vec<JournalEntry>,
}
