//! What becomes of a reminder: functions from one state to the next.

use bethink_domain::{Delivery, Reminder, Span, Stage, Timestamp, Trigger, WallTime, When};
use bethink_protocol::Deed;
use jiff::civil;
use jiff::tz::TimeZone;

/// Occurrences that one look folds into one. A reminder of every minute of three months, and no loop without an end.
const FOLDED_MAX: u32 = 131_072;
/// Attempts to deliver wait so long after the first failure, doubled with each further one up to the longest.
const BACKOFF_FIRST: Span = Span::from_seconds(30);
const BACKOFF_MAX: Span = Span::from_seconds(3_600);

/// The zone that a wall clock goes by: one for now, and another from an instant on when a stay elsewhere ends then.
#[derive(Debug, Clone)]
pub(crate) struct Zones {
    pub(crate) now: TimeZone,
    pub(crate) later: Option<(Timestamp, TimeZone)>,
}

impl Zones {
    /// One zone for good.
    pub(crate) fn only(zone: TimeZone) -> Self {
        Self { now: zone, later: None }
    }

    /// The zone at an instant.
    pub(crate) fn at(&self, at: Timestamp) -> &TimeZone {
        match &self.later {
            Some((from, zone)) if at >= *from => zone,
            _ => &self.now,
        }
    }

    /// The instant of a wall time: in a gap of the clock the time after it, of a doubled hour the earlier one.
    pub(crate) fn instant(&self, wall: civil::DateTime) -> Option<Timestamp> {
        let in_zone = |zone: &TimeZone| {
            let zoned = wall.to_zoned_datetime(zone.clone()).ok()?;
            Some(Timestamp::from_millis(zoned.timestamp().as_millisecond()))
        };
        let at = in_zone(&self.now)?;
        match &self.later {
            Some((from, zone)) if at >= *from => in_zone(zone),
            _ => Some(at),
        }
    }

    /// The wall time of an instant.
    pub(crate) fn wall(&self, at: Timestamp) -> Option<civil::DateTime> {
        let instant = jiff::Timestamp::from_millisecond(at.as_millis()).ok()?;
        Some(self.at(at).to_datetime(instant))
    }
}

/// The zone in which a wall time is meant: its own, or the user's. A zone that this system does not know is the user's.
pub(crate) fn zone_of(wall: &WallTime, user: &Zones) -> Zones {
    let own = wall.zone.as_deref().and_then(|zone| TimeZone::get(zone).ok());
    own.map_or_else(|| user.clone(), Zones::only)
}

/// When a trigger's first occurrence is due by time, and the wall time that this follows from.
pub(crate) fn first(
    trigger: &Trigger,
    now: Timestamp,
    user: &Zones,
) -> (Option<Timestamp>, Option<civil::DateTime>) {
    match &trigger.when {
        None => (None, None),
        Some(When::Instant(at)) => (Some(*at), None),
        Some(When::Wall(wall)) => {
            let zone = zone_of(wall, user);
            let time = match &wall.rule {
                None => Some(wall.start),
                Some(_) => {
                    let before = wall.start.saturating_sub(jiff::Span::new().seconds(1));
                    let now = zone.wall(now).unwrap_or(before);
                    next_wall(wall, now.max(before))
                }
            };
            (time.and_then(|time| zone.instant(time)), time)
        }
    }
}

fn next_wall(wall: &WallTime, after: civil::DateTime) -> Option<civil::DateTime> {
    wall.rule.as_ref()?.next_after(wall.start, after)
}

/// The occurrence after a time, where the reminder recurs and has one.
fn following(reminder: &Reminder, after: Timestamp, user: &Zones) -> Option<(Timestamp, civil::DateTime)> {
    let Some(When::Wall(wall)) = &reminder.trigger.when else { return None };
    let zone = zone_of(wall, user);
    let mut from = zone.wall(after)?;
    loop {
        let next = next_wall(wall, from)?;
        let at = zone.instant(next)?;
        // A wall time that the clock shows twice, or jumps over, may lie before the one that it follows.
        if at > after {
            return Some((at, next));
        }
        from = next;
    }
}

/// It was seen to: the next occurrence, or its end.
pub(crate) fn acknowledged(reminder: &Reminder, now: Timestamp, user: &Zones) -> Reminder {
    let after = reminder.due_at.map_or(now, |due| due.max(now));
    let next = following(reminder, after, user);
    let fresh = Reminder { fired_at: None, delivery: Delivery::default(), missed: 0, ..reminder.clone() };
    match next {
        Some((at, wall)) => Reminder {
            occurrence: reminder.occurrence.saturating_add(1),
            due_at: Some(at),
            wall: Some(wall),
            ..fresh
        },
        None => Reminder { stage: Stage::Done, ..fresh },
    }
}

/// It is to be shown again then.
pub(crate) fn snoozed(reminder: &Reminder, until: Timestamp, wall: Option<civil::DateTime>) -> Reminder {
    let timed = reminder.trigger.by_time_alone();
    Reminder {
        stage: Stage::Open,
        occurrence: reminder.occurrence + u32::from(reminder.stage != Stage::Open),
        due_at: Some(until),
        wall,
        // One that waited for something else has had it, and waits for its time alone now.
        fired_at: if timed { None } else { Some(until) },
        delivery: Delivery::default(),
        ..reminder.clone()
    }
}

/// It is called off.
pub(crate) fn cancelled(reminder: &Reminder) -> Reminder {
    Reminder { stage: Stage::Cancelled, delivery: Delivery::default(), ..reminder.clone() }
}

/// Its event was raised.
pub(crate) fn fired(reminder: &Reminder, now: Timestamp) -> Reminder {
    Reminder { fired_at: Some(now), ..reminder.clone() }
}

/// Nobody took it: others may be shown it again.
pub(crate) fn released(reminder: &Reminder) -> Reminder {
    let delivery = Delivery { leased_until: None, pushed: false, ..reminder.delivery };
    Reminder { delivery, ..reminder.clone() }
}

/// What time did to it while nobody looked: its instant follows the zone, occurrences that were missed are folded into
/// the last one, and the lease of a door that ended with its process is over. None where nothing did.
pub(crate) fn settled(
    reminder: &Reminder,
    now: Timestamp,
    user: &Zones,
    at_start: bool,
) -> Option<(Reminder, Deed)> {
    if reminder.stage != Stage::Open {
        return None;
    }
    let mut next = reminder.clone();
    if at_start && next.delivery.pushed {
        next = released(&next);
    }
    if let (Some(When::Wall(wall)), Some(time)) = (&next.trigger.when, next.wall) {
        next.due_at = zone_of(wall, user).instant(time).or(next.due_at);
    }
    fold(&mut next, now, user);
    (next != *reminder).then_some((next, Deed::Moved))
}

fn fold(reminder: &mut Reminder, now: Timestamp, user: &Zones) {
    if !reminder.trigger.by_time_alone() || reminder.trigger.rule().is_none() {
        return;
    }
    let mut missed = 0;
    while let Some(due) = reminder.due_at.filter(|due| *due <= now)
        && let Some((at, wall)) = following(reminder, due, user)
        && at <= now
        && missed < FOLDED_MAX
    {
        (reminder.due_at, reminder.wall) = (Some(at), Some(wall));
        missed += 1;
    }
    if missed > 0 {
        // Another occurrence, under a name of its own, that nobody was shown yet.
        reminder.occurrence = reminder.occurrence.saturating_add(missed);
        reminder.missed = reminder.missed.saturating_add(missed);
        reminder.delivery = Delivery::default();
    }
}

/// How long to wait after so many attempts that failed.
pub(crate) fn backoff(attempts: u32) -> Span {
    let doubled = BACKOFF_FIRST.as_millis().saturating_mul(1 << attempts.saturating_sub(1).min(16));
    Span::from_millis(doubled.min(BACKOFF_MAX.as_millis()))
}
