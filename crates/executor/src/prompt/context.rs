//! The block that changes with every turn: the date, what was recalled, and what memory can say about not knowing.

use std::collections::HashSet;

use bethink_domain::{Degraded, Intent, Knowing, Plan, Purpose, Recalled, Source, Timestamp, TraceId};
use bethink_providers::{Entered, say_when};
use bethink_text::Language;
use jiff::tz::TimeZone;

use super::CUT_MIN;
use super::budget::{cut, tokens};
use super::fence::{CLOSE, OPEN, fenced};

/// Longest text of one trace in a prompt, in tokens: a page. One huge memory must not crowd out the others.
const TRACE_TOKENS_MAX: usize = 500;
/// Longest name of a speaker or note in a prompt, in tokens.
const NOTE_TOKENS_MAX: usize = 60;

/// The parts of the block, before it is known how much of it fits.
#[derive(Debug)]
pub(super) struct Context {
    /// The date, and notes on this turn.
    fixed: String,
    /// A line for each trace, best first.
    lines: Vec<(String, Entered)>,
}

impl Context {
    pub(super) fn of(plan: &Plan, in_mind: &HashSet<TraceId>, zone: &TimeZone) -> Self {
        let fixed = [today(plan.at, zone)].into_iter().chain(notes(plan, zone));
        let overview = plan.overview.iter().flat_map(|all| &all.groups).flat_map(|group| &group.traces);
        let traces = plan.recollection.traces.iter().chain(overview);
        let lines = traces
            .enumerate()
            .map(|(n, recalled)| memory_line(format!("m{}", n + 1), recalled, plan.at, zone, in_mind));
        Self { fixed: fixed.collect::<Vec<_>>().join("\n"), lines: lines.collect() }
    }

    /// Tokens of the whole block.
    pub(super) fn tokens_wanted(&self) -> usize {
        let lines: usize = self.lines.iter().map(|(line, _)| line_tokens(line)).sum();
        tokens(&self.fixed) + if self.lines.is_empty() { 0 } else { fence_tokens() + lines }
    }

    /// As much of the block as fits, and the traces that are in it. Nothing is fenced when no trace fits.
    pub(super) fn within(self, budget: usize) -> (String, Vec<Entered>) {
        let fixed = cut(&self.fixed, budget);
        let mut left = budget.saturating_sub(tokens(&fixed) + fence_tokens());
        let (mut block, mut entered) = (String::new(), Vec::new());
        for (line, trace) in self.lines {
            let needed = line_tokens(&line);
            let whole = needed <= left;
            if !whole && left <= CUT_MIN {
                break;
            }
            // A cut line ends the block: what comes after it is less relevant.
            block.push_str(if whole { &line } else { "" });
            if !whole {
                block.push_str(&cut(&line, left - 1));
            }
            block.push('\n');
            entered.push(trace);
            left = if whole { left - needed } else { 0 };
        }
        if entered.is_empty() {
            return (fixed, entered);
        }
        (format!("{fixed}\n{OPEN}\n{block}{CLOSE}"), entered)
    }
}

/// A trace as it stands in a prompt under a tag, and what then has entered it.
pub(crate) fn memory_line(
    tag: String,
    recalled: &Recalled,
    at: Timestamp,
    zone: &TimeZone,
    in_mind: &HashSet<TraceId>,
) -> (String, Entered) {
    let told = told(recalled, at, zone);
    let line = line(&tag, recalled, &told, at, in_mind.contains(&recalled.id));
    (line, Entered { tag, recalled: recalled.clone(), told })
}

/// Both marks with their line breaks.
pub(crate) fn fence_tokens() -> usize {
    tokens(OPEN) + tokens(CLOSE) + 1
}

pub(crate) fn line_tokens(line: &str) -> usize {
    tokens(line) + 1
}

/// `Now: Monday, 30 November 2026, 16:00 (Europe/Berlin).`
fn today(at: Timestamp, zone: &TimeZone) -> String {
    let Ok(now) = jiff::Timestamp::from_millisecond(at.as_millis()) else {
        return "The date is not known.".to_owned();
    };
    let date = zone.to_datetime(now).strftime("%A, %-d %B %Y, %H:%M");
    match zone.iana_name() {
        Some(name) => format!("Now: {date} ({name})."),
        None => format!("Now: {date}."),
    }
}

/// When and by whom, in words: `told yesterday at 08:15`.
fn told(recalled: &Recalled, now: Timestamp, zone: &TimeZone) -> String {
    let verb = match recalled.source {
        Source::UserStatement => "told",
        Source::ToolResult => "looked up",
        Source::Observation => "noticed",
        Source::AgentInference | Source::Reflection => "concluded",
        Source::External => "received",
    };
    format!("{verb} {}", say_when(Language::English, recalled.recorded_at, now, zone))
}

/// One trace as data: tag, kind, source, age, certainty, text.
fn line(tag: &str, recalled: &Recalled, told: &str, now: Timestamp, in_mind: bool) -> String {
    let by = match (recalled.speaker.as_deref(), recalled.source) {
        (Some(name), _) => format!(" by {}", cut(&fenced(name), NOTE_TOKENS_MAX)),
        (None, Source::UserStatement) => " by the user".to_owned(),
        (None, Source::AgentInference | Source::Reflection) => " by you, not told".to_owned(),
        (None, _) => String::new(),
    };
    let age = age(now, recalled.recorded_at);
    let certain = (recalled.confidence.clamp(0.0, 1.0) * 100.0).round();
    let again = if in_mind { ", already mentioned in this conversation" } else { "" };
    let text = cut(&fenced(&recalled.text), TRACE_TOKENS_MAX);
    format!("[{tag}] {}, {told}{by} ({age}), {certain} % certain{again}: {text}", recalled.kind.name())
}

fn age(now: Timestamp, then: Timestamp) -> String {
    match now.since(then).as_days() as u64 {
        0 => "less than a day old".to_owned(),
        1 => "1 day old".to_owned(),
        days => format!("{days} days old"),
    }
}

/// What else is to be known about this turn.
fn notes(plan: &Plan, zone: &TimeZone) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    notes.extend(feeling(plan, zone));
    if plan.purpose == Purpose::Overview {
        let shown: usize =
            plan.overview.iter().flat_map(|all| &all.groups).map(|group| group.traces.len()).sum();
        let total = plan.overview.as_ref().map_or(0, |all| all.total);
        notes.push(format!(
            "{total} memories are known about the user, {} of them not listed.",
            total.saturating_sub(shown)
        ));
    }
    if plan.purpose == Purpose::Intention {
        notes.push("Reminders cannot be set yet. Say so.".to_owned());
    }
    if plan.purpose == Purpose::ForgetRequest && !plan.proposed.is_empty() {
        notes.push(
            "Nothing is deleted yet. Below your reply the user is shown word for word what seems meant, and asked whether \
             to delete it for ever. Announce that in one short sentence; do not say that it is done."
                .to_owned(),
        );
    } else if plan.purpose == Purpose::ForgetRequest {
        notes.push(
            "Nothing has been deleted. Say so, and that only what the user chooses is deleted: `bethink memory list`, then `/forget ID`."
                .to_owned(),
        );
    }
    if !plan.masked.is_empty() {
        let kinds = plan.masked.join(", ");
        notes.push(format!(
            "The message held something secret ({kinds}), which was masked and is not kept. Say so."
        ));
    }
    if plan.private && !plan.degraded.contains(&Degraded::MemoryOff) {
        notes.push("This turn is private: nothing of it is kept.".to_owned());
    }
    let degraded = plan.degraded.iter().map(Degraded::to_string);
    notes.extend(degraded.map(|note| format!("Note: {}", cut(&fenced(&note), NOTE_TOKENS_MAX))));
    notes
}

/// The feeling of knowing, in words; nothing where something is known or nothing was asked of memory.
fn feeling(plan: &Plan, zone: &TimeZone) -> Option<String> {
    let feeling = &plan.recollection.feeling;
    let asks = matches!(plan.purpose, Purpose::Question | Purpose::Request);
    if !asks || !plan.recollection.traces.is_empty() {
        return None;
    }
    match (feeling.knowing, feeling.faded) {
        (Knowing::OnceKnown, Some((_, at))) => Some(format!(
            "You once knew something about this, told {}, but it has faded. Say so and offer to look; do not guess.",
            say_when(Language::English, at, plan.at, zone)
        )),
        (Knowing::NeverKnown, _) if plan.decision.intent == Intent::Memory => {
            let near = match feeling.below_threshold {
                0 => String::new(),
                n => format!(" {n} came near, but not near enough to be shown."),
            };
            Some(format!("You have no memory of this.{near} Say so; do not guess."))
        }
        _ => None,
    }
}
