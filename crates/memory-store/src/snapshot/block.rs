//! 256 rows, a column an `Arc`, so that a change of one column copies that one only.

use std::sync::Arc;

use bethink_cognition::Decay;
use bethink_domain::{Timestamp, TraceId};

use super::postings::Postings;
use super::vectors::Vectors;
use crate::rows::{TraceBody, TraceState};
use crate::tokens::Tokens;
use crate::vector::QuantisedVector;

/// Rows of a block. Copying the numbers of so many takes some microseconds, and a row's place in it fits a byte.
pub(crate) const ROWS_MAX: usize = 256;

/// A row on its way into a block.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) id: TraceId,
    pub(crate) state: TraceState,
    pub(crate) body: Arc<TraceBody>,
    pub(crate) tokens: Tokens,
    pub(crate) vector: Option<QuantisedVector>,
}

impl Row {
    /// A row that was forgotten, to keep the place of others.
    pub(crate) fn forgotten(id: TraceId) -> Self {
        Self {
            id,
            state: TraceState::forgotten(),
            body: Arc::new(TraceBody::forgotten()),
            tokens: Tokens { key: 0, length: 0, terms: Vec::new() },
            vector: None,
        }
    }
}

/// See the module. Columns have one entry a row.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    ids: Arc<Vec<TraceId>>,
    numbers: Arc<Numbers>,
    bodies: Arc<Vec<Arc<TraceBody>>>,
    vectors: Arc<Vectors>,
    words: Arc<Words>,
}

#[derive(Debug, Clone, Default)]
struct Numbers {
    states: Vec<TraceState>,
    /// From when the row counts as faded; the end of time when it never does.
    fades_at: Vec<Timestamp>,
    /// Forgotten since the file was read; the row keeps its place.
    forgotten: Vec<bool>,
    /// Whether recall looks at the row: not forgotten, not replaced, in a layer.
    searched: Vec<bool>,
    /// Rows that are not forgotten.
    living: usize,
    /// Rows that recall looks at.
    considered: usize,
}

#[derive(Debug, Clone, Default)]
struct Words {
    /// Empty once a segment holds the words.
    postings: Postings,
    keys: Vec<u64>,
    sieve: Sieve,
}

/// Tells of most keys that no row has them, without looking at each: a bit for each of 4,096 sorts of keys.
#[derive(Debug, Clone)]
struct Sieve([u64; 64]);

impl Default for Sieve {
    fn default() -> Self {
        Self([0; 64])
    }
}

impl Sieve {
    fn add(&mut self, key: u64) {
        self.0[(key >> 58) as usize] |= 1 << ((key >> 52) & 63);
    }

    fn may_hold(&self, key: u64) -> bool {
        self.0[(key >> 58) as usize] & (1 << ((key >> 52) & 63)) != 0
    }
}

/// A time that never comes.
const NEVER: Timestamp = Timestamp::from_millis(i64::MAX);

impl Block {
    pub(crate) fn new(dimensions: usize) -> Self {
        Self {
            ids: Arc::default(),
            numbers: Arc::default(),
            bodies: Arc::default(),
            vectors: Arc::new(Vectors::new(dimensions)),
            words: Arc::default(),
        }
    }

    /// A block of rows; with `sealed`, a segment holds their words.
    pub(crate) fn from_rows(rows: Vec<Row>, dimensions: usize, decay: &Decay, sealed: bool) -> Self {
        let mut block = Self::new(dimensions);
        let tokens: Vec<&Tokens> = rows.iter().map(|row| &row.tokens).collect();
        let mut words = Words {
            postings: if sealed { Postings::default() } else { Postings::from_rows(&tokens) },
            keys: tokens.iter().map(|tokens| tokens.key).collect(),
            sieve: Sieve::default(),
        };
        tokens.iter().for_each(|tokens| words.sieve.add(tokens.key));
        rows.into_iter().for_each(|row| block.push_but_words(row, decay));
        block.words = Arc::new(words);
        block
    }

    pub(crate) fn push(&mut self, row: Row, decay: &Decay) {
        let place = self.len() as u8;
        let words = Arc::make_mut(&mut self.words);
        words.postings.push(place, &row.tokens);
        words.keys.push(row.tokens.key);
        words.sieve.add(row.tokens.key);
        self.push_but_words(row, decay);
    }

    fn push_but_words(&mut self, row: Row, decay: &Decay) {
        Arc::make_mut(&mut self.ids).push(row.id);
        let numbers = Arc::make_mut(&mut self.numbers);
        numbers.fades_at.push(decay.fades_at(&row.state.vitals()).unwrap_or(NEVER));
        numbers.searched.push(searched(&row.state));
        numbers.considered += usize::from(searched(&row.state));
        numbers.living += 1;
        numbers.states.push(row.state);
        numbers.forgotten.push(false);
        Arc::make_mut(&mut self.bodies).push(row.body);
        Arc::make_mut(&mut self.vectors).push(row.vector.as_ref());
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn living(&self) -> usize {
        self.numbers.living
    }

    /// Rows that recall looks at.
    pub(crate) fn considered(&self) -> usize {
        self.numbers.considered
    }

    /// Rows without a vector that are not forgotten; forgotten ones have none.
    pub(crate) fn unembedded(&self) -> usize {
        self.numbers.living - self.vectors.present()
    }

    /// Rows that are not forgotten.
    pub(crate) fn rows(&self) -> impl DoubleEndedIterator<Item = u8> + '_ {
        (0..self.len()).filter(|row| !self.numbers.forgotten[*row]).map(|row| row as u8)
    }

    pub(crate) fn last_id(&self) -> TraceId {
        self.ids.last().copied().unwrap_or(TraceId::from_raw(0))
    }

    pub(crate) fn find(&self, id: TraceId) -> Option<u8> {
        let row = self.ids.binary_search(&id).ok()?;
        (!self.numbers.forgotten[row]).then_some(row as u8)
    }

    /// Ids of all rows, forgotten ones among them.
    pub(crate) fn ids(&self) -> &[TraceId] {
        &self.ids
    }

    pub(crate) fn id(&self, row: u8) -> TraceId {
        self.ids[usize::from(row)]
    }

    pub(crate) fn state(&self, row: u8) -> &TraceState {
        &self.numbers.states[usize::from(row)]
    }

    pub(crate) fn fades_at(&self, row: u8) -> Timestamp {
        self.numbers.fades_at[usize::from(row)]
    }

    pub(crate) fn forgotten(&self, row: u8) -> bool {
        self.numbers.forgotten[usize::from(row)]
    }

    /// Whether recall looks at each row.
    pub(crate) fn searched(&self) -> &[bool] {
        &self.numbers.searched
    }

    pub(crate) fn body(&self, row: u8) -> &Arc<TraceBody> {
        &self.bodies[usize::from(row)]
    }

    pub(crate) fn embedded(&self, row: u8) -> bool {
        self.vectors.embedded(row)
    }

    /// The vector of a row, and its scale.
    pub(crate) fn vector(&self, row: u8) -> Option<(&[i8], f32)> {
        let (values, scale) = self.vectors.raw(row);
        (scale > 0.0).then_some((values, scale))
    }

    /// The vectors of all rows.
    pub(crate) fn vectors(&self) -> &Arc<Vectors> {
        &self.vectors
    }

    pub(crate) fn postings(&self) -> &Postings {
        &self.words.postings
    }

    pub(crate) fn key(&self, row: u8) -> u64 {
        self.words.keys[usize::from(row)]
    }

    pub(crate) fn with_key(&self, key: u64) -> impl Iterator<Item = u8> + '_ {
        let keys = if self.words.sieve.may_hold(key) { self.words.keys.as_slice() } else { &[] };
        let found = keys.iter().enumerate().filter(move |(_, known)| **known == key);
        found.map(|(row, _)| row as u8).filter(|row| !self.forgotten(*row))
    }

    pub(super) fn set_state(&mut self, row: u8, state: TraceState, decay: &Decay) {
        let numbers = Arc::make_mut(&mut self.numbers);
        numbers.fades_at[usize::from(row)] = decay.fades_at(&state.vitals()).unwrap_or(NEVER);
        numbers.states[usize::from(row)] = state;
        numbers.set_searched(usize::from(row), searched(&state));
    }

    pub(super) fn set_vector(&mut self, row: u8, vector: Option<&QuantisedVector>) {
        Arc::make_mut(&mut self.vectors).set(row, vector);
    }

    /// Replaces what a row says; with `sealed`, its words lie elsewhere.
    pub(super) fn set_body(&mut self, row: u8, body: Arc<TraceBody>, tokens: &Tokens, sealed: bool) {
        self.set_body_but_words(row, body);
        let words = Arc::make_mut(&mut self.words);
        if !sealed {
            words.postings.replace(row, tokens);
        }
        words.keys[usize::from(row)] = tokens.key;
        words.sieve.add(tokens.key);
    }

    /// Drops the words of all rows, which a segment holds now.
    pub(super) fn seal(&mut self) {
        Arc::make_mut(&mut self.words).postings = Postings::default();
    }

    /// Whether the words and vectors of another state of the block are the very same.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.words, &other.words) && Arc::ptr_eq(&self.vectors, &other.vectors)
    }

    pub(super) fn set_body_but_words(&mut self, row: u8, body: Arc<TraceBody>) {
        Arc::make_mut(&mut self.bodies)[usize::from(row)] = body;
    }

    pub(super) fn forget(&mut self, row: u8, sealed: bool) {
        let nothing = Tokens { key: 0, length: 0, terms: Vec::new() };
        self.set_body(row, Arc::new(TraceBody::forgotten()), &nothing, sealed);
        self.set_vector(row, None);
        let numbers = Arc::make_mut(&mut self.numbers);
        numbers.living -= usize::from(!numbers.forgotten[usize::from(row)]);
        numbers.forgotten[usize::from(row)] = true;
        numbers.set_searched(usize::from(row), false);
    }
}

impl Numbers {
    fn set_searched(&mut self, row: usize, searched: bool) {
        self.considered -= usize::from(self.searched[row]);
        self.considered += usize::from(searched);
        self.searched[row] = searched;
    }
}

fn searched(state: &TraceState) -> bool {
    !state.replaced() && state.kind.layer().is_some()
}
