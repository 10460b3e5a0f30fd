//! At which times of the day, how often, and from when until when.

use super::super::clock::clock;
use super::super::frame::frame;
use super::super::length::said;
use super::super::lexicon::Sense;
use super::super::number::whole;
use super::super::resolve::resolve;
use super::super::{Doubt, DoubtKind, Reading, Standpoint};
use super::{LIST_MAX, Reader};
use jiff::civil::{self, Date};

impl Reader<'_> {
    /// "at 8:30", "at 3pm and 6pm".
    pub(super) fn time(&mut self, at: usize) -> Option<usize> {
        let led = at > 0
            && (["at", "around"].contains(&self.word(at - 1))
                || self.word(at - 1) == "and" && !self.rule.times.is_empty());
        let midnight = self.word(at) == "midnight";
        if midnight {
            self.rule.times.push(civil::Time::midnight());
            return Some(at + 1);
        }
        let (found, next) = clock(self.tokens, at, led)?;
        let Ok(mut found) = found else {
            self.rule.impossible = true;
            return Some(next);
        };
        let mut end = next;
        let place = self.skip(next);
        let part = self.sense(place, Sense::Part).filter(|part| *part != 1 && *part != 5);
        if let Some(part) = part {
            end = place + 1;
            if part > 0 && !found.certain && found.hour < 12 {
                found = found.twelve_later();
            }
        } else if !found.certain && (1..7).contains(&found.hour) {
            found = found.twelve_later();
        }
        if self.rule.times.len() < LIST_MAX {
            self.rule.times.push(found.time());
        }
        Some(end)
    }

    /// "twice", "for 4 times", "10 occurrences".
    pub(super) fn count(&mut self, at: usize) -> Option<usize> {
        let known = match self.word(at) {
            "twice" => Some(2),
            "thrice" => Some(3),
            _ => None,
        };
        if let Some(count) = known.filter(|_| self.rule.recurs) {
            self.rule.count = Some(count);
            return Some(at + 1);
        }
        let (count, next) = whole(self.tokens, at)?;
        if !["times", "time", "occurrences", "occurrence", "repetitions"].contains(&self.word(next)) {
            return None;
        }
        self.rule.count = u32::try_from(count).ok().filter(|count| *count > 0);
        Some(next + 1)
    }

    /// Where it begins and ends.
    pub(super) fn bounds(&mut self, at: usize) -> Option<usize> {
        match self.word(at) {
            "starting" | "beginning" | "from" | "since" | "commencing" => {
                let place =
                    if ["on", "in", "from", "at"].contains(&self.word(at + 1)) { at + 2 } else { at + 1 };
                let (date, mut next) = self.date(place, None)?;
                self.rule.start = Some(date);
                if ["to", "until", "till", "through"].contains(&self.word(next))
                    && let Some((date, after)) = self.date(next + 1, Some(date))
                {
                    self.rule.until = Some(date);
                    next = after;
                }
                Some(next)
            }
            "until" | "till" | "til" | "through" => {
                let (date, next) = self.date(at + 1, self.rule.start)?;
                self.rule.until = Some(date);
                Some(next)
            }
            _ => self.lasting(at),
        }
    }

    /// "for the next three weeks", "for up to 14 months".
    pub(super) fn lasting(&mut self, at: usize) -> Option<usize> {
        let before = (at.saturating_sub(3)..at).any(|place| self.word(place) == "for");
        if !before {
            return None;
        }
        let mut place = at;
        while ["next", "up", "to", "the", "following", "coming"].contains(&self.word(place)) {
            place += 1;
        }
        let (said, next) = said(self.tokens, place)?;
        let from = self.rule.start.unwrap_or(self.stand.now.date());
        let end = said.length()?.after(from.at(0, 0, 0, 0))?;
        self.rule.until = Some(end.date());
        Some(next)
    }

    /// A day, read as any other; the first after `from`.
    pub(super) fn date(&mut self, at: usize, from: Option<Date>) -> Option<(Date, usize)> {
        let there = match from {
            // A month that is the start's own is the one of the year after.
            Some(date) => Standpoint { now: date.at(0, 0, 0, 0), ..*self.stand },
            None => *self.stand,
        };
        // Only as much of the text as is one day: a time belongs to each occurrence.
        let end = (at + 1..=self.tokens.len().min(at + 8)).rev().find(|end| {
            frame(&self.tokens[..*end], at, true).is_some_and(|(frame, after)| {
                after == *end
                    && frame.clock.is_none()
                    && frame.part.is_none()
                    && (frame.day.is_some() || frame.weekday.is_some())
            })
        })?;
        let (frame, _) = frame(&self.tokens[..end], at, true)?;
        match resolve(&frame, &there) {
            Reading::At(moment) => Some((moment.date, end)),
            Reading::Unclear(Doubt { why: DoubtKind::Ambiguous, options }) => {
                self.rule.ambiguous = options;
                Some((there.now.date(), end))
            }
            Reading::Unclear(doubt) => {
                let date = doubt.options.first().map(|moment| moment.date);
                self.rule.impossible |= date.is_none();
                Some((date.unwrap_or(there.now.date()), end))
            }
            _ => None,
        }
    }
}
