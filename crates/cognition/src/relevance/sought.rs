//! What kind of answer a question seeks, and which kinds a statement holds.

use super::lists::Lists;
use super::people::{name_like, relation};
use super::reading::{Token, holds};

/// Kinds of answer as a set of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Answers(u8);

impl Answers {
    const TIME: Self = Self(1);
    const PLACE: Self = Self(2);
    const PERSON: Self = Self(4);
    const MONEY: Self = Self(8);
    const NUMBER: Self = Self(16);
    const REASON: Self = Self(32);

    fn with(self, kind: Self, there: bool) -> Self {
        if there { Self(self.0 | kind.0) } else { self }
    }

    /// How many kinds are sought and not there.
    pub(super) fn missing_from(self, told: Self) -> u32 {
        (self.0 & !told.0).count_ones()
    }

    /// Whether a person is sought.
    pub(super) fn seek_person(self) -> bool {
        self.0 & Self::PERSON.0 != 0
    }
}

const FOR_TIME: &[&[&str]] = &[
    &["when"],
    &["what", "time"],
    &["which", "day"],
    &["what", "day"],
    &["which", "days"],
    &["what", "days"],
    &["which", "date"],
    &["what", "date"],
    &["how", "often"],
    &["how", "long"],
    &["which", "month"],
    &["which", "evening"],
    &["which", "afternoon"],
    &["which", "morning"],
    &["which", "year"],
    &["what", "year"],
];
const FOR_PLACE: &[&[&str]] = &[
    &["where"],
    &["which", "city"],
    &["which", "town"],
    &["which", "country"],
    &["which", "floor"],
    &["which", "room"],
    &["what", "place"],
];
const FOR_PERSON: &[&[&str]] = &[&["who"], &["whom"], &["whose"]];
const FOR_MONEY: &[&[&str]] =
    &[&["how", "much"], &["what", "price"], &["cost"], &["costs"], &["how", "expensive"]];
const FOR_NUMBER: &[&[&str]] = &[
    &["how", "many"],
    &["how", "old"],
    &["how", "tall"],
    &["how", "high"],
    &["how", "big"],
    &["how", "strong"],
    &["how", "heavy"],
    &["number"],
    &["code"],
    &["pin"],
    &["password"],
    &["passcode"],
    &["size"],
    &["combination"],
];
const FOR_REASON: &[&[&str]] = &[&["why"], &["what", "reason"], &["which", "reason"]];

/// Words that begin a question.
const OPENERS: &[&str] = &[
    "who", "whom", "whose", "what", "which", "when", "where", "why", "how", "is", "are", "am", "was", "were",
    "do", "does", "did", "has", "have", "had", "can", "could", "will", "would", "shall", "should", "may",
    "might", "must", "isn't", "aren't", "don't", "doesn't", "didn't", "haven't",
];
/// Ask without being a question in form.
const REQUESTS: &[&[&str]] = &[
    &["tell", "me"],
    &["remind", "me"],
    &["do", "you", "know"],
    &["do", "you", "remember"],
    &["what", "about"],
    &["i", "wonder"],
    &["can", "you"],
    &["could", "you"],
    &["tell", "us"],
];

/// Whether a word may begin a question, so that its capital makes no name of it.
pub(super) fn opens_question(word: &str) -> bool {
    OPENERS.contains(&word)
}

/// Whether a text asks, rather than tells or names a topic.
pub(super) fn asks(text: &str, tokens: &[Token]) -> bool {
    let opened = tokens.first().is_some_and(|token| opens_question(&token.low));
    text.contains(['?', '？', '؟']) || opened || any(tokens, REQUESTS)
}

/// The kinds of answer that a question seeks.
pub(super) fn sought(tokens: &[Token]) -> Answers {
    let money = any(tokens, FOR_MONEY);
    Answers::default()
        .with(Answers::TIME, any(tokens, FOR_TIME))
        .with(Answers::PLACE, any(tokens, FOR_PLACE))
        .with(Answers::PERSON, any(tokens, FOR_PERSON))
        .with(Answers::MONEY, money)
        .with(Answers::NUMBER, !money && any(tokens, FOR_NUMBER))
        .with(Answers::REASON, any(tokens, FOR_REASON))
}

/// The kinds of answer that a statement holds.
pub(super) fn told(text: &str, tokens: &[Token]) -> Answers {
    let held = tokens.iter().fold(Lists::default(), |held, token| held.or(Lists::of(&token.low)));
    let number = text.contains(|c: char| c.is_ascii_digit()) || held.any(Lists::NUMBERS);
    let person = tokens
        .iter()
        .enumerate()
        .any(|(at, token)| relation(&token.low).is_some() || (name_like(token) && (token.inside || at == 0)));
    Answers::default()
        .with(Answers::TIME, number || held.any(Lists::TIMES.or(Lists::DAYS_AND_MONTHS)))
        .with(Answers::PLACE, held.any(Lists::PLACES))
        .with(Answers::PERSON, person)
        .with(Answers::MONEY, held.any(Lists::MONEY) || text.contains(['£', '$', '€']))
        .with(Answers::NUMBER, number)
        .with(Answers::REASON, held.any(Lists::REASONS))
}

fn any(tokens: &[Token], phrases: &[&[&str]]) -> bool {
    phrases.iter().any(|phrase| holds(tokens, phrase))
}
