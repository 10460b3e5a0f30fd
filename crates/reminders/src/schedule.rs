//! Keeping a reminder: from a wish in words or in parts to a trigger, or to a question.

use bethink_domain::recurrence::{Frequency, Recurrence};
use bethink_domain::{
    Affect, Delivery, Draft, Origin, Reminder, Stage, Timestamp, TraceId, TraceKind, Trigger, WallTime, When,
    Whereabouts,
};
use bethink_protocol::{Question, ReminderChange, ReminderError, Schedule, Scheduled, Wish};
use bethink_text::times::{self, Doubt, DoubtKind, Length, Moment, Reading, Repetition, Standpoint};
use bethink_text::{requests, zone_named};
use jiff::civil;

use crate::shared::Shared;
use crate::telling::{Manner, question};
use crate::transitions::{Zones, first};

/// Longest words of a wish in bytes: what is longer holds no reminder that a person said.
const WISH_BYTES_MAX: usize = 16 * 1024;

/// A time to come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Later {
    pub(crate) at: Timestamp,
    /// The wall time that it follows from; none for an instant.
    pub(crate) wall: Option<civil::DateTime>,
}

/// A wish, read.
#[derive(Debug, Default)]
struct Wanted {
    what: String,
    when: Option<Reading>,
    instant: Option<Timestamp>,
    event: Option<String>,
    context: Option<String>,
    tags: Vec<String>,
}

impl Shared {
    pub(crate) async fn schedule(&self, schedule: Schedule) -> Result<Scheduled, ReminderError> {
        let at = schedule.at;
        let seen = self.see(bethink_protocol::Looked::Nothing, at).await?;
        let answered = match &schedule.wish {
            Wish::Utterance { answer: Some(answer), .. } | Wish::Parts { answer: Some(answer), .. } => {
                zone_named(answer.trim())
            }
            _ => None,
        };
        let request = answered.clone().or_else(|| schedule.zone.clone());
        let known = self.known_zones(&seen.whereabouts, request.as_deref(), at);
        let manner = self.manner(&seen.whereabouts, request.as_deref(), at);
        let wanted = match self.wanted(&schedule, &manner)? {
            Ok(wanted) => wanted,
            Err(question) => return Ok(Scheduled::Asks(question)),
        };
        let trigger = match self.trigger(&wanted, &manner, at) {
            Ok(trigger) => trigger,
            Err(question) => return Ok(Scheduled::Asks(question)),
        };
        if known.is_none() && matches!(&trigger.when, Some(When::Wall(wall)) if wall.zone.is_none()) {
            let said =
                "Which time zone are you in? A city or a name such as Europe/Oslo will do; I'll remember it.";
            return Ok(Scheduled::Asks(question("zone", said)));
        }
        let mut changes = Vec::new();
        let unknown = seen.whereabouts.home.is_none() && self.args.zone.is_none();
        if let Some(zone) = request.filter(|_| unknown || answered.is_some()) {
            changes.push(ReminderChange::Whereabouts(Whereabouts {
                home: Some(zone.into()),
                ..seen.whereabouts.clone()
            }));
        }
        changes.push(new_reminder(&schedule, wanted, trigger, &manner.zones));
        self.keep(changes, &manner, at).await
    }

    async fn keep(
        &self,
        changes: Vec<ReminderChange>,
        manner: &Manner,
        at: Timestamp,
    ) -> Result<Scheduled, ReminderError> {
        let new = changes.iter().find_map(|change| match change {
            ReminderChange::New { reminder, .. } => Some(reminder),
            _ => None,
        });
        let (by, event) = match new {
            Some(new) => (new.next_look(), new.trigger.event.as_deref()),
            None => (None, None),
        };
        // Noted before it is kept, so that no crash lies between.
        self.args.next_look.lower(&self.args.space, by, event).await;
        let stored = self.store(changes, at).await?;
        let Some(kept) = stored.into_iter().next() else {
            return Err(ReminderError::Unavailable("memory kept nothing".to_owned()));
        };
        self.set_last(kept.id, at);
        self.refresh(at).await?;
        self.mean(at).await?;
        // One that is younger than its commit was not there before.
        let known = kept.created_at < at || kept.revision > 0;
        Ok(Scheduled::Kept(Box::new(manner.kept(kept, known))))
    }

    /// What is wished, or what has to be asked.
    fn wanted(
        &self,
        schedule: &Schedule,
        manner: &Manner,
    ) -> Result<Result<Wanted, Question>, ReminderError> {
        let mut wanted = match &schedule.wish {
            Wish::Utterance { text, answer } => {
                if text.len() > WISH_BYTES_MAX {
                    return Err(ReminderError::Invalid("that is too long for a reminder".to_owned()));
                }
                let standpoint = self.standpoint(manner, schedule.at);
                // Who asks for a reminder in so many words need not say "remind me".
                let request = requests::bare_request(text, &standpoint);
                let answer = answer.as_deref().and_then(|answer| {
                    let read = |text: &str| times::read(text, &standpoint);
                    read(answer).or_else(|| read(&format!("at {answer}")))
                });
                Wanted {
                    what: request.what,
                    when: answer.or(request.when),
                    event: request.event,
                    context: request.context,
                    tags: request.about,
                    instant: None,
                }
            }
            Wish::Parts { .. } => match self.parts(&schedule.wish, manner, schedule.at) {
                Ok(wanted) => wanted,
                Err(question) => return Ok(Err(question)),
            },
        };
        wanted.tags.extend(schedule.tags.iter().cloned());
        let pointing = ["", "this", "that", "it"].contains(&wanted.what.trim().to_lowercase().as_str());
        match &schedule.referent {
            Some(referent) if pointing => wanted.what.clone_from(referent),
            _ if pointing => return Ok(Err(question("what", "What shall I remind you of?"))),
            _ => {}
        }
        if wanted.when.is_none()
            && wanted.instant.is_none()
            && wanted.event.is_none()
            && wanted.context.is_none()
        {
            let said = format!("When shall I remind you: “{}”?", wanted.what);
            return Ok(Err(question("time", said)));
        }
        Ok(Ok(wanted))
    }

    /// A wish in parts, each read by itself.
    fn parts(&self, wish: &Wish, manner: &Manner, now: Timestamp) -> Result<Wanted, Question> {
        let Wish::Parts { text, at, within, every, event, context, answer } = wish else {
            return Ok(Wanted::default());
        };
        let standpoint = self.standpoint(manner, now);
        let mut wanted = Wanted { what: text.clone(), ..Wanted::default() };
        let filled = |part: &Option<String>| {
            part.as_deref().map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned)
        };
        (wanted.event, wanted.context) = (filled(event), filled(context));
        let unread = |words: &str| {
            let said = format!("I can't read “{words}” as a time. When shall I remind you?");
            question("time", said)
        };
        if let Some(words) = filled(at) {
            match words.parse::<jiff::Timestamp>() {
                Ok(at) => wanted.instant = Some(Timestamp::from_millis(at.as_millisecond())),
                Err(_) => {
                    let reading = times::read(&words, &standpoint);
                    wanted.when = Some(reading.ok_or_else(|| unread(&words))?);
                }
            }
        } else if let Some(words) = filled(within) {
            let reading = times::read(&format!("in {words}"), &standpoint);
            let after = |reading: &Reading| matches!(reading, Reading::After(_));
            wanted.when = Some(reading.filter(after).ok_or_else(|| unread(&words))?);
        } else if let Some(words) = filled(every) {
            wanted.when = Some(every_reading(&words, &standpoint).ok_or_else(|| unread(&words))?);
        }
        if let Some(reading) = answer.as_deref().and_then(|answer| times::read(answer, &standpoint)) {
            wanted.when = Some(reading);
        }
        Ok(wanted)
    }

    /// The user's wall clock.
    pub(crate) fn standpoint(&self, manner: &Manner, now: Timestamp) -> Standpoint {
        let wall = manner.zones.wall(now).unwrap_or(civil::DateTime::ZERO);
        Standpoint { now: wall, locale: self.args.locale, default_time: self.default_time() }
    }

    fn trigger(&self, wanted: &Wanted, manner: &Manner, now: Timestamp) -> Result<Trigger, Question> {
        let when = match (wanted.instant, &wanted.when) {
            (Some(at), _) => Some(When::Instant(at)),
            (None, Some(reading)) => Some(self.when(reading, manner, now)?),
            (None, None) => None,
        };
        let trigger = Trigger {
            when,
            event: wanted.event.clone().map(Into::into),
            context: wanted.context.clone().map(Into::into),
        };
        let (due, _) = first(&trigger, now, &manner.zones);
        match (due, &trigger.when) {
            (Some(due), _) if due < now => Err(past(due, manner)),
            (None, Some(_)) => Err(question("past", "That time never comes again. When shall I remind you?")),
            _ => Ok(trigger),
        }
    }

    /// The time that a reading stands for.
    fn when(&self, reading: &Reading, manner: &Manner, now: Timestamp) -> Result<When, Question> {
        let wall_now = manner.zones.wall(now);
        match reading {
            Reading::At(moment) => Ok(When::Wall(self.wall(moment))),
            Reading::After(length) => after(*length, wall_now, now).ok_or_else(|| {
                question("impossible", "That lies beyond the calendar. When shall I remind you?")
            }),
            Reading::Every(repetition) => {
                let start = self.beginning(repetition, wall_now.unwrap_or(civil::DateTime::ZERO));
                Ok(When::Wall(WallTime { start, zone: None, rule: Some(repetition.rule.clone()) }))
            }
            Reading::Unclear(doubt) => Err(self.doubted(doubt, manner)),
        }
    }

    /// The time from which a rule counts: now for steps below a day, else its first day at the default hour.
    fn beginning(&self, repetition: &Repetition, now: civil::DateTime) -> civil::DateTime {
        let date = repetition.start.unwrap_or(now.date());
        if repetition.rule.frequency < Frequency::Daily && repetition.start.is_none() {
            let step = repetition.rule.frequency.step().saturating_mul(i64::from(repetition.rule.interval));
            return now.saturating_add(jiff::SignedDuration::from_secs(step));
        }
        date.to_datetime(self.default_time())
    }

    fn default_time(&self) -> civil::Time {
        let hour = i8::try_from(self.args.config.default_hour).unwrap_or(9);
        civil::Time::new(hour, 0, 0, 0).unwrap_or(civil::Time::midnight())
    }

    fn wall(&self, moment: &Moment) -> WallTime {
        let time = moment.time.unwrap_or_else(|| self.default_time());
        WallTime {
            start: moment.date.to_datetime(time),
            zone: moment.zone.as_deref().map(Into::into),
            rule: None,
        }
    }

    fn doubted(&self, doubt: &Doubt, manner: &Manner) -> Question {
        let options = doubt.options.iter().filter_map(|moment| {
            let wall = self.wall(moment);
            let zones = crate::transitions::zone_of(&wall, &manner.zones);
            zones.instant(wall.start).map(|at| manner.time(at))
        });
        let options: Vec<String> = options.collect();
        let (kind, said) = doubt_words(doubt);
        let said = match options.as_slice() {
            [] => said.to_owned(),
            some if said.ends_with('?') => format!("{said} ({})", some.join(", or ")),
            some => format!("{said} {}?", some.join(", or ")),
        };
        Question { kind, said, options }
    }

    /// A time to put something off to.
    pub(crate) fn later(&self, words: &str, manner: &Manner, now: Timestamp) -> Result<Later, Question> {
        match self.retime(words, manner, now)? {
            When::Instant(at) => Ok(Later { at, wall: None }),
            When::Wall(wall) => {
                let trigger = Trigger { when: Some(When::Wall(wall)), ..Trigger::default() };
                let (due, time) = first(&trigger, now, &manner.zones);
                due.map(|at| Later { at, wall: time }).ok_or_else(|| question("time", "Until when?"))
            }
        }
    }

    /// A time in words: a length counts from now.
    pub(crate) fn retime(&self, words: &str, manner: &Manner, now: Timestamp) -> Result<When, Question> {
        let standpoint = self.standpoint(manner, now);
        let said = times::read(words, &standpoint);
        let length = || times::read(&format!("in {words}"), &standpoint);
        let reading = match said {
            Some(Reading::Unclear(_)) | None => length().or(said),
            read => read,
        };
        let reading = reading.ok_or_else(|| {
            question("time", format!("I can't read “{words}” as a time. When shall I remind you?"))
        })?;
        let when = self.when(&reading, manner, now)?;
        let trigger = Trigger { when: Some(when.clone()), ..Trigger::default() };
        match first(&trigger, now, &manner.zones).0 {
            Some(due) if due < now => Err(past(due, manner)),
            _ => Ok(when),
        }
    }

    /// A reminder with another time, other words, or both.
    pub(crate) fn edited(
        &self,
        reminder: &Reminder,
        when: Option<&When>,
        text: Option<&str>,
        manner: &Manner,
        now: Timestamp,
    ) -> Reminder {
        let mut next = reminder.clone();
        if let Some(text) = text {
            next.text = text.into();
        }
        if let Some(when) = when {
            next.trigger.when = Some(when.clone());
            (next.due_at, next.wall) = first(&next.trigger, now, &manner.zones);
            next.stage = Stage::Open;
            next.delivery = Delivery::default();
            next.missed = 0;
        }
        next
    }
}

fn past(due: Timestamp, manner: &Manner) -> Question {
    question("past", format!("{} is past. When shall I remind you?", manner.time(due)))
}

/// A length of time from now: exact where it is of hours and less, by the calendar where it is of days and more.
fn after(length: Length, wall: Option<civil::DateTime>, now: Timestamp) -> Option<When> {
    let millis = length.seconds.checked_mul(1_000)?;
    if length.months == 0 && length.days == 0 {
        return Some(When::Instant(Timestamp::from_millis(now.as_millis().checked_add(millis)?)));
    }
    let span = jiff::Span::new()
        .try_months(length.months)
        .and_then(|span| span.try_days(length.days))
        .and_then(|span| span.try_milliseconds(millis));
    let start = wall?.checked_add(span.ok()?).ok()?;
    Some(When::Wall(WallTime { start, zone: None, rule: None }))
}

fn new_reminder(schedule: &Schedule, wanted: Wanted, trigger: Trigger, zones: &Zones) -> ReminderChange {
    let at = schedule.at;
    let lineage = schedule.turn.map_or_else(|| Origin::Given("remind".into()), Origin::Turn);
    let importance = 6.0;
    let draft = Draft {
        kind: TraceKind::Prospective,
        text: wanted.what,
        speaker: None,
        source: schedule.source,
        confidence: 1.0,
        lineage: vec![lineage],
        affect: Affect::NEUTRAL,
        importance,
        occurred_at: at,
        provisional: false,
        asked: true,
        embedding: None,
    };
    let (due_at, wall) = first(&trigger, at, zones);
    let reminder = Reminder {
        id: TraceId::from_raw(0),
        revision: 0,
        text: "".into(),
        tags: wanted.tags.into_iter().map(Into::into).collect(),
        importance,
        trigger,
        stage: Stage::Open,
        occurrence: 1,
        due_at,
        wall,
        fired_at: None,
        delivery: Delivery::default(),
        missed: 0,
        held: false,
        created_at: at,
    };
    ReminderChange::New { draft: Box::new(draft), reminder: Box::new(reminder) }
}

/// What is missing, for programs, and how the question begins.
fn doubt_words(doubt: &Doubt) -> (&'static str, &'static str) {
    match doubt.why {
        DoubtKind::Ambiguous => ("ambiguous", "That can mean several times. Do you mean"),
        DoubtKind::Past => ("past", "That is past. When shall I remind you, if not on"),
        DoubtKind::Impossible => ("impossible", "There is no such time. When shall I remind you?"),
        DoubtKind::Vague => ("time", "When exactly shall I remind you?"),
        DoubtKind::Conflict => ("ambiguous", "I can't make one time of that. Do you mean"),
    }
}

/// A recurrence in words, with or without "every", or as a rule.
fn every_reading(words: &str, standpoint: &Standpoint) -> Option<Reading> {
    if let Ok(rule) = Recurrence::parse_rrule(words) {
        return Some(Reading::Every(Repetition { rule, start: None }));
    }
    let recurs = |reading: &Reading| matches!(reading, Reading::Every(_) | Reading::Unclear(_));
    let whole = |reading: &Reading| matches!(reading, Reading::Every(_));
    let said = times::read(words, standpoint).filter(whole);
    said.or_else(|| times::read(&format!("every {words}"), standpoint).filter(recurs))
}
