//! What single words mean: a table made with the embedded model.

#[cfg(test)]
mod tests;

use bethink_domain::{Sense, Senses};

use crate::wordpiece::{Piece, UNKNOWN, WORD_PIECES};

/// Layout in `scripts/make_senses.py`.
static TABLE: &[u8] = include_bytes!("../model/senses.bin");

const HEADER_BYTES: usize = 16;
/// Bytes of one sense.
const DIMENSIONS: usize = 128;
const ENTRIES: usize = 30_522;
const _: () = assert!(TABLE.len() == HEADER_BYTES + ENTRIES * DIMENSIONS, "the table of senses is cut off");

/// Senses of words, 128 bytes each, read where they lie in the executable.
///
/// Two random words have a similarity of 0 on average, with a deviation of 0.10; one pair in a hundred exceeds 0.30.
/// Near synonyms lie between 0.4 and 0.9, a kind and its parts lower ("medicine" and "tablet" 0.27).
#[derive(Debug, Clone, Copy, Default)]
pub struct EmbeddedSenses;

impl Senses for EmbeddedSenses {
    /// A word of one piece has the sense in the table; a longer one the mean of its pieces, each weighted by its
    /// letters, since short pieces such as endings say little. None when half of the letters or more can't be
    /// spelled, and for what has no letters.
    fn sense(&self, word: &str) -> Option<Sense> {
        let pieces: Vec<Piece> =
            WORD_PIECES.pieces(word).into_iter().filter(|piece| piece.letters > 0).collect();
        let letters = |unknown| {
            let counted = pieces.iter().filter(|piece| (piece.id == UNKNOWN) == unknown);
            counted.map(|piece| usize::from(piece.letters)).sum::<usize>()
        };
        if letters(true) >= letters(false) {
            return None;
        }
        match pieces.as_slice() {
            [only] => Some(Sense(entry(only.id)?.iter().map(|byte| byte.cast_signed()).collect())),
            several => mean(several),
        }
    }
}

fn entry(id: u16) -> Option<&'static [u8]> {
    let start = HEADER_BYTES + usize::from(id) * DIMENSIONS;
    TABLE.get(start..start + DIMENSIONS)
}

fn mean(pieces: &[Piece]) -> Option<Sense> {
    let mut sum = [0.0f32; DIMENSIONS];
    for piece in pieces.iter().filter(|piece| piece.id != UNKNOWN) {
        let row = entry(piece.id)?.iter().map(|byte| f32::from(byte.cast_signed()));
        let length = row.clone().map(|value| value * value).sum::<f32>().sqrt().max(1.0);
        for (total, value) in sum.iter_mut().zip(row) {
            *total += f32::from(piece.letters) * value / length;
        }
    }
    let largest = sum.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
    // Pieces of opposite senses may cancel out; then nothing is left to compare.
    (largest > f32::EPSILON)
        .then(|| Sense(sum.iter().map(|value| (value * 127.0 / largest).round() as i8).collect()))
}
