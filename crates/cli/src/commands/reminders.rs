//! `remind`, `reminders` and `event`.

use std::process::ExitCode;

use bethink_api::{Due, Fault, FaultKind, Question, Reminder, Request, Response};
use bethink_settings::Settings;
use serde_json::json;

use super::mismatch;
use crate::args::{RemindArguments, RemindersCommand};
use crate::open::Opened;
use crate::output::Output;
use crate::say;

/// Questions that are asked back at most.
const ASKED_MAX: usize = 3;
/// Reminders of one list.
const PAGE: usize = 1_000;

/// The IANA name of this system's zone.
pub(crate) fn system_zone() -> Option<String> {
    jiff::tz::TimeZone::try_system().ok()?.iana_name().map(str::to_owned)
}

/// Keeps a reminder, and says what was understood.
pub(crate) async fn remind(
    opened: &Opened,
    output: Output,
    asked: RemindArguments,
) -> anyhow::Result<ExitCode> {
    let RemindArguments { text, at, within, every, when, about, tags } = asked;
    let mut answer = None;
    for _ in 0..=ASKED_MAX {
        let request = Request::Remind {
            text: text.clone(),
            at: at.clone(),
            within: within.clone(),
            every: every.clone(),
            event: when.clone(),
            context: about.clone(),
            tags: tags.clone(),
            zone: system_zone(),
            answer: answer.take(),
        };
        match opened.ask(request).await? {
            Response::Reminder(reminder) => {
                output.object(&object(&reminder))?;
                output.line(&format!("{}\n{}", reminder.said, reminder.id))?;
                return Ok(ExitCode::SUCCESS);
            }
            Response::Question(question) => match answered(output, &question)? {
                Some(said) => answer = Some(said),
                None => return asked_back(output, &question),
            },
            _ => return Err(mismatch().into()),
        }
    }
    Err(Fault::new(FaultKind::Usage, "that could not be read; try `--at 2026-12-24T18:00`").into())
}

/// Asks a person; none where there is nobody to ask.
fn answered(output: Output, question: &Question) -> anyhow::Result<Option<String>> {
    if !Output::is_terminal() || output.json {
        return Ok(None);
    }
    output.part(&format!("{} ", question.said))?;
    let mut line = String::new();
    let read = std::io::stdin().read_line(&mut line)?;
    Ok(Some(line.trim().to_owned()).filter(|line| read > 0 && !line.is_empty()))
}

/// A question to nobody is a fault of usage: nothing was kept.
fn asked_back(output: Output, question: &Question) -> anyhow::Result<ExitCode> {
    output
        .object(&json!({ "question": question.kind, "said": question.said, "options": question.options }))?;
    output.note(&format!(
        "{}\n(nothing was kept; say it again with --at, --in, --every, --when or --about)",
        question.said
    ));
    Ok(ExitCode::from(FaultKind::Usage.exit_code()))
}

/// Lists reminders, or does something with one.
pub(crate) async fn run(
    opened: &Opened,
    output: Output,
    (all, tags): (bool, Vec<String>),
    command: Option<RemindersCommand>,
) -> anyhow::Result<ExitCode> {
    let act = |which: Vec<String>, act: &str, when: Option<String>, text: Option<String>| Request::Attend {
        which: Some(which.join(" ")),
        act: act.to_owned(),
        when,
        text,
        zone: system_zone(),
    };
    let request = match command {
        None => return list(opened, output, all, tags).await,
        Some(RemindersCommand::Done { which }) => act(which, "done", None, None),
        Some(RemindersCommand::Cancel { which }) => act(which, "cancel", None, None),
        Some(RemindersCommand::Hold { which }) => act(which, "hold", None, None),
        Some(RemindersCommand::Release { which }) => act(which, "release", None, None),
        Some(RemindersCommand::Snooze { which, until }) => act(which, "snooze", Some(until), None),
        Some(RemindersCommand::Edit { which, when, text }) => act(which, "change", when, text),
        Some(RemindersCommand::Zone { zone, until }) => Request::SetZone { zone, until },
    };
    match opened.ask(request).await? {
        Response::Reminder(reminder) => {
            output.object(&object(&reminder))?;
            output.line(&reminder.said)?;
        }
        Response::Said { text } => {
            output.object(&json!({ "said": text }))?;
            output.line(&text)?;
        }
        Response::Question(question) => {
            let options: String = question.options.iter().map(|option| format!("\n  {option}")).collect();
            output.object(
                &json!({ "question": question.kind, "said": question.said, "options": question.options }),
            )?;
            output.note(&format!("{}{options}", question.said));
            return Ok(ExitCode::from(FaultKind::Usage.exit_code()));
        }
        _ => return Err(mismatch().into()),
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(opened: &Opened, output: Output, all: bool, tags: Vec<String>) -> anyhow::Result<ExitCode> {
    let request = Request::Reminders { all, tags, limit: PAGE, zone: system_zone() };
    let Response::Reminders { reminders, more } = opened.ask(request).await? else {
        return Err(mismatch().into());
    };
    for reminder in &reminders {
        output.object(&object(reminder))?;
        output.line(&reminder.said)?;
    }
    if reminders.is_empty() {
        output.line("No reminders.")?;
    }
    if more {
        output.note(&format!("These are the first {PAGE}; there are more."));
    }
    Ok(ExitCode::SUCCESS)
}

/// Tells that something happened.
pub(crate) async fn raise(
    opened: &Opened,
    output: Output,
    event: String,
    everywhere: bool,
) -> anyhow::Result<ExitCode> {
    let request = Request::Raise { event: event.clone(), everywhere };
    let Response::Raised { count } = opened.ask(request).await? else { return Err(mismatch().into()) };
    output.object(&json!({ "event": event, "due": count }))?;
    output.line(&match count {
        0 => format!("No reminder waits for {event}."),
        1 => "One reminder is due.".to_owned(),
        several => format!("{several} reminders are due."),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn object(reminder: &Reminder) -> serde_json::Value {
    serde_json::to_value(reminder).unwrap_or_default()
}

/// A reminder as it is shown when it is due.
pub(crate) fn due_line(due: &Due, settings: &Settings) -> String {
    let mut marks = Vec::new();
    if due.late {
        marks.push("late".to_owned());
    }
    if due.again {
        marks.push("again".to_owned());
    }
    match due.missed {
        0 => {}
        1 => marks.push("one missed before".to_owned()),
        several => marks.push(format!("{several} missed before")),
    }
    let marks = if marks.is_empty() { String::new() } else { format!("; {}", marks.join(", ")) };
    let when = due.when.clone().unwrap_or_else(|| say::moment(&due.due_at, settings));
    let mut line = format!("Reminder: {} (due {when}{marks})", due.text);
    for related in &due.related {
        line.push_str(&format!("\n  · {}", related.text));
    }
    line
}
