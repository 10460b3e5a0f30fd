//! What was measured, as `--json` gives it and the page of benchmarks is made from.
//!
//! Figures that were not asked for, or could not be taken, are absent.

use serde::{Deserialize, Serialize};

use crate::score::Times;

/// Version of the shape. Fields are added, never renamed or removed within one.
pub const BENCH_VERSION: u32 = 1;

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchReport {
    /// [`BENCH_VERSION`].
    pub v: u32,
    /// Version of the program.
    pub program: String,
    /// The day, such as `2026-12-01`.
    pub day: String,
    /// The machine.
    pub machine: Machine,
    /// Appending 1 KiB to a file on the disk that was measured, and waiting until it is there.
    pub append: Times,
    /// Smallest first.
    pub sizes: Vec<SizeFigures>,
    /// Taking statements in with the configured embedder.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub import: Option<ImportFigures>,
    /// What this program can't do yet, and what could not be measured here.
    pub not_measured: Vec<String>,
}

/// A machine, without anything that names it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Model of the processor.
    pub processor: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Memory in MiB.
    pub memory_mib: u64,
    /// Operating system and its release.
    pub system: String,
    /// File system of the scratch directory.
    pub file_system: String,
}

/// Figures of spaces of one size.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SizeFigures {
    /// Memories.
    pub traces: usize,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<FileFigures>,
    /// Recall, alone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub recall: Option<RecallFigures>,
    /// Recall while statements are being stored.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub busy_recall: Option<BusyRecall>,
    /// Storing statements.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub remember: Option<RememberFigures>,
    /// Whole turns.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub turn: Option<TurnFigures>,
    /// From a space asleep to the first answer, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub wake: Option<Times>,
    /// Resident memory.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory: Option<MemoryFigures>,
    /// What one would otherwise build, on the same data in the same run.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub others: Vec<OtherFigures>,
}

/// A space's file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FileFigures {
    /// Its size in bytes.
    pub bytes: u64,
    /// Keys and values in it, in bytes.
    pub payload: u64,
    /// Seconds that storing everything took, a thousand statements a commit; none when it was kept from a run before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub built_seconds: Option<f64>,
}

/// Recall of the 8 best by words and meaning, beyond embedding the question.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RecallFigures {
    /// How long it took.
    pub times: Times,
    /// A loop that does nothing for as long, in turns with it: what is above its p50 is the machine's own.
    pub idle: Times,
    /// Share of the ten nearest vectors, by an exact scan in 32 bits, that recall by meaning alone finds.
    pub recall_at_10: f64,
    /// Questions whose statement came first.
    pub first: f64,
}

/// Recall beside a writer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BusyRecall {
    /// How long it took.
    pub times: Times,
    /// Statements that were really stored in a second meanwhile.
    pub statements_per_second: f64,
}

/// Durable statements, their vectors given.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RememberFigures {
    /// One client, who waits for each.
    pub one: Times,
    /// Appending 1 KiB and waiting for the disk, in turns with it.
    pub append: Times,
    /// Clients at once.
    pub clients: usize,
    /// Statements that all of them store in a second.
    pub statements_per_second: f64,
    /// Bytes that the process had written for each statement of one client; none where the system does not say.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bytes_per_statement: Option<f64>,
    /// The same where clients share commits.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shared_bytes_per_statement: Option<f64>,
    /// Bytes written in an idle hour afterwards, half of it awake and half asleep.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub idle_hour_bytes: Option<u64>,
    /// Bytes written by falling asleep, which closes the file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sleep_bytes: Option<u64>,
}

impl RememberFigures {
    /// How many plain appends one durable statement takes, by their medians; 0 when the disk takes no time.
    #[must_use]
    pub fn appends_per_statement(&self) -> f64 {
        if self.append.p50_ms > 0.0 { self.one.p50_ms / self.append.p50_ms } else { 0.0 }
    }
}

/// Whole turns without a language model, from the message to the durable end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TurnFigures {
    /// How long they took.
    pub times: Times,
    /// Bytes that the process had written for each.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bytes_per_turn: Option<f64>,
}

/// Resident memory of a fresh process.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MemoryFigures {
    /// Bytes before the space is awake.
    pub before: u64,
    /// Bytes with the space awake and some recalls made.
    pub awake: u64,
    /// The most that it ever had, in bytes.
    pub peak: u64,
}

/// Another way to do it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OtherFigures {
    /// What it is.
    pub name: String,
    /// Recall of the 8 best.
    pub recall: Times,
    /// As of [`RecallFigures`].
    pub recall_at_10: f64,
    /// As of [`RecallFigures`].
    pub first: f64,
    /// One client's durable statements.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub one: Option<Times>,
    /// Statements a second of all clients.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub statements_per_second: Option<f64>,
    /// Milliseconds from the start of its process to the first answer.
    pub open_ms: f64,
    /// Resident bytes that the data took.
    pub resident: u64,
    /// Bytes on disk.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<u64>,
}

/// Importing statements, embedding included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ImportFigures {
    /// Statements.
    pub statements: usize,
    /// Seconds in all.
    pub seconds: f64,
    /// Share of them in which the model was at work.
    pub embedding_share: f64,
    /// Cores kept busy, on average; none where the system does not say.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cores: Option<f64>,
}
