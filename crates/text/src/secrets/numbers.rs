//! Numbers: payment cards and IBANs, which prove themselves by a check digit, and identity numbers, by their names.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{Secret, SecretKind};

/// Digits in groups, long enough for a card.
static DIGITS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[0-9](?:[ .\-\u{a0}\u{2009}\u{202f}–]?[0-9]){12,}").expect("because the pattern is fixed")
});
static IBAN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b[a-z]{2}[0-9]{2}(?:[ \u{a0}-]?[a-z0-9]){11,30}").expect("because the pattern is fixed")
});
/// Numbers of social security and identity, where they are called so.
static IDENTITY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?:(?-u:\b)(?:ssn|social security|national insurance|nino|dni|nie|nif|cpf|steuer-?id)(?-u:\b)|sozialversicherung|",
        r"rentenversicherungs|steueridentifikations|seguridad social|sécurité sociale|codice fiscale|снилс|身份证|マイナンバー)",
        r"[^0-9.!?\n]{0,40}?",
        r"((?:(?-iu:\b[A-Z]{1,2})[ -]?)?[0-9](?:[ .\-]?[0-9]){5,16}(?:[ -]?[A-Z](?:[ -]?[0-9]{3})?)?)(?:[^0-9A-Za-z]|$)",
    ))
    .expect("because the pattern is fixed")
});

/// Digits of a payment card (ISO/IEC 7812).
const CARD_DIGITS: Range<usize> = 13..20;
/// Characters of an IBAN (ISO 13616).
const IBAN_CHARS: Range<usize> = 15..35;

pub(super) fn find(text: &str) -> Vec<Secret> {
    let cards = DIGITS.find_iter(text).filter(|digits| !stands_in_word(text, digits.range()));
    let mut found: Vec<Secret> = cards.flat_map(|digits| cards_in(text, digits.range())).collect();
    let identities = IDENTITY.captures_iter(text).filter_map(|captures| captures.get(1));
    found.extend(identities.map(|id| Secret { kind: SecretKind::IdentityNumber, span: id.range() }));
    found.extend(IBAN.find_iter(text).filter_map(|candidate| iban_in(text, candidate.range())));
    found
}

/// Digits after a plus sign (a phone number) or right beside letters (part of a code) are no card.
fn stands_in_word(text: &str, span: Range<usize>) -> bool {
    let before = text[..span.start].chars().next_back();
    let after = text[span.end..].chars().next();
    before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '+' | '_' | '#'))
        || after.is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// The cards in a run of digits: groups from one that begins like a card, that together pass Luhn's check.
fn cards_in(text: &str, run: Range<usize>) -> Vec<Secret> {
    let groups = groups(text, run);
    let mut found = Vec::new();
    let mut at = 0;
    while at < groups.len() {
        let card = card_from(text, &groups[at..]);
        if let Some(count) = card {
            let span = groups[at].start..groups[at + count - 1].end;
            found.push(Secret { kind: SecretKind::CardNumber, span });
        }
        at += card.unwrap_or(1);
    }
    found
}

/// The runs of digits without anything between.
fn groups(text: &str, run: Range<usize>) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for (at, _) in text[run.clone()].char_indices().filter(|(_, c)| c.is_ascii_digit()) {
        let at = run.start + at;
        match groups.last_mut() {
            Some(last) if last.end == at => last.end += 1,
            _ => groups.push(at..at + 1),
        }
    }
    groups
}

/// How many of the groups are a card; the most that are.
fn card_from(text: &str, groups: &[Range<usize>]) -> Option<usize> {
    // Cards begin with 2 to 6; what begins otherwise is a time in milliseconds, an article number, a phone number.
    if !text[groups[0].start..].starts_with(['2', '3', '4', '5', '6']) {
        return None;
    }
    let mut digits = Vec::new();
    let mut longest = None;
    for (count, group) in groups.iter().enumerate() {
        digits
            .extend(text[group.clone()].bytes().take(CARD_DIGITS.end + 1).map(|byte| u32::from(byte - b'0')));
        if digits.len() >= CARD_DIGITS.end || (group.len() < 3 && groups.len() > 1) {
            break;
        }
        if CARD_DIGITS.contains(&digits.len()) && luhn(&digits) {
            longest = Some(count + 1);
        }
    }
    longest
}

/// Luhn's check (ISO/IEC 7812-1, annex B).
fn luhn(digits: &[u32]) -> bool {
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let sum: u32 =
        digits.iter().rev().enumerate().map(|(n, d)| if n % 2 == 1 { doubled(*d) } else { *d }).sum();
    sum.is_multiple_of(10)
}

/// The longest IBAN that a candidate begins with.
fn iban_in(text: &str, candidate: Range<usize>) -> Option<Secret> {
    let mut characters: Vec<u8> = Vec::new();
    let mut end = None;
    for (at, c) in text[candidate.clone()].char_indices().filter(|(_, c)| c.is_ascii_alphanumeric()) {
        characters.push(c.to_ascii_uppercase() as u8);
        let after = text[candidate.start + at + 1..].chars().next();
        let ends = after.is_none_or(|c| !c.is_alphanumeric());
        if ends && IBAN_CHARS.contains(&characters.len()) && iban_checks(&characters) {
            end = Some(candidate.start + at + 1);
        }
    }
    end.map(|end| Secret { kind: SecretKind::AccountNumber, span: candidate.start..end })
}

/// The check of ISO 13616: the country and check digits moved to the end, letters as 10 to 35, modulo 97 is 1.
fn iban_checks(characters: &[u8]) -> bool {
    let moved = characters[4..].iter().chain(&characters[..4]);
    let rest = moved.fold(0, |rest: u32, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
    });
    rest == 1
}
