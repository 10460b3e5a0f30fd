//! What can go wrong.

use bethink_domain::NameFault;
use bethink_protocol::{ConverseError, MemoryError};
use bethink_runtime::{AskError, RuntimeError};
use bethink_settings::SettingsError;

/// Why something was not done, by what the caller can do about it.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The settings are wrong: correct the key that is named. Nothing has been started.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The data is in use or damaged, or a space rests: see which.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// Memory refused.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The message was not answered; nothing of it was remembered.
    #[error(transparent)]
    Converse(#[from] ConverseError),
    /// No agent or user can have this name.
    #[error(transparent)]
    Name(#[from] NameFault),
    /// The socket for other processes could not be opened.
    #[error("the socket could not be opened: {0}")]
    Socket(String),
}

impl From<AskError<MemoryError>> for Error {
    fn from(error: AskError<MemoryError>) -> Self {
        match error {
            AskError::Runtime(error) => Self::Runtime(error),
            AskError::Refused(error) => Self::Memory(error),
        }
    }
}

impl From<AskError<ConverseError>> for Error {
    fn from(error: AskError<ConverseError>) -> Self {
        match error {
            AskError::Runtime(error) => Self::Runtime(error),
            AskError::Refused(error) => Self::Converse(error),
        }
    }
}
