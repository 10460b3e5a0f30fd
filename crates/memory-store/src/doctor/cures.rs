//! Making anew what is derived. Nothing that was told is changed.

use std::path::Path;
use std::sync::Arc;

use bethink_domain::TraceId;
use redb::{Database, ReadableTable};

use super::Cure;
use crate::error::StoreError;
use crate::file::read::{bulky_text, sound};
use crate::file::sealed::drop_segment;
use crate::file::tables::{COUNTERS_KEY, Op, Tables, TextSlot};
use crate::records;
use crate::tokens::Tokens;

/// Carries cures out in one commit.
pub(super) fn apply(path: &Path, database: &Database, cures: &[Cure]) -> Result<(), StoreError> {
    let transaction = database.begin_write().map_err(|error| StoreError::database(path, error))?;
    {
        let mut tables = Tables::open(&transaction, path)?;
        for cure in cures {
            match cure {
                Cure::DropVector(id) => tables.write(&Op::DropVector(TraceId::from_raw(*id)))?,
                Cure::DropSegment(number) => drop_segment(&mut tables, *number)?,
                Cure::ReadWords(id) => read_words(path, &mut tables, *id)?,
                Cure::DropText(key) => {
                    tables.bulky.remove(key).map_err(|error| StoreError::database(path, error))?;
                }
            }
        }
        if cures.iter().any(|cure| matches!(cure, Cure::DropText(_))) {
            // It may be the text of something forgotten.
            ask_for_scrub(path, &mut tables)?;
        }
    }
    transaction.commit().map_err(|error| StoreError::database(path, error))
}

fn read_words(path: &Path, tables: &mut Tables<'_>, id: u64) -> Result<(), StoreError> {
    let body = {
        let bytes = tables.bodies.get(id).map_err(|error| StoreError::database(path, error))?;
        let Some(bytes) = bytes else { return Ok(()) };
        let text = || bulky_text(&tables.bulky, TextSlot::Trace, id);
        sound(path, records::decode_body(bytes.value(), text))?.0
    };
    let tokens = Tokens::of(&body.text);
    tables.write(&Op::Body(TraceId::from_raw(id), Arc::new(body), Arc::new(tokens)))
}

fn ask_for_scrub(path: &Path, tables: &mut Tables<'_>) -> Result<(), StoreError> {
    let counters = {
        let bytes = tables.meta.get(COUNTERS_KEY).map_err(|error| StoreError::database(path, error))?;
        let Some(bytes) = bytes else { return Ok(()) };
        sound(path, records::decode_counters(bytes.value()))?
    };
    tables.write(&Op::Counters(crate::rows::Counters { scrub_pending: true, ..counters }))
}
