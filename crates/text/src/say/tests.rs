use jiff::civil::{DateTime, date};

use super::{say_ago, say_date};

/// Year, month, day, hour, minute; and how it is said.
type Case = ((i16, i8, i8, i8, i8), &'static str);

fn check(said: fn(DateTime, DateTime) -> String, cases: &[Case]) {
    let now = date(2026, 3, 15).at(9, 30, 0, 0);
    for ((year, month, day, hour, minute), expected) in cases {
        let then = date(*year, *month, *day).at(*hour, *minute, 0, 0);
        assert_eq!(said(then, now), *expected, "{then} on {now}");
    }
}

#[test]
fn dates_are_said_as_people_say_them() {
    check(
        say_date,
        &[
            ((2026, 3, 15, 0, 0), "today"),
            ((2026, 3, 14, 23, 59), "yesterday"),
            ((2026, 3, 16, 0, 0), "tomorrow"),
            ((2026, 3, 3, 12, 0), "on 3 March"),
            ((2026, 12, 24, 12, 0), "on 24 December"),
            ((2025, 11, 3, 12, 0), "on 3 November"),
            ((2025, 3, 3, 12, 0), "on 3 March 2025"),
            ((1980, 1, 1, 0, 0), "on 1 January 1980"),
        ],
    );
}

#[test]
fn ages_are_said_as_people_say_them() {
    check(
        say_ago,
        &[
            ((2026, 3, 15, 9, 30), "just now"),
            ((2026, 3, 15, 9, 29), "a minute ago"),
            ((2026, 3, 15, 9, 5), "25 minutes ago"),
            ((2026, 3, 15, 8, 30), "an hour ago"),
            ((2026, 3, 15, 1, 0), "8 hours ago"),
            ((2026, 3, 14, 20, 0), "yesterday"),
            ((2026, 3, 14, 9, 0), "yesterday"),
            ((2026, 3, 12, 9, 0), "3 days ago"),
            ((2026, 3, 1, 9, 0), "2 weeks ago"),
            ((2026, 2, 20, 9, 0), "3 weeks ago"),
            ((2026, 1, 1, 9, 0), "2 months ago"),
            ((2025, 3, 10, 9, 0), "a year ago"),
            ((2020, 3, 10, 9, 0), "6 years ago"),
            ((2026, 3, 18, 9, 0), "in 3 days"),
            ((2026, 3, 15, 10, 35), "in an hour"),
        ],
    );
}

#[test]
fn the_ends_of_time_are_said() {
    assert_eq!(say_ago(DateTime::MIN, DateTime::MAX), "20012 years ago");
    assert_eq!(say_date(DateTime::MAX, DateTime::MIN), "on 31 December 9999");
}
