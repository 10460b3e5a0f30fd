//! What is said of reminders: absolute times with their zone, in the user's way of writing them.

use bethink_domain::{DueReminder, Reminder, Stage, Timestamp, When};
use bethink_protocol::{Question, Told};
use jiff::ZonedDateTime;

use crate::transitions::{Zones, zone_of};

/// How the user writes times.
#[derive(Debug, Clone)]
pub(crate) struct Manner {
    /// The user's zone.
    pub(crate) zones: Zones,
    /// am and pm.
    pub(crate) twelve_hour: bool,
    /// Something stays in the background that tells reminders at their time.
    pub(crate) stays: bool,
}

impl Manner {
    /// A time, absolutely: `Wednesday 2 December 2026 at 09:00 (Europe/Oslo)`.
    pub(crate) fn time(&self, at: Timestamp) -> String {
        self.time_in(at, &self.zones)
    }

    fn time_in(&self, at: Timestamp, zones: &Zones) -> String {
        match jiff::Timestamp::from_millisecond(at.as_millis()) {
            Ok(instant) => self.zoned(&instant.to_zoned_datetime(zones.at(at).clone())),
            Err(_) => "a time beyond the calendar".to_owned(),
        }
    }

    fn zoned(&self, time: &ZonedDateTime) -> String {
        let clock = if self.twelve_hour { "%-I:%M %P" } else { "%H:%M" };
        let seconds = if time.second() == 0 || self.twelve_hour { "" } else { ":%S" };
        time.strftime(&format!("%A %-d %B %Y at {clock}{seconds} (%Q)")).to_string()
    }

    /// When a reminder comes, as far as that is known.
    pub(crate) fn when(&self, reminder: &Reminder) -> String {
        let trigger = &reminder.trigger;
        let mut parts = Vec::new();
        if let Some(event) = &trigger.event {
            parts.push(format!("when “{event}” is raised"));
        }
        if let Some(context) = &trigger.context {
            parts.push(format!("when we talk about “{context}”"));
        }
        let zone = match &trigger.when {
            Some(When::Wall(wall)) => zone_of(wall, &self.zones),
            _ => self.zones.clone(),
        };
        if let Some(at) = reminder.due_at {
            let time = self.time_in(at, &zone);
            parts.push(if parts.is_empty() { time } else { format!("not before {time}") });
        }
        if let Some(rule) = trigger.rule() {
            parts.push(format!("and again by the rule {}", rule.to_rrule()));
        }
        parts.join(", ")
    }

    /// A reminder with what is said of it when it is kept.
    pub(crate) fn kept(&self, reminder: Reminder, known: bool) -> Told {
        let when = self.when(&reminder);
        let already = if known { "I already have that: " } else { "" };
        let mut said = format!("{already}I'll remind you: “{}”, {when}.", reminder.text);
        if reminder.trigger.by_time_alone() && !self.stays {
            said.push_str(
                " That is if Bethink is running then (`bethink serve` keeps it running), else when you next open it.",
            );
        }
        Told { reminder, when, said, known }
    }

    /// A reminder as it stands, for lists.
    pub(crate) fn listed(&self, reminder: Reminder) -> Told {
        let when = self.when(&reminder);
        let state = match reminder.stage {
            Stage::Open if reminder.held => " (held back)".to_owned(),
            Stage::Open => String::new(),
            closed => format!(" ({})", closed.name()),
        };
        let said = format!("{}: “{}”, {when}{state}", reminder.id, reminder.text);
        Told { reminder, when, said, known: true }
    }

    /// A reminder that something was done with.
    pub(crate) fn changed(&self, reminder: Reminder, deed: &str) -> Told {
        let when = self.when(&reminder);
        let said = match reminder.stage {
            Stage::Open => format!("{deed}: “{}”, {when}.", reminder.text),
            _ => format!("{deed}: “{}”.", reminder.text),
        };
        Told { reminder, when, said, known: true }
    }

    /// What is shown when a reminder is due.
    pub(crate) fn due(&self, due: &DueReminder) -> String {
        self.time(due.due_at)
    }
}

/// A question, without readings to choose from.
pub(crate) fn question(kind: &'static str, said: impl Into<String>) -> Question {
    Question { kind, said: said.into(), options: Vec::new() }
}
