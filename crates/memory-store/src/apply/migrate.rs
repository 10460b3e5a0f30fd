//! Moving to another embedder: new vectors beside the old ones, until they take their place.

use std::sync::Arc;

use bethink_domain::{EmbedderIdentity, Migration, MigrationState, Parity, Timestamp, TraceId, UnitVector};
use bethink_protocol::MemoryError;

use super::{Answer, Change, Refused};
use crate::error::StoreError;
use crate::file::read::Past;
use crate::file::tables::Op;
use crate::records::MigrationRecord;
use crate::snapshot::Moving;
use crate::vector::QuantisedVector;

/// Old vectors that one commit drops at most, so that it stays short.
const SWEPT_MAX: usize = 256;

/// What a move to another embedder consists of.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Move to the configured embedder. What a person called off, only a person begins again.
    Begin { by_itself: bool },
    /// Vectors of the next generation: id, key of the text that was read, what came of it. All up to `upto` are done.
    Made { generation: u16, vectors: Vec<(TraceId, u64, Option<UnitVector>)>, upto: TraceId },
    /// Recall by the new vectors differs too much.
    Hold { generation: u16, parity: Parity },
    /// Leave the old vectors where they are.
    CallOff,
    /// Drop a few vectors that no longer serve.
    Sweep,
}

impl Change<'_> {
    pub(super) fn migrate(&mut self, at: Timestamp, step: &Step, past: &dyn Past) -> Result<Answer, Refused> {
        match step {
            Step::Begin { by_itself } => self.begin(at, *by_itself)?,
            Step::Made { generation, vectors, upto } => self.take_made(*generation, vectors, *upto),
            Step::Hold { generation, parity } => {
                if let Some(mut record) = self.live_record().filter(|record| record.generation == *generation)
                {
                    record.migration.state = MigrationState::Held;
                    record.migration.parity = Some(*parity);
                    self.put_record_of_move(record);
                }
            }
            Step::CallOff => self.call_off(),
            Step::Sweep => self.sweep(past)?,
        }
        Ok(Answer::Done)
    }

    fn begin(&mut self, at: Timestamp, by_itself: bool) -> Result<(), MemoryError> {
        let Some(to) = self.rules.embedder.clone() else {
            return Err(MemoryError::Invalid("no embedder is configured that could make vectors".to_owned()));
        };
        if !self.snapshot.foreign {
            self.call_off();
            return Ok(());
        }
        let last = self.snapshot.moving().map(|moving| moving.record.clone());
        let same = last.as_ref().filter(|last| last.migration.to == to);
        let called_off = same.is_some_and(|last| last.migration.state == MigrationState::Cancelled);
        let goes_on = same.is_some_and(|last| last.migration.state.live());
        if goes_on && !by_itself {
            self.compare_again();
        }
        if goes_on || (by_itself && called_off) {
            return Ok(());
        }
        let serving = self.snapshot.embedder().map_or(0, |embedder| embedder.generation);
        let generation = next_generation(serving, last.map_or(0, |last| last.generation))
            .ok_or_else(|| MemoryError::Invalid("this memory was moved too often".to_owned()))?;
        let migration = Migration { to, state: MigrationState::Building, begun_at: at, parity: None };
        let record = MigrationRecord { migration, generation };
        self.ops.push(Op::Migration(record.clone()));
        self.snapshot.set_moving(Some(Moving::new(record)));
        Ok(())
    }

    /// What was held is compared again, because a person asked.
    fn compare_again(&mut self) {
        if let Some(mut record) = self.live_record().filter(|r| r.migration.state == MigrationState::Held) {
            record.migration.state = MigrationState::Building;
            self.put_record_of_move(record);
        }
    }

    fn take_made(&mut self, generation: u16, vectors: &[(TraceId, u64, Option<UnitVector>)], upto: TraceId) {
        let Some(record) = self.live_record().filter(|record| record.generation == generation) else {
            return;
        };
        let mut left = Vec::new();
        for (id, key, vector) in vectors {
            let Some(place) = self.snapshot.find(*id) else {
                self.snapshot.change_moving(|moving| moving.settle(*id));
                continue;
            };
            if !self.snapshot.moving().is_some_and(|moving| moving.lacks(*id)) {
                continue;
            }
            if self.snapshot.block(place).key(place.row) != *key {
                left.push(*id);
                continue;
            }
            match vector.as_ref().filter(|vector| fits(vector, &record.migration.to)) {
                Some(vector) => {
                    self.ops.push(Op::Vector(*id, generation, Arc::new(QuantisedVector::new(vector))));
                    self.snapshot.change_moving(|moving| moving.made(*id));
                }
                None => self.snapshot.change_moving(|moving| moving.settle(*id)),
            }
        }
        self.snapshot.change_moving(|moving| moving.advance(upto, &left));
        if self.ops.is_empty() {
            // What only tells that nothing could be made must be seen too; a commit without a change is none.
            self.ops.push(Op::Migration(record));
        }
    }

    fn call_off(&mut self) {
        if let Some(mut record) = self.live_record() {
            record.migration.state = MigrationState::Cancelled;
            self.put_record_of_move(record);
            self.snapshot.leftover = true;
        }
    }

    fn sweep(&mut self, past: &dyn Past) -> Result<(), StoreError> {
        if !self.snapshot.leftover || self.live_record().is_some() {
            return Ok(());
        }
        let serving = self.snapshot.embedder().map_or(0, |embedder| embedder.generation);
        let stale = past.vectors_beside(serving, SWEPT_MAX)?;
        self.snapshot.leftover = stale.len() == SWEPT_MAX;
        // The last one tells that nothing is left.
        self.ops.push(Op::DropVectorsBeside(serving, stale));
        Ok(())
    }

    /// The next generation's vector of a text that is stored just now, or the mark that it is missing.
    pub(super) fn put_next(&mut self, id: TraceId, vector: Option<&UnitVector>) {
        let Some(record) = self.live_record() else { return };
        let ours = Some(&record.migration.to) == self.rules.embedder.as_ref();
        match vector.filter(|vector| ours && fits(vector, &record.migration.to)) {
            Some(vector) => {
                self.ops.push(Op::Vector(id, record.generation, Arc::new(QuantisedVector::new(vector))));
                self.snapshot.change_moving(|moving| moving.made(id));
            }
            None => self.snapshot.change_moving(|moving| moving.lost(id)),
        }
    }

    fn live_record(&self) -> Option<MigrationRecord> {
        let record = self.snapshot.moving().map(|moving| &moving.record);
        record.filter(|record| record.migration.state.live()).cloned()
    }

    fn put_record_of_move(&mut self, record: MigrationRecord) {
        self.ops.push(Op::Migration(record.clone()));
        self.snapshot.change_moving(|moving| moving.record = record);
    }
}

fn fits(vector: &UnitVector, identity: &EmbedderIdentity) -> bool {
    vector.as_slice().len() == usize::from(identity.dimensions)
}

/// A number that no vector bears yet, and odd where the serving one is even, since that decides the table.
fn next_generation(serving: u16, last: u16) -> Option<u16> {
    let next = serving.max(last).checked_add(1)?;
    if next % 2 == serving % 2 { next.checked_add(1) } else { Some(next) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_generation_is_used_twice_and_none_shares_a_table_with_the_one_that_serves() {
        let check = |serving, last, next| assert_eq!(next_generation(serving, last), next);
        check(1, 0, Some(2));
        check(1, 2, Some(4));
        check(2, 2, Some(3));
        check(4, 4, Some(5));
        check(65_535, 0, None);
    }
}
