//! Rows of segments that changed since these were built.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::Place;
use crate::tokens::Tokens;

/// See the module.
#[derive(Debug, Clone, Default)]
pub(crate) struct Loose {
    /// Rows that say something else, with their words.
    words: BTreeMap<Place, Arc<Tokens>>,
    /// Rows whose vector is not the graph's.
    vectors: BTreeSet<Place>,
}

impl Loose {
    /// Entries of both sorts.
    pub(crate) fn len(&self) -> usize {
        self.words.len() + self.vectors.len()
    }

    /// Entries of both sorts in a range of blocks.
    pub(crate) fn within(&self, blocks: Range<u32>) -> usize {
        let places = places(blocks);
        self.words.range(places.clone()).count() + self.vectors.range(places).count()
    }

    /// The words of a row, if it says something else than its segment knows.
    pub(crate) fn tokens(&self, place: Place) -> Option<&Arc<Tokens>> {
        self.words.get(&place)
    }

    /// Rows that say something else, in a range of blocks.
    pub(crate) fn words(&self, blocks: Range<u32>) -> impl Iterator<Item = (Place, &Arc<Tokens>)> {
        self.words.range(places(blocks)).map(|(place, tokens)| (*place, tokens))
    }

    /// Rows whose vector is not the graph's, in a range of blocks.
    pub(crate) fn vectors(&self, blocks: Range<u32>) -> impl Iterator<Item = Place> {
        self.vectors.range(places(blocks)).copied()
    }

    pub(crate) fn has_vector(&self, place: Place) -> bool {
        self.vectors.contains(&place)
    }

    pub(super) fn put_words(&mut self, place: Place, tokens: Arc<Tokens>) {
        self.words.insert(place, tokens);
    }

    pub(super) fn put_vector(&mut self, place: Place) {
        self.vectors.insert(place);
    }

    pub(super) fn remove(&mut self, place: Place) {
        self.words.remove(&place);
        self.vectors.remove(&place);
    }

    pub(super) fn remove_within(&mut self, blocks: Range<u32>) {
        let inside = |place: &Place| blocks.contains(&place.block);
        self.words.retain(|place, _| !inside(place));
        self.vectors.retain(|place| !inside(place));
    }
}

fn places(blocks: Range<u32>) -> Range<Place> {
    Place { block: blocks.start, row: 0 }..Place { block: blocks.end, row: 0 }
}
