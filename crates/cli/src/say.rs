//! Shapes in words, for people.

use bethink_api::{
    Change, Fault, FaultKind, FoldedChange, HistoryEntry, ToolUse, Trace, Turn, from_rfc3339, rfc3339,
};
use bethink_domain::Timestamp;
use bethink_settings::Settings;
use jiff::civil;

/// A time in the user's zone, to the minute.
pub(crate) fn moment(at: &str, settings: &Settings) -> String {
    let Ok(at) = at.parse::<jiff::Timestamp>() else { return at.to_owned() };
    at.to_zoned_datetime(settings.zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// Reads a day in the user's zone, or a time with a zone of its own, as RFC 3339.
pub(crate) fn since(text: &str, settings: &Settings) -> Result<String, Fault> {
    if let Ok(day) = text.parse::<civil::Date>()
        && let Ok(start) = day.to_zoned_datetime(settings.zone.clone())
    {
        return Ok(rfc3339(Timestamp::from_millis(start.timestamp().as_millisecond())));
    }
    let time = from_rfc3339(text).map_err(|_| {
        Fault::new(
            FaultKind::Usage,
            format!("`{text}` is neither a day (2026-03-14) nor a time (2026-03-14T08:15:00Z)"),
        )
    })?;
    Ok(rfc3339(time))
}

/// A trace on one line of a list.
pub(crate) fn row(trace: &Trace, settings: &Settings) -> String {
    let mut marks = Vec::new();
    if trace.pinned {
        marks.push("pinned");
    }
    if trace.faded {
        marks.push("faded");
    }
    let marks = if marks.is_empty() { String::new() } else { format!("  [{}]", marks.join(", ")) };
    format!(
        "{}  {}  {:<10}  {:.2}  {}{marks}",
        trace.id,
        moment(&trace.recorded_at, settings),
        trace.kind,
        trace.strength,
        trace.text
    )
}

/// A trace with all that is known about it.
pub(crate) fn trace(trace: &Trace, settings: &Settings) -> Vec<String> {
    let (told, happened) = (moment(&trace.recorded_at, settings), moment(&trace.at, settings));
    let when = if told == happened { told } else { format!("{told}, of {happened}") };
    let used = trace
        .credited_at
        .as_ref()
        .map(|at| format!(", last on {}", moment(at, settings)))
        .unwrap_or_default();
    let kept = trace.kept.as_ref().map(|why| format!(", kept at 0.10 or more: {why}")).unwrap_or_default();
    let state = if trace.faded { ", faded" } else { "" };
    let mut lines = vec![
        trace.text.clone(),
        format!("  id          {}{}", trace.id, if trace.pinned { "  (pinned)" } else { "" }),
        format!(
            "  kind        {}{}",
            trace.kind,
            if trace.provisional { ", waiting to be distilled" } else { "" }
        ),
        format!(
            "  source      {}, confidence {:.2}, evidence {}",
            trace.source, trace.confidence, trace.evidence
        ),
        format!("  told        {when}"),
        format!("  strength    {:.3}{state}{kept}", trace.strength),
        format!("  stability   {:.1} days", trace.stability_days),
        format!("  importance  {:.0}", trace.importance),
        format!("  uses        {}{used}", trace.uses),
        format!("  priority    {:.2}", trace.priority),
    ];
    if !trace.embedded {
        lines.push("  vector      to be made; found by its words meanwhile".to_owned());
    }
    if !(trace.history.is_empty() && trace.folded.is_empty()) {
        lines.push("history".to_owned());
        lines.extend(trace.folded.iter().map(|older| folded(older, settings)));
        lines.extend(trace.history.iter().map(|entry| history(entry, settings)));
    }
    lines
}

fn change(c: &Change) -> String {
    match c.quantity.as_str() {
        "encoded" => format!("stored with importance {:.0}", c.after),
        "text" => "text replaced".to_owned(),
        "embedded" => "vector made".to_owned(),
        "pinned" => if c.after > 0.0 { "pinned" } else { "unpinned" }.to_owned(),
        "uses" | "evidence" => format!("{} {:.0} → {:.0}", c.quantity, c.before, c.after),
        quantity => format!("{quantity} {:.3} → {:.3}", c.before, c.after),
    }
}

/// Older changes of one quantity in a line, from the first to the last.
fn folded(older: &FoldedChange, settings: &Settings) -> String {
    let what = change(&Change { quantity: older.quantity.clone(), before: older.before, after: older.after });
    let mechanisms = older.mechanisms.join(", ");
    let since = moment(&older.since, settings);
    if older.times == 1 {
        return format!("  {since}  {mechanisms:<10}  {what}  ({})", older.first_cause);
    }
    let (times, until) = (older.times, moment(&older.until, settings));
    let causes = format!("{} to {}", older.first_cause, older.last_cause);
    format!("  {since}  {mechanisms:<10}  {what}, {times} times until {until}  ({causes})")
}

fn history(entry: &HistoryEntry, settings: &Settings) -> String {
    let changes = entry.changes.iter().map(change).collect::<Vec<_>>().join(", ");
    format!("  {}  {:<10}  {}  ({})", moment(&entry.at, settings), entry.mechanism, changes, entry.cause)
}

/// How a turn was answered.
pub(crate) fn turn(turn: &Turn, settings: &Settings) -> Vec<String> {
    let mut lines = vec![format!("turn {}  {}  {}", turn.turn, moment(&turn.at, settings), turn.end)];
    if let Some(message) = &turn.message {
        lines.push(format!("  you       {message}"));
    }
    if let Some(reply) = &turn.reply {
        lines.push(format!("  reply     {}", reply.replace('\n', "\n            ")));
    }
    lines.push("planning".to_owned());
    lines.push(format!("  intent    {} (rule: {}), {}", turn.intent, turn.rule, turn.purpose));
    lines.push(format!("  recall    {} of at most {}; {}", turn.recalled.len(), turn.depth, turn.feeling));
    lines.extend(turn.recalled.iter().map(|recalled| format!("    {}", scored(recalled, turn))));
    lines.push("execution".to_owned());
    lines.push(format!("  model     {}, {} tokens of reply", turn.model, turn.reply_tokens));
    for section in &turn.sections {
        let name = section["name"].as_str().unwrap_or("?");
        lines.push(format!("    {name:<13} {} of {} tokens", section["tokens"], section["budget"]));
    }
    lines.extend(turn.tools.iter().map(tool_use));
    let ms = |part: &str| turn.ms[part].as_f64().unwrap_or(0.0);
    lines.push(format!(
        "  time      embedding {:.1} ms, recall {:.1} ms, execution {:.1} ms",
        ms("embed"),
        ms("recall"),
        ms("execute")
    ));
    if !turn.encoded.is_empty() {
        lines.push(format!("  encoded   {}", turn.encoded.join(", ")));
    }
    lines
}

/// A tool that the model called.
fn tool_use(tool: &ToolUse) -> String {
    let outcome = match (tool.failed, tool.shown.as_slice()) {
        (true, _) => "failed".to_owned(),
        (false, []) => "answered".to_owned(),
        (false, shown) => format!("showed {}", shown.join(", ")),
    };
    format!("  tool      {} in round {}: {outcome}", tool.name, tool.step)
}

fn scored(recalled: &serde_json::Value, turn: &Turn) -> String {
    let number = |value: &serde_json::Value| value.as_f64().unwrap_or(0.0);
    let id = recalled["id"].as_str().unwrap_or("?");
    let fate = if turn.used.iter().any(|used| used == id) {
        "used"
    } else if turn.shown.iter().any(|shown| shown == id) {
        "shown"
    } else {
        "left out"
    };
    let terms = &recalled["terms"];
    format!(
        "{id}  score {:.3}  relevance {:.3}  strength {:.3}  (meaning {:.2}, words {:.2}, coverage {:.2}, other subject {:.2}, priority {:.2})  {fate}: {}",
        number(&recalled["score"]),
        number(&recalled["relevance"]),
        number(&recalled["strength"]),
        number(&terms["cosine"]),
        number(&terms["words"]),
        number(&terms["coverage"]),
        number(&terms["subject"]),
        number(&terms["priority"]),
        recalled["text"].as_str().unwrap_or("(forgotten)")
    )
}
