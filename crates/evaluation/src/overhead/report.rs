//! Costs as people and programs read them.

use serde_json::{Value, json};

use crate::report::{rounded, table, times};
use crate::score::Times;

/// What planning, storing and embedding cost.
#[derive(Debug, Clone, PartialEq)]
pub struct OverheadReport {
    /// The profile that was in force.
    pub profile: String,
    /// Who makes the vectors.
    pub embedder: String,
    /// Vectors in the space were drawn, not embedded.
    pub hashed: bool,
    /// Traces in the space.
    pub traces: usize,
    /// Messages planned.
    pub messages: usize,
    /// Reading a message, deciding its intent and recalling; no embedding, execution or commit.
    pub planning: Times,
    /// Of it, reading a message and deciding.
    pub reading: Times,
    /// Of it, the recall; of messages that need none too.
    pub recalling: Times,
    /// Asking an actor that has nothing to do, before each of these.
    pub wake_up: Times,
    /// Storing a statement until it is durable, beyond its embedding.
    pub remembering: Times,
    /// Writing one page to a file on the same disk until it is durable, after each of these.
    pub fsync: Times,
    /// Embedding a message of twenty words.
    pub embedding: Times,
}

impl OverheadReport {
    /// How many fsyncs a durable statement takes, by their medians; 0 when the disk takes no time.
    #[must_use]
    pub fn fsyncs_per_statement(&self) -> f64 {
        if self.fsync.p50_ms > 0.0 { self.remembering.p50_ms / self.fsync.p50_ms } else { 0.0 }
    }

    /// A table; ends with a line break.
    #[must_use]
    pub fn human(&self) -> String {
        let rows = [
            ("planning a message, beyond embedding", &self.planning),
            ("  reading it and deciding", &self.reading),
            ("  recalling", &self.recalling),
            ("an empty wake-up of an actor", &self.wake_up),
            ("a durable statement, beyond embedding", &self.remembering),
            ("one fsync on the same disk", &self.fsync),
            ("one embedding of 20 words", &self.embedding),
        ];
        format!(
            "{} traces with {} vectors, {} messages; profile {}; embedder {}\n\n{}\n\n\
             a durable statement takes {:.2} fsyncs (p50)\n",
            self.traces,
            if self.hashed { "drawn" } else { "embedded" },
            self.messages,
            self.profile,
            self.embedder,
            table(&rows, 40),
            self.fsyncs_per_statement(),
        )
    }

    /// One object, times in milliseconds.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "profile": self.profile,
            "embedder": self.embedder,
            "hashed": self.hashed,
            "traces": self.traces,
            "messages": self.messages,
            "planning": times(&self.planning),
            "reading": times(&self.reading),
            "recall": times(&self.recalling),
            "wake_up": times(&self.wake_up),
            "remember": times(&self.remembering),
            "fsync": times(&self.fsync),
            "fsyncs_per_statement": rounded(self.fsyncs_per_statement()),
            "embedding": times(&self.embedding),
        })
    }
}
