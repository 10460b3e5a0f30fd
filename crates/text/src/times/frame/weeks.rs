//! Days that are named by their week, and holidays.

use super::super::length::unit;
use super::super::lexicon::Sense;
use super::super::number::day_of_month;
use super::{Day, MonthRef, Reader, Turn, weekday_of};

impl Reader<'_> {
    /// "friday", "next friday", "friday next week", "a week on tuesday", "tuesday the eleventh", "friday 23".
    pub(super) fn weekday(&mut self, at: usize) -> Option<usize> {
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
    pub(super) fn turn(&mut self, at: usize) -> Option<usize> {
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

    pub(super) fn holiday(&mut self, at: usize, turn: Turn) -> Option<usize> {
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
}
