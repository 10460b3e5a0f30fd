//! Numbers and vectors of rows, read in step with what they say; of many rows on a thread of its own.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Scope;

use redb::ReadTransaction;

use super::Walk;
use crate::error::StoreError;
use crate::file::read::sound;
use crate::file::tables::{Rows, STATES};
use crate::records;
use crate::rows::TraceState;
use crate::vector::QuantisedVector;

/// Rows from which on a thread pays.
pub(super) const MANY: u64 = 16_384;
/// Rows that are handed over at once, and how often before the reader waits.
const BATCH: usize = 2_048;
const BATCHES: usize = 4;

/// What a row has beside its text.
pub(super) struct Numbers {
    id: u64,
    pub(super) state: TraceState,
    /// In the generation that serves.
    pub(super) vector: Option<QuantisedVector>,
}

/// Where numbers come from; rows must be asked for in ascending order.
pub(super) enum Source<'a> {
    Here(Box<Beside<'a>>),
    Aside { batches: Receiver<Result<Vec<Numbers>, StoreError>>, ahead: std::vec::IntoIter<Numbers> },
}

impl<'a> Source<'a> {
    /// Reads on a thread of the scope.
    pub(super) fn aside<'scope>(scope: &'scope Scope<'scope, '_>, beside: Beside<'a>) -> Self
    where
        'a: 'scope,
    {
        let (sender, batches) = sync_channel(BATCHES);
        scope.spawn(move || beside.hand_over(&sender));
        Self::Aside { batches, ahead: Vec::new().into_iter() }
    }

    /// Numbers of a row; none where there are none.
    pub(super) fn at(&mut self, id: u64) -> Result<Option<Numbers>, StoreError> {
        loop {
            let next = match self {
                Self::Here(beside) => beside.next()?,
                Self::Aside { batches, ahead } => match ahead.next() {
                    Some(numbers) => Some(numbers),
                    None => match batches.recv() {
                        Ok(batch) => {
                            *ahead = batch?.into_iter();
                            continue;
                        }
                        // The reader came to the end.
                        Err(_) => None,
                    },
                },
            };
            match next {
                Some(numbers) if numbers.id < id => {}
                Some(numbers) if numbers.id == id => return Ok(Some(numbers)),
                // There are no numbers without a row, so that what is ahead is never needed again.
                _ => return Ok(None),
            }
        }
    }
}

/// The tables of numbers and vectors side by side.
pub(super) struct Beside<'a> {
    path: &'a Path,
    states: Walk<'a>,
    vectors: Walk<'a>,
    generation: Option<u16>,
}

impl<'a> Beside<'a> {
    pub(super) fn new(
        path: &'a Path,
        read: &ReadTransaction,
        vectors: Rows,
        generation: Option<u16>,
    ) -> Result<Self, StoreError> {
        let walk = |table| Walk::new(path, read, table);
        Ok(Self { path, states: walk(STATES)?, vectors: walk(vectors)?, generation })
    }

    fn next(&mut self) -> Result<Option<Numbers>, StoreError> {
        let path = self.path;
        let Some((id, state)) = self.states.next()? else { return Ok(None) };
        let state = sound(path, records::decode_state(state.value()))?;
        let vector = match self.vectors.at(id)? {
            Some(bytes) => Some(sound(path, records::decode_vector(bytes.value()))?),
            None => None,
        };
        let serving = |(of, _): &(u16, _)| Some(*of) == self.generation;
        let vector = vector.filter(serving).map(|(_, vector)| vector);
        Ok(Some(Numbers { id, state, vector }))
    }

    fn hand_over(mut self, to: &SyncSender<Result<Vec<Numbers>, StoreError>>) {
        loop {
            let mut batch = Vec::with_capacity(BATCH);
            let ended = loop {
                match self.next() {
                    Ok(Some(numbers)) => batch.push(numbers),
                    Ok(None) => break true,
                    Err(error) => {
                        let _ = to.send(Err(error));
                        return;
                    }
                }
                if batch.len() == BATCH {
                    break false;
                }
            };
            // Whoever reads may have failed.
            if to.send(Ok(batch)).is_err() || ended {
                return;
            }
        }
    }
}
