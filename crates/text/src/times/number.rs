//! Numbers and ordinals, in digits and in words. Every reader gives what it read and the place after it.

use super::lexicon::{Sense, sense};
use super::token::{Kind, Token};

/// What a word of a number counts.
fn small(token: &Token) -> Option<i64> {
    match token.kind {
        Kind::Number { value, ordinal: false } => Some(value),
        Kind::Word => sense(&token.text, Sense::Number),
        _ => None,
    }
}

/// A whole number: "21", "twenty-one", "a", "two hundred", "nineteen seventy eight" not.
pub(super) fn whole(tokens: &[Token], at: usize) -> Option<(i64, usize)> {
    let token = tokens.get(at)?;
    if token.kind == Kind::Word
        && let Some(tens) = sense(&token.text, Sense::Tens)
    {
        let next = skip_joint(tokens, at + 1);
        let unit =
            tokens.get(next).filter(|t| t.kind == Kind::Word).and_then(small).filter(|n| (1..10).contains(n));
        let (value, next) = match unit.filter(|_| !tokens[next].is("a") && !tokens[next].is("an")) {
            Some(unit) => (tens + unit, next + 1),
            None => (tens, at + 1),
        };
        return Some(scaled(tokens, value, next));
    }
    let value = small(token)?;
    if token.kind == Kind::Word { Some(scaled(tokens, value, at + 1)) } else { Some((value, at + 1)) }
}

fn scaled(tokens: &[Token], mut value: i64, mut next: usize) -> (i64, usize) {
    while let Some(scale) =
        tokens.get(next).filter(|t| t.kind == Kind::Word).and_then(|t| sense(&t.text, Sense::Scale))
    {
        value *= scale;
        next += 1;
        let rest = if tokens.get(next).is_some_and(|t| t.is("and")) { next + 1 } else { next };
        if let Some((more, after)) = whole(tokens, rest).filter(|(more, _)| *more < scale) {
            value += more;
            next = after;
        }
    }
    (value, next)
}

/// A "-" between words of one number.
fn skip_joint(tokens: &[Token], at: usize) -> usize {
    if tokens.get(at).is_some_and(|t| t.sign('-') && t.glued) { at + 1 } else { at }
}

/// An ordinal: "8th", "twenty-first", "the last" not.
pub(super) fn ordinal(tokens: &[Token], at: usize) -> Option<(i64, usize)> {
    let token = tokens.get(at)?;
    match token.kind {
        Kind::Number { value, ordinal: true } => Some((value, at + 1)),
        Kind::Word => {
            if let Some(tens) = sense(&token.text, Sense::Tens) {
                let next = skip_joint(tokens, at + 1);
                let unit =
                    tokens.get(next).and_then(|t| sense(&t.text, Sense::Ordinal)).filter(|n| *n < 10)?;
                return Some((tens + unit, next + 1));
            }
            sense(&token.text, Sense::Ordinal).map(|value| (value, at + 1))
        }
        _ => None,
    }
}

/// A day of a month: in digits, as an ordinal, or in words.
pub(super) fn day_of_month(tokens: &[Token], at: usize) -> Option<(i8, usize)> {
    let (value, next) = ordinal(tokens, at).or_else(|| {
        let single = tokens.get(at).is_some_and(|t| t.is("a") || t.is("an"));
        whole(tokens, at).filter(|_| !single)
    })?;
    i8::try_from(value).ok().filter(|day| (1..=31).contains(day)).map(|day| (day, next))
}

/// A year in words or digits: "2017", "nineteen seventy eight", "two thousand and thirty two", "nineteen hundred ninety
/// three".
pub(super) fn year(tokens: &[Token], at: usize) -> Option<(i16, usize)> {
    let token = tokens.get(at)?;
    if let Some(value) = token.number() {
        return (token.text.len() == 4 && (1000..=9999).contains(&value))
            .then(|| (i16::try_from(value).unwrap_or(9999), at + 1));
    }
    let (first, next) = whole(tokens, at)?;
    if (1_000..=9_999).contains(&first) {
        return Some((i16::try_from(first).ok()?, next));
    }
    if !(10..=99).contains(&first) {
        return None;
    }
    let (second, next) = whole(tokens, next).filter(|(second, _)| (10..=99).contains(second))?;
    Some((i16::try_from(first * 100 + second).ok()?, next))
}

/// A number with a fraction: "3.5", "0,5", "half", "one and a half", "one and a quarter".
pub(super) fn fractional(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    let token = tokens.get(at)?;
    if token.is("half") {
        let next = if tokens.get(at + 1).is_some_and(|t| t.is("a") || t.is("an")) { at + 2 } else { at + 1 };
        return Some((0.5, next));
    }
    if token.is("quarter") && tokens.get(at + 1).is_some_and(|t| t.is("of")) {
        let next = if tokens.get(at + 2).is_some_and(|t| t.is("a") || t.is("an")) { at + 3 } else { at + 2 };
        return Some((0.25, next));
    }
    if token.is("a")
        && let Some((part, next)) = fractional(tokens, at + 1).filter(|(part, _)| *part < 1.0)
    {
        return Some((part, next));
    }
    let (value, next) = whole(tokens, at)?;
    if token.number().is_some()
        && tokens.get(next).is_some_and(|t| (t.sign('.') || t.sign(',')) && t.glued)
        && let Some(digits) = tokens.get(next + 1).filter(|t| t.glued && t.number().is_some())
    {
        let fraction: f64 = format!("0.{}", digits.text).parse().unwrap_or(0.0);
        return Some((value as f64 + fraction, next + 2));
    }
    // "one and a half", "one and half", "two and a quarter"
    if tokens.get(next).is_some_and(|t| t.is("and")) {
        let mut part = next + 1;
        if tokens.get(part).is_some_and(|t| t.is("a") || t.is("an")) {
            part += 1;
        }
        for (word, share) in [("half", 0.5), ("quarter", 0.25)] {
            if tokens.get(part).is_some_and(|t| t.is(word)) {
                return Some((value as f64 + share, part + 1));
            }
        }
    }
    Some((value as f64, next))
}
