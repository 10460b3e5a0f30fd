//! What went wrong, in words for people and a kind for scripts.

use serde::{Deserialize, Serialize};

/// Kinds of faults; each has the exit code that the command line ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// Something failed.
    Failed,
    /// The request or the configuration is wrong.
    Usage,
    /// There is no such trace, turn or recall.
    NoSuchId,
    /// The data is in use, damaged, or of a newer format.
    Data,
    /// The disk is full or cannot be written.
    Unwritable,
    /// The language model or the embedder failed.
    Model,
    /// A person has to confirm.
    Unconfirmed,
    /// Stopped by the user.
    Interrupted,
    /// Too much to do; try again.
    Busy,
    /// The process that owns the memory ended before it answered.
    Gone,
}

impl FaultKind {
    /// The exit code of a command that ends with this fault.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Failed | Self::Busy | Self::Gone => 1,
            Self::Usage => 2,
            Self::NoSuchId => 3,
            Self::Data => 4,
            Self::Unwritable => 5,
            Self::Model => 6,
            Self::Unconfirmed => 7,
            Self::Interrupted => 130,
        }
    }
}

/// A fault with its message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// Kind.
    pub kind: FaultKind,
    /// What happened and, where it helps, what to do.
    pub message: String,
}

impl Fault {
    /// A fault of a kind.
    #[must_use]
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}
