//! What the last turn of each session leaves for the next one: praise and corrections find what they are about, and a
//! "yes" finds what was offered.

use std::collections::VecDeque;

use bethink_domain::{Cue, SessionId, TraceId};

/// Sessions remembered at once. One space rarely has more than a few doors open; beyond, the oldest is let go, and a
/// correction there changes nothing.
const SESSIONS_MAX: usize = 32;

/// What a turn leaves for the next one of its session.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Left {
    /// What the reply used.
    pub(crate) used: Vec<TraceId>,
    /// The reply offered to look among what has faded.
    pub(crate) offer: Option<Offer>,
    /// The reply asked whether to forget something.
    pub(crate) proposal: Option<Proposal>,
    /// The reply asked what is missing for a reminder. For the next message alone.
    pub(crate) pending: Option<Pending>,
    /// What the user said, for a wish that points to it ("flag this").
    pub(crate) said: Option<String>,
}

/// A wish to be reminded that something is missing for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pending {
    /// The wish, in the user's words.
    pub(crate) wish: String,
    /// What it points to.
    pub(crate) referent: Option<String>,
}

/// Traces that the user was asked to have forgotten. The next message confirms it, or it is dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Proposal {
    /// Which.
    pub(crate) traces: Vec<TraceId>,
    /// Made in a private turn, so that only a private turn may confirm it.
    pub(crate) private: bool,
    /// Code of the language in which it was spoken of.
    pub(crate) language: &'static str,
}

/// An offer to look among what has faded.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Offer {
    /// What was asked.
    pub(crate) cue: Cue,
    /// Made in a private turn, so that only a private turn may take it up.
    pub(crate) private: bool,
}

/// What the last turn of each session left, most recent session last. Lost with the actor, which costs one piece of
/// feedback or one question that has to be asked again.
#[derive(Debug, Default)]
pub(crate) struct Sessions(VecDeque<(SessionId, Left)>);

impl Sessions {
    /// Notes what the newest turn of a session left.
    pub(crate) fn note(&mut self, session: SessionId, left: Left) {
        self.0.retain(|(other, _)| *other != session);
        if self.0.len() == SESSIONS_MAX {
            self.0.pop_front();
        }
        self.0.push_back((session, left));
    }

    /// What the last turn of a session left for the one that begins now. A proposal or an open question is given once: it
    /// is for the next message, whatever becomes of that.
    pub(crate) fn take(&mut self, session: SessionId) -> Left {
        let Some((_, left)) = self.0.iter_mut().find(|(other, _)| *other == session) else {
            return Left::default();
        };
        let (proposal, pending) = (left.proposal.take(), left.pending.take());
        Left { proposal, pending, ..left.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(ids: &[u64]) -> Left {
        Left { used: ids.iter().map(|id| TraceId::from_raw(*id)).collect(), ..Left::default() }
    }

    #[test]
    fn the_oldest_of_too_many_sessions_is_let_go() {
        let mut sessions = Sessions::default();
        for n in 0..=SESSIONS_MAX as u64 {
            sessions.note(SessionId::from_raw(n), used(&[n]));
        }
        assert_eq!(sessions.take(SessionId::from_raw(0)), used(&[]));
        assert_eq!(sessions.take(SessionId::from_raw(1)), used(&[1]));
        sessions.note(SessionId::from_raw(1), used(&[]));
        assert_eq!(sessions.take(SessionId::from_raw(1)), used(&[]));
    }
}
