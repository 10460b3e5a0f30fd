//! Sealed segments: what recall goes by where rows are too many to be looked at one by one.
//!
//! A segment covers a run of full blocks and holds who has which word, which key, and a graph of near neighbours. It
//! never changes. Rows that change later are *loose*: they are left out of what the segment answers, and looked at one by
//! one. A segment is derived from the rows; losing it loses nothing.

mod build;
mod bytes;
mod graph;
mod keys;
mod plan;
mod stored;
mod words;

use std::ops::Range;
use std::sync::Arc;

pub(crate) use build::{Built, build, node_of};
pub(crate) use graph::{Graph, Links, Node};
pub(crate) use keys::Keys;
pub(crate) use plan::{Plan, Sizes, next};
pub(crate) use stored::{Head, Part, Parts, decode_ids, decode_links, key, number_of};
pub(crate) use words::{Cursor, Words};

use crate::snapshot::{Place, ROWS_MAX};

/// See the module. Rows are counted from the first row of its first block.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    /// Its name in the file; grows.
    pub(crate) number: u64,
    /// The blocks that it covers.
    pub(crate) first: u32,
    pub(crate) blocks: u32,
    pub(crate) words: Arc<Words>,
    pub(crate) keys: Arc<Keys>,
    /// None where there are too few vectors, or while it is not read yet; then its rows are scanned.
    pub(crate) graph: Option<Arc<Graph>>,
    /// The file holds it as it is here.
    pub(crate) stored: bool,
    /// The file holds a graph that is not read yet.
    pub(crate) graph_waits: bool,
}

impl Segment {
    /// The blocks that it covers.
    pub(crate) fn range(&self) -> Range<u32> {
        self.first..self.first + self.blocks
    }

    /// Where a row of the segment lies; none outside it.
    pub(crate) fn place(&self, row: u32) -> Option<Place> {
        let place = place_from(self.first, row);
        self.range().contains(&place.block).then_some(place)
    }

    /// Which row of the segment lies at a place.
    pub(crate) fn row(&self, place: Place) -> Option<u32> {
        self.range().contains(&place.block).then(|| row_from(self.first, place))
    }
}

fn place_from(first: u32, row: u32) -> Place {
    Place { block: first + row / ROWS_MAX as u32, row: (row % ROWS_MAX as u32) as u8 }
}

fn row_from(first: u32, place: Place) -> u32 {
    (place.block - first) * ROWS_MAX as u32 + u32::from(place.row)
}
