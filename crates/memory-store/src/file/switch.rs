//! Moving to another embedder: what it is measured on, and the one commit by which its vectors take over.

use std::path::Path;

use bethink_cognition::Decay;
use bethink_domain::{EmbedderIdentity, MigrationState, TraceId, TurnId};
use redb::{Database, ReadableDatabase, ReadableTable};

use super::load::load_by;
use super::read::{bulky_text, sound};
use super::slot::StoreSlot;
use super::tables::{BULKY, EMBEDDER_KEY, META, MIGRATION_KEY, TRANSCRIPT, TURNS, TextSlot};
use crate::error::StoreError;
use crate::parity::Said;
use crate::records::{self, EmbedderRecord, MigrationRecord};
use crate::snapshot::Snapshot;

/// Turns that are looked through for messages that recalled anything.
const TURNS_MAX: usize = 1_000;

/// What the user said last, newest first, as far as memory was asked for it.
pub(crate) fn last_said(path: &Path, database: &Database, count: usize) -> Result<Vec<Said>, StoreError> {
    let fault = |error| StoreError::database(path, error);
    let read = database.begin_read().map_err(|error| StoreError::database(path, error))?;
    let open = |table| read.open_table(table).map_err(|error| StoreError::database(path, error));
    let (transcript, turns) = (open(TRANSCRIPT)?, open(TURNS)?);
    let bulky = read.open_table(BULKY).map_err(|error| StoreError::database(path, error))?;
    let mut said = Vec::new();
    for row in transcript.iter().map_err(fault)?.rev().take(TURNS_MAX) {
        if said.len() >= count {
            break;
        }
        let (key, bytes) = row.map_err(fault)?;
        let turn = TurnId::from_raw(key.value());
        // Without a record, nobody knows what the message asked of memory.
        let Some(record) = turns.get(turn.raw()).map_err(fault)? else { continue };
        let record = sound(path, records::decode_turn(turn, record.value()))?;
        if record.recalled.is_empty() {
            continue;
        }
        let text = |which| if which == 0 { TextSlot::Message } else { TextSlot::Reply };
        let bulky = |which| bulky_text(&bulky, text(which), turn.raw());
        let exchange = sound(path, records::decode_exchange(turn, bytes.value(), bulky))?;
        let used: Vec<TraceId> = record.used;
        said.push(Said { text: exchange.message, used });
    }
    Ok(said)
}

/// The space as it would be with the vectors of the next generation.
pub(crate) fn load_next(
    slot: &StoreSlot,
    record: &MigrationRecord,
    decay: Decay,
) -> Result<Snapshot, StoreError> {
    let next = embedder(record);
    let configured: Option<&EmbedderIdentity> = slot.embedder();
    slot.with(|database| load_by(slot.path(), database, Some(next), configured, decay))
}

/// Has the vectors of the next generation serve. A crash leaves the old ones in their place, or the new ones.
pub(crate) fn switch(
    slot: &StoreSlot,
    epoch: u64,
    record: MigrationRecord,
    decay: Decay,
) -> Result<Snapshot, StoreError> {
    slot.in_turn(epoch, || {
        slot.take_for_writing()?;
        // Read before it is written, so that nothing but the commit itself can fail afterwards.
        let mut next = load_next(slot, &record, decay)?;
        let mut done = record;
        done.migration.state = MigrationState::Done;
        slot.with(|database| write(slot.path(), database, &done))?;
        next.leftover = true;
        next.change_moving(|moving| moving.record = done);
        Ok(next)
    })
}

fn write(path: &Path, database: &Database, done: &MigrationRecord) -> Result<(), StoreError> {
    let transaction = database.begin_write().map_err(|error| StoreError::database(path, error))?;
    {
        let mut meta = transaction.open_table(META).map_err(|error| StoreError::database(path, error))?;
        let embedder = records::encode_embedder(&embedder(done));
        let done = records::encode_migration(done);
        for (key, value) in [(EMBEDDER_KEY, embedder), (MIGRATION_KEY, done)] {
            meta.insert(key, value.as_slice()).map_err(|error| StoreError::database(path, error))?;
        }
    }
    transaction.commit().map_err(|error| StoreError::database(path, error))
}

fn embedder(record: &MigrationRecord) -> EmbedderRecord {
    EmbedderRecord { identity: record.migration.to.clone(), generation: record.generation }
}
