//! The tables of docs/reminders-time.md, and what no text may do.

use jiff::civil::{self, DateTime};
use proptest::prelude::*;

use super::{DoubtKind, Locale, Moment, Reading, Standpoint, find, length, read, zone_named};

fn standpoint(now: &str, tag: &str) -> Standpoint {
    let now: DateTime = now.parse().unwrap();
    Standpoint { now, locale: Locale::from_tag(tag).unwrap(), default_time: civil::time(9, 0, 0, 0) }
}

fn said(moment: &Moment) -> String {
    let time = moment.time.map(|time| time.strftime(" %H:%M").to_string()).unwrap_or_default();
    let zone = moment.zone.as_deref().map(|zone| format!(" {zone}")).unwrap_or_default();
    format!("{}{time}{zone}", moment.date)
}

fn told(phrase: &str, stand: &Standpoint) -> String {
    match read(phrase, stand) {
        None => "unread".to_owned(),
        Some(Reading::At(moment)) => said(&moment),
        Some(Reading::After(length)) => {
            length.after(stand.now).unwrap().strftime("%Y-%m-%d %H:%M").to_string()
        }
        Some(Reading::Every(repetition)) => repetition.rule.to_rrule(),
        Some(Reading::Unclear(doubt)) => match doubt.why {
            DoubtKind::Past => format!("past {}", said(&doubt.options[0])),
            DoubtKind::Ambiguous => "ambiguous".to_owned(),
            DoubtKind::Impossible => "impossible".to_owned(),
            DoubtKind::Vague => "vague".to_owned(),
            DoubtKind::Conflict => "conflict".to_owned(),
        },
    }
}

#[test]
fn the_documented_choices_hold() {
    let page = include_str!("../../../../docs/reminders-time.md");
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| Said")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [phrase, at, means] = cells.as_slice() else { panic!("{line}") };
        let at = if at.is_empty() { "2026-12-01 08:00" } else { at };
        let got = told(phrase, &standpoint(&at.replace(' ', "T"), "en-GB"));
        count += 1;
        if got != *means {
            wrong.push(format!("{phrase}: {got}, not {means}"));
        }
    }
    assert!(count > 60 && wrong.is_empty(), "{count} lines; {}", wrong.join("\n"));
}

#[test]
fn a_locale_decides_what_only_it_can() {
    for (tag, phrase, means) in [
        ("en-US", "5/6", "2027-05-06"),
        ("de-DE", "5/6", "2027-06-05"),
        ("en", "5/6", "ambiguous"),
        ("en", "13/6", "2027-06-13"),
        ("en", "5/5", "2027-05-05"),
        ("en-US", "3-7-2027", "2027-03-07"),
    ] {
        assert_eq!(told(phrase, &standpoint("2026-12-01T08:00", tag)), means, "{tag} {phrase}");
    }
    for nonsense in ["", "x", "english please", "12-34"] {
        assert_eq!(Locale::from_tag(nonsense), None, "{nonsense}");
    }
}

#[test]
fn times_are_found_inside_a_sentence_and_names_are_not() {
    let stand = standpoint("2026-12-01T08:00", "en-GB");
    for (text, times) in [
        ("call Ann tomorrow at 5pm about the house", vec!["tomorrow at 5pm"]),
        ("check the build in 10 minutes", vec!["in 10 minutes"]),
        ("May asked whether I sat in the sun for a second", vec![]),
        ("I have two cats and one dog", vec![]),
        ("march on, Mon ami", vec![]),
        ("the 9am slot on Friday", vec!["9am", "on Friday"]),
        ("pay rent on 5 May and water plants every Monday", vec!["on 5 May", "every Monday"]),
    ] {
        let found: Vec<&str> = find(text, &stand).into_iter().map(|(span, _)| &text[span]).collect();
        assert_eq!(found, times, "{text}");
    }
}

#[test]
fn lengths_are_counted_in_seconds() {
    for (text, seconds) in [
        ("90 minutes", Some(5_400.0)),
        ("an hour and a half", Some(5_400.0)),
        ("two and a half hours", Some(9_000.0)),
        ("3d", Some(259_200.0)),
        ("a couple of days", Some(172_800.0)),
        ("09:05", None),
        ("tomorrow", None),
        ("", None),
    ] {
        assert_eq!(length(text), seconds, "{text}");
    }
}

#[test]
fn zones_are_known_by_their_cities() {
    for (text, zone) in [
        ("Oslo", Some("Europe/Oslo")),
        ("in Tokyo", Some("Asia/Tokyo")),
        ("Europe/Oslo", Some("Europe/Oslo")),
        ("america/new_york", Some("America/New_York")),
        ("New York time", Some("America/New_York")),
        ("nowhere", None),
        ("", None),
    ] {
        assert_eq!(zone_named(text).as_deref(), zone, "{text}");
    }
    // Every name in the table is one that the zone database knows.
    for line in include_str!("../../data/times/zones.txt").lines().filter(|line| !line.starts_with('#')) {
        let (zone, _) = line.split_once(": ").unwrap();
        assert!(jiff::tz::TimeZone::get(zone).is_ok(), "{zone}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_harm(text in "\\PC{0,200}", hour in 0i8..24) {
        let stand = standpoint(&format!("2026-02-28T{hour:02}:59"), "en");
        let _ = read(&text, &stand);
        let _ = length(&text);
        for (span, _) in find(&text, &stand) {
            prop_assert!(text.get(span).is_some_and(|part| !part.is_empty()));
        }
    }

    #[test]
    fn words_of_time_in_any_order_are_read_without_harm(
        words in proptest::collection::vec(
            prop::sample::select(vec![
                "in", "at", "on", "the", "every", "other", "next", "last", "monday", "friday", "week", "2", "31st", "29",
                "feb", "february", "9999", "12:30", "25:61", "am", "pm", "half", "past", "to", "of", "month", "year", "tomorrow",
                "tonight", "until", "for", "times", "days", "and", "ago", "before", "christmas", "noon", "midnight", "-", "/", ".",
                "end", "first", "zero", "hundred", "thousand", "0", "999999999", "easter", "1/1", "2026-13-45", "t", "z",
            ]),
            1..9,
        ),
    ) {
        let text = words.join(" ");
        for now in ["2024-02-29T23:59", "9999-12-31T23:59", "-9999-01-01T00:00"] {
            let stand = Standpoint { now: now.parse().unwrap_or(civil::date(1, 1, 1).at(0, 0, 0, 0)), ..standpoint("2026-12-01T08:00", "en-US") };
            let _ = read(&text, &stand);
            let _ = find(&text, &stand);
        }
    }
}

#[test]
fn a_long_text_is_read_in_its_beginning() {
    let long = "tomorrow ".repeat(100_000);
    let stand = standpoint("2026-12-01T08:00", "en");
    assert_eq!(read(&long, &stand), None);
    assert!(!find(&long, &stand).is_empty());
}
