//! From file, environment and command line to settings that hold.

use std::path::{Path, PathBuf};

use bethink_domain::{AgentName, Personality};
use jiff::tz::TimeZone;

use crate::allowed::bounds;
use crate::environment::{Environment, Variables};
use crate::error::{Mistake, Origin, SettingsError};
use crate::file::{File, MemorySection};
use crate::layers::{self, Layer, Layers};
use crate::log::LogSection;
use crate::place::resolve;

/// Agent unless another is named.
const DEFAULT_AGENT: &str = "bethink";
/// What messages call settings that stand in no file.
const IN_CODE: &str = "settings in code";

/// What the command line says.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// `--config`.
    pub config: Option<PathBuf>,
    /// `--data-dir`.
    pub data_dir: Option<PathBuf>,
    /// `--agent`.
    pub agent: Option<String>,
    /// `--user`.
    pub user: Option<String>,
    /// `--set`, each as `section.key=value`.
    pub set: Vec<String>,
    /// What would be written in a file, from a program that has its settings in code. No file is read then.
    pub text: Option<String>,
    /// Names of providers that a program has beside the built-in ones.
    pub registered: Registered,
}

/// Names that a program registered, and that keys may choose from beside the built-in ones.
#[derive(Debug, Clone, Default)]
pub struct Registered {
    /// For `language.provider`.
    pub languages: Vec<String>,
    /// For `embedding.provider`.
    pub embedders: Vec<String>,
}

impl Registered {
    /// Names for a key.
    pub(crate) fn names(&self, path: &str) -> &[String] {
        match path {
            "language.provider" => &self.languages,
            "embedding.provider" => &self.embedders,
            _ => &[],
        }
    }

    /// Whether a key's value is one of its names.
    pub(crate) fn has(&self, path: &str, value: &str) -> bool {
        self.names(path).iter().any(|name| name == value)
    }
}

/// Settings that hold.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The agent spoken to.
    pub agent: String,
    /// The user who speaks.
    pub user: String,
    /// Where memory is kept; absolute.
    pub data_dir: PathBuf,
    /// Where sockets go whose path would be too long in the data directory.
    pub run_dir: Option<PathBuf>,
    /// The user's zone.
    pub zone: TimeZone,
    /// The agent's personality.
    pub personality: Personality,
    /// The agent's instructions, where it has some of its own.
    pub instructions: Option<String>,
    /// Seconds of silence after which a session ends.
    pub session_idle_seconds: i64,
    /// `[memory]`.
    pub memory: MemorySection,
    /// The whole configuration: the file, the environment over it, the command line over both.
    pub file: File,
    /// The configuration file, where there is one.
    pub path: Option<PathBuf>,
    /// Where each value came from.
    pub(crate) layers: Layers,
    /// Variables that the configuration names.
    pub(crate) named: Variables,
}

impl Settings {
    /// `[log]`.
    #[must_use]
    pub fn log(&self) -> &LogSection {
        &self.file.log
    }

    /// Reads and checks everything.
    ///
    /// # Errors
    /// A [`SettingsError`] that names file, line and key.
    pub fn load(overrides: &Overrides) -> Result<Self, SettingsError> {
        Self::load_in(overrides, &Environment::read(), &working_dir()?)
    }

    /// As [`Settings::load`], in a given environment and working directory.
    ///
    /// # Errors
    /// A [`SettingsError`] that names file, line and key.
    pub fn load_in(
        overrides: &Overrides,
        environment: &Environment,
        cwd: &Path,
    ) -> Result<Self, SettingsError> {
        let path = config_path(overrides, environment, cwd)?;
        let (layers, mut file, mistakes) = gather(overrides, environment, path.as_deref())?;
        if !mistakes.is_empty() {
            return Err(SettingsError::Wrong(mistakes));
        }
        let embedding = &mut file.embedding;
        let previous = &mut embedding.previous;
        for (key, path) in [
            ("embedding.path", &mut embedding.path),
            ("embedding.api_key_file", &mut embedding.api_key_file),
            ("embedding.previous.path", &mut previous.path),
            ("embedding.previous.api_key_file", &mut previous.api_key_file),
            ("backup.dir", &mut file.backup.dir),
        ] {
            let Some(given) = path else { continue };
            let placed = layers.place(key, given, environment.home.as_deref(), cwd);
            *given = placed.map_err(|wrong| SettingsError::Wrong(vec![wrong]))?;
        }
        place_key_files(&mut file, &layers, environment.home.as_deref(), cwd)?;
        let data_dir = data_dir(overrides, environment, cwd, &layers, &file)?;
        let agent = overrides.agent.clone().unwrap_or_else(|| DEFAULT_AGENT.to_owned());
        AgentName::new(&agent).map_err(|error| SettingsError::Argument(format!("agent: {error}")))?;
        let own = file.agents.iter().find(|section| section.name == agent);
        let personality = own.and_then(|section| section.personality).unwrap_or(file.personality).traits();
        let instructions = own.and_then(|section| section.instructions.clone());
        Ok(Self {
            agent,
            user: file.user.name.clone(),
            data_dir,
            run_dir: environment.run_dir.clone(),
            zone: zone(&file),
            personality,
            instructions,
            session_idle_seconds: i64::from(file.memory.session_idle_minutes) * 60,
            memory: file.memory.clone(),
            named: environment.named.clone(),
            file,
            path,
            layers,
        })
    }
}

impl Settings {
    /// The registered name that a key chose, if it did not choose a built-in one.
    #[must_use]
    pub fn registered(&self, path: &str) -> Option<&str> {
        self.layers.registered(path)
    }
}

fn working_dir() -> Result<PathBuf, SettingsError> {
    std::env::current_dir()
        .map_err(|error| SettingsError::Argument(format!("the working directory can't be read: {error}")))
}

fn config_path(
    overrides: &Overrides,
    environment: &Environment,
    cwd: &Path,
) -> Result<Option<PathBuf>, SettingsError> {
    if overrides.text.is_some() {
        return Ok(None);
    }
    if let Some(given) = &overrides.config {
        let path = resolve(given, cwd, environment.home.as_deref()).map_err(SettingsError::Argument)?;
        return Ok(Some(path));
    }
    let home = environment
        .config_home
        .clone()
        .or_else(|| environment.home.as_ref().map(|home| home.join(".config")));
    // Whatever lies there is read, and refused where it can't be: only an absent file means defaults.
    let absent = |path: &PathBuf| {
        path.symlink_metadata().is_err_and(|error| {
            matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
        })
    };
    Ok(home.map(|home| home.join("bethink").join("bethink.toml")).filter(|path| !absent(path)))
}

fn data_dir(
    overrides: &Overrides,
    environment: &Environment,
    cwd: &Path,
    layers: &Layers,
    file: &File,
) -> Result<PathBuf, SettingsError> {
    let home = environment.home.as_deref();
    if let Some(given) = &overrides.data_dir {
        return resolve(given, cwd, home).map_err(|why| SettingsError::Argument(format!("--data-dir {why}")));
    }
    if let Some(given) = &file.memory.data_dir {
        return layers
            .place("memory.data_dir", given, home, cwd)
            .map_err(|wrong| SettingsError::Wrong(vec![wrong]));
    }
    let home = environment.data_home.clone().or_else(|| home.map(|home| home.join(".local/share")));
    home.map(|home| home.join("bethink")).ok_or(SettingsError::NoHome)
}

/// Makes the paths of key files absolute.
fn place_key_files(
    file: &mut File,
    layers: &Layers,
    home: Option<&Path>,
    cwd: &Path,
) -> Result<(), SettingsError> {
    let agents = file.agents.iter_mut().enumerate();
    let own =
        agents.filter_map(|(at, agent)| Some((format!("agents[{at}].language"), agent.language.as_mut()?)));
    for (section, config) in std::iter::once(("language".to_owned(), &mut file.language)).chain(own) {
        if let Some(path) = &config.api_key_file {
            let placed = layers.place(&format!("{section}.api_key_file"), path, home, cwd);
            config.api_key_file = Some(placed.map_err(|wrong| SettingsError::Wrong(vec![wrong]))?);
        }
    }
    Ok(())
}

/// The user's zone: that of the configuration, which was checked, or the system's.
fn zone(file: &File) -> TimeZone {
    let named = file.user.timezone.as_deref().and_then(|name| TimeZone::get(name).ok());
    named.unwrap_or_else(TimeZone::system)
}

/// Reads a file whole.
fn bytes(path: &Path) -> Result<Vec<u8>, SettingsError> {
    std::fs::read(path)
        .map_err(|error| SettingsError::Unreadable { path: path.to_owned(), reason: error.to_string() })
}

/// The layers that are given, the configuration that they make, and everything that is wrong with them.
pub(crate) fn gather(
    overrides: &Overrides,
    environment: &Environment,
    path: Option<&Path>,
) -> Result<(Layers, File, Vec<Mistake>), SettingsError> {
    let registered = &overrides.registered;
    let written = match (&overrides.text, path) {
        (Some(text), _) => crate::written::read(Path::new(IN_CODE), text.as_bytes(), registered),
        (None, Some(path)) => crate::written::read(path, &bytes(path)?, registered),
        (None, None) => (Layer::default(), Vec::new()),
    };
    let mut layers = Layers::default();
    let mut mistakes = Vec::new();
    for (layer, found) in [written, layers::environment(environment, registered), layers::flags(overrides)] {
        layers.put(layer);
        mistakes.extend(found);
    }
    let file = match layers.file() {
        Ok(file) => file,
        Err(message) => {
            mistakes.push(Mistake { origin: Origin::Default, key: None, message });
            return Err(SettingsError::Wrong(mistakes));
        }
    };
    let numbers = bounds(&file).into_iter().filter(|(_, number)| !number.holds());
    let numbers = numbers.map(|(path, number)| {
        let message = number.to_string().replacen(number.key, &path, 1);
        (path, message)
    });
    for (path, message) in numbers.chain(file.faults()) {
        mistakes.push(Mistake { origin: layers.origin(&path), key: Some(path), message });
    }
    mistakes.sort_by_key(|mistake| match &mistake.origin {
        Origin::Default => (0, 0),
        Origin::File { line, .. } => (1, *line),
        Origin::Environment(_) => (2, 0),
        Origin::Flag(_) => (3, 0),
    });
    Ok((layers, file, mistakes))
}

#[cfg(test)]
mod tests;
