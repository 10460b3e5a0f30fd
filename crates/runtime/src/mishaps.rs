//! What went wrong lately, for whoever asks how the process is.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use bethink_clock::Clock;
use bethink_domain::{SpaceId, Timestamp};

/// Mishaps that are kept. Somebody who looks wants the newest few; the log has them all.
const MISHAPS_MAX: usize = 32;

/// Something that went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mishap {
    /// When it happened last.
    pub at: Timestamp,
    /// In which space; none when it concerns the process.
    pub space: Option<SpaceId>,
    /// What happened.
    pub what: String,
    /// How often since it was first kept.
    pub times: u64,
}

/// The newest mishaps. Clones share them.
#[derive(Clone)]
pub struct Mishaps {
    clock: Arc<dyn Clock>,
    kept: Arc<Mutex<VecDeque<Mishap>>>,
}

impl Mishaps {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, kept: Arc::default() }
    }

    /// Keeps a mishap; the same one again is counted.
    pub fn note(&self, space: Option<&SpaceId>, what: impl Into<String>) {
        let (at, what) = (self.clock.now(), what.into());
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let same = kept.iter().position(|old| old.what == what && old.space.as_ref() == space);
        let before = same.and_then(|place| kept.remove(place)).map_or(0, |old| old.times);
        if kept.len() >= MISHAPS_MAX {
            kept.pop_back();
        }
        kept.push_front(Mishap { at, space: space.cloned(), what, times: before + 1 });
    }

    /// Those that are kept, newest first.
    #[must_use]
    pub fn newest(&self) -> Vec<Mishap> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use bethink_clock::SimulatedClock;
    use bethink_domain::Span;

    use super::*;

    #[test]
    fn the_newest_come_first_and_repeats_are_counted() {
        let clock = SimulatedClock::new(Timestamp::from_millis(1_000));
        let mishaps = Mishaps::new(Arc::new(clock.clone()));
        mishaps.note(None, "the disk is full");
        clock.advance(Span::from_seconds(1));
        mishaps.note(None, "the model is gone");
        clock.advance(Span::from_seconds(1));
        mishaps.note(None, "the disk is full");
        let told: Vec<_> =
            mishaps.newest().into_iter().map(|m| (m.what, m.times, m.at.as_millis())).collect();
        assert_eq!(told, [("the disk is full".into(), 2, 3_000), ("the model is gone".into(), 1, 2_000)]);
        for n in 0..100 {
            mishaps.note(None, format!("fault {n}"));
        }
        assert_eq!(mishaps.newest().len(), MISHAPS_MAX, "old ones make room");
        assert_eq!(mishaps.newest()[0].what, "fault 99");
    }
}
