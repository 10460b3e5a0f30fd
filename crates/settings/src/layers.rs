//! Layers: the file, the environment over it, the command line over both. The last that sets a key wins.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use config::{Config, ConfigError, Map, Source};
use toml::Value;

use crate::allowed::typed;
use crate::catalogue::{Key, catalogue};
use crate::environment::Environment;
use crate::error::{Mistake, Origin};
use crate::file::File;
use crate::load::{Overrides, Registered};
use crate::nearest::{hint, nearest};
use crate::place::resolve;

/// What one place says: checked values under their paths, and where each stands.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layer {
    pub(crate) values: BTreeMap<String, Value>,
    pub(crate) origins: BTreeMap<String, Origin>,
    /// Keys whose value is a name that a program registered; the structs do not know it.
    pub(crate) registered: BTreeSet<String>,
}

impl Layer {
    /// Sets a value.
    pub(crate) fn set(&mut self, path: &str, value: Value, origin: Origin) {
        self.values.insert(path.to_owned(), value);
        self.place(path, origin);
    }

    /// Sets a key to a name that a program registered.
    pub(crate) fn set_registered(&mut self, path: &str, name: &str, origin: Origin) {
        self.set(path, Value::String(name.to_owned()), origin);
        self.registered.insert(path.to_owned());
    }

    /// Notes where a part of a value stands.
    pub(crate) fn place(&mut self, path: &str, origin: Origin) {
        self.origins.insert(path.to_owned(), origin);
    }
}

impl Source for Layer {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, config::Value>, ConfigError> {
        let known = self.values.iter().filter(|(path, _)| !self.registered.contains(*path));
        Ok(known.map(|(path, value)| (path.clone(), converted(value))).collect())
    }
}

fn converted(value: &Value) -> config::Value {
    match value {
        Value::Boolean(value) => (*value).into(),
        Value::Integer(value) => (*value).into(),
        Value::Float(value) => (*value).into(),
        Value::String(value) => value.clone().into(),
        Value::Datetime(value) => value.to_string().into(),
        Value::Array(items) => items.iter().map(converted).collect::<Vec<_>>().into(),
        Value::Table(table) => {
            table.iter().map(|(key, value)| (key.clone(), converted(value))).collect::<Map<_, _>>().into()
        }
    }
}

/// All layers together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layers {
    /// What was set, weakest layer first.
    layers: Vec<Layer>,
}

impl Layers {
    /// Puts a layer over those before.
    pub(crate) fn put(&mut self, layer: Layer) {
        self.layers.push(layer);
    }

    /// The value of a key that somebody set.
    pub(crate) fn value(&self, path: &str) -> Option<&Value> {
        self.layers.iter().rev().find_map(|layer| layer.values.get(path))
    }

    /// The name that a key chose of those that a program registered.
    pub(crate) fn registered(&self, path: &str) -> Option<&str> {
        let layer = self.layers.iter().rev().find(|layer| layer.values.contains_key(path))?;
        layer.values.get(path).filter(|_| layer.registered.contains(path))?.as_str()
    }

    /// Where the value of a path came from; a part of a value comes from where the whole does.
    pub(crate) fn origin(&self, path: &str) -> Origin {
        let mut at = path;
        let whole = loop {
            if let Some(origin) = self.layers.iter().rev().find_map(|layer| layer.origins.get(at)) {
                break Some(origin);
            }
            match at.rfind(['.', '[']) {
                Some(end) => at = &at[..end],
                None => break None,
            }
        };
        // What several keys do together came from the first of them.
        let below = |found: &str| found.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
        let part = |layer: &Layer| {
            let found = layer.origins.iter().find(|(found, _)| below(found));
            found.map(|(_, origin)| origin.clone())
        };
        whole.cloned().or_else(|| self.layers.iter().rev().find_map(part)).unwrap_or_default()
    }

    /// Where a path of a key leads: one in the file is relative to the file, any other to the working directory.
    ///
    /// # Errors
    /// A path that says `~ada` or `$HOME`.
    pub(crate) fn place(
        &self,
        key: &str,
        path: &Path,
        home: Option<&Path>,
        cwd: &Path,
    ) -> Result<PathBuf, Mistake> {
        let origin = self.origin(key);
        let base = match &origin {
            Origin::File { path, .. } => {
                path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(cwd)
            }
            _ => cwd,
        };
        resolve(path, base, home).map_err(|why| Mistake {
            message: format!("`{key}`: {why}"),
            key: Some(key.to_owned()),
            origin: origin.clone(),
        })
    }

    /// The configuration that they make, with defaults for the rest.
    ///
    /// # Errors
    /// A sentence on what does not fit together; single values were checked before.
    pub(crate) fn file(&self) -> Result<File, String> {
        let mut builder = Config::builder();
        for layer in &self.layers {
            builder = builder.add_source(layer.clone());
        }
        let config = builder.build().map_err(|error| error.to_string())?;
        serde_path_to_error::deserialize(config)
            .map_err(|error| format!("`{}`: {}", error.path().clone(), error.into_inner()))
    }
}

/// The layer of the environment's variables.
pub(crate) fn environment(environment: &Environment, registered: &Registered) -> (Layer, Vec<Mistake>) {
    let (mut layer, mut mistakes) = (Layer::default(), Vec::new());
    for (name, text) in &environment.variables {
        let origin = Origin::Environment(name.clone());
        let wrong = |key: Option<&Key>, message| Mistake {
            origin: origin.clone(),
            key: key.map(|key| key.path.clone()),
            message,
        };
        let Some(key) = by_variable(name) else {
            mistakes.extend(unknown_variable(name).map(|message| wrong(None, message)));
            continue;
        };
        let Some(text) = text.to_str() else {
            mistakes.push(wrong(Some(key), format!("`{}` is no UTF-8 text", key.path)));
            continue;
        };
        if registered.has(&key.path, text) {
            layer.set_registered(&key.path, text, origin.clone());
            continue;
        }
        match typed(key, text) {
            Ok(value) => layer.set(&key.path, value, origin),
            Err(message) => mistakes.push(wrong(Some(key), message)),
        }
    }
    (layer, mistakes)
}

fn by_variable(name: &str) -> Option<&'static Key> {
    catalogue().keys.iter().find(|key| key.variable().is_some_and(|variable| variable == name))
}

/// What is wrong with a variable that sets nothing; none for one that is not ours.
fn unknown_variable(name: &str) -> Option<String> {
    let known: Vec<String> = catalogue().keys.iter().filter_map(Key::variable).collect();
    let squeezed = |name: &str| name.to_uppercase().replace("__", "_");
    let same = known.iter().find(|known| squeezed(known) == squeezed(name));
    if !name.to_uppercase().starts_with("BETHINK__") {
        // `BETHINK_…` with one underscore may be anything, such as a key of a service, but not a slip.
        return same.map(|same| format!("this sets nothing; did you mean {same}?"));
    }
    let path = name["BETHINK__".len()..].to_lowercase().replace("__", ".");
    let section = path.split('.').next().unwrap_or_default();
    if catalogue().repeated(section) {
        return Some(format!("[[{section}]] can't be set from the environment; write it in the file"));
    }
    let near = same.map(String::as_str).or_else(|| nearest(name, known.iter().map(String::as_str)));
    Some(match near {
        Some(near) => format!("this sets nothing; did you mean {near}?"),
        None => "this sets nothing; `bethink config reference` lists what does".to_owned(),
    })
}

/// The layer of the command line.
pub(crate) fn flags(overrides: &Overrides) -> (Layer, Vec<Mistake>) {
    let (mut layer, mut mistakes) = (Layer::default(), Vec::new());
    for given in &overrides.set {
        let (path, text) = given.split_once('=').unwrap_or((given, ""));
        let path = path.trim();
        let origin = Origin::Flag(format!("--set {path}"));
        if overrides.registered.has(path, text) {
            layer.set_registered(path, text, origin);
            continue;
        }
        let section = path.split('.').next().unwrap_or_default();
        let result = if catalogue().repeated(section) {
            Err(format!("[[{section}]] can't be set on the command line; write it in the file"))
        } else if let Some(key) = catalogue().key(path) {
            typed(key, text)
        } else {
            let (section, name) = path.rsplit_once('.').unwrap_or(("", path));
            Err(format!("there is no key `{path}`; {}", hint(catalogue(), section, name)))
        };
        match result {
            Ok(value) => layer.set(path, value, origin),
            Err(message) => mistakes.push(Mistake { origin, key: Some(path.to_owned()), message }),
        }
    }
    if let Some(dir) = &overrides.data_dir {
        let text = dir.to_string_lossy().into_owned();
        layer.set("memory.data_dir", Value::String(text), Origin::Flag("--data-dir".to_owned()));
    }
    if let Some(user) = &overrides.user {
        layer.set("user.name", Value::String(user.clone()), Origin::Flag("--user".to_owned()));
    }
    (layer, mistakes)
}
