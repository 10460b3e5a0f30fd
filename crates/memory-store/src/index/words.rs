//! Which rows of a segment hold which words: postings in compressed chunks that can be skipped, walked from the newest
//! row down.

use super::bytes::{Reader, put_u32, put_u64, put_varint};

/// Postings of a chunk: enough that skipping pays, few enough to unpack in a fraction of a microsecond.
const CHUNK: usize = 128;

/// The words of a segment. Rows are counted from its first.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Words {
    /// Ascending.
    hashes: Box<[u64]>,
    /// Where the postings of each word begin in `bytes`, and where the last end.
    starts: Box<[u32]>,
    /// For each word: how many rows; where these are more than a chunk, last row and end of each chunk; the rows of each
    /// chunk, the first as it is and the others as steps.
    bytes: Box<[u8]>,
}

impl Words {
    /// From words and the rows that hold them, in any order.
    pub(crate) fn new(mut pairs: Vec<(u64, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let (mut hashes, mut starts, mut bytes) = (Vec::new(), vec![0], Vec::new());
        for same in pairs.chunk_by(|a, b| a.0 == b.0) {
            let rows: Vec<u32> = same.iter().map(|(_, row)| *row).collect();
            write_rows(&rows, &mut bytes);
            hashes.push(same[0].0);
            starts.push(bytes.len() as u32);
        }
        Self { hashes: hashes.into(), starts: starts.into(), bytes: bytes.into() }
    }

    /// Rows that hold a word.
    pub(crate) fn count(&self, hash: u64) -> usize {
        let Ok(place) = self.hashes.binary_search(&hash) else { return 0 };
        Reader::new(self.postings(place)).varint().unwrap_or_default() as usize
    }

    /// The rows of a word, from the highest down; none where no row holds it.
    pub(crate) fn cursor(&self, hash: u64) -> Option<Cursor<'_>> {
        let place = self.hashes.binary_search(&hash).ok()?;
        Cursor::new(self.postings(place))
    }

    /// Calls `visit` with every word and each row that holds it.
    pub(crate) fn each(&self, mut visit: impl FnMut(u64, u32)) {
        for (place, hash) in self.hashes.iter().enumerate() {
            let mut cursor = Cursor::new(self.postings(place));
            while let Some(row) = cursor.as_mut().and_then(|cursor| cursor.take()) {
                visit(*hash, row);
            }
        }
    }

    fn postings(&self, place: usize) -> &[u8] {
        let (start, end) = (self.starts[place] as usize, self.starts[place + 1] as usize);
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// The stored form.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(8 + 12 * self.hashes.len() + self.bytes.len());
        put_u32(&mut out, self.hashes.len() as u32);
        self.hashes.iter().for_each(|hash| put_u64(&mut out, *hash));
        self.starts.iter().for_each(|start| put_u32(&mut out, *start));
        out.extend_from_slice(&self.bytes);
        out
    }

    /// None where the bytes are none of ours.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let count = reader.u32()? as usize;
        let hashes = reader.u64s(count)?;
        let starts = reader.u32s(count.checked_add(1)?)?;
        let bytes = reader.rest();
        let sound = starts.is_sorted() && starts.last().copied() == Some(bytes.len() as u32);
        (sound && hashes.is_sorted()).then(|| Self {
            hashes: hashes.into(),
            starts: starts.into(),
            bytes: bytes.into(),
        })
    }
}

fn write_rows(rows: &[u32], out: &mut Vec<u8>) {
    put_varint(out, rows.len() as u32);
    if rows.len() <= CHUNK {
        return write_chunk(rows, out);
    }
    let (mut table, mut chunks) = (Vec::new(), Vec::new());
    for chunk in rows.chunks(CHUNK) {
        write_chunk(chunk, &mut chunks);
        put_u32(&mut table, chunk[chunk.len() - 1]);
        put_u32(&mut table, chunks.len() as u32);
    }
    out.append(&mut table);
    out.append(&mut chunks);
}

fn write_chunk(rows: &[u32], out: &mut Vec<u8>) {
    let mut before = 0;
    for row in rows {
        put_varint(out, row - before);
        before = *row;
    }
}

/// A walk over the rows of one word, from the highest down.
pub(crate) struct Cursor<'w> {
    /// Rows of the word.
    count: usize,
    /// Last row and end of each chunk; nothing where there is but one.
    table: &'w [u8],
    chunks: &'w [u8],
    /// The chunk that is unpacked.
    chunk: usize,
    unpacked: [u32; CHUNK],
    /// Rows of the unpacked chunk that are still to come.
    left: usize,
}

impl<'w> Cursor<'w> {
    /// None where the postings are none, or damaged.
    fn new(postings: &'w [u8]) -> Option<Self> {
        let mut reader = Reader::new(postings);
        let count = reader.varint()? as usize;
        let chunks = count.div_ceil(CHUNK);
        let table = if chunks > 1 { reader.take(chunks * 8)? } else { &[] };
        let mut cursor =
            Self { count, table, chunks: reader.rest(), chunk: 0, unpacked: [0; CHUNK], left: 0 };
        cursor.unpack(chunks.checked_sub(1)?);
        Some(cursor)
    }

    /// The highest row that is still to come.
    pub(crate) fn row(&self) -> Option<u32> {
        (self.left > 0).then(|| self.unpacked[self.left - 1])
    }

    /// Takes the highest row that is still to come.
    pub(crate) fn take(&mut self) -> Option<u32> {
        let row = self.row()?;
        self.left -= 1;
        if self.left == 0 && self.chunk > 0 {
            self.unpack(self.chunk - 1);
        }
        Some(row)
    }

    /// Passes over all rows above the given one; whether the word is in it.
    pub(crate) fn seek(&mut self, row: u32) -> bool {
        if self.row().is_none_or(|next| next <= row) {
            return self.row() == Some(row);
        }
        if self.chunk > 0 && self.unpacked[0] > row {
            // The first chunk that ends at the row or beyond it; the row itself can be in no other.
            let (mut low, mut high) = (0, self.chunk);
            while low < high {
                let middle = (low + high) / 2;
                if self.entry(middle).0 < row { low = middle + 1 } else { high = middle }
            }
            if low != self.chunk {
                self.unpack(low);
            }
        }
        self.left = self.unpacked[..self.left].partition_point(|known| *known <= row);
        if self.left == 0 && self.chunk > 0 {
            self.unpack(self.chunk - 1);
        }
        self.row() == Some(row)
    }

    /// Last row and end of a chunk.
    fn entry(&self, chunk: usize) -> (u32, usize) {
        let mut reader = Reader::new(self.table.get(chunk * 8..).unwrap_or_default());
        (reader.u32().unwrap_or_default(), reader.u32().unwrap_or_default() as usize)
    }

    fn unpack(&mut self, chunk: usize) {
        let start = if chunk == 0 { 0 } else { self.entry(chunk - 1).1 };
        let last = (self.count.div_ceil(CHUNK)).saturating_sub(1);
        let rows = if chunk < last { CHUNK } else { self.count - CHUNK * last };
        let mut reader = Reader::new(self.chunks.get(start..).unwrap_or_default());
        let mut row = 0u32;
        (self.chunk, self.left) = (chunk, 0);
        for place in 0..rows {
            // Damaged bytes end the chunk.
            let Some(step) = reader.varint() else { return };
            row = row.wrapping_add(step);
            self.unpacked[place] = row;
            self.left = place + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn rows_of(words: &Words, hash: u64) -> Vec<u32> {
        let mut rows = Vec::new();
        let mut cursor = words.cursor(hash);
        while let Some(row) = cursor.as_mut().and_then(Cursor::take) {
            rows.push(row);
        }
        rows
    }

    proptest! {
        #[test]
        fn every_row_is_found_and_can_be_sought(
            pairs in proptest::collection::vec((0u64..6, 0u32..3_000), 0..4_000),
            sought in proptest::collection::vec(0u32..3_100, 0..60),
        ) {
            let words = Words::new(pairs.clone());
            let mut plain: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
            pairs.iter().for_each(|(hash, row)| plain.entry(*hash).or_default().push(*row));
            for (hash, rows) in &mut plain {
                rows.sort_unstable_by(|a, b| b.cmp(a));
                rows.dedup();
                prop_assert_eq!(&rows_of(&words, *hash), &*rows);
                prop_assert_eq!(words.count(*hash), rows.len());
                let mut cursor = words.cursor(*hash).expect("because a row holds it");
                let mut falling = sought.clone();
                falling.sort_unstable_by(|a, b| b.cmp(a));
                for row in falling {
                    prop_assert_eq!(cursor.seek(row), rows.contains(&row));
                    prop_assert_eq!(cursor.row(), rows.iter().find(|known| **known <= row).copied());
                }
            }
            let mut all = Vec::new();
            words.each(|hash, row| all.push((hash, row)));
            prop_assert_eq!(Words::new(all), Words::new(pairs));
            prop_assert_eq!(Words::decode(&words.encode()), Some(words));
        }

        #[test]
        fn damaged_bytes_are_refused_or_read_without_harm(
            pairs in proptest::collection::vec((0u64..4, 0u32..900), 1..900),
            (place, value) in (0usize..10_000, any::<u8>()),
        ) {
            let mut bytes = Words::new(pairs).encode();
            let place = place % bytes.len();
            bytes[place] = value;
            if let Some(words) = Words::decode(&bytes) {
                words.each(|_, _| ());
                for hash in 0..4 {
                    let _ = words.cursor(hash).map(|mut cursor| cursor.seek(100));
                }
            }
        }
    }
}
