//! Things that happened, for those who listen. Ids and numbers only: who wants the words asks memory for them.

use crate::id::{SessionId, SpaceId, TraceId, TurnId};
use crate::reminder::DeliveryId;
use crate::time::Timestamp;

/// Something that happened in a space. It is told after it was made durable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Where.
    pub space: SpaceId,
    /// When: the time of the message or command that it came from.
    pub at: Timestamp,
    /// What.
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// The space woke.
    SpaceWoken,
    /// The space fell asleep: its file is closed.
    SpaceAsleep,
    /// A turn was answered, and is remembered.
    TurnCompleted {
        /// Session.
        session: SessionId,
        /// Turn.
        turn: TurnId,
        /// New traces, and those that gained evidence, for what the user stated.
        encoded: Vec<TraceId>,
        /// Traces that the reply used.
        used: Vec<TraceId>,
    },
    /// A new trace is remembered.
    TraceEncoded {
        /// Which.
        trace: TraceId,
    },
    /// A trace was used, and is stronger for it.
    TraceCredited {
        /// Which.
        trace: TraceId,
    },
    /// A reminder is due. It is told once for each occurrence and process, after the commit that made it due, or at its
    /// time.
    ReminderDue {
        /// Its occurrence.
        delivery: DeliveryId,
    },
    /// A reminder was seen to, or shown to somebody.
    ReminderAcknowledged {
        /// Its occurrence.
        delivery: DeliveryId,
    },
    /// A trace was deleted for ever.
    TraceForgotten {
        /// Which.
        trace: TraceId,
    },
}
