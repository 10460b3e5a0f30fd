//! Phrases: what the words of a message signal, by lists for each language.
//!
//! The lists are the `phrases.txt` of each language in `data/`. They match whole words, without accents and with
//! contractions written out, never across sentences; the longest match of a kind wins.

pub(crate) mod lexicon;
#[cfg(test)]
mod tests;
pub(crate) mod tokens;

use std::ops::Range;

use lexicon::{Found, Lexicon, lexicon};
use tokens::{SentenceTokens, Token, mark_clauses, sentence_tokens, tokens};

use crate::words::language::Language;
use crate::words::{Word, words};

/// What a phrase signals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PhraseKind {
    /// Greetings, thanks, acknowledgements, farewells, laughter.
    SmallTalk,
    /// The user's own past and own things: "remember", "last time", "did I", "my".
    Memory,
    /// Analysis: "compare", "pros and cons", "should I".
    Reasoning,
    /// Something to be done later: "remind me to", "alert me when". Leads a sentence.
    Intention,
    /// The last answer was good: "that helped", "exactly".
    Praise,
    /// The last answer was wrong: "that's not right", "actually". Leads a sentence.
    Correction,
    /// What follows is to be remembered: "remember that", "note that". Leads a sentence.
    Store,
    /// What is remembered shall be forgotten: "forget that", "delete everything you know about me". Leads a sentence.
    Forget,
    /// What is known about the user at large: "what do you know about me".
    Overview,
    /// Answers what was asked, and says nothing else: "yes", "not really", "that is right".
    Answer,
    /// Owned by the user: "my", "our", "mine".
    Ownership,
    /// A question by its first words: "where did". Leads a sentence.
    Question,
    /// No question although it begins like one: "what I like". Leads a sentence.
    Telling,
    /// Something that the assistant shall do now: "tell me", "can you". Leads a sentence.
    Request,
    /// A deed that can wait for its time: "send me", "turn on". Leads a sentence.
    Deed,
    /// How the assistant shall behave from now on: "always answer", "call me". Leads a sentence.
    Standing,
    /// Announces what comes and says nothing: "I have a question". Leads a sentence.
    Preamble,
    /// Repeats what the assistant said: "you said". Leads a sentence.
    Quoted,
    /// A time: "tomorrow", "at 9", "every morning".
    Time,
    /// The user speaks of themselves: "I", "my". Leads a sentence.
    FirstPerson,
    /// A clause that cannot stand alone: "if", "when", "because". Leads a sentence.
    Subordinate,
    /// May stand before what leads a sentence: "ok", "please", "by the way".
    Opener,
}

/// A phrase found in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhraseMatch {
    /// What it signals.
    pub kind: PhraseKind,
    /// What matched, contractions written out: "what is the difference".
    pub phrase: String,
    /// The words that it covers, as indices of [`Reading::words`].
    pub span: Range<usize>,
}

/// A message, read once: its words, language, and the phrases in it.
#[derive(Debug, Clone)]
pub struct Reading {
    language: Language,
    words: Vec<Word>,
    pub(crate) tokens: Vec<Token>,
    pub(crate) sentences: Vec<SentenceTokens>,
    matches: Vec<PhraseMatch>,
    small_talk: bool,
}

/// Phrases of a kind that are kept. What a message wants is told by far fewer.
const MATCHES_MAX: usize = 1_000;

impl PhraseKind {
    pub(crate) const ALL: [PhraseKind; 22] = [
        PhraseKind::SmallTalk,
        PhraseKind::Memory,
        PhraseKind::Reasoning,
        PhraseKind::Intention,
        PhraseKind::Praise,
        PhraseKind::Correction,
        PhraseKind::Store,
        PhraseKind::Forget,
        PhraseKind::Overview,
        PhraseKind::Answer,
        PhraseKind::Ownership,
        PhraseKind::Question,
        PhraseKind::Telling,
        PhraseKind::Request,
        PhraseKind::Deed,
        PhraseKind::Standing,
        PhraseKind::Preamble,
        PhraseKind::Quoted,
        PhraseKind::Time,
        PhraseKind::FirstPerson,
        PhraseKind::Subordinate,
        PhraseKind::Opener,
    ];

    /// The kind of a section of a phrase list.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let name: String = name.split(' ').collect();
        Self::ALL.into_iter().find(|kind| format!("{kind:?}").eq_ignore_ascii_case(&name))
    }
}

impl Reading {
    /// Reads a message in the language that it seems to be in.
    pub fn new(text: &str) -> Self {
        Self::with_hint(text, Language::Other)
    }

    /// Reads a message; `hint` is its language where the text does not tell.
    ///
    /// A message whose language stays open is matched with the lists of all languages.
    pub fn with_hint(text: &str, hint: Language) -> Self {
        let words = words(text);
        let language = Language::of_words(&words, hint);
        let mut tokens = tokens(&words, language);
        mark_clauses(text, &words, &mut tokens);
        let sentences = sentence_tokens(text, &words, &tokens);
        let mut matches = Vec::new();
        let mut counts = [0; PhraseKind::ALL.len()];
        for sentence in &sentences {
            let mut found = Vec::new();
            for lexicon in lexicons(language) {
                lexicon.find(&tokens, sentence.tokens.clone(), &mut found);
            }
            found.sort_by_key(|phrase: &Found| phrase.tokens.start);
            found.retain(|phrase| {
                counts[phrase.entry.kind as usize] += 1;
                counts[phrase.entry.kind as usize] <= MATCHES_MAX
            });
            matches.extend(found.iter().map(|found| phrase_match(found, &tokens)));
        }
        let small_talk = throughout(&tokens, &sentences, &[PhraseKind::SmallTalk, PhraseKind::Answer]);
        Self { language, words, tokens, sentences, matches, small_talk }
    }

    /// The language, detected or hinted.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The words of the message.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// The first phrase of a kind.
    pub fn first(&self, kind: PhraseKind) -> Option<&PhraseMatch> {
        self.all(kind).next()
    }

    /// The phrases of a kind, in order; of a document the first 1,000.
    pub fn all(&self, kind: PhraseKind) -> impl Iterator<Item = &PhraseMatch> {
        self.matches.iter().filter(move |found| found.kind == kind)
    }

    /// Whether there is a phrase of a kind.
    pub fn has(&self, kind: PhraseKind) -> bool {
        self.first(kind).is_some()
    }

    /// Whether every word of the message is small talk in one language. A message without words (empty, punctuation,
    /// emoji) is small talk. Holds for "thanks my friend" although "my" is a phrase of [`PhraseKind::Memory`].
    pub fn small_talk(&self) -> bool {
        self.small_talk
    }

    /// Whether every word belongs to an answer in one language: "yes", "no, not really". That is small talk too, as far
    /// as words go, but what it is about was said before.
    pub fn answers(&self) -> bool {
        !self.tokens.is_empty() && throughout(&self.tokens, &self.sentences, &[PhraseKind::Answer])
    }
}

/// Whether every word of a text is small talk; see [`Reading::small_talk`].
pub fn is_small_talk(text: &str) -> bool {
    Reading::new(text).small_talk()
}

/// The lists to match a message of a language with.
pub(crate) fn lexicons(language: Language) -> impl Iterator<Item = &'static Lexicon> {
    let known = Language::KNOWN.into_iter();
    let own = known.filter(move |known| *known == language || language == Language::Other);
    own.chain([Language::Other]).map(lexicon)
}

/// Whether phrases of some kinds cover all tokens, in any one language.
fn throughout(tokens: &[Token], sentences: &[SentenceTokens], kinds: &[PhraseKind]) -> bool {
    Language::KNOWN.into_iter().any(|language| {
        sentences.iter().all(|sentence| covered(tokens, sentence.tokens.clone(), language, kinds))
    })
}

/// Whether phrases of some kinds, laid end to end, cover tokens of one sentence.
pub(crate) fn covered(
    tokens: &[Token],
    sentence: Range<usize>,
    language: Language,
    kinds: &[PhraseKind],
) -> bool {
    let (start, end) = (sentence.start, sentence.end);
    let mut reached = vec![false; sentence.len() + 1];
    reached[0] = true;
    let mut furthest = start;
    for at in sentence {
        if at > furthest {
            return false;
        }
        if !reached[at - start] {
            continue;
        }
        let mut reach = |stop: usize| {
            reached[stop - start] = true;
            furthest = furthest.max(stop);
        };
        for lexicon in [lexicon(language), lexicon(Language::Other)] {
            lexicon.visit(tokens, at, end, &mut |stop| {
                if kinds.contains(&stop.entry.kind) && !stop.entry.shields() {
                    reach(stop.end);
                }
            });
        }
        if kinds != [PhraseKind::Answer] && is_laughter(&tokens[at].text) {
            reach(at + 1);
        }
    }
    reached[end - start]
}

/// "haha", "hehehe", "jajaja": two letters in turn.
fn is_laughter(word: &str) -> bool {
    let sounds = [('h', "aeio"), ('j', "aeio"), ('x', "a")];
    let shaped = |(consonant, vowels): (char, &str)| {
        word.contains(consonant) && word.chars().all(|c| c == consonant || vowels.contains(c))
    };
    word.len() > 2
        && sounds.into_iter().any(shaped)
        && word.chars().filter(|c| "hjx".contains(*c)).count() > 1
}

fn phrase_match(found: &Found, tokens: &[Token]) -> PhraseMatch {
    let (first, last) = (tokens[found.tokens.start].word, tokens[found.tokens.end - 1].word);
    let said: Vec<&str> = tokens[found.tokens.clone()].iter().map(|token| token.text.as_str()).collect();
    PhraseMatch { kind: found.entry.kind, phrase: said.join(" "), span: first..last + 1 }
}
