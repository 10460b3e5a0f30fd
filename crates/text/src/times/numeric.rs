//! Dates in digits: 2026-12-24, 24.12.2026, 12/24, 2026/dec/24, and ISO 8601 with its time.

use super::clock::{Clock, Impossible, clock};
use super::frame::{Day, century};
use super::lexicon::{Sense, sense};
use super::token::{Kind, Token};
use super::zones::zone_at;

type WithClock = Option<(Clock, Option<String>)>;

/// A part of a date: digits, or a month's name.
#[derive(Clone, Copy)]
enum Piece {
    Digits { value: i64, long: bool },
    Month(i64),
}

fn piece(token: &Token) -> Option<Piece> {
    match token.kind {
        Kind::Number { value, ordinal: false } => {
            Some(Piece::Digits { value, long: token.text.len() == 4 }).filter(|_| token.text.len() <= 4)
        }
        Kind::Word => sense(&token.text, Sense::Month).map(Piece::Month),
        Kind::Sign(_) | Kind::Number { .. } => None,
    }
}

/// Reads a date in digits, with the time that ISO 8601 glues to it.
pub(super) fn numeric_date(
    tokens: &[Token],
    at: usize,
    whole_text: bool,
) -> Option<(Result<Day, Impossible>, usize, WithClock)> {
    let first = piece(tokens.get(at)?)?;
    let spaced = three_spaced(tokens, at).filter(|_| whole_text);
    let (pieces, next, sign) = match spaced {
        Some((pieces, next)) => (pieces, next, ' '),
        None => {
            let sign =
                ['-', '/', '.'].into_iter().find(|sign| tokens.get(at + 1).is_some_and(|t| t.sign(*sign)))?;
            let after = tokens.get(at + 2)?;
            let second = piece(after).filter(|_| tokens[at + 1].glued && after.glued)?;
            let more = tokens.get(at + 3).is_some_and(|t| (t.sign(sign) || t.sign(',')) && t.glued);
            let third =
                tokens.get(at + 4).filter(|t| more && (t.glued || tokens[at + 3].sign(','))).and_then(piece);
            match third {
                Some(third) => (vec![first, second, third], at + 5, sign),
                None => (vec![first, second], at + 3, sign),
            }
        }
    };
    let day = match pieces.as_slice() {
        [a, b] => two(*a, *b, sign)?,
        [a, b, c] => three(*a, *b, *c)?,
        _ => return None,
    };
    // "7-8 pm" and "8.30 pm" are times.
    let meridiem = tokens.get(next).is_some_and(|t| ["am", "pm"].contains(&t.text.as_str()));
    if pieces.len() == 2 && meridiem && sign != '/' {
        return None;
    }
    let iso = tokens.get(next).is_some_and(|t| t.is("t") && t.glued);
    if iso && let Some((Ok(time), after)) = clock(tokens, next + 1, false) {
        let (zone, after) = match zone_at(tokens, after) {
            Some((zone, end)) => (Some(zone), end),
            None => (None, after),
        };
        return Some((day, after, Some((Clock { certain: true, ..time }, zone))));
    }
    Some((day, next, None))
}

/// "2016 10 16".
fn three_spaced(tokens: &[Token], at: usize) -> Option<(Vec<Piece>, usize)> {
    let pieces: Vec<Piece> = (at..at + 3).filter_map(|place| tokens.get(place).and_then(piece)).collect();
    let year = matches!(pieces.first(), Some(Piece::Digits { long: true, .. }));
    let digits = pieces.iter().all(|piece| matches!(piece, Piece::Digits { .. }));
    (year && digits && pieces.len() == 3).then_some((pieces, at + 3))
}

fn small(value: i64) -> i8 {
    i8::try_from(value).unwrap_or(0)
}

fn checked(year: Option<i16>, month: i64, day: i64) -> Result<Day, Impossible> {
    if (1..=12).contains(&month) && (1..=31).contains(&day) {
        Ok(Day::Date { year, month: small(month), day: small(day) })
    } else {
        Err(Impossible)
    }
}

fn two(a: Piece, b: Piece, sign: char) -> Option<Result<Day, Impossible>> {
    Some(match (a, b) {
        (Piece::Month(month), Piece::Digits { value, long: false })
        | (Piece::Digits { value, long: false }, Piece::Month(month)) => checked(None, month, value),
        (Piece::Digits { value: a, long: false }, Piece::Digits { value: b, long: false }) => {
            let _ = sign;
            match (a, b) {
                (1..=12, 1..=12) => Ok(Day::Either { year: None, first: small(a), second: small(b) }),
                (13..=31, 1..=12) => checked(None, b, a),
                (1..=12, 13..=31) => checked(None, a, b),
                // A number with a fraction, or a range.
                _ => return if sign == '/' { Some(Err(Impossible)) } else { None },
            }
        }
        _ => return None,
    })
}

fn three(a: Piece, b: Piece, c: Piece) -> Option<Result<Day, Impossible>> {
    let year =
        |value: i64, long: bool| if long { i16::try_from(value).unwrap_or(9999) } else { century(value) };
    Some(match (a, b, c) {
        (
            Piece::Digits { value: y, long: true },
            Piece::Digits { value: m, .. },
            Piece::Digits { value: d, .. },
        ) => checked(Some(year(y, true)), m, d),
        (Piece::Digits { value: y, long: true }, Piece::Month(m), Piece::Digits { value: d, .. })
        | (Piece::Digits { value: y, long: true }, Piece::Digits { value: d, .. }, Piece::Month(m)) => {
            checked(Some(year(y, true)), m, d)
        }
        (Piece::Digits { value: d, .. }, Piece::Month(m), Piece::Digits { value: y, long })
        | (Piece::Month(m), Piece::Digits { value: d, .. }, Piece::Digits { value: y, long }) => {
            checked(Some(year(y, long)), m, d)
        }
        (
            Piece::Digits { value: a, .. },
            Piece::Digits { value: b, .. },
            Piece::Digits { value: y, long },
        ) => {
            let year = Some(year(y, long));
            match (a, b) {
                (1..=12, 1..=12) => Ok(Day::Either { year, first: small(a), second: small(b) }),
                (13..=31, _) => checked(year, b, a),
                _ => checked(year, a, b),
            }
        }
        _ => return None,
    })
}
