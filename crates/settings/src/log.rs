//! `[log]`: what operators are told.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Structured logs, on standard error. At `info` and above they hold names, ids and numbers, and no text of messages
/// or memories.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LogSection {
    /// `text` for people, `json` for collectors: one object a line.
    pub format: LogFormat,
    /// Least level that `serve` writes: `off`, `error`, `warn`, `info`, `debug` or `trace`.
    pub level: LogLevel,
    /// The same for every other command. Off, since it would write between its answers.
    pub commands: Quiet,
    /// Levels of single targets, such as `bethink_planner = "debug"`.
    pub targets: BTreeMap<String, LogLevel>,
}

/// The level of commands, off unless set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Quiet(pub LogLevel);

impl Default for Quiet {
    fn default() -> Self {
        Self(LogLevel::Off)
    }
}

/// Forms of logs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// A line for people.
    #[default]
    Text,
    /// A JSON object a line.
    Json,
}

/// Levels of logs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// Nothing.
    Off,
    /// What was lost or given up.
    Error,
    /// What went wrong and was coped with.
    Warn,
    /// What happened: spaces awake and asleep, turns and how they ended.
    #[default]
    Info,
    /// What was decided.
    Debug,
    /// Everything.
    Trace,
}

impl LogLevel {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }
}

impl LogSection {
    /// Targets that name no module.
    pub(crate) fn odd_targets(&self) -> impl Iterator<Item = &String> {
        self.targets.keys().filter(|target| {
            target.is_empty() || !target.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':')
        })
    }
}
