//! What a backup says of itself: one JSON file, for people and programs.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use bethink_domain::{AgentName, SpaceId, Timestamp, UserName};
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::paths;

/// Name of the manifest in a backup.
const NAME: &str = "manifest.json";
/// The newest version of the manifest that this program reads, and the one that it writes.
const VERSION: u32 = 1;

/// What a backup holds. Fields are added within a version, never renamed or removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this form.
    pub version: u32,
    /// False while the backup is being made, and for ever when that was cut short.
    pub complete: bool,
    /// When it was begun, as RFC 3339: nothing that was told before is missing.
    pub made_at: String,
    /// Version of the program that made it.
    pub program: String,
    /// The data directory that it is of.
    pub data_dir: String,
    /// The spaces, sorted by agent and user.
    pub spaces: Vec<SpaceCopy>,
    /// Spaces that could not be copied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

/// One space in a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceCopy {
    /// The agent.
    pub agent: String,
    /// The user.
    pub user: String,
    /// The file, relative to the backup.
    pub file: String,
    /// Traces that are not forgotten.
    pub traces: u64,
    /// Turns in the transcript.
    pub turns: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// SHA-256 over all rows of the file, in hexadecimal digits. The same rows in other pages have the same one.
    pub checksum: String,
}

/// A space that could not be copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The agent.
    pub agent: String,
    /// The user.
    pub user: String,
    /// Why.
    pub reason: String,
}

impl SpaceCopy {
    /// Which space it is; none when its names are none.
    #[must_use]
    pub fn space(&self) -> Option<SpaceId> {
        Some(SpaceId { agent: AgentName::new(&self.agent).ok()?, user: UserName::new(&self.user).ok()? })
    }
}

impl Manifest {
    pub(super) fn begun(at: Timestamp, program: &str, data_dir: &Path) -> Self {
        Self {
            version: VERSION,
            complete: false,
            made_at: written(at),
            program: program.to_owned(),
            data_dir: data_dir.display().to_string(),
            spaces: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// When it was begun; none when the text is no time.
    #[must_use]
    pub fn begun_at(&self) -> Option<Timestamp> {
        read_time(&self.made_at)
    }

    /// Bytes of all its files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.spaces.iter().map(|space| space.bytes).sum()
    }

    /// Reads the manifest of a complete backup.
    ///
    /// # Errors
    /// [`StoreError::NoBackup`] when there is none, when it was not completed, or when a newer program made it.
    pub fn read(backup: &Path) -> Result<Self, StoreError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let none = |why: String| StoreError::NoBackup { path: backup.to_owned(), why };
        let bytes = match fs::read(backup.join(NAME)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(none(format!("there is no {NAME} in it")));
            }
            Err(error) => return Err(none(format!("{NAME} can't be read: {error}"))),
        };
        let garbled = |error: serde_json::Error| none(format!("{NAME} is damaged: {error}"));
        let Versioned { version } = serde_json::from_slice(&bytes).map_err(garbled)?;
        if version > VERSION {
            return Err(none(format!("a newer program made it (version {version} of its manifest)")));
        }
        let manifest: Self = serde_json::from_slice(&bytes).map_err(garbled)?;
        if !manifest.complete {
            return Err(none("it was never completed".to_owned()));
        }
        Ok(manifest)
    }

    /// Whether a directory says that it is a backup, complete or not.
    pub(super) fn is_at(dir: &Path) -> bool {
        let read = fs::read(dir.join(NAME)).ok();
        read.is_some_and(|bytes| serde_json::from_slice::<Self>(&bytes).is_ok())
    }

    /// Writes the manifest into a backup, durably.
    pub(super) fn write(&self, dir: &Path) -> Result<(), StoreError> {
        let mut sorted = self.clone();
        sorted.spaces.sort_by(|a, b| (&a.agent, &a.user).cmp(&(&b.agent, &b.user)));
        write_json(&dir.join(NAME), &sorted)
    }
}

/// Puts a JSON file in its place, all of it or nothing, for its owner alone.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), StoreError> {
    let fault = |error| StoreError::io(path, error);
    let fresh = path.with_extension("json-new");
    paths::remove_if_there(&fresh).map_err(fault)?;
    let mut text = serde_json::to_vec_pretty(value).map_err(|error| fault(error.into()))?;
    text.push(b'\n');
    let mut file = paths::create_private_file(&fresh).map_err(fault)?;
    file.write_all(&text).and_then(|()| file.sync_all()).map_err(fault)?;
    fs::rename(&fresh, path).map_err(fault)?;
    paths::sync_dir(path.parent().unwrap_or(Path::new("."))).map_err(fault)
}

pub(super) fn written(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.as_millis()).unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_string()
}

pub(super) fn read_time(text: &str) -> Option<Timestamp> {
    let at: jiff::Timestamp = text.parse().ok()?;
    Some(Timestamp::from_millis(at.as_millisecond()))
}
