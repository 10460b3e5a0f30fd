//! Time zones by the names that people give them.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::token::{Kind, Token, tokens};

/// Words of the longest name.
const WORDS_MAX: usize = 3;

static NAMES: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let lines = include_str!("../../data/times/zones.txt").lines().filter(|line| !line.starts_with('#'));
    let named = lines.filter_map(|line| line.split_once(": "));
    let each = |(zone, names): (&'static str, &'static str)| {
        names.split_whitespace().map(move |name| (name.replace('_', " "), zone))
    };
    named.flat_map(each).collect()
});

/// Names of zones themselves: "Europe/Oslo", in any case. Checked against the names above and the shape alone.
fn iana(tokens: &[Token], at: usize) -> Option<(String, usize)> {
    let word = |place: usize| tokens.get(place).filter(|t| t.kind == Kind::Word).map(|t| t.text.as_str());
    let areas = [
        "africa",
        "america",
        "antarctica",
        "arctic",
        "asia",
        "atlantic",
        "australia",
        "europe",
        "indian",
        "pacific",
        "etc",
    ];
    let area = word(at).filter(|word| areas.contains(word))?;
    let mut name = capital(area);
    let mut next = at + 1;
    while tokens.get(next).is_some_and(|t| t.sign('/') && t.glued) && word(next + 1).is_some() {
        name.push('/');
        name.push_str(&capital(word(next + 1).unwrap_or_default()));
        next += 2;
        while tokens.get(next).is_some_and(|t| (t.sign('_') || t.sign('-')) && t.glued)
            && let Some(more) = word(next + 1)
        {
            let small = ["au", "of", "es", "do", "la", "in"].contains(&more);
            name.push(if tokens[next].sign('_') { '_' } else { '-' });
            name.push_str(&if small { more.to_owned() } else { capital(more) });
            next += 2;
        }
    }
    name.contains('/').then_some((name, next))
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A zone that begins at a place: an abbreviation, an IANA name, "Chicago time", an offset of nothing ("Z").
pub(super) fn zone_at(tokens: &[Token], at: usize) -> Option<(String, usize)> {
    if let Some(found) = iana(tokens, at) {
        return Some(found);
    }
    let (zone, name, mut next) = named(tokens, at)?;
    let time = ["time", "standard", "daylight"];
    let mut said = false;
    while tokens.get(next).is_some_and(|t| time.contains(&t.text.as_str())) {
        next += 1;
        said = true;
    }
    // A city alone is where something is, not when: it needs "time".
    let short = name.len() <= 4
        && !name.contains(' ')
        && !["rome", "oslo", "lima", "cuba", "iran", "uae", "uk", "baku"].contains(&name.as_str());
    (said || short).then(|| (zone.to_owned(), next))
}

fn named(tokens: &[Token], at: usize) -> Option<(&'static str, String, usize)> {
    (1..=WORDS_MAX).rev().find_map(|count| {
        let words: Option<Vec<&str>> = (at..at + count)
            .map(|place| tokens.get(place).filter(|t| t.kind == Kind::Word).map(|t| t.text.as_str()))
            .collect();
        let name = words?.join(" ");
        NAMES.get(&name).map(|zone| (*zone, name, at + count))
    })
}

/// The IANA name of a zone that a whole text names: "Europe/Oslo", "Oslo", "CET", "I'm in Tokyo" not.
#[must_use]
pub fn zone_named(text: &str) -> Option<String> {
    let tokens = tokens(text);
    let skipped = tokens.iter().take_while(|t| t.is("in") || t.is("the")).count();
    let (zone, next) = iana(&tokens, skipped).or_else(|| {
        let (zone, _, next) = named(&tokens, skipped)?;
        Some((zone.to_owned(), next))
    })?;
    let over = |token: &Token| {
        token.is("time") || token.is("zone") || token.is("timezone") || token.kind == Kind::Sign('.')
    };
    tokens[next..].iter().all(over).then_some(zone)
}

/// A place at the start of a text that names a zone, and the byte after it.
pub(crate) fn place_at_start(text: &str) -> Option<(String, usize)> {
    let tokens = tokens(text);
    let (zone, next) = iana(&tokens, 0).or_else(|| {
        let (zone, _, next) = named(&tokens, 0)?;
        Some((zone.to_owned(), next))
    })?;
    Some((zone, tokens[next - 1].span.end))
}
