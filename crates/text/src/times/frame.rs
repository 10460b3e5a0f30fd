//! The parts of a time phrase, as they stand in it and in any order.

mod dates;
mod hours;
mod weeks;

use jiff::civil::Weekday;

use super::clock::Clock;
use super::length::Said;
use super::lexicon::{Sense, sense};
use super::token::{Kind, Token};

/// Which one is meant of those that recur.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// None was named: the coming one.
    Bare,
    /// This week's, or the coming one.
    This,
    /// Next week's.
    Next,
    /// The coming one, by that word.
    Coming,
    Last,
}

/// A month that is named or counted from this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MonthRef {
    Named(i8),
    /// 0 is this one.
    Ahead(i64),
}

/// A day, as it is said.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Day {
    /// So many days from today.
    Relative(i64),
    /// A date, with or without its year.
    Date {
        year: Option<i16>,
        month: i8,
        day: i8,
    },
    /// 5/6, which may be either.
    Either {
        year: Option<i16>,
        first: i8,
        second: i8,
    },
    /// A day of a month that is to come.
    OfMonth(i8),
    /// A day of a month that is counted from this one.
    OfMonthAhead(i8, i64),
    /// The n-th weekday of a month; −1 the last.
    NthWeekday {
        nth: i8,
        weekday: Weekday,
        month: MonthRef,
        year: Option<i16>,
    },
    /// Days of the n-th week of a month, of which a weekday is one.
    NthWeek {
        nth: i8,
        month: MonthRef,
    },
    /// So many weeks ahead: the same weekday, or another of that week.
    Week(i64),
    /// The first day of a month.
    Month {
        month: MonthRef,
        year: Option<i16>,
    },
    /// The first day of a year so many ahead.
    Year(i64),
    Weekend(Turn),
    /// The last or the first day of this week (7), month (30) or year (365).
    Edge {
        last: bool,
        days: i64,
        ahead: i64,
    },
    Holiday {
        which: i64,
        turn: Turn,
        year: Option<i16>,
    },
    /// The n-th such weekday from today.
    NthFromNow(i64, Weekday),
}

/// Where a length counts from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shift {
    pub(super) said: Said,
    pub(super) back: bool,
    /// Counted from the day of the frame, not from now.
    pub(super) anchored: bool,
    /// It was said as "later" or "in", so that a length of days names a day.
    pub(super) exact: bool,
}

/// What a phrase says of a time.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Frame {
    pub(super) day: Option<Day>,
    pub(super) weekday: Option<(Turn, Weekday)>,
    pub(super) clock: Option<Clock>,
    /// 0 morning, 2 afternoon, 3 evening, 4 night, 5 midnight.
    pub(super) part: Option<i64>,
    pub(super) tonight: bool,
    pub(super) end_of_day: bool,
    pub(super) shift: Option<Shift>,
    pub(super) zone: Option<String>,
    pub(super) now: bool,
    pub(super) vague: bool,
    pub(super) impossible: bool,
    /// Two hours were said, of which either is meant.
    pub(super) other_clock: Option<Clock>,
}

impl Frame {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Reads as much of a time phrase as begins at a place. Gives the frame and the place after its last part.
pub(super) fn frame(tokens: &[Token], start: usize, whole_text: bool) -> Option<(Frame, usize)> {
    let mut reader = Reader { tokens, frame: Frame::default(), whole_text, start };
    let (mut at, mut end) = (start, start);
    loop {
        let (next, led) = reader.skip_small(at);
        match reader.part(next, led) {
            Some(after) => {
                at = after;
                end = after;
            }
            None => break,
        }
    }
    (!reader.frame.is_empty()).then_some((reader.frame, end))
}

struct Reader<'t> {
    tokens: &'t [Token],
    frame: Frame,
    whole_text: bool,
    start: usize,
}

impl Reader<'_> {
    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).filter(|t| t.kind == Kind::Word).map_or("", |t| t.text.as_str())
    }

    fn sense(&self, at: usize, wanted: Sense) -> Option<i64> {
        sense(self.word(at), wanted)
    }

    /// Skips words and signs between parts. Whether a bare hour may follow: "at 8", "around 3".
    fn skip_small(&self, at: usize) -> (usize, bool) {
        let (mut next, mut led) = (at, false);
        while let Some(token) = self.tokens.get(next) {
            let word = token.kind == Kind::Word && sense(&token.text, Sense::Small).is_some();
            let sign =
                next > self.start && [',', '-', '/', '(', ')', '.'].iter().any(|sign| token.sign(*sign));
            // "this" and "of" lead to parts of their own.
            if !word && !sign
                || token.is("this") && self.tokens.get(next + 1).is_some_and(|t| self.leads_on(t))
            {
                break;
            }
            led |= ["at", "around", "about", "by", "approximately", "circa", "approx", "roughly"]
                .contains(&token.text.as_str());
            next += 1;
        }
        (next, led)
    }

    fn leads_on(&self, token: &Token) -> bool {
        let turns = [Sense::Weekday, Sense::Part, Sense::Day, Sense::MonthUnit, Sense::This, Sense::Holiday];
        turns.into_iter().any(|wanted| sense(&token.text, wanted).is_some())
    }

    /// Reads one part; the place after it.
    fn part(&mut self, at: usize, led: bool) -> Option<usize> {
        let token = self.tokens.get(at)?;
        // After "at", 6.30 is a time and no date.
        let dotted = led
            && token.number().is_some()
            && self.tokens.get(at + 1).is_some_and(|t| t.sign('.') && t.glued);
        if dotted && let Some(next) = self.time(at, led) {
            return Some(next);
        }
        self.now_or_vague(at)
            .or_else(|| self.shifted(at, led))
            .or_else(|| self.dated(at))
            .or_else(|| self.time(at, led))
            .or_else(|| self.part_of_day(at))
            .or_else(|| self.zone(at))
            .or_else(|| self.bare_day(at, led))
    }

    /// A day in any of the ways of saying it.
    fn dated(&mut self, at: usize) -> Option<usize> {
        if self.frame.day.is_some() {
            return self.weekday(at);
        }
        self.relative(at)
            .or_else(|| self.numeric(at))
            .or_else(|| self.nth_weekday(at))
            .or_else(|| self.edge(at))
            .or_else(|| self.month_and_day(at))
            .or_else(|| self.weekday(at))
            .or_else(|| self.turn(at))
            .or_else(|| self.holiday(at, Turn::Bare))
    }
}

/// A year of two digits, within eighty years ahead of 1950: 71 is 1971, 30 is 2030.
pub(super) fn century(value: i64) -> i16 {
    i16::try_from(if value < 50 { 2000 + value } else { 1900 + value }).unwrap_or(2000)
}

pub(super) fn weekday_of(number: i64) -> Weekday {
    i8::try_from(number)
        .ok()
        .and_then(|number| Weekday::from_monday_one_offset(number).ok())
        .unwrap_or(Weekday::Monday)
}
