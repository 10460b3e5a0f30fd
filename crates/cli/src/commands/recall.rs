//! `recall`.

use std::process::ExitCode;

use bethink_api::{Fault, FaultKind, Recalled, Recollection, Request, Response};
use bethink_settings::Settings;
use serde_json::{Value, json};

use super::mismatch;
use crate::open::Opened;
use crate::output::Output;
use crate::say;

/// What was asked for.
pub(crate) struct Asked {
    pub(crate) cue: String,
    pub(crate) k: i64,
    pub(crate) threshold: Option<f32>,
    pub(crate) learn: bool,
    pub(crate) faded: bool,
}

/// Recalls and prints.
pub(crate) async fn run(
    opened: &Opened,
    settings: &Settings,
    output: Output,
    asked: Asked,
) -> anyhow::Result<ExitCode> {
    let Asked { cue, k, threshold, learn, faded } = asked;
    let k = usize::try_from(k)
        .map_err(|_| Fault::new(FaultKind::Usage, format!("k is {k}; it can be 1 to 100")))?;
    let request = Request::Recall { cue, k, threshold, learn, faded };
    let Response::Recollection(found) = opened.ask(request).await? else { return Err(mismatch().into()) };
    for trace in &found.traces {
        output.object(&object(trace))?;
        output.line(&line(trace, settings))?;
    }
    output.object(&json!({
        "recall_id": found.recall_id, "feeling": found.feeling,
        "below_threshold": found.below_threshold, "considered": found.considered,
    }))?;
    let threshold = threshold.unwrap_or(settings.memory.relevance_threshold);
    output.line(&summary(&found, threshold, faded, settings))?;
    Ok(ExitCode::SUCCESS)
}

fn object(trace: &Recalled) -> Value {
    let mut object = json!({
        "id": trace.id, "kind": trace.kind, "text": trace.text, "score": trace.score,
        "relevance": trace.relevance, "strength": trace.strength, "at": trace.at, "source": trace.source,
    });
    if let Some(due) = &trace.due {
        object["due"] = json!(due);
    }
    if trace.faded {
        object["faded"] = json!(true);
        object["faded_at"] = json!(trace.faded_at);
    }
    object
}

fn line(trace: &Recalled, settings: &Settings) -> String {
    if let Some(due) = &trace.due {
        return format!("{}  {}", trace.id, super::reminders::due_line(due, settings));
    }
    let since = trace.faded_at.as_ref().map(|at| format!(" since {}", say::moment(at, settings)));
    let faded = if trace.faded { format!("  [faded{}]", since.unwrap_or_default()) } else { String::new() };
    let when = say::moment(&trace.at, settings);
    format!("{}  {:.2}  {when}  {}{faded}", trace.id, trace.relevance, trace.text)
}

fn summary(found: &Recollection, threshold: f32, among_faded: bool, settings: &Settings) -> String {
    let near = match found.below_threshold {
        0 => String::new(),
        n => format!("; {n} came near but stayed below {threshold:.2}"),
    };
    let offered = found.faded_at.as_ref().filter(|_| !among_faded);
    let faded = offered
        .map(|at| format!("; a faded memory of {} is near (--faded)", say::moment(at, settings)))
        .unwrap_or_default();
    let recall = found.recall_id.as_ref().map(|id| format!("; recall {id}")).unwrap_or_default();
    let what = if among_faded { " faded" } else { "" };
    let due = found.traces.iter().filter(|trace| trace.due.is_some()).count();
    let reminders = match due {
        0 => String::new(),
        1 => "1 reminder is due; ".to_owned(),
        several => format!("{several} reminders are due; "),
    };
    let traces = found.traces.len() - due;
    format!("{reminders}{traces}{what} of {} memories{near}{faded}{recall}", found.considered)
}
