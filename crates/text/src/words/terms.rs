//! Terms: words with their stem, as the inverted index and the attribution count them.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

use super::language::{Language, is_stop};
use super::{unaccented, words};

/// A word as it is searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The word in its normal form.
    pub surface: String,
    /// What inflected forms have in common; equal to the surface for codes, numbers and pairs of CJK characters.
    pub stem: String,
    /// Too common in its language to say anything.
    pub stop: bool,
}

/// Longer words are no words of a language, and are not stemmed.
const STEMMED_CHARS_MAX: usize = 40;

/// The terms of a text in the language that it seems to be in.
pub fn terms(text: &str) -> Vec<Term> {
    terms_in(text, Language::detect(text))
}

/// The terms of a text in a given language.
///
/// [`Language::Other`] has the stems of English for words in plain ASCII, so that texts too short to tell meet
/// those that are long enough.
pub fn terms_in(text: &str, language: Language) -> Vec<Term> {
    let stemmers = Stemmers::new(language);
    let term =
        |surface: String| Term { stem: stemmers.stem(&surface), stop: is_stop(&surface, language), surface };
    words(text).into_iter().map(|word| term(word.text)).collect()
}

/// The terms of a text that are no stop words.
pub fn content_words(text: &str) -> Vec<Term> {
    terms(text).into_iter().filter(|term| !term.stop).collect()
}

/// A number for a stem that stays the same over releases and machines (FNV-1a, 64 bits).
pub fn stem_hash(stem: &str) -> u64 {
    stem.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

struct Stemmers {
    own: Stemmer,
    plain_only: bool,
    cyrillic: Stemmer,
}

impl Stemmers {
    fn new(language: Language) -> Self {
        let algorithm = match language {
            Language::English | Language::Other => Algorithm::English,
            Language::German => Algorithm::German,
            Language::Spanish => Algorithm::Spanish,
            Language::French => Algorithm::French,
        };
        Self {
            own: Stemmer::create(algorithm),
            plain_only: language == Language::Other,
            cyrillic: Stemmer::create(Algorithm::Russian),
        }
    }

    fn stem(&self, surface: &str) -> String {
        let word = unpossessed(surface);
        let letters = word.chars().all(|c| c.is_alphabetic() || c == '\'');
        if !letters || word.chars().count() > STEMMED_CHARS_MAX {
            return unaccented(word).into_owned();
        }
        let stem = if word.starts_with(|c: char| ('\u{400}'..='\u{52f}').contains(&c)) {
            self.cyrillic.stem(word)
        } else if word.is_ascii() || (!self.plain_only && word.chars().all(is_latin)) {
            self.own.stem(word)
        } else {
            Cow::Borrowed(word)
        };
        unaccented(&stem).into_owned()
    }
}

/// "dog's" and "gibt's" without the ending.
fn unpossessed(word: &str) -> &str {
    word.strip_suffix("'s").filter(|word| !word.is_empty()).unwrap_or(word)
}

fn is_latin(c: char) -> bool {
    c.is_ascii() || ('\u{c0}'..='\u{24f}').contains(&c)
}
