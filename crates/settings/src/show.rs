//! The settings in force, and where each came from.

use std::path::Path;

use toml::Value;

use crate::catalogue::{Key, catalogue, last};
use crate::environment::Environment;
use crate::error::{Origin, SettingsError};
use crate::load::Settings;
use crate::nearest::nearest;

/// One key as it is in force.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The section, such as `memory.depth`, or `agents[0]` where there may be several.
    pub section: String,
    /// The name within the section.
    pub name: String,
    /// Its value without secrets; none when it is absent.
    pub value: Option<Value>,
    /// Where it came from.
    pub origin: Origin,
    /// What else is worth saying: whether a variable that it names is set.
    pub note: Option<&'static str>,
}

impl Settings {
    /// All keys in the order of `config/bethink.toml`, or those of a section and what lies below it.
    ///
    /// # Errors
    /// [`SettingsError::Argument`] for a section that is none.
    pub fn shown(&self, section: Option<&str>) -> Result<Vec<Shown>, SettingsError> {
        let catalogue = catalogue();
        if let Some(section) = section.filter(|section| !catalogue.is_section(section)) {
            let known = catalogue.sections.iter().map(|known| known.path.as_str());
            let hint = nearest(section, known).map(|near| format!("; did you mean `{near}`?"));
            let message = format!("there is no section `{section}`{}", hint.unwrap_or_default());
            return Err(SettingsError::Argument(message));
        }
        let within = |path: &str| {
            section.is_none_or(|section| path.strip_prefix(section).is_some_and(|rest| rest.starts_with('.')))
        };
        let mut all: Vec<Shown> = catalogue
            .keys
            .iter()
            .filter(|key| !key.repeated && within(&key.path))
            .map(|key| self.shown_key(key))
            .collect();
        for repeated in catalogue.sections.iter().filter(|known| known.repeated) {
            let path = repeated.path.as_str();
            if section.is_none_or(|section| section == path) || within(path) {
                all.extend(self.shown_tables(path));
            }
        }
        Ok(all)
    }

    fn shown_key(&self, key: &Key) -> Shown {
        let value = match key.path.as_str() {
            "memory.data_dir" => Some(Value::String(self.data_dir.to_string_lossy().into_owned())),
            path => self.layers.value(path).or(key.default.as_ref()).cloned(),
        };
        let note = value.as_ref().and_then(|value| note(key.name(), value));
        Shown {
            section: key.section().to_owned(),
            name: key.name().to_owned(),
            value: value.map(masked),
            origin: self.layers.origin(&key.path),
            note,
        }
    }

    fn shown_tables(&self, path: &str) -> Vec<Shown> {
        let tables = self.layers.value(path).and_then(Value::as_array).cloned().unwrap_or_default();
        let mut all = Vec::new();
        for (at, table) in tables.into_iter().enumerate() {
            let section = format!("{path}[{at}]");
            for (name, value) in table.as_table().cloned().unwrap_or_default() {
                let origin = self.layers.origin(&format!("{section}.{name}"));
                let note = note(&name, &value);
                all.push(Shown { section: section.clone(), name, value: Some(masked(value)), origin, note });
            }
        }
        all
    }
}

/// Whether what a key names is there: a key of a service is only ever named, and its value never shown.
fn note(name: &str, value: &Value) -> Option<&'static str> {
    let named = value.as_str()?;
    match last(name) {
        name if name.ends_with("_env") => Some(if Environment::is_set(named) { "set" } else { "not set" }),
        name if name.ends_with("_file") => {
            Some(if Path::new(named).is_file() { "there" } else { "not there" })
        }
        _ => None,
    }
}

/// A value without what looks like a secret, such as a key where its name was asked for.
fn masked(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(bethink_text::mask_secrets(&text).text),
        Value::Array(items) => Value::Array(items.into_iter().map(masked).collect()),
        Value::Table(table) => {
            Value::Table(table.into_iter().map(|(key, value)| (key, masked(value))).collect())
        }
        other => other,
    }
}
