//! Deleting for ever.

use bethink_domain::{Cause, Exchange, Origin, Quantity, TraceId, TurnId, TurnRecord};
use bethink_protocol::{Forget, ForgetReceipt};
use bethink_text::{normalise, sentences};

use super::{Answer, Change, Refused, changed};
use crate::file::read::Past;
use crate::file::tables::Op;
use crate::snapshot::{Place, Snapshot};
use crate::tokens::{contains_words, forgotten_hash, same_words};

/// What stands where a forgotten text stood in the transcript.
pub(crate) const BLANK: &str = "[forgotten]";

impl Change<'_> {
    /// Deletes a trace, its equals, what rests on them alone, and their texts in the transcript; or says what would go.
    pub(super) fn forget(&mut self, forget: &Forget, past: &dyn Past) -> Result<Answer, Refused> {
        let place = self.living(forget.id)?;
        let victims = victims(self.snapshot, place);
        let texts: Vec<(TraceId, String)> = victims
            .iter()
            .map(|place| (self.snapshot.id(*place), self.snapshot.body(*place).text.to_string()))
            .collect();
        let mut former = Vec::new();
        for (id, _) in &texts {
            former.extend(past.former(*id)?);
        }
        let exchanges = redactions(self.snapshot, &victims, &former, past)?;
        let receipt = ForgetReceipt {
            traces: texts.clone(),
            turns: exchanges.iter().map(|exchange| exchange.turn).collect(),
            gone_from_memory: !forget.rehearse,
            gone_from_disk: false,
        };
        if forget.rehearse {
            return Ok(Answer::Forgotten(receipt));
        }
        self.note_time(forget.at);
        let mut changes = Vec::new();
        for (place, (id, text)) in victims.iter().zip(&texts) {
            self.snapshot.forget(*place);
            self.snapshot.change_moving(|moving| moving.settle(*id));
            self.ops.push(Op::DropTrace(*id));
            self.ops.push(Op::Forgotten(forgotten_hash(text), forget.at));
            changes.push(changed(*id, Quantity::Forgotten, 0.0, 1.0));
        }
        self.ops.extend(former.into_iter().map(|hash| Op::Forgotten(hash, forget.at)));
        self.ops.extend(exchanges.into_iter().map(|exchange| Op::Exchange(Box::new(exchange))));
        self.snapshot.counters.scrub_pending = true;
        self.journal(forget.at, Cause::Command, "forgetting", changes);
        Ok(Answer::Forgotten(receipt))
    }
}

/// A trace, those with the same words, and those that rest on these alone; the asked one first.
fn victims(snapshot: &Snapshot, asked: Place) -> Vec<Place> {
    let text = &snapshot.body(asked).text;
    let key = snapshot.block(asked).key(asked.row);
    let twins = snapshot.with_key(key).into_iter();
    let twins = twins.filter(|place| *place != asked && same_words(&snapshot.body(*place).text, text));
    let mut found: Vec<Place> = std::iter::once(asked).chain(twins).collect();
    let mut ids: Vec<TraceId> = found.iter().map(|place| snapshot.id(*place)).collect();
    loop {
        let rests = |place: &Place| {
            let lineage = &snapshot.body(*place).lineage;
            let gone = |origin: &Origin| matches!(origin, Origin::Trace(id) if ids.contains(id));
            !lineage.is_empty() && lineage.iter().all(gone) && !ids.contains(&snapshot.id(*place))
        };
        let more: Vec<Place> = snapshot.places().filter(rests).collect();
        if more.is_empty() {
            return found;
        }
        ids.extend(more.iter().map(|place| snapshot.id(*place)));
        found.extend(more);
    }
}

/// Turns of the transcript as they will read; only those that change.
///
/// Message and reply go where the trace was told; the reply goes where it was shown; and whatever holds the words.
fn redactions(
    snapshot: &Snapshot,
    victims: &[Place],
    former: &[u128],
    past: &dyn Past,
) -> Result<Vec<Exchange>, Refused> {
    let ids: Vec<TraceId> = victims.iter().map(|place| snapshot.id(*place)).collect();
    let mut told: Vec<TurnId> = Vec::new();
    for place in victims {
        let turns = snapshot.body(*place).lineage.iter().filter_map(|origin| match origin {
            Origin::Turn(turn) => Some(*turn),
            Origin::Trace(_) | Origin::Given(_) => None,
        });
        told.extend(turns);
    }
    let mut shown: Vec<TurnId> = Vec::new();
    let any = |list: &[TraceId]| list.iter().any(|id| ids.contains(id));
    past.each_turn(&mut |record: TurnRecord| {
        if any(&record.encoded) {
            told.push(record.turn);
        } else if any(&record.shown) || any(&record.used) {
            shown.push(record.turn);
        }
    })?;
    let needles: Vec<(String, &str)> = victims.iter().map(|place| needle(snapshot, *place)).collect();
    let holds = |text: &str| {
        let plain = normalise(text);
        let was = |part: &str| former.contains(&forgotten_hash(part));
        if !former.is_empty() && (was(text) || sentences(text).into_iter().any(|part| was(&text[part]))) {
            return true;
        }
        needles.iter().any(|(quick, exact)| plain.contains(quick.as_str()) && contains_words(text, exact))
    };
    let mut changed = Vec::new();
    past.each_exchange(&mut |mut exchange: Exchange| {
        let was_told = told.contains(&exchange.turn);
        let message = was_told || holds(&exchange.message);
        let reply = was_told || shown.contains(&exchange.turn) || holds(&exchange.reply);
        let blanks = [(message, &mut exchange.message), (reply, &mut exchange.reply)];
        let mut touched = false;
        for (blank, text) in blanks {
            if blank && text != BLANK {
                *text = BLANK.to_owned();
                touched = true;
            }
        }
        if touched {
            changed.push(exchange);
        }
    })?;
    Ok(changed)
}

/// A first word to look for quickly, and the whole text.
fn needle(snapshot: &Snapshot, place: Place) -> (String, &str) {
    let text = &*snapshot.body(place).text;
    let first = bethink_text::words(text).into_iter().next().map(|word| word.text);
    (first.unwrap_or_else(|| normalise(text.trim())), text)
}
