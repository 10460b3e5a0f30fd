//! What can go wrong with a space's file.

use std::path::{Path, PathBuf};

use bethink_protocol::MemoryError;

/// What a store could not do, by what can be done about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The path is a directory or something else that is no file: move it away.
    #[error("{} is not a file", .path.display())]
    NotAFile {
        /// Which.
        path: PathBuf,
    },
    /// The file holds nothing. A space's file is renamed into place complete, so something else emptied it: restore
    /// it, or remove it to begin anew.
    #[error("{} is empty: restore it from a backup, or remove it to start with no memory", .path.display())]
    Empty {
        /// Which.
        path: PathBuf,
    },
    /// The file is none of ours: move it away.
    #[error("{} is not a memory file of this program", .path.display())]
    Foreign {
        /// Which.
        path: PathBuf,
    },
    /// The file was written by a newer program: use that one.
    #[error(
        "{} has format {found}, and this program reads up to {supported}: use a newer program",
        .path.display()
    )]
    TooNew {
        /// Which.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest that is understood.
        supported: u32,
    },
    /// The file is damaged: restore it from a backup.
    #[error("{} is damaged ({what}): restore it from a backup", .path.display())]
    Damaged {
        /// Which.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// The file may be read but not written: change its mode.
    #[error("{} cannot be written: it is read-only", .path.display())]
    ReadOnly {
        /// Which.
        path: PathBuf,
    },
    /// Another process has the file open: end it, or talk to it.
    #[error("{} is in use by another process", .path.display())]
    InUse {
        /// Which.
        path: PathBuf,
    },
    /// The vectors in the file are of another embedder, and vectors of two embedders are never compared: configure
    /// the stored one again.
    #[error(
        "{} holds vectors of embedder {stored}, but {configured} is configured; configure the former again",
        .path.display()
    )]
    EmbedderChanged {
        /// Which.
        path: PathBuf,
        /// The embedder whose vectors are stored.
        stored: String,
        /// The one that is configured.
        configured: String,
    },
    /// Reading or writing failed: free space or mend the disk, then try again. Nothing was changed.
    #[error("{}: {source}", .path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// A backup can't be put there: name another place.
    #[error("{} can't take a backup: {what}", .path.display())]
    Taken {
        /// Which place.
        path: PathBuf,
        /// What is there.
        what: String,
    },
    /// The disk has too little room: free some, or name another one. Nothing was written.
    #[error(
        "{} has {} MiB free, and {} MiB are needed: free some, or name another place",
        .path.display(), free >> 20, needed.div_ceil(1 << 20)
    )]
    NoRoom {
        /// A directory on that disk.
        path: PathBuf,
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// There is no complete backup that this program can read: name another one.
    #[error("{} is no backup that can be restored: {why}", .path.display())]
    NoBackup {
        /// Which directory.
        path: PathBuf,
        /// What is missing.
        why: String,
    },
    /// The store is stopping, or this work was overtaken by a restart.
    #[error("the store of {} is closed", .path.display())]
    Closed {
        /// Which.
        path: PathBuf,
    },
}

impl StoreError {
    /// The path that could not be written, if that is what went wrong: the disk is full, read-only or failing.
    #[must_use]
    pub fn unwritable_path(&self) -> Option<&Path> {
        match self {
            Self::ReadOnly { path } | Self::Io { path, .. } | Self::NoRoom { path, .. } => Some(path),
            _ => None,
        }
    }

    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                Self::ReadOnly { path }
            }
            std::io::ErrorKind::IsADirectory => Self::NotAFile { path },
            _ => Self::Io { path, source },
        }
    }

    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), what: what.into() }
    }

    pub(crate) fn taken(path: &Path, what: impl Into<String>) -> Self {
        Self::Taken { path: path.to_owned(), what: what.into() }
    }

    /// Sorts what the database reports by what can be done about it.
    pub(crate) fn database(path: &Path, error: impl Into<redb::Error>) -> Self {
        let owned = || path.to_owned();
        match error.into() {
            redb::Error::Io(source) => Self::io(path, source),
            redb::Error::PreviousIo => {
                Self::io(path, std::io::Error::other("an earlier write to it has failed"))
            }
            redb::Error::DatabaseAlreadyOpen | redb::Error::LockProtocolMismatch => {
                Self::InUse { path: owned() }
            }
            redb::Error::DatabaseClosed => Self::Closed { path: owned() },
            redb::Error::UpgradeRequired(version) => {
                Self::damaged(path, format!("it has container version {version}, which is unknown"))
            }
            other => Self::damaged(path, other.to_string()),
        }
    }

    /// What other actors are told.
    pub(crate) fn told(&self) -> MemoryError {
        let text = self.to_string();
        match self {
            Self::ReadOnly { .. } | Self::Io { .. } | Self::NoRoom { .. } => MemoryError::Unwritable(text),
            Self::Taken { .. } => MemoryError::Invalid(text),
            Self::Closed { .. } | Self::InUse { .. } => MemoryError::Unavailable(text),
            Self::NotAFile { .. }
            | Self::Empty { .. }
            | Self::Foreign { .. }
            | Self::TooNew { .. }
            | Self::NoBackup { .. }
            | Self::Damaged { .. }
            | Self::EmbedderChanged { .. } => MemoryError::Damaged(text),
        }
    }
}
