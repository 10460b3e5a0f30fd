//! The parts of a time phrase, as they stand in it and in any order.

use jiff::civil::Weekday;

use super::clock::{Clock, Impossible, clock};
use super::length::{Said, said, unit};
use super::lexicon::{Sense, sense};
use super::number::{day_of_month, ordinal, whole, year};
use super::numeric::numeric_date;
use super::token::{Kind, Token};
use super::zones::zone_at;

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

    fn now_or_vague(&mut self, at: usize) -> Option<usize> {
        let word = self.word(at);
        if self.frame.is_empty() {
            let phrase =
                |words: &[&str]| words.iter().enumerate().all(|(n, word)| self.word(at + n) == *word);
            for (words, count) in [
                (&["as", "soon", "as", "possible"][..], 4),
                (&["right", "now"], 2),
                (&["right", "away"], 2),
                (&["straight", "away"], 2),
                (&["moment"], 1),
                (&["present", "time"], 2),
            ] {
                if phrase(words) && (words != ["moment"] || self.whole_text) {
                    self.frame.now = true;
                    return Some(at + count);
                }
            }
            if sense(word, Sense::Now).is_some() && !self.tokens.get(at + 1).is_some_and(|t| t.sign('+')) {
                let from_now = at > 0 && self.word(at - 1) == "from";
                self.frame.now = true;
                return (!from_now).then_some(at + 1);
            }
            if sense(word, Sense::Vague).is_some() && self.whole_text {
                self.frame.vague = true;
                return Some(at + 1);
            }
        }
        None
    }

    /// "in 10 minutes", "3 days later", "two weeks from tomorrow", "5 days before new year", "now + 2 hours".
    fn shifted(&mut self, at: usize, led: bool) -> Option<usize> {
        if self.frame.shift.is_some() || self.frame.clock.is_some() && led {
            return None;
        }
        if self.word(at) == "now" && self.tokens.get(at + 1).is_some_and(|t| t.sign('+')) {
            let (said, next) = said(self.tokens, at + 2)?;
            self.frame.shift = Some(Shift { said, back: false, anchored: false, exact: true });
            return Some(next);
        }
        // "two monday later", "three fridays from now"
        if let Some((count, next)) = whole(self.tokens, at)
            && let Some(weekday) = self.sense(next, Sense::Weekday)
            && (self.word(next + 1) == "later"
                || self.word(next + 1) == "from" && self.word(next + 2) == "now")
        {
            self.frame.day = Some(Day::NthFromNow(count, weekday_of(weekday)));
            return Some(next + if self.word(next + 1) == "later" { 2 } else { 3 });
        }
        let before = |back: usize| at.checked_sub(back).map_or("", |place| self.word(place));
        let inside = ["in", "within", "after", "for"].contains(&before(1))
            || before(2) == "in"
                && ["about", "around", "approximately", "exactly", "just"].contains(&before(1));
        let (said, mut next) = said(self.tokens, at)?;
        // "for a second" is how long, not when.
        if !self.whole_text && before(1) == "for" && said.seconds() <= 60.0 {
            return None;
        }
        for time in ["time", "s"] {
            if inside && self.word(next) == time {
                next += 1;
            }
        }
        if inside && self.tokens.get(next).is_some_and(|t| t.sign('\'')) && self.word(next + 1) == "time" {
            next += 2;
        }
        let follows = self.word(next);
        let plain = |back| Shift { said: said.clone(), back, anchored: false, exact: false };
        let (shift, end) = match follows {
            "later" | "hence" => (plain(false), next + 1),
            "ago" => (plain(true), next + 1),
            "from" | "after" if self.word(next + 1) == "now" => {
                (Shift { exact: true, ..plain(false) }, next + 2)
            }
            "from" | "after" | "before" | "since" | "past" if !inside || follows != "past" => {
                let back = follows == "before";
                let mut rest = Reader {
                    tokens: self.tokens,
                    frame: Frame::default(),
                    whole_text: true,
                    start: next + 1,
                };
                let (from, _) = rest.skip_small(next + 1);
                let after = rest.dated(from)?;
                self.frame.day = rest.frame.day;
                if let Some(weekday) = rest.frame.weekday {
                    self.frame.weekday = Some(weekday);
                }
                (Shift { anchored: true, ..plain(back) }, after)
            }
            // "2 weeks on tuesday" is two weeks after the coming one.
            _ if inside => (plain(false), next),
            _ => return None,
        };
        self.frame.shift = Some(shift);
        Some(end)
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

    fn relative(&mut self, at: usize) -> Option<usize> {
        let phrase = |words: &[&str]| words.iter().enumerate().all(|(n, word)| self.word(at + n) == *word);
        let tomorrow = |place: usize| self.sense(place, Sense::Relative) == Some(1);
        if phrase(&["day", "after"]) && tomorrow(at + 2) {
            self.frame.day = Some(Day::Relative(2));
            return Some(at + 3);
        }
        for (words, days) in [
            (&["day", "before", "yesterday"][..], -2),
            (&["next", "day"], 1),
            (&["following", "day"], 1),
            (&["day", "before"], -1),
            (&["last", "day"], -1),
            (&["past", "day"], -1),
            (&["previous", "day"], -1),
            (&["same", "day"], 0),
        ] {
            let of = self.word(at + words.len());
            if phrase(words) && of != "of" && of != "in" {
                self.frame.day = Some(Day::Relative(days));
                return Some(at + words.len());
            }
        }
        if self.whole_text && at + 1 == self.tokens.len() && self.word(at) == "day" && self.frame.is_empty() {
            self.frame.day = Some(Day::Relative(0));
            return Some(at + 1);
        }
        let days = self.sense(at, Sense::Relative)?;
        if self.word(at) == "tonight" {
            self.frame.tonight = true;
        }
        self.frame.day = Some(Day::Relative(days));
        let mut next = at + 1;
        // "tomorrow week"
        if days == 1 && self.word(next) == "week" {
            self.frame.day = Some(Day::Relative(8));
            next += 1;
        }
        Some(next)
    }

    fn numeric(&mut self, at: usize) -> Option<usize> {
        let (day, next, clock) = numeric_date(self.tokens, at, self.whole_text)?;
        match day {
            Ok(day) => self.frame.day = Some(day),
            Err(Impossible) => self.frame.impossible = true,
        }
        if let Some((time, zone)) = clock {
            self.frame.clock = Some(time);
            self.frame.zone = zone.or(self.frame.zone.take());
        }
        Some(next)
    }

    /// "the last friday of july", "2nd fri in feb", "the second monday of next month", "1st week of october".
    fn nth_weekday(&mut self, at: usize) -> Option<usize> {
        let last = self.word(at) == "last";
        let first = self.word(at) == "first";
        if (first || last) && self.word(at + 1) == "day" && self.word(at + 2) == "of" {
            let (month, year, end) = self.month_ref(at + 3)?;
            self.frame.day =
                Some(if last { Day::NthWeek { nth: -1, month } } else { Day::Month { month, year } });
            return Some(end);
        }
        let (nth, next) = if last { (-1, at + 1) } else { ordinal(self.tokens, at)? };
        let nth = i8::try_from(nth).ok().filter(|nth| *nth <= 5)?;
        let weekday = self.sense(next, Sense::Weekday);
        let week = self.sense(next, Sense::Day) == Some(7);
        if weekday.is_none() && !week {
            return None;
        }
        let joined = ["of", "in"].contains(&self.word(next + 1));
        if !joined {
            return None;
        }
        let (month, year, end) = self.month_ref(next + 2)?;
        self.frame.day = Some(match weekday {
            Some(weekday) => Day::NthWeekday { nth, weekday: weekday_of(weekday), month, year },
            None => Day::NthWeek { nth, month },
        });
        Some(end)
    }

    /// "july", "july 2027", "next month", "the month".
    fn month_ref(&self, at: usize) -> Option<(MonthRef, Option<i16>, usize)> {
        let at = if self.word(at) == "the" { at + 1 } else { at };
        if let Some(month) = self.sense(at, Sense::Month) {
            let next = self.skip_dot(at + 1);
            let of = usize::from(self.word(next) == "of");
            let year = year(self.tokens, next + of);
            let end = year.map_or(next, |(_, end)| end);
            return Some((MonthRef::Named(i8::try_from(month).ok()?), year.map(|(year, _)| year), end));
        }
        if self.word(at) == "month" {
            return Some((MonthRef::Ahead(0), None, at + 1));
        }
        let turn = self.sense(at, Sense::This)?;
        (self.word(at + 1) == "month").then_some((MonthRef::Ahead(turn.min(1)), None, at + 2))
    }

    fn skip_dot(&self, at: usize) -> usize {
        let dot = self.tokens.get(at).is_some_and(|t| t.sign('.') && t.glued);
        if dot { at + 1 } else { at }
    }

    /// "end of the month", "the beginning of next week", "eod".
    fn edge(&mut self, at: usize) -> Option<usize> {
        let last = self.sense(at, Sense::Edge)? == 0;
        let short = match self.word(at) {
            "eod" => Some(1),
            "eow" => Some(7),
            "eom" => Some(30),
            "eoy" => Some(365),
            _ => None,
        };
        if let Some(days) = short {
            self.set_edge(last, days, 0);
            return Some(at + 1);
        }
        if self.word(at + 1) != "of" {
            return None;
        }
        let mut next = at + 2;
        if self.word(next) == "the" || self.word(next) == "my" {
            next += 1;
        }
        let mut ahead = 0;
        if let Some(turn) = self.sense(next, Sense::This)
            && self.sense(next + 1, Sense::Weekday).is_none()
        {
            ahead = i64::from(turn == 1);
            next += 1;
        }
        let days = match self.word(next) {
            "day" => 1,
            "week" => 7,
            "month" => 30,
            "year" => 365,
            _ => {
                // "end of sunday", "end of july"
                if let Some(end) = self.weekday(next) {
                    self.frame.end_of_day = last;
                    return Some(end);
                }
                let (month, year, end) = self.month_ref(next)?;
                self.frame.day =
                    Some(if last { Day::NthWeek { nth: -1, month } } else { Day::Month { month, year } });
                return Some(end);
            }
        };
        self.set_edge(last, days, ahead);
        Some(next + 1)
    }

    fn set_edge(&mut self, last: bool, days: i64, ahead: i64) {
        if days == 1 {
            self.frame.end_of_day = last;
        } else {
            self.frame.day = Some(Day::Edge { last, days, ahead });
        }
    }

    /// "October 14", "14th of October 2027", "Oct-2", "the twenty third day of September".
    fn month_and_day(&mut self, at: usize) -> Option<usize> {
        let mut at = at;
        // "next 6th of april"
        let turned = self.sense(at, Sense::This).filter(|turn| *turn >= 0);
        if turned.is_some() && self.sense(at + 1, Sense::Weekday).is_none() {
            at += 1;
        }
        let joint = |place: usize| {
            let mut next = place;
            while ["of", "the"].contains(&self.word(next))
                || self.tokens.get(next).is_some_and(|t| t.sign('-') || t.sign('/') || t.sign('.'))
            {
                next += 1;
            }
            next
        };
        if let Some(month) = self.sense(at, Sense::Month) {
            let month = i8::try_from(month).ok()?;
            let next = joint(self.skip_dot(at + 1));
            // "May 2027" is a month, "May 20" a day.
            if let Some((year, end)) = year(self.tokens, next).filter(|_| self.tokens[next].text.len() == 4) {
                self.frame.day = Some(Day::Month { month: MonthRef::Named(month), year: Some(year) });
                return Some(end);
            }
            if let Some((day, end)) =
                day_of_month(self.tokens, next).filter(|(_, end)| self.ends_day(next, *end))
            {
                let (year, end) = self.year_after(end);
                self.frame.day = Some(Day::Date { year, month, day });
                return Some(end);
            }
            // A month alone may be a name or a verb: "may", "march", "june".
            let led = at > 0
                && ["in", "until", "till", "by", "this", "next", "from", "of"].contains(&self.word(at - 1));
            if turned.is_some() || led || self.whole_text {
                self.frame.day = Some(Day::Month { month: MonthRef::Named(month), year: None });
                return Some(self.skip_dot(at + 1).min(self.tokens.len()));
            }
            return None;
        }
        let (day, next) = day_of_month(self.tokens, at)?;
        let next = if self.word(next) == "day" && self.word(next + 1) == "of" { next + 1 } else { next };
        let after = joint(next);
        if let Some(month) = self.sense(after, Sense::Month) {
            // "second may" is no day unless something says so; "second of may" is.
            let (year, end) = self.year_after(self.skip_dot(after + 1));
            self.frame.day = Some(Day::Date { year, month: i8::try_from(month).ok()?, day });
            return Some(end);
        }
        let turn = self.sense(after, Sense::This)?;
        if self.word(after + 1) == "month" && after > next {
            self.frame.day = Some(Day::OfMonthAhead(day, turn.min(1)));
            return Some(after + 2);
        }
        None
    }

    /// A number after a month is a day unless it is the hour of a time ("May 8:30").
    fn ends_day(&self, at: usize, end: usize) -> bool {
        let time = self.tokens.get(end).is_some_and(|t| t.sign(':') && t.glued);
        let meridiem = ["am", "pm"].contains(&self.word(end)) && self.tokens[at].number().is_some();
        !time && !meridiem
    }

    fn year_after(&self, at: usize) -> (Option<i16>, usize) {
        let mut next = at;
        let mut joined = false;
        while self.word(next) == "of"
            || self
                .tokens
                .get(next)
                .is_some_and(|t| t.sign(',') || t.sign('-') && t.glued || t.sign('/') && t.glued)
        {
            joined |= self.word(next) == "of";
            next += 1;
        }
        if let Some((year, end)) = year(self.tokens, next) {
            return (Some(year), end);
        }
        let two = self.tokens.get(next).and_then(|t| t.number().filter(|_| t.text.len() == 2));
        let apostrophe = self.tokens.get(next).is_some_and(|t| t.sign('\''));
        if let Some(value) = two.filter(|_| joined) {
            return (Some(century(value)), next + 1);
        }
        if apostrophe && let Some(value) = self.tokens.get(next + 1).and_then(Token::number) {
            return (Some(century(value)), next + 2);
        }
        (None, at)
    }

    /// "friday", "next friday", "friday next week", "a week on tuesday", "tuesday the eleventh", "friday 23".
    fn weekday(&mut self, at: usize) -> Option<usize> {
        if self.frame.weekday.is_some() {
            return None;
        }
        let (mut turn, mut at) = (Turn::Bare, at);
        while let Some(which) = self.sense(at, Sense::This) {
            turn = match (which, turn) {
                (0, _) => Turn::This,
                (1, _) => Turn::Next,
                (2, _) => Turn::Coming,
                _ => Turn::Last,
            };
            at += 1;
        }
        let weekday = weekday_of(self.sense(at, Sense::Weekday)?);
        let name = self.word(at).to_owned();
        let led =
            at > 0 && ["on", "by", "until", "till", "every", "each", "and"].contains(&self.word(at - 1));
        // "sat", "sun", "wed" and "mon" are words of their own.
        if name.len() < 4 && turn == Turn::Bare && !led && !self.whole_text && self.frame.day.is_none() {
            return None;
        }
        let next = self.skip_dot(at + 1);
        self.frame.weekday = Some((turn, weekday));
        if self.frame.day.is_some() {
            return Some(next);
        }
        // "friday next week", "friday of next week"
        let of = usize::from(self.word(next) == "of");
        if let Some(turn) = self.sense(next + of, Sense::This)
            && self.word(next + of + 1) == "week"
        {
            self.frame.day = Some(Day::Week(turn.min(1)));
            return Some(next + of + 2);
        }
        // "tuesday week"
        if self.word(next) == "week" {
            self.frame.day = Some(Day::Week(1));
            self.frame.weekday = Some((Turn::Coming, weekday));
            return Some(next + 1);
        }
        let the = usize::from(self.word(next) == "the");
        let clock_follows = |end: usize| {
            let colon = self
                .tokens
                .get(end)
                .is_some_and(|t| (t.sign(':') || t.sign('.') || t.sign('/') || t.sign('-')) && t.glued);
            colon
                || ["am", "pm", "oclock", "p", "a"].contains(&self.word(end))
                || self.sense(end, Sense::Month).is_some()
                || self.word(end) == "of"
                || unit(self.tokens, end).is_some()
        };
        let day = day_of_month(self.tokens, next + the).filter(|(_, end)| !clock_follows(*end));
        if let Some((day, end)) =
            day.filter(|(day, _)| the == 1 || *day > 12 || self.tokens[next].number().is_none())
        {
            self.frame.day = Some(Day::OfMonth(day));
            return Some(end);
        }
        Some(next)
    }

    /// "next week", "next month", "this weekend", "next year".
    fn turn(&mut self, at: usize) -> Option<usize> {
        let which = self.sense(at, Sense::This)?;
        let ahead = which.min(1);
        let turn = match which {
            0 => Turn::This,
            1 => Turn::Next,
            2 => Turn::Coming,
            _ => Turn::Last,
        };
        if which == 0 && !matches!(self.word(at + 1), "weekend" | "week" | "month" | "year") {
            // "this 5/12", "this morning"
            if let Some(end) = self.numeric(at + 1) {
                return Some(end);
            }
        }
        let day = match self.word(at + 1) {
            "week" => Day::Week(ahead),
            "month" => Day::Month { month: MonthRef::Ahead(ahead), year: None },
            "year" => Day::Year(ahead),
            "weekend" => Day::Weekend(turn),
            _ => return self.holiday(at + 1, turn),
        };
        self.frame.day = Some(day);
        Some(at + 2)
    }

    fn holiday(&mut self, at: usize, turn: Turn) -> Option<usize> {
        let phrase = |words: &[&str]| words.iter().enumerate().all(|(n, word)| self.word(at + n) == *word);
        let of_its_own: [(&[&str], i64); 8] = [
            (&["new", "years", "eve"], 21),
            (&["new", "year", "eve"], 21),
            (&["new", "years"], 20),
            (&["new", "year"], 20),
            (&["independence"], 7),
            (&["black", "friday"], 8),
            (&["saint", "patrick"], 9),
            (&["st", "patrick"], 9),
        ];
        let long = of_its_own
            .iter()
            .find(|(words, _)| phrase(words))
            .map(|(words, which)| (*which, at + words.len()));
        let (mut which, mut next) = long.or_else(|| Some((self.sense(at, Sense::Holiday)?, at + 1)))?;
        if self.word(next) == "s" {
            next += 1;
        }
        if self.word(next) == "eve" {
            which = if which == 20 { 21 } else { which + 100 };
            next += 1;
        } else if self.word(next) == "day" {
            next += 1;
        } else if which == 7 {
            return None;
        }
        let of_year =
            self.word(next) == "of" && self.word(next + 1) == "this" && self.word(next + 2) == "year";
        let (year, mut end) = self.year_after(next);
        let turn = if of_year { Turn::This } else { turn };
        if of_year {
            end = next + 3;
        }
        self.frame.day = Some(Day::Holiday { which, turn, year });
        Some(end)
    }

    fn time(&mut self, at: usize, led: bool) -> Option<usize> {
        if self.frame.clock.is_some() {
            return self.either_hour(at);
        }
        // A bare number is an hour where "at" leads to it, or a part of the day follows: "7, this morning".
        let (clock, next) = clock(self.tokens, at, led || self.part_follows(at + 1))?;
        match clock {
            Ok(clock) => self.frame.clock = Some(clock),
            Err(Impossible) => self.frame.impossible = true,
        }
        Some(next)
    }

    fn part_follows(&self, at: usize) -> bool {
        let mut next = at;
        while self.tokens.get(next).is_some_and(|t| t.sign(','))
            || ["this", "in", "the", "tomorrow", "early", "at"].contains(&self.word(next)) && next < at + 4
        {
            next += 1;
        }
        let part = self.sense(next, Sense::Part).is_some_and(|part| part != 1 && part != 5);
        part && self.tokens.get(at.wrapping_sub(1)).is_some_and(|t| t.number().is_some_and(|n| n < 13))
    }

    /// "at 3 or 4".
    fn either_hour(&mut self, at: usize) -> Option<usize> {
        if self.word(at) != "or" || self.frame.other_clock.is_some() {
            return None;
        }
        let (clock, next) = clock(self.tokens, at + 1, true)?;
        self.frame.other_clock = clock.ok();
        Some(next)
    }

    fn part_of_day(&mut self, at: usize) -> Option<usize> {
        if self.frame.part.is_some() {
            return None;
        }
        let mut next = at;
        let mut turn = None;
        if let Some(which) = self.sense(next, Sense::This) {
            turn = Some(which);
            next += 1;
        }
        if matches!(self.word(next), "early" | "late" | "mid") {
            next += 1;
        }
        if self.tokens.get(next).is_some_and(|t| t.sign('-')) {
            next += 1;
        }
        let part = self.sense(next, Sense::Part)?;
        if part == 1 {
            // Noon is a time.
            return None;
        }
        // "tomorrow night" is a part of tomorrow; "tonight" is read as a day.
        let plural = self.word(next) == "nights";
        if plural || self.word(next) == "tonight" {
            return None;
        }
        self.frame.part = Some(part);
        if let (Some(which), None, None) = (turn, &self.frame.day, self.frame.weekday) {
            self.frame.day = Some(Day::Relative(which.clamp(-1, 1)));
        }
        Some(next + 1)
    }

    fn zone(&mut self, at: usize) -> Option<usize> {
        if self.frame.zone.is_some() || self.frame.clock.is_none() {
            return None;
        }
        let (zone, next) = zone_at(self.tokens, at)?;
        self.frame.zone = Some(zone);
        Some(next)
    }

    /// "the 27th", "15 at 8:00", "8pm on the 15".
    fn bare_day(&mut self, at: usize, led: bool) -> Option<usize> {
        if self.frame.day.is_some() || self.frame.shift.is_some() || led {
            return None;
        }
        let the = at > 0 && self.word(at - 1) == "the";
        let on = at > 0 && self.word(at - 1) == "on";
        let ordinal_here = ordinal(self.tokens, at);
        let (day, next) = day_of_month(self.tokens, at)?;
        if unit(self.tokens, next).is_some() || self.sense(next, Sense::Weekday).is_some() {
            return None;
        }
        let glued = self.tokens.get(next).is_some_and(|t| t.glued && t.kind != Kind::Sign(','));
        let before_clock = self.word(next) == "at";
        let digits = ordinal_here.is_some() && self.tokens[at].kind != Kind::Word;
        let named =
            (digits || ordinal_here.is_some() && the) && (the || on || self.whole_text || before_clock);
        let bare = (the || on || before_clock) && self.tokens[at].kind != Kind::Word
            || self.whole_text && self.tokens.len() == 1 && self.tokens[at].kind != Kind::Word;
        if glued || !(named || bare) {
            return None;
        }
        self.frame.day = Some(Day::OfMonth(day));
        Some(next)
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
