//! What the last reply of each session used, so that praise and corrections find what they are about.

use std::collections::VecDeque;

use bethink_domain::{SessionId, TraceId};

/// Sessions remembered at once. One space rarely has more than a few doors open; beyond, the oldest is let go, and a
/// correction there changes nothing.
const SESSIONS_MAX: usize = 32;

/// Traces used by the last reply of each session, most recent session last. Lost with the actor, which costs one
/// piece of feedback.
#[derive(Debug, Default)]
pub(crate) struct LastUsed(VecDeque<(SessionId, Vec<TraceId>)>);

impl LastUsed {
    /// Notes what the newest reply of a session used.
    pub(crate) fn note(&mut self, session: SessionId, used: Vec<TraceId>) {
        self.0.retain(|(other, _)| *other != session);
        if self.0.len() == SESSIONS_MAX {
            self.0.pop_front();
        }
        self.0.push_back((session, used));
    }

    /// What the last reply of a session used.
    pub(crate) fn of(&self, session: SessionId) -> Vec<TraceId> {
        self.0.iter().find(|(other, _)| *other == session).map(|(_, used)| used.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_of_too_many_sessions_is_let_go() {
        let mut last = LastUsed::default();
        for n in 0..=SESSIONS_MAX as u64 {
            last.note(SessionId::from_raw(n), vec![TraceId::from_raw(n)]);
        }
        assert_eq!(last.of(SessionId::from_raw(0)), vec![]);
        assert_eq!(last.of(SessionId::from_raw(1)), vec![TraceId::from_raw(1)]);
        last.note(SessionId::from_raw(1), vec![]);
        assert_eq!(last.of(SessionId::from_raw(1)), vec![]);
    }
}
