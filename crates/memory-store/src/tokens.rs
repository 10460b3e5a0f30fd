//! The words of a text as hashes: what postings hold and what tells equal texts.

use bethink_text::{normalise, stem_hash, terms, words};

/// Bytes of a text of which words are read. Postings count a word in a row once, so that what follows 16 KiB would
/// hardly add any.
const READ_BYTES_MAX: usize = 16 * 1024;

/// The words of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tokens {
    /// Hash of all words in order; equal for texts that differ in case, punctuation or spacing only.
    pub(crate) key: u64,
    /// Words, stop words included.
    pub(crate) length: u32,
    /// Hash of each stem and how often it occurs, at most 255; ascending by hash. Stop words are left out unless
    /// there is nothing else.
    pub(crate) terms: Vec<(u64, u8)>,
}

impl Tokens {
    /// Grows when words or stems are read in another way, so that stored hashes are made again.
    pub(crate) const VERSION: u32 = 1;

    pub(crate) fn of(text: &str) -> Self {
        let all = terms(start(text, READ_BYTES_MAX));
        let mut hashes: Vec<u64> = all.iter().filter(|t| !t.stop).map(|t| stem_hash(&t.stem)).collect();
        if hashes.is_empty() {
            hashes = all.iter().map(|t| stem_hash(&t.stem)).collect();
        }
        hashes.sort_unstable();
        let counted = hashes.chunk_by(|a, b| a == b);
        let terms = counted.map(|same| (same[0], u8::try_from(same.len()).unwrap_or(u8::MAX))).collect();
        Self { key: text_key(text), length: u32::try_from(all.len()).unwrap_or(u32::MAX), terms }
    }
}

/// Hash of all words of a text in order; of the text itself where it has no words.
pub(crate) fn text_key(text: &str) -> u64 {
    stem_hash(&plain(text))
}

/// Whether two texts have the same words in the same order.
pub(crate) fn same_words(a: &str, b: &str) -> bool {
    a == b || plain(a) == plain(b)
}

/// Whether a text holds all words of another, in order and without others between.
pub(crate) fn contains_words(text: &str, sought: &str) -> bool {
    let mark = |plain: String| format!("\u{1f}{plain}\u{1f}");
    mark(plain(text)).contains(&mark(plain(sought)))
}

/// What is kept of a forgotten text, so that an import does not bring it back: FNV-1a of its words, 128 bits.
pub(crate) fn forgotten_hash(text: &str) -> u128 {
    let prime = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    plain(text).bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash: u128, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(prime)
    })
}

/// The words of a text, joined by a character that no word holds.
fn plain(text: &str) -> String {
    let words: Vec<String> = words(text).into_iter().map(|word| word.text).collect();
    if words.is_empty() { normalise(text.trim()) } else { words.join("\u{1f}") }
}

/// The first so many bytes of a text, cut between characters.
pub(crate) fn start(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_do_not_matter_but_words_do() {
        let key = |text| Tokens::of(text).key;
        assert_eq!(key("My glasses are HERE."), key("my  glasses are here"));
        assert_ne!(key("The dog bit the man"), key("The man bit the dog"));
        assert_ne!(key("🎉"), key("🚀"));
        assert!(same_words("Hello, world", "hello world") && !same_words("🎉", "🚀"));
    }

    #[test]
    fn a_text_of_stop_words_keeps_them() {
        assert!(!Tokens::of("To be or not to be").terms.is_empty());
    }
}
