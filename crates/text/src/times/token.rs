//! Words, numbers and signs of a text, with where they stand.

use std::ops::Range;

/// A word, a number, or a sign.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    /// Lower case, digits as ASCII.
    pub(super) text: String,
    /// Where it stands in the text that was given.
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
    /// Nothing stands between it and the token before.
    pub(super) glued: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Word,
    /// Digits, and whether an ending makes them an ordinal ("8th").
    Number {
        value: i64,
        ordinal: bool,
    },
    Sign(char),
}

impl Token {
    pub(super) fn number(&self) -> Option<i64> {
        match self.kind {
            Kind::Number { value, ordinal: false } => Some(value),
            _ => None,
        }
    }

    pub(super) fn is(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text == word
    }

    pub(super) fn sign(&self, sign: char) -> bool {
        self.kind == Kind::Sign(sign)
    }
}

/// Tokens that are read at most: beyond, a text is a document and no time.
const TOKENS_MAX: usize = 4_096;
/// Digits of a number at most.
const DIGITS_MAX: usize = 9;

/// Splits a text. Takes time linear in its length.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let mut chars = text.char_indices().peekable();
    let mut end = usize::MAX;
    while let Some((at, letter)) = chars.next() {
        if out.len() == TOKENS_MAX {
            break;
        }
        if letter.is_whitespace() {
            continue;
        }
        let digit = |letter: char| letter.is_ascii_digit() || wide_digit(letter).is_some();
        let (kind_digit, word) = (digit(letter), letter.is_alphabetic());
        let mut body = String::new();
        let mut stop = at + letter.len_utf8();
        push(&mut body, letter);
        if kind_digit || word {
            while let Some((next, letter)) = chars.peek().copied() {
                let same = if kind_digit { digit(letter) } else { letter.is_alphabetic() };
                if !same {
                    break;
                }
                push(&mut body, letter);
                stop = next + letter.len_utf8();
                chars.next();
            }
        }
        let kind = if kind_digit {
            // Too long for a number: it is no part of a time.
            let value = if body.len() <= DIGITS_MAX { body.parse().unwrap_or(-1) } else { -1 };
            Kind::Number { value, ordinal: false }
        } else if word {
            Kind::Word
        } else {
            Kind::Sign(plain(letter))
        };
        out.push(Token { text: body, span: at..stop, kind, glued: end == at });
        end = stop;
    }
    joined(out)
}

fn push(body: &mut String, letter: char) {
    match wide_digit(letter) {
        Some(digit) => body.push(digit),
        None => body.extend(letter.to_lowercase()),
    }
}

/// Digits of other scripts stand in blocks of ten; full-width ones are what keyboards give.
fn wide_digit(letter: char) -> Option<char> {
    let offset = u32::from(letter).checked_sub(0xff10).filter(|offset| *offset < 10)?;
    char::from_digit(offset, 10)
}

fn plain(letter: char) -> char {
    match letter {
        '’' | 'ʼ' | '`' => '\'',
        '–' | '—' | '−' => '-',
        '：' => ':',
        other => other,
    }
}

/// Joins what belongs together: "8th", "a.m.", "p m", "o'clock", "new year's".
fn joined(tokens: Vec<Token>) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let (next, taken) = join(&tokens[at..]);
        at += taken;
        // "’s" says whose it is, and belongs to no time.
        if token.is("s") && token.glued && out.last().is_some_and(|last| last.sign('\'')) {
            out.pop();
            continue;
        }
        out.push(next);
    }
    out
}

fn join(rest: &[Token]) -> (Token, usize) {
    let first = &rest[0];
    let get = |at: usize| rest.get(at);
    let spanning = |text: &str, kind: Kind, count: usize| {
        let span = first.span.start..rest[count - 1].span.end;
        (Token { text: text.to_owned(), span, kind, glued: first.glued }, count)
    };
    if let (Kind::Number { value, .. }, Some(ending)) = (first.kind, get(1))
        && ending.glued
        && ["st", "nd", "rd", "th"].contains(&ending.text.as_str())
    {
        return spanning(&first.text, Kind::Number { value, ordinal: true }, 2);
    }
    for (letter, meridiem) in [("a", "am"), ("p", "pm")] {
        if !first.is(letter) {
            continue;
        }
        let dotted =
            get(1).is_some_and(|t| t.sign('.') && t.glued) && get(2).is_some_and(|t| t.is("m") && t.glued);
        if dotted {
            let count = if get(3).is_some_and(|t| t.sign('.') && t.glued) { 4 } else { 3 };
            return spanning(meridiem, Kind::Word, count);
        }
        if get(1).is_some_and(|t| t.is("m")) {
            return spanning(meridiem, Kind::Word, 2);
        }
    }
    if first.is("o") && get(1).is_some_and(|t| t.sign('\'')) && get(2).is_some_and(|t| t.is("clock")) {
        return spanning("oclock", Kind::Word, 3);
    }
    (first.clone(), 1)
}
