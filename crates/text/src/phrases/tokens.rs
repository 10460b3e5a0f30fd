//! Tokens: words as phrases are matched on them, without accents and with contractions written out.

use std::ops::Range;

use crate::sentences::sentences;
use crate::words::language::Language;
use crate::words::{Word, unaccented};

/// A word of a phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) text: String,
    /// The index of the word that it comes from.
    pub(crate) word: usize,
    /// Whether a mark that parts clauses stands between it and the next.
    pub(crate) closes: bool,
}

/// A sentence of a text: where it stands, and which tokens it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SentenceTokens {
    pub(crate) span: Range<usize>,
    pub(crate) tokens: Range<usize>,
}

/// Short forms that are written without an apostrophe, and those of chats. English.
const SHORT: [(&str, &str); 40] = [
    ("dont", "do not"),
    ("doesnt", "does not"),
    ("didnt", "did not"),
    ("isnt", "is not"),
    ("arent", "are not"),
    ("wasnt", "was not"),
    ("werent", "were not"),
    ("cant", "can not"),
    ("cannot", "can not"),
    ("couldnt", "could not"),
    ("wont", "will not"),
    ("wouldnt", "would not"),
    ("shouldnt", "should not"),
    ("havent", "have not"),
    ("hasnt", "has not"),
    ("hadnt", "had not"),
    ("ive", "i have"),
    ("youre", "you are"),
    ("youve", "you have"),
    ("theyre", "they are"),
    ("thats", "that is"),
    ("whats", "what is"),
    ("wheres", "where is"),
    ("whos", "who is"),
    ("hows", "how is"),
    ("theres", "there is"),
    ("lets", "let us"),
    ("can't", "can not"),
    ("won't", "will not"),
    ("shan't", "shall not"),
    ("ain't", "is not"),
    ("u", "you"),
    ("ur", "your"),
    ("pls", "please"),
    ("plz", "please"),
    ("wanna", "want to"),
    ("gonna", "going to"),
    ("gotta", "got to"),
    ("let's", "let us"),
    ("im", "i am"),
];
const ENDINGS: [(&str, &str); 6] =
    [("n't", "not"), ("'re", "are"), ("'ve", "have"), ("'ll", "will"), ("'d", "would"), ("'m", "am")];
/// Words after which "'s" stands for "is"; elsewhere it marks an owner.
const WITH_IS: [&str; 15] = [
    "what",
    "who",
    "where",
    "when",
    "why",
    "how",
    "that",
    "there",
    "here",
    "it",
    "he",
    "she",
    "this",
    "everything",
    "nothing",
];

/// The tokens of words.
pub(crate) fn tokens(words: &[Word], language: Language) -> Vec<Token> {
    let mut found = Vec::with_capacity(words.len());
    for (index, word) in words.iter().enumerate() {
        // An elided word ("l'") may stand apart from what follows, without its apostrophe.
        let plain = squeezed(unaccented(&word.text).trim_end_matches('\''));
        let mut push = |text: &str| found.push(Token { text: text.to_owned(), word: index, closes: false });
        match expanded(&plain, language) {
            Some((first, second)) => {
                push(first);
                push(second);
            }
            None => push(&plain),
        }
    }
    found
}

/// Notes after which tokens a clause may end.
pub(crate) fn mark_clauses(text: &str, words: &[Word], tokens: &mut [Token]) {
    for index in 1..tokens.len() {
        let (before, after) = (tokens[index - 1].word, tokens[index].word);
        let gap = words[before].span.end..words[after].span.start;
        tokens[index - 1].closes = gap.start < gap.end && parts_clauses(&text[gap]);
    }
}

fn parts_clauses(gap: &str) -> bool {
    let dash = gap.contains(" - ") || gap.contains(" -- ") || gap.contains("...");
    dash || gap.contains([',', ';', ':', '–', '—', '…', '，', '、', '：', '；', '.', '!', '?'])
}

/// The sentences of a text with the tokens that stand in each.
pub(crate) fn sentence_tokens(text: &str, words: &[Word], tokens: &[Token]) -> Vec<SentenceTokens> {
    let mut at = 0;
    let mut found = Vec::new();
    for span in sentences(text) {
        let start = at;
        while tokens.get(at).is_some_and(|token| words[token.word].span.start < span.end) {
            at += 1;
        }
        found.push(SentenceTokens { span, tokens: start..at });
    }
    found
}

/// The two words that a contraction stands for.
fn expanded(word: &str, language: Language) -> Option<(&str, &str)> {
    let (base, ending) = word.rsplit_once('\'').unwrap_or((word, ""));
    match language {
        Language::German => return (ending == "s" && !base.is_empty()).then_some((base, "es")),
        Language::Spanish | Language::French => return None,
        Language::English | Language::Other => {}
    }
    if let Some((_, long)) = SHORT.iter().find(|(short, _)| *short == word) {
        return long.split_once(' ').or(Some((long, ""))).filter(|(_, second)| !second.is_empty());
    }
    if ending == "s" && WITH_IS.contains(&base) {
        return Some((base, "is"));
    }
    let (ending, long) = ENDINGS.iter().find(|(ending, _)| word.ends_with(ending))?;
    Some((&word[..word.len() - ending.len()], *long)).filter(|(base, _)| !base.is_empty())
}

/// A word with letters drawn out ("hiiii", "soooo") in its plain length.
fn squeezed(word: &str) -> String {
    let characters: Vec<char> = word.chars().collect();
    let drawn_out = |run: &[char]| run.len() > 2 && run[0].is_alphabetic();
    let runs = characters.chunk_by(|one, other| one == other);
    runs.flat_map(|run| if drawn_out(run) { &run[..1] } else { run }).collect()
}
