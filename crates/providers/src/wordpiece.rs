//! Word pieces, as BERT cuts them: the alphabet of the embedded model.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Fills a row up to the length of the longest.
pub(crate) const PAD: u16 = 0;
/// Stands for a word that can't be spelled.
pub(crate) const UNKNOWN: u16 = 100;
/// Begins every input of the model.
pub(crate) const BEGIN: u16 = 101;
/// Ends every input of the model.
pub(crate) const END: u16 = 102;

/// A longer word is no word, but a key, a hash or a mistake; the limit is the original's.
const WORD_CHARS_MAX: usize = 100;

/// The vocabulary of the embedded model, read once.
pub(crate) static WORD_PIECES: LazyLock<WordPieces> =
    LazyLock::new(|| WordPieces::new(include_str!("../model/vocab.txt")));

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Line of the vocabulary, from 0.
    pub id: u16,
    /// Letters and digits that it stands for, at most 255.
    pub letters: u8,
}

/// A vocabulary of word pieces, at most 65,536.
#[derive(Debug)]
pub(crate) struct WordPieces {
    /// Pieces that begin a word.
    starts: HashMap<&'static str, u16>,
    /// Pieces that continue one, without their `##`.
    continuations: HashMap<&'static str, u16>,
    /// Bytes of the longest piece.
    longest: usize,
}

impl WordPieces {
    fn new(vocabulary: &'static str) -> Self {
        let mut pieces = Self { starts: HashMap::new(), continuations: HashMap::new(), longest: 0 };
        for (id, entry) in (0..=u16::MAX).zip(vocabulary.lines()) {
            match entry.strip_prefix("##") {
                Some(rest) if !rest.is_empty() => pieces.continuations.insert(rest, id),
                _ => pieces.starts.insert(entry, id),
            };
            pieces.longest = pieces.longest.max(entry.len());
        }
        pieces
    }

    /// The pieces of a text: lower case, accents stripped, punctuation and Chinese characters each by itself, every
    /// other word spelled by the longest pieces from its start, or unknown as a whole.
    pub(crate) fn pieces(&self, text: &str) -> Vec<Piece> {
        let mut found = Vec::new();
        let mut word = String::new();
        for c in plain(text) {
            let alone = stands_alone(c);
            if alone || c.is_whitespace() {
                self.spell(&word, &mut found);
                word.clear();
            }
            if alone {
                self.spell(c.encode_utf8(&mut [0; 4]), &mut found);
            } else if !c.is_whitespace() {
                word.push(c);
            }
        }
        self.spell(&word, &mut found);
        found
    }

    fn spell(&self, word: &str, found: &mut Vec<Piece>) {
        let before = found.len();
        let mut rest = if word.chars().nth(WORD_CHARS_MAX).is_some() { None } else { Some(word) };
        let mut table = &self.starts;
        while let Some(unspelled) = rest.filter(|unspelled| !unspelled.is_empty()) {
            let longest = self.longest_prefix(table, unspelled);
            rest = longest.map(|(id, bytes)| {
                found.push(Piece { id, letters: letters(&unspelled[..bytes]) });
                &unspelled[bytes..]
            });
            table = &self.continuations;
        }
        if rest.is_none() {
            found.truncate(before);
            found.push(Piece { id: UNKNOWN, letters: letters(word) });
        }
    }

    fn longest_prefix(&self, table: &HashMap<&'static str, u16>, text: &str) -> Option<(u16, usize)> {
        (1..=text.len().min(self.longest))
            .rev()
            .filter(|bytes| text.is_char_boundary(*bytes))
            .find_map(|bytes| table.get(&text[..bytes]).map(|id| (*id, bytes)))
    }
}

/// The characters that count: without controls and accents, in lower case.
fn plain(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|c| !is_invisible(*c))
        .nfd()
        .filter(|c| c.is_ascii() || c.general_category() != GeneralCategory::NonspacingMark)
        .flat_map(char::to_lowercase)
}

fn is_invisible(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && !c.is_ascii_whitespace();
    }
    c == char::REPLACEMENT_CHARACTER || c.general_category_group() == GeneralCategoryGroup::Other
}

fn stands_alone(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_punctuation();
    }
    is_chinese(c) || c.general_category_group() == GeneralCategoryGroup::Punctuation
}

/// The blocks that the original takes for Chinese, without kana and hangul, which form words.
fn is_chinese(c: char) -> bool {
    matches!(u32::from(c),
        0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x2A6DF | 0x2A700..=0x2CEAF
        | 0x2F800..=0x2FA1F)
}

fn letters(piece: &str) -> u8 {
    let count = piece.chars().filter(|c| c.is_alphanumeric()).count();
    u8::try_from(count).unwrap_or(u8::MAX)
}
