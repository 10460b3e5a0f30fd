//! Which backups were made of a data directory, so that a receipt of forgetting can name those that still hold it.

use std::fs;
use std::path::{Path, PathBuf};

use bethink_domain::{SpaceId, Timestamp, TraceId, TurnId};
use redb::{ReadOnlyDatabase, ReadableDatabase};
use serde::{Deserialize, Serialize};

use super::UNFINISHED;
use super::manifest::{Manifest, read_time, write_json, written};
use crate::error::StoreError;
use crate::file::open::guarded;
use crate::file::tables::{BODIES, Rows, TRANSCRIPT};
use crate::paths::space_path;

/// Name of the list in the data directory.
const NAME: &str = "backups.json";
/// Backups that are kept in mind; the oldest that are gone or far away make room. A year of daily ones and more.
const KNOWN_MAX: usize = 512;

/// The backups that were made of a data directory, oldest first. Everything here blocks on the disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownBackups {
    backups: Vec<Known>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Known {
    path: PathBuf,
    made_at: String,
}

/// A backup that holds something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding {
    /// Where it is, or was.
    pub path: PathBuf,
    /// When it was begun.
    pub made_at: Timestamp,
    /// It was seen there just now. False when its place can't be reached, as on a disk that is not mounted.
    pub seen: bool,
}

impl KnownBackups {
    /// Reads the list; an unreadable one is told in the log and taken for empty, since nothing depends on it but receipts.
    #[must_use]
    pub fn read(data_dir: &Path) -> Self {
        let path = data_dir.join(NAME);
        let Ok(bytes) = fs::read(&path) else { return Self::default() };
        serde_json::from_slice(&bytes).unwrap_or_else(|error| {
            tracing::warn!(path = %path.display(), %error, "the list of backups can't be read");
            Self::default()
        })
    }

    /// Notes a backup before it is begun, so that no moment is left in which something could be copied unnoted.
    ///
    /// # Errors
    /// [`StoreError::Io`] when the list can't be written.
    pub fn note(data_dir: &Path, target: &Path, at: Timestamp) -> Result<(), StoreError> {
        let mut known = Self::read(data_dir);
        known.backups.retain(|backup| backup.path != target);
        if known.backups.len() >= KNOWN_MAX {
            known.backups.retain(|backup| presence(backup) != Presence::Gone);
            let surplus = (known.backups.len() + 1).saturating_sub(KNOWN_MAX);
            known.backups.drain(..surplus);
        }
        known.backups.push(Known { path: target.to_owned(), made_at: written(at) });
        write_json(&data_dir.join(NAME), &known)
    }

    /// The backups that hold one of these traces or turns of a space. Those that were removed hold nothing; of those that
    /// can't be read, or are being made, it is assumed.
    #[must_use]
    pub fn holding(&self, space: &SpaceId, traces: &[TraceId], turns: &[TurnId]) -> Vec<Holding> {
        let mut holding = Vec::new();
        for backup in &self.backups {
            let Some(made_at) = read_time(&backup.made_at) else { continue };
            let seen = match presence(backup) {
                Presence::Gone => continue,
                Presence::There(Some(manifest)) => {
                    let listed = manifest.spaces.iter().any(|copy| copy.space().as_ref() == Some(space));
                    if !listed || !has_rows(&space_path(&backup.path, space), traces, turns).unwrap_or(true) {
                        continue;
                    }
                    true
                }
                Presence::There(None) => true,
                Presence::Unknown => false,
            };
            holding.push(Holding { path: backup.path.clone(), made_at, seen });
        }
        holding
    }
}

/// Whether a file has one of these rows. Its pages are not checked: nothing is taken from it.
fn has_rows(path: &Path, traces: &[TraceId], turns: &[TurnId]) -> Result<bool, StoreError> {
    guarded(path, || {
        let file = ReadOnlyDatabase::open(path).map_err(|error| StoreError::database(path, error))?;
        let read = file.begin_read().map_err(|error| StoreError::database(path, error))?;
        let has = |table: Rows, id: u64| {
            let table = read.open_table(table).map_err(|error| StoreError::database(path, error))?;
            let found = table.get(id).map_err(|error| StoreError::database(path, error))?;
            Ok::<bool, StoreError>(found.is_some())
        };
        for trace in traces {
            if has(BODIES, trace.raw())? {
                return Ok(true);
            }
        }
        for turn in turns {
            if has(TRANSCRIPT, turn.raw())? {
                return Ok(true);
            }
        }
        Ok(false)
    })
}

#[derive(PartialEq)]
enum Presence {
    /// Complete with its manifest, or in the making.
    There(Option<Manifest>),
    Gone,
    /// Its place can't be reached.
    Unknown,
}

fn presence(backup: &Known) -> Presence {
    let mut unfinished = backup.path.clone().into_os_string();
    unfinished.push(UNFINISHED);
    if Path::new(&unfinished).exists() {
        return Presence::There(None);
    }
    match Manifest::read(&backup.path) {
        Ok(manifest) if manifest.made_at == backup.made_at => Presence::There(Some(manifest)),
        // Another one is in its place.
        Ok(_) => Presence::Gone,
        // It may be damaged, and still hold the bytes.
        Err(_) if backup.path.exists() => Presence::There(None),
        Err(_) if backup.path.parent().is_some_and(Path::exists) => Presence::Gone,
        Err(_) => Presence::Unknown,
    }
}
