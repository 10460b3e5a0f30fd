//! The Planner's numbers.

use bethink_domain::{Bounded, Cue, Intent};
use serde::Deserialize;

/// Most traces recalled for each intent. Small talk recalls none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Depths {
    /// For questions about the user's own past, 0…100 traces. The most, since the answer is in memory alone.
    pub memory: usize,
    /// For analysis, 0…100 traces: preferences and circumstances that an argument should respect.
    pub reasoning: usize,
    /// For everything else, 0…100 traces. Few, since most of it needs no memory at all.
    pub general: usize,
}

impl Default for Depths {
    fn default() -> Self {
        Self { memory: 8, reasoning: 6, general: 4 }
    }
}

impl Depths {
    /// The numbers, and what they may be.
    #[must_use]
    pub fn bounds(&self) -> Vec<Bounded> {
        let most = Cue::K_MAX as f64;
        vec![
            Bounded::new("memory", self.memory as f64, 0.0, most),
            Bounded::new("reasoning", self.reasoning as f64, 0.0, most),
            Bounded::new("general", self.general as f64, 0.0, most),
        ]
    }

    /// Most traces recalled for an intent; 0 for small talk.
    #[must_use]
    pub fn of(self, intent: Intent) -> usize {
        match intent {
            Intent::Memory => self.memory,
            Intent::Reasoning => self.reasoning,
            Intent::General => self.general,
            Intent::SmallTalk => 0,
        }
    }
}

/// What a person may set of the Planner.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlannerConfig {
    /// Most traces recalled for each intent. Set under `[memory]`, beside the other numbers of recall.
    #[serde(skip)]
    pub depth: Depths,
    /// Whether memory is asked and told at all. Set under `[memory]`, as `enabled`.
    #[serde(skip)]
    pub remembers: bool,
    /// Longest message in bytes, 1…16,777,216. The default is far above what a person types and a model reads, and
    /// below what a slip (a whole file on standard input) would cost in memory.
    pub message_bytes_max: usize,
    /// Turns that may wait behind the one in flight, 0…256. More would be answered after their sender has gone.
    pub waiting_turns_max: usize,
    /// Traces of each kind in an overview, 1…100. What fits a screen; the rest is counted.
    pub overview_per_group: usize,
}

impl Default for PlannerConfig {
    fn default() -> Self {
        Self {
            depth: Depths::default(),
            remembers: true,
            message_bytes_max: 1024 * 1024,
            waiting_turns_max: 16,
            overview_per_group: 8,
        }
    }
}

impl PlannerConfig {
    /// The numbers, and what they may be.
    #[must_use]
    pub fn bounds(&self) -> Vec<Bounded> {
        vec![
            Bounded::new("message_bytes_max", self.message_bytes_max as f64, 1.0, 16_777_216.0),
            Bounded::new("waiting_turns_max", self.waiting_turns_max as f64, 0.0, 256.0),
            Bounded::new("overview_per_group", self.overview_per_group as f64, 1.0, 100.0),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_are_those_of_the_table() {
        for (intent, depth) in
            [(Intent::Memory, 8), (Intent::Reasoning, 6), (Intent::General, 4), (Intent::SmallTalk, 0)]
        {
            assert_eq!(Depths::default().of(intent), depth, "{intent:?}");
        }
    }

    #[test]
    fn a_number_out_of_range_is_named() {
        assert!(PlannerConfig::default().bounds().iter().all(Bounded::holds));
        let deep = Depths { reasoning: 101, ..Depths::default() };
        let outside: Vec<_> = deep.bounds().into_iter().filter(|number| !number.holds()).collect();
        assert_eq!(outside.len(), 1);
        assert_eq!(outside[0].to_string(), "`reasoning` is 101, but must be from 0 to 100");
    }

    #[test]
    fn an_unknown_key_is_refused() {
        let read = |text: &str| toml::from_str::<PlannerConfig>(text);
        assert!(read("mesage_bytes_max = 3").is_err());
    }
}
