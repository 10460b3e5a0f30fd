//! How much of what answers the questions had faded by the time they were asked.

use std::collections::HashMap;

use bethink_cognition::{Decay, Vitals};
use bethink_domain::{Stability, Timestamp};

use super::corpus::Conversation;
use super::talk::{IMPORTANCE, KIND, SOURCE};
use crate::lines::Id;

/// Turns that hold answers, counted for each question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Evidence {
    /// All of them.
    pub turns: usize,
    /// Of them, those that the rules of fading in force let fade before the question was asked.
    pub faded: usize,
    /// Of them, those said only after the question was asked, which nothing could find.
    pub later: usize,
}

/// Counts evidence under the rules of fading that the configuration names, whether or not they are switched off for
/// the measurement.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Fading {
    decay: Decay,
    pub(super) evidence: Evidence,
}

impl Fading {
    pub(super) fn new(decay: Decay) -> Self {
        Self { decay, evidence: Evidence::default() }
    }

    pub(super) fn count(&mut self, conversation: &Conversation) {
        let said: HashMap<&Id, Timestamp> =
            conversation.turns.iter().map(|turn| (&turn.id, turn.at)).collect();
        for question in &conversation.questions {
            for at in question.evidence.iter().filter_map(|id| said.get(id)) {
                self.evidence.turns += 1;
                self.evidence.later += usize::from(*at > question.at);
                self.evidence.faded += usize::from(self.decay.faded(&vitals(*at), question.at));
            }
        }
    }
}

/// The numbers of a turn that nothing but time has changed.
fn vitals(recorded_at: Timestamp) -> Vitals {
    Vitals {
        kind: KIND,
        source: SOURCE,
        importance: IMPORTANCE,
        weight: 1.0,
        stability: Stability::FRESH,
        recorded_at,
        credited_at: None,
        pinned: false,
        flashbulb: false,
        asked: false,
        provisional: true,
    }
}
