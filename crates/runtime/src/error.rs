//! What can go wrong around the actors.

use std::path::PathBuf;

/// Why the runtime could not do something, by what the caller can do.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RuntimeError {
    /// Another process owns the data: talk to it, or wait until it ends.
    #[error("{} is in use by process {pid}", .path.display())]
    InUse {
        /// The data directory.
        path: PathBuf,
        /// The owner, as it wrote itself into the lock file.
        pid: u32,
        /// Its socket, if it serves one.
        socket: Option<PathBuf>,
    },
    /// The data directory cannot be made or written.
    #[error("{} cannot be written: {reason}", .path.display())]
    Unwritable {
        /// Which path.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A file of a space is damaged, foreign, of a newer format or of another embedder; it was left as it is.
    #[error("{0}")]
    Data(String),
    /// The space could not be woken, or crashed too often and rests for a while.
    #[error("{0}")]
    Unavailable(String),
    /// The embedder or the language model can't be used: see to its files, its server or its key.
    #[error("{0}")]
    Model(String),
    /// The program or the configuration asks for what cannot be: correct it.
    #[error("{0}")]
    Setup(String),
    /// As many spaces as may be awake are busy.
    #[error("{awake} spaces are awake and busy; try again later")]
    Busy {
        /// How many.
        awake: usize,
    },
    /// The runtime is stopping.
    #[error("bethink is stopping")]
    Stopping,
}
