//! What can go wrong with a measurement.

use std::path::PathBuf;

use bethink_protocol::{EmbedError, MemoryError};
use bethink_runtime::RuntimeError;

/// Why nothing was measured, by what can be done about it.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// A benchmark can't be read: look at its path and mode.
    #[error("{}: {reason}", .path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A line of a benchmark is not what it must be: mend it.
    #[error("{}:{line}: {reason}", .path.display())]
    Line {
        /// Which benchmark.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A benchmark asks nothing, so that there is nothing to measure: add queries.
    #[error("{} holds no query; a query is a line such as {{\"kind\":\"query\",\"text\":…,\"relevant\":[…]}}", .path.display())]
    NothingAsked {
        /// Which.
        path: PathBuf,
    },
    /// A file has no line to measure by: give it some, or another file.
    #[error("{} holds {what}", .path.display())]
    Empty {
        /// Which.
        path: PathBuf,
        /// What is missing, such as `no question`.
        what: &'static str,
    },
    /// Results can't be written where they were asked for: free space, or choose another place.
    #[error("{}: {reason}", .path.display())]
    Results {
        /// Where.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A number of the command line is out of its range: change it.
    #[error("`{name}` is {given}; it can be {least} to {most}")]
    Setting {
        /// Which.
        name: &'static str,
        /// The number given.
        given: usize,
        /// Least that is allowed.
        least: usize,
        /// Most that is allowed.
        most: usize,
    },
    /// The directory for spaces that live only as long as a measurement can't be made or used.
    #[error("{}: {reason}", .path.display())]
    Scratch {
        /// Which.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The actors could not be started as configured, or stopped.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// Memory refused.
    #[error("memory failed during the measurement: {0}")]
    Memory(#[from] MemoryError),
    /// The embedder refused.
    #[error("the embedder failed during the measurement: {0}")]
    Embedder(#[from] EmbedError),
    /// The language model did not answer: see to its server, its address or its name.
    #[error("the language model failed during the measurement: {0}")]
    Model(String),
    /// A program or a system did not do its part.
    #[error("it can't be measured: {0}")]
    Other(String),
    /// An actor gave no answer.
    #[error("{0} gave no answer during the measurement")]
    NoAnswer(&'static str),
}
