//! Recurrences: "every weekday at 8:30", "the last Friday of each month", "every other Thursday until June".

mod bounds;
mod lists;

use bethink_domain::recurrence::{Frequency, Recurrence};
use jiff::civil::{self, Date, Weekday};

use super::frame::weekday_of;
use super::length::{Unit, unit};
use super::lexicon::{Sense, sense};
use super::number::{ordinal, whole};
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
        let frequency = self.frequency.unwrap_or(if !self.weeks.is_empty() || !self.months.is_empty() {
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
}
