//! Saying when, in the user's zone and language.

use bethink_domain::Timestamp;
use bethink_text::Language;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::phrases::{Phrase, fill, variants};

/// When something was, as part of a sentence: `today at 08:15`, `yesterday at 08:15`, `on 3 March`,
/// `on 3 March 2025`. Languages without data are told in English.
#[must_use]
pub fn say_when(language: Language, at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    const FORMS: Forms = Forms {
        today: Phrase::Today,
        yesterday: Phrase::Yesterday,
        date: Phrase::OnDate,
        date_year: Phrase::OnDateYear,
        unknown: Phrase::SomeTime,
    };
    FORMS.say(language, at, now, zone)
}

/// The day alone: `today`, `yesterday`, `3 March`, `3 March 2025`.
pub(super) fn say_day(language: Language, at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    const FORMS: Forms = Forms {
        today: Phrase::BareToday,
        yesterday: Phrase::BareYesterday,
        date: Phrase::BareDate,
        date_year: Phrase::BareDateYear,
        unknown: Phrase::BareSomeTime,
    };
    FORMS.say(language, at, now, zone)
}

struct Forms {
    today: Phrase,
    yesterday: Phrase,
    date: Phrase,
    date_year: Phrase,
    unknown: Phrase,
}

impl Forms {
    fn say(&self, language: Language, at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
        let (Some(at), Some(now)) = (local(at, zone), local(now, zone)) else {
            return fill(self.unknown, language, 0, &[]);
        };
        let form = if at.date() == now.date() {
            self.today
        } else if Some(at.date()) == now.date().yesterday().ok() {
            self.yesterday
        } else if at.year() == now.year() {
            self.date
        } else {
            self.date_year
        };
        let time = format!("{:02}:{:02}", at.hour(), at.minute());
        let first = variants(Phrase::FirstDay, language).first().copied().unwrap_or("1");
        let day = if at.day() == 1 { first.to_owned() } else { at.day().to_string() };
        let month = usize::try_from(at.month() - 1).unwrap_or_default();
        let month = variants(Phrase::Months, language).get(month).copied().unwrap_or_default();
        let year = at.year().to_string();
        fill(form, language, 0, &[("time", &time), ("day", &day), ("month", month), ("year", &year)])
    }
}

/// None outside the years −9999 to 9999.
fn local(at: Timestamp, zone: &TimeZone) -> Option<DateTime> {
    jiff::Timestamp::from_millisecond(at.as_millis()).ok().map(|at| zone.to_datetime(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::from_millis(text.parse::<jiff::Timestamp>().unwrap().as_millisecond())
    }

    #[test]
    fn a_day_is_a_day_of_the_users_zone() {
        let (berlin, honolulu) = (TimeZone::get("Europe/Berlin"), TimeZone::get("Pacific/Honolulu"));
        let now = at("2026-11-30T07:00:00Z");
        let check = |language, then: &str, zone: &TimeZone, expected: &str| {
            assert_eq!(say_when(language, at(then), now, zone), expected, "{then}");
        };
        let berlin = berlin.unwrap();
        check(Language::English, "2026-11-30T07:00:00Z", &berlin, "today at 08:00");
        check(Language::English, "2026-11-29T23:30:00Z", &berlin, "today at 00:30");
        check(Language::English, "2026-11-29T23:30:00Z", &honolulu.unwrap(), "today at 13:30");
        check(Language::English, "2026-11-29T22:30:00Z", &berlin, "yesterday at 23:30");
        check(Language::English, "2026-03-03T12:00:00Z", &berlin, "on 3 March");
        check(Language::Other, "2025-12-31T23:30:00Z", &berlin, "on 1 January");
        check(Language::English, "2025-12-31T22:30:00Z", &berlin, "on 31 December 2025");
        check(Language::German, "2026-03-03T12:00:00Z", &berlin, "am 3. März");
        check(Language::Spanish, "2025-03-03T12:00:00Z", &berlin, "el 3 de marzo de 2025");
        check(Language::French, "2026-05-01T12:00:00Z", &berlin, "le 1er mai");
        check(Language::French, "2026-11-29T12:00:00Z", &berlin, "hier à 13:00");
    }

    #[test]
    fn no_instant_panics() {
        for ms in [i64::MIN, i64::MAX, 0, -1, 253_402_300_799_999] {
            let said = say_when(
                Language::English,
                Timestamp::from_millis(ms),
                at("2026-11-30T07:00:00Z"),
                &TimeZone::UTC,
            );
            assert!(!said.is_empty());
        }
    }
}
