//! Backups by the clock: made by whoever owns the data, one at a time, of which the newest few are kept.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bethink_clock::Clock;
use bethink_domain::{Bounded, Span, Timestamp};
use bethink_memory_store::{KeptBackups, Manifest};
use bethink_protocol::{Offload, offload};
use jiff::SignedDuration;

use crate::backup::Backups;
use crate::mishaps::Mishaps;

/// Longest wait after a failure. Whoever frees the disk or mounts it again need not wait for the next day.
const RETRY_MAX: Span = Span::from_seconds(3_600);
/// Shortest and longest time between two backups, in hours.
const PERIOD_HOURS: std::ops::RangeInclusive<f64> = 0.25..=8_784.0;

/// Backups by the clock.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BackupConfig {
    /// Where they are made, each in a directory of its own; none are made if absent. It must lie outside of the data
    /// directory, and helps most on another disk.
    pub dir: Option<PathBuf>,
    /// Time between two, such as `24h` or `90m`, from 15 minutes to 366 days. One that was missed is made as soon as memory
    /// has an owner again, once.
    pub every: String,
    /// How many are kept, 1 to 1,000. What was forgotten is in each one that was made before.
    pub keep: usize,
}

impl Default for BackupConfig {
    fn default() -> Self {
        Self { dir: None, every: "24h".to_owned(), keep: 7 }
    }
}

impl BackupConfig {
    /// The numbers, and what they may be.
    #[must_use]
    pub fn bounds(&self) -> Vec<Bounded> {
        vec![Bounded::new("keep", self.keep as f64, 1.0, 1_000.0)]
    }

    /// Time between two backups.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub fn period(&self) -> Result<Span, String> {
        let said = "write a time from 15 minutes to 366 days as `24h`, `90m` or `1h 30m`";
        let period: SignedDuration =
            self.every.parse().map_err(|_| format!("`{}` is no time: {said}", self.every))?;
        if !PERIOD_HOURS.contains(&(period.as_secs_f64() / 3_600.0)) {
            return Err(format!("`{}` is out of range: {said}", self.every));
        }
        Ok(Span::from_seconds(period.as_secs()))
    }
}

/// How backups by the clock are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupHealth {
    /// Where they are made.
    pub dir: PathBuf,
    /// Time between two.
    pub every: Span,
    /// One is being made.
    pub making: bool,
    /// The newest complete one: where it is, and when it was begun.
    pub last: Option<(PathBuf, Timestamp)>,
    /// Why the latest attempt failed, and when; none when it did not.
    pub failed: Option<(Timestamp, String)>,
    /// When the next one is due.
    pub next_at: Timestamp,
}

/// Makes backups when their time has come. Clones share what they know.
#[derive(Clone)]
pub(crate) struct Schedule {
    kept: KeptBackups,
    keep: usize,
    backups: Backups,
    clock: Arc<dyn Clock>,
    blocking: Arc<dyn Offload>,
    mishaps: Mishaps,
    health: Arc<Mutex<BackupHealth>>,
}

impl Schedule {
    /// None when no directory is configured. A time between two that is none counts as a day; the settings refuse it.
    pub(crate) fn new(
        config: &BackupConfig,
        backups: Backups,
        clock: Arc<dyn Clock>,
        blocking: Arc<dyn Offload>,
        mishaps: Mishaps,
    ) -> Option<Self> {
        let dir = config.dir.clone()?;
        let every = config.period().unwrap_or(Span::from_seconds(24 * 3_600));
        let kept = KeptBackups::new(&dir, backups.data_dir());
        let now = clock.now();
        let health = BackupHealth { dir, every, making: false, last: None, failed: None, next_at: now };
        let health = Arc::new(Mutex::new(health));
        Some(Self { kept, keep: config.keep, backups, clock, blocking, mishaps, health })
    }

    /// How they are.
    pub(crate) fn health(&self) -> BackupHealth {
        self.health.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks every `period` whether one is due, for ever; one after the other.
    pub(crate) fn run(self, period: Duration) -> tokio::task::AbortHandle {
        let running = tokio::spawn(async move {
            self.look_back().await;
            loop {
                tokio::time::sleep(period).await;
                self.stroke().await;
            }
        });
        running.abort_handle()
    }

    /// Learns from the disk when the last one was made, so that one that was missed is made, and no other.
    pub(crate) async fn look_back(&self) {
        let kept = self.kept.clone();
        let newest = offload(&self.blocking, move || kept.all().pop()).await.ok().flatten();
        let Some((path, manifest)) = newest else { return };
        let Some(at) = manifest.begun_at() else { return };
        self.change(|health| {
            health.last = Some((path, at));
            health.next_at = at + health.every;
        });
    }

    /// Makes a backup if one is due.
    pub(crate) async fn stroke(&self) {
        let now = self.clock.now();
        if now < self.health().next_at {
            return;
        }
        let target = self.kept.place(now);
        self.change(|health| health.making = true);
        let made = self.backups.make(&target, now).await;
        let mishap = |what: String| {
            tracing::error!(what, "scheduled backup");
            self.mishaps.note(None, what);
        };
        match &made {
            Ok(manifest) => {
                if let Some(left) = manifest.left_out.first() {
                    let (count, reason) = (manifest.left_out.len(), &left.reason);
                    mishap(format!("the scheduled backup lacks {count} of the spaces: {reason}"));
                }
                let (kept, keep) = (self.kept.clone(), self.keep);
                if let Ok(Err(error)) = offload(&self.blocking, move || kept.prune(keep)).await {
                    mishap(format!("an old backup could not be removed: {error}"));
                }
            }
            Err(error) => mishap(format!("the scheduled backup failed: {error}")),
        }
        self.change(|health| settle(health, made.map_err(|error| error.to_string()), target, now));
    }

    fn change(&self, work: impl FnOnce(&mut BackupHealth)) {
        work(&mut self.health.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// What is known after an attempt that was begun at a time.
fn settle(health: &mut BackupHealth, made: Result<Manifest, String>, target: PathBuf, now: Timestamp) {
    health.making = false;
    match made {
        Ok(manifest) => {
            tracing::info!(path = %target.display(), spaces = manifest.spaces.len(), "backup made");
            health.last = Some((target, now));
            health.failed = None;
            health.next_at = now + health.every;
        }
        Err(why) => {
            health.failed = Some((now, why));
            health.next_at = now + Span::from_millis(health.every.as_millis().min(RETRY_MAX.as_millis()));
        }
    }
}
