//! An immutable picture of a space, which recall reads while the next one is being written.
//!
//! Rows lie in blocks of 256 in order of their ids. Cloning a snapshot copies one pointer a block; changing a clone
//! copies only the columns of the blocks that it touches.

mod block;
mod loose;
mod moving;
mod postings;
mod recalls;
mod reminders;
mod sealed;
mod vectors;

use std::sync::Arc;

use bethink_cognition::Decay;
use bethink_domain::{Timestamp, Trace, TraceId, TraceKind, UnitVector};

pub(crate) use block::{Block, ROWS_MAX, Row};
pub(crate) use loose::Loose;
pub(crate) use moving::Moving;
pub(crate) use postings::Posting;
pub(crate) use recalls::Recalls;
pub(crate) use reminders::Reminders;
pub(crate) use vectors::Vectors;

use crate::index::Segment;

use crate::records::EmbedderRecord;
use crate::rows::{Counters, JournalHead, TraceBody, TraceState};
use crate::vector::QuantisedVector;

/// A picture of a space at one moment.
#[derive(Debug, Clone)]
pub struct Snapshot {
    blocks: Vec<Arc<Block>>,
    /// Shared by all states in which a row keeps its place; another each time that the file is read.
    layout: Arc<()>,
    /// Ascending by their blocks.
    segments: Arc<Vec<Arc<Segment>>>,
    loose: Arc<Loose>,
    /// Segments in which rows were forgotten by the commands of the commit in progress.
    unclean: Vec<u64>,
    /// The highest number that a segment has had.
    pub(crate) last_segment: u64,
    /// Segments in the file that are of no use; the next one that is written takes them away.
    pub(crate) strays: Vec<u64>,
    pub(crate) counters: Counters,
    pub(crate) recalls: Recalls,
    pub(crate) reminders: Reminders,
    /// None while the journal is empty.
    pub(crate) journal_head: Option<JournalHead>,
    embedder: Option<Arc<EmbedderRecord>>,
    /// Whether the file names its embedder already; it does from its first vector on.
    pub(crate) embedder_stored: bool,
    /// The vectors are another embedder's than the configured one, which can't make cues for them.
    pub(crate) foreign: bool,
    /// The file may hold vectors that do not serve any more.
    pub(crate) leftover: bool,
    /// The newest move to another embedder, whatever became of it.
    moving: Option<Arc<Moving>>,
    decay: Decay,
}

/// Where a row lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    pub(crate) block: u32,
    pub(crate) row: u8,
}

impl Snapshot {
    pub(crate) fn new(embedder: Option<EmbedderRecord>, decay: Decay) -> Self {
        Self {
            blocks: Vec::new(),
            layout: Arc::default(),
            segments: Arc::default(),
            loose: Arc::default(),
            unclean: Vec::new(),
            last_segment: 0,
            strays: Vec::new(),
            counters: Counters::default(),
            recalls: Recalls::default(),
            reminders: Reminders::default(),
            journal_head: None,
            embedder: embedder.map(Arc::new),
            embedder_stored: false,
            foreign: false,
            leftover: false,
            moving: None,
            decay,
        }
    }

    /// Traces that are not forgotten.
    #[must_use]
    pub fn len(&self) -> usize {
        self.blocks.iter().map(|block| block.living()).sum()
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Traces without a vector.
    #[must_use]
    pub fn unembedded(&self) -> usize {
        self.blocks.iter().map(|block| block.unembedded()).sum()
    }

    /// Sealed segments.
    #[must_use]
    pub fn segments_sealed(&self) -> usize {
        self.segments.len()
    }

    /// Rows, forgotten ones among them.
    pub(crate) fn rows(&self) -> usize {
        self.blocks.iter().map(|block| block.len()).sum()
    }

    /// Rows that recall looks at.
    pub(crate) fn considered(&self) -> usize {
        self.blocks.iter().map(|block| block.considered()).sum()
    }

    /// Turns in the transcript.
    #[must_use]
    pub fn turns(&self) -> u64 {
        self.counters.turns
    }

    /// One trace, unless it is forgotten or was never there.
    #[must_use]
    pub fn trace(&self, id: TraceId) -> Option<Trace> {
        self.find(id).map(|place| self.trace_at(place))
    }

    /// Entries of the journal that are not folded.
    pub(crate) fn journal_entries(&self) -> u64 {
        self.journal_head.map_or(0, |head| (self.counters.journal + 1).saturating_sub(head.first))
    }

    pub(crate) fn decay(&self) -> &Decay {
        &self.decay
    }

    pub(crate) fn embedder(&self) -> Option<&EmbedderRecord> {
        self.embedder.as_deref()
    }

    pub(crate) fn moving(&self) -> Option<&Moving> {
        self.moving.as_deref()
    }

    pub(crate) fn set_moving(&mut self, moving: Option<Moving>) {
        self.moving = moving.map(Arc::new);
    }

    pub(crate) fn change_moving(&mut self, work: impl FnOnce(&mut Moving)) {
        if let Some(moving) = &mut self.moving {
            work(Arc::make_mut(moving));
        }
    }

    /// Traces whose vector of the next generation is still to be made, oldest first.
    pub(crate) fn lacking(&self) -> impl Iterator<Item = Place> + '_ {
        let moving = self.moving.as_deref().filter(|moving| moving.record.migration.state.live());
        self.places().filter(move |place| moving.is_some_and(|moving| moving.lacks(self.id(*place))))
    }

    pub(crate) fn blocks(&self) -> &[Arc<Block>] {
        &self.blocks
    }

    pub(crate) fn block(&self, place: Place) -> &Block {
        &self.blocks[place.block as usize]
    }

    pub(crate) fn state(&self, place: Place) -> &TraceState {
        self.block(place).state(place.row)
    }

    pub(crate) fn body(&self, place: Place) -> &Arc<TraceBody> {
        self.block(place).body(place.row)
    }

    pub(crate) fn id(&self, place: Place) -> TraceId {
        self.block(place).id(place.row)
    }

    /// Whether a row had faded by a time.
    pub(crate) fn faded(&self, place: Place, at: Timestamp) -> bool {
        at >= self.block(place).fades_at(place.row)
    }

    pub(crate) fn trace_at(&self, place: Place) -> Trace {
        let block = self.block(place);
        self.state(place).with(self.id(place), self.body(place), block.embedded(place.row))
    }

    /// The place of a trace, unless it is forgotten.
    pub(crate) fn find(&self, id: TraceId) -> Option<Place> {
        let block = self.blocks.partition_point(|block| block.last_id() < id);
        let row = self.blocks.get(block)?.find(id)?;
        Some(Place { block: u32::try_from(block).ok()?, row })
    }

    /// What a row means, as it was stored; none while it is not embedded.
    pub(crate) fn meaning(&self, place: Place) -> Option<UnitVector> {
        let (values, scale) = self.block(place).vector(place.row)?;
        UnitVector::new(values.iter().map(|value| f32::from(*value) * scale).collect()).ok()
    }

    /// Whether a row is an intention.
    pub(crate) fn is_reminder(&self, place: Place) -> bool {
        self.state(place).kind == TraceKind::Prospective
    }

    /// Places of everything that is not forgotten, oldest first.
    pub(crate) fn places(&self) -> impl DoubleEndedIterator<Item = Place> + '_ {
        self.blocks
            .iter()
            .enumerate()
            .flat_map(|(number, block)| block.rows().map(move |row| Place { block: number as u32, row }))
    }

    /// Places of everything above an id that is not forgotten, oldest first; of everything without an id.
    pub(crate) fn places_above(&self, id: Option<TraceId>) -> impl Iterator<Item = Place> + '_ {
        let above = move |place: &Place| id.is_none_or(|id| self.id(*place) > id);
        let first = id.map_or(0, |id| self.blocks.partition_point(|block| block.last_id() <= id));
        let rows = |(block, number): (&Arc<Block>, u32)| -> Vec<Place> {
            block.rows().map(|row| Place { block: number, row }).collect()
        };
        self.blocks.iter().zip(0u32..).skip(first).flat_map(rows).filter(above)
    }

    /// Places of the texts with the same hash of words.
    pub(crate) fn with_key(&self, key: u64) -> Vec<Place> {
        let mut found = Vec::new();
        for segment in self.segments.iter() {
            let places = segment.keys.rows(key).iter().filter_map(|row| segment.place(*row));
            found.extend(places.filter(|place| {
                let block = self.block(*place);
                block.key(place.row) == key
                    && !block.forgotten(place.row)
                    && self.loose.tokens(*place).is_none()
            }));
        }
        let loose = self.loose.words(0..u32::MAX).filter(|(_, tokens)| tokens.key == key);
        found.extend(loose.map(|(place, _)| place));
        for number in self.open_blocks() {
            let block = &self.blocks[number as usize];
            found.extend(block.with_key(key).map(|row| Place { block: number, row }));
        }
        found.sort_unstable();
        found
    }

    /// Adds a row with the highest id so far.
    pub(crate) fn push(&mut self, row: Row) {
        let full = self.blocks.last().is_none_or(|block| block.len() >= ROWS_MAX);
        if full {
            self.blocks.push(Arc::new(Block::new(self.dimensions())));
        }
        if let Some(block) = self.blocks.last_mut() {
            Arc::make_mut(block).push(row, &self.decay);
        }
    }

    /// Adds many rows, ascending by id and above all there are.
    pub(crate) fn extend(&mut self, rows: Vec<Row>) {
        let mut rows = rows.into_iter();
        while self.blocks.last().is_some_and(|block| block.len() < ROWS_MAX) {
            let Some(row) = rows.next() else { return };
            self.push(row);
        }
        loop {
            let chunk: Vec<Row> = rows.by_ref().take(ROWS_MAX).collect();
            if chunk.is_empty() {
                return;
            }
            self.blocks.push(Arc::new(Block::from_rows(chunk, self.dimensions(), &self.decay, false)));
        }
    }

    /// Changes the numbers of a row.
    pub(crate) fn set_state(&mut self, place: Place, state: TraceState) {
        let decay = self.decay;
        self.change(place, |block| block.set_state(place.row, state, &decay));
    }

    /// Gives a row its vector.
    pub(crate) fn set_vector(&mut self, place: Place, vector: Option<&QuantisedVector>) {
        self.change(place, |block| block.set_vector(place.row, vector));
        if self.segment_at(place.block).is_some_and(|segment| segment.graph.is_some()) {
            Arc::make_mut(&mut self.loose).put_vector(place);
        }
    }

    /// Replaces what a row says.
    pub(crate) fn set_body(&mut self, place: Place, body: Arc<TraceBody>, tokens: &crate::tokens::Tokens) {
        let sealed = self.segment_at(place.block).is_some();
        self.change(place, |block| block.set_body(place.row, body, tokens, sealed));
        if sealed {
            Arc::make_mut(&mut self.loose).put_words(place, Arc::new(tokens.clone()));
        }
    }

    /// Replaces where a row comes from, and what else about it is no word.
    pub(crate) fn set_body_but_words(&mut self, place: Place, body: Arc<TraceBody>) {
        self.change(place, |block| block.set_body_but_words(place.row, body));
    }

    /// Makes a row unfindable and drops what it said.
    pub(crate) fn forget(&mut self, place: Place) {
        let id = self.id(place);
        self.reminders.remove(id);
        let sealed = self.segment_at(place.block).is_some();
        self.change(place, |block| block.forget(place.row, sealed));
        if sealed {
            Arc::make_mut(&mut self.loose).remove(place);
            self.forgotten_in(place.block);
        }
    }

    fn change(&mut self, place: Place, work: impl FnOnce(&mut Block)) {
        work(Arc::make_mut(&mut self.blocks[place.block as usize]));
    }

    fn dimensions(&self) -> usize {
        self.embedder.as_ref().map_or(0, |embedder| usize::from(embedder.identity.dimensions))
    }
}
