//! Days that are named by the calendar.

use super::super::clock::Impossible;
use super::super::lexicon::Sense;
use super::super::number::{day_of_month, ordinal, year};
use super::super::numeric::numeric_date;
use super::super::token::Token;
use super::{Day, MonthRef, Reader, century, weekday_of};

impl Reader<'_> {
    pub(super) fn relative(&mut self, at: usize) -> Option<usize> {
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

    pub(super) fn numeric(&mut self, at: usize) -> Option<usize> {
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
    pub(super) fn nth_weekday(&mut self, at: usize) -> Option<usize> {
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
    pub(super) fn month_ref(&self, at: usize) -> Option<(MonthRef, Option<i16>, usize)> {
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

    pub(super) fn skip_dot(&self, at: usize) -> usize {
        let dot = self.tokens.get(at).is_some_and(|t| t.sign('.') && t.glued);
        if dot { at + 1 } else { at }
    }

    /// "end of the month", "the beginning of next week", "eod".
    pub(super) fn edge(&mut self, at: usize) -> Option<usize> {
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

    pub(super) fn set_edge(&mut self, last: bool, days: i64, ahead: i64) {
        if days == 1 {
            self.frame.end_of_day = last;
        } else {
            self.frame.day = Some(Day::Edge { last, days, ahead });
        }
    }

    /// "October 14", "14th of October 2027", "Oct-2", "the twenty third day of September".
    pub(super) fn month_and_day(&mut self, at: usize) -> Option<usize> {
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
    pub(super) fn ends_day(&self, at: usize, end: usize) -> bool {
        let time = self.tokens.get(end).is_some_and(|t| t.sign(':') && t.glued);
        let meridiem = ["am", "pm"].contains(&self.word(end)) && self.tokens[at].number().is_some();
        !time && !meridiem
    }

    pub(super) fn year_after(&self, at: usize) -> (Option<i16>, usize) {
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
}
