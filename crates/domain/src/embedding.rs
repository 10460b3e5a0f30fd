//! Vectors of meaning, and who made them.

use std::sync::Arc;

/// Which embedder made a vector. Vectors of different identities are never compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EmbedderIdentity {
    /// Model name, such as `all-MiniLM-L6-v2-int8`.
    pub model: Arc<str>,
    /// Components of a vector.
    pub dimensions: u16,
    /// Revision of the weights, such as the start of their checksum.
    pub revision: Arc<str>,
}

/// Why numbers are not a usable vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VectorFault {
    /// A component is NaN or infinite.
    #[error("the vector holds a value that is not a finite number")]
    NotFinite,
    /// Every component is zero, or so small that no direction is left.
    #[error("the vector has no direction")]
    Zero,
    /// No components at all.
    #[error("the vector is empty")]
    Empty,
}

/// A direction in the embedder's space.
///
/// Invariant: finite, length 1 within rounding, at least one component.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitVector(Arc<[f32]>);

impl UnitVector {
    /// Normalises numbers to length 1.
    ///
    /// # Errors
    /// A [`VectorFault`] when they have no direction.
    pub fn new(mut values: Vec<f32>) -> Result<Self, VectorFault> {
        if values.is_empty() {
            return Err(VectorFault::Empty);
        }
        if values.iter().any(|v| !v.is_finite()) {
            return Err(VectorFault::NotFinite);
        }
        let length = values.iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>().sqrt();
        if length < 1e-12 {
            return Err(VectorFault::Zero);
        }
        for value in &mut values {
            *value = (f64::from(*value) / length) as f32;
        }
        Ok(Self(values.into()))
    }

    /// The components.
    #[must_use]
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    /// Cosine of the angle to `other`, −1…1; 0 when the sizes differ.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> f32 {
        if self.0.len() != other.0.len() {
            return 0.0;
        }
        self.0.iter().zip(other.0.iter()).map(|(a, b)| a * b).sum::<f32>().clamp(-1.0, 1.0)
    }
}

/// The meaning of one word, apart from any sentence: a small vector of unit length.
#[derive(Debug, Clone, PartialEq)]
pub struct Sense(pub Arc<[i8]>);

impl Sense {
    /// Cosine of two senses, −1…1; 0 when either has no direction or the sizes differ.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> f32 {
        if self.0.len() != other.0.len() {
            return 0.0;
        }
        let dot =
            |a: &[i8], b: &[i8]| a.iter().zip(b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum::<i32>();
        let lengths = f64::from(dot(&self.0, &self.0)) * f64::from(dot(&other.0, &other.0));
        if lengths <= 0.0 { 0.0 } else { (f64::from(dot(&self.0, &other.0)) / lengths.sqrt()) as f32 }
    }
}

/// Looks up what single words mean.
pub trait Senses: Send + Sync + 'static {
    /// The sense of a lower-case word; none for a word that the table cannot spell.
    fn sense(&self, word: &str) -> Option<Sense>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_without_direction_are_refused() {
        let check = |values: Vec<f32>, fault| assert_eq!(UnitVector::new(values), Err(fault));
        check(vec![], VectorFault::Empty);
        check(vec![0.0, 0.0], VectorFault::Zero);
        check(vec![1.0, f32::NAN], VectorFault::NotFinite);
        check(vec![f32::INFINITY], VectorFault::NotFinite);
    }

    #[test]
    fn a_huge_vector_still_gets_length_one() {
        let vector = UnitVector::new(vec![1e38, 1e38]).expect("because the components are finite");
        assert!((vector.cosine(&vector) - 1.0).abs() < 1e-6);
    }
}
