//! Say: dates as people say them. Nothing here knows the time; both moments are given, in the user's time zone.

#[cfg(test)]
mod tests;

use jiff::civil::DateTime;

/// A day as said on another day: "today", "yesterday", "tomorrow", "on 3 March", "on 3 March 2025".
///
/// The year is said unless it is the year of `now`, or `then` is less than half a year off.
pub fn say_date(then: DateTime, now: DateTime) -> String {
    let days = days_between(then, now);
    match days {
        0 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        -1 => "tomorrow".to_owned(),
        _ => {
            let (day, month) = (then.day(), month_name(then));
            let near = then.year() == now.year() || days.abs() < HALF_YEAR_DAYS;
            if near { format!("on {day} {month}") } else { format!("on {day} {month} {}", then.year()) }
        }
    }
}

/// How long ago something was: "just now", "5 minutes ago", "an hour ago", "yesterday", "3 days ago", "3 weeks ago",
/// "2 months ago", "a year ago". What lies ahead is said with "in": "in 3 days".
///
/// Below a day it counts minutes and hours, from then on days of the calendar, so that yesterday evening is
/// "yesterday" this morning.
pub fn say_ago(then: DateTime, now: DateTime) -> String {
    let days = days_between(then, now);
    let minutes = now.duration_since(then).as_secs() / 60;
    let ahead = minutes < 0 || days < 0;
    match (minutes.abs(), days.abs()) {
        (0, _) => "just now".to_owned(),
        (minutes @ 1..=59, _) => span(minutes, "minute", ahead),
        (minutes, 0) => span(minutes / 60, "hour", ahead),
        (minutes, 1) if minutes < SAME_NIGHT_MINUTES => span(minutes / 60, "hour", ahead),
        (_, 1) => if ahead { "tomorrow" } else { "yesterday" }.to_owned(),
        (_, days @ 2..=13) => span(days, "day", ahead),
        (_, days @ 14..=59) => span(days / 7, "week", ahead),
        (_, days @ 60..=364) => span(days / 30, "month", ahead),
        (_, days) => span(days / 365, "year", ahead),
    }
}

/// A date of last autumn is clear without its year.
const HALF_YEAR_DAYS: i64 = 183;
/// Shortly after midnight, an hour ago is not yet "yesterday".
const SAME_NIGHT_MINUTES: i64 = 6 * 60;

/// Days of the calendar from one moment to the other; positive if `then` is past.
fn days_between(then: DateTime, now: DateTime) -> i64 {
    now.date().duration_since(then.date()).as_hours() / 24
}

fn span(count: i64, unit: &str, ahead: bool) -> String {
    let length = match (count, unit) {
        (1, "hour") => "an hour".to_owned(),
        (1, unit) => format!("a {unit}"),
        (count, unit) => format!("{count} {unit}s"),
    };
    if ahead { format!("in {length}") } else { format!("{length} ago") }
}

fn month_name(date: DateTime) -> &'static str {
    const NAMES: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    usize::try_from(date.month() - 1).ok().and_then(|month| NAMES.get(month)).copied().unwrap_or_default()
}
