//! Changing what is there: pins, edits, vectors that come late.

use std::sync::Arc;

use bethink_domain::{Cause, Quantity, Timestamp, TraceId, UnitVector};
use bethink_protocol::{Edit, Pin, Remembered};

use super::{Answer, Change, Refused, changed};
use crate::file::tables::Op;
use crate::masking;
use crate::rows::TraceBody;
use crate::tokens::{Tokens, forgotten_hash};

impl Change<'_> {
    pub(super) fn pin(&mut self, pin: &Pin) -> Result<Answer, Refused> {
        let place = self.living(pin.id)?;
        let mut state = *self.snapshot.state(place);
        if state.pinned == pin.pinned {
            return Ok(Answer::Done);
        }
        self.note_time(pin.at);
        let number = |pinned: bool| if pinned { 1.0 } else { 0.0 };
        let change = changed(pin.id, Quantity::Pinned, number(state.pinned), number(pin.pinned));
        state.pinned = pin.pinned;
        state.revision = state.revision.saturating_add(1);
        self.put_state(place, state);
        self.journal(pin.at, Cause::Command, "pin", vec![change]);
        Ok(Answer::Done)
    }

    /// Replaces a text; the trace is as old as the edit from now on, and keeps its uses.
    pub(super) fn edit(
        &mut self,
        edit: &Edit,
        masked: &[&'static str],
        embedding: Option<&UnitVector>,
    ) -> Result<Answer, Refused> {
        let place = self.living(edit.id)?;
        let (text, mut kinds) = self.checked_text(&edit.text)?;
        masking::join(&mut kinds, masked);
        self.note_time(edit.at);
        let old = forgotten_hash(&self.snapshot.body(place).text);
        if old != forgotten_hash(&text) {
            self.ops.push(Op::Former(edit.id, old));
        }
        let tokens = Tokens::of(&text);
        let body = TraceBody { text: text.as_str().into(), ..TraceBody::clone(self.snapshot.body(place)) };
        let body = Arc::new(body);
        let mut state = *self.snapshot.state(place);
        let before = state.revision;
        state.revision = before.saturating_add(1);
        state.recorded_at = edit.at;
        state.credited_at = None;
        self.snapshot.set_body(place, body.clone(), &tokens);
        self.reword_reminder(edit.id, &body.text);
        self.ops.push(Op::Body(edit.id, body, Arc::new(tokens)));
        self.put_state(place, state);
        // Of the generation that serves and of the next one.
        self.snapshot.set_vector(place, None);
        self.ops.push(Op::DropVector(edit.id));
        let embedded = self.put_vector(place, embedding);
        self.put_next(edit.id, embedding);
        let change = changed(edit.id, Quantity::Text, before as f32, state.revision as f32);
        self.journal(edit.at, Cause::Command, "edit", vec![change]);
        Ok(Answer::Remembered(Remembered { id: edit.id, text, new: true, masked: kinds, embedded }))
    }

    /// Takes vectors for texts that are still the same and still have none.
    pub(super) fn embed(
        &mut self,
        at: Timestamp,
        generation: u16,
        vectors: &[(TraceId, u64, UnitVector)],
    ) -> Result<Answer, Refused> {
        let mut changes = Vec::new();
        if self.snapshot.embedder().is_none_or(|embedder| embedder.generation != generation) {
            return Ok(Answer::Done);
        }
        for (id, key, vector) in vectors {
            let Some(place) = self.snapshot.find(*id) else { continue };
            let block = self.snapshot.block(place);
            let waiting = !block.embedded(place.row) && block.key(place.row) == *key;
            if waiting && self.put_served(place, vector) {
                changes.push(changed(*id, Quantity::Embedded, 0.0, 1.0));
            }
        }
        if !changes.is_empty() {
            self.journal(at, Cause::Command, "embedding", changes);
        }
        Ok(Answer::Done)
    }
}
