//! The reference of all keys, as a page.

use std::fmt::Write as _;

use crate::allowed::{choices, range};
use crate::catalogue::{Key, Kind, catalogue};

const HEAD: &str = include_str!("reference.md");

/// The page `docs/configuration.md`: all keys with default, range and environment variable.
#[must_use]
pub fn reference() -> String {
    let catalogue = catalogue();
    let mut page = HEAD.to_owned();
    for section in &catalogue.sections {
        let title =
            if section.repeated { format!("[[{}]]", section.path) } else { format!("[{}]", section.path) };
        write!(page, "\n## `{title}`\n\n").expect("because a string takes everything");
        if !section.about.is_empty() {
            page.push_str(&section.about);
            page.push_str("\n\n");
        }
        if section.repeated {
            page.push_str("In the file alone, any number of times.\n\n");
        } else {
            let prefix = section.path.replace('.', "__").to_uppercase();
            write!(page, "In the environment: `BETHINK__{prefix}__` and the key in capitals.\n\n")
                .expect("because a string takes everything");
        }
        page.push_str("| key | default | allowed | what it is |\n|---|---|---|---|\n");
        for key in catalogue.keys_of(&section.path) {
            page.push_str(&row(key));
        }
    }
    page
}

fn row(key: &Key) -> String {
    let default = match &key.default {
        Some(toml::Value::String(text)) if text.len() > 40 => "a text, see `config/bethink.toml`".to_owned(),
        Some(value) => format!("`{value}`"),
        None => "none".to_owned(),
    };
    let about = key.about.replace('|', "\\|");
    format!("| `{}` | {default} | {} | {about} |\n", key.name(), words(key))
}

fn words(key: &Key) -> String {
    let choices = choices(key);
    if !choices.is_empty() {
        return choices.iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", ");
    }
    let kind = match key.kind {
        Kind::Boolean => "true, false",
        Kind::Integer => "whole number",
        Kind::Float => "number",
        Kind::Text => "text",
        Kind::List => "list of texts",
        Kind::Table => "keys of its own",
    };
    match range(&key.path) {
        Some(range) => format!("{kind} {range}"),
        None => kind.to_owned(),
    }
}
