//! A directory of backups that are made by the clock, of which the newest few are kept.

use std::fs;
use std::path::{Path, PathBuf};

use bethink_domain::Timestamp;

use super::{Manifest, UNFINISHED};
use crate::error::StoreError;

/// How the names of scheduled backups begin. The rest is when they were begun.
const PREFIX: &str = "bethink-";

/// The backups that were made by the clock in a directory. Everything here blocks on the disk.
#[derive(Debug, Clone)]
pub struct KeptBackups {
    dir: PathBuf,
    data_dir: PathBuf,
}

impl KeptBackups {
    /// Backups of `data_dir` in `dir`, which need not be there yet.
    #[must_use]
    pub fn new(dir: &Path, data_dir: &Path) -> Self {
        Self { dir: dir.to_owned(), data_dir: data_dir.to_owned() }
    }

    /// Where a backup that is begun at a time belongs.
    #[must_use]
    pub fn place(&self, at: Timestamp) -> PathBuf {
        let at = jiff::Timestamp::from_millisecond(at.as_millis()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        self.dir.join(format!("{PREFIX}{}", at.strftime("%Y%m%dT%H%M%SZ")))
    }

    /// The complete backups of this data directory with what they say of themselves, oldest first.
    #[must_use]
    pub fn all(&self) -> Vec<(PathBuf, Manifest)> {
        let of_ours = |path: PathBuf| {
            let manifest = Manifest::read(&path).ok()?;
            (Path::new(&manifest.data_dir) == self.data_dir).then_some((path, manifest))
        };
        let mut found: Vec<_> = self.named().into_iter().filter_map(of_ours).collect();
        found.sort_by_key(|(_, manifest)| manifest.begun_at());
        found
    }

    /// Removes all but the newest few, and what was cut short; gives how many complete ones were removed. Call it while no
    /// backup is being made there.
    ///
    /// # Errors
    /// [`StoreError::Io`] when one can't be removed; the others are.
    pub fn prune(&self, keep: usize) -> Result<usize, StoreError> {
        let all = self.all();
        let old = all.len().saturating_sub(keep.max(1));
        let cut_short = self.named().into_iter().filter(|path| {
            path.extension().is_some_and(|ending| UNFINISHED.ends_with(&*ending.to_string_lossy()))
                && Manifest::is_at(path)
        });
        let mut failed = None;
        for path in all.into_iter().take(old).map(|(path, _)| path).chain(cut_short) {
            if let Err(error) = fs::remove_dir_all(&path) {
                failed = Some(StoreError::io(&path, error));
            }
        }
        failed.map_or(Ok(old), Err)
    }

    /// What is named like one.
    fn named(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(&self.dir) else { return Vec::new() };
        let named =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(named).collect()
    }
}
