//! Days that move from year to year.

use super::super::frame::Turn;
use super::{Found, Unfound};
use jiff::civil::{Date, Weekday};

pub(super) fn holiday(
    which: i64,
    turn: Turn,
    year: Option<i16>,
    today: Date,
    over: impl Fn(Date) -> bool,
) -> Result<Found, Unfound> {
    let eve = which > 100;
    let of = |year: i16| {
        let date = match which % 100 {
            1 => Date::new(year, 12, 25).ok(),
            2 => easter(year),
            3 => Date::new(year, 10, 31).ok(),
            4 => Date::new(year, 11, 1).ok()?.nth_weekday_of_month(4, Weekday::Thursday).ok(),
            5 => Date::new(year, 2, 14).ok(),
            7 => Date::new(year, 7, 4).ok(),
            8 => {
                Date::new(year, 11, 1).ok()?.nth_weekday_of_month(4, Weekday::Thursday).ok()?.tomorrow().ok()
            }
            9 => Date::new(year, 3, 17).ok(),
            20 => Date::new(year, 1, 1).ok(),
            21 => Date::new(year, 12, 31).ok(),
            _ => None,
        };
        if eve { date?.yesterday().ok() } else { date }
    };
    if let Some(year) = year {
        return of(year).map(|date| Found { date, fixed: true }).ok_or(Unfound::Impossible);
    }
    let this_year = turn == Turn::This && of(today.year()).is_some_and(|date| date < today);
    let found = match turn {
        _ if this_year => of(today.year()),
        Turn::Last => (0..2).find_map(|back| of(today.year() - back).filter(|date| *date < today)),
        _ => (0..3).find_map(|ahead| of(today.year() + ahead).filter(|date| !over(*date))),
    };
    found.map(|date| Found { date, fixed: turn == Turn::Last || this_year }).ok_or(Unfound::Impossible)
}

/// Easter Sunday of a year in the Gregorian calendar (Meeus, Jones and Butcher's algorithm).
pub(super) fn easter(year: i16) -> Option<Date> {
    let y = i32::from(year);
    let (a, b, c) = (y % 19, y / 100, y % 100);
    let (d, e, f) = (b / 4, b % 4, (b + 8) / 25);
    let g = (b - f + 1) / 3;
    let h = (19 * a + b - d - g + 15) % 30;
    let (i, k) = (c / 4, c % 4);
    let l = (32 + 2 * e + 2 * i - h - k) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let sum = h + l - 7 * m + 114;
    Date::new(year, i8::try_from(sum / 31).ok()?, i8::try_from(sum % 31 + 1).ok()?).ok()
}
