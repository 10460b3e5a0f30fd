//! A turn as it goes on.

use serde::{Deserialize, Serialize};

use crate::reminder::Due;

/// Progress of a turn.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum TurnProgress {
    /// It began.
    Began {
        /// Its id.
        turn: String,
    },
    /// More words.
    Text {
        /// They.
        text: String,
    },
    /// Something that the user should see to.
    Warning {
        /// What.
        text: String,
    },
    /// A reminder that is due, before the reply.
    Due(Due),
    /// It ended.
    Ended {
        /// True once it is on disk.
        durable: bool,
        /// Nothing was to be written.
        private: bool,
        /// Why it is not on disk although it should be.
        #[serde(skip_serializing_if = "Option::is_none")]
        not_remembered: Option<String>,
        /// Traces that it encoded.
        encoded: Vec<String>,
        /// Traces that the reply used.
        used: Vec<String>,
    },
}
