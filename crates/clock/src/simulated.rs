//! A clock that moves when told.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use bethink_domain::{Span, Timestamp};

use crate::Clock;

/// A clock that stands still until it is set or advanced. Clones share one time.
#[derive(Debug, Clone)]
pub struct SimulatedClock(Arc<AtomicI64>);

impl SimulatedClock {
    /// Starts at a time.
    #[must_use]
    pub fn new(at: Timestamp) -> Self {
        Self(Arc::new(AtomicI64::new(at.as_millis())))
    }

    /// Moves by a span, backwards too.
    pub fn advance(&self, span: Span) {
        self.0.fetch_add(span.as_millis(), Ordering::SeqCst);
    }

    /// Jumps to a time.
    pub fn set(&self, at: Timestamp) {
        self.0.store(at.as_millis(), Ordering::SeqCst);
    }
}

impl Clock for SimulatedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}
