//! Actors from outside: what the configuration says about them, checked against the types that a program has.

use bethink_runtime::{EXTENSION_MAILBOX, ExtensionKinds, ExtensionSpec, Extensions};
use serde_json::Value;

use crate::error::{Mistake, SettingsError};
use crate::load::Settings;

impl Settings {
    /// The extensions that shall run, of the types that a program registered. Nothing is started.
    ///
    /// # Errors
    /// The first of them that can't run as it is configured, with line and key.
    pub fn extensions(&self, kinds: &ExtensionKinds) -> Result<Extensions, SettingsError> {
        let specs = self.file.extensions.iter().map(|section| ExtensionSpec {
            name: section.name.clone().unwrap_or_else(|| section.kind.clone()),
            kind: section.kind.clone(),
            scope: section.scope,
            mailbox: section.mailbox.unwrap_or(EXTENSION_MAILBOX),
            settings: json(toml::Value::Table(section.settings.clone())),
        });
        kinds.plan(specs.collect()).map_err(|fault| {
            let path = format!("extensions[{}].{}", fault.index, fault.within);
            let origin = self.layers.origin(&path);
            let message = format!("`{}`: {}", fault.key, fault.reason);
            SettingsError::Wrong(vec![Mistake { origin, key: Some(fault.key), message }])
        })
    }
}

/// The same value without what only TOML has: a date is its text.
fn json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(yes) => Value::Bool(yes),
        toml::Value::Datetime(time) => Value::String(time.to_string()),
        toml::Value::Array(items) => items.into_iter().map(json).collect(),
        toml::Value::Table(table) => table.into_iter().map(|(key, value)| (key, json(value))).collect(),
    }
}
