//! Lengths of time: "an hour and a half", "1 month 21 days", "twenty minutes".

use super::Length;
use super::lexicon::{Sense, sense};
use super::number::{fractional, whole};
use super::token::{Kind, Token};

/// Seconds of a day, of a month and of a year as durations count them.
const DAY: f64 = 86_400.0;
const MONTH: f64 = 30.0 * DAY;
const YEAR: f64 = 365.0 * DAY;

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Unit {
    Seconds(i64),
    Days(i64),
    Months(i64),
}

impl Unit {
    fn seconds(self) -> f64 {
        match self {
            Self::Seconds(seconds) => seconds as f64,
            Self::Days(days) => days as f64 * DAY,
            Self::Months(months) if months % 12 == 0 => (months / 12) as f64 * YEAR,
            Self::Months(months) => months as f64 * MONTH,
        }
    }
}

pub(super) fn unit(tokens: &[Token], at: usize) -> Option<Unit> {
    let token = tokens.get(at).filter(|token| token.kind == Kind::Word)?;
    // A letter is a unit after a number alone, as "10d", where it is glued to it or stands by itself.
    let word = token.text.as_str();
    let (seconds, days) = (sense(word, Sense::Second), sense(word, Sense::Day));
    seconds.map(Unit::Seconds).or(days.map(Unit::Days)).or(sense(word, Sense::MonthUnit).map(Unit::Months))
}

/// Parts of a length, as they are said.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Said {
    parts: Vec<(f64, Unit)>,
}

impl Said {
    /// In seconds; a month has 30 days and a year 365.
    pub(super) fn seconds(&self) -> f64 {
        self.parts.iter().map(|(count, unit)| count * unit.seconds()).sum()
    }

    /// By the calendar: whole months and days apart from the rest.
    pub(super) fn length(&self) -> Option<Length> {
        let mut length = Length::default();
        let mut rest = 0.0;
        for (count, unit) in &self.parts {
            let whole = count.fract() == 0.0 && count.abs() < 1e9;
            match unit {
                Unit::Months(months) if whole => length.months += *count as i64 * months,
                Unit::Months(months) => {
                    let exact = count * *months as f64;
                    length.months += exact.floor() as i64;
                    rest += exact.fract() * MONTH;
                }
                Unit::Days(days) if whole => length.days += *count as i64 * days,
                unit => rest += count * unit.seconds(),
            }
        }
        length.seconds = rest.round() as i64;
        (rest.abs() < 1e12 && length.months < 120_000 && length.days < 4_000_000).then_some(length)
    }

    /// It is of days and more alone, so that it names a day.
    pub(super) fn of_days(&self) -> bool {
        self.parts.iter().all(|(count, unit)| !matches!(unit, Unit::Seconds(_)) && count.fract() == 0.0)
    }

    /// It is of weeks and days alone.
    pub(super) fn of_weeks(&self) -> bool {
        self.parts.iter().all(|(_, unit)| matches!(unit, Unit::Days(_)))
    }
}

/// Reads a length.
pub(super) fn said(tokens: &[Token], at: usize) -> Option<(Said, usize)> {
    let mut said = Said::default();
    let mut next = at;
    loop {
        let start = if said.parts.is_empty() { next } else { skip_joints(tokens, next) };
        match part(tokens, start) {
            Some((count, unit, after)) => {
                said.parts.push((count, unit));
                next = after;
                // "an hour and a half"
                if let Some((share, after)) = and_share(tokens, next) {
                    said.parts.push((share, unit));
                    next = after;
                }
            }
            None => break,
        }
    }
    (!said.parts.is_empty()).then_some((said, next))
}

fn skip_joints(tokens: &[Token], at: usize) -> usize {
    let joint = |t: &Token| t.is("and") || t.sign(',') || t.sign('&');
    let mut next = at;
    while tokens.get(next).is_some_and(joint) {
        next += 1;
    }
    next
}

fn part(tokens: &[Token], at: usize) -> Option<(f64, Unit, usize)> {
    // "twenty and four hours", "a couple of weeks", "a few minutes"
    let article = tokens.get(at).is_some_and(|t| t.is("a"));
    let counting = ["couple", "few"];
    let at = if article && tokens.get(at + 1).is_some_and(|t| counting.contains(&t.text.as_str())) {
        at + 1
    } else {
        at
    };
    let (mut count, mut next) = fractional(tokens, at)?;
    if tokens.get(next).is_some_and(|t| t.is("and"))
        && let Some((more, after)) = whole(tokens, next + 1)
        && (20.0..100.0).contains(&count)
        && (1..10).contains(&more)
    {
        (count, next) = (count + more as f64, after);
    }
    while tokens.get(next).is_some_and(|t| t.is("of") || t.sign('-') || t.is("more")) {
        next += 1;
    }
    let single = tokens.get(next).is_some_and(|t| t.text.len() == 1);
    let unit = unit(tokens, next).filter(|_| !single || tokens[at].number().is_some())?;
    let dot = tokens.get(next + 1).is_some_and(|t| t.sign('.') && t.glued) && tokens[next].text.len() <= 4;
    Some((count, unit, next + 1 + usize::from(dot && tokens.len() > next + 2)))
}

fn and_share(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    if !tokens.get(at).is_some_and(|t| t.is("and")) {
        return None;
    }
    let (share, next) = fractional(tokens, at + 1).filter(|(share, _)| *share < 1.0)?;
    unit(tokens, next).is_none().then_some((share, next))
}

/// A unit without a number ("all week"), in seconds.
pub(super) fn unit_alone(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    let single = tokens.get(at).is_some_and(|t| t.text.len() == 1);
    unit(tokens, at).filter(|_| !single).map(|unit| (unit.seconds(), at + 1))
}
