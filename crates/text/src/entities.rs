//! Entities: names of people, places and things, told by their capitals.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::sentences::sentences;
use crate::words::language::{Language, is_stop};
use crate::words::{Word, words};

/// A document repeats its names; more are of no use.
const NAMES_MAX: usize = 256;
/// Before these a German capital marks a noun, not a name.
const GERMAN_DETERMINERS: [&str; 8] = ["im", "am", "zum", "zur", "vom", "beim", "ins", "ans"];

/// The names in a text, each once, in order: "Ana", "Sistine Chapel".
///
/// A word is part of a name if it begins with a capital letter and is no stop word. The first word of a sentence is so
/// only if it is capital elsewhere too, goes on with another capital word, or `known` holds of it. Scripts without
/// capitals have no names here. At most 256.
pub fn names(text: &str, known: impl Fn(&str) -> bool) -> Vec<String> {
    let words = words(text);
    let language = Language::of_words(&words, Language::Other);
    let starts: HashSet<usize> =
        sentences(text).into_iter().map(|span| first_word(&words, span.start)).collect();
    let capital = |index: usize| is_capital(text, &words, index, language);
    let sure: HashSet<&str> = (0..words.len())
        .filter(|n| capital(*n) && !starts.contains(n))
        .map(|n| words[n].text.as_str())
        .collect();
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut at = 0;
    while at < words.len() && found.len() < NAMES_MAX {
        let length = (at..words.len())
            .take_while(|n| capital(*n) && (*n == at || (!starts.contains(n) && follows(text, &words, *n))))
            .count();
        let word = words[at].text.as_str();
        let name = length > 0
            && text.get(words[at].span.start..words[at + length - 1].span.end).is_some_and(|name| {
                let certain = !starts.contains(&at) || length > 1 || sure.contains(word) || known(name);
                certain && seen.insert(name.to_owned())
            });
        if name {
            found.push(unpossessed(&text[words[at].span.start..words[at + length - 1].span.end]).to_owned());
        }
        at += length.max(1);
    }
    found
}

fn first_word(words: &[Word], start: usize) -> usize {
    words.partition_point(|word| word.span.start < start)
}

/// Whether only a space stands between a word and the one before it.
fn follows(text: &str, words: &[Word], index: usize) -> bool {
    index.checked_sub(1).is_some_and(|before| {
        words[before].span.end <= words[index].span.start
            && &text[words[before].span.end..words[index].span.start] == " "
    })
}

fn is_capital(text: &str, words: &[Word], index: usize, language: Language) -> bool {
    let word = &words[index];
    let capital = text[word.span.clone()].starts_with(char::is_uppercase);
    let stop = |word: &str| Language::KNOWN.into_iter().any(|language| is_stop(word, language));
    let noun = language == Language::German
        && index.checked_sub(1).is_some_and(|before| {
            let before = words[before].text.as_str();
            is_stop(before, Language::German) || GERMAN_DETERMINERS.contains(&before)
        });
    capital && !noun && !stop(&word.text)
}

fn unpossessed(name: &str) -> &str {
    name.strip_suffix("'s").or(name.strip_suffix("’s")).unwrap_or(name)
}
