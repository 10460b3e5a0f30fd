//! Which rows of a segment have which text, by the hash of its words.

use super::bytes::{Reader, put_u32};

/// The upper halves of text keys, ascending, and their rows counted from the segment's first.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Keys {
    halves: Box<[u32]>,
    rows: Box<[u32]>,
}

impl Keys {
    /// From each row's key.
    pub(crate) fn new(keys: impl Iterator<Item = (u64, u32)>) -> Self {
        let mut pairs: Vec<(u32, u32)> = keys.map(|(key, row)| (half(key), row)).collect();
        pairs.sort_unstable();
        let (halves, rows): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
        Self { halves: halves.into(), rows: rows.into() }
    }

    /// Rows that may have a key: those whose upper half is the same.
    pub(crate) fn rows(&self, key: u64) -> &[u32] {
        let start = self.halves.partition_point(|known| *known < half(key));
        let len = self.halves[start..].iter().take_while(|known| **known == half(key)).count();
        &self.rows[start..start + len]
    }

    /// Rows whose key is no more what it was, ascending.
    pub(crate) fn changed(&self, now: impl Fn(u32) -> Option<u64>) -> Vec<u32> {
        let pairs = self.halves.iter().zip(&self.rows);
        let differs = |(known, row): &(&u32, &u32)| now(**row).is_some_and(|key| half(key) != **known);
        let mut rows: Vec<u32> = pairs.filter(differs).map(|(_, row)| *row).collect();
        rows.sort_unstable();
        rows
    }

    /// The stored form.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(4 + 8 * self.rows.len());
        put_u32(&mut out, self.rows.len() as u32);
        self.halves.iter().chain(&self.rows).for_each(|value| put_u32(&mut out, *value));
        out
    }

    /// None where the bytes are none of ours.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let count = reader.u32()? as usize;
        let (halves, rows) = (reader.u32s(count)?, reader.u32s(count)?);
        (reader.rest().is_empty() && halves.is_sorted())
            .then(|| Self { halves: halves.into(), rows: rows.into() })
    }
}

fn half(key: u64) -> u32 {
    (key >> 32) as u32
}
