//! Prospective memory: which intentions come to mind (Einstein and McDaniel 1990: time-based and event-based cues).

use bethink_domain::{Bounded, Span, UnitVector};
use serde::Deserialize;

/// How reminders are kept and shown.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProspectiveConfig {
    /// Hour of a date that was said without one, 0 to 23. At 9, a day's work begins.
    pub default_hour: u8,
    /// Reminders that one recall shows at most, 1 to 20, beside what it recalls. Three can be taken in; the others stay
    /// due for the next.
    pub shown_max: usize,
    /// Seconds for which a reminder that was shown is shown to nobody else, 10 to 86400. Within 600 whoever saw it says
    /// that it is done, or it comes again.
    pub lease_seconds: u32,
    /// Seconds past its time after which a reminder is marked late, 1 to 86400. Below 60 nobody calls it late.
    pub late_after_seconds: u32,
    /// How often an occurrence is shown without ever being acknowledged before it is given up and listed as expired, 1 to
    /// 10000. At 100 and the lease of ten minutes, that is a day and a half of somebody looking away.
    pub deliveries_max: u32,
    /// Cosine from which a conversation counts as near a reminder's context, 0 to 1, where its words are not said. At 0.55
    /// a sentence about the same thing counts, and one from the same field of life does not.
    pub near: f32,
    /// Open reminders of one space, 1 to 1000000. 10000 are more than anybody lives to see.
    pub open_max: usize,
}

impl Default for ProspectiveConfig {
    fn default() -> Self {
        Self {
            default_hour: 9,
            shown_max: 3,
            lease_seconds: 600,
            late_after_seconds: 60,
            deliveries_max: 100,
            near: 0.55,
            open_max: 10_000,
        }
    }
}

impl ProspectiveConfig {
    /// The numbers, and what they may be.
    #[must_use]
    pub fn bounds(&self) -> Vec<Bounded> {
        vec![
            Bounded::new("default_hour", f64::from(self.default_hour), 0.0, 23.0),
            Bounded::new("shown_max", self.shown_max as f64, 1.0, 20.0),
            Bounded::new("lease_seconds", f64::from(self.lease_seconds), 10.0, 86_400.0),
            Bounded::new("late_after_seconds", f64::from(self.late_after_seconds), 1.0, 86_400.0),
            Bounded::new("deliveries_max", f64::from(self.deliveries_max), 1.0, 10_000.0),
            Bounded::new("near", f64::from(self.near), 0.0, 1.0),
            Bounded::new("open_max", self.open_max as f64, 1.0, 1_000_000.0),
        ]
    }

    /// How long a reminder that was shown is shown to nobody else.
    #[must_use]
    pub fn lease(&self) -> Span {
        Span::from_seconds(i64::from(self.lease_seconds))
    }

    /// Past its time by more than this, a reminder is late.
    #[must_use]
    pub fn late_after(&self) -> Span {
        Span::from_seconds(i64::from(self.late_after_seconds))
    }

    /// Whether what is said comes near a context: it holds every content word of it, or means nearly the same.
    ///
    /// `said` and `context` are hashes of stems of content words; the meanings may be missing, then words alone decide.
    #[must_use]
    pub fn comes_near(
        &self,
        said: impl Fn(u64) -> bool,
        context: &[u64],
        meanings: Option<(&UnitVector, &UnitVector)>,
    ) -> bool {
        let named = !context.is_empty() && context.iter().all(|stem| said(*stem));
        named || meanings.is_some_and(|(said, context)| said.cosine(context) >= self.near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(words: &str) -> Vec<u64> {
        words.split_whitespace().map(|word| word.bytes().map(u64::from).fold(7, |h, b| h * 31 + b)).collect()
    }

    #[test]
    fn a_context_is_near_when_its_words_are_said_or_its_meaning_is_close() {
        let config = ProspectiveConfig::default();
        let unit = |x: f32, y: f32| UnitVector::new(vec![x, y]).unwrap();
        for (said, context, meanings, near) in [
            ("fly oslo tomorrow", "oslo", None, true),
            ("fly bergen tomorrow", "oslo", None, false),
            ("quarterly budget", "budget quarterly", None, true),
            ("budget", "budget quarterly", None, false),
            ("", "", None, false),
            ("money plan", "budget", Some((unit(1.0, 0.1), unit(1.0, 0.0))), true),
            ("garden", "budget", Some((unit(0.0, 1.0), unit(1.0, 0.0))), false),
            ("garden", "budget", Some((unit(0.0, 1.0), UnitVector::new(vec![1.0]).unwrap())), false),
        ] {
            let meanings = meanings.as_ref().map(|(said, context)| (said, context));
            let heard = stems(said);
            let found = config.comes_near(|stem| heard.contains(&stem), &stems(context), meanings);
            assert_eq!(found, near, "{said} / {context}");
        }
    }
}
