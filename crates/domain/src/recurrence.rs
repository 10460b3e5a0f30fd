//! How something recurs: the parts of RFC 5545's recurrence rules that people say, on a wall clock.
//!
//! One choice is our own: a day that a month does not have is its last day ("the 31st" is the 30th of April, 29 February is
//! the 28th), where RFC 5545 would leave the month out. Whoever asks to be reminded monthly means every month.

use std::fmt::Write;

use jiff::ToSpan;
use jiff::civil::{self, Weekday};

/// Days that are looked through for the next occurrence: 29 February on a Monday comes every 28 years, or 40 over 2100.
const DAYS_MAX: i32 = 366 * 41;
/// Steps below a day that are looked through.
const STEPS_MAX: i64 = 100_000;
/// Occurrences that are counted up to a `COUNT`.
const COUNT_MAX: u32 = 10_000;
/// Times of one day, and numbers in one part.
const PARTS_MAX: usize = 64;

/// The step of a recurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Frequency {
    /// Seconds.
    Secondly,
    /// Minutes.
    Minutely,
    /// Hours.
    Hourly,
    /// Days.
    Daily,
    /// Weeks, which begin on Monday.
    Weekly,
    /// Months.
    Monthly,
    /// Years.
    Yearly,
}

impl Frequency {
    const ALL: [(Self, &'static str); 7] = [
        (Self::Secondly, "SECONDLY"),
        (Self::Minutely, "MINUTELY"),
        (Self::Hourly, "HOURLY"),
        (Self::Daily, "DAILY"),
        (Self::Weekly, "WEEKLY"),
        (Self::Monthly, "MONTHLY"),
        (Self::Yearly, "YEARLY"),
    ];

    /// Seconds of a step, where it is of hours or less; a day for the others.
    #[must_use]
    pub fn step(self) -> i64 {
        match self {
            Self::Secondly => 1,
            Self::Minutely => 60,
            Self::Hourly => 3_600,
            _ => 86_400,
        }
    }

    /// The word of RFC 5545.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(frequency, _)| *frequency == self).map_or("DAILY", |(_, name)| name)
    }
}

/// A rule by which something recurs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Recurrence {
    /// The step.
    pub frequency: Frequency,
    /// Every so many steps, from 1.
    pub interval: u32,
    /// Ends after so many occurrences.
    pub count: Option<u32>,
    /// Ends with this time.
    pub until: Option<civil::DateTime>,
    /// Months, 1 to 12; every one if empty.
    pub months: Vec<i8>,
    /// ISO weeks of the year, 1 to 53.
    pub weeks: Vec<i8>,
    /// Days of the year, 1 to 366.
    pub year_days: Vec<i16>,
    /// Days of the month, 1 to 31, or −1 to −31 from its end.
    pub month_days: Vec<i8>,
    /// Weekdays, each of them or the n-th of the month (of the year where the step is years and no month is named).
    pub days: Vec<(Option<i8>, Weekday)>,
    /// Times of day; that of the start if empty.
    pub times: Vec<civil::Time>,
}

/// A rule that can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no recurrence rule; one looks like FREQ=WEEKLY;BYDAY=MO,FR")]
pub struct RuleFault(pub String);

impl Recurrence {
    /// Each step, without end.
    #[must_use]
    pub fn every(frequency: Frequency) -> Self {
        Self {
            frequency,
            interval: 1,
            count: None,
            until: None,
            months: Vec::new(),
            weeks: Vec::new(),
            year_days: Vec::new(),
            month_days: Vec::new(),
            days: Vec::new(),
            times: Vec::new(),
        }
    }

    /// The first occurrence after a time, counting from a start; none when there is none any more.
    #[must_use]
    pub fn next_after(&self, start: civil::DateTime, after: civil::DateTime) -> Option<civil::DateTime> {
        let found = match self.count {
            None => self.follow(start, after),
            Some(count) => {
                let mut at = start.checked_sub(1.second()).ok()?;
                let mut found = None;
                for _ in 0..count.min(COUNT_MAX) {
                    at = self.follow(start, at)?;
                    if at > after {
                        found = Some(at);
                        break;
                    }
                }
                found
            }
        };
        found.filter(|at| self.until.is_none_or(|until| *at <= until))
    }

    /// The first occurrence after a time and not before the start, whatever ends it.
    fn follow(&self, start: civil::DateTime, after: civil::DateTime) -> Option<civil::DateTime> {
        let step = match self.frequency {
            Frequency::Secondly => 1,
            Frequency::Minutely => 60,
            Frequency::Hourly => 3_600,
            _ => return self.follow_days(start, after),
        };
        let step = step * i64::from(self.interval.max(1));
        let passed = if after < start { -1 } else { start.duration_until(after).as_secs().div_euclid(step) };
        (passed + 1..passed + STEPS_MAX).find_map(|n| {
            let at = start.checked_add(jiff::SignedDuration::from_secs(n.checked_mul(step)?)).ok()?;
            (at > after && self.takes(start.date(), at.date())).then_some(at)
        })
    }

    fn follow_days(&self, start: civil::DateTime, after: civil::DateTime) -> Option<civil::DateTime> {
        let own = [start.time()];
        let times: &[civil::Time] = if self.times.is_empty() { &own } else { &self.times };
        let mut date = start.date().max(after.date());
        for _ in 0..DAYS_MAX {
            if self.falls_on(start.date(), date) {
                let at = times.iter().map(|time| date.to_datetime(*time));
                let next = at.filter(|at| *at > after && *at >= start).min();
                if next.is_some() {
                    return next;
                }
            }
            if self.until.is_some_and(|until| date > until.date()) {
                return None;
            }
            date = date.tomorrow().ok()?;
        }
        None
    }

    /// Whether a day is one of the rule's.
    fn falls_on(&self, start: civil::Date, date: civil::Date) -> bool {
        self.in_step(start, date)
            && self.takes(start, date)
            && (self.names_days() || self.like_start(start, date))
    }

    fn names_days(&self) -> bool {
        !(self.days.is_empty() && self.month_days.is_empty() && self.year_days.is_empty())
    }

    fn in_step(&self, start: civil::Date, date: civil::Date) -> bool {
        let passed = match self.frequency {
            Frequency::Weekly => monday(start).until(monday(date)).map_or(1, |span| span.get_days() / 7),
            Frequency::Monthly => months(date) - months(start),
            Frequency::Yearly => i32::from(date.year()) - i32::from(start.year()),
            _ => start.until(date).map_or(1, |span| span.get_days()),
        };
        passed >= 0 && passed % i32::try_from(self.interval.max(1)).unwrap_or(i32::MAX) == 0
    }

    /// Where no day is named, the day of the start is meant.
    fn like_start(&self, start: civil::Date, date: civil::Date) -> bool {
        match self.frequency {
            Frequency::Weekly => date.weekday() == start.weekday(),
            Frequency::Monthly => is_day(date, start.day()),
            Frequency::Yearly if self.months.is_empty() && self.weeks.is_empty() => {
                date.month() == start.month() && is_day(date, start.day())
            }
            Frequency::Yearly if self.weeks.is_empty() => is_day(date, start.day()),
            Frequency::Yearly => date.weekday() == start.weekday(),
            _ => true,
        }
    }

    fn takes(&self, start: civil::Date, date: civil::Date) -> bool {
        let month = self.months.is_empty() || self.months.contains(&date.month());
        let week = self.weeks.is_empty() || self.weeks.contains(&date.iso_week_date().week());
        let year_day = self.year_days.is_empty() || self.year_days.contains(&date.day_of_year());
        let month_day = self.month_days.is_empty() || self.month_days.iter().any(|day| is_day(date, *day));
        let _ = start;
        month && week && year_day && month_day && (self.days.is_empty() || self.is_weekday(date))
    }

    fn is_weekday(&self, date: civil::Date) -> bool {
        self.days.iter().any(|(nth, weekday)| {
            date.weekday() == *weekday
                && nth.is_none_or(|nth| {
                    let yearly = self.frequency == Frequency::Yearly && self.months.is_empty();
                    let (day, last) = if yearly {
                        (date.day_of_year(), date.days_in_year())
                    } else {
                        (i16::from(date.day()), i16::from(date.days_in_month()))
                    };
                    let (from_start, from_end) = ((day - 1) / 7 + 1, (last - day) / 7 + 1);
                    if nth > 0 { i16::from(nth) == from_start } else { -i16::from(nth) == from_end }
                })
        })
    }

    /// As RFC 5545 writes it. Several times of day that are no product of hours and minutes stand under `X-TIMES`.
    #[must_use]
    pub fn to_rrule(&self) -> String {
        let mut out = format!("FREQ={};INTERVAL={}", self.frequency.name(), self.interval);
        if let Some(count) = self.count {
            let _ = write!(out, ";COUNT={count}");
        }
        if let Some(until) = self.until {
            let _ = write!(out, ";UNTIL={}", until.strftime("%Y%m%dT%H%M%S"));
        }
        let mut part = |name: &str, values: Vec<String>| {
            if !values.is_empty() {
                let _ = write!(out, ";{name}={}", values.join(","));
            }
        };
        part("BYMONTH", self.months.iter().map(ToString::to_string).collect());
        part("BYWEEKNO", self.weeks.iter().map(ToString::to_string).collect());
        part("BYYEARDAY", self.year_days.iter().map(ToString::to_string).collect());
        part("BYMONTHDAY", self.month_days.iter().map(ToString::to_string).collect());
        part("BYDAY", self.days.iter().map(|(nth, day)| day_name(*nth, *day)).collect());
        match self.times.as_slice() {
            [] => {}
            [one] if one.second() == 0 => {
                part("BYHOUR", vec![one.hour().to_string()]);
                part("BYMINUTE", vec![one.minute().to_string()]);
            }
            several => part("X-TIMES", several.iter().map(|t| t.strftime("%H%M%S").to_string()).collect()),
        }
        out
    }

    /// Reads what [`to_rrule`](Self::to_rrule) writes, with or without `RRULE:` before it.
    ///
    /// # Errors
    /// [`RuleFault`] where a part is unknown or out of range.
    pub fn parse_rrule(text: &str) -> Result<Self, RuleFault> {
        let fault = || RuleFault(text.chars().take(120).collect());
        let body = text.trim();
        let body = body.strip_prefix("RRULE:").unwrap_or(body);
        let parts: Option<Vec<(&str, &str)>> =
            body.split(';').filter(|part| !part.is_empty()).map(|part| part.split_once('=')).collect();
        let parts = parts.ok_or_else(fault)?;
        let named = |wanted: &str| parts.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        let word = named("FREQ").ok_or_else(fault)?.1;
        let frequency = Frequency::ALL.iter().find(|(_, name)| name.eq_ignore_ascii_case(word));
        let mut rule = Self::every(frequency.ok_or_else(fault)?.0);
        let (mut hours, mut minutes) = (Vec::new(), Vec::new());
        for (name, value) in &parts {
            let list = || value.split(',').map(str::trim).take(PARTS_MAX);
            match name.to_ascii_uppercase().as_str() {
                "FREQ" | "WKST" => {}
                "INTERVAL" => rule.interval = ranged(value, 1, 100_000).ok_or_else(fault)?,
                "COUNT" => rule.count = Some(ranged(value, 1, COUNT_MAX).ok_or_else(fault)?),
                "UNTIL" => rule.until = Some(date_time(value).ok_or_else(fault)?),
                "BYMONTH" => rule.months = all(list(), 1, 12).ok_or_else(fault)?,
                "BYWEEKNO" => rule.weeks = all(list(), 1, 53).ok_or_else(fault)?,
                "BYYEARDAY" => rule.year_days = all(list(), 1, 366).ok_or_else(fault)?,
                "BYMONTHDAY" => rule.month_days = all(list(), -31, 31).ok_or_else(fault)?,
                "BYDAY" => rule.days = list().map(named_day).collect::<Option<_>>().ok_or_else(fault)?,
                "BYHOUR" => hours = all(list(), 0i8, 23).ok_or_else(fault)?,
                "BYMINUTE" => minutes = all(list(), 0i8, 59).ok_or_else(fault)?,
                "X-TIMES" => rule.times = list().map(clock).collect::<Option<_>>().ok_or_else(fault)?,
                _ => return Err(fault()),
            }
        }
        if minutes.is_empty() {
            minutes.push(0);
        }
        let pairs = hours.iter().flat_map(|hour| minutes.iter().map(move |minute| (*hour, *minute)));
        rule.times.extend(pairs.filter_map(|(hour, minute)| civil::Time::new(hour, minute, 0, 0).ok()));
        if rule.month_days.contains(&0) { Err(fault()) } else { Ok(rule) }
    }
}

/// Whether a date is that day of its month, counted from its end where negative, and its last where it has no such day.
fn is_day(date: civil::Date, day: i8) -> bool {
    let last = date.days_in_month();
    let day = if day < 0 { last + 1 + day } else { day.min(last) };
    date.day() == day
}

fn monday(date: civil::Date) -> civil::Date {
    let back = i64::from(date.weekday().to_monday_zero_offset());
    date.checked_sub(back.days()).unwrap_or(date)
}

fn months(date: civil::Date) -> i32 {
    i32::from(date.year()) * 12 + i32::from(date.month())
}

const DAYS: [(Weekday, &str); 7] = [
    (Weekday::Monday, "MO"),
    (Weekday::Tuesday, "TU"),
    (Weekday::Wednesday, "WE"),
    (Weekday::Thursday, "TH"),
    (Weekday::Friday, "FR"),
    (Weekday::Saturday, "SA"),
    (Weekday::Sunday, "SU"),
];

fn day_name(nth: Option<i8>, day: Weekday) -> String {
    let name = DAYS.iter().find(|(known, _)| *known == day).map_or("MO", |(_, name)| name);
    nth.map_or_else(|| name.to_owned(), |nth| format!("{nth}{name}"))
}

fn named_day(text: &str) -> Option<(Option<i8>, Weekday)> {
    let (nth, name) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let (day, _) = DAYS.iter().find(|(_, known)| known.eq_ignore_ascii_case(name))?;
    let nth = if nth.is_empty() { None } else { Some(ranged::<i8>(nth, -53, 53).filter(|nth| *nth != 0)?) };
    Some((nth, *day))
}

fn ranged<N: std::str::FromStr + PartialOrd>(text: &str, least: N, most: N) -> Option<N> {
    text.trim().parse().ok().filter(|value| *value >= least && *value <= most)
}

fn all<'a, N: std::str::FromStr + PartialOrd + Copy>(
    list: impl Iterator<Item = &'a str>,
    least: N,
    most: N,
) -> Option<Vec<N>> {
    list.map(|text| ranged(text, least, most)).collect()
}

fn date_time(text: &str) -> Option<civil::DateTime> {
    let text = text.trim().trim_end_matches(['Z', 'z']);
    if text.len() == 8 {
        let date = civil::Date::strptime("%Y%m%d", text).ok()?;
        return Some(date.at(23, 59, 59, 0));
    }
    civil::DateTime::strptime("%Y%m%dT%H%M%S", text).ok()
}

fn clock(text: &str) -> Option<civil::Time> {
    civil::Time::strptime("%H%M%S", text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(text: &str) -> civil::DateTime {
        text.parse().unwrap()
    }

    fn next(rule: &str, start: &str, most: usize) -> Vec<String> {
        let rule = Recurrence::parse_rrule(rule).unwrap();
        let start = at(start);
        let mut after = start.checked_sub(1.second()).unwrap();
        let mut found = Vec::new();
        while let Some(time) = rule.next_after(start, after).filter(|_| found.len() < most) {
            found.push(time.strftime("%a %Y-%m-%d %H:%M").to_string());
            after = time;
        }
        found
    }

    #[test]
    fn rules_fall_on_the_days_they_name() {
        for (rule, start, days) in [
            (
                "FREQ=DAILY;INTERVAL=2",
                "2026-12-01T09:00",
                vec!["Tue 2026-12-01 09:00", "Thu 2026-12-03 09:00"],
            ),
            (
                "FREQ=WEEKLY;BYDAY=MO,WE",
                "2026-12-01T09:00",
                vec!["Wed 2026-12-02 09:00", "Mon 2026-12-07 09:00"],
            ),
            (
                "FREQ=WEEKLY;INTERVAL=2;BYDAY=TH",
                "2026-12-03T09:00",
                vec!["Thu 2026-12-03 09:00", "Thu 2026-12-17 09:00"],
            ),
            (
                "FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=8;BYMINUTE=30",
                "2026-12-01T00:00",
                vec!["Fri 2026-12-25 08:30", "Fri 2027-01-29 08:30"],
            ),
            (
                "FREQ=MONTHLY;BYDAY=2TU",
                "2026-12-01T09:00",
                vec!["Tue 2026-12-08 09:00", "Tue 2027-01-12 09:00"],
            ),
            (
                "FREQ=MONTHLY;BYMONTHDAY=31",
                "2027-01-31T09:00",
                vec!["Sun 2027-01-31 09:00", "Sun 2027-02-28 09:00", "Wed 2027-03-31 09:00"],
            ),
            (
                "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
                "2027-01-01T09:00",
                vec!["Sun 2027-02-28 09:00", "Tue 2028-02-29 09:00"],
            ),
            ("FREQ=YEARLY", "2024-02-29T09:00", vec!["Thu 2024-02-29 09:00", "Fri 2025-02-28 09:00"]),
            (
                "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH",
                "2026-01-01T09:00",
                vec!["Thu 2026-11-26 09:00", "Thu 2027-11-25 09:00"],
            ),
            (
                "FREQ=MINUTELY;INTERVAL=90",
                "2026-12-01T23:00",
                vec!["Tue 2026-12-01 23:00", "Wed 2026-12-02 00:30"],
            ),
            (
                "FREQ=DAILY;X-TIMES=083000,170000",
                "2026-12-01T12:00",
                vec!["Tue 2026-12-01 17:00", "Wed 2026-12-02 08:30"],
            ),
        ] {
            assert_eq!(next(rule, start, days.len()), days, "{rule}");
        }
    }

    #[test]
    fn rules_end() {
        assert_eq!(next("FREQ=DAILY;COUNT=3", "2026-12-01T09:00", 9).len(), 3);
        assert_eq!(next("FREQ=WEEKLY;BYDAY=TU;UNTIL=20261215", "2026-12-01T09:00", 9).len(), 3);
        assert_eq!(next("FREQ=YEARLY;BYMONTH=4;BYYEARDAY=1", "2026-12-01T09:00", 9), [] as [&str; 0]);
    }

    #[test]
    fn nonsense_is_no_rule() {
        for text in
            ["", "FREQ=OFTEN", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;BYDAY=XX", "FREQ=DAILY;COUNT=-1", "x"]
        {
            assert!(Recurrence::parse_rrule(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn an_occurrence_comes_after_and_rules_survive_their_text(
            frequency in 0usize..7, interval in 1u32..9, day in -31i8..31, month in 0i8..13, weekday in 0usize..8,
            nth in -5i8..6, hours in 0i64..200_000,
        ) {
            let mut rule = Recurrence::every(Frequency::ALL[frequency].0);
            rule.interval = interval;
            if day != 0 && frequency > 4 { rule.month_days.push(day); }
            if month > 0 { rule.months.push(month); }
            if weekday < 7 { rule.days.push((Some(nth).filter(|n| *n != 0 && frequency == 5), DAYS[weekday].0)); }
            prop_assert_eq!(&Recurrence::parse_rrule(&rule.to_rrule()).unwrap(), &rule);
            let start = at("2026-12-01T09:30");
            let after = start.checked_add(hours.hours()).unwrap();
            if let Some(found) = rule.next_after(start, after) {
                prop_assert!(found > after);
                prop_assert_eq!(rule.next_after(start, after), Some(found));
                let before = found.checked_sub(1.second()).unwrap().max(after);
                prop_assert_eq!(rule.next_after(start, before), Some(found));
            }
        }
    }
}
