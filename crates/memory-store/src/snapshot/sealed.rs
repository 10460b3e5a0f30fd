//! What segments do for a snapshot, and what changes do to them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use bethink_domain::TraceId;

use super::{Block, Place, ROWS_MAX, Row, Snapshot};
use crate::index::{Graph, Node, Segment};
use crate::tokens::Tokens;

impl Snapshot {
    /// Segments, ascending by their blocks.
    pub(crate) fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    pub(crate) fn loose(&self) -> &super::Loose {
        &self.loose
    }

    /// Whether rows have the same places in both.
    pub(crate) fn same_places(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.layout, &other.layout)
    }

    /// Numbers of the blocks that no segment covers, ascending.
    pub(crate) fn open_blocks(&self) -> impl Iterator<Item = u32> + '_ {
        let ends = self.segments.iter().map(|segment| segment.range().end);
        let starts = self.segments.iter().map(|segment| segment.first);
        let gaps =
            std::iter::once(0).chain(ends).zip(starts.chain(std::iter::once(self.blocks.len() as u32)));
        gaps.flat_map(|(from, to)| from..to)
    }

    /// The segment that covers a block.
    pub(crate) fn segment_at(&self, block: u32) -> Option<&Arc<Segment>> {
        let place = self.segments.partition_point(|segment| segment.range().end <= block);
        self.segments.get(place).filter(|segment| segment.range().contains(&block))
    }

    /// The vector of a row, to be a point of a graph.
    pub(crate) fn node(&self, place: Place) -> Node {
        Node { vectors: Arc::clone(self.block(place).vectors()), row: place.row }
    }

    /// Adds the rows of a segment that was read, above all there are. `ids` are all of its rows; those that are not among
    /// `rows` were forgotten since it was built.
    pub(crate) fn extend_sealed(&mut self, ids: &[TraceId], rows: Vec<Row>, segment: Segment) {
        let changed: HashSet<u32> = {
            let place = |row: &Row| ids.binary_search(&row.id).ok();
            let keys: HashMap<u32, u64> =
                rows.iter().filter_map(|row| Some((place(row)? as u32, row.tokens.key))).collect();
            segment.keys.changed(|row| keys.get(&row).copied()).into_iter().collect()
        };
        let mut rows = rows.into_iter().peekable();
        for (number, ids) in ids.chunks(ROWS_MAX).enumerate() {
            let (mut filled, mut gone) = (Vec::with_capacity(ids.len()), Vec::new());
            for (row, id) in (0u8..=u8::MAX).zip(ids) {
                let there = rows.next_if(|known| known.id == *id);
                if there.is_none() {
                    gone.push(row);
                }
                filled.push(there.unwrap_or_else(|| Row::forgotten(*id)));
            }
            let first = self.blocks.len() as u32;
            for (row, filled) in (0u8..=u8::MAX).zip(&mut filled) {
                let tokens = std::mem::take(&mut filled.tokens.terms);
                if changed.contains(&((number * ROWS_MAX) as u32 + u32::from(row))) {
                    let tokens = Tokens { terms: tokens, ..filled.tokens.clone() };
                    Arc::make_mut(&mut self.loose).put_words(Place { block: first, row }, Arc::new(tokens));
                }
            }
            let mut block = Block::from_rows(filled, self.dimensions(), &self.decay, true);
            gone.into_iter().for_each(|row| block.forget(row, true));
            self.blocks.push(Arc::new(block));
        }
        Arc::make_mut(&mut self.segments).push(Arc::new(segment));
    }

    /// Takes a segment in, built from an earlier state of this snapshot; what has changed since is loose.
    pub(crate) fn install(&mut self, segment: Segment, from: &Snapshot) {
        let range = segment.range();
        self.last_segment = self.last_segment.max(segment.number);
        let segments = Arc::make_mut(&mut self.segments);
        segments.retain(|known| !range.contains(&known.first));
        let place = segments.partition_point(|known| known.first < range.start);
        let graph = segment.graph.is_some();
        segments.insert(place, Arc::new(segment));
        Arc::make_mut(&mut self.loose).remove_within(range.clone());
        for number in range {
            self.seal_block(number, from, graph);
        }
    }

    /// Drops the words that a new segment holds, and notes what it does not know.
    fn seal_block(&mut self, number: u32, from: &Snapshot, graph: bool) {
        let (now, then) = (&self.blocks[number as usize], &from.blocks[number as usize]);
        let mut changed = Vec::new();
        if !now.says_the_same(then) {
            for row in now.rows() {
                let words =
                    (now.key(row) != then.key(row)).then(|| Arc::new(Tokens::of(&now.body(row).text)));
                let vector = graph && now.embedded(row) && now.vector(row) != then.vector(row);
                changed.push((Place { block: number, row }, words, vector));
            }
            if now.living() < then.living() {
                self.forgotten_in(number);
            }
        }
        let loose = Arc::make_mut(&mut self.loose);
        for (place, words, vector) in changed {
            if let Some(tokens) = words {
                loose.put_words(place, tokens);
            }
            if vector {
                loose.put_vector(place);
            }
        }
        Arc::make_mut(&mut self.blocks[number as usize]).seal();
    }

    /// Notes that a row of a sealed block was forgotten.
    pub(super) fn forgotten_in(&mut self, block: u32) {
        let Some(number) = self.segment_at(block).map(|segment| segment.number) else { return };
        if !self.unclean.contains(&number) {
            self.unclean.push(number);
        }
    }

    /// Makes segments let go of the vectors of forgotten rows; gives the numbers of those that the file must drop, because
    /// they hold hashes of forgotten words.
    pub(crate) fn cleanse(&mut self) -> Vec<u64> {
        let unclean = std::mem::take(&mut self.unclean);
        for number in &unclean {
            let Some(place) = self.segments.iter().position(|segment| segment.number == *number) else {
                continue;
            };
            let mut segment = Segment::clone(&self.segments[place]);
            let links = segment.graph.as_ref().and_then(|graph| graph.links());
            segment.graph = links.and_then(|links| self.attach(&segment, &links)).map(Arc::new);
            // Where the graph was not read yet, the file loses it; it is built anew.
            (segment.stored, segment.graph_waits) = (false, false);
            Arc::make_mut(&mut self.segments)[place] = Arc::new(segment);
        }
        unclean
    }

    /// A graph over the rows of a segment as they are now.
    pub(crate) fn attach(&self, segment: &Segment, links: &crate::index::Links) -> Option<Graph> {
        let blocks: Range<u32> = segment.range();
        links.attach(|row| crate::index::node_of(self, &blocks, row))
    }

    /// Gives a segment the graph that was read later, made of the rows of an earlier state of this snapshot.
    pub(crate) fn put_graph(&mut self, number: u64, graph: Option<Graph>, from: &Snapshot) {
        let Some(place) = self.segments.iter().position(|segment| segment.number == number) else { return };
        if !self.segments[place].graph_waits {
            return;
        }
        let mut segment = Segment::clone(&self.segments[place]);
        segment.graph_waits = false;
        let held: HashSet<u32> = graph.iter().flat_map(|graph| graph.rows()).collect();
        segment.graph = graph.map(Arc::new);
        if segment.graph.is_some() {
            self.note_late_vectors(&segment, &held, from);
        }
        Arc::make_mut(&mut self.segments)[place] = Arc::new(segment);
    }

    /// Rows with a vector that the graph does not hold, or holds as it was.
    fn note_late_vectors(&mut self, segment: &Segment, held: &HashSet<u32>, from: &Snapshot) {
        let mut late = Vec::new();
        for number in segment.range() {
            let (now, then) = (&self.blocks[number as usize], &from.blocks[number as usize]);
            for row in now.rows().filter(|row| now.embedded(*row)) {
                let place = Place { block: number, row };
                let known = segment.row(place).is_some_and(|row| held.contains(&row));
                if !known || now.vector(row) != then.vector(row) || self.loose.tokens(place).is_some() {
                    late.push(place);
                }
            }
        }
        let loose = Arc::make_mut(&mut self.loose);
        late.into_iter().for_each(|place| loose.put_vector(place));
    }
}
