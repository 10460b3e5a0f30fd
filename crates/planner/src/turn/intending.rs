//! Wishes to be reminded, and what is said about reminders: done at once, and answered in words that are exact.
//!
//! The answer is the reminders' own, not a model's: it names the time that was really understood. Whatever else a
//! message says is answered after it, as ever.

use bethink_domain::{DueReminder, Source, TraceId};
use bethink_protocol::{
    Attend, Attended, Due, ListReminders, Question, ReminderError, Reminders, Schedule, Scheduled, SetZone,
    TurnEvent, Which, Wish,
};

use super::Job;
use super::course::Course;
use crate::actor::PlannerArgs;
use crate::heard::Heard;
use crate::intends::{Intends, answers, intends};
use crate::ports::{COMMIT_WAIT, RECALL_WAIT, ask};
use crate::sessions::Pending;

/// Reminders that are listed in a conversation; `bethink reminders` shows the others.
const LISTED_MAX: usize = 20;

/// Does what a message says about reminders, and notes in `course` what is said of it.
///
/// True when the message says nothing else, so that there is nothing more to answer.
pub(super) async fn see_to(args: &PlannerArgs, job: &Job, heard: &Heard, course: &mut Course) -> bool {
    if let Some(pending) = job.left.pending.as_ref().filter(|_| answers(&heard.text)) {
        wish(args, job, pending.wish.clone(), Some(heard.text.clone()), pending.referent.clone(), course)
            .await;
        return true;
    }
    let Some((intends, whole)) = intends(&heard.text) else { return false };
    match intends {
        Intends::Wish { points } => {
            let referent = if points { job.left.said.clone() } else { None };
            wish(args, job, heard.text.clone(), None, referent, course).await;
        }
        Intends::Act(which, act) => {
            let attend = Attend { which, act, zone: job.message.zone.clone(), at: job.message.at };
            let that = attend.which == Which::LastShown;
            match ask(&args.reminders.attend, attend, COMMIT_WAIT).await {
                // "I did it" is about something else where no reminder was shown.
                Err(ReminderError::NoSuch(_)) if that => return false,
                Ok(Attended::Done(told)) => course.said.push(told.said),
                Ok(Attended::Asks(question)) => course.said.push(asked(&question)),
                Err(error) => course.said.push(failed(&error)),
            }
        }
        Intends::List => {
            let (zone, at) = (job.message.zone.clone(), job.message.at);
            let list = ListReminders { all: false, tags: Vec::new(), zone, limit: LISTED_MAX, at };
            course.said.push(match ask(&args.reminders.list, list, RECALL_WAIT).await {
                Ok(reminders) => listed(&reminders),
                Err(error) => failed(&error),
            });
        }
        Intends::Zone { zone, until } => {
            let set = SetZone { zone, until, at: job.message.at };
            match ask(&args.reminders.set_zone, set, COMMIT_WAIT).await {
                Ok(said) => course.said.push(said),
                Err(error) => course.said.push(failed(&error)),
            }
            // Where somebody is, is also something to remember.
            return false;
        }
    }
    whole
}

async fn wish(
    args: &PlannerArgs,
    job: &Job,
    text: String,
    answer: Option<String>,
    referent: Option<String>,
    course: &mut Course,
) {
    let schedule = Schedule {
        wish: Wish::Utterance { text: text.clone(), answer },
        referent: referent.clone(),
        tags: Vec::new(),
        zone: job.message.zone.clone(),
        source: Source::UserStatement,
        turn: Some(job.turn),
        at: job.message.at,
    };
    match ask(&args.reminders.schedule, schedule, COMMIT_WAIT).await {
        Ok(Scheduled::Kept(told)) => {
            course.kept.push(told.reminder.id);
            course.said.push(told.said);
        }
        Ok(Scheduled::Asks(question)) => {
            course.said.push(asked(&question));
            course.pending = Some(Pending { wish: text, referent });
        }
        Err(error) => course.said.push(failed(&error)),
    }
}

/// What is due and was not recalled with the rest, for a turn that recalls nothing.
pub(super) async fn due(args: &PlannerArgs, job: &Job, heard: &Heard, course: &mut Course) {
    let due = Due {
        said: Some(heard.text.clone()),
        at: job.message.at,
        lease: !job.message.private,
        pushed: false,
    };
    match ask(&args.due, due, RECALL_WAIT).await {
        Ok(reminders) => course.recollection.reminders = reminders,
        Err(error) => tracing::warn!(%error, "what is due could not be looked up"),
    }
}

/// Tells what is due before anything is answered.
pub(super) async fn tell_due(job: &Job, kept: &[TraceId], reminders: &[DueReminder]) {
    // One that was made just now for this very moment is not news.
    let news: Vec<DueReminder> =
        reminders.iter().filter(|due| !kept.contains(&due.id.reminder)).cloned().collect();
    if !news.is_empty() {
        // A reader that has gone is noticed elsewhere.
        let _ = job.events.send(TurnEvent::Due(news)).await;
    }
}

fn asked(question: &Question) -> String {
    if question.kind == "which" && !question.options.is_empty() {
        return format!("{}\n{}", question.said, question.options.join("\n"));
    }
    question.said.clone()
}

fn failed(error: &ReminderError) -> String {
    match error {
        ReminderError::NoSuch(what) => format!("I have no {what}."),
        error => format!("I could not do that: {error}."),
    }
}

fn listed(reminders: &Reminders) -> String {
    if reminders.reminders.is_empty() {
        return "You have no open reminders.".to_owned();
    }
    let mut lines = vec!["Your open reminders:".to_owned()];
    lines.extend(reminders.reminders.iter().map(|told| format!("- {}", told.said)));
    if reminders.more {
        lines.push("- and more; `bethink reminders` shows them all.".to_owned());
    }
    lines.join("\n")
}
