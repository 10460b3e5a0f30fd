//! Backups, in shapes.

use serde::{Deserialize, Serialize};

/// A backup that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backup {
    /// Where it is; absolute.
    pub path: String,
    /// When it was begun: nothing that was told before is missing.
    pub made_at: String,
    /// Spaces in it.
    pub spaces: usize,
    /// Their traces.
    pub traces: u64,
    /// Their turns.
    pub turns: u64,
    /// Bytes of its files.
    pub bytes: u64,
    /// Spaces that could not be copied.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub left_out: Vec<LeftOut>,
}

/// A space that could not be copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The agent.
    pub agent: String,
    /// The user.
    pub user: String,
    /// Why.
    pub reason: String,
}

/// A backup that still holds what was forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HoldingBackup {
    /// Where it is.
    pub path: String,
    /// When it was begun.
    pub made_at: String,
    /// False when its place can't be reached just now.
    pub seen: bool,
}
