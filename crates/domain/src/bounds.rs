//! Numbers that can be set, and what they may be.

use std::fmt;

/// A number that can be set, and the range it must lie in.
///
/// Each crate lists those of its configuration beside the struct; whoever reads a configuration asks
/// [`Bounded::holds`] and says the rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounded {
    /// The key, below its section: `growth`, or `stability_days.episodic`.
    pub key: &'static str,
    /// What is set.
    pub given: f64,
    /// Least that is allowed.
    pub least: f64,
    /// Most that is allowed; infinite where nothing but sense limits it.
    pub most: f64,
}

impl Bounded {
    /// A number within `least` to `most`.
    #[must_use]
    pub const fn new(key: &'static str, given: f64, least: f64, most: f64) -> Self {
        Self { key, given, least, most }
    }

    /// True when the number is one, and within its range.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.given.is_finite() && (self.least..=self.most).contains(&self.given)
    }

    /// What is allowed, in words: `from 0 to 1`, `at least 1`.
    #[must_use]
    pub fn range(&self) -> String {
        let (least, most) = (self.least, self.most);
        if most.is_finite() { format!("from {least} to {most}") } else { format!("at least {least}") }
    }
}

impl fmt::Display for Bounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A number that was stored in half the digits is shown in no more.
        let short = self.given as f32;
        let given = if f64::from(short) == self.given { short.to_string() } else { self.given.to_string() };
        write!(f, "`{}` is {given}, but must be {}", self.key, self.range())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_or_outside_does_not_hold() {
        let check = |given: f64, holds: bool| {
            assert_eq!(Bounded::new("depth", given, 0.0, 1.0).holds(), holds, "{given}");
        };
        check(0.0, true);
        check(1.0, true);
        check(-0.1, false);
        check(1.1, false);
        check(f64::NAN, false);
        assert!(!Bounded::new("depth", f64::INFINITY, 0.0, f64::INFINITY).holds());
    }

    #[test]
    fn it_says_what_is_allowed() {
        let narrow = Bounded::new("depth", f64::from(7.4f32), 0.05, 5.0);
        assert_eq!(narrow.to_string(), "`depth` is 7.4, but must be from 0.05 to 5");
        let open = Bounded::new("reserve", 0.0, 1.0, f64::INFINITY);
        assert_eq!(open.to_string(), "`reserve` is 0, but must be at least 1");
    }
}
