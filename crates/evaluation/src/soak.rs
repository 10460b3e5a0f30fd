//! Weeks of conversation in minutes: whether memory, file handles and disk stay flat.
//!
//! Users come back day after day. Most of what they say they have said before, as people do, so that memory itself need
//! not grow; what does grow is the transcript, word for word, and it is counted apart as bytes a turn.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use bethink_domain::{SessionId, Span, Timestamp};

use crate::error::EvaluationError;
use crate::progress::{Meter, Watch};
use crate::stage::{EvaluationParts, Stage, space_named};

/// When the first day begins: 2026-03-02, 08:00 UTC.
const FIRST_DAY: Timestamp = Timestamp::from_millis(1_772_438_400_000);
/// What users say in turn: statements, questions about them, small talk.
const SAYINGS: &[&str] = &[
    "I take my blood pressure tablet every morning after breakfast.",
    "When do I take my tablet?",
    "My bicycle is locked behind the bakery.",
    "ok thanks",
    "The spare key hangs in the shed.",
    "Where is my bicycle?",
    "My sister Runa plays the cello on Fridays.",
    "What is the capital of Portugal?",
    "I prefer tea without sugar.",
    "Who plays the cello?",
    "The boiler was serviced by the plumber from Market Street.",
    "What do you know about me?",
    "Where is the spare key?",
    "hello",
    "How do I like my tea?",
    "I parked the van on the upper deck.",
    "Who serviced the boiler?",
];

/// How much is lived through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Life {
    /// Days.
    pub days: usize,
    /// Users, each with a space.
    pub users: usize,
    /// Turns of each user on each day.
    pub turns: usize,
}

/// What the process holds at the end of a day, with every space asleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Sample {
    /// Days lived through.
    pub day: usize,
    /// Turns so far.
    pub turns: usize,
    /// Of them, not durable.
    pub failed: usize,
    /// Resident memory in KiB; none where the system does not say.
    pub resident_kib: Option<u64>,
    /// Open file handles; none where the system does not say.
    pub handles: Option<usize>,
    /// Bytes under the data directory.
    pub disk: u64,
}

/// A life, day by day.
#[derive(Debug, Clone, PartialEq)]
pub struct SoakReport {
    /// What was lived through.
    pub life: Life,
    /// At the end of each day.
    pub samples: Vec<Sample>,
    /// Bytes that an idle week after the last day added to the disk.
    pub idle_bytes: u64,
    /// How long it all took.
    pub took: Duration,
}

/// Lives through it.
///
/// # Errors
/// That the scratch directory can't be used, or an actor did not answer.
pub async fn soak(
    life: Life,
    parts: &EvaluationParts,
    watch: Watch<'_>,
) -> Result<SoakReport, EvaluationError> {
    let begun = tokio::time::Instant::now();
    let stage = Stage::open(parts, FIRST_DAY).await?;
    let data = stage.path().join("data");
    let mut meter = Meter::start("living", life.days);
    let mut samples = Vec::with_capacity(life.days);
    let (mut turns, mut failed) = (0, 0);
    for day in 0..life.days {
        stage.clock.set(FIRST_DAY + Span::from_days(day as f64));
        for user in 0..life.users {
            let space = space_named(&format!("user{user}"));
            let session = SessionId::from_raw((day * life.users + user + 1) as u64);
            for turn in 0..life.turns {
                let saying = SAYINGS[(day * 5 + user * 3 + turn) % SAYINGS.len()];
                failed += usize::from(!stage.say(&space, session, saying).await?);
                turns += 1;
                stage.clock.advance(Span::from_seconds(20));
            }
        }
        stage.rest().await;
        stage.asleep().await?;
        samples.push(sample(day + 1, turns, failed, &data));
        meter.reached(day + 1, watch);
    }
    let idle_bytes = idle_week(&stage, &data).await?;
    stage.close().await?;
    Ok(SoakReport { life, samples, idle_bytes, took: begun.elapsed() })
}

/// A week in which nothing is said: the timer strikes every hour.
async fn idle_week(stage: &Stage, data: &Path) -> Result<u64, EvaluationError> {
    let before = disk(data);
    for _ in 0..7 * 24 {
        stage.clock.advance(Span::from_seconds(3_600));
        stage.tick().await;
    }
    stage.asleep().await?;
    Ok(disk(data).saturating_sub(before))
}

fn sample(day: usize, turns: usize, failed: usize, data: &Path) -> Sample {
    let handles = std::fs::read_dir("/proc/self/fd").ok().map(|entries| entries.count().saturating_sub(1));
    Sample { day, turns, failed, resident_kib: resident(), handles, disk: disk(data) }
}

pub(crate) fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

fn disk(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else { return 0 };
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => disk(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    };
    entries.filter_map(Result::ok).map(size).sum()
}

impl SoakReport {
    /// The sample in the middle, by which the second half is judged: the first half fills caches.
    fn middle(&self) -> Option<&Sample> {
        self.samples.get(self.samples.len().saturating_sub(1) / 2)
    }

    /// What the second half added: KiB resident, handles, bytes on disk a turn.
    #[must_use]
    pub fn growth(&self) -> Option<(i64, i64, f64)> {
        let (middle, last) = (self.middle()?, self.samples.last()?);
        let resident = last.resident_kib?.cast_signed() - middle.resident_kib?.cast_signed();
        let handles = last.handles? as i64 - middle.handles? as i64;
        let turns = (last.turns - middle.turns).max(1) as f64;
        Some((resident, handles, (last.disk as f64 - middle.disk as f64) / turns))
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        let growth = self.growth();
        serde_json::json!({
            "days": self.life.days,
            "users": self.life.users,
            "turns_a_day": self.life.turns,
            "samples": self.samples,
            "second_half": growth.map(|(resident, handles, disk)| serde_json::json!({
                "resident_kib": resident, "handles": handles, "disk_bytes_a_turn": disk,
            })),
            "idle_week_bytes": self.idle_bytes,
            "seconds": self.took.as_secs_f64(),
        })
    }

    /// For people: at most twelve days, evenly spread.
    #[must_use]
    pub fn human(&self) -> String {
        let mut out = String::from("  day    turns  failed  resident KiB  handles    disk KiB\n");
        let step = self.samples.len().div_ceil(12).max(1);
        for sample in self.samples.iter().rev().step_by(step).collect::<Vec<_>>().into_iter().rev() {
            let said = |number: Option<String>| number.unwrap_or_else(|| "?".to_owned());
            let _ = writeln!(
                out,
                "{:>5} {:>8} {:>7} {:>13} {:>8} {:>11}",
                sample.day,
                sample.turns,
                sample.failed,
                said(sample.resident_kib.map(|kib| kib.to_string())),
                said(sample.handles.map(|count| count.to_string())),
                sample.disk / 1024,
            );
        }
        if let Some((resident, handles, disk)) = self.growth() {
            let _ = writeln!(
                out,
                "second half: {resident:+} KiB resident, {handles:+} handles, {disk:.0} bytes of disk a turn"
            );
        }
        let _ = writeln!(
            out,
            "an idle week after it: {} bytes of disk; all in {:.0} s",
            self.idle_bytes,
            self.took.as_secs_f64()
        );
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::hashed;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn days_pass_and_nothing_is_left_open() {
        let scratch = tempfile::tempdir().unwrap();
        let parts = hashed::parts(scratch.path().to_owned());
        let life = Life { days: 6, users: 2, turns: 5 };
        let report = soak(life, &parts, &mut |_| ()).await.unwrap();
        let last = report.samples.last().unwrap();
        assert_eq!((report.samples.len(), last.turns, last.failed), (6, 60, 0), "{report:?}");
        assert_eq!(report.idle_bytes, 0, "an idle week writes nothing");
        if let Some((_, handles, _)) = report.growth() {
            // Other tests of this process open files of their own meanwhile.
            assert!(handles < 20, "handles grow: {report:?}");
        }
        assert!(report.human().contains("an idle week after it: 0 bytes"), "{}", report.human());
    }
}
