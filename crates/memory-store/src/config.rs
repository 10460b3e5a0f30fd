//! Numbers that tune the store.

use bethink_cognition::{Decay, DecayConfig, Profile, ProspectiveConfig, RelevanceConfig};
use bethink_domain::Bounded;
use serde::Deserialize;

use crate::index::Sizes;

/// How a store remembers and recalls.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryConfig {
    /// What is kept from fading: `assistant`, `service` or `lab`.
    pub profile: Profile,
    /// Relevance below which nothing is recalled, 0 to 1. Relevance is calibrated so that below 0.30 a memory in the
    /// prompt does more harm than good.
    pub relevance_threshold: f32,
    /// Longest text of one trace in bytes, 1 to 1048576. 65536 is some thirty pages; what is longer is a document,
    /// not a memory.
    pub text_bytes_max: usize,
    /// Commands that may wait to be written, 1 to 65536. 1024 keep the disk busy for a second; then callers are told
    /// to wait.
    pub queue_max: usize,
    /// Days for which the record of how a turn was answered is kept, 0 to 3650. After 30 nobody asks why.
    pub turn_record_days: u32,
    /// Days for which every change of a memory is kept as it was made, 1 to 36500. What is older is folded into one line a
    /// memory and quantity, which a quarter of a year later answers the same questions; then the journal grows with
    /// what is remembered, not with how much was said.
    pub journal_days: u32,
    /// Newest traces that are compared one by one before they are sealed into a segment, 512 to 1048576. So many take
    /// about a millisecond; with fewer a graph is hardly faster, and sealing costs a quarter of a millisecond each.
    pub seal_rows: usize,
    /// Traces of one sealed segment, 512 to 1048576. Each segment takes a fraction of a millisecond in every recall, and
    /// half a minute to build when it is full.
    pub segment_rows: usize,
    /// Share of a file that is neither key nor value above which it is written anew in the background, 0 to 1. A fresh
    /// copy has 0.05 to 0.35, depending on the lengths of its texts; at 0.5 half of the file is of no use, and copying
    /// gives back a third of it at least. At 1 it never is, unless something was forgotten.
    pub compact_above: f32,
    /// Page cache of an open file in bytes, from 65536. 4 MiB hold the pages that commits touch; recall reads none.
    pub cache_bytes: usize,
    /// Longest wait for vectors in milliseconds, 100 to 600000. Then a statement is stored without, and its vector
    /// follows; 20 s allow for a model that is being loaded.
    pub embed_timeout_ms: u64,
}

impl Default for MemoryConfig {
    fn default() -> Self {
        Self {
            profile: Profile::Assistant,
            relevance_threshold: 0.30,
            text_bytes_max: 64 * 1024,
            queue_max: 1_024,
            turn_record_days: 30,
            journal_days: 90,
            seal_rows: 32_768,
            segment_rows: 131_072,
            compact_above: 0.5,
            cache_bytes: 4 * 1024 * 1024,
            embed_timeout_ms: 20_000,
        }
    }
}

impl MemoryConfig {
    pub(crate) fn sizes(&self) -> Sizes {
        Sizes { seal_rows: self.seal_rows, segment_rows: self.segment_rows }
    }

    /// The numbers, and what they may be.
    #[must_use]
    pub fn bounds(&self) -> Vec<Bounded> {
        vec![
            Bounded::new("relevance_threshold", f64::from(self.relevance_threshold), 0.0, 1.0),
            Bounded::new("text_bytes_max", self.text_bytes_max as f64, 1.0, 1_048_576.0),
            Bounded::new("queue_max", self.queue_max as f64, 1.0, 65_536.0),
            Bounded::new("turn_record_days", f64::from(self.turn_record_days), 0.0, 3_650.0),
            Bounded::new("journal_days", f64::from(self.journal_days), 1.0, 36_500.0),
            Bounded::new("seal_rows", self.seal_rows as f64, 512.0, 1_048_576.0),
            Bounded::new("segment_rows", self.segment_rows as f64, 512.0, 1_048_576.0),
            Bounded::new("compact_above", f64::from(self.compact_above), 0.0, 1.0),
            Bounded::new("cache_bytes", self.cache_bytes as f64, 65_536.0, f64::INFINITY),
            Bounded::new("embed_timeout_ms", self.embed_timeout_ms as f64, 100.0, 600_000.0),
        ]
    }
}

/// How a memory moves to another embedder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MigrationConfig {
    /// A memory whose vectors are another embedder's than the configured one moves by itself. Else only when it is told to.
    pub by_itself: bool,
    /// Least share of the ten best by the old vectors that must be among the ten best by the new ones, 0 to 1, for these to
    /// take over.
    pub parity_min: f32,
}

impl Default for MigrationConfig {
    fn default() -> Self {
        Self { by_itself: true, parity_min: 0.5 }
    }
}

/// Everything that tunes a store.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StoreConfig {
    /// How it remembers and recalls.
    pub memory: MemoryConfig,
    /// How memories fade.
    pub decay: DecayConfig,
    /// How relevance is weighed.
    pub relevance: RelevanceConfig,
    /// How it moves to another embedder.
    pub migration: MigrationConfig,
    /// How reminders are shown.
    pub prospective: ProspectiveConfig,
}

impl StoreConfig {
    /// The rules of fading in force.
    #[must_use]
    pub fn fading(&self) -> Decay {
        Decay { config: self.decay, profile: self.memory.profile }
    }
}
