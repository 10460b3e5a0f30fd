//! Inner loops for the benches of this crate, which see only what is public.

use bethink_domain::UnitVector;

use crate::tokens::Tokens;
use crate::vector::{CueVector, QuantisedVector};

/// Vectors in int8, and one that is compared with all of them.
#[derive(Debug)]
pub struct Rows {
    cue: CueVector,
    rows: Vec<QuantisedVector>,
}

impl Rows {
    /// The first vector is the cue.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub fn new(vectors: &[UnitVector]) -> Self {
        let cue = CueVector::new(vectors.first().expect("because a bench gives at least one vector"));
        Self { cue, rows: vectors.iter().map(QuantisedVector::new).collect() }
    }

    /// The largest cosine.
    #[must_use]
    pub fn nearest(&self) -> f32 {
        let cosines = self.rows.iter().map(|row| self.cue.cosine(&row.values, row.scale));
        cosines.fold(f32::NEG_INFINITY, f32::max)
    }
}

/// Puts a vector into its stored form; gives its scale.
#[must_use]
pub fn quantise(vector: &UnitVector) -> f32 {
    QuantisedVector::new(vector).scale
}

/// Reads the words of a text; gives how many different ones tell something.
#[must_use]
pub fn tokens(text: &str) -> usize {
    Tokens::of(text).terms.len()
}
