//! Whose vectors a memory holds, in shapes.

use bethink_domain as domain;
use bethink_protocol::EmbedderFigures;
use serde::{Deserialize, Serialize};

use crate::time::rfc3339;

/// Whose vectors a memory holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EmbedderView {
    /// Whose vectors serve; null while there are none.
    pub stored: Option<String>,
    /// The configured embedder; null where recall goes by words alone.
    pub configured: Option<String>,
    /// The two are one.
    pub same: bool,
    /// Recall goes by meaning; else by words alone.
    pub by_meaning: bool,
    /// Memories.
    pub traces: usize,
    /// Of them, those whose new vector is still to be made while a move goes on.
    pub lacking: usize,
    /// The newest move, whatever became of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub migration: Option<MigrationView>,
}

/// A move to another embedder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MigrationView {
    /// The new embedder.
    pub to: String,
    /// `building`, `held`, `cancelled` or `done`.
    pub state: String,
    /// When it was begun.
    pub begun_at: String,
    /// How the two compare, once that was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parity: Option<ParityView>,
}

/// How recall by the new vectors compares with recall by the old ones, on what the user said last.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ParityView {
    /// Messages for which the old vectors found anything.
    pub cues: u32,
    /// Share of the ten best by the old vectors that is among the ten best by the new ones, 0…1.
    pub overlap: f32,
    /// Memories that replies used.
    pub used: u32,
    /// Their mean reciprocal rank by the old vectors, 0…1.
    pub rank_before: f32,
    /// The same by the new ones.
    pub rank_after: f32,
}

/// An embedder in words.
#[must_use]
pub fn embedder_named(identity: &domain::EmbedderIdentity) -> String {
    format!("{} ({} dimensions, revision {})", identity.model, identity.dimensions, identity.revision)
}

impl From<&EmbedderFigures> for EmbedderView {
    fn from(figures: &EmbedderFigures) -> Self {
        Self {
            stored: figures.stored.as_ref().map(embedder_named),
            configured: figures.configured.as_ref().map(embedder_named),
            same: figures.stored == figures.configured,
            by_meaning: figures.by_meaning,
            traces: figures.traces,
            lacking: figures.lacking,
            migration: figures.migration.as_ref().map(MigrationView::from),
        }
    }
}

impl From<&domain::Migration> for MigrationView {
    fn from(migration: &domain::Migration) -> Self {
        let parity = migration.parity.map(|parity| ParityView {
            cues: parity.cues,
            overlap: parity.overlap,
            used: parity.used,
            rank_before: parity.rank_before,
            rank_after: parity.rank_after,
        });
        Self {
            to: embedder_named(&migration.to),
            state: migration.state.name().to_owned(),
            begun_at: rfc3339(migration.begun_at),
            parity,
        }
    }
}
