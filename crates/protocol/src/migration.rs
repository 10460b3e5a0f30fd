//! Moving a memory to another embedder.

use bethink_domain::{EmbedderIdentity, Migration, Timestamp};

/// Begin to move to the configured embedder, or go on; the reply means that the wish is durable. The work is done in the
/// background, and nothing is done where the configured embedder serves already.
#[derive(Debug, Clone, Copy)]
pub struct Migrate {
    /// When.
    pub at: Timestamp,
    /// Switch however much recall by the new vectors differs.
    pub anyway: bool,
}

/// Call a move off. The old vectors serve as before, and the new ones are dropped.
#[derive(Debug, Clone, Copy)]
pub struct CancelMigration {
    /// When.
    pub at: Timestamp,
}

/// Whose vectors serve?
#[derive(Debug, Clone, Copy)]
pub struct ShowEmbedder;

/// Whose vectors a memory holds.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbedderFigures {
    /// Whose vectors serve; none while there are none.
    pub stored: Option<EmbedderIdentity>,
    /// The configured embedder; none where recall shall go by words alone.
    pub configured: Option<EmbedderIdentity>,
    /// Recall goes by meaning: the embedder whose vectors serve can be had. Else it goes by words alone.
    pub by_meaning: bool,
    /// Traces that are not forgotten.
    pub traces: usize,
    /// Of them, those whose new vector is still to be made while a move goes on.
    pub lacking: usize,
    /// The newest move, whatever became of it.
    pub migration: Option<Migration>,
}
