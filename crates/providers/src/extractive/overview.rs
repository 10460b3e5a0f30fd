//! All that is known, for "what do you know about me?".

use std::collections::HashSet;

use bethink_domain::{OverviewGroup, TraceId, TraceKind};

use super::phrases::Phrase;
use super::recalled::label;
use super::voice::{Voice, plain};
use crate::language::Prompt;

/// A line of the overview.
const LINE_CHARS_MAX: usize = 160;

/// Groups by kind, dated; only what entered the prompt is shown, the rest is counted.
pub(super) fn overview(prompt: &Prompt, voice: &Voice<'_>) -> String {
    let entered: HashSet<TraceId> = prompt.entered.iter().map(|entered| entered.recalled.id).collect();
    let groups = prompt.plan.overview.as_ref().map(|all| all.groups.as_slice()).unwrap_or_default();
    let groups: Vec<String> = groups.iter().filter_map(|one| group(one, &entered, voice)).collect();
    if groups.is_empty() {
        return voice.say(Phrase::OverviewEmpty, &[]);
    }
    std::iter::once(voice.say(Phrase::Overview, &[])).chain(groups).collect::<Vec<_>>().join("\n\n")
}

fn group(group: &OverviewGroup, entered: &HashSet<TraceId>, voice: &Voice<'_>) -> Option<String> {
    let shown: Vec<_> = group.traces.iter().filter(|trace| entered.contains(&trace.id)).collect();
    let more = group.more + group.traces.len() - shown.len();
    if shown.is_empty() && more == 0 {
        return None;
    }
    let heading = voice.say(heading(group.kind), &[]);
    let items = shown.into_iter().map(|trace| {
        let day = voice.day(trace.recorded_at);
        let date = label(trace, voice).map_or_else(|| day.clone(), |label| format!("{label}, {day}"));
        voice.say(Phrase::OverviewItem, &[("text", &plain(&trace.text, LINE_CHARS_MAX)), ("date", &date)])
    });
    let rest = (more > 0).then(|| voice.say(Phrase::OverviewMore, &[("count", &more.to_string())]));
    Some(std::iter::once(heading).chain(items).chain(rest).collect::<Vec<_>>().join("\n"))
}

fn heading(kind: TraceKind) -> Phrase {
    match kind {
        TraceKind::Semantic => Phrase::KindSemantic,
        TraceKind::Episodic => Phrase::KindEpisodic,
        TraceKind::Procedural => Phrase::KindProcedural,
        TraceKind::Relational => Phrase::KindRelational,
        TraceKind::Prospective => Phrase::KindProspective,
    }
}
