//! A text as relevance reads it: lower-case words that remember how they were written.

/// Bytes of a text that are read. What a memory is about stands at its start.
const READ_BYTES_MAX: usize = 1024;

/// One word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// Lower case, straight apostrophes, without a possessive "'s".
    pub(super) low: String,
    /// Written with a capital and at least one small letter, as names are.
    pub(super) capital: bool,
    /// Does not begin a sentence, so that a capital means something.
    pub(super) inside: bool,
}

/// The words of a text: runs of letters and digits, with apostrophes between them.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let text = start(text);
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(begin) = text[rest..].find(char::is_alphanumeric).map(|at| rest + at) {
        let end = word_end(text, begin);
        found.push(token(&text[begin..end], inside(&text[..begin])));
        rest = end;
    }
    found
}

fn start(text: &str) -> &str {
    &text[..text.floor_char_boundary(READ_BYTES_MAX)]
}

/// Where the word ends that begins at `begin`; an apostrophe belongs to it when a letter or digit follows.
fn word_end(text: &str, begin: usize) -> usize {
    let mut end = begin;
    let mut chars = text[begin..].char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let joins = matches!(c, '\'' | '’') && chars.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if !c.is_alphanumeric() && !joins {
            break;
        }
        end = begin + at + c.len_utf8();
    }
    end
}

fn token(written: &str, inside: bool) -> Token {
    let mut low = written.to_lowercase();
    if low.contains('’') {
        low = low.replace('’', "'");
    }
    if low.ends_with("'s") {
        low.truncate(low.len() - 2);
    }
    let capital = written.starts_with(char::is_uppercase) && written.chars().any(char::is_lowercase);
    Token { low, capital, inside }
}

/// Whether what comes before a word is part of the same sentence.
fn inside(before: &str) -> bool {
    let last = before.trim_end().chars().next_back();
    last.is_some_and(|c| !matches!(c, '.' | '!' | '?' | ':' | ';' | '"' | '“' | '”'))
}

/// Whether the words hold a phrase, as whole words in order.
pub(super) fn holds(tokens: &[Token], phrase: &[&str]) -> bool {
    tokens
        .windows(phrase.len())
        .any(|window| window.iter().zip(phrase).all(|(token, word)| token.low == *word))
}

/// Whether most letters belong to scripts in which words are written without spaces or that an English model cannot
/// read; its vectors mean nothing there.
pub(super) fn foreign_script(text: &str) -> bool {
    let (mut latin, mut other) = (0usize, 0usize);
    for letter in start(text).chars().filter(|c| c.is_alphabetic()) {
        // Latin ends with Latin Extended Additional.
        if letter < '\u{250}' || ('\u{1e00}'..'\u{1f00}').contains(&letter) { latin += 1 } else { other += 1 }
    }
    other > latin
}
