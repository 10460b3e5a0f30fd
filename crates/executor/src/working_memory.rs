//! Working memory: the few things that each session has in mind.
//!
//! Exchanges and traces are held apart, each in 7 ± slots (Miller 1956; the phonological loop and the episodic buffer
//! of Baddeley 2000), so that one question that shows eight traces does not push the conversation out of mind. Of the
//! conversation, what is out of mind leaves the prompt in batches, at latest when twice the slots are taken.

use std::collections::{HashMap, HashSet, VecDeque};

use bethink_domain::{Personality, SessionId, Span, Timestamp, TraceId, TurnId};
use bethink_providers::{Line, Role};

/// Activation of what is new.
const NEW: f32 = 0.8;
/// A trace that is shown again is in focus again.
const REFOCUS: f32 = 0.2;
/// An exchange is rehearsed when a trace that it was about is shown again.
const REHEARSE: f32 = 0.15;
/// Lost by everything at each turn.
const DECAY: f32 = 0.1;
/// Out of mind below this.
const OUT_BELOW: f32 = 0.15;

/// A message and its reply, with what was shown for it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Exchanged {
    pub(crate) turn: TurnId,
    pub(crate) message: String,
    pub(crate) reply: String,
    pub(crate) shown: Vec<TraceId>,
    /// Seen again by private turns alone, so that a later reply cannot carry it into the transcript.
    pub(crate) private: bool,
}

/// What every session of a space has in mind. In memory only; the transcript is what lasts.
#[derive(Debug)]
pub(crate) struct WorkingMemory {
    slots: usize,
    sessions_max: usize,
    idle: Span,
    sessions: HashMap<SessionId, Mind>,
    /// Counts uses, for finding the session that was longest unused.
    uses: u64,
}

#[derive(Debug, Default)]
struct Mind {
    touched: Timestamp,
    used: u64,
    /// Oldest first.
    exchanges: VecDeque<Held<Exchanged>>,
    /// Oldest first.
    traces: VecDeque<Held<TraceId>>,
}

#[derive(Debug)]
struct Held<T> {
    what: T,
    activation: f32,
}

impl WorkingMemory {
    pub(crate) fn new(personality: &Personality, sessions_max: usize, idle: Span) -> Self {
        let slots = personality.working_memory_slots();
        Self { slots, sessions_max: sessions_max.max(1), idle, sessions: HashMap::new(), uses: 0 }
    }

    /// The conversation of a session as far as it is in mind, oldest first. Private exchanges show to private turns
    /// alone.
    pub(crate) fn conversation(&mut self, session: SessionId, at: Timestamp, private: bool) -> Vec<Line> {
        self.forget_idle(at);
        let Some(mind) = self.sessions.get_mut(&session) else { return Vec::new() };
        self.uses += 1;
        mind.used = self.uses;
        let seen = mind.exchanges.iter().map(|held| &held.what).filter(|one| private || !one.private);
        let lines = seen.flat_map(|one| [(Role::User, &one.message), (Role::Agent, &one.reply)]);
        lines.map(|(role, text)| Line { role, text: text.clone() }).collect()
    }

    /// The traces that a session has in mind.
    pub(crate) fn traces(&self, session: SessionId) -> HashSet<TraceId> {
        let held = self.sessions.get(&session).map(|mind| mind.traces.iter().map(|held| held.what));
        held.into_iter().flatten().collect()
    }

    /// Takes in an answered turn.
    pub(crate) fn absorb(&mut self, session: SessionId, at: Timestamp, exchange: Exchanged) {
        self.forget_idle(at);
        self.uses += 1;
        let mind = self.sessions.entry(session).or_default();
        (mind.touched, mind.used) = (mind.touched.max(at), self.uses);
        mind.take(exchange, self.slots);
        while self.sessions.len() > self.sessions_max {
            let longest_unused = self.sessions.iter().min_by_key(|(_, mind)| mind.used).map(|(id, _)| *id);
            longest_unused.map(|id| self.sessions.remove(&id));
        }
    }

    /// Drops what was forgotten: these traces, every exchange for which one of them was shown, and these turns.
    pub(crate) fn let_go(&mut self, traces: &[TraceId], turns: &[TurnId]) {
        for mind in self.sessions.values_mut() {
            mind.traces.retain(|held| !traces.contains(&held.what));
            mind.exchanges.retain(|held| {
                !turns.contains(&held.what.turn) && !held.what.shown.iter().any(|id| traces.contains(id))
            });
        }
    }

    fn forget_idle(&mut self, now: Timestamp) {
        self.sessions.retain(|_, mind| now.since(mind.touched) <= self.idle);
    }
}

impl Mind {
    fn take(&mut self, exchange: Exchanged, slots: usize) {
        self.exchanges.iter_mut().for_each(|held| held.activation -= DECAY);
        self.traces.iter_mut().for_each(|held| held.activation -= DECAY);
        for held in &mut self.exchanges {
            if held.what.shown.iter().any(|id| exchange.shown.contains(id)) {
                held.activation = (held.activation + REHEARSE).min(1.0);
            }
        }
        for id in &exchange.shown {
            match self.traces.iter_mut().find(|held| held.what == *id) {
                Some(held) => held.activation = (held.activation + REFOCUS).min(1.0),
                None => self.traces.push_back(Held { what: *id, activation: NEW }),
            }
        }
        self.exchanges.push_back(Held { what: exchange, activation: NEW });
        // Each drop changes the start of the conversation, which the caches of providers go by. So what is out of mind is
        // carried along, until as much has gathered as the mind holds.
        if self.exchanges.len() > 2 * slots.max(1) {
            settle(&mut self.exchanges, slots);
        }
        settle(&mut self.traces, slots);
    }
}

/// Drops what is out of mind, and the weakest and oldest while there is too much; never the newest.
fn settle<T>(held: &mut VecDeque<Held<T>>, slots: usize) {
    held.retain(|one| one.activation >= OUT_BELOW);
    while held.len() > slots.max(1) {
        let older = held.iter().enumerate().take(held.len() - 1);
        let weakest = older.min_by(|(_, a), (_, b)| a.activation.total_cmp(&b.activation));
        let Some(place) = weakest.map(|(place, _)| place) else { break };
        held.remove(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mind(sessions_max: usize) -> WorkingMemory {
        WorkingMemory::new(&Personality::NEUTRAL, sessions_max, Span::from_seconds(1_800))
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millis(second * 1_000)
    }

    fn exchange(turn: u64, shown: &[u64]) -> Exchanged {
        Exchanged {
            turn: TurnId::from_raw(turn),
            message: format!("q{turn}"),
            reply: format!("a{turn}"),
            shown: shown.iter().map(|id| TraceId::from_raw(*id)).collect(),
            private: false,
        }
    }

    /// The questions in mind after these turns, each with the traces that were shown for it.
    fn check(turns: &[&[u64]], in_mind: &str) {
        let mut memory = mind(4);
        let session = SessionId::from_raw(1);
        for (n, shown) in turns.iter().enumerate() {
            memory.absorb(session, at(0), exchange(n as u64, shown));
        }
        let lines = memory.conversation(session, at(0), false);
        let asked: Vec<&str> =
            lines.iter().filter(|line| line.role == Role::User).map(|line| line.text.as_str()).collect();
        assert_eq!(asked.join(" "), in_mind);
    }

    #[test]
    fn seven_exchanges_are_in_mind_and_what_is_rehearsed_stays_longer() {
        check(&[&[][..]; 3], "q0 q1 q2");
        check(&[&[][..]; 15], "q8 q9 q10 q11 q12 q13 q14");
        let mut rehearsed = [&[][..]; 15];
        for turn in [6, 8, 10, 12] {
            rehearsed[turn] = &[1];
        }
        check(&rehearsed, "q6 q8 q10 q11 q12 q13 q14");
        check(&[&[1, 2, 3, 4, 5, 6, 7, 8][..]; 2], "q0 q1");
    }

    #[test]
    fn what_is_out_of_mind_is_carried_until_a_batch_of_it_leaves() {
        let all: Vec<String> = (0..14).map(|n| format!("q{n}")).collect();
        check(&[&[][..]; 14], &all.join(" "));
        check(&[&[][..]; 16], "q8 q9 q10 q11 q12 q13 q14 q15");
    }

    #[test]
    fn traces_are_in_mind_while_they_are_active() {
        let mut memory = mind(4);
        let session = SessionId::from_raw(1);
        memory.absorb(session, at(0), exchange(0, &[1, 2, 3, 4, 5, 6, 7, 8]));
        assert_eq!(memory.traces(session).len(), 7);
        for turn in 1..8 {
            memory.absorb(session, at(0), exchange(turn, &[8]));
        }
        assert_eq!(memory.traces(session), HashSet::from([TraceId::from_raw(8)]));
    }

    #[test]
    fn a_private_exchange_shows_to_private_turns_alone() {
        let mut memory = mind(4);
        let session = SessionId::from_raw(1);
        memory.absorb(session, at(0), Exchanged { private: true, ..exchange(0, &[]) });
        assert!(memory.conversation(session, at(1), false).is_empty());
        assert_eq!(memory.conversation(session, at(1), true).len(), 2);
    }

    #[test]
    fn sessions_end_when_idle_and_the_longest_unused_goes_first() {
        let mut memory = mind(2);
        let [a, b, c] = [1, 2, 3].map(SessionId::from_raw);
        memory.absorb(a, at(0), exchange(1, &[]));
        memory.absorb(b, at(1), exchange(2, &[]));
        assert_eq!(memory.conversation(a, at(2), false).len(), 2);
        memory.absorb(c, at(3), exchange(3, &[]));
        assert!(memory.conversation(b, at(4), false).is_empty(), "b was unused for the longest time");
        assert_eq!(memory.conversation(a, at(1_799), false).len(), 2);
        assert!(memory.conversation(a, at(1_801), false).is_empty(), "a is idle");
        assert_eq!(memory.conversation(c, at(-500), false).len(), 2, "a clock that went back ends nothing");
    }

    #[test]
    fn what_was_forgotten_leaves_the_mind_with_all_that_showed_it() {
        let mut memory = mind(4);
        let session = SessionId::from_raw(1);
        for (turn, shown) in [(0, 1), (1, 2), (2, 3)] {
            memory.absorb(session, at(0), exchange(turn, &[shown]));
        }
        memory.let_go(&[TraceId::from_raw(1)], &[TurnId::from_raw(2)]);
        let lines = memory.conversation(session, at(0), false);
        assert_eq!(lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), ["q1", "a1"]);
        assert!(!memory.traces(session).contains(&TraceId::from_raw(1)));
    }
}
