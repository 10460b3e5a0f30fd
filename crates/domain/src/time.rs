//! Instants and lengths of time. Nothing here knows what time it is.

use std::ops::{Add, Sub};

/// Milliseconds in a day.
const DAY_MS: i64 = 86_400_000;

/// An instant: milliseconds since 1970-01-01T00:00:00Z, negative before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The instant so many milliseconds after 1970.
    #[must_use]
    pub const fn from_millis(ms: i64) -> Self {
        Self(ms)
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Time passed since `earlier`; zero when `earlier` lies in the future, as after a clock jump.
    #[must_use]
    pub fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0).max(0))
    }
}

/// A length of time in milliseconds; may be negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(i64);

impl Span {
    /// No time.
    pub const ZERO: Self = Self(0);

    /// So many milliseconds.
    #[must_use]
    pub const fn from_millis(ms: i64) -> Self {
        Self(ms)
    }

    /// So many seconds.
    #[must_use]
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1_000))
    }

    /// So many days of 24 hours; NaN counts as none, and what does not fit saturates.
    #[must_use]
    pub fn from_days(days: f64) -> Self {
        Self((days * DAY_MS as f64) as i64)
    }

    /// Milliseconds.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Days of 24 hours.
    #[must_use]
    pub fn as_days(self) -> f64 {
        self.0 as f64 / DAY_MS as f64
    }
}

impl Add<Span> for Timestamp {
    type Output = Self;

    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Sub<Span> for Timestamp {
    type Output = Self;

    fn sub(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }
}
