//! How memory is asked.

use bethink_domain::{Cue, Decision, Timestamp, UnitVector};

use crate::config::Depths;
use crate::heard::{Heard, Need};

/// How the cue of a message is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// As turns do it: by need and intent, above the configured threshold.
    Planned(Depths),
    /// The baseline that planning is measured against: the same number of traces for every message, without routing
    /// and without a threshold. Turns never use it.
    Fixed {
        /// Traces returned.
        k: usize,
    },
}

impl Strategy {
    /// The baseline's number of traces.
    pub const BASELINE: Self = Self::Fixed { k: 5 };

    /// The cue of a message; none when memory is not asked.
    #[must_use]
    pub fn cue(
        self,
        heard: &Heard,
        decision: &Decision,
        embedding: Option<UnitVector>,
        at: Timestamp,
    ) -> Option<Cue> {
        let cue = |text: &str, k| Cue { k, embedding, ..Cue::new(text, at) };
        match self {
            Self::Planned(depths) => {
                let k = self::depth(heard, decision, depths);
                (k > 0).then(|| Cue { intent: Some(decision.intent), ..cue(&heard.cue, k) })
            }
            Self::Fixed { k } => Some(Cue { threshold: Some(0.0), ..cue(&heard.text, k) }),
        }
    }
}

/// Most traces that a message may recall: its intent's depth, and none where nothing is needed.
pub(crate) fn depth(heard: &Heard, decision: &Decision, depths: Depths) -> usize {
    match heard.need {
        Need::Recollection => depths.of(decision.intent),
        Need::Nothing | Need::Overview => 0,
    }
}

/// True when the message's one embedding is needed: something may be recalled, or prototypes must decide.
pub(crate) fn wants_embedding(heard: &Heard, depths: Depths) -> bool {
    match (&heard.need, &heard.ruled) {
        (Need::Nothing | Need::Overview, _) => false,
        (Need::Recollection, Some(ruled)) => depths.of(ruled.intent) > 0,
        (Need::Recollection, None) => true,
    }
}
