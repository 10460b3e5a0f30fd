//! What can be wrong with a configuration.

use std::fmt;
use std::path::PathBuf;

/// Where a value came from, weakest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Origin {
    /// Nobody set it.
    #[default]
    Default,
    /// A line of the configuration file.
    File {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
    },
    /// An environment variable.
    Environment(String),
    /// An option of the command line.
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}: line {line}", path.display()),
            Self::Environment(name) => write!(f, "{name} in the environment"),
            Self::Flag(name) => f.write_str(name),
        }
    }
}

/// One thing that is wrong with a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Where it stands.
    pub origin: Origin,
    /// The key, with its section; none where no key can be told, as in a broken line.
    pub key: Option<String>,
    /// What is wrong, what is allowed, and what may have been meant.
    pub message: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.origin {
            Origin::Default => f.write_str(&self.message),
            _ => write!(f, "{}: {}", self.origin, self.message),
        }
    }
}

/// Why a configuration can't be used.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The file can't be read.
    #[error("{}: {reason}", .path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// It is not what it must be: correct these, all of which were found at once.
    #[error("{}", .0.iter().map(Mistake::to_string).collect::<Vec<_>>().join("\n"))]
    Wrong(Vec<Mistake>),
    /// A value of the command line is wrong.
    #[error("{0}")]
    Argument(String),
    /// Neither an option nor the environment says where data belongs.
    #[error("no place for the data is known: set HOME or give --data-dir")]
    NoHome,
}
