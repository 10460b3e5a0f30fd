//! The store without its actor, for evaluation and benchmarks.

use std::sync::Arc;

use bethink_clock::Entropy;
use bethink_protocol::{MemoryError, Remember, Remembered};

use crate::apply::{Answer, Command, Rules};
use crate::config::StoreConfig;
use crate::error::StoreError;
use crate::file::commit::commit;
use crate::file::load;
use crate::file::slot::StoreSlot;
use crate::snapshot::Snapshot;

impl Snapshot {
    /// Reads a whole space. Blocks on the disk.
    ///
    /// # Errors
    /// A [`StoreError`] when the file cannot be read or is damaged.
    pub fn load(slot: &StoreSlot, config: &StoreConfig) -> Result<Self, StoreError> {
        let load =
            |database: &redb::Database| load::load(slot.path(), database, slot.embedder(), config.fading());
        slot.in_turn(slot.epoch(), || slot.with(load))
    }
}

/// What became of statements that were stored at once.
#[derive(Debug)]
pub struct Appended {
    /// The space with them.
    pub snapshot: Arc<Snapshot>,
    /// One for each statement, in order.
    pub results: Vec<Result<Remembered, MemoryError>>,
}

/// Stores many statements in one durable commit, with the vectors they bring. Blocks on the disk.
///
/// `base` must be the newest snapshot of the file, and no actor may be writing to it.
///
/// # Errors
/// A [`StoreError`] when the commit failed; then nothing was stored.
pub fn append(
    slot: &StoreSlot,
    base: &Arc<Snapshot>,
    statements: Vec<Remember>,
    entropy: Entropy,
    config: &StoreConfig,
) -> Result<Appended, StoreError> {
    let rules = Rules { config: config.memory, entropy, space: slot.space().clone() };
    let commands: Vec<Command> =
        statements.into_iter().map(|remember| Command::Remember { remember, masked: Vec::new() }).collect();
    let committed = commit(slot, slot.epoch(), base, &commands, &rules)?;
    let remembered = |answer| match answer {
        Answer::Remembered(remembered) => Ok(remembered),
        other => Err(MemoryError::Damaged(format!("a statement was answered by {other:?}"))),
    };
    let results = committed.answers.into_iter().map(|answer| answer.and_then(remembered)).collect();
    Ok(Appended { snapshot: committed.snapshot, results })
}
