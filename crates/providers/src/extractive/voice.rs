//! How one reply speaks: language, variant, dates, quotation.

use bethink_domain::Timestamp;
use bethink_text::{Language, preview, stem_hash};
use jiff::tz::TimeZone;

use super::dates::{say_day, say_when};
use super::phrases::{Phrase, fill};
use crate::language::{Prompt, Role};

/// Longest quotation, in characters as people see them: a paragraph. The whole is shown by `bethink memory show`.
const QUOTE_CHARS_MAX: usize = 400;
/// Lines of the conversation that are looked at for the language of a message too short to tell.
const HINT_LINES: usize = 6;

/// Speaks in the language of the message; says the same again in the same conversation.
pub(super) struct Voice<'a> {
    pub(super) language: Language,
    seed: u64,
    now: Timestamp,
    zone: &'a TimeZone,
}

impl<'a> Voice<'a> {
    pub(super) fn of(prompt: &'a Prompt) -> Self {
        let hint = prompt.conversation.iter().rev().filter(|line| line.role == Role::User).take(HINT_LINES);
        let hint = hint.map(|line| Language::detect(&line.text)).find(|found| *found != Language::Other);
        let language = Language::detect_with(&prompt.message, hint.unwrap_or(Language::Other));
        Self { language, seed: seed(prompt), now: prompt.plan.at, zone: &prompt.zone }
    }

    pub(super) fn in_language(self, language: Language) -> Self {
        Self { language, ..self }
    }

    pub(super) fn say(&self, phrase: Phrase, blanks: &[(&str, &str)]) -> String {
        fill(phrase, self.language, self.seed, blanks)
    }

    pub(super) fn quote(&self, text: &str) -> String {
        self.say(Phrase::Quote, &[("text", &plain(text, QUOTE_CHARS_MAX))])
    }

    pub(super) fn when(&self, at: Timestamp) -> String {
        say_when(self.language, at, self.now, self.zone)
    }

    pub(super) fn day(&self, at: Timestamp) -> String {
        say_day(self.language, at, self.now, self.zone)
    }
}

/// Picks the variant: the same conversation is answered in the same words, and a message said twice in other words.
fn seed(prompt: &Prompt) -> u64 {
    stem_hash(&prompt.message).wrapping_add(prompt.conversation.len() as u64)
}

/// One line that a terminal can show: no control characters, none that reverse the direction of reading, and at most
/// so many characters, cut between clusters.
pub(super) fn plain(text: &str, max: usize) -> String {
    let seen: String = text.chars().filter(|c| !is_unseen(*c)).collect();
    preview(&seen, max)
}

/// Zero-width joiners stay: families of emoji and Persian words need them.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// The text with its first letter in upper case.
pub(super) fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}
