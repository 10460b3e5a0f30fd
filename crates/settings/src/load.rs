//! From file, environment and command line to settings that hold.

use std::path::{Path, PathBuf};

use bethink_domain::{AgentName, Personality, UserName};
use bethink_executor::ExecutorFault;
use jiff::tz::TimeZone;

use crate::environment::Environment;
use crate::error::SettingsError;
use crate::file::{File, LanguageProvider, MemorySection};
use crate::place::resolve;

/// Agent unless another is named.
const DEFAULT_AGENT: &str = "bethink";

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
    /// The file as read.
    pub file: File,
}

impl Settings {
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
        let (path, file) = match config_path(overrides, environment, cwd)? {
            Some(path) => {
                let file = read(&path)?;
                (path, file)
            }
            None => (PathBuf::new(), File::default()),
        };
        let data_dir = data_dir(overrides, environment, cwd, &path, &file)?;
        let agent = overrides.agent.clone().unwrap_or_else(|| DEFAULT_AGENT.to_owned());
        let user = overrides.user.clone().unwrap_or_else(|| file.user.name.clone());
        AgentName::new(&agent).map_err(|error| SettingsError::Argument(format!("agent: {error}")))?;
        UserName::new(&user).map_err(|error| SettingsError::Argument(format!("user: {error}")))?;
        let own = file.agents.iter().find(|section| section.name == agent);
        let personality = own.and_then(|section| section.personality).unwrap_or(file.personality).traits();
        let instructions = own.and_then(|section| section.instructions.clone());
        Ok(Self {
            agent,
            user,
            data_dir,
            run_dir: environment.run_dir.clone(),
            zone: zone(&path, &file)?,
            personality,
            instructions,
            session_idle_seconds: i64::from(file.memory.session_idle_minutes) * 60,
            memory: file.memory.clone(),
            file,
        })
    }

    /// What leaves the machine, in words.
    #[must_use]
    pub fn egress(&self) -> &'static str {
        match self.file.language.provider {
            LanguageProvider::Extractive => "nothing leaves this machine",
        }
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
    if let Some(given) = &overrides.config {
        let path = resolve(given, cwd, environment.home.as_deref()).map_err(SettingsError::Argument)?;
        return Ok(Some(path));
    }
    let home = environment
        .config_home
        .clone()
        .or_else(|| environment.home.as_ref().map(|home| home.join(".config")));
    Ok(home.map(|home| home.join("bethink").join("bethink.toml")).filter(|path| path.exists()))
}

fn data_dir(
    overrides: &Overrides,
    environment: &Environment,
    cwd: &Path,
    config: &Path,
    file: &File,
) -> Result<PathBuf, SettingsError> {
    let home = environment.home.as_deref();
    if let Some(given) = &overrides.data_dir {
        return resolve(given, cwd, home).map_err(|why| SettingsError::Argument(format!("--data-dir {why}")));
    }
    if let Some(given) = &file.memory.data_dir {
        let base = config.parent().unwrap_or(cwd);
        return resolve(given, base, home)
            .map_err(|why| invalid(config, format!("key `memory.data_dir`: {why}")));
    }
    let home = environment.data_home.clone().or_else(|| home.map(|home| home.join(".local/share")));
    home.map(|home| home.join("bethink")).ok_or(SettingsError::NoHome)
}

fn zone(path: &Path, file: &File) -> Result<TimeZone, SettingsError> {
    match &file.user.timezone {
        None => Ok(TimeZone::system()),
        Some(name) => TimeZone::get(name).map_err(|_| {
            invalid(path, format!("key `user.timezone`: `{name}` is no time zone; write it as Europe/Oslo"))
        }),
    }
}

fn invalid(path: &Path, reason: String) -> SettingsError {
    SettingsError::Invalid { path: path.to_owned(), reason }
}

/// Reads and checks a file.
fn read(path: &Path) -> Result<File, SettingsError> {
    let unreadable = |reason: String| SettingsError::Unreadable { path: path.to_owned(), reason };
    let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("the file is not UTF-8 text".to_owned()))?;
    parse(&text).map_err(|reason| invalid(path, reason))
}

/// Parses and checks the text of a file.
pub(crate) fn parse(text: &str) -> Result<File, String> {
    // Editors on some systems begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let file: File = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
    let faults = faults(&file);
    if faults.is_empty() {
        return Ok(file);
    }
    let located = faults.into_iter().map(|(section, fault)| match line_of(text, section, &fault) {
        Some(line) => format!("line {line}, section `{section}`: {fault}"),
        None => format!("section `{section}`: {fault}"),
    });
    Err(located.collect::<Vec<_>>().join("\n"))
}

fn faults(file: &File) -> Vec<(&'static str, String)> {
    let mut faults = Vec::new();
    let mut add = |section: &'static str, found: Vec<String>| {
        faults.extend(found.into_iter().map(|fault| (section, fault)));
    };
    add("memory", file.memory.store().faults());
    if !(1..=1_440).contains(&file.memory.session_idle_minutes) {
        let minutes = file.memory.session_idle_minutes;
        add("memory", vec![format!("`session_idle_minutes` is {minutes}, but must be from 1 to 1440")]);
    }
    add("memory.relevance", file.memory.relevance.faults());
    add("mechanisms.decay", file.mechanisms.decay.faults());
    add("personality", file.personality.faults());
    add(
        "planner",
        crate::start::planner(file).check().err().map(|fault| fault.to_string()).into_iter().collect(),
    );
    add("executor", file.executor.check().err().map(executor_fault).into_iter().collect());
    add("spaces", file.spaces.faults());
    for agent in &file.agents {
        add("agents", agent.personality.map(|own| own.faults()).unwrap_or_default());
        if let Err(error) = AgentName::new(&agent.name) {
            add("agents", vec![format!("`name`: {error}")]);
        }
    }
    if let Err(error) = UserName::new(&file.user.name) {
        add("user", vec![format!("`name`: {error}")]);
    }
    faults
}

fn executor_fault(fault: ExecutorFault) -> String {
    let ExecutorFault::OutOfRange { key, range } = fault;
    format!("`{key}` must be {range}")
}

/// The line on which the key that a fault names stands in its section.
fn line_of(text: &str, section: &str, fault: &str) -> Option<usize> {
    let key = fault.split('`').nth(1)?;
    let key = key.rsplit('.').next()?;
    let mut within = false;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            within = header.trim_start_matches('[').split(']').next()?.trim().starts_with(section);
        } else if within && line.split('=').next().is_some_and(|left| left.trim() == key) {
            return Some(number + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests;
