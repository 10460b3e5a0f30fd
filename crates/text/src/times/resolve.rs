//! From the parts of a phrase to a time, from where somebody stands.

mod holidays;

use jiff::ToSpan;
use jiff::civil::{self, Date, DateTime, Weekday};

use super::clock::Clock;
use super::frame::{Day, Frame, MonthRef, Turn};
use super::{Doubt, DoubtKind, Moment, Reading, Standpoint};
use holidays::holiday;

/// Months that are looked through for a day, such as a Friday the 13th or 29 February.
const MONTHS_MAX: i32 = 12 * 9;

/// A day, and whether it was named so that it cannot be moved (a date with its year, "last Friday").
struct Found {
    date: Date,
    fixed: bool,
}

enum Unfound {
    Impossible,
    Either(Date, Date),
    /// A weekday and a date that are not the same day.
    Conflict(Date),
}

/// The reading of a frame.
pub(super) fn resolve(frame: &Frame, stand: &Standpoint) -> Reading {
    let doubt = |why, options: Vec<Moment>| Reading::Unclear(Doubt { why, options });
    if frame.impossible {
        return doubt(DoubtKind::Impossible, Vec::new());
    }
    let today = matches!(frame.day, None | Some(Day::Relative(0)));
    if frame.vague && today && frame.clock.is_none() && frame.part.is_none() {
        return doubt(DoubtKind::Vague, Vec::new());
    }
    if frame.now && frame.day.is_none() && frame.clock.is_none() && frame.shift.is_none() {
        return Reading::After(super::Length::default());
    }
    if let Some(reading) = shifted_from_now(frame) {
        return reading;
    }
    let found = match day(frame, stand) {
        Ok(found) => found,
        Err(Unfound::Impossible) => return doubt(DoubtKind::Impossible, Vec::new()),
        Err(Unfound::Either(one, other)) => {
            let options = [one, other].map(|date| moment(frame, date, time_of(frame, false)));
            return doubt(DoubtKind::Ambiguous, options.to_vec());
        }
        Err(Unfound::Conflict(date)) => {
            return doubt(DoubtKind::Conflict, vec![moment(frame, date, time_of(frame, false))]);
        }
    };
    placed(frame, found, stand)
}

/// A length from now alone: "in ten minutes", "3 hours ago".
fn shifted_from_now(frame: &Frame) -> Option<Reading> {
    let shift = frame.shift.as_ref().filter(|shift| !shift.anchored)?;
    if frame.day.is_some()
        || frame.weekday.is_some()
        || frame.clock.is_some()
        || frame.part.is_some()
        || shift.back
    {
        return None;
    }
    let length = shift.said.length();
    Some(
        length.map_or(
            Reading::Unclear(Doubt { why: DoubtKind::Impossible, options: Vec::new() }),
            Reading::After,
        ),
    )
}

fn placed(frame: &Frame, found: Option<Found>, stand: &Standpoint) -> Reading {
    let today = stand.now.date();
    let doubt = |why, options: Vec<Moment>| Reading::Unclear(Doubt { why, options });
    if let Some(shift) = &frame.shift
        && shift.back
        && !shift.anchored
    {
        let Some(length) = shift.said.length() else { return doubt(DoubtKind::Impossible, Vec::new()) };
        let at = earlier(stand.now, length);
        let options = at.map(|at| {
            let time = (!shift.said.of_days()).then_some(at.time());
            moment(frame, at.date(), frame.clock.map(Clock::time).or(time))
        });
        return doubt(DoubtKind::Past, options.into_iter().collect());
    }
    let spoken_day = found.is_some();
    let time = time_of(frame, spoken_day);
    let (date, fixed) = found.map_or((today, false), |found| (found.date, found.fixed));
    let Some(time) = time else {
        let option = moment(frame, date, None);
        return if date < today { doubt(DoubtKind::Past, vec![option]) } else { Reading::At(option) };
    };
    let time = awake(frame, date, time, stand);
    let (date, time) = roll(frame, date, time, spoken_day, stand);
    let option = moment(frame, date, Some(time));
    if frame.other_clock.is_some() {
        let other = frame.other_clock.map(|clock| moment(frame, date, Some(clock.time())));
        return doubt(DoubtKind::Ambiguous, std::iter::once(option).chain(other).collect());
    }
    let past = date.to_datetime(time) < stand.now && frame.zone.is_none();
    if past && (fixed || date < today || spoken_day) {
        return doubt(DoubtKind::Past, vec![option]);
    }
    Reading::At(option)
}

fn moment(frame: &Frame, date: Date, time: Option<civil::Time>) -> Moment {
    let guessed = frame.clock.is_some_and(|clock| !clock.certain) && frame.part.is_none() && !frame.tonight;
    Moment { date, time, zone: frame.zone.clone(), hour_guessed: guessed }
}

/// The time that a frame names, with the half of the day that is told by its part.
fn time_of(frame: &Frame, _: bool) -> Option<civil::Time> {
    let at = |hour, minute, second| civil::Time::new(hour, minute, second, 0).ok();
    let Some(clock) = frame.clock else {
        if frame.end_of_day {
            return at(23, 59, 59);
        }
        return match frame.part {
            Some(0) => at(9, 0, 0),
            Some(2) => at(15, 0, 0),
            Some(3) => at(19, 0, 0),
            Some(4) => at(20, 0, 0),
            Some(5) => at(0, 0, 0),
            _ if frame.tonight => at(20, 0, 0),
            _ => None,
        };
    };
    let said = clock.hour;
    let evening = frame.part == Some(3) || frame.part == Some(2);
    let night = frame.part == Some(4) || frame.tonight;
    let clock = match () {
        () if clock.certain => clock,
        () if evening && said < 12 => clock.twelve_later(),
        () if night && (5..12).contains(&said) => clock.twelve_later(),
        () if night && said == 12 => Clock { hour: 0, ..clock },
        () if frame.part == Some(0) && said == 12 => Clock { hour: 0, ..clock },
        () if frame.part.is_some() || frame.tonight => clock,
        // Without am or pm, an hour from 1 to 6 is in the afternoon: people make appointments by day.
        () if (1..7).contains(&said) => clock.twelve_later(),
        () => clock,
    };
    Some(clock.time())
}

/// A bare hour of today that is over is the same hour of the other half of the day, where that is still to come.
fn awake(frame: &Frame, date: Date, time: civil::Time, stand: &Standpoint) -> civil::Time {
    let guessed = frame.clock.filter(|clock| !clock.certain);
    let Some(clock) = guessed.filter(|_| frame.part.is_none() && !frame.tonight) else { return time };
    if date != stand.now.date() || date.to_datetime(time) > stand.now {
        // At 6 in the morning, "at 7" and "at 6:30" are soon.
        let early = clock.time();
        let soon = date == stand.now.date()
            && early > stand.now.time()
            && stand.now.time() >= civil::time(4, 0, 0, 0);
        return if soon && early < time { early } else { time };
    }
    let later = clock.twelve_later().time();
    if later > stand.now.time() { later } else { time }
}

/// What was said without a day, and is over today, is tomorrow.
fn roll(
    frame: &Frame,
    date: Date,
    time: civil::Time,
    spoken_day: bool,
    stand: &Standpoint,
) -> (Date, civil::Time) {
    let past = date.to_datetime(time) <= stand.now;
    let tomorrow = date.tomorrow().unwrap_or(date);
    // Midnight is the end of the day that is spoken of; "tomorrow 12am" is said with am, and its beginning.
    if frame.part == Some(5) && frame.clock.is_none() {
        return (tomorrow, civil::Time::midnight());
    }
    // "tonight at 2" is in the night that follows.
    if past && frame.tonight && frame.clock.is_some() {
        return (tomorrow, time);
    }
    if past && !spoken_day && (date.to_datetime(time) < stand.now || frame.clock.is_some()) {
        return (tomorrow, time);
    }
    (date, time)
}

fn day(frame: &Frame, stand: &Standpoint) -> Result<Option<Found>, Unfound> {
    let today = stand.now.date();
    let over = |date: Date| date == today && time_is_over(frame, stand);
    let mut found = match &frame.day {
        None => None,
        Some(day) => Some(one_day(day, frame, stand)?),
    };
    if let Some(shift) = frame.shift.as_ref().filter(|shift| !shift.back || shift.anchored) {
        let from = found.map_or(today, |found| found.date);
        let length = shift.said.length().ok_or(Unfound::Impossible)?;
        let moved = if shift.back {
            earlier(from.to_datetime(civil::Time::midnight()), length)
        } else {
            later(from.to_datetime(civil::Time::midnight()), length)
        };
        let date = moved.ok_or(Unfound::Impossible)?.date();
        let date = match frame.weekday {
            None => date,
            Some((_, weekday)) if shift.said.of_weeks() => in_week(date, weekday, stand.locale.week_starts),
            Some((_, weekday)) => on_or_after(date, weekday),
        };
        return Ok(Some(Found { date, fixed: false }));
    }
    let Some((turn, weekday)) = frame.weekday else { return Ok(found) };
    let date = match (&frame.day, found.take()) {
        (None, _) => {
            let coming = on_or_after(today, weekday);
            match turn {
                Turn::Last => before(today, weekday),
                Turn::Next => in_week(today.checked_add(7.days()).unwrap_or(today), weekday, Weekday::Monday),
                Turn::Bare | Turn::This | Turn::Coming if over(coming) => next_week(coming),
                _ => coming,
            }
        }
        (Some(Day::Week(ahead)), _) => {
            let there = today.checked_add((7 * ahead).days()).unwrap_or(today);
            match turn {
                // "tuesday week" is a week after the coming one.
                Turn::Coming => next_week(on_or_after(today, weekday)),
                _ => in_week(there, weekday, Weekday::Monday),
            }
        }
        (Some(Day::NthWeek { nth, month }), _) => in_nth_week(*nth, *month, weekday, stand)?,
        (Some(Day::OfMonth(day)), _) => both(*day, weekday, today).ok_or(Unfound::Impossible)?,
        (Some(Day::Month { .. } | Day::Year(_)), Some(found)) => on_or_after(found.date, weekday),
        (Some(_), Some(found)) if found.date.weekday() == weekday => found.date,
        (Some(_), Some(found)) => return Err(Unfound::Conflict(found.date)),
        (Some(_), None) => return Err(Unfound::Impossible),
    };
    Ok(Some(Found { date, fixed: turn == Turn::Last }))
}

/// Whether the time that is spoken of is over today; a day without a time counts by the hour that it takes.
fn time_is_over(frame: &Frame, stand: &Standpoint) -> bool {
    let time = time_of(frame, true).unwrap_or(stand.default_time);
    let certain = frame.clock.is_none_or(|clock| clock.certain);
    let latest = if certain { time } else { time.max(frame.clock.map_or(time, |c| c.twelve_later().time())) };
    latest <= stand.now.time()
        && !(frame.clock.is_none() && frame.part.is_none() && stand.now.time() <= stand.default_time)
}

fn one_day(day: &Day, frame: &Frame, stand: &Standpoint) -> Result<Found, Unfound> {
    let today = stand.now.date();
    let free = |date: Option<Date>| date.map(|date| Found { date, fixed: false }).ok_or(Unfound::Impossible);
    let fixed = |date: Option<Date>| date.map(|date| Found { date, fixed: true }).ok_or(Unfound::Impossible);
    let over = |date: Date| date < today || date == today && time_is_over(frame, stand);
    match day {
        Day::Relative(days) => fixed(today.checked_add(days.days()).ok()),
        Day::Date { year: Some(year), month, day } => fixed(Date::new(*year, *month, *day).ok()),
        Day::Date { year: None, month, day } => free(coming_date(*month, *day, today, over)),
        Day::Either { year, first, second } => either(*year, (*first, *second), today, over, stand),
        Day::OfMonth(day) => free(day_of_month(*day, today, over)),
        Day::OfMonthAhead(day, ahead) => {
            let month = months_ahead(today, *ahead).ok_or(Unfound::Impossible)?;
            fixed(Date::new(month.year(), month.month(), *day).ok())
        }
        Day::NthWeekday { nth, weekday, month, year } => {
            nth_weekday(*nth, *weekday, *month, *year, today, over)
                .map_or(Err(Unfound::Impossible), |date| Ok(Found { date, fixed: year.is_some() }))
        }
        Day::NthWeek { nth, month } => {
            let first = month_start(*month, None, today).ok_or(Unfound::Impossible)?;
            let date = if *nth < 0 {
                first.last_of_month()
            } else {
                first.saturating_add((7 * i64::from(nth - 1)).days())
            };
            free(Some(date))
        }
        Day::Week(ahead) => fixed(today.checked_add((7 * ahead).days()).ok()),
        Day::Month { month, year } => {
            let start = month_start(*month, *year, today);
            Ok(Found { date: start.ok_or(Unfound::Impossible)?, fixed: year.is_some() })
        }
        Day::Year(ahead) => {
            let year = i64::from(today.year()) + ahead;
            fixed(i16::try_from(year).ok().and_then(|year| Date::new(year, 1, 1).ok()))
        }
        Day::Weekend(turn) => {
            let saturday = on_or_after(today, Weekday::Saturday);
            let sunday = today.weekday() == Weekday::Sunday;
            let date = match turn {
                Turn::Next if !sunday => next_week(saturday),
                Turn::Last => before(today, Weekday::Saturday),
                _ if sunday && *turn != Turn::Next => today,
                _ => saturday,
            };
            free(Some(date))
        }
        Day::Edge { last, days, ahead } => free(edge(*last, *days, *ahead, today)),
        Day::Holiday { which, turn, year } => holiday(*which, *turn, *year, today, over),
        Day::NthFromNow(count, weekday) => {
            let first = on_or_after(today.tomorrow().unwrap_or(today), *weekday);
            free(first.checked_add((7 * (count - 1)).days()).ok())
        }
    }
}

fn either(
    year: Option<i16>,
    (first, second): (i8, i8),
    today: Date,
    over: impl Fn(Date) -> bool + Copy,
    stand: &Standpoint,
) -> Result<Found, Unfound> {
    let date = |month: i8, day: i8| match year {
        Some(year) => Date::new(year, month, day).ok(),
        None => coming_date(month, day, today, over),
    };
    let (by_day, by_month) = (date(second, first), date(first, second));
    let chosen = match stand.locale.day_first {
        Some(true) => by_day,
        Some(false) => by_month,
        None if first == second => by_day,
        None => {
            return match (by_day, by_month) {
                (Some(one), Some(other)) => Err(Unfound::Either(one, other)),
                (Some(only), None) | (None, Some(only)) => Ok(Found { date: only, fixed: year.is_some() }),
                (None, None) => Err(Unfound::Impossible),
            };
        }
    };
    chosen.map(|date| Found { date, fixed: year.is_some() }).ok_or(Unfound::Impossible)
}

/// The coming date of a month and day; 29 February waits for a leap year.
fn coming_date(month: i8, day: i8, today: Date, over: impl Fn(Date) -> bool) -> Option<Date> {
    (0..9).find_map(|ahead| Date::new(today.year() + ahead, month, day).ok().filter(|date| !over(*date)))
}

fn day_of_month(day: i8, today: Date, over: impl Fn(Date) -> bool) -> Option<Date> {
    (0..12).find_map(|ahead| {
        let month = months_ahead(today, ahead)?;
        Date::new(month.year(), month.month(), day).ok().filter(|date| !over(*date))
    })
}

/// The next day that is both a day of its month and a weekday.
fn both(day: i8, weekday: Weekday, today: Date) -> Option<Date> {
    (0..i64::from(MONTHS_MAX)).find_map(|ahead| {
        let month = months_ahead(today, ahead)?;
        let date = Date::new(month.year(), month.month(), day).ok()?;
        (date >= today && date.weekday() == weekday).then_some(date)
    })
}

fn months_ahead(today: Date, ahead: i64) -> Option<Date> {
    today.first_of_month().checked_add(ahead.months()).ok()
}

fn month_start(month: MonthRef, year: Option<i16>, today: Date) -> Option<Date> {
    match (month, year) {
        (MonthRef::Named(month), Some(year)) => Date::new(year, month, 1).ok(),
        (MonthRef::Named(month), None) => {
            let year = today.year() + i16::from(month <= today.month());
            Date::new(year, month, 1).ok()
        }
        (MonthRef::Ahead(ahead), _) => months_ahead(today, ahead),
    }
}

fn nth_weekday(
    nth: i8,
    weekday: Weekday,
    month: MonthRef,
    year: Option<i16>,
    today: Date,
    over: impl Fn(Date) -> bool,
) -> Option<Date> {
    let of = |first: Date| first.nth_weekday_of_month(nth, weekday).ok();
    match (month, year) {
        (MonthRef::Named(month), Some(year)) => of(Date::new(year, month, 1).ok()?),
        (MonthRef::Named(month), None) => (0..3).find_map(|ahead| {
            let first = Date::new(today.year() + ahead, month, 1).ok()?;
            of(first).filter(|date| !over(*date))
        }),
        (MonthRef::Ahead(ahead), _) => of(months_ahead(today, ahead)?),
    }
}

fn in_nth_week(nth: i8, month: MonthRef, weekday: Weekday, stand: &Standpoint) -> Result<Date, Unfound> {
    let today = stand.now.date();
    let of = |first: Date| {
        let start = if nth < 0 {
            first.last_of_month().saturating_sub(6.days())
        } else {
            first.saturating_add((7 * i64::from(nth - 1)).days())
        };
        on_or_after(start, weekday)
    };
    let date = match month {
        MonthRef::Ahead(ahead) => months_ahead(today, ahead).map(of),
        MonthRef::Named(month) => (0..3).find_map(|ahead| {
            let first = Date::new(today.year() + ahead, month, 1).ok()?;
            Some(of(first)).filter(|date| *date >= today)
        }),
    };
    date.ok_or(Unfound::Impossible)
}

fn edge(last: bool, days: i64, ahead: i64, today: Date) -> Option<Date> {
    match days {
        7 => {
            let there = today.checked_add((7 * ahead).days()).ok()?;
            Some(in_week(there, if last { Weekday::Sunday } else { Weekday::Monday }, Weekday::Monday))
        }
        30 => months_ahead(today, ahead).map(|first| if last { first.last_of_month() } else { first }),
        _ => {
            let year = i16::try_from(i64::from(today.year()) + ahead).ok()?;
            if last { Date::new(year, 12, 31).ok() } else { Date::new(year, 1, 1).ok() }
        }
    }
    .map(|date| if !last && date <= today { next_edge(days, date, today) } else { date })
}

/// A beginning that is past is the next one.
fn next_edge(days: i64, date: Date, today: Date) -> Date {
    let span = match days {
        7 => 7.days(),
        30 => 1.months(),
        _ => 1.years(),
    };
    if date == today { date } else { date.saturating_add(span) }
}

fn on_or_after(date: Date, weekday: Weekday) -> Date {
    let ahead = i64::from(date.weekday().until(weekday));
    date.saturating_add(ahead.days())
}

fn before(date: Date, weekday: Weekday) -> Date {
    let back = i64::from(date.weekday().since(weekday));
    date.saturating_sub(if back == 0 { 7 } else { back }.days())
}

fn next_week(date: Date) -> Date {
    date.saturating_add(7.days())
}

/// The weekday of the week in which a date lies.
fn in_week(date: Date, weekday: Weekday, starts: Weekday) -> Date {
    let back = i64::from(date.weekday().since(starts));
    let start = date.saturating_sub(back.days());
    on_or_after(start, weekday)
}

pub(super) fn later(from: DateTime, length: super::Length) -> Option<DateTime> {
    let span = jiff::Span::new().try_months(length.months).ok()?.try_days(length.days).ok()?;
    from.checked_add(span).ok()?.checked_add(jiff::SignedDuration::from_secs(length.seconds)).ok()
}

fn earlier(from: DateTime, length: super::Length) -> Option<DateTime> {
    let span = jiff::Span::new().try_months(length.months).ok()?.try_days(length.days).ok()?;
    from.checked_sub(span).ok()?.checked_sub(jiff::SignedDuration::from_secs(length.seconds)).ok()
}
