//! The vectors of a block's rows, one after the other.

use crate::vector::QuantisedVector;

/// A byte a component; a row without a vector has zeros.
#[derive(Debug, Clone)]
pub(crate) struct Vectors {
    dimensions: usize,
    /// Row after row.
    values: Vec<i8>,
    /// 0 for a row without a vector.
    scales: Vec<f32>,
    /// Rows with a vector.
    present: usize,
}

impl Vectors {
    pub(super) fn new(dimensions: usize) -> Self {
        Self { dimensions, values: Vec::new(), scales: Vec::new(), present: 0 }
    }

    /// One vector alone.
    pub(crate) fn of(vector: &QuantisedVector) -> Self {
        let values = vector.values.to_vec();
        Self { dimensions: values.len(), values, scales: vec![vector.scale], present: 1 }
    }

    /// Rows with a vector.
    pub(super) fn present(&self) -> usize {
        self.present
    }

    /// Components and scale of a row; zeros where it has no vector.
    pub(crate) fn raw(&self, row: u8) -> (&[i8], f32) {
        let (row, dimensions) = (usize::from(row), self.dimensions);
        (&self.values[row * dimensions..(row + 1) * dimensions], self.scales[row])
    }

    /// All components, and the scale of each row.
    pub(crate) fn columns(&self) -> (&[i8], &[f32]) {
        (&self.values, &self.scales)
    }

    pub(super) fn embedded(&self, row: u8) -> bool {
        self.scales[usize::from(row)] > 0.0
    }

    pub(super) fn push(&mut self, vector: Option<&QuantisedVector>) {
        self.values.resize(self.values.len() + self.dimensions, 0);
        self.scales.push(0.0);
        self.set((self.scales.len() - 1) as u8, vector);
    }

    /// A vector of another size is none.
    pub(super) fn set(&mut self, row: u8, vector: Option<&QuantisedVector>) {
        let row = usize::from(row);
        self.present -= usize::from(self.scales[row] > 0.0);
        let place = &mut self.values[row * self.dimensions..(row + 1) * self.dimensions];
        match vector.filter(|vector| vector.values.len() == self.dimensions) {
            Some(vector) => {
                place.copy_from_slice(&vector.values);
                self.scales[row] = vector.scale;
                self.present += 1;
            }
            None => {
                place.fill(0);
                self.scales[row] = 0.0;
            }
        }
    }
}
