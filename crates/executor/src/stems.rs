//! Words of two texts compared by their stems: both sides must be stemmed as the same language.

use std::collections::{HashMap, HashSet};

use bethink_text::{Language, terms_in};

/// The stems of a text, as each language that is asked for makes them.
pub(crate) struct Stems<'a> {
    text: &'a str,
    language: Language,
    by_language: HashMap<Language, HashSet<String>>,
}

impl<'a> Stems<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self { text, language: Language::detect(text), by_language: HashMap::new() }
    }

    pub(crate) fn language(&self) -> Language {
        self.language
    }

    pub(crate) fn in_language(&mut self, language: Language) -> &HashSet<String> {
        let stems = || terms_in(self.text, language).into_iter().map(|term| term.stem).collect();
        self.by_language.entry(language).or_insert_with(stems)
    }
}

/// The stems of the words of a text that say something.
pub(crate) fn content_stems(text: &str, language: Language) -> HashSet<String> {
    terms_in(text, language).into_iter().filter(|term| !term.stop).map(|term| term.stem).collect()
}
