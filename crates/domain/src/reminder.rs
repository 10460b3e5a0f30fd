//! Prospective memory: intentions with a trigger (Einstein and McDaniel 1990; states and delivery are our own).
//!
//! A reminder is a trace of kind prospective with a trigger. It has *occurrences*, numbered from 1: one that does not
//! recur has one. An occurrence is shown until it is acknowledged, and its [`DeliveryId`] stays the same however often
//! it is shown, so that whoever receives it can drop doubles.

use std::fmt;
use std::sync::Arc;

use jiff::civil;

use crate::id::TraceId;
use crate::recollection::Recalled;
use crate::recurrence::Recurrence;
use crate::time::{Span, Timestamp};

/// The score of a reminder that is due: above every score that recall gives.
pub const DUE_SCORE: f32 = 10.0;

/// When a reminder's time comes.
#[derive(Debug, Clone, PartialEq)]
pub enum When {
    /// At an instant, wherever the user is then ("in ten minutes").
    Instant(Timestamp),
    /// At a time on the wall clock ("tomorrow at nine"); the instant follows from the zone, and is computed anew when
    /// the zone's rules or the user's zone change.
    Wall(WallTime),
}

/// A time on a wall clock, once or again and again.
#[derive(Debug, Clone, PartialEq)]
pub struct WallTime {
    /// The first time, or for a rule the time from which it counts.
    pub start: civil::DateTime,
    /// The IANA name of the zone that was said; none takes the user's, wherever that is.
    pub zone: Option<Box<str>>,
    /// How it recurs.
    pub rule: Option<Recurrence>,
}

/// What makes a reminder due. With an event or a context, the time is the one before which it stays quiet.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trigger {
    /// A time.
    pub when: Option<When>,
    /// The name of an event, as it is raised.
    pub event: Option<Box<str>>,
    /// A cue that the conversation comes near.
    pub context: Option<Box<str>>,
}

impl Trigger {
    /// How it recurs, if it does.
    #[must_use]
    pub fn rule(&self) -> Option<&Recurrence> {
        match &self.when {
            Some(When::Wall(wall)) => wall.rule.as_ref(),
            Some(When::Instant(_)) | None => None,
        }
    }

    /// Whether time alone makes it due.
    #[must_use]
    pub fn by_time_alone(&self) -> bool {
        self.event.is_none() && self.context.is_none()
    }
}

/// Where a reminder is in its life. That it is due is computed, never stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// It waits, or is due and not acknowledged yet.
    Open,
    /// Acknowledged, and it does not recur.
    Done,
    /// Called off.
    Cancelled,
    /// Shown as often as the limit allows, and never acknowledged.
    Expired,
}

impl Stage {
    /// Every stage.
    pub const ALL: [Self; 4] = [Self::Open, Self::Done, Self::Cancelled, Self::Expired];

    /// The word used in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
        }
    }
}

/// How far the delivery of the present occurrence has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Delivery {
    /// How often it was shown to somebody who could have acknowledged it.
    pub attempts: u32,
    /// Until when nobody else is shown it.
    pub leased_until: Option<Timestamp>,
    /// The lease is that of a door of the running process, and ends with it.
    pub pushed: bool,
}

/// An intention and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Reminder {
    /// The trace that holds its words.
    pub id: TraceId,
    /// Counts the changes to it, from 0: who changes it says which revision it saw.
    pub revision: u32,
    /// What to remind of; empty in the store's own record, where the trace holds it.
    pub text: Arc<str>,
    /// What it is about.
    pub tags: Vec<Box<str>>,
    /// 1…10; of those due at the same time, the more important comes first.
    pub importance: f32,
    /// What makes it due.
    pub trigger: Trigger,
    /// Where it is in its life.
    pub stage: Stage,
    /// The number of the present occurrence, from 1.
    pub occurrence: u32,
    /// When the present occurrence is due by time; none when it waits for an event or a context alone.
    pub due_at: Option<Timestamp>,
    /// The wall time that `due_at` follows from; none where it is an instant, or was put off to one.
    pub wall: Option<civil::DateTime>,
    /// When its event was raised or its context came up.
    pub fired_at: Option<Timestamp>,
    /// Delivery of the present occurrence.
    pub delivery: Delivery,
    /// Occurrences before this one that were missed, and are told with it.
    pub missed: u32,
    /// Suppressed: it is held back, and not consumed.
    pub held: bool,
    /// When it was asked for.
    pub created_at: Timestamp,
}

impl Reminder {
    /// Since when it is due; none while it is not.
    #[must_use]
    pub fn due_since(&self, now: Timestamp) -> Option<Timestamp> {
        if self.stage != Stage::Open || self.held {
            return None;
        }
        let since = if self.trigger.by_time_alone() { self.due_at } else { self.fired_at };
        since.filter(|since| *since <= now)
    }

    /// Since when it is due and nobody else is being shown it.
    #[must_use]
    pub fn showable_since(&self, now: Timestamp) -> Option<Timestamp> {
        let leased = self.delivery.leased_until.is_some_and(|until| until > now);
        self.due_since(now).filter(|_| !leased)
    }

    /// Whether it waits for its event or context, and its time has come.
    #[must_use]
    pub fn listens(&self, now: Timestamp) -> bool {
        let armed = self.due_at.is_none_or(|not_before| not_before <= now);
        self.stage == Stage::Open
            && !self.held
            && !self.trigger.by_time_alone()
            && self.fired_at.is_none()
            && armed
    }

    /// When a timer must look at it next; none when no timer need: it is closed or held, or waits for an event or a
    /// context.
    #[must_use]
    pub fn next_look(&self) -> Option<Timestamp> {
        if self.stage != Stage::Open || self.held {
            return None;
        }
        let due = if self.trigger.by_time_alone() { self.due_at } else { self.fired_at };
        due.map(|due| self.delivery.leased_until.map_or(due, |until| until.max(due)))
    }

    /// The name of its present occurrence.
    #[must_use]
    pub fn delivery_id(&self) -> DeliveryId {
        DeliveryId { reminder: self.id, occurrence: self.occurrence }
    }

    /// It as it is shown to somebody now; none when it is not due.
    #[must_use]
    pub fn shown(&self, now: Timestamp, late_after: Span) -> Option<DueReminder> {
        let since = self.due_since(now)?;
        Some(DueReminder {
            id: self.delivery_id(),
            text: self.text.clone(),
            tags: self.tags.clone(),
            due_at: since,
            late: now - late_after > since,
            again: self.delivery.attempts > 0,
            missed: self.missed,
            importance: self.importance,
            revision: self.revision,
            related: Vec::new(),
        })
    }
}

/// The name of one occurrence of one reminder, the same at every attempt to deliver it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeliveryId {
    /// Which reminder.
    pub reminder: TraceId,
    /// Which occurrence, from 1.
    pub occurrence: u32,
}

impl fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.reminder, self.occurrence)
    }
}

impl std::str::FromStr for DeliveryId {
    type Err = crate::id::IdFault;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fault = || crate::id::IdFault(text.chars().take(40).collect());
        let (reminder, occurrence) = text.split_once('.').ok_or_else(fault)?;
        Ok(Self { reminder: reminder.parse()?, occurrence: occurrence.parse().map_err(|_| fault())? })
    }
}

/// A reminder that is due, as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct DueReminder {
    /// Its occurrence.
    pub id: DeliveryId,
    /// What to remind of.
    pub text: Arc<str>,
    /// What it is about.
    pub tags: Vec<Box<str>>,
    /// Since when it is due.
    pub due_at: Timestamp,
    /// It is told later than it should have been.
    pub late: bool,
    /// It was shown before, and never acknowledged.
    pub again: bool,
    /// Occurrences before this one that were missed.
    pub missed: u32,
    /// 1…10.
    pub importance: f32,
    /// The revision that was seen.
    pub revision: u32,
    /// Memories about the same; filled by recall alone.
    pub related: Vec<Recalled>,
}

impl DueReminder {
    /// The order in which reminders are told: since when, how important, which was asked for first.
    #[must_use]
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        let first = self.due_at.cmp(&other.due_at);
        let then = first.then_with(|| other.importance.total_cmp(&self.importance));
        then.then_with(|| self.id.cmp(&other.id))
    }
}

/// Where the user is for a while, or for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whereabouts {
    /// IANA name of the zone for good; none while it is not known.
    pub home: Option<Box<str>>,
    /// A zone that holds until an instant.
    pub away: Option<(Box<str>, Timestamp)>,
}

impl Whereabouts {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { home: None, away: None };

    /// The zone at a time.
    #[must_use]
    pub fn zone(&self, at: Timestamp) -> Option<&str> {
        let away = self.away.as_ref().filter(|(_, until)| at < *until).map(|(zone, _)| &**zone);
        away.or(self.home.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    fn reminder(trigger: Trigger) -> Reminder {
        Reminder {
            id: TraceId::from_raw(7),
            revision: 0,
            text: "check the build".into(),
            tags: Vec::new(),
            importance: 5.0,
            trigger,
            stage: Stage::Open,
            occurrence: 1,
            due_at: Some(at(1_000)),
            wall: None,
            fired_at: None,
            delivery: Delivery::default(),
            missed: 0,
            held: false,
            created_at: at(0),
        }
    }

    #[test]
    fn it_is_due_from_its_time_on_unless_held_or_closed() {
        let timed = reminder(Trigger { when: Some(When::Instant(at(1_000))), ..Trigger::default() });
        for (now, due) in [(999, None), (1_000, Some(at(1_000))), (9_000, Some(at(1_000)))] {
            assert_eq!(timed.due_since(at(now)), due, "at {now}");
            assert_eq!(Reminder { held: true, ..timed.clone() }.due_since(at(now)), None);
            for stage in [Stage::Done, Stage::Cancelled, Stage::Expired] {
                assert_eq!(Reminder { stage, ..timed.clone() }.due_since(at(now)), None);
            }
        }
    }

    #[test]
    fn a_lease_hides_it_until_it_ends() {
        let mut leased = reminder(Trigger { when: Some(When::Instant(at(1_000))), ..Trigger::default() });
        leased.delivery = Delivery { attempts: 1, leased_until: Some(at(5_000)), pushed: false };
        assert_eq!(leased.showable_since(at(4_999)), None);
        assert_eq!(leased.showable_since(at(5_000)), Some(at(1_000)));
        assert_eq!(leased.next_look(), Some(at(5_000)), "a timer looks when the lease ends");
        let shown = leased.shown(at(5_000), Span::from_millis(1)).unwrap();
        assert!(shown.again && shown.late);
    }

    #[test]
    fn an_event_counts_from_its_time_on() {
        let mut waits = reminder(Trigger {
            when: Some(When::Instant(at(1_000))),
            event: Some("deploy.finished".into()),
            context: None,
        });
        assert!(!waits.listens(at(999)) && waits.listens(at(1_000)));
        assert_eq!(waits.due_since(at(2_000)), None, "its time alone does not make it due");
        assert_eq!(waits.next_look(), None);
        waits.fired_at = Some(at(3_000));
        assert_eq!(waits.due_since(at(3_000)), Some(at(3_000)));
        assert!(!waits.listens(at(3_000)), "it fired already");
    }

    #[test]
    fn a_delivery_id_survives_its_text() {
        let id = DeliveryId { reminder: TraceId::from_raw(123_456_789), occurrence: 42 };
        assert_eq!(id.to_string().parse(), Ok(id));
        for text in ["", ".", "x.1", "000000000000a", "000000000000a.", "000000000000a.-1"] {
            assert!(text.parse::<DeliveryId>().is_err(), "{text:?}");
        }
    }
}
