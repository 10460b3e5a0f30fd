//! Waking: how long it takes, and what a space that is awake holds in memory.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use bethink_domain::{Cue, RecallMode, UnitVector};
use bethink_protocol::Recall;
use tokio::time::Instant;

use super::figures::MemoryFigures;
use super::machine::resident;
use super::made::{Maker, asked};
use super::spaces::{NOW, Space, owner};
use crate::error::EvaluationError;
use crate::progress::{Meter, Watch};
use crate::score::Times;
use crate::stage::{EvaluationParts, Stage};

/// Times that a space is woken.
const WAKINGS: usize = 7;
/// No more time than this for them; but twice at least.
const WAKINGS_TIME: Duration = Duration::from_secs(30);
/// Recalls after which memory is looked at: caches are as full as they get.
const RECALLS: usize = 100;
/// Longest wait for the process whose memory is looked at.
const PATIENCE: Duration = Duration::from_secs(300);

/// Makes a process of its own that calls [`resident_of`] with the directory and the number of memories, and prints what
/// it gives as JSON.
pub type ResidentOf = Arc<dyn Fn(&Path, usize) -> std::process::Command + Send + Sync>;

fn cue(maker: &Maker, k: usize, traces: usize) -> Cue {
    let n = asked(k, traces);
    let embedding = UnitVector::new(maker.asking(n)).ok();
    Cue { embedding, ..Cue::new(maker.question(n), NOW) }
}

async fn look(stage: &Stage, cue: Cue) -> Result<(), EvaluationError> {
    stage.recall(&owner(), Recall { cue, mode: RecallMode::Observe }).await.map(drop)
}

/// From a space asleep, its file closed, to the answer of its first recall.
pub(super) async fn wake(
    stage: &Stage,
    space: &Space,
    maker: &Maker,
    watch: Watch<'_>,
) -> Result<Times, EvaluationError> {
    let mut meter = Meter::start("waking", WAKINGS);
    let (mut times, mut spent) = (Vec::new(), Duration::ZERO);
    while times.len() < WAKINGS && (times.len() < 2 || spent < WAKINGS_TIME) {
        stage.rest().await;
        stage.asleep().await?;
        let cue = cue(maker, times.len(), space.traces);
        let begun = Instant::now();
        look(stage, cue).await?;
        times.push(begun.elapsed());
        spent += begun.elapsed();
        meter.reached(times.len(), watch);
    }
    Ok(Times::of(times))
}

/// Memory of this process before and after it wakes the space in a directory. It must have done nothing else.
///
/// # Errors
/// What failed meanwhile; [`EvaluationError::Other`] where the system does not tell.
pub async fn resident_of(
    root: PathBuf,
    traces: usize,
    parts: &EvaluationParts,
) -> Result<MemoryFigures, EvaluationError> {
    let unknown = || EvaluationError::Other("the system does not tell what a process holds".to_owned());
    let maker = Arc::new(Maker::new());
    let stage = super::stage(parts, root, &maker, 0).await?;
    let (before, _) = resident().ok_or_else(unknown)?;
    for k in 0..RECALLS {
        look(&stage, cue(&maker, k, traces)).await?;
    }
    stage.quiet().await;
    let (awake, peak) = resident().ok_or_else(unknown)?;
    stage.close().await?;
    Ok(MemoryFigures { before, awake, peak })
}

/// The same, in a process of its own.
pub(super) async fn memory(
    space: &Space,
    resident_of: &ResidentOf,
) -> Result<MemoryFigures, EvaluationError> {
    let mut command = tokio::process::Command::from(resident_of(&space.root, space.traces));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).kill_on_drop(true);
    let fault = |what: String| EvaluationError::Other(format!("the process that measures memory: {what}"));
    let done = tokio::time::timeout(PATIENCE, command.output()).await;
    let done = done.map_err(|_| fault("it does not end".to_owned()))?;
    let done = done.map_err(|error| fault(error.to_string()))?;
    serde_json::from_slice(&done.stdout).map_err(|error| fault(error.to_string()))
}
