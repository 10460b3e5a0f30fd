//! What can be tuned about spaces and their owner.

use std::time::Duration;

use bethink_domain::Bounded;

/// Limits of awake spaces.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuntimeConfig {
    /// Spaces awake at once, 1 to 4,096. Each takes some 280 KB, 1.5 MB with 1,000 memories in it, and two file handles, of
    /// which a system usually allows 1,024.
    pub awake_max: usize,
    /// Seconds without a message after which a space is put to sleep, 1 to 86,400. As long as a session lasts, since
    /// sleep ends it.
    pub sleep_after_seconds: u64,
    /// Seconds between two strokes of the timer, 1 to 3,600. Retries and sleep are looked at then.
    pub tick_seconds: u64,
    /// Seconds that shutdown waits for turns in flight and for commits, 1 to 600.
    pub shutdown_seconds: u64,
}

impl Default for RuntimeConfig {
    fn default() -> Self {
        Self { awake_max: 256, sleep_after_seconds: 1_800, tick_seconds: 30, shutdown_seconds: 10 }
    }
}

impl RuntimeConfig {
    /// The numbers, and what they may be.
    #[must_use]
    pub fn bounds(&self) -> Vec<Bounded> {
        vec![
            Bounded::new("awake_max", self.awake_max as f64, 1.0, 4_096.0),
            Bounded::new("sleep_after_seconds", self.sleep_after_seconds as f64, 1.0, 86_400.0),
            Bounded::new("tick_seconds", self.tick_seconds as f64, 1.0, 3_600.0),
            Bounded::new("shutdown_seconds", self.shutdown_seconds as f64, 1.0, 600.0),
        ]
    }

    pub(crate) fn shutdown(&self) -> Duration {
        Duration::from_secs(self.shutdown_seconds)
    }
}
