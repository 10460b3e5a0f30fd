//! Looking at a snapshot: lists, one trace, overview, figures.

use bethink_domain::{Overview, OverviewGroup, Recalled, ScoreTerms, Span, Timestamp, TraceKind, TraceView};
use bethink_protocol::{ExportTraces, ExportedTraces, ListTraces, Page, StoreFigures, TraceFilter};

use crate::snapshot::{Place, Snapshot};

/// Traces above an id as they are stored, oldest first. At least one where there is any, and no more than `bytes_max`
/// of text beyond the first.
pub(crate) fn export(snapshot: &Snapshot, request: &ExportTraces, bytes_max: usize) -> ExportedTraces {
    let limit = request.limit.clamp(1, PAGE_MAX);
    let (mut traces, mut bytes) = (Vec::new(), 0);
    for place in snapshot.places_above(request.after) {
        bytes += snapshot.body(place).text.len();
        if !traces.is_empty() && (traces.len() >= limit || bytes > bytes_max) {
            return ExportedTraces { traces, more: true };
        }
        traces.push(snapshot.trace_at(place));
    }
    ExportedTraces { traces, more: false }
}

/// Most traces of one page.
const PAGE_MAX: usize = 1_000;

/// A page of traces, newest first. New traces have higher ids, so paging down skips and repeats none.
pub(crate) fn list(snapshot: &Snapshot, request: &ListTraces) -> Page {
    let limit = request.limit.clamp(1, PAGE_MAX);
    let wanted = |place: &Place| {
        let below = request.before.is_none_or(|before| snapshot.id(*place) < before);
        below && matches(snapshot, *place, &request.filter, request.at)
    };
    let mut places = snapshot.places().rev().filter(wanted);
    let traces = places.by_ref().take(limit).map(|place| view(snapshot, place, request.at)).collect();
    Page { traces, more: places.next().is_some() }
}

fn matches(snapshot: &Snapshot, place: Place, filter: &TraceFilter, at: Timestamp) -> bool {
    let state = snapshot.state(place);
    let faded = snapshot.faded(place, at);
    let shown = if filter.faded { faded } else { filter.all || (!faded && !state.replaced()) };
    shown
        && filter.kind.is_none_or(|kind| kind == state.kind)
        && filter.since.is_none_or(|since| state.recorded_at >= since)
}

/// A trace with what is computed about it now; its history is left empty.
pub(crate) fn view(snapshot: &Snapshot, place: Place, at: Timestamp) -> TraceView {
    let (decay, vitals) = (snapshot.decay(), snapshot.state(place).vitals());
    TraceView {
        trace: snapshot.trace_at(place),
        strength: decay.strength(&vitals, at),
        stability_days: decay.stability_days(&vitals),
        faded: snapshot.faded(place, at),
        kept: decay.kept(&vitals),
        folded: Vec::new(),
        history: Vec::new(),
    }
}

/// What is known about the user, by kind; pinned and strong first.
pub(crate) fn survey(snapshot: &Snapshot, per_group: usize, at: Timestamp) -> Overview {
    let living = |place: &Place| !snapshot.state(*place).replaced() && !snapshot.faded(*place, at);
    let all: Vec<Recalled> =
        snapshot.places().filter(living).map(|place| surveyed(snapshot, place, at)).collect();
    let pinned = |recalled: &Recalled| snapshot.find(recalled.id).is_some_and(|p| snapshot.state(p).pinned);
    let mut groups = Vec::new();
    for kind in TraceKind::ALL {
        let mut traces: Vec<(bool, Recalled)> =
            all.iter().filter(|r| r.kind == kind).map(|r| (pinned(r), r.clone())).collect();
        traces.sort_by(|(a_pinned, a), (b_pinned, b)| {
            let first = b_pinned.cmp(a_pinned).then_with(|| b.strength.total_cmp(&a.strength));
            first.then_with(|| b.id.cmp(&a.id))
        });
        let more = traces.len().saturating_sub(per_group);
        traces.truncate(per_group);
        if !traces.is_empty() || more > 0 {
            groups.push(OverviewGroup { kind, traces: traces.into_iter().map(|(_, r)| r).collect(), more });
        }
    }
    Overview { groups, total: all.len() }
}

/// A trace in an overview, where nothing was asked: its score is its strength.
pub(crate) fn surveyed(snapshot: &Snapshot, place: Place, at: Timestamp) -> Recalled {
    let (state, body) = (snapshot.state(place), snapshot.body(place));
    let strength = snapshot.decay().strength(&state.vitals(), at);
    Recalled {
        id: snapshot.id(place),
        kind: state.kind,
        text: body.text.clone(),
        speaker: body.speaker.clone(),
        source: state.source,
        confidence: state.confidence,
        occurred_at: state.occurred_at,
        recorded_at: state.recorded_at,
        score: strength,
        relevance: 0.0,
        strength,
        faded: false,
        faded_at: None,
        terms: ScoreTerms { priority: state.priority, ..ScoreTerms::default() },
    }
}

/// Figures of a snapshot.
pub(crate) fn measure(snapshot: &Snapshot, at: Timestamp) -> StoreFigures {
    let embedder = snapshot.embedder().filter(|_| snapshot.embedder_stored);
    StoreFigures {
        traces: snapshot.len(),
        faded: snapshot.places().filter(|place| snapshot.faded(*place, at)).count(),
        unembedded: snapshot.unembedded(),
        turns: usize::try_from(snapshot.counters.turns).unwrap_or(usize::MAX),
        journal_entries: snapshot.journal_entries(),
        embedder: embedder.map(|embedder| embedder.identity.clone()),
        scrub_pending: snapshot.counters.scrub_pending,
        scrubbed_at: None,
        clock_back: Span::from_millis(snapshot.counters.clock_back_ms),
    }
}
