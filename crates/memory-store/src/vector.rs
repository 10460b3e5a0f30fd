//! Vectors as stored and scanned: a byte a component and a scale.

use bethink_domain::UnitVector;
use wide::{i16x8, i32x4};

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

/// Components that are multiplied at a time.
const STEP: usize = 16;

/// A vector to be multiplied with many: the same numbers, 16 bits wide.
#[derive(Debug, Clone)]
pub(crate) struct CueVector {
    scale: f32,
    /// The components with even numbers and those with odd ones, of 16 each time.
    steps: Box<[[i16x8; 2]]>,
    /// What is left over by steps of 16.
    rest: Box<[i16]>,
}

impl CueVector {
    pub(crate) fn new(vector: &UnitVector) -> Self {
        let small = QuantisedVector::new(vector);
        Self::of(small.scale, &small.values)
    }

    fn of(scale: f32, values: &[i8]) -> Self {
        let (steps, rest) = values.as_chunks::<STEP>();
        let half = |step: &[i8; STEP], first: usize| {
            i16x8::new(std::array::from_fn(|place| i16::from(step[2 * place + first])))
        };
        Self {
            scale,
            steps: steps.iter().map(|step| [half(step, 0), half(step, 1)]).collect(),
            rest: rest.iter().map(|value| i16::from(*value)).collect(),
        }
    }

    /// Components.
    pub(crate) fn len(&self) -> usize {
        self.steps.len() * STEP + self.rest.len()
    }

    /// Cosine to a row of as many components.
    pub(crate) fn cosine(&self, row: &[i8], scale: f32) -> f32 {
        self.dot(row) as f32 * scale * self.scale
    }

    /// Σ a·b, the same on every machine: whole numbers, with one multiply-add instruction for eight of them.
    fn dot(&self, row: &[i8]) -> i32 {
        if cfg!(feature = "portable") {
            let cue = self.steps.iter().flat_map(|[even, odd]| {
                even.to_array().into_iter().zip(odd.to_array()).flat_map(|(even, odd)| [even, odd])
            });
            return cue
                .chain(self.rest.iter().copied())
                .zip(row)
                .map(|(x, y)| i32::from(x) * i32::from(*y))
                .sum();
        }
        let (row, row_rest) = row.as_chunks::<STEP>();
        let (row_twos, row_one) = row.as_chunks::<2>();
        let (cue_twos, cue_one) = self.steps.as_chunks::<2>();
        let mut sums = [i32x4::ZERO; 4];
        // Sums that do not wait for each other.
        for (row, cue) in row_twos.iter().zip(cue_twos) {
            for half in 0..2 {
                let [even, odd] = products(&row[half], &cue[half]);
                sums[2 * half] += even;
                sums[2 * half + 1] += odd;
            }
        }
        for (row, cue) in row_one.iter().zip(cue_one) {
            let [even, odd] = products(row, cue);
            sums[0] += even;
            sums[1] += odd;
        }
        let rest: i32 = row_rest.iter().zip(&self.rest).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
        sums.into_iter().map(i32x4::reduce_add).sum::<i32>() + rest
    }
}

/// Σ a·b of two rows of as many components, the same on every machine.
pub(crate) fn dot(a: &[i8], b: &[i8]) -> i32 {
    if cfg!(feature = "portable") {
        return a.iter().zip(b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
    }
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<STEP>(), b.as_chunks::<STEP>());
    let mut sums = [i32x4::ZERO; 2];
    for (a, b) in a.iter().zip(b) {
        let [even, odd] = products(a, &spread(b));
        sums[0] += even;
        sums[1] += odd;
    }
    let rest: i32 = a_rest.iter().zip(b_rest).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
    (sums[0] + sums[1]).reduce_add() + rest
}

/// Two bytes taken as one number of 16 bits have the second byte on top, so that shifts spread them with their signs.
fn spread(row: &[i8; STEP]) -> [i16x8; 2] {
    let pair = |place: usize| i16::from_le_bytes([row[2 * place] as u8, row[2 * place + 1] as u8]);
    let pairs = i16x8::new(std::array::from_fn(pair));
    [(pairs << 8) >> 8, pairs >> 8]
}

fn products(row: &[i8; STEP], [even, odd]: &[i16x8; 2]) -> [i32x4; 2] {
    let [first, second] = spread(row);
    [first.dot(*even), second.dot(*odd)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_fast_product_is_the_plain_one(pairs in proptest::collection::vec((any::<i8>(), -127i8..=127), 0..800)) {
            let (a, b): (Vec<i8>, Vec<i8>) = pairs.iter().copied().unzip();
            let plain: i32 = pairs.iter().map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
            let cue = CueVector::of(1.0, &b);
            prop_assert_eq!((cue.len(), cue.dot(&a)), (b.len(), plain));
            prop_assert_eq!(dot(&a, &b), plain);
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
