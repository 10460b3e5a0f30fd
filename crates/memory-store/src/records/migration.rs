//! The move of a space to another embedder.

use std::sync::Arc;

use bethink_domain::{EmbedderIdentity, Migration, MigrationState, Parity, Timestamp};
use serde::{Deserialize, Serialize};

use super::{RecordFault, decode, encode};

const WHAT: &str = "move to another embedder";

/// A move, and the generation that marks its vectors.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MigrationRecord {
    pub(crate) migration: Migration,
    pub(crate) generation: u16,
}

/// Codes of states: the place in this list. New members are appended.
const STATES: [MigrationState; 4] =
    [MigrationState::Building, MigrationState::Held, MigrationState::Cancelled, MigrationState::Done];

#[derive(Serialize, Deserialize)]
struct MigrationV1 {
    model: String,
    dimensions: u16,
    revision: String,
    generation: u16,
    state: u8,
    begun_ms: i64,
    /// Cues, overlap, used, rank before, rank after.
    parity: Option<(u32, f32, u32, f32, f32)>,
}

pub(crate) fn encode_migration(record: &MigrationRecord) -> Vec<u8> {
    let MigrationRecord { migration, generation } = record;
    let state = STATES.iter().position(|known| *known == migration.state);
    let record = MigrationV1 {
        model: migration.to.model.to_string(),
        dimensions: migration.to.dimensions,
        revision: migration.to.revision.to_string(),
        generation: *generation,
        state: state.map_or(u8::MAX, |place| place as u8),
        begun_ms: migration.begun_at.as_millis(),
        parity: migration.parity.map(|p| (p.cues, p.overlap, p.used, p.rank_before, p.rank_after)),
    };
    encode(1, &record)
}

pub(crate) fn decode_migration(bytes: &[u8]) -> Result<MigrationRecord, RecordFault> {
    let record: MigrationV1 = decode(WHAT, bytes)?;
    let to = EmbedderIdentity {
        model: Arc::from(record.model),
        dimensions: record.dimensions,
        revision: Arc::from(record.revision),
    };
    let state = STATES.get(usize::from(record.state)).copied();
    let migration = Migration {
        to,
        state: state.ok_or(RecordFault::Garbled { what: WHAT })?,
        begun_at: Timestamp::from_millis(record.begun_ms),
        parity: record.parity.map(|(cues, overlap, used, rank_before, rank_after)| Parity {
            cues,
            overlap,
            used,
            rank_before,
            rank_after,
        }),
    };
    Ok(MigrationRecord { migration, generation: record.generation })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_has_these_bytes_for_ever() {
        let to = EmbedderIdentity { model: "m".into(), dimensions: 384, revision: "r".into() };
        let parity = Parity { cues: 2, overlap: 1.0, used: 3, rank_before: 0.5, rank_after: 1.0 };
        let begun_at = Timestamp::from_millis(1);
        let migration = Migration { to, state: MigrationState::Held, begun_at, parity: Some(parity) };
        let record = MigrationRecord { migration, generation: 2 };
        let bytes = encode_migration(&record);
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(hex.starts_with("81016d8003017202010201020000803f030000003f0000803f"), "{hex}");
        assert_eq!(decode_migration(&bytes), Ok(record));
    }
}
