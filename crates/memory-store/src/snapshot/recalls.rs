//! Recalls that may still be credited, in pieces that clones share.

use std::sync::Arc;

use bethink_domain::{RecallId, Timestamp};

use crate::rows::RecallRow;

/// Recalls of a piece: few enough to copy at each change.
const PIECE: usize = 64;

/// Recalls by ascending id.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recalls {
    pieces: Vec<Arc<Vec<(RecallId, RecallRow)>>>,
}

impl Recalls {
    pub(crate) fn get(&self, id: RecallId) -> Option<&RecallRow> {
        let piece = self.pieces.get(self.piece_of(id)?)?;
        let place = piece.binary_search_by_key(&id, |(known, _)| *known).ok()?;
        Some(&piece[place].1)
    }

    /// Adds or replaces a recall. Ids mostly grow; one that comes late finds its place.
    pub(crate) fn put(&mut self, id: RecallId, row: RecallRow) {
        let full = |piece: &Arc<Vec<_>>| piece.len() >= PIECE;
        let at_end =
            self.pieces.last().is_none_or(|piece| full(piece) && piece.last().is_some_and(|l| l.0 < id));
        if at_end {
            self.pieces.push(Arc::new(vec![(id, row)]));
            return;
        }
        let piece = self.piece_of(id).unwrap_or(self.pieces.len() - 1);
        let piece = Arc::make_mut(&mut self.pieces[piece]);
        match piece.binary_search_by_key(&id, |(known, _)| *known) {
            Ok(place) => piece[place].1 = row,
            Err(place) => piece.insert(place, (id, row)),
        }
    }

    /// Drops pieces whose recalls are all from before a time; gives the id below which all were dropped.
    pub(crate) fn expire(&mut self, before: Timestamp) -> Option<RecallId> {
        let old = |piece: &Arc<Vec<(RecallId, RecallRow)>>| piece.iter().all(|(_, row)| row.at < before);
        let dropped = self.pieces.iter().take_while(|piece| old(piece)).count();
        let last = self.pieces[..dropped].last()?.last()?.0;
        self.pieces.drain(..dropped);
        Some(RecallId::from_raw(last.raw().saturating_add(1)))
    }

    pub(crate) fn last(&self) -> Option<RecallId> {
        Some(self.pieces.last()?.last()?.0)
    }

    /// All of them, ascending.
    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(RecallId, RecallRow)> {
        self.pieces.iter().flat_map(|piece| piece.iter())
    }

    /// The first piece that could hold an id.
    fn piece_of(&self, id: RecallId) -> Option<usize> {
        let piece = self.pieces.partition_point(|piece| piece.last().is_some_and(|(last, _)| *last < id));
        (piece < self.pieces.len()).then_some(piece)
    }
}
