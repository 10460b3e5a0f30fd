//! How far a space's move to another embedder is.

use std::collections::BTreeSet;

use bethink_domain::{EmbedderIdentity, TraceId};

use crate::records::MigrationRecord;

/// Vectors of the next generation that lie in the file, told by ids: in their order, all up to one, and those above it
/// that came with their statements.
#[derive(Debug, Clone)]
pub(crate) struct Moving {
    pub(crate) record: MigrationRecord,
    /// Up to this one, all have their vector or can have none, but for those in `again`.
    upto: TraceId,
    /// Above it, those that have it already.
    ahead: BTreeSet<TraceId>,
    /// Up to it, those whose text has changed since.
    again: BTreeSet<TraceId>,
}

impl Moving {
    pub(crate) fn new(record: MigrationRecord) -> Self {
        Self { record, upto: TraceId::from_raw(0), ahead: BTreeSet::new(), again: BTreeSet::new() }
    }

    /// A move that goes on: `all` are the traces in their order, each with whether its vector lies in the file.
    pub(crate) fn resumed(record: MigrationRecord, all: impl Iterator<Item = (TraceId, bool)>) -> Self {
        let mut moving = Self::new(record);
        let mut gapless = true;
        for (id, made) in all {
            gapless &= made;
            if gapless {
                moving.upto = id;
            } else if made {
                moving.ahead.insert(id);
            }
        }
        moving
    }

    /// Whether its vectors are kept beside those that serve, and are those of this embedder.
    pub(crate) fn makes(&self, identity: Option<&EmbedderIdentity>) -> bool {
        self.record.migration.state.live() && Some(&self.record.migration.to) == identity
    }

    /// Whether a trace still lacks its vector.
    pub(crate) fn lacks(&self, id: TraceId) -> bool {
        if id > self.upto { !self.ahead.contains(&id) } else { self.again.contains(&id) }
    }

    /// A trace has its vector.
    pub(crate) fn made(&mut self, id: TraceId) {
        if id > self.upto {
            self.ahead.insert(id);
        } else {
            self.again.remove(&id);
        }
    }

    /// A trace has none any more.
    pub(crate) fn lost(&mut self, id: TraceId) {
        if id > self.upto {
            self.ahead.remove(&id);
        } else {
            self.again.insert(id);
        }
    }

    /// A trace is gone, or can have no vector.
    pub(crate) fn settle(&mut self, id: TraceId) {
        self.ahead.remove(&id);
        self.again.remove(&id);
    }

    /// All up to this one were looked after, but for `left`.
    pub(crate) fn advance(&mut self, upto: TraceId, left: &[TraceId]) {
        if upto > self.upto {
            self.ahead = self.ahead.split_off(&TraceId::from_raw(upto.raw().saturating_add(1)));
            self.upto = upto;
        }
        self.again.extend(left);
    }
}

#[cfg(test)]
mod tests {
    use bethink_domain::{Migration, MigrationState, Timestamp};

    use super::*;

    fn id(raw: u64) -> TraceId {
        TraceId::from_raw(raw)
    }

    fn lacking(moving: &Moving) -> Vec<u64> {
        (1..=9).filter(|raw| moving.lacks(id(*raw))).collect()
    }

    #[test]
    fn it_knows_whose_vector_is_still_to_be_made() {
        let to = EmbedderIdentity { model: "m".into(), dimensions: 4, revision: "1".into() };
        let begun_at = Timestamp::default();
        let migration = Migration { to, state: MigrationState::Building, begun_at, parity: None };
        let record = MigrationRecord { migration, generation: 2 };
        let all = (1..=9).map(|raw| (id(raw), raw <= 3 || raw == 6));
        let mut moving = Moving::resumed(record, all);
        assert_eq!(lacking(&moving), [4, 5, 7, 8, 9]);
        moving.made(id(9));
        moving.lost(id(2));
        assert_eq!(lacking(&moving), [2, 4, 5, 7, 8]);
        moving.advance(id(7), &[id(5)]);
        moving.made(id(2));
        assert_eq!(lacking(&moving), [5, 8], "the fifth was edited while its vector was made");
        moving.lost(id(9));
        moving.settle(id(5));
        assert_eq!(lacking(&moving), [8, 9]);
    }
}
