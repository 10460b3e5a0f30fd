//! Word pieces, as BERT cuts them: the alphabet of the embedded model.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

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
pub(crate) static WORD_PIECES: LazyLock<Arc<WordPieces>> = LazyLock::new(|| {
    Arc::new(WordPieces::new(include_str!("../model/vocab.txt").lines().map(Cow::Borrowed)))
});

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
    starts: HashMap<Cow<'static, str>, u16>,
    /// Pieces that continue one, without their `##`.
    continuations: HashMap<Cow<'static, str>, u16>,
    /// Bytes of the longest piece.
    longest: usize,
    /// What frames an input.
    pub marks: Marks,
}

/// Entries of a vocabulary that stand for no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Marks {
    pub pad: u16,
    pub unknown: u16,
    pub begin: u16,
    pub end: u16,
}

/// The marks of the embedded model.
const MARKS: Marks = Marks { pad: PAD, unknown: UNKNOWN, begin: BEGIN, end: END };

impl WordPieces {
    fn new(vocabulary: impl Iterator<Item = Cow<'static, str>>) -> Self {
        let mut pieces =
            Self { starts: HashMap::new(), continuations: HashMap::new(), longest: 0, marks: MARKS };
        for (id, entry) in (0..=u16::MAX).zip(vocabulary) {
            pieces.longest = pieces.longest.max(entry.len());
            let continued = entry.len() > 2 && entry.starts_with("##");
            match entry {
                Cow::Borrowed(entry) if continued => pieces.continuations.insert(entry[2..].into(), id),
                Cow::Owned(entry) if continued => {
                    pieces.continuations.insert(entry[2..].to_owned().into(), id)
                }
                entry => pieces.starts.insert(entry, id),
            };
        }
        pieces
    }

    /// The vocabulary of another model, an entry a line.
    ///
    /// # Errors
    /// What it lacks, or has too much of.
    pub(crate) fn read(vocabulary: &str) -> Result<Self, String> {
        let entries: Vec<&str> = vocabulary.lines().map(|line| line.trim_end_matches('\r')).collect();
        if entries.len() > usize::from(u16::MAX) + 1 {
            return Err(format!("it has {} entries, but must have at most 65536", entries.len()));
        }
        // This program spells in lower case, so that words with capitals would all be unknown.
        let capital =
            |entry: &&&str| !entry.starts_with('[') && entry.contains(|c: char| c.is_ascii_uppercase());
        if let Some(entry) = entries.iter().find(capital) {
            return Err(format!("`{entry}` has capitals; only uncased models can be used"));
        }
        let mut pieces = Self::new(entries.into_iter().map(|entry| Cow::Owned(entry.to_owned())));
        let mark = |name: &str| pieces.starts.get(name).copied().ok_or(format!("it lacks the entry {name}"));
        let (pad, unknown, begin, end) = (mark("[PAD]")?, mark("[UNK]")?, mark("[CLS]")?, mark("[SEP]")?);
        pieces.marks = Marks { pad, unknown, begin, end };
        Ok(pieces)
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
            found.push(Piece { id: self.marks.unknown, letters: letters(word) });
        }
    }

    fn longest_prefix(&self, table: &HashMap<Cow<'static, str>, u16>, text: &str) -> Option<(u16, usize)> {
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
