//! Many reminders in many spaces: how long a start takes, how late they are told, and what memory they take.

use std::sync::{Arc, Mutex, PoisonError};

use bethink_domain::{Source, SpaceId, Span, Timestamp};
use bethink_protocol::{Look, Parcel, Schedule, Wish};
use bethink_providers::NoEmbedder;
use bethink_runtime::{AskError, Courier, Delivering};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::error::EvaluationError;
use crate::progress::{Meter, Watch};
use crate::score::Times;
use crate::soak::resident;
use crate::stage::{EvaluationParts, Stage, space_named};

/// When they are kept: 2026-12-01, 08:00 UTC.
const KEPT_AT: Timestamp = Timestamp::from_millis(1_796_112_000_000);
/// How long after that the first is due, and how far apart they are.
const FIRST_AFTER: Span = Span::from_seconds(3_600);
const APART: Span = Span::from_millis(36);
/// Spaces that are filled at once.
const SPACES_AT_ONCE: usize = 8;

/// How much is kept, and how much of it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reminding {
    /// Spaces.
    pub spaces: usize,
    /// Reminders of each.
    pub each: usize,
    /// Of all, so many are told, one after another.
    pub told: usize,
}

/// What it took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RemindersReport {
    /// What was asked for.
    pub asked: Reminding,
    /// From nothing to a runtime that knows what is due next, in milliseconds.
    pub start_ms: f64,
    /// Resident memory in KiB before a runtime started, and with it started.
    pub resident_kib: Option<(u64, u64)>,
    /// Lateness by the simulated clock.
    pub late: Times,
    /// From the stroke of the timer to the delivery, in real time: the space wakes, lends, delivers.
    pub took: Times,
}

impl RemindersReport {
    /// For programs.
    #[must_use]
    pub fn json(&self) -> Value {
        let times = |times: Times| json!({ "mean_ms": times.mean_ms, "p50_ms": times.p50_ms, "p99_ms": times.p99_ms });
        json!({
            "spaces": self.asked.spaces, "reminders": self.asked.spaces * self.asked.each, "told": self.asked.told,
            "start_ms": self.start_ms, "resident_kib_before": self.resident_kib.map(|(before, _)| before),
            "resident_kib": self.resident_kib.map(|(_, after)| after),
            "late_by_the_simulated_clock": times(self.late), "delivery": times(self.took),
        })
    }

    /// For people.
    #[must_use]
    pub fn human(&self) -> String {
        let kib = |kib: u64| format!("{:.1} MB", kib as f64 / 1_024.0);
        let resident = self.resident_kib.map_or_else(
            || "unknown".to_owned(),
            |(before, after)| format!("{} ({} before the start)", kib(after), kib(before)),
        );
        format!(
            "{} reminders in {} spaces\n  start           {:.0} ms until it is known what is due next\n  resident        {resident}\n  \
             late            {:.1} ms at most among {} told, by the simulated clock\n  delivery        p50 {:.1} ms, p99 {:.1} ms \
             from the stroke, most of them with a space to wake",
            self.asked.spaces * self.asked.each,
            self.asked.spaces,
            self.start_ms,
            self.late.p99_ms,
            self.asked.told,
            self.took.p50_ms,
            self.took.p99_ms,
        )
    }
}

/// Keeps what it is handed, and how late by the simulated clock.
#[derive(Debug, Default)]
struct Letterbox(Mutex<Vec<(f64, SpaceId)>>);

impl Letterbox {
    fn last(&self) -> Option<SpaceId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).last().map(|(_, space)| space.clone())
    }

    fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

impl Courier for Letterbox {
    fn door(&self) -> &'static str {
        "letterbox"
    }

    fn deliver<'a>(&'a self, parcel: &'a Parcel) -> Delivering<'a> {
        let late = parcel.at.since(parcel.due.due_at).as_millis() as f64;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((late, parcel.space.clone()));
        Box::pin(std::future::ready(Ok(())))
    }
}

/// Keeps reminders in many spaces, starts anew, and has some of them told at their times on a simulated clock.
///
/// # Errors
/// What could not be started, kept or told.
pub async fn reminders(
    asked: Reminding,
    parts: &EvaluationParts,
    watch: Watch<'_>,
) -> Result<RemindersReport, EvaluationError> {
    if !(1..=100_000).contains(&asked.spaces) || !(1..=10_000).contains(&asked.each) {
        let message = "there can be 1 to 100000 spaces, with 1 to 10000 reminders each";
        return Err(EvaluationError::Other(message.to_owned()));
    }
    let scratch = |error: std::io::Error| EvaluationError::Scratch {
        path: parts.scratch.clone(),
        reason: error.to_string(),
    };
    std::fs::create_dir_all(&parts.scratch).map_err(scratch)?;
    let dir = tempfile::Builder::new().prefix("bethink-eval-").tempdir_in(&parts.scratch).map_err(scratch)?;
    let root = dir.path().to_owned();
    let plain = |ingredients: &mut bethink_runtime::Ingredients| {
        ingredients.embedding = Arc::new(NoEmbedder);
        ingredients.senses = None;
    };
    let stage = Stage::open_over(parts, KEPT_AT, root.clone(), plain).await?;
    let filled = fill(&stage, asked, watch).await;
    stage.close().await?;
    filled?;
    let before = resident();
    let begun = Instant::now();
    let stage = Stage::open_over(parts, KEPT_AT, root, plain).await?;
    let next = stage.handle.next_due();
    let start_ms = begun.elapsed().as_secs_f64() * 1e3;
    let resident_kib = before.zip(resident());
    let told = if next.is_some() { tell(&stage, asked, watch).await } else { Ok((Vec::new(), Vec::new())) };
    stage.close().await?;
    let (late, took) = told?;
    let (late, took) = (Times::of_millis(late), Times::of_millis(took));
    Ok(RemindersReport { asked, start_ms, resident_kib, late, took })
}

async fn fill(stage: &Stage, asked: Reminding, watch: Watch<'_>) -> Result<(), EvaluationError> {
    let mut meter = Meter::start("keeping", asked.spaces);
    let mut filling = JoinSet::new();
    let mut done = 0;
    for number in 0..asked.spaces {
        if filling.len() >= SPACES_AT_ONCE {
            if let Some(filled) = filling.join_next().await {
                filled.map_err(|_| EvaluationError::Other("keeping reminders broke off".to_owned()))??;
            }
            done += 1;
            meter.reached(done, watch);
        }
        let handle = Arc::clone(&stage.handle);
        filling.spawn(async move {
            let space = space_named(&format!("u{number}"));
            for n in 0..asked.each {
                let place = i64::try_from(n * asked.spaces + number).unwrap_or(i64::MAX);
                let due = KEPT_AT + FIRST_AFTER + Span::from_millis(APART.as_millis().saturating_mul(place));
                let wish = Wish::Parts {
                    text: format!("look after matter {n}"),
                    at: Some(iso(due)),
                    within: None,
                    every: None,
                    event: None,
                    context: None,
                    answer: None,
                };
                let schedule = Schedule {
                    wish,
                    referent: None,
                    tags: Vec::new(),
                    zone: None,
                    source: Source::UserStatement,
                    turn: None,
                    at: KEPT_AT,
                };
                handle.ask(&space, |ports| &ports.reminders.schedule, schedule).await.map_err(refused)?;
            }
            Ok::<_, EvaluationError>(())
        });
    }
    while let Some(filled) = filling.join_next().await {
        filled.map_err(|_| EvaluationError::Other("keeping reminders broke off".to_owned()))??;
    }
    Ok(())
}

fn refused<E: std::fmt::Display>(error: AskError<E>) -> EvaluationError {
    EvaluationError::Other(error.to_string())
}

fn iso(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.as_millis()).map(|at| at.to_string()).unwrap_or_default()
}

/// Lateness by the simulated clock, and real milliseconds from the stroke to the delivery.
async fn tell(
    stage: &Stage,
    asked: Reminding,
    watch: Watch<'_>,
) -> Result<(Vec<f64>, Vec<f64>), EvaluationError> {
    let letterbox = Arc::new(Letterbox::default());
    stage.handle.bells().add(letterbox.clone());
    let total = asked.told.min(asked.spaces * asked.each);
    let mut meter = Meter::start("telling", total);
    let mut took = Vec::new();
    while letterbox.count() < total {
        let before = letterbox.count();
        let Some(next) = stage.handle.next_due() else { break };
        stage.clock.set(next);
        let begun = Instant::now();
        stage.tick().await;
        while letterbox.count() == before {
            if begun.elapsed() > std::time::Duration::from_secs(30) {
                let message =
                    format!("of {total} reminders, {before} were told and the next was not within 30 s");
                return Err(EvaluationError::Other(message));
            }
            tokio::task::yield_now().await;
        }
        took.push(begun.elapsed().as_secs_f64() * 1e3);
        // What is due next is known once this one was acknowledged.
        let last = letterbox.last();
        let look = Look { at: next };
        if let Some(space) = last {
            stage.handle.ask(&space, |ports| &ports.reminders.look, look).await.map_err(refused)?;
        }
        meter.reached(letterbox.count(), watch);
    }
    let told = letterbox.0.lock().unwrap_or_else(PoisonError::into_inner);
    Ok((told.iter().map(|(late, _)| *late).collect(), took))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::hashed;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn every_reminder_is_told_and_none_late() {
        let scratch = tempfile::tempdir().unwrap();
        let parts = hashed::parts(scratch.path().to_owned());
        let asked = Reminding { spaces: 3, each: 4, told: 12 };
        let report = reminders(asked, &parts, &mut |_| ()).await.unwrap();
        assert_eq!(report.late.p99_ms.to_bits(), 0f64.to_bits(), "{report:?}");
        assert!(report.human().contains("among 12 told"), "{}", report.human());
        let none = Reminding { spaces: 0, ..asked };
        assert!(matches!(reminders(none, &parts, &mut |_| ()).await, Err(EvaluationError::Other(_))));
    }
}
