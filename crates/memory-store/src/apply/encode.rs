//! Storing what is stated.

use std::sync::Arc;

use bethink_domain::{
    Cause, Draft, Evidence, Origin, Quantity, Span, Stability, Timestamp, TraceId, TraceKind, UnitVector,
};
use bethink_protocol::{MemoryError, Remember, Remembered};

use super::{Answer, Change, Refused, changed};
use crate::file::read::Past;
use crate::file::tables::Op;
use crate::masking;
use crate::rows::{TraceBody, TraceState};
use crate::snapshot::{Place, Row};
use crate::tokens::{Tokens, forgotten_hash, same_words};
use crate::vector::QuantisedVector;

/// An event told again within this span is the same event.
const SAME_EVENT: Span = Span::from_seconds(24 * 3600);
/// Origins that one trace names at most; a thing told more often has evidence enough.
pub(super) const LINEAGE_MAX: usize = 64;
/// Importance of what is said, where the draft's is no number.
const IMPORTANCE_SAID: f32 = 5.0;

/// A draft that may be stored.
pub(super) struct Statement<'d> {
    pub(super) draft: &'d Draft,
    pub(super) text: String,
    masked: Vec<&'static str>,
    pub(super) tokens: Tokens,
}

impl Change<'_> {
    pub(super) fn remember(
        &mut self,
        remember: &Remember,
        masked: &[&'static str],
        past: &dyn Past,
    ) -> Result<Answer, Refused> {
        let mut statement = self.check(&remember.draft)?;
        masking::join(&mut statement.masked, masked);
        // A person who asks for what was forgotten takes it back; what was made of other things does not.
        if remember.draft.asked && past.forgotten(&statement.text)? {
            self.ops.push(Op::ToldAgain(forgotten_hash(&statement.text)));
        }
        self.note_time(remember.at);
        Ok(Answer::Remembered(self.encode(statement, remember.at, Cause::Command)))
    }

    /// Checks a draft, and masks secrets in it.
    pub(super) fn check<'d>(&self, draft: &'d Draft) -> Result<Statement<'d>, MemoryError> {
        let (text, masked) = self.checked_text(&draft.text)?;
        let tokens = Tokens::of(&text);
        Ok(Statement { draft, text, masked, tokens })
    }

    pub(super) fn checked_text(&self, text: &str) -> Result<(String, Vec<&'static str>), MemoryError> {
        check_text(text, self.rules.config.text_bytes_max)?;
        Ok(masking::masked(text.trim()))
    }

    /// Stores a statement, or counts it as evidence for the trace that says the same.
    pub(super) fn encode(&mut self, statement: Statement<'_>, at: Timestamp, cause: Cause) -> Remembered {
        match self.twin(&statement, at) {
            Some(place) => self.corroborate(place, statement, at, cause),
            None => self.add(statement, at, cause),
        }
    }

    /// The living trace that says the same, by the same speaker and from the same kind of source.
    fn twin(&self, statement: &Statement<'_>, at: Timestamp) -> Option<Place> {
        let draft = statement.draft;
        let recent =
            |recorded: Timestamp| at.since(recorded) <= SAME_EVENT && recorded.since(at) <= SAME_EVENT;
        let same = |place: &Place| {
            let (state, body) = (self.snapshot.state(*place), self.snapshot.body(*place));
            state.kind == draft.kind
                && state.source == draft.source
                && !state.replaced()
                && body.speaker.as_deref() == draft.speaker.as_deref()
                && (draft.kind != TraceKind::Episodic || recent(state.recorded_at))
                && !self.snapshot.faded(*place, at)
                && same_words(&body.text, &statement.text)
        };
        self.snapshot.with_key(statement.tokens.key).into_iter().find(same)
    }

    fn corroborate(
        &mut self,
        place: Place,
        statement: Statement<'_>,
        at: Timestamp,
        cause: Cause,
    ) -> Remembered {
        let draft = statement.draft;
        let id = self.snapshot.id(place);
        let mut state = *self.snapshot.state(place);
        let before = state.evidence.0;
        state.evidence = Evidence(before.saturating_add(1));
        state.asked |= draft.asked;
        state.provisional &= draft.provisional;
        state.importance = state.importance.max(importance(draft.importance));
        self.put_state(place, state);
        self.add_origins(place, &draft.lineage);
        if !self.snapshot.block(place).embedded(place.row) {
            self.put_vector(place, draft.embedding.as_ref());
        }
        let change = changed(id, Quantity::Evidence, before as f32, state.evidence.0 as f32);
        self.journal(at, cause, "evidence", vec![change]);
        Remembered {
            id,
            text: self.snapshot.body(place).text.to_string(),
            new: false,
            masked: statement.masked,
            embedded: self.snapshot.block(place).embedded(place.row),
        }
    }

    fn add(&mut self, statement: Statement<'_>, at: Timestamp, cause: Cause) -> Remembered {
        let Statement { draft, text, masked, tokens } = statement;
        let id = self.next_id(at);
        let (state, body) = (fresh_state(draft, at), fresh_body(draft, &text));
        let embedded = self.put_new(id, state, body, tokens, draft.embedding.as_ref());
        let change = changed(id, Quantity::Encoded, 0.0, state.importance);
        self.journal(at, cause, "encoding", vec![change]);
        Remembered { id, text, new: true, masked, embedded }
    }

    /// Adds a trace that was not there, with the vector that it brings if that can be stored; whether it could.
    pub(super) fn put_new(
        &mut self,
        id: TraceId,
        state: TraceState,
        body: TraceBody,
        tokens: Tokens,
        embedding: Option<&UnitVector>,
    ) -> bool {
        let body = Arc::new(body);
        let vector = self.brought(embedding).and_then(|vector| self.quantised(vector));
        let embedded = vector.is_some();
        self.ops.push(Op::Body(id, body.clone(), Arc::new(tokens.clone())));
        self.ops.push(Op::State(id, state));
        if let Some((generation, vector)) = &vector {
            self.ops.push(Op::Vector(id, *generation, vector.clone()));
        }
        let vector = vector.map(|(_, vector)| QuantisedVector::clone(&vector));
        self.snapshot.push(Row { id, state, body, tokens, vector });
        self.put_next(id, embedding);
        embedded
    }

    pub(super) fn next_id(&mut self, at: Timestamp) -> TraceId {
        let last = self.snapshot.counters.last_trace;
        let chance = self.rules.entropy.draw(&self.rules.space, "trace id", last, 0);
        let id = TraceId::compose(at, chance, last);
        self.snapshot.counters.last_trace = id.raw();
        id
    }

    pub(super) fn put_state(&mut self, place: Place, state: TraceState) {
        self.snapshot.set_state(place, state);
        self.ops.push(Op::State(self.snapshot.id(place), state));
    }

    /// Gives a trace the vector that a command brings, if it is of the embedder that serves; whether it was.
    pub(super) fn put_vector(&mut self, place: Place, vector: Option<&UnitVector>) -> bool {
        self.brought(vector).is_some_and(|vector| self.put_served(place, vector))
    }

    /// A vector that a command brings: the configured embedder made it, which need not be the one that serves.
    pub(super) fn brought<'v>(&self, vector: Option<&'v UnitVector>) -> Option<&'v UnitVector> {
        vector.filter(|_| !self.snapshot.foreign)
    }

    /// Gives a trace a vector that the embedder that serves has made; whether it can be one.
    pub(super) fn put_served(&mut self, place: Place, vector: &UnitVector) -> bool {
        let Some((generation, vector)) = self.quantised(vector) else { return false };
        self.snapshot.set_vector(place, Some(&vector));
        self.ops.push(Op::Vector(self.snapshot.id(place), generation, vector));
        true
    }

    /// A vector in its stored form, unless it cannot be of the embedder that serves.
    pub(super) fn quantised(&mut self, vector: &UnitVector) -> Option<(u16, Arc<QuantisedVector>)> {
        let embedder = self.snapshot.embedder()?.clone();
        if vector.as_slice().len() != usize::from(embedder.identity.dimensions) {
            return None;
        }
        let generation = embedder.generation;
        if !self.snapshot.embedder_stored {
            self.snapshot.embedder_stored = true;
            self.ops.push(Op::Embedder(embedder));
        }
        Some((generation, Arc::new(QuantisedVector::new(vector))))
    }

    fn add_origins(&mut self, place: Place, origins: &[Origin]) {
        let body = self.snapshot.body(place);
        let new = |origin: &&Origin| !body.lineage.contains(origin);
        let room = LINEAGE_MAX.saturating_sub(body.lineage.len());
        let more: Vec<Origin> = origins.iter().filter(new).take(room).cloned().collect();
        if more.is_empty() {
            return;
        }
        let mut body = TraceBody::clone(body);
        body.lineage.extend(more);
        let body = Arc::new(body);
        self.snapshot.set_body_but_words(place, body.clone());
        let tokens = Arc::new(Tokens::of(&body.text));
        self.ops.push(Op::Body(self.snapshot.id(place), body, tokens));
    }
}

/// Refuses texts that say nothing and texts that are too long.
pub(crate) fn check_text(text: &str, bytes_max: usize) -> Result<(), MemoryError> {
    let says_nothing = |c: char| c.is_whitespace() || c.is_control();
    if text.chars().all(says_nothing) {
        return Err(MemoryError::Invalid("the text is empty".to_owned()));
    }
    if text.len() > bytes_max {
        let given = text.len();
        return Err(MemoryError::Invalid(format!("the text has {given} bytes; the limit is {bytes_max}")));
    }
    Ok(())
}

pub(super) fn fresh_state(draft: &Draft, at: Timestamp) -> TraceState {
    let confidence = if draft.confidence.is_nan() { 0.0 } else { draft.confidence.clamp(0.0, 1.0) };
    TraceState {
        kind: draft.kind,
        source: draft.source,
        confidence,
        importance: importance(draft.importance),
        weight: 1.0,
        stability: Stability::FRESH,
        priority: 0.0,
        occurred_at: draft.occurred_at,
        recorded_at: at,
        credited_at: None,
        evidence: Evidence(1),
        revision: 0,
        pinned: false,
        flashbulb: false,
        provisional: draft.provisional,
        asked: draft.asked,
        superseded_by: None,
        distilled_into: None,
    }
}

pub(super) fn fresh_body(draft: &Draft, text: &str) -> TraceBody {
    TraceBody {
        text: text.into(),
        speaker: draft.speaker.as_deref().map(Into::into),
        lineage: draft.lineage.iter().take(LINEAGE_MAX).cloned().collect(),
        entities: Vec::new(),
        tags: Vec::new(),
        affect: draft.affect,
        valid_from: None,
        valid_to: None,
    }
}

pub(super) fn importance(value: f32) -> f32 {
    if value.is_nan() { IMPORTANCE_SAID } else { value.clamp(1.0, 10.0) }
}
