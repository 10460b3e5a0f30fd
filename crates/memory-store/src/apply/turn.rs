//! Keeping turns.

use bethink_domain::{Cause, Span, Timestamp, TurnId};
use bethink_protocol::{CompleteTurn, Completed, RecordTurn};

use super::{Answer, Change, Refused};
use crate::file::read::Past;
use crate::file::tables::Op;
use crate::masking;

impl Change<'_> {
    /// Keeps an answered turn; the second time it only repeats its answer.
    pub(super) fn complete_turn(&mut self, turn: &CompleteTurn, past: &dyn Past) -> Result<Answer, Refused> {
        let id = turn.exchange.turn;
        if self.known(id, past)? {
            let encoded = past.turn(id)?.map(|record| record.encoded).unwrap_or_default();
            return Ok(Answer::Completed(Completed { encoded }));
        }
        let statements = turn.stated.iter().map(|draft| self.check(draft)).collect::<Result<Vec<_>, _>>()?;
        let (at, cause) = (turn.exchange.at, Cause::Turn(id));
        self.note_time(at);
        // Uses come before what is new: a statement cannot have been used in the turn that made it.
        self.credit(&turn.used, cause, at);
        self.praise(&turn.praised, cause, at);
        self.correct(&turn.corrected, cause, at);
        let encoded = statements.into_iter().map(|statement| self.encode(statement, at, cause).id).collect();
        self.put_exchange(turn);
        let mut record = turn.record.clone();
        record.turn = id;
        record.encoded = encoded;
        let encoded = record.encoded.clone();
        self.put_record(record);
        Ok(Answer::Completed(Completed { encoded }))
    }

    /// Keeps only how a turn went that was not answered.
    pub(super) fn record_turn(&mut self, turn: &RecordTurn, past: &dyn Past) -> Result<Answer, Refused> {
        if !self.known(turn.record.turn, past)? {
            self.note_time(turn.record.at);
            self.put_record(turn.record.clone());
        }
        Ok(Answer::Done)
    }

    /// Whether the transcript has a turn. Ids grow, so the file is asked only about old ones.
    fn known(&self, turn: TurnId, past: &dyn Past) -> Result<bool, Refused> {
        Ok(turn.raw() <= self.snapshot.counters.last_turn && past.exchange(turn)?.is_some())
    }

    fn put_exchange(&mut self, turn: &CompleteTurn) {
        let mut exchange = turn.exchange.clone();
        exchange.message = masking::masked(&exchange.message).0;
        exchange.reply = masking::masked(&exchange.reply).0;
        self.snapshot.counters.turns += 1;
        self.ops.push(Op::Exchange(Box::new(exchange)));
    }

    fn put_record(&mut self, record: bethink_domain::TurnRecord) {
        let counters = &mut self.snapshot.counters;
        counters.last_turn = counters.last_turn.max(record.turn.raw());
        let kept = Span::from_days(f64::from(self.rules.config.turn_record_days));
        let oldest: Timestamp = record.at - kept;
        self.ops.push(Op::Turn(Box::new(record)));
        self.ops.push(Op::DropTurnsBelow(TurnId::compose(oldest, 0, 0)));
    }
}
