//! Which days a recurrence falls on.

use super::super::frame::weekday_of;
use super::super::lexicon::Sense;
use super::super::number::{ordinal, whole};
use super::super::token::Token;
use super::{LIST_MAX, Reader, WEEKEND};
use bethink_domain::recurrence::Frequency;

impl Reader<'_> {
    /// Weekdays: "tue and fri", "saturdays through tuesdays", "first and third friday".
    pub(super) fn days(&mut self, at: usize) -> Option<usize> {
        let first = self.sense(at, Sense::Weekday)?;
        // "Mondays at 9 and Thursdays at 5" are two rules.
        self.rule.several |= !self.rule.times.is_empty() && !self.rule.days.is_empty();
        if self.sense(at, Sense::Plural).is_some() {
            self.rule.recurs = true;
        }
        let dot = |place: usize| {
            usize::from(self.sign(place, '.') && self.tokens[place].glued && self.tokens.len() > place + 1)
        };
        let mut next = at + 1 + dot(at + 1);
        let through =
            self.sign(next, '-') || ["through", "thru", "to", "till", "until"].contains(&self.word(next));
        if through && let Some(last) = self.sense(next + 1, Sense::Weekday) {
            let mut day = first;
            loop {
                self.rule.add_day(None, day);
                if day == last {
                    break;
                }
                day = day % 7 + 1;
            }
            self.rule.recurs |= self.whole_text;
            return Some(next + 2);
        }
        self.rule.add_day(None, first);
        loop {
            let after = self.skip_and(next);
            match self.sense(after, Sense::Weekday).filter(|_| after > next) {
                Some(day) if !(self.sign(after + 1, '-')) => {
                    self.rule.add_day(None, day);
                    if self.sense(after, Sense::Plural).is_some() {
                        self.rule.recurs = true;
                    }
                    next = after + 1;
                }
                _ => return Some(next),
            }
        }
    }

    pub(super) fn skip_and(&self, at: usize) -> usize {
        let mut next = at;
        while self.word(next) == "and"
            || self.sign(next, ',')
            || self.sign(next, '&')
            || self.word(next) == "on" && next > at
        {
            next += 1;
        }
        next
    }

    /// "the 4th", "4th and 10th", "first and third friday", "2nd to the last", "last".
    pub(super) fn ordinals(&mut self, at: usize) -> Option<usize> {
        let mut numbers: Vec<i8> = Vec::new();
        let mut next = at;
        loop {
            let place = if numbers.is_empty() { next } else { self.skip_the(self.skip_and(next)) };
            if !numbers.is_empty() && place == next {
                break;
            }
            let Some((nth, after)) = self.one_ordinal(place).filter(|_| numbers.len() < LIST_MAX) else {
                break;
            };
            numbers.push(nth);
            next = after;
        }
        if numbers.is_empty() {
            return None;
        }
        if self.word(next) == "day" {
            next += 1;
        }
        if let Some(day) = self.sense(next, Sense::Weekday).filter(|_| numbers.iter().all(|n| n.abs() <= 5)) {
            if self.sense(next, Sense::Plural).is_some() {
                self.rule.recurs = true;
            }
            if self.rule.frequency == Some(Frequency::Weekly) {
                self.rule.frequency = None;
            }
            numbers.iter().for_each(|nth| self.rule.add_day(Some(*nth), day));
            return Some(self.month_after(next + 1));
        }
        if numbers.iter().any(|day| *day > 31) {
            return None;
        }
        self.rule.ordinals.extend(numbers);
        Some(self.month_after(next))
    }

    pub(super) fn one_ordinal(&self, at: usize) -> Option<(i8, usize)> {
        if self.word(at) == "last" {
            let day = usize::from(self.word(at + 1) == "day");
            return Some((-1, at + 1 + day));
        }
        let month_follows = self.sense(at + 1, Sense::Month).is_some()
            || self.word(at + 1) == "of" && self.sense(at + 2, Sense::Month).is_some();
        let listed = !self.rule.ordinals.is_empty() || !self.rule.months.is_empty() || month_follows;
        let plain = self.tokens.get(at).and_then(Token::number).filter(|_| listed);
        let (nth, next) = ordinal(self.tokens, at).or(plain.map(|n| (n, at + 1)))?;
        let nth = i8::try_from(nth).ok().filter(|nth| (1..=31).contains(nth))?;
        // "2nd to the last", "second last"
        let mut last = next;
        while ["to", "the"].contains(&self.word(last)) {
            last += 1;
        }
        if self.word(last) == "last" && last <= next + 2 {
            return Some((-nth, last + 1));
        }
        Some((nth, next))
    }

    /// "of the month" says which ordinals are meant, and that it recurs with "every" alone.
    pub(super) fn month_after(&self, at: usize) -> usize {
        let of = ["of", "in"].contains(&self.word(at));
        let place = self.skip_the(at + 1);
        if of && self.word(place) == "month" { place + 1 } else { at }
    }

    /// "july 4th", "in november", "aug 20 and 30", "of aug".
    pub(super) fn month(&mut self, at: usize) -> Option<usize> {
        let month = i8::try_from(self.sense(at, Sense::Month)?).ok()?;
        let numbered = ordinal(self.tokens, at + 1).is_some()
            || self.tokens.get(at + 1).and_then(Token::number).is_some_and(|n| (1..=31).contains(&n));
        self.rule.months.push(month);
        let mut next = at + 1;
        if numbered {
            next = self.ordinals(at + 1)?;
        } else {
            loop {
                let after = self.skip_and(next);
                let Some(more) = self.sense(after, Sense::Month).filter(|_| after > next) else { break };
                self.rule.months.push(i8::try_from(more).unwrap_or(1));
                next = after + 1;
            }
        }
        Some(next)
    }

    /// "at the beginning", "beginning of each month", "each month at the end".
    pub(super) fn edge(&mut self, at: usize) -> Option<usize> {
        let last = match self.word(at) {
            "beginning" | "start" => false,
            "end" => true,
            _ => return None,
        };
        if self.word(at + 1) == "of" {
            let every = self.sense(self.skip_the(at + 2), Sense::Every).is_some();
            if !every && !self.rule.recurs {
                return None;
            }
        } else if !self.rule.recurs {
            return None;
        }
        self.rule.ordinals.push(if last { -1 } else { 1 });
        Some(self.month_after(at + 1))
    }

    pub(super) fn week(&mut self, at: usize) -> Option<usize> {
        if self.word(at) != "week" {
            return None;
        }
        let (week, next) = whole(self.tokens, at + 1)?;
        self.rule.weeks.push(i8::try_from(week).ok().filter(|week| (1..=53).contains(week))?);
        Some(next)
    }

    pub(super) fn except(&mut self, at: usize) -> Option<usize> {
        let next = match self.word(at) {
            "except" | "excluding" => at + 1,
            "but" if self.word(at + 1) == "not" => at + 2,
            _ => return None,
        };
        let mut next = if ["for", "on"].contains(&self.word(next)) { next + 1 } else { next };
        let before = next;
        loop {
            let after = if next == before { next } else { self.skip_and(next) };
            if matches!(self.word(after), "weekends" | "weekend") {
                self.rule.except.extend(WEEKEND.map(weekday_of));
                next = after + 1;
                continue;
            }
            let Some(day) = self.sense(after, Sense::Weekday).filter(|_| next == before || after > next)
            else {
                break;
            };
            self.rule.except.push(weekday_of(day));
            next = after + 1;
        }
        (next > before).then_some(next)
    }
}
