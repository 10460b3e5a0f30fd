//! Whether the tables of a space agree. Functions of what was read; nothing here knows the disk.

use std::collections::BTreeSet;

use bethink_domain::{FindingKind as Kind, Origin, Quantity, Span, Timestamp, TraceId};

use super::rows::{Rows, entry, trace, turn};
use super::{Checkup, Cure, Diagnosis};
use crate::file::tables::TextSlot;

/// A time counts as of the future when it is further ahead: clocks of two machines differ by less.
const AHEAD: Span = Span::from_seconds(24 * 3600);
/// Times of the journal may go back by so much without the clock's having gone back.
const SLACK: Span = Span::from_seconds(1);

/// Finds where the tables contradict each other.
pub(super) fn agree(rows: &Rows, checkup: &Checkup, found: &mut Diagnosis) {
    traces(rows, found);
    texts(rows, found);
    let known = Known::of(rows);
    journal(rows, &known, found);
    lineage(rows, &known, found);
    conversation(rows, &known, found);
    counters(rows, found);
    times(rows, checkup.at, found);
    embedder(rows, checkup, found);
}

/// What the ids in a space's records may be of.
struct Known {
    /// Told by the journal as having come to be, or as forgotten.
    told: BTreeSet<TraceId>,
    /// From this id on, the journal tells of every trace that ever was; older entries are folded, and what was forgotten
    /// before that left nothing.
    from: TraceId,
}

impl Known {
    fn of(rows: &Rows) -> Self {
        let changes = || rows.journal.values().flatten().flat_map(|entry| &entry.changes);
        let tells = |quantity| matches!(quantity, Quantity::Encoded | Quantity::Forgotten);
        let told = changes().filter(|(_, quantity)| tells(*quantity)).map(|(id, _)| *id).collect();
        let complete = rows.journal.first_key_value().is_none_or(|(first, _)| *first == 1)
            && rows.journal.values().all(Option::is_some);
        let encoded = changes().filter(|(_, quantity)| *quantity == Quantity::Encoded).map(|(id, _)| *id);
        let from = if complete {
            TraceId::from_raw(0)
        } else {
            encoded.min().unwrap_or(TraceId::from_raw(u64::MAX))
        };
        Self { told, from }
    }

    /// Whether a trace certainly never was.
    fn never_was(&self, rows: &Rows, id: TraceId) -> bool {
        id >= self.from && !rows.bodies.contains_key(&id.raw()) && !self.told.contains(&id)
    }
}

fn traces(rows: &Rows, found: &mut Diagnosis) {
    for id in rows.bodies.keys().filter(|id| !rows.states.contains_key(id)) {
        found.add(Kind::NumbersMissing, trace(*id), "");
    }
    for id in rows.states.keys().filter(|id| !rows.bodies.contains_key(id)) {
        found.add(Kind::NumbersUnowned, trace(*id), "");
    }
    for id in rows.vectors.union(&rows.beside).filter(|id| !rows.bodies.contains_key(id)) {
        found.curable(Kind::VectorUnowned, trace(*id), "", Cure::DropVector(*id));
    }
    let waiting = rows.bodies.keys().filter(|id| !rows.vectors.contains(id)).count();
    if waiting > 0 && rows.embedder.is_some() {
        found.add(Kind::VectorMissing, "the space", format!("{waiting} traces"));
    }
}

fn texts(rows: &Rows, found: &mut Diagnosis) {
    for key in rows.texts.difference(&rows.owned) {
        let (slot, id) = *key;
        let of = |known: TextSlot| slot == known as u8;
        let place = if of(TextSlot::Message) || of(TextSlot::Reply) { turn(id) } else { trace(id) };
        found.curable(Kind::TextUnowned, format!("text of {place}"), "", Cure::DropText(*key));
    }
}

fn journal(rows: &Rows, known: &Known, found: &mut Diagnosis) {
    let mut before: Option<u64> = None;
    for sequence in rows.journal.keys() {
        if let Some(missing) = before.map(|before| before + 1).filter(|next| next != sequence) {
            found.add(Kind::JournalGap, entry(missing), format!("the next one is {sequence}"));
        }
        before = Some(*sequence);
    }
    if let Some(counters) = rows.counters
        && counters.journal > before.unwrap_or_default()
    {
        let last = before.unwrap_or_default();
        found.add(Kind::JournalGap, entry(counters.journal), format!("the last one is {last}"));
    }
    let mut forgotten = BTreeSet::new();
    for (sequence, facts) in &rows.journal {
        for (id, quantity) in facts.iter().flat_map(|facts| &facts.changes) {
            match quantity {
                Quantity::Forgotten => drop(forgotten.insert(*id)),
                Quantity::Encoded => drop(forgotten.remove(id)),
                _ if known.never_was(rows, *id) => {
                    found.add(Kind::JournalStranger, entry(*sequence), format!("it names trace {id}"));
                }
                _ => {}
            }
        }
    }
    for id in forgotten.iter().filter(|id| rows.bodies.contains_key(&id.raw())) {
        found.add(Kind::ForgottenThere, trace(id.raw()), "");
    }
    let whole = rows.journal.values().all(Option::is_some);
    for id in rows.bodies.keys().filter(|_| whole) {
        // A history that cannot be read may tell it, and is found already.
        let folded = rows.folded.get(id).is_some_and(|tells| tells.unwrap_or(true));
        if !folded && !known.told.contains(&TraceId::from_raw(*id)) {
            found.add(Kind::EncodingUntold, trace(*id), "");
        }
    }
}

fn lineage(rows: &Rows, known: &Known, found: &mut Diagnosis) {
    for (id, body) in &rows.bodies {
        for origin in body.iter().flat_map(|body| &body.lineage) {
            let broken = match origin {
                Origin::Turn(of) => {
                    let there = rows.transcript.contains_key(&of.raw()) || rows.turns.contains_key(&of.raw());
                    (!there).then(|| format!("made in turn {of}"))
                }
                Origin::Trace(of) => known.never_was(rows, *of).then(|| format!("made from trace {of}")),
                Origin::Given(_) => None,
            };
            if let Some(detail) = broken {
                found.add(Kind::LineageBroken, trace(*id), detail);
            }
        }
    }
    for (id, state) in &rows.states {
        let Some(state) = state else { continue };
        for (of, what) in [(state.superseded_by, "superseded by"), (state.distilled_into, "distilled into")] {
            if let Some(of) = of.filter(|of| known.never_was(rows, *of)) {
                found.add(Kind::ReferenceBroken, trace(*id), format!("{what} trace {of}"));
            }
        }
    }
}

fn conversation(rows: &Rows, known: &Known, found: &mut Diagnosis) {
    for (id, record) in &rows.turns {
        let Some(record) = record else { continue };
        if record.done && !rows.transcript.contains_key(id) {
            found.add(Kind::TurnUntold, turn(*id), "");
        }
        for of in record.named.iter().filter(|of| known.never_was(rows, **of)) {
            found.add(Kind::ReferenceBroken, turn(*id), format!("it names trace {of}"));
        }
    }
    // Records go after some weeks, the oldest first.
    if let Some((oldest, _)) = rows.turns.first_key_value() {
        for (id, _) in rows.transcript.range(oldest..).filter(|(id, _)| !rows.turns.contains_key(id)) {
            found.add(Kind::TurnUnrecorded, turn(*id), "");
        }
    }
    for (id, named) in &rows.recalls {
        for of in named.iter().flatten().filter(|of| known.never_was(rows, **of)) {
            let place = format!("recall {}", bethink_domain::RecallId::from_raw(*id));
            found.add(Kind::ReferenceBroken, place, format!("it names trace {of}"));
        }
    }
}

/// Numbers are brought up to date at waking by what the tables hold, so that they may be behind, and never ahead.
fn counters(rows: &Rows, found: &mut Diagnosis) {
    let Some(counters) = rows.counters else { return };
    let turns = rows.transcript.len() as u64;
    if counters.turns > turns {
        let detail = format!("{} turns, and the transcript holds {turns}", counters.turns);
        found.add(Kind::CountersAhead, "the space", detail);
    }
    if counters.scrub_pending {
        found.add(Kind::ScrubPending, "the space", "");
    }
}

fn times(rows: &Rows, now: Timestamp, found: &mut Diagnosis) {
    let ahead = |at: &Timestamp| at.since(now) > AHEAD;
    let days = |at: Timestamp| format!("{:.1} days ahead", at.since(now).as_days());
    for (id, state) in &rows.states {
        let Some(state) = state else { continue };
        let latest = state.credited_at.map_or(state.recorded_at, |at| at.max(state.recorded_at));
        if ahead(&latest) {
            found.add(Kind::TimeAhead, trace(*id), days(latest));
        }
    }
    for (id, at) in &rows.transcript {
        if let Some(at) = at.filter(ahead) {
            found.add(Kind::TimeAhead, turn(*id), days(at));
        }
    }
    let mut high: Option<Timestamp> = None;
    let mut behind = false;
    for (sequence, facts) in &rows.journal {
        let Some(facts) = facts else { continue };
        if ahead(&facts.at) {
            found.add(Kind::TimeAhead, entry(*sequence), days(facts.at));
        }
        let back = high.is_some_and(|high| high.since(facts.at) > SLACK);
        behind = (behind || facts.clock) && back;
        if back && !behind {
            found.add(Kind::TimeBack, entry(*sequence), "");
        }
        high = high.max(Some(facts.at));
    }
}

fn embedder(rows: &Rows, checkup: &Checkup, found: &mut Diagnosis) {
    let (Some(Some(stored)), Some(configured)) = (&rows.embedder, &checkup.configured) else { return };
    if stored.identity != *configured {
        let detail = format!("{} is stored, {} is configured", stored.identity.model, configured.model);
        found.add(Kind::EmbedderOther, "the space", detail);
    }
}
