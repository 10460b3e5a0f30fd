//! How far a long measurement has come.

use std::fmt;
use std::time::Duration;

use tokio::time::Instant;

/// A measurement that takes no longer than this is not spoken of.
const PATIENCE: Duration = Duration::from_secs(2);
/// Between two words about one.
const INTERVAL: Duration = Duration::from_millis(500);

/// How far one part of a measurement has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is being done, such as `storing`.
    pub what: &'static str,
    /// How many are done.
    pub done: usize,
    /// Of how many.
    pub total: usize,
    /// How much longer it will take at this pace.
    pub left: Duration,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.left.as_secs_f64().ceil();
        write!(f, "{} {} of {}, {seconds} s left", self.what, self.done, self.total)
    }
}

/// Who is told: at most twice a second, and only about what takes longer than 2 s.
pub type Watch<'a> = &'a mut (dyn FnMut(Progress) + Send);

/// Measures the pace of one part.
pub(crate) struct Meter {
    what: &'static str,
    total: usize,
    begun: Instant,
    told: Instant,
}

impl Meter {
    pub(crate) fn start(what: &'static str, total: usize) -> Self {
        let now = Instant::now();
        Self { what, total, begun: now, told: now }
    }

    pub(crate) fn reached(&mut self, done: usize, watch: Watch<'_>) {
        let now = Instant::now();
        let spent = now - self.begun;
        if spent < PATIENCE || now - self.told < INTERVAL || done == 0 {
            return;
        }
        self.told = now;
        let left = spent.mul_f64(self.total.saturating_sub(done) as f64 / done as f64);
        watch(Progress { what: self.what, done, total: self.total, left });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_long_work_is_spoken_of_and_not_too_often() {
        let mut lines = Vec::new();
        let mut meter = Meter::start("storing", 100);
        for done in 1..=100 {
            tokio::time::advance(Duration::from_millis(100)).await;
            meter.reached(done, &mut |progress| lines.push(progress.to_string()));
        }
        assert_eq!(lines.len(), 17);
        assert_eq!(lines.first().map(String::as_str), Some("storing 20 of 100, 8 s left"));
        assert_eq!(lines.last().map(String::as_str), Some("storing 100 of 100, 0 s left"));
    }
}
