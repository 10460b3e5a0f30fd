//! The computer's clock.

use std::time::{SystemTime, UNIX_EPOCH};

use bethink_domain::Timestamp;

use crate::Clock;

/// Wall time of the computer.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
    fn now(&self) -> Timestamp {
        let ms = |span: std::time::Duration| i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(span) => Timestamp::from_millis(ms(span)),
            Err(before) => Timestamp::from_millis(-ms(before.duration())),
        }
    }
}
