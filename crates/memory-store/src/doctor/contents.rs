//! Looking into single rows: words, vectors, and whether memory in use says the same.

use std::sync::Arc;

use bethink_domain::{FindingKind, TraceId};

use super::rows::{Read, trace};
use super::{Cure, Diagnosis};
use crate::records::{EmbedderRecord, RecordFault};
use crate::rows::{TraceBody, TraceState};
use crate::snapshot::{Place, Snapshot};
use crate::tokens::Tokens;
use crate::vector::QuantisedVector;

/// How far the length of a stored vector may be from 1. A byte a component errs by some hundredths.
const LENGTH_SLACK: f32 = 0.1;

/// Whether the stored words of a text are the ones in it.
pub(super) fn words(id: u64, body: &TraceBody, tokens: &Tokens, found: &mut Diagnosis) {
    if *tokens != Tokens::of(&body.text) {
        found.curable(FindingKind::WordsDiffer, trace(id), "", Cure::ReadWords(id));
    }
}

/// Why a vector cannot be the space's embedder's.
fn strange(generation: u16, vector: &QuantisedVector, embedder: &EmbedderRecord) -> Option<String> {
    if generation != embedder.generation {
        return Some(format!("it is of generation {generation}, and {} serves", embedder.generation));
    }
    let (has, wanted) = (vector.values.len(), usize::from(embedder.identity.dimensions));
    if has != wanted {
        return Some(format!("it has {has} dimensions in place of {wanted}"));
    }
    let squares: i64 = vector.values.iter().map(|value| i64::from(*value) * i64::from(*value)).sum();
    let length = (squares as f32).sqrt() * vector.scale;
    let sane = (length - 1.0).abs() <= LENGTH_SLACK;
    (!sane).then(|| format!("its length is {length:.3} in place of 1"))
}

/// Whether a vector can be read, is the embedder's, and is the one in memory.
pub(super) fn vector(
    id: u64,
    decoded: Result<(u16, QuantisedVector), RecordFault>,
    embedder: Option<&Read<EmbedderRecord>>,
    snapshot: Option<&Snapshot>,
    found: &mut Diagnosis,
) {
    let cure = Cure::DropVector(id);
    let (generation, vector) = match decoded {
        Ok(decoded) => decoded,
        Err(fault) => return found.curable(FindingKind::VectorDamaged, trace(id), fault.to_string(), cure),
    };
    let why = match embedder {
        Some(Some(embedder)) => strange(generation, &vector, embedder),
        // Whose it is cannot be read, which is found already.
        Some(None) => None,
        None => Some("the space has no embedder".to_owned()),
    };
    if let Some(why) = why {
        return found.curable(FindingKind::VectorStrange, trace(id), why, cure);
    }
    let Some((snapshot, place)) = in_memory(snapshot, id) else { return };
    let same = snapshot
        .block(place)
        .vector(place.row)
        .is_some_and(|(values, scale)| *values == *vector.values && scale == vector.scale);
    if !same {
        found.add(FindingKind::MemoryDiffers, trace(id), "its vector");
    }
}

/// Whether memory in use says the same as the file.
pub(super) fn body_in_memory(
    snapshot: Option<&Snapshot>,
    id: u64,
    body: &TraceBody,
    tokens: &Tokens,
    found: &mut Diagnosis,
) {
    match (snapshot, in_memory(snapshot, id)) {
        (Some(_), None) => found.add(FindingKind::MemoryDiffers, trace(id), "it is in the file alone"),
        (_, Some((snapshot, place))) => {
            let known: &Arc<TraceBody> = snapshot.body(place);
            if **known != *body || snapshot.block(place).key(place.row) != tokens.key {
                found.add(FindingKind::MemoryDiffers, trace(id), "what it says");
            }
        }
        (None, None) => {}
    }
}

/// The same for the numbers of a trace.
pub(super) fn state_in_memory(
    snapshot: Option<&Snapshot>,
    id: u64,
    state: &TraceState,
    found: &mut Diagnosis,
) {
    if let Some((snapshot, place)) = in_memory(snapshot, id)
        && snapshot.state(place) != state
    {
        found.add(FindingKind::MemoryDiffers, trace(id), "its numbers");
    }
}

/// What is in memory and not in the file.
pub(super) fn only_in_memory(
    snapshot: Option<&Snapshot>,
    in_file: impl Fn(u64) -> bool,
    found: &mut Diagnosis,
) {
    for place in snapshot.into_iter().flat_map(Snapshot::places) {
        let id = snapshot.map_or(0, |snapshot| snapshot.id(place).raw());
        if !in_file(id) {
            found.add(FindingKind::MemoryDiffers, trace(id), "it is in memory alone");
        }
    }
}

fn in_memory(snapshot: Option<&Snapshot>, id: u64) -> Option<(&Snapshot, Place)> {
    let snapshot = snapshot?;
    snapshot.find(TraceId::from_raw(id)).map(|place| (snapshot, place))
}
