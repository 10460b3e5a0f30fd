//! Times of day, lengths from now, and days that a number alone names.

use super::super::clock::{Impossible, clock};
use super::super::length::{said, unit};
use super::super::lexicon::Sense;
use super::super::lexicon::sense;
use super::super::number::{day_of_month, ordinal, whole};
use super::super::token::Kind;
use super::super::zones::zone_at;
use super::{Day, Frame, Reader, Shift, weekday_of};

impl Reader<'_> {
    pub(super) fn now_or_vague(&mut self, at: usize) -> Option<usize> {
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
    pub(super) fn shifted(&mut self, at: usize, led: bool) -> Option<usize> {
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

    pub(super) fn time(&mut self, at: usize, led: bool) -> Option<usize> {
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

    pub(super) fn part_follows(&self, at: usize) -> bool {
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
    pub(super) fn either_hour(&mut self, at: usize) -> Option<usize> {
        if self.word(at) != "or" || self.frame.other_clock.is_some() {
            return None;
        }
        let (clock, next) = clock(self.tokens, at + 1, true)?;
        self.frame.other_clock = clock.ok();
        Some(next)
    }

    pub(super) fn part_of_day(&mut self, at: usize) -> Option<usize> {
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

    pub(super) fn zone(&mut self, at: usize) -> Option<usize> {
        if self.frame.zone.is_some() || self.frame.clock.is_none() {
            return None;
        }
        let (zone, next) = zone_at(self.tokens, at)?;
        self.frame.zone = Some(zone);
        Some(next)
    }

    /// "the 27th", "15 at 8:00", "8pm on the 15".
    pub(super) fn bare_day(&mut self, at: usize, led: bool) -> Option<usize> {
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
