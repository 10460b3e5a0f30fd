//! The vocabulary that every other crate shares.
//!
//! Plain data and the invariants that keep it legal. Nothing here reads a clock, draws chance, does IO or knows a
//! stored or wire form: `memory-store` has records of its own and `api` has shapes of its own.
//!
//! Suggested reading order: [`id`], [`time`], [`trace`], [`cue`], [`recollection`], [`plan`], [`turn`].

pub mod affect;
pub mod bounds;
pub mod cue;
pub mod embedding;
pub mod event;
pub mod finding;
pub mod id;
pub mod intent;
pub mod journal;
pub mod migration;
pub mod personality;
pub mod plan;
pub mod recollection;
pub mod recurrence;
pub mod reminder;
pub mod time;
pub mod trace;
pub mod turn;

pub use affect::Affect;
pub use bounds::Bounded;
pub use cue::{Cue, CueScope, RecallMode};
pub use embedding::{EmbedderIdentity, Sense, Senses, UnitVector, VectorFault};
pub use event::{Event, EventKind};
pub use finding::{Examination, Finding, FindingKind, Findings, Severity, TableSize};
pub use id::{AgentName, IdFault, NameFault, RecallId, SessionId, SpaceId, TraceId, TurnId, UserName};
pub use intent::{Decision, Intent, Purpose};
pub use journal::{Cause, Change, Folded, JournalEntry, Quantity};
pub use migration::{Migration, MigrationState, Parity};
pub use personality::Personality;
pub use plan::{Degraded, Forgotten, Outcome, Plan, Section, SectionUse};
pub use recollection::{Feeling, Knowing, Overview, OverviewGroup, Recalled, Recollection, ScoreTerms};
pub use reminder::{
    DUE_SCORE, Delivery, DeliveryId, DueReminder, Reminder, Stage, Trigger, WallTime, When, Whereabouts,
};
pub use time::{Span, Timestamp};
pub use trace::{Draft, Evidence, Layer, Origin, Source, Stability, Trace, TraceKind, TraceView};
pub use turn::{Exchange, ToolUse, TurnEnd, TurnRecord, TurnTimes};
