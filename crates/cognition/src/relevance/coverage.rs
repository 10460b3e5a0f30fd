//! How well a cue's words are covered by a trace's words, by meaning.

use std::collections::BTreeSet;

use bethink_domain::{Sense, Senses};
use bethink_text::content_words;

use super::lists::Lists;
use super::people::{self, Relation, relation};

/// Words of a text that are compared. A cue has a handful; a trace rarely more.
const WORDS_MAX: usize = 32;
/// Similarity of senses below which a word covers nothing, and from which on it covers wholly. One random pair in fifty
/// reaches the lower, near synonyms the higher.
const COVERED: (f32, f32) = (0.25, 0.60);

/// A word that says what a text is about.
#[derive(Debug, Clone)]
pub(super) struct ContentWord {
    surface: String,
    stem: String,
    sense: Option<Sense>,
}

/// The words that say what a text is about, with their senses.
pub(super) fn content(text: &str, senses: Option<&dyn Senses>) -> Vec<ContentWord> {
    let empty = |word: &str| {
        Lists::of(word).any(Lists::NO_NAMES.or(Lists::FIRST_PERSON).or(Lists::SCAFFOLDING))
            || word.chars().nth(1).is_none()
    };
    let mut found: Vec<ContentWord> = Vec::new();
    for mut term in content_words(text) {
        term.surface.truncate(term.surface.strip_suffix("'s").map_or(term.surface.len(), str::len));
        if !empty(&term.surface) && !found.iter().any(|word| word.stem == term.stem) {
            let sense = senses.and_then(|senses| senses.sense(&term.surface));
            found.push(ContentWord { surface: term.surface, stem: term.stem, sense });
        }
        if found.len() == WORDS_MAX {
            break;
        }
    }
    found
}

/// Mean over the cue's words of how well the trace's words cover each, 0…1; 1 when the cue has none. A relation is
/// covered when the trace speaks of such a person, if only by name.
pub(super) fn coverage(
    cue: &[ContentWord],
    text: &str,
    related: &BTreeSet<Relation>,
    senses: Option<&dyn Senses>,
) -> f32 {
    if cue.is_empty() {
        return 1.0;
    }
    let trace = content(text, senses);
    let covered = |word: &ContentWord| {
        if relation(&word.surface).is_some_and(|wanted| related.contains(wanted)) {
            return 1.0;
        }
        trace.iter().map(|other| covers(word, other)).fold(0.0, f32::max)
    };
    cue.iter().map(covered).sum::<f32>() / cue.len() as f32
}

/// Whether a cue has words that say what it is about, and all are people: relations or names.
pub(super) fn people_alone(cue: &[ContentWord], names: &BTreeSet<String>) -> bool {
    let person = |word: &ContentWord| relation(&word.surface).is_some() || names.contains(&word.surface);
    !cue.is_empty() && cue.iter().all(person)
}

fn covers(wanted: &ContentWord, present: &ContentWord) -> f32 {
    if wanted.stem == present.stem {
        return 1.0;
    }
    let words = [wanted.surface.as_str(), present.surface.as_str()];
    if let [Some(a), Some(b)] = words.map(relation) {
        return if people::among(a, &[b].into()) { 1.0 } else { 0.0 };
    }
    // Near in meaning and yet never the same: Monday is not Tuesday, 41 is not 42.
    let exact = |word: &str| {
        Lists::of(word).any(Lists::DAYS_AND_MONTHS) || word.contains(|c: char| c.is_ascii_digit())
    };
    if words.into_iter().any(exact) {
        return 0.0;
    }
    let similarity = wanted.sense.as_ref().zip(present.sense.as_ref()).map_or(0.0, |(a, b)| a.similarity(b));
    ((similarity - COVERED.0) / (COVERED.1 - COVERED.0)).clamp(0.0, 1.0)
}
