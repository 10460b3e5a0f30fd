//! Records of prospective memory.

use std::sync::Arc;

use bethink_domain::recurrence::Recurrence;
use bethink_domain::{Delivery, Reminder, Stage, Timestamp, TraceId, Trigger, WallTime, When, Whereabouts};
use serde::{Deserialize, Serialize};

use super::{RecordFault, decode, encode};

const WHAT: &str = "reminder";

#[derive(Serialize, Deserialize)]
enum WhenV1 {
    Instant(i64),
    /// Start as ISO 8601 without a zone, zone, rule as RFC 5545 writes it.
    Wall(String, Option<String>, Option<String>),
}

#[derive(Serialize, Deserialize)]
struct ReminderV1 {
    revision: u32,
    importance: f32,
    when: Option<WhenV1>,
    event: Option<String>,
    context: Option<String>,
    /// The place in [`Stage::ALL`].
    stage: u8,
    occurrence: u32,
    due_ms: Option<i64>,
    /// As ISO 8601 without a zone.
    wall: Option<String>,
    fired_ms: Option<i64>,
    attempts: u32,
    leased_until_ms: Option<i64>,
    pushed: bool,
    missed: u32,
    held: bool,
    created_ms: i64,
}

/// Bytes of the record. Words and tags lie in the trace.
pub(crate) fn encode_reminder(reminder: &Reminder) -> Vec<u8> {
    let Reminder { trigger, delivery, .. } = reminder;
    let ms = |at: Option<Timestamp>| at.map(Timestamp::as_millis);
    let owned = |text: &Option<Box<str>>| text.as_deref().map(str::to_owned);
    let when = trigger.when.as_ref().map(|when| match when {
        When::Instant(at) => WhenV1::Instant(at.as_millis()),
        When::Wall(wall) => WhenV1::Wall(
            wall.start.to_string(),
            owned(&wall.zone),
            wall.rule.as_ref().map(Recurrence::to_rrule),
        ),
    });
    let stage = Stage::ALL.iter().position(|stage| *stage == reminder.stage);
    let record = ReminderV1 {
        revision: reminder.revision,
        importance: reminder.importance,
        when,
        event: owned(&trigger.event),
        context: owned(&trigger.context),
        stage: stage.map_or(u8::MAX, |place| place as u8),
        occurrence: reminder.occurrence,
        due_ms: ms(reminder.due_at),
        wall: reminder.wall.map(|wall| wall.to_string()),
        fired_ms: ms(reminder.fired_at),
        attempts: delivery.attempts,
        leased_until_ms: ms(delivery.leased_until),
        pushed: delivery.pushed,
        missed: reminder.missed,
        held: reminder.held,
        created_ms: reminder.created_at.as_millis(),
    };
    encode(1, &record)
}

/// The reminder, without its words and tags.
pub(crate) fn decode_reminder(id: TraceId, bytes: &[u8]) -> Result<Reminder, RecordFault> {
    let record: ReminderV1 = decode(WHAT, bytes)?;
    let garbled = || RecordFault::Garbled { what: WHAT };
    let at = |ms: Option<i64>| ms.map(Timestamp::from_millis);
    let when = match record.when {
        None => None,
        Some(WhenV1::Instant(ms)) => Some(When::Instant(Timestamp::from_millis(ms))),
        Some(WhenV1::Wall(start, zone, rule)) => {
            let start = start.parse().map_err(|_| garbled())?;
            let rule = rule.map(|rule| Recurrence::parse_rrule(&rule).map_err(|_| garbled())).transpose()?;
            Some(When::Wall(WallTime { start, zone: zone.map(Into::into), rule }))
        }
    };
    Ok(Reminder {
        id,
        revision: record.revision,
        text: Arc::from(""),
        tags: Vec::new(),
        importance: record.importance,
        trigger: Trigger {
            when,
            event: record.event.map(Into::into),
            context: record.context.map(Into::into),
        },
        stage: Stage::ALL.get(usize::from(record.stage)).copied().ok_or_else(garbled)?,
        occurrence: record.occurrence,
        due_at: at(record.due_ms),
        wall: record.wall.map(|wall| wall.parse().map_err(|_| garbled())).transpose()?,
        fired_at: at(record.fired_ms),
        delivery: Delivery {
            attempts: record.attempts,
            leased_until: at(record.leased_until_ms),
            pushed: record.pushed,
        },
        missed: record.missed,
        held: record.held,
        created_at: Timestamp::from_millis(record.created_ms),
    })
}

#[derive(Serialize, Deserialize)]
struct WhereaboutsV1 {
    home: Option<String>,
    away: Option<(String, i64)>,
}

pub(crate) fn encode_whereabouts(whereabouts: &Whereabouts) -> Vec<u8> {
    let away = whereabouts.away.as_ref().map(|(zone, until)| (zone.to_string(), until.as_millis()));
    encode(1, &WhereaboutsV1 { home: whereabouts.home.as_deref().map(str::to_owned), away })
}

pub(crate) fn decode_whereabouts(bytes: &[u8]) -> Result<Whereabouts, RecordFault> {
    let record: WhereaboutsV1 = decode("note of where the user is", bytes)?;
    let away = record.away.map(|(zone, until)| (zone.into(), Timestamp::from_millis(until)));
    Ok(Whereabouts { home: record.home.map(Into::into), away })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reminder(trigger: Trigger) -> Reminder {
        Reminder {
            id: TraceId::from_raw(7),
            revision: 3,
            text: "".into(),
            tags: Vec::new(),
            importance: 6.5,
            trigger,
            stage: Stage::Cancelled,
            occurrence: 9,
            due_at: Some(Timestamp::from_millis(1)),
            fired_at: None,
            wall: Some(jiff::civil::date(2026, 12, 4).at(8, 30, 0, 0)),
            delivery: Delivery { attempts: 2, leased_until: Some(Timestamp::from_millis(-4)), pushed: true },
            missed: 1,
            held: true,
            created_at: Timestamp::from_millis(5),
        }
    }

    #[test]
    fn every_kind_of_trigger_survives_its_record() {
        let start = jiff::civil::date(2026, 12, 4).at(8, 30, 0, 0);
        let rule = Recurrence::parse_rrule("FREQ=WEEKLY;INTERVAL=1;BYDAY=MO,FR").ok();
        let wall = |zone: Option<&str>| WallTime { start, zone: zone.map(Into::into), rule: rule.clone() };
        assert!(rule.is_some());
        for trigger in [
            Trigger::default(),
            Trigger { when: Some(When::Instant(Timestamp::from_millis(9))), ..Trigger::default() },
            Trigger { when: Some(When::Wall(wall(None))), ..Trigger::default() },
            Trigger {
                when: Some(When::Wall(wall(Some("Europe/Oslo")))),
                event: Some("deploy.finished".into()),
                context: Some("the budget".into()),
            },
        ] {
            let kept = reminder(trigger);
            assert_eq!(decode_reminder(kept.id, &encode_reminder(&kept)), Ok(kept));
        }
    }

    #[test]
    fn whereabouts_survive_their_record() {
        let away = Some(("Asia/Tokyo".into(), Timestamp::from_millis(77)));
        let kept = Whereabouts { home: Some("Europe/Oslo".into()), away };
        assert_eq!(decode_whereabouts(&encode_whereabouts(&kept)), Ok(kept));
    }
}
