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

/// A backup that was made before, such as one that still holds what was forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HoldingBackup {
    /// Where it is.
    pub path: String,
    /// When it was begun.
    pub made_at: String,
    /// False when its place can't be reached just now.
    pub seen: bool,
}

/// How backups by the clock are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupStatus {
    /// Where they are made.
    pub dir: String,
    /// Seconds between two.
    pub every_seconds: i64,
    /// One is being made.
    pub making: bool,
    /// The newest complete one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub last: Option<HoldingBackup>,
    /// When the latest attempt failed; absent when it did not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failed_at: Option<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failed: Option<String>,
    /// When the next one is due.
    pub next_at: String,
}
