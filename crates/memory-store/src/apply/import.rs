//! Taking in a trace of another space, or of this one at another time.

use bethink_domain::{
    Cause, Evidence, Origin, Quantity, Source, Stability, Timestamp, Trace, TraceId, TraceKind,
};
use bethink_protocol::{Import, Imported};

use super::encode::{LINEAGE_MAX, importance};
use super::{Answer, Change, Refused, changed};
use crate::file::read::Past;
use crate::masking;
use crate::rows::{TraceBody, TraceState};
use crate::snapshot::Snapshot;
use crate::tokens::{Tokens, same_words, text_key};

impl Change<'_> {
    pub(super) fn import(
        &mut self,
        import: &Import,
        masked: &[&'static str],
        past: &dyn Past,
    ) -> Result<Answer, Refused> {
        let (text, mut kinds) = self.checked_text(&import.trace.text)?;
        masking::join(&mut kinds, masked);
        let trace = &import.trace;
        let said = Said { text: &text, ..Said::of(trace) };
        if let Some(id) = said.known(self.snapshot) {
            return Ok(Answer::Imported(Imported::Known { id }));
        }
        if !import.revive && past.forgotten(&text)? {
            return Ok(Answer::Imported(Imported::Forgotten));
        }
        self.note_time(import.at);
        // Its age is its own, so that it lies among the others as it did; but nothing is told in the future.
        let recorded_at = trace.recorded_at.min(import.at);
        let id = self.next_id(recorded_at);
        let state = state(trace, recorded_at);
        let embedded =
            self.put_new(id, state, body(trace, &text), Tokens::of(&text), import.embedding.as_ref());
        let change = changed(id, Quantity::Encoded, 0.0, state.importance);
        self.journal(import.at, Cause::Command, "encoding", vec![change]);
        Ok(Answer::Imported(Imported::Stored { id, masked: kinds, embedded }))
    }
}

/// The trace of a space that an import would only repeat.
pub(crate) fn known(snapshot: &Snapshot, trace: &Trace) -> Option<TraceId> {
    let (text, _) = masking::masked(trace.text.trim());
    Said { text: &text, ..Said::of(trace) }.known(snapshot)
}

/// What tells whether two traces are one: an event by its time too, since the same can happen twice.
struct Said<'t> {
    text: &'t str,
    speaker: Option<&'t str>,
    kind: TraceKind,
    source: Source,
    occurred_at: Timestamp,
}

impl<'t> Said<'t> {
    fn of(trace: &'t Trace) -> Self {
        Self {
            text: &trace.text,
            speaker: trace.speaker.as_deref(),
            kind: trace.kind,
            source: trace.source,
            occurred_at: trace.occurred_at,
        }
    }

    /// The trace that says the same, faded and superseded ones too.
    fn known(&self, snapshot: &Snapshot) -> Option<TraceId> {
        let same = |place: &crate::snapshot::Place| {
            let (state, body) = (snapshot.state(*place), snapshot.body(*place));
            state.kind == self.kind
                && state.source == self.source
                && body.speaker.as_deref() == self.speaker
                && (self.kind != TraceKind::Episodic || state.occurred_at == self.occurred_at)
                && same_words(&body.text, self.text)
        };
        snapshot.with_key(text_key(self.text)).into_iter().find(same).map(|place| snapshot.id(place))
    }
}

/// Numbers of a trace that came from outside, in their ranges.
fn state(trace: &Trace, recorded_at: Timestamp) -> TraceState {
    let within = |value: f32, least: f32, most: f32, otherwise: f32| {
        if value.is_nan() { otherwise } else { value.clamp(least, most) }
    };
    let Stability { uses, suppression, source, schema } = trace.stability;
    TraceState {
        kind: trace.kind,
        source: trace.source,
        confidence: within(trace.confidence, 0.0, 1.0, 0.0),
        importance: importance(trace.importance),
        weight: within(trace.weight, 0.0, WEIGHT_MAX, 1.0),
        stability: Stability {
            uses,
            suppression: within(suppression, 0.1, 1.0, 1.0),
            source: within(source, 0.0, 1.0, 1.0),
            schema: within(schema, 1.0, 1.1, 1.0),
        },
        priority: within(trace.priority, 0.0, 1.0, 0.0),
        occurred_at: trace.occurred_at,
        recorded_at,
        credited_at: trace.credited_at.map(|at| at.max(recorded_at)),
        evidence: Evidence(trace.evidence.0.max(1)),
        revision: 0,
        pinned: trace.pinned,
        flashbulb: trace.flashbulb,
        provisional: trace.provisional,
        asked: trace.asked,
        superseded_by: None,
        distilled_into: None,
    }
}

/// Most that encoding multiplies stability by; what a file says beyond it is no weight of ours.
const WEIGHT_MAX: f32 = 10.0;

/// What a trace says. Turns and traces of another space are none of this one, so that its lineage keeps only what was
/// given, and that it was imported.
fn body(trace: &Trace, text: &str) -> TraceBody {
    let imported = Origin::Given("import".into());
    let given =
        trace.lineage.iter().filter(|origin| matches!(origin, Origin::Given(_)) && **origin != imported);
    let mut lineage: Vec<Origin> = given.take(LINEAGE_MAX - 1).cloned().collect();
    lineage.push(imported);
    TraceBody {
        text: text.into(),
        speaker: trace.speaker.clone(),
        lineage,
        entities: trace.entities.clone(),
        tags: trace.tags.clone(),
        affect: trace.affect,
        valid_from: trace.valid_from,
        valid_to: trace.valid_to,
    }
}
