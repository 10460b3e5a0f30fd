//! What use and mistakes leave behind.

use bethink_domain::{Cause, Quantity, Span, Timestamp, TraceId};
use bethink_protocol::{Correct, Credit, MemoryError};

use super::{Answer, Change, Refused, changed};
use crate::file::tables::Op;
use crate::rows::RecallRow;

/// For so long after a recall, use can be reported.
pub(super) const CREDITABLE: Span = Span::from_seconds(24 * 3600);
/// Share of what is missing to full priority that a use adds.
const CREDIT_SHARE: f32 = 0.1;
/// What a mistake takes off priority.
const CORRECTION: f32 = 0.2;

/// Which list of a recall remembers what was reported.
#[derive(Clone, Copy)]
enum Report {
    Helpful,
    Wrong,
}

impl Change<'_> {
    pub(super) fn credit_recall(&mut self, credit: &Credit) -> Result<Answer, Refused> {
        self.report(credit.recall, &credit.ids, credit.at, Report::Helpful)
    }

    pub(super) fn correct_recall(&mut self, correct: &Correct) -> Result<Answer, Refused> {
        self.report(correct.recall, &correct.ids, correct.at, Report::Wrong)
    }

    fn report(
        &mut self,
        recall: bethink_domain::RecallId,
        ids: &[TraceId],
        at: Timestamp,
        report: Report,
    ) -> Result<Answer, Refused> {
        let row = self.snapshot.recalls.get(recall).filter(|row| at.since(row.at) <= CREDITABLE);
        let mut row = row.cloned().ok_or(MemoryError::NoSuchRecall(recall))?;
        if let Some(stranger) = ids.iter().find(|id| !row.shown.contains(id)) {
            return Err(MemoryError::NoSuch(format!("trace {stranger} in recall {recall}")).into());
        }
        let reported = reported(&mut row, report);
        let mut fresh: Vec<TraceId> = Vec::new();
        for id in ids {
            if !reported.contains(id) && !fresh.contains(id) {
                fresh.push(*id);
            }
        }
        let living: Vec<TraceId> =
            fresh.iter().copied().filter(|id| self.snapshot.find(*id).is_some()).collect();
        if let (Some(gone), true) = (fresh.first(), living.is_empty()) {
            return Err(MemoryError::NoSuch(format!("trace {gone}")).into());
        }
        if living.is_empty() {
            return Ok(Answer::Done);
        }
        reported.extend(&living);
        self.note_time(at);
        match report {
            Report::Helpful => self.credit(&living, Cause::Recall(recall), at),
            Report::Wrong => self.correct(&living, Cause::Recall(recall), at),
        }
        self.snapshot.recalls.put(recall, row.clone());
        self.ops.push(Op::Recall(recall, row));
        Ok(Answer::Done)
    }

    /// A use: stability grows, the clock starts again, priority rises. What is gone is passed over.
    pub(super) fn credit(&mut self, ids: &[TraceId], cause: Cause, at: Timestamp) {
        let mut changes = Vec::new();
        for (nth, id) in ids.iter().enumerate() {
            let Some(place) = self.snapshot.find(*id).filter(|_| !ids[..nth].contains(id)) else { continue };
            let decay = *self.snapshot.decay();
            let before = *self.snapshot.state(place);
            let mut after = before;
            after.stability.uses = before.stability.uses.saturating_add(1);
            // A clock that went back must not make the trace older.
            after.credited_at = Some(before.credited_at.map_or(at, |credited| credited.max(at)));
            after.priority = (before.priority + CREDIT_SHARE * (1.0 - before.priority)).clamp(0.0, 1.0);
            self.put_state(place, after);
            let (old, new) = (before.vitals(), after.vitals());
            let number = |n: u32| n as f32;
            changes.extend([
                changed(*id, Quantity::Strength, decay.strength(&old, at), decay.strength(&new, at)),
                changed(*id, Quantity::StabilityDays, decay.stability_days(&old), decay.stability_days(&new)),
                changed(*id, Quantity::Uses, number(before.stability.uses), number(after.stability.uses)),
                changed(*id, Quantity::Priority, before.priority, after.priority),
            ]);
        }
        if !changes.is_empty() {
            self.journal(at, cause, "credit", changes);
        }
    }

    /// Praise: priority rises by one step; uses and clock stay. What is gone is passed over.
    pub(super) fn praise(&mut self, ids: &[TraceId], cause: Cause, at: Timestamp) {
        self.shift_priority(ids, cause, at, "praise", |before| before + CREDIT_SHARE * (1.0 - before));
    }

    /// A mistake: priority falls; uses and clock stay. What is gone is passed over.
    pub(super) fn correct(&mut self, ids: &[TraceId], cause: Cause, at: Timestamp) {
        self.shift_priority(ids, cause, at, "correction", |before| before - CORRECTION);
    }

    fn shift_priority(
        &mut self,
        ids: &[TraceId],
        cause: Cause,
        at: Timestamp,
        mechanism: &'static str,
        shift: impl Fn(f32) -> f32,
    ) {
        let mut changes = Vec::new();
        for (nth, id) in ids.iter().enumerate() {
            let Some(place) = self.snapshot.find(*id).filter(|_| !ids[..nth].contains(id)) else { continue };
            let mut state = *self.snapshot.state(place);
            let before = state.priority;
            state.priority = shift(before).clamp(0.0, 1.0);
            self.put_state(place, state);
            changes.push(changed(*id, Quantity::Priority, before, state.priority));
        }
        if !changes.is_empty() {
            self.journal(at, cause, mechanism, changes);
        }
    }
}

fn reported(row: &mut RecallRow, report: Report) -> &mut Vec<TraceId> {
    match report {
        Report::Helpful => &mut row.credited,
        Report::Wrong => &mut row.corrected,
    }
}
