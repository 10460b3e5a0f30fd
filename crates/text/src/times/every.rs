//! Recurrences: "every weekday at 8:30", "the last Friday of each month", "every other Thursday until June".

use bethink_domain::recurrence::{Frequency, Recurrence};
use jiff::civil::{self, Date, Weekday};

use super::clock::clock;
use super::frame::{frame, weekday_of};
use super::length::{Unit, said, unit};
use super::lexicon::{Sense, sense};
use super::number::{ordinal, whole};
use super::resolve::resolve;
use super::token::{Kind, Token};
use super::{Doubt, DoubtKind, Moment, Reading, Repetition, Standpoint};

const WORKDAYS: [i64; 5] = [1, 2, 3, 4, 5];
const WEEKEND: [i64; 2] = [6, 7];
/// Times of one day, and numbers of one list.
const LIST_MAX: usize = 31;

/// Reads a recurrence that begins at a place; the place after it.
pub(super) fn repetition(
    tokens: &[Token],
    at: usize,
    stand: &Standpoint,
    whole_text: bool,
) -> Option<(Reading, usize)> {
    let mut reader = Reader { tokens, stand, whole_text, rule: Draft::default() };
    if !whole_text && !reader.may_begin(at) {
        return None;
    }
    let (mut next, mut end) = (at, at);
    while let Some(after) = reader.part(reader.skip(next)) {
        next = after;
        end = after;
    }
    let draft = reader.rule;
    (draft.recurs && end > at).then(|| (draft.reading(), end))
}

/// A rule in the making.
#[derive(Debug, Default)]
struct Draft {
    /// Something said that it recurs.
    recurs: bool,
    frequency: Option<Frequency>,
    interval: Option<u32>,
    days: Vec<(Option<i8>, Weekday)>,
    except: Vec<Weekday>,
    /// Days that are of a month, unless only a year was said.
    ordinals: Vec<i8>,
    months: Vec<i8>,
    weeks: Vec<i8>,
    times: Vec<civil::Time>,
    count: Option<u32>,
    start: Option<Date>,
    until: Option<Date>,
    impossible: bool,
    /// It says more than one rule can.
    several: bool,
    ambiguous: Vec<Moment>,
}

impl Draft {
    fn reading(self) -> Reading {
        if self.impossible {
            return Reading::Unclear(Doubt { why: DoubtKind::Impossible, options: Vec::new() });
        }
        if self.several {
            return Reading::Unclear(Doubt { why: DoubtKind::Conflict, options: Vec::new() });
        }
        if !self.ambiguous.is_empty() {
            return Reading::Unclear(Doubt { why: DoubtKind::Ambiguous, options: self.ambiguous });
        }
        let nth = self.days.iter().any(|(nth, _)| nth.is_some());
        let frequency = self.frequency.unwrap_or(if !self.weeks.is_empty() {
            Frequency::Yearly
        } else if !self.months.is_empty() {
            Frequency::Yearly
        } else if nth || !self.ordinals.is_empty() {
            Frequency::Monthly
        } else if !self.days.is_empty() {
            Frequency::Weekly
        } else {
            Frequency::Daily
        });
        let named = !self.weeks.is_empty() || !self.months.is_empty();
        let frequency = if named && frequency < Frequency::Monthly { Frequency::Yearly } else { frequency };
        let mut rule = Recurrence::every(frequency);
        rule.interval = self.interval.unwrap_or(1).max(1);
        rule.count = self.count;
        rule.until = self.until.map(|date| date.at(23, 59, 59, 0));
        rule.months = self.months;
        rule.weeks = self.weeks;
        rule.days = self.days;
        rule.times = self.times;
        if frequency == Frequency::Yearly && rule.months.is_empty() && !self.ordinals.is_empty() {
            rule.year_days = self.ordinals.iter().map(|day| i16::from(*day)).collect();
        } else {
            rule.month_days = self.ordinals;
        }
        if !self.except.is_empty() {
            let all = if rule.days.is_empty() {
                (1..=7).map(|day| (None, weekday_of(day))).collect()
            } else {
                rule.days
            };
            rule.days = all.into_iter().filter(|(_, day)| !self.except.contains(day)).collect();
            if rule.frequency < Frequency::Weekly {
                rule.frequency = Frequency::Weekly;
            }
        }
        Reading::Every(Repetition { rule, start: self.start })
    }

    fn add_day(&mut self, nth: Option<i8>, day: i64) {
        let day = (nth, weekday_of(day));
        if !self.days.contains(&day) && self.days.len() < LIST_MAX {
            self.days.push(day);
        }
    }
}

struct Reader<'t> {
    tokens: &'t [Token],
    stand: &'t Standpoint,
    whole_text: bool,
    rule: Draft,
}

impl Reader<'_> {
    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).filter(|t| t.kind == Kind::Word).map_or("", |t| t.text.as_str())
    }

    fn sense(&self, at: usize, wanted: Sense) -> Option<i64> {
        sense(self.word(at), wanted)
    }

    fn sign(&self, at: usize, sign: char) -> bool {
        self.tokens.get(at).is_some_and(|t| t.sign(sign))
    }

    /// Whether a recurrence inside a sentence may begin here.
    fn may_begin(&self, at: usize) -> bool {
        let lead = ["on", "at", "the", "once", "twice", "starting"].contains(&self.word(at));
        let begins = |at: usize| {
            self.sense(at, Sense::Every).is_some()
                || self.sense(at, Sense::Each).is_some()
                || self.sense(at, Sense::Plural).is_some()
                || matches!(
                    self.word(at),
                    "weekdays" | "weekends" | "once" | "twice" | "beginning" | "start" | "end" | "last"
                )
                || ordinal(self.tokens, at).is_some()
        };
        begins(at)
            || lead && (begins(at + 1) || self.word(at + 1) == "the" && begins(at + 2))
            || lead && self.word(at) == "starting"
    }

    fn skip(&self, at: usize) -> usize {
        let mut next = at;
        let joints = ["on", "in", "the", "of", "and", "at", "for", "a", "to", "occurring", "then", "only"];
        while next > 0 || self.whole_text || next == at {
            let token = match self.tokens.get(next) {
                Some(token) => token,
                None => break,
            };
            let word = joints.contains(&token.text.as_str());
            if !(word || token.sign(',') || token.sign('&')) {
                break;
            }
            next += 1;
        }
        next
    }

    fn part(&mut self, at: usize) -> Option<usize> {
        self.tokens.get(at)?;
        self.every(at)
            .or_else(|| self.each(at))
            .or_else(|| self.count(at))
            .or_else(|| self.bounds(at))
            .or_else(|| self.edge(at))
            .or_else(|| self.week(at))
            .or_else(|| self.except(at))
            .or_else(|| self.time(at))
            .or_else(|| self.days(at))
            .or_else(|| self.ordinals(at))
            .or_else(|| self.month(at))
    }

    fn set(&mut self, unit: Unit, count: i64) {
        let (frequency, each) = match unit {
            Unit::Seconds(1) => (Frequency::Secondly, 1),
            Unit::Seconds(60) => (Frequency::Minutely, 1),
            Unit::Seconds(_) => (Frequency::Hourly, 1),
            Unit::Days(1) => (Frequency::Daily, 1),
            Unit::Days(days) => (Frequency::Weekly, days / 7),
            Unit::Months(months) if months % 12 == 0 => (Frequency::Yearly, months / 12),
            Unit::Months(months) => (Frequency::Monthly, months),
        };
        self.rule.recurs = true;
        self.rule.frequency = Some(frequency);
        let interval = u32::try_from(count.saturating_mul(each)).ok().filter(|n| (1..=100_000).contains(n));
        match interval {
            Some(interval) => self.rule.interval = Some(interval),
            None => self.rule.impossible = true,
        }
    }

    /// "every …", "each …", "once a …".
    fn every(&mut self, at: usize) -> Option<usize> {
        let once = matches!(self.word(at), "once" | "one")
            && matches!(self.word(at + 1), "a" | "an" | "per" | "every" | "each");
        let at = if once { at + 1 } else { at };
        let article = once && matches!(self.word(at), "a" | "an" | "per");
        if self.sense(at, Sense::Every).is_none() && !article {
            return None;
        }
        let next = at + 1;
        // "every single day"
        let next = if self.word(next) == "single" { next + 1 } else { next };
        if self.word(next) == "other" {
            return self.interval(next + 1, 2);
        }
        if matches!(self.word(next), "weekday" | "weekdays" | "workday" | "workdays")
            || self.word(next) == "business" && self.word(next + 1).starts_with("day")
        {
            return Some(self.weekdays(&WORKDAYS, next + 1 + usize::from(self.word(next) == "business")));
        }
        if matches!(self.word(next), "weekend" | "weekends") {
            return Some(self.weekdays(&WEEKEND, next + 1));
        }
        if let Some(part) = self.sense(next, Sense::Part) {
            return self.part_of_day(next + 1, part);
        }
        if let Some((nth, after)) = ordinal(self.tokens, next)
            && !(self.word(next) == "second" && !self.counts(after))
            && self.counts(after)
            && !self.of_month(after)
        {
            return self.interval(after, nth);
        }
        if let Some((count, after)) = whole(self.tokens, next).filter(|(_, after)| self.counts(*after)) {
            let stated = !["a", "an"].contains(&self.word(next));
            return if stated || article { self.interval(after, count) } else { None };
        }
        if let Some(found) = unit(self.tokens, next).filter(|_| self.word(next).len() > 1) {
            self.set(found, 1);
            return Some(next + 1);
        }
        // What follows says what recurs: days of the week or of the month, or a month.
        self.rule.recurs = true;
        let after = self.skip_the(next);
        self.days(after).or_else(|| self.ordinals(after)).or_else(|| self.month(after))
    }

    fn skip_the(&self, at: usize) -> usize {
        if self.word(at) == "the" { at + 1 } else { at }
    }

    /// Whether a unit or a weekday stands here, of which one can count.
    fn counts(&self, at: usize) -> bool {
        unit(self.tokens, at).is_some_and(|_| self.word(at).len() > 1)
            || self.sense(at, Sense::Weekday).is_some()
            || matches!(self.word(at), "weekend" | "weekends")
    }

    /// "… of the month" after a weekday makes "every 2nd Tuesday" the second of the month.
    fn of_month(&self, at: usize) -> bool {
        let of = ["of", "in"].contains(&self.word(at + 1));
        let place = self.skip_the(at + 2);
        let month = self.word(place) == "month"
            || self.sense(place, Sense::Month).is_some()
            || self.sense(place, Sense::Every).is_some();
        self.sense(at, Sense::Weekday).is_some() && of && month
    }

    /// Every so many of what stands here.
    fn interval(&mut self, at: usize, count: i64) -> Option<usize> {
        if self.sense(at, Sense::Weekday).is_some() {
            self.rule.recurs = true;
            self.rule.frequency = Some(Frequency::Weekly);
            self.rule.interval = u32::try_from(count).ok();
            return self.days(at);
        }
        let found = unit(self.tokens, at).filter(|_| self.word(at).len() > 1)?;
        if matches!(self.word(at), "weekend" | "weekends") {
            self.set(Unit::Days(7), count);
            return Some(self.weekdays(&WEEKEND, at + 1));
        }
        self.set(found, count);
        Some(at + 1)
    }

    fn weekdays(&mut self, days: &[i64], next: usize) -> usize {
        self.rule.recurs = true;
        if self.rule.frequency.is_none() {
            self.rule.frequency = Some(Frequency::Weekly);
        }
        days.iter().for_each(|day| self.rule.add_day(None, *day));
        next
    }

    fn part_of_day(&mut self, next: usize, part: i64) -> Option<usize> {
        self.rule.recurs = true;
        self.rule.frequency = self.rule.frequency.or(Some(Frequency::Daily));
        // "every morning at 7" says its time itself.
        let place = self.skip(next);
        if let Some(after) = self.time(place) {
            let morning = ["am", "a"].contains(&self.word(after - 1));
            if let Some(time) = self.rule.times.last_mut()
                && (2..5).contains(&part)
                && time.hour() < 12
                && time.hour() > 0
                && !morning
            {
                *time = civil::time(time.hour() + 12, time.minute(), time.second(), 0);
            }
            return Some(after);
        }
        let hour = match part {
            0 => 9,
            1 => 12,
            2 => 15,
            3 => 19,
            5 => 0,
            _ => 20,
        };
        self.rule.times.push(civil::time(hour, 0, 0, 0));
        Some(next)
    }

    /// "daily", "weekly", "mondays", "weekends".
    fn each(&mut self, at: usize) -> Option<usize> {
        if matches!(self.word(at), "weekdays" | "workdays") {
            return Some(self.weekdays(&WORKDAYS, at + 1));
        }
        if self.word(at) == "weekends" || self.rule.recurs && self.word(at) == "weekend" {
            return Some(self.weekdays(&WEEKEND, at + 1));
        }
        let unit = match self.sense(at, Sense::Each)? {
            0 => Unit::Seconds(3_600),
            1 => Unit::Days(1),
            7 => Unit::Days(7),
            14 => Unit::Days(14),
            30 => Unit::Months(1),
            90 => Unit::Months(3),
            _ => Unit::Months(12),
        };
        self.set(unit, 1);
        Some(at + 1)
    }

    /// Weekdays: "tue and fri", "saturdays through tuesdays", "first and third friday".
    fn days(&mut self, at: usize) -> Option<usize> {
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

    fn skip_and(&self, at: usize) -> usize {
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
    fn ordinals(&mut self, at: usize) -> Option<usize> {
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

    fn one_ordinal(&self, at: usize) -> Option<(i8, usize)> {
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
    fn month_after(&self, at: usize) -> usize {
        let of = ["of", "in"].contains(&self.word(at));
        let place = self.skip_the(at + 1);
        if of && self.word(place) == "month" { place + 1 } else { at }
    }

    /// "july 4th", "in november", "aug 20 and 30", "of aug".
    fn month(&mut self, at: usize) -> Option<usize> {
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
    fn edge(&mut self, at: usize) -> Option<usize> {
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

    fn week(&mut self, at: usize) -> Option<usize> {
        if self.word(at) != "week" {
            return None;
        }
        let (week, next) = whole(self.tokens, at + 1)?;
        self.rule.weeks.push(i8::try_from(week).ok().filter(|week| (1..=53).contains(week))?);
        Some(next)
    }

    fn except(&mut self, at: usize) -> Option<usize> {
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

    /// "at 8:30", "at 3pm and 6pm".
    fn time(&mut self, at: usize) -> Option<usize> {
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
    fn count(&mut self, at: usize) -> Option<usize> {
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
    fn bounds(&mut self, at: usize) -> Option<usize> {
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
    fn lasting(&mut self, at: usize) -> Option<usize> {
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
    fn date(&mut self, at: usize, from: Option<Date>) -> Option<(Date, usize)> {
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
