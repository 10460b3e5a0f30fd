//! What can be wrong with a configuration.

use std::path::PathBuf;

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
    /// The file is not what it must be; the reason names key, line and what is allowed.
    #[error("{}: {reason}", .path.display())]
    Invalid {
        /// Which file.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// A value of the command line is wrong.
    #[error("{0}")]
    Argument(String),
    /// Neither an option nor the environment says where data belongs.
    #[error("no place for the data is known: set HOME or give --data-dir")]
    NoHome,
}
