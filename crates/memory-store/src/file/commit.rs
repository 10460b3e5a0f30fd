//! One commit: a batch of commands becomes one durable transaction and the next snapshot.

use std::sync::Arc;

use redb::Database;

use super::read::Written;
use super::sealed;
use super::slot::StoreSlot;
use super::tables::{Op, Tables};
use crate::apply::{Answer, Change, Command, Rules};
use crate::error::StoreError;
use crate::events::events;
use crate::snapshot::Snapshot;
use bethink_domain::Event;
use bethink_protocol::MemoryError;

/// What became of a batch.
pub(crate) struct Committed {
    pub(crate) snapshot: Arc<Snapshot>,
    /// An answer for each command, in order.
    pub(crate) answers: Vec<Result<Answer, MemoryError>>,
    /// What happened, in order.
    pub(crate) events: Vec<Event>,
}

/// Applies commands in order to a copy of `base` and makes the result durable. On an error nothing has changed.
pub(crate) fn commit(
    slot: &StoreSlot,
    epoch: u64,
    base: &Arc<Snapshot>,
    commands: &[Command],
    rules: &Rules,
) -> Result<Committed, StoreError> {
    slot.in_turn(epoch, || {
        let attempt =
            || slot.with_held(|database, durable| write(slot, database, durable, base, commands, rules));
        if let Some(committed) = attempt()? {
            return Ok(committed);
        }
        slot.take_for_writing()?;
        attempt()?.ok_or_else(|| StoreError::Closed { path: slot.path().to_owned() })
    })
}

/// None when there is something to write, but the database is only looked at.
fn write(
    slot: &StoreSlot,
    database: &Database,
    durable: bool,
    base: &Arc<Snapshot>,
    commands: &[Command],
    rules: &Rules,
) -> Result<Option<Committed>, StoreError> {
    let path = slot.path();
    let transaction = database.begin_write().map_err(|error| StoreError::database(path, error))?;
    let mut next = Snapshot::clone(base);
    let mut answers = Vec::with_capacity(commands.len());
    let mut happened = Vec::new();
    let (mut changed, mut deleted) = (false, false);
    {
        let mut tables = Tables::open(&transaction, path)?;
        for command in commands {
            // A refused command has changed nothing: everything is checked before the first change.
            let mut change = Change::new(&mut next, rules);
            let answer = change.apply(command, &Written { path, tables: &tables })?;
            let ops = change.into_ops();
            debug_assert!(answer.is_ok() || ops.is_empty(), "a refused command must change nothing");
            changed |= !ops.is_empty();
            deleted |= ops.iter().any(|op| matches!(op, Op::DropTrace(_)));
            ops.iter().try_for_each(|op| tables.write(op))?;
            happened.extend(events(&rules.space, &ops));
            answers.push(answer);
        }
        for number in next.cleanse() {
            sealed::drop_segment(&mut tables, number)?;
        }
        // Deleting takes away the rows from which counters could be told.
        if changed && (deleted || next.counters.must_follow(&base.counters)) {
            tables.write(&Op::Counters(next.counters))?;
        }
    }
    if !(changed && durable) {
        transaction.abort().map_err(|error| StoreError::database(path, error))?;
        return Ok((!changed).then(|| Committed { snapshot: base.clone(), answers, events: Vec::new() }));
    }
    transaction.commit().map_err(|error| StoreError::database(path, error))?;
    Ok(Some(Committed { snapshot: Arc::new(next), answers, events: happened }))
}
