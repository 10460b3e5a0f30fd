//! Whether sealed segments are whole, and say of the rows what the rows say of themselves.

use std::collections::BTreeMap;

use bethink_domain::FindingKind;
use redb::ReadOnlyTable;

use super::rows::Reader;
use super::{Cure, Diagnosis};
use crate::error::StoreError;
use crate::file::read::bulky_text;
use crate::file::sealed::{self, Stored};
use crate::file::tables::{BODIES, BULKY, TextSlot};
use crate::index::Words;
use crate::records;
use crate::tokens::Tokens;

/// Looks at each segment; deep, also at each of its words.
pub(super) fn check(reader: &Reader<'_>, found: &mut Diagnosis) {
    let Ok(segments) = sealed::all(reader.path, reader.read) else { return };
    for (number, segment) in segments {
        let fault = match segment {
            None => Some("its parts are not what was written"),
            Some(segment) if reader.checkup.deep => {
                differs(reader, &segment).unwrap_or(Some("its rows cannot be read"))
            }
            Some(_) => None,
        };
        if let Some(fault) = fault {
            found.curable(
                FindingKind::IndexDiffers,
                format!("segment {number}"),
                fault,
                Cure::DropSegment(number),
            );
        }
    }
}

/// What a segment says otherwise than its rows. A row that was edited since is known by its key, and looked at by itself.
fn differs(reader: &Reader<'_>, segment: &Stored) -> Result<Option<&'static str>, StoreError> {
    let fault = |error| StoreError::database(reader.path, error);
    let bodies: ReadOnlyTable<u64, &[u8]> =
        reader.read.open_table(BODIES).map_err(|error| StoreError::database(reader.path, error))?;
    let bulky = reader.read.open_table(BULKY).map_err(|error| StoreError::database(reader.path, error))?;
    let mut tokens: BTreeMap<u32, Tokens> = BTreeMap::new();
    for (row, id) in (0u32..).zip(&segment.ids) {
        let Some(bytes) = bodies.get(id.raw()).map_err(fault)? else { continue };
        let text = || bulky_text(&bulky, TextSlot::Trace, id.raw());
        // One that cannot be read is a finding of its own.
        if let Ok((_, words)) = records::decode_body(bytes.value(), text) {
            tokens.insert(row, words);
        }
    }
    let edited = segment.keys.changed(|row| tokens.get(&row).map(|tokens| tokens.key));
    let mut gone = false;
    let mut held = Vec::new();
    segment.words.each(|hash, row| {
        gone |= !tokens.contains_key(&row);
        if edited.binary_search(&row).is_err() {
            held.push((hash, row));
        }
    });
    if gone {
        return Ok(Some("it holds words of what is not there"));
    }
    tokens.retain(|row, _| edited.binary_search(row).is_err());
    let told = tokens.iter().flat_map(|(row, words)| words.terms.iter().map(|(hash, _)| (*hash, *row)));
    let same = Words::new(held) == Words::new(told.collect());
    Ok((!same).then_some("its words are not those of its rows"))
}
