//! What planning, storing and embedding cost in time, beside what the machine itself costs in the same run.

mod report;
mod sentences;
mod vectors;

use std::fs::File;
use std::io::Write;
use std::time::Duration;

use bethink_domain::{EmbedderIdentity, RecallMode, Span, Timestamp, UnitVector};
use bethink_planner::{Need, Strategy, decide, hear};
use bethink_protocol::{MemoryPorts, Recall, Urgency};
use kameo::prelude::*;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::error::EvaluationError;
use crate::progress::{Meter, Watch};
use crate::score::Times;
use crate::stage::{EvaluationParts, Stage, ask, named, remember};
pub use report::OverheadReport;
pub(crate) use sentences::{messages, statements};
use vectors::near_clusters;

/// Most traces of a measurement: beyond, embedding alone takes a quarter of an hour.
pub(crate) const TRACES_MAX: usize = 100_000;
/// Messages that are planned: enough for a p99 that twenty values lie above.
const MESSAGES: usize = 2_000;
/// Pairs of a durable statement and an fsync; half a minute on a slow disk.
const PAIRS: usize = 200;
/// Embeddings of one message.
const EMBEDDINGS: usize = 50;
/// Texts of one embedding request: a second's work, so that progress shows.
const BATCH: usize = 64;
/// Statements being stored at once, so that they share commits.
const STORING: usize = 64;
/// Bytes written before each fsync: one page, the least that a database writes.
const PAGE: [u8; 4_096] = [0x5A; 4_096];

/// The time of a measurement, at which it stands still: 2026-01-01.
const NOW: Timestamp = Timestamp::from_millis(1_767_225_600_000);

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Traces in the space, 1 to 100,000.
    pub traces: usize,
    /// Vectors are drawn near random centres in place of being embedded, which saves 5 ms for each.
    pub hashed: bool,
}

impl Default for Load {
    fn default() -> Self {
        Self { traces: 10_000, hashed: false }
    }
}

/// Measures what a turn costs beyond embedding, execution and commit; a durable statement beside an fsync on the same
/// disk, in turns; and one embedding.
///
/// # Errors
/// [`EvaluationError::Setting`] when the load is out of range; or what failed meanwhile.
pub async fn overhead(
    load: Load,
    parts: &EvaluationParts,
    watch: Watch<'_>,
) -> Result<OverheadReport, EvaluationError> {
    if !(1..=TRACES_MAX).contains(&load.traces) {
        let (given, most) = (load.traces, TRACES_MAX);
        return Err(EvaluationError::Setting { name: "traces", given, least: 1, most });
    }
    let stage = Stage::open(parts, NOW).await?;
    let measured = measure(&stage, load, watch).await;
    let closed = stage.close().await;
    let report = measured?;
    closed?;
    Ok(report)
}

async fn measure(stage: &Stage, load: Load, watch: Watch<'_>) -> Result<OverheadReport, EvaluationError> {
    let embedder = stage.embedder().await?;
    stage.warm_up(&embedder).await;
    let memory = stage.space("overhead").await?;
    let told = with_vectors(stage, &embedder, statements(load.traces + PAIRS), load, watch).await?;
    let (filling, pairs) = told.split_at(load.traces);
    fill(&memory, filling, watch).await?;
    let asked = with_vectors(stage, &embedder, messages(MESSAGES), load, watch).await?;
    let Planned { planning, reading, recalling, wake_up } =
        plan(stage, &memory, &embedder, asked, watch).await?;
    let (remembering, fsync) = store(stage, &memory, pairs).await?;
    Ok(OverheadReport {
        profile: stage.profile.to_owned(),
        embedder: named(&embedder),
        hashed: load.hashed,
        traces: load.traces,
        messages: MESSAGES,
        planning,
        reading,
        recalling,
        wake_up,
        remembering,
        fsync,
        embedding: embed(stage).await?,
    })
}

/// A text and its vector.
pub(crate) type Meant = (String, Option<UnitVector>);

pub(crate) async fn with_vectors(
    stage: &Stage,
    embedder: &EmbedderIdentity,
    texts: Vec<String>,
    load: Load,
    watch: Watch<'_>,
) -> Result<Vec<Meant>, EvaluationError> {
    if load.hashed {
        let vectors = near_clusters(usize::from(embedder.dimensions), texts.len());
        return Ok(texts.into_iter().zip(vectors).collect());
    }
    let mut meter = Meter::start("embedding", texts.len());
    let mut meant = Vec::with_capacity(texts.len());
    for batch in texts.chunks(BATCH) {
        let vectors = stage.embed(batch.to_vec(), Urgency::Import).await?.vectors;
        meant.extend(batch.iter().cloned().zip(vectors));
        meter.reached(meant.len(), watch);
    }
    Ok(meant)
}

/// Stores what is told, spread over the year before [`NOW`].
pub(crate) async fn fill(
    memory: &MemoryPorts,
    told: &[Meant],
    watch: Watch<'_>,
) -> Result<(), EvaluationError> {
    let mut meter = Meter::start("storing", told.len());
    let mut storing = JoinSet::new();
    let mut waiting = told.iter().enumerate();
    let mut stored = 0;
    loop {
        while storing.len() < STORING
            && let Some((number, (text, vector))) = waiting.next()
        {
            let days = 365.0 * (told.len() - number) as f64 / told.len() as f64;
            let at = NOW - Span::from_days(days);
            let (memory, text, vector) = (memory.clone(), text.clone(), vector.clone());
            storing.spawn(async move { remember(&memory, &text, at, vector).await });
        }
        match storing.join_next().await {
            Some(Ok(done)) => drop(done?),
            Some(Err(_)) => return Err(EvaluationError::NoAnswer("a task that stores")),
            None => return Ok(()),
        }
        stored += 1;
        meter.reached(stored, watch);
    }
}

/// What planning took, in all and in parts, and waking.
struct Planned {
    planning: Times,
    reading: Times,
    recalling: Times,
    wake_up: Times,
}

/// Plans each message as a turn does, and before each wakes an actor that has nothing to do.
async fn plan(
    stage: &Stage,
    memory: &MemoryPorts,
    embedder: &EmbedderIdentity,
    asked: Vec<Meant>,
    watch: Watch<'_>,
) -> Result<Planned, EvaluationError> {
    let idler = Idler::spawn(Idler);
    let mut meter = Meter::start("planning", asked.len());
    let (mut reading, mut recalling, mut wake_ups) = (Vec::new(), Vec::new(), Vec::new());
    for (done, (message, vector)) in (1..).zip(asked) {
        let begun = Instant::now();
        idler.ask(Nudge).await.map_err(|_| EvaluationError::NoAnswer("an idle actor"))?;
        wake_ups.push(begun.elapsed());
        let (read, recalled) = turn(stage, memory, embedder, &message, vector).await?;
        reading.push(read);
        recalling.push(recalled);
        meter.reached(done, watch);
    }
    idler.kill();
    let planning = reading.iter().zip(&recalling).map(|(read, recalled)| *read + *recalled).collect();
    Ok(Planned {
        planning: Times::of(planning),
        reading: Times::of(reading),
        recalling: Times::of(recalling),
        wake_up: Times::of(wake_ups),
    })
}

/// The time of reading a message and deciding what it needs, and of the recall.
async fn turn(
    stage: &Stage,
    memory: &MemoryPorts,
    embedder: &EmbedderIdentity,
    message: &str,
    vector: Option<UnitVector>,
) -> Result<(Duration, Duration), EvaluationError> {
    let begun = Instant::now();
    let heard = hear(message);
    let vector = vector.filter(|_| heard.need == Need::Recollection);
    let prototypes = match heard.ruled {
        Some(_) => None,
        None => stage.prototypes.of(embedder, stage.embed_port()).await,
    };
    let decision = decide(&heard, prototypes, vector.as_ref());
    let cue = Strategy::Planned(stage.planner.depth).cue(&heard, &decision, vector, NOW);
    let read = begun.elapsed();
    if let Some(cue) = cue {
        ask(&memory.recall, Recall { cue, mode: RecallMode::Learn }, "memory").await?;
    }
    Ok((read, begun.elapsed().saturating_sub(read)))
}

/// Durable statements and fsyncs in turns, so that both see the same disk.
async fn store(
    stage: &Stage,
    memory: &MemoryPorts,
    told: &[Meant],
) -> Result<(Times, Times), EvaluationError> {
    let path = stage.path().join("pages");
    let scratch =
        |error: std::io::Error| EvaluationError::Scratch { path: path.clone(), reason: error.to_string() };
    let mut file = File::create(&path).map_err(scratch)?;
    let (mut remembering, mut fsyncs) = (Vec::new(), Vec::new());
    for (text, vector) in told {
        let begun = Instant::now();
        remember(memory, text, NOW, vector.clone()).await?;
        remembering.push(begun.elapsed());

        let synced = tokio::task::spawn_blocking(move || (fsync(&mut file), file)).await;
        let (time, back) = synced.map_err(|_| EvaluationError::NoAnswer("a task that writes"))?;
        file = back;
        fsyncs.push(time.map_err(scratch)?);
    }
    Ok((Times::of(remembering), Times::of(fsyncs)))
}

/// The time of writing one page at the end of a file and having it on disk.
fn fsync(file: &mut File) -> std::io::Result<Duration> {
    let begun = Instant::now();
    file.write_all(&PAGE)?;
    file.sync_all()?;
    Ok(begun.elapsed())
}

/// One message of twenty words, each time with another number in it.
async fn embed(stage: &Stage) -> Result<Times, EvaluationError> {
    let mut times = Vec::new();
    for number in 0..EMBEDDINGS {
        let message = format!(
            "Could you tell me where I left the {number} spare keys of the old garden shed before the last holiday?"
        );
        let begun = Instant::now();
        stage.embed(vec![message], Urgency::Turn).await?;
        times.push(begun.elapsed());
    }
    Ok(Times::of(times))
}

/// An actor with nothing to do: what waking one costs is the machine's and the scheduler's.
#[derive(Actor)]
struct Idler;

struct Nudge;

impl Message<Nudge> for Idler {
    type Reply = ();

    async fn handle(&mut self, _: Nudge, _: &mut Context<Self, ()>) {}
}
