//! Times in words: when, after how long, how often.
//!
//! A phrase is read from where somebody stands: their wall clock and their way of writing dates. No zone is applied and no
//! clock is read. What can mean two things, lies in the past or can't be is told as a [`Doubt`], so that it is asked about;
//! nothing is guessed but the half of the day of a bare hour, and that is marked. docs/reminders-time.md lists the choices.
//!
//! Phrases are read by a grammar over word lists: parts in any order (a day, a time, a part of the day, a length), then
//! the day that they name. English is complete; another language is another list and its own order of words.

mod clock;
mod every;
mod frame;
mod length;
mod lexicon;
mod number;
mod numeric;
mod resolve;
#[cfg(test)]
mod tests;
mod token;
mod zones;

use std::ops::Range;

use bethink_domain::recurrence::Recurrence;
use jiff::civil::{self, Date, DateTime, Weekday};

pub(crate) use zones::place_at_start;
pub use zones::zone_named;

/// How somebody writes dates and times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Locale {
    /// 5/6 is 5 June (true) or May 6 (false); asked about if unknown.
    pub day_first: Option<bool>,
    /// On which day weeks begin.
    pub week_starts: Weekday,
    /// Times are written with am and pm.
    pub twelve_hour: bool,
}

impl Default for Locale {
    fn default() -> Self {
        Self { day_first: None, week_starts: Weekday::Monday, twelve_hour: false }
    }
}

impl Locale {
    /// That of a tag such as `en-GB` or `de_AT.UTF-8`; none where the tag tells nothing.
    #[must_use]
    pub fn from_tag(tag: &str) -> Option<Self> {
        let tag = tag.split(['.', '@']).next().unwrap_or_default().replace('_', "-");
        let mut parts = tag.split('-');
        let language = parts
            .next()
            .filter(|l| (2..=3).contains(&l.len()) && l.bytes().all(|b| b.is_ascii_alphabetic()))?;
        let region = parts.find(|part| part.len() == 2).map(str::to_ascii_uppercase);
        let region = region.as_deref();
        let twelve_hour = matches!(region, Some("US" | "CA" | "AU" | "NZ" | "IN" | "PH" | "PK" | "EG"))
            && language.eq_ignore_ascii_case("en");
        let day_first = match region {
            Some("US" | "PH" | "FM" | "PW") => Some(false),
            // Canada writes both.
            Some("CA") => None,
            Some(_) => Some(true),
            None if language.eq_ignore_ascii_case("en") => None,
            None => Some(true),
        };
        let sunday = matches!(
            region,
            Some("US" | "CA" | "PH" | "JP" | "IN" | "BR" | "MX" | "ZA" | "IL" | "KR" | "TW" | "HK")
        );
        let saturday = matches!(region, Some("EG" | "AE" | "SA" | "IR"));
        let week_starts = match (sunday, saturday) {
            (true, _) => Weekday::Sunday,
            (_, true) => Weekday::Saturday,
            _ => Weekday::Monday,
        };
        Some(Self { day_first, week_starts, twelve_hour })
    }
}

/// Where somebody stands who says a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standpoint {
    /// Their wall clock.
    pub now: DateTime,
    /// How they write dates.
    pub locale: Locale,
    /// The time that a day without one takes; a day of which it is over is not meant any more.
    pub default_time: civil::Time,
}

/// A time on a wall clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// The day.
    pub date: Date,
    /// The time; none where only a day was said.
    pub time: Option<civil::Time>,
    /// IANA name of the zone that was said.
    pub zone: Option<String>,
    /// Neither am nor pm was said.
    pub hour_guessed: bool,
}

/// A length of time by the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Length {
    /// Months.
    pub months: i64,
    /// Days.
    pub days: i64,
    /// Seconds beyond.
    pub seconds: i64,
}

impl Length {
    /// The wall time after it.
    #[must_use]
    pub fn after(self, from: DateTime) -> Option<DateTime> {
        resolve::later(from, self)
    }
}

/// How often, and from when on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repetition {
    /// The rule.
    pub rule: Recurrence,
    /// The day that was said to be the first.
    pub start: Option<Date>,
}

/// Why a phrase can't be taken as a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DoubtKind {
    /// It can mean several times.
    Ambiguous,
    /// It is over.
    Past,
    /// There is no such time.
    Impossible,
    /// It names no time ("soon").
    Vague,
    /// It names a weekday and a date that are not the same day.
    Conflict,
}

/// A phrase that has to be asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// Why.
    pub why: DoubtKind,
    /// What it may mean.
    pub options: Vec<Moment>,
}

/// What a phrase means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// A time on the wall clock.
    At(Moment),
    /// A length of time from now.
    After(Length),
    /// Again and again.
    Every(Repetition),
    /// It has to be asked about.
    Unclear(Doubt),
}

/// Longest text that is read for times, in bytes.
const TEXT_BYTES_MAX: usize = 16 * 1024;

/// Reads a text that is a time and nothing else; none where it is not.
#[must_use]
pub fn read(text: &str, standpoint: &Standpoint) -> Option<Reading> {
    if text.len() > TEXT_BYTES_MAX {
        return None;
    }
    let tokens = token::tokens(text);
    let last = tokens.iter().rposition(|t| !is_stop(t)).map_or(0, |at| at + 1);
    let tokens = &tokens[..last];
    if let Some((repetition, next)) = every::repetition(tokens, 0, standpoint, true)
        && next == tokens.len()
    {
        return Some(repetition);
    }
    let leading = tokens.iter().take_while(|t| LEADING.contains(&t.text.as_str())).count();
    let (frame, end) = frame::frame(tokens, leading, true)?;
    (end == tokens.len()).then(|| resolve::resolve(&frame, standpoint))
}

/// Words that lead an answer to "when?": "make it 9am", "yes, tomorrow".
const LEADING: [&str; 14] =
    ["make", "it", "let", "us", "say", "yes", "ok", "okay", "well", "maybe", "until", "till", "not", "set"];

fn is_stop(token: &token::Token) -> bool {
    ['.', '!', '?', ',', ';', '"', '”', '“', ')'].iter().any(|sign| token.sign(*sign)) || token.is("please")
}

/// Finds times in a text, in their order, with where they stand; small words before them ("at", "on") belong to them.
#[must_use]
pub fn find(text: &str, standpoint: &Standpoint) -> Vec<(Range<usize>, Reading)> {
    let bound = text.floor_char_boundary(TEXT_BYTES_MAX);
    let tokens = token::tokens(&text[..bound]);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match one(&tokens, at, standpoint) {
            Some((reading, end)) if end > at => {
                found.push((tokens[at].span.start..tokens[end - 1].span.end, reading));
                at = end;
            }
            _ => at += 1,
        }
    }
    found
}

fn one(tokens: &[token::Token], at: usize, standpoint: &Standpoint) -> Option<(Reading, usize)> {
    if let Some(found) = every::repetition(tokens, at, standpoint, false) {
        return Some(found);
    }
    // "of" and "for" lead to no time of their own, and a sign begins none.
    let token = &tokens[at];
    if matches!(token.kind, token::Kind::Sign(_))
        || ["of", "for", "just", "please", "s", "and"].contains(&token.text.as_str())
    {
        return None;
    }
    let (frame, end) = frame::frame(tokens, at, false)?;
    // "the 27th" needs its article, "the 9am slot" does not.
    if token.is("the") && frame::frame(tokens, at + 1, false).is_some_and(|(_, without)| without == end) {
        return None;
    }
    Some((resolve::resolve(&frame, standpoint), end))
}

/// A length of time in seconds, where a text is one and nothing else. A month counts 30 days and a year 365.
#[must_use]
pub fn length(text: &str) -> Option<f64> {
    if text.len() > TEXT_BYTES_MAX {
        return None;
    }
    let tokens = token::tokens(text);
    let skipped = [
        "more",
        "less",
        "than",
        "about",
        "around",
        "over",
        "under",
        "nearly",
        "almost",
        "for",
        "at",
        "least",
        "most",
        "the",
        "up",
        "to",
        "exactly",
        "approximately",
        "whole",
    ];
    let mut at = tokens.iter().take_while(|t| skipped.contains(&t.text.as_str())).count();
    if tokens.get(at).is_some_and(|t| t.is("all") || t.is("entire")) {
        at += 1;
        let (said, next) = length::unit_alone(&tokens, at)?;
        return (next == tokens.len()).then_some(said);
    }
    if let Some((said, next)) = length::said(&tokens, at) {
        let rest = tokens[next..].iter().all(|t| t.is("long") || t.is("or") || t.is("so") || is_stop(t));
        return rest.then(|| said.seconds());
    }
    let (said, next) = length::unit_alone(&tokens, at)?;
    (next == tokens.len() && at > 0).then_some(said)
}
