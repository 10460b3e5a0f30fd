//! Building a segment from the rows that it covers.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::graph::Links;
use super::plan::deserves_graph;
use super::{Keys, Node, Parts, Plan, Segment, Sizes, Words, place_from, row_from};
use crate::snapshot::{Place, Snapshot};

/// A segment that was built, and how it is stored.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) segment: Segment,
    pub(crate) parts: Parts,
    /// Generation of the vectors that its graph is made of.
    pub(crate) generation: Option<u16>,
}

/// Builds what is planned; none when it was called off. Takes long: some 25 s for 100,000 rows.
pub(crate) fn build(
    snapshot: &Snapshot,
    plan: &Plan,
    number: u64,
    sizes: Sizes,
    off: &Arc<AtomicBool>,
) -> Option<Built> {
    let blocks = plan.blocks.clone();
    let words = Words::new(pairs(snapshot, &blocks));
    let keys =
        Keys::new(rows(snapshot, &blocks).map(|(row, place)| (snapshot.block(place).key(place.row), row)));
    if off.load(Ordering::Relaxed) {
        return None;
    }
    let links = if plan.keep_graph {
        kept(snapshot, &blocks)
    } else if deserves_graph(snapshot, blocks.clone(), sizes.seal_rows) {
        let embedded = |(_, place): &(u32, Place)| snapshot.block(*place).embedded(place.row);
        let nodes = rows(snapshot, &blocks).filter(embedded);
        Some(Links::build(nodes.map(|(row, place)| (row, snapshot.node(place))).collect(), off)?)
    } else {
        None
    };
    let graph = links.as_ref().and_then(|links| links.attach(|row| node_of(snapshot, &blocks, row)));
    if off.load(Ordering::Relaxed) {
        return None;
    }
    let ids = blocks.clone().flat_map(|number| snapshot.blocks()[number as usize].ids().to_vec()).collect();
    let parts = Parts::new(ids, &words, &keys, links.as_ref());
    let segment = Segment {
        number,
        first: blocks.start,
        blocks: blocks.end - blocks.start,
        words: Arc::new(words),
        keys: Arc::new(keys),
        graph: graph.map(Arc::new),
        stored: true,
        graph_waits: false,
    };
    Some(Built { segment, parts, generation: snapshot.embedder().map(|embedder| embedder.generation) })
}

/// The vector of a row of a segment, where the row is there.
pub(crate) fn node_of(snapshot: &Snapshot, blocks: &Range<u32>, row: u32) -> Option<Node> {
    let place = place_from(blocks.start, row);
    let there = blocks.contains(&place.block)
        && usize::from(place.row) < snapshot.blocks().get(place.block as usize)?.len();
    there.then(|| snapshot.node(place))
}

/// The links of the segment that covers the very same blocks.
fn kept(snapshot: &Snapshot, blocks: &Range<u32>) -> Option<Links> {
    let segment = snapshot.segments().iter().find(|segment| segment.range() == *blocks)?;
    segment.graph.as_ref()?.links()
}

/// Rows that are not forgotten, with their places.
fn rows<'s>(snapshot: &'s Snapshot, blocks: &Range<u32>) -> impl Iterator<Item = (u32, Place)> + 's {
    let first = blocks.start;
    blocks.clone().flat_map(move |number| {
        let places = snapshot.blocks()[number as usize].rows().map(move |row| Place { block: number, row });
        places.map(move |place| (row_from(first, place), place))
    })
}

/// Every word with each row that holds it: from blocks, from the segments that they are in, and from loose rows.
fn pairs(snapshot: &Snapshot, blocks: &Range<u32>) -> Vec<(u64, u32)> {
    let mut pairs = Vec::new();
    let first = blocks.start;
    for number in snapshot.open_blocks().filter(|number| blocks.contains(number)) {
        let block = &snapshot.blocks()[number as usize];
        block.postings().each(|hash, row| pairs.push((hash, row_from(first, Place { block: number, row }))));
    }
    for segment in snapshot.segments().iter().filter(|segment| blocks.contains(&segment.first)) {
        segment.words.each(|hash, row| {
            let Some(place) = segment.place(row) else { return };
            if !snapshot.block(place).forgotten(place.row) && snapshot.loose().tokens(place).is_none() {
                pairs.push((hash, row_from(first, place)));
            }
        });
    }
    for (place, tokens) in snapshot.loose().words(blocks.clone()) {
        pairs.extend(tokens.terms.iter().map(|(hash, _)| (*hash, row_from(first, place))));
    }
    pairs
}
