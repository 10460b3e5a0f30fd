//! The store without its actor, for evaluation and benchmarks.

use std::sync::Arc;

use bethink_clock::Entropy;
use bethink_protocol::{MemoryError, Remember, Remembered};
use redb::{ReadableDatabase, ReadableTableMetadata};

use crate::apply::{Answer, Command, Rules};
use crate::config::StoreConfig;
use crate::error::StoreError;
use crate::file::commit::commit;
use crate::file::load;
use crate::file::sealed::{install, read_graph};
use crate::file::slot::StoreSlot;
use crate::index;
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
    let (space, embedder) = (slot.space().clone(), slot.embedder().cloned());
    let rules = Rules { config: config.memory, prospective: config.prospective, entropy, space, embedder };
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

/// Seals whatever is to be sealed, and reads graphs that wait, as the actor does in the background. Blocks for as long as
/// that takes: some 25 s of one processor for 100,000 traces.
///
/// # Errors
/// A [`StoreError`] when the file failed; then what was sealed before is there.
pub fn seal(
    slot: &StoreSlot,
    base: &Arc<Snapshot>,
    config: &StoreConfig,
) -> Result<Arc<Snapshot>, StoreError> {
    let (sizes, off) = (config.memory.sizes(), Arc::default());
    let mut now = Arc::clone(base);
    loop {
        if let Some(segment) = now.segments().iter().find(|segment| segment.graph_waits) {
            let graph = slot.with(|database| read_graph(slot.path(), database, &now, segment))?;
            let mut next = Snapshot::clone(&now);
            next.put_graph(segment.number, graph, &now);
            now = Arc::new(next);
            continue;
        }
        let Some(plan) = index::next(&now, sizes) else { return Ok(now) };
        slot.take_for_writing()?;
        let built = index::build(&now, &plan, now.last_segment + 1, sizes, &off);
        let built = built.expect("because nobody calls it off");
        now = install(slot, slot.epoch(), &now, built, &now)?;
    }
}

/// Bytes of all keys and values of a space's file: what would be left of it without pages. Blocks on the disk.
///
/// # Errors
/// A [`StoreError`] when the file cannot be read or is damaged.
pub fn stored_bytes(slot: &StoreSlot) -> Result<u64, StoreError> {
    let path = slot.path();
    let fault = |error: redb::Error| StoreError::database(path, error);
    slot.with(|database| {
        let read = database.begin_read().map_err(|error| fault(error.into()))?;
        let mut bytes = 0;
        for table in read.list_tables().map_err(|error| fault(error.into()))? {
            let table = read.open_untyped_table(table).map_err(|error| fault(error.into()))?;
            bytes += table.stats().map_err(|error| fault(error.into()))?.stored_bytes();
        }
        Ok(bytes)
    })
}
