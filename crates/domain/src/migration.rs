//! Moving a memory from one embedder to another.

use crate::embedding::EmbedderIdentity;
use crate::time::Timestamp;

/// How far a move to another embedder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MigrationState {
    /// The new vectors are being made; the old ones serve.
    Building,
    /// All are made, but recall by them differs too much; the old ones serve until somebody says otherwise.
    Held,
    /// Somebody called it off; the old vectors serve.
    Cancelled,
    /// The new vectors serve.
    Done,
}

impl MigrationState {
    /// The word used in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Building => "building",
            Self::Held => "held",
            Self::Cancelled => "cancelled",
            Self::Done => "done",
        }
    }

    /// Whether new vectors are kept beside those that serve.
    #[must_use]
    pub fn live(self) -> bool {
        matches!(self, Self::Building | Self::Held)
    }
}

/// How recall by the new vectors compares with recall by the old ones, on what the user really said last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parity {
    /// Messages for which the old vectors found anything.
    pub cues: u32,
    /// Of the ten best by the old vectors, the share that is among the ten best by the new ones, 0…1.
    pub overlap: f32,
    /// Traces that replies to these messages used.
    pub used: u32,
    /// Mean reciprocal rank of these by the old vectors, 0…1; 0 for one that is not among the ten best.
    pub rank_before: f32,
    /// The same by the new ones.
    pub rank_after: f32,
}

/// A move to another embedder.
#[derive(Debug, Clone, PartialEq)]
pub struct Migration {
    /// The new embedder.
    pub to: EmbedderIdentity,
    /// How far it is.
    pub state: MigrationState,
    /// When it was begun.
    pub begun_at: Timestamp,
    /// How the two compare; none before it was measured, and where it could not be.
    pub parity: Option<Parity>,
}
