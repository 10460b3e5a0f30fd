//! What a key allows, asked of the structs themselves.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use bethink_domain::Bounded;
use serde::Deserialize;
use toml::Value;

use crate::catalogue::{Key, Kind};
use crate::file::File;

/// Longest text of a value that a message repeats.
const SHOWN_CHARS_MAX: usize = 60;

/// All numbers of a configuration, under their whole paths.
pub(crate) fn bounds(file: &File) -> Vec<(String, Bounded)> {
    let mut all = Vec::new();
    for (section, numbers) in file.bounds() {
        all.extend(numbers.into_iter().map(|number| (format!("{section}.{}", number.key), number)));
    }
    all
}

/// The range of a key that has one, in words.
pub(crate) fn range(path: &str) -> Option<String> {
    static RANGES: LazyLock<BTreeMap<String, Bounded>> =
        LazyLock::new(|| bounds(&File::default()).into_iter().collect());
    RANGES.get(path).map(Bounded::range)
}

/// The words that a key chooses from; empty when any text will do.
pub(crate) fn choices(key: &Key) -> Vec<String> {
    if key.kind != Kind::Text || key.repeated {
        return Vec::new();
    }
    // No key has an unprintable word, so what refuses this one names those it would take.
    let probe = Value::String("\u{1}".to_owned());
    match fits(&key.path, &probe) {
        Err(refusal) if refusal.contains("unknown variant") => {
            let expected = refusal.split("expected").nth(1).unwrap_or_default();
            expected.split('`').skip(1).step_by(2).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// What a key allows, in words.
pub(crate) fn allowed(key: &Key) -> String {
    let choices = choices(key);
    if !choices.is_empty() {
        return choices.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" or ");
    }
    match range(&key.path) {
        Some(range) => format!("{} {range}", key.kind.words()),
        None => key.kind.words().to_owned(),
    }
}

/// Whether the structs take a value at a path; the refusal is serde's.
pub(crate) fn fits(path: &str, value: &Value) -> Result<(), String> {
    let mut nested = value.clone();
    for part in path.rsplit('.') {
        nested = Value::Table(toml::Table::from_iter([(part.to_owned(), nested)]));
    }
    File::deserialize(nested).map(drop).map_err(|error| error.message().to_owned())
}

/// Checks one value against its key.
///
/// # Errors
/// A sentence that names the key, the value and what is allowed.
pub(crate) fn check(key: &Key, value: &Value) -> Result<(), String> {
    if key.kind.takes(value) && (key.repeated || fits(&key.path, value).is_ok()) {
        return Ok(());
    }
    Err(format!("`{}` is {}, but must be {}", key.path, shown(value), allowed(key)))
}

/// A value as a message may repeat it: short, and without secrets.
pub(crate) fn shown(value: &Value) -> String {
    let whole = match value {
        Value::Table(_) => return "a section".to_owned(),
        Value::String(text) => Value::String(bethink_text::mask_secrets(text).text).to_string(),
        _ => bethink_text::mask_secrets(&value.to_string()).text,
    };
    let mut short: String = whole.chars().take(SHOWN_CHARS_MAX).collect();
    if short.len() < whole.len() {
        short.push('…');
    }
    short
}

/// Reads the text of an environment variable or of `--set` as a value of a key.
///
/// # Errors
/// A sentence that names the key, the text and what is allowed.
pub(crate) fn typed(key: &Key, text: &str) -> Result<Value, String> {
    let allowed = || match key.kind {
        Kind::List => "texts with commas between them".to_owned(),
        Kind::Text => allowed(key).replace(" in quotes", ""),
        _ => allowed(key),
    };
    if text.is_empty() {
        return Err(format!("`{}` is empty, but must be {}", key.path, allowed()));
    }
    let value = match key.kind {
        Kind::Boolean => text.parse().ok().map(Value::Boolean),
        Kind::Integer => text.parse().ok().map(Value::Integer),
        Kind::Float => text.parse().ok().map(Value::Float),
        Kind::Text => Some(Value::String(text.to_owned())),
        Kind::List => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            Some(Value::Array(items.map(|item| Value::String(item.to_owned())).collect()))
        }
        Kind::Table => None,
    };
    match value {
        Some(value) => check(key, &value).map(|()| value),
        None => {
            let given = shown(&Value::String(text.to_owned()));
            Err(format!("`{}` is {given}, but must be {}", key.path, allowed()))
        }
    }
}
