//! Questions that a trace answers in their own words: "What do I like?" and "I like tea."
//!
//! Such questions hold so few words that their vectors lie near nothing.

use std::collections::BTreeSet;

use bethink_text::content_words;

use super::people;
use super::reading::{Token, holds};

/// Ask for something to be said, and say nothing of what it is about.
const ASKING: &[&str] = &[
    "tell",
    "told",
    "say",
    "said",
    "know",
    "remember",
    "remind",
    "recall",
    "mention",
    "mentioned",
    "name",
    "called",
];
/// Ask in scripts without spaces, where a question word is part of the words around it.
const FOREIGN_ASKING: &[&str] = &[
    "什么",
    "什麼",
    "哪里",
    "哪裡",
    "哪儿",
    "谁",
    "誰",
    "多少",
    "怎么",
    "怎麼",
    "吗",
    "嗎",
    "呢",
    "何の",
    "何",
    "なに",
    "どこ",
    "だれ",
    "いつ",
    "무엇을",
    "무엇",
    "어디",
    "누구",
    "언제",
];
/// Words of such a question at least, since one pair of letters is in many texts.
const FOREIGN_WORDS_MIN: usize = 2;
/// Ask for the user's own name.
const FOR_OWN_NAME: &[&[&str]] = &[&["my", "name"], &["am", "i", "called"]];
/// Stand before the user's own name.
const BEFORE_OWN_NAME: &[&[&str]] = &[
    &["i'm"],
    &["i", "am"],
    &["my", "name", "is"],
    &["name"],
    &["call", "me"],
    &["i", "am", "called"],
    &["i'm", "called"],
];

/// A question of the user about themselves that a trace may answer in its own words.
#[derive(Debug)]
pub(super) enum Plainly {
    /// By stating their name.
    OwnName,
    /// By holding all of these stems.
    Words(BTreeSet<String>),
    /// The same, whoever is spoken of.
    ForeignWords(BTreeSet<String>),
}

impl Plainly {
    /// Reads a question; `bare` when no word of it says what it is about. None for a question of another kind.
    pub(super) fn asked(text: &str, tokens: &[Token], bare: bool) -> Option<Self> {
        if bare && FOR_OWN_NAME.iter().any(|phrase| holds(tokens, phrase)) {
            return Some(Self::OwnName);
        }
        let words = if people::user_is_subject(tokens) { stems(text) } else { BTreeSet::new() };
        (!words.is_empty()).then_some(Self::Words(words))
    }

    /// The same for a question in a script that is read by words alone.
    pub(super) fn asked_in_foreign_script(text: &str) -> Option<Self> {
        let mut rest = text.to_owned();
        for word in FOREIGN_ASKING {
            if rest.contains(word) {
                rest = rest.replace(word, " ");
            }
        }
        let words = if rest == text { BTreeSet::new() } else { stems(&rest) };
        (words.len() >= FOREIGN_WORDS_MIN).then_some(Self::ForeignWords(words))
    }

    /// Whether a trace answers it.
    pub(super) fn told(&self, text: &str, tokens: &[Token]) -> bool {
        match self {
            Self::OwnName => (1..tokens.len()).any(|at| states_own_name(tokens, at)),
            Self::Words(words) => people::user_is_subject(tokens) && words.is_subset(&stems(text)),
            Self::ForeignWords(words) => words.is_subset(&stems(text)),
        }
    }
}

/// Whether the word at a place is the user's name, by what stands before it.
fn states_own_name(tokens: &[Token], at: usize) -> bool {
    let own = |phrase: &&[&str]| -> bool {
        let before = at.checked_sub(phrase.len()).map(|from| &tokens[from..at]);
        before.is_some_and(|before| before.iter().zip(phrase.iter()).all(|(token, word)| token.low == *word))
    };
    tokens[at].inside && people::name_like(&tokens[at]) && BEFORE_OWN_NAME.iter().any(own)
}

fn stems(text: &str) -> BTreeSet<String> {
    let asking = |surface: &str| ASKING.contains(&surface) || surface.contains(['\'', '’']);
    content_words(text).into_iter().filter(|term| !asking(&term.surface)).map(|term| term.stem).collect()
}
