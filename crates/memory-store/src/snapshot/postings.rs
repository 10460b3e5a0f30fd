//! Which rows of a block hold which words.

use crate::tokens::Tokens;

/// A word in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Posting {
    pub(crate) row: u8,
    /// How often, at most 255.
    pub(crate) count: u8,
}

/// Words of a block's rows, sorted by hash and row, so that a word is found by halving.
#[derive(Debug, Clone, Default)]
pub(crate) struct Postings {
    hashes: Vec<u64>,
    postings: Vec<Posting>,
}

impl Postings {
    pub(crate) fn from_rows(rows: &[&Tokens]) -> Self {
        let mut all: Vec<(u64, Posting)> = Vec::new();
        for (tokens, row) in rows.iter().zip(0u8..=u8::MAX) {
            all.extend(tokens.terms.iter().map(|(hash, count)| (*hash, Posting { row, count: *count })));
        }
        all.sort_unstable_by_key(|(hash, posting)| (*hash, posting.row));
        let (hashes, postings) = all.into_iter().unzip();
        Self { hashes, postings }
    }

    /// Rows that hold a word.
    pub(crate) fn rows_with(&self, hash: u64) -> &[Posting] {
        let start = self.hashes.partition_point(|known| *known < hash);
        let len = self.hashes[start..].iter().take_while(|known| **known == hash).count();
        &self.postings[start..start + len]
    }

    /// Calls `visit` with every word and each row that holds it.
    pub(crate) fn each(&self, mut visit: impl FnMut(u64, u8)) {
        self.hashes.iter().zip(&self.postings).for_each(|(hash, posting)| visit(*hash, posting.row));
    }

    /// Adds a row that is not in it yet.
    pub(super) fn push(&mut self, row: u8, tokens: &Tokens) {
        self.merge(row, tokens);
    }

    /// Replaces the words of a row.
    pub(super) fn replace(&mut self, row: u8, tokens: &Tokens) {
        let keep: Vec<bool> = self.postings.iter().map(|posting| posting.row != row).collect();
        let mut kept = keep.iter();
        self.hashes.retain(|_| *kept.next().unwrap_or(&true));
        self.postings.retain(|posting| posting.row != row);
        self.merge(row, tokens);
    }

    /// Merges the sorted words of a row into the sorted columns, from the end, in one pass.
    fn merge(&mut self, row: u8, tokens: &Tokens) {
        let (old, more) = (self.hashes.len(), tokens.terms.len());
        self.hashes.resize(old + more, 0);
        self.postings.resize(old + more, Posting { row, count: 0 });
        let (mut from, mut left) = (old, more);
        while left > 0 {
            let (hash, count) = tokens.terms[left - 1];
            let before = |known: u64, posting: Posting| (known, posting.row) < (hash, row);
            let to = from + left - 1;
            if from > 0 && !before(self.hashes[from - 1], self.postings[from - 1]) {
                self.hashes[to] = self.hashes[from - 1];
                self.postings[to] = self.postings[from - 1];
                from -= 1;
            } else {
                self.hashes[to] = hash;
                self.postings[to] = Posting { row, count };
                left -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(terms: &[u64]) -> Tokens {
        let mut terms: Vec<(u64, u8)> = terms.iter().map(|hash| (*hash, 1)).collect();
        terms.sort_unstable();
        Tokens { key: 0, length: terms.len() as u32, terms }
    }

    #[test]
    fn rows_one_by_one_equal_rows_at_once() {
        let rows = [tokens(&[5, 1, 9]), tokens(&[]), tokens(&[1, 2]), tokens(&[9, 5, 7, 1])];
        let mut grown = Postings::default();
        rows.iter().zip(0u8..).for_each(|(tokens, row)| grown.push(row, tokens));
        let built = Postings::from_rows(&rows.iter().collect::<Vec<_>>());
        assert_eq!((&grown.hashes, &grown.postings), (&built.hashes, &built.postings));
        let holding = |postings: &Postings, hash| {
            postings.rows_with(hash).iter().map(|posting| posting.row).collect::<Vec<_>>()
        };
        assert_eq!(holding(&grown, 1), [0, 2, 3]);
        assert_eq!(holding(&grown, 3), [] as [u8; 0]);
        grown.replace(2, &tokens(&[3, 9]));
        assert_eq!((holding(&grown, 1), holding(&grown, 9)), (vec![0, 3], vec![0, 2, 3]));
    }
}
