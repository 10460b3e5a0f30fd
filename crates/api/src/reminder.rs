//! Shapes of prospective memory.

use bethink_domain as domain;
use bethink_protocol as protocol;
use serde::{Deserialize, Serialize};

use crate::convert::recalled;
use crate::response::Recalled;
use crate::time::rfc3339;

/// A reminder as it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reminder {
    /// Its id, that of the memory that holds its words.
    pub id: String,
    /// What of.
    pub text: String,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// `open`, `done`, `cancelled` or `expired`.
    pub state: String,
    /// It is held back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
    /// When, in words, absolutely and with the zone.
    pub when: String,
    /// When the present occurrence is due by time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<String>,
    /// The rule by which it recurs, as RFC 5545 writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The event that it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// What the conversation has to come near.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// What is said of it.
    pub said: String,
    /// It was there already.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub known: bool,
}

/// What has to be said before anything is kept or changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// What is missing: `time`, `zone`, `what`, `ambiguous`, `past`, `impossible` or `which`.
    pub kind: String,
    /// The question.
    pub said: String,
    /// What may be meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

/// How a reminder that is due is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Due {
    /// The occurrence, the same at every attempt to show it: who acknowledges it names this.
    pub delivery: String,
    /// The reminder.
    pub id: String,
    /// What of.
    pub text: String,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Since when it is due.
    pub due_at: String,
    /// The same in words, with the user's zone, where it is pushed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// It is told later than it should have been.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
    /// It may have been shown before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    /// Occurrences before this one that nobody was told of.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub missed: u32,
    /// Memories about the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Recalled>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Shapes a reminder with what is said of it.
#[must_use]
pub fn told(from: &protocol::Told) -> Reminder {
    let reminder = &from.reminder;
    let owned = |text: &Option<Box<str>>| text.as_deref().map(str::to_owned);
    Reminder {
        id: reminder.id.to_string(),
        text: reminder.text.to_string(),
        tags: reminder.tags.iter().map(|tag| tag.to_string()).collect(),
        state: reminder.stage.name().to_owned(),
        held: reminder.held,
        when: from.when.clone(),
        due_at: reminder.due_at.map(rfc3339),
        rule: reminder.trigger.rule().map(domain::recurrence::Recurrence::to_rrule),
        event: owned(&reminder.trigger.event),
        context: owned(&reminder.trigger.context),
        said: from.said.clone(),
        known: from.known,
    }
}

/// Shapes a question.
#[must_use]
pub fn question(from: &protocol::Question) -> Question {
    Question { kind: from.kind.to_owned(), said: from.said.clone(), options: from.options.clone() }
}

/// Shapes a reminder that is due.
#[must_use]
pub fn due(from: &domain::DueReminder) -> Due {
    Due {
        delivery: from.id.to_string(),
        id: from.id.reminder.to_string(),
        text: from.text.to_string(),
        tags: from.tags.iter().map(|tag| tag.to_string()).collect(),
        due_at: rfc3339(from.due_at),
        when: None,
        late: from.late,
        again: from.again,
        missed: from.missed,
        related: from.related.iter().map(recalled).collect(),
    }
}

/// A reminder that is due as the first of what is recalled: of kind prospective, with a score above every other.
pub(crate) fn recalled_due(from: &domain::DueReminder) -> Recalled {
    Recalled {
        id: from.id.reminder.to_string(),
        kind: domain::TraceKind::Prospective.name().to_owned(),
        text: from.text.to_string(),
        score: domain::DUE_SCORE,
        relevance: 1.0,
        strength: 1.0,
        at: rfc3339(from.due_at),
        recorded_at: rfc3339(from.due_at),
        source: domain::Source::UserStatement.name().to_owned(),
        faded: false,
        faded_at: None,
        due: Some(due(from)),
    }
}
