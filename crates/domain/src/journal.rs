//! The ordered record of every change, with its cause.

use crate::id::{RecallId, TraceId, TurnId};
use crate::time::Timestamp;

/// Why something changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// A turn of conversation.
    Turn(TurnId),
    /// A recall that may change memory.
    Recall(RecallId),
    /// A numbered cycle of the consolidator.
    Cycle(u64),
    /// A command of the user or of a door.
    Command,
    /// The clock was found to have gone backwards.
    Clock,
}

/// What about a trace changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// It came to be; before is 0, after its importance.
    Encoded,
    /// Strength, 0…1.
    Strength,
    /// Stability in days.
    StabilityDays,
    /// Uses.
    Uses,
    /// Priority, 0…1.
    Priority,
    /// Evidence count.
    Evidence,
    /// 1 when pinned.
    Pinned,
    /// Revision of the text.
    Text,
    /// It was deleted; the text is gone from history too.
    Forgotten,
    /// Its vector was made, after having been stored without.
    Embedded,
    /// As a reminder it was asked for, or its occurrence began: before and after are occurrences.
    Scheduled,
    /// As a reminder it was shown: before and after are attempts.
    Delivered,
    /// As a reminder it was seen to: before is the occurrence, after the next one, or 0 for none.
    Acknowledged,
    /// As a reminder it was put off: after is the seconds since 1970 of its next showing.
    Snoozed,
    /// As a reminder it was called off.
    Cancelled,
    /// As a reminder, its event or context came.
    Fired,
    /// As a reminder it was shown as often as the limit allows: after is the attempts.
    Expired,
    /// As a reminder it was changed: before and after are revisions.
    Rescheduled,
    /// As a reminder its instant was computed anew: before and after are revisions.
    Moved,
    /// As a reminder it was held back (1), or let go (0).
    Held,
}

impl Quantity {
    /// The word used in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Encoded => "encoded",
            Self::Strength => "strength",
            Self::StabilityDays => "stability",
            Self::Uses => "uses",
            Self::Priority => "priority",
            Self::Evidence => "evidence",
            Self::Pinned => "pinned",
            Self::Text => "text",
            Self::Forgotten => "forgotten",
            Self::Embedded => "embedded",
            Self::Scheduled => "scheduled",
            Self::Delivered => "delivered",
            Self::Acknowledged => "acknowledged",
            Self::Snoozed => "snoozed",
            Self::Cancelled => "cancelled",
            Self::Fired => "fired",
            Self::Expired => "expired",
            Self::Rescheduled => "rescheduled",
            Self::Moved => "moved",
            Self::Held => "held",
        }
    }
}

/// One changed number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Of which trace.
    pub trace: TraceId,
    /// What about it.
    pub quantity: Quantity,
    /// Before.
    pub before: f32,
    /// After.
    pub after: f32,
}

/// Changes of one cause. Holds ids and numbers only, so that forgetting a text forgets it here too.
#[derive(Debug, Clone, PartialEq)]
pub struct JournalEntry {
    /// Place in the journal, from 1.
    pub sequence: u64,
    /// When.
    pub at: Timestamp,
    /// Why.
    pub cause: Cause,
    /// The mechanism that acted, such as `encoding` or `credit`.
    pub mechanism: &'static str,
    /// What changed.
    pub changes: Vec<Change>,
}

/// Older changes of one quantity of a trace, folded into one, so that the journal grows with what is remembered and not
/// with how often it was talked about.
#[derive(Debug, Clone, PartialEq)]
pub struct Folded {
    /// What about the trace.
    pub quantity: Quantity,
    /// Before the first of them.
    pub before: f32,
    /// After the last of them.
    pub after: f32,
    /// How many they were.
    pub times: u32,
    /// When the first was, and why.
    pub first: (Timestamp, Cause),
    /// When the last was, and why.
    pub last: (Timestamp, Cause),
    /// The mechanisms that acted, in the order in which they first did.
    pub mechanisms: Vec<&'static str>,
}

impl Folded {
    /// A change that begins a fold.
    #[must_use]
    pub fn of(entry: &JournalEntry, change: &Change) -> Self {
        Self {
            quantity: change.quantity,
            before: change.before,
            after: change.after,
            times: 1,
            first: (entry.at, entry.cause),
            last: (entry.at, entry.cause),
            mechanisms: vec![entry.mechanism],
        }
    }

    /// Takes the next change of the same quantity in.
    pub fn take(&mut self, entry: &JournalEntry, change: &Change) {
        self.after = change.after;
        self.times = self.times.saturating_add(1);
        self.last = (entry.at, entry.cause);
        if !self.mechanisms.contains(&entry.mechanism) {
            self.mechanisms.push(entry.mechanism);
        }
    }
}
