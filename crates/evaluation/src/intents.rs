//! How well the intent of utterances is told, on a file of labelled ones.

mod report;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::Duration;

use bethink_domain::{Decision, Intent, Timestamp};
use bethink_planner::{Heard, decide, hear};
use bethink_protocol::Urgency;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::error::EvaluationError;
use crate::lines::{Id, Lines, Written, shortened};
use crate::progress::{Meter, Watch};
use crate::score::Times;
use crate::stage::{EvaluationParts, Stage, named};
use report::Confusion;
pub use report::IntentsReport;

/// Utterances that are read at a time: as many as one embedding request holds.
const BATCH: usize = 256;

/// A line of the file. Other fields are ignored.
#[derive(Debug, Deserialize)]
struct Line {
    id: Option<Id>,
    text: String,
    label4: String,
}

/// An utterance whose intent is known.
struct Labelled {
    id: Option<Id>,
    text: String,
    intent: Intent,
}

/// An utterance that has been read.
struct Read {
    labelled: Labelled,
    heard: Heard,
    hearing: Duration,
}

/// A line of what was decided.
#[derive(Serialize)]
struct DecidedLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: &'a Option<Id>,
    text: &'a str,
    label: &'static str,
    rule: &'a str,
}

/// Measures how well intents are told on a file of lines `{"text":…,"label4":…}`, where a label is `memory`,
/// `reasoning`, `general` or `small_talk`.
///
/// Utterances are read as turns are: rules on words, and where none fires one embedding, compared with what was
/// learnt. Nothing is stored. The file is read twice, first to find what is wrong with it. With `out`, what was decided
/// for each utterance is written there as lines `{"id":…,"text":…,"label":…,"rule":…}`.
///
/// # Errors
/// What is wrong with the file, before anything is measured; or what failed meanwhile.
pub async fn intents(
    path: &Path,
    out: Option<&Path>,
    parts: &EvaluationParts,
    watch: Watch<'_>,
) -> Result<IntentsReport, EvaluationError> {
    let utterances = count(path)?;
    let mut written = out.map(Written::create).transpose()?;
    let stage = Stage::open(parts, Timestamp::default()).await?;
    let measured = measure(&stage, path, (utterances, &mut written), watch).await;
    let closed = stage.close().await;
    let report = measured?;
    closed?;
    written.map_or(Ok(()), Written::finish)?;
    Ok(report)
}

/// How many utterances there are, all of them well formed.
fn count(path: &Path) -> Result<usize, EvaluationError> {
    let mut lines = Lines::open(path)?;
    let mut found = 0;
    while next(&mut lines)?.is_some() {
        found += 1;
    }
    if found == 0 {
        let what = "no utterance; one is a line such as {\"text\":\"hello\",\"label4\":\"small_talk\"}";
        return Err(EvaluationError::Empty { path: path.to_owned(), what });
    }
    Ok(found)
}

fn next(lines: &mut Lines) -> Result<Option<Labelled>, EvaluationError> {
    let Some((spot, Line { id, text, label4 })) = lines.next::<Line>()? else { return Ok(None) };
    let intent = Intent::from_name(&label4).ok_or_else(|| {
        let label = shortened(&label4);
        let reason = format!("`{label}` is no intent; there are memory, reasoning, general and small_talk");
        lines.fault(spot, reason)
    })?;
    Ok(Some(Labelled { id, text, intent }))
}

async fn measure(
    stage: &Stage,
    path: &Path,
    (utterances, written): (usize, &mut Option<Written>),
    watch: Watch<'_>,
) -> Result<IntentsReport, EvaluationError> {
    let embedder = stage.embedder().await?;
    stage.warm_up(&embedder).await;
    let mut meter = Meter::start("reading utterances", utterances);
    let mut lines = Lines::open(path)?;
    let mut confusion = Confusion::default();
    let (mut spent, mut ruled) = (Vec::with_capacity(utterances), 0);
    loop {
        let batch = read_batch(&mut lines)?;
        if batch.is_empty() {
            break;
        }
        ruled += batch.iter().filter(|read| read.heard.ruled.is_some()).count();
        for (read, decision, time) in decide_all(stage, batch).await? {
            confusion.add(read.labelled.intent, decision.intent);
            spent.push(time);
            if let Some(written) = written {
                let Labelled { id, text, .. } = &read.labelled;
                written.line(&DecidedLine {
                    id,
                    text,
                    label: decision.intent.name(),
                    rule: &decision.rule,
                })?;
            }
        }
        meter.reached(spent.len(), watch);
    }
    Ok(IntentsReport {
        path: path.to_owned(),
        embedder: named(&embedder),
        ruled,
        confusion,
        deciding: Times::of(spent),
    })
}

fn read_batch(lines: &mut Lines) -> Result<Vec<Read>, EvaluationError> {
    let mut batch = Vec::with_capacity(BATCH);
    while batch.len() < BATCH
        && let Some(labelled) = next(lines)?
    {
        let begun = Instant::now();
        let heard = hear(&labelled.text);
        batch.push(Read { labelled, heard, hearing: begun.elapsed() });
    }
    Ok(batch)
}

/// Decides a batch, with one embedding request for all that no rule decides; with the time that each took.
async fn decide_all(
    stage: &Stage,
    batch: Vec<Read>,
) -> Result<Vec<(Read, Decision, Duration)>, EvaluationError> {
    let open = batch.iter().filter(|read| read.heard.ruled.is_none());
    let cues: Vec<String> = open.map(|read| read.heard.cue.clone()).collect();
    let embedded = stage.embed(cues, Urgency::Import).await?;
    let prototypes = stage.prototypes.of(&embedded.identity, stage.embed_port()).await;
    let mut vectors = embedded.vectors.into_iter();
    let decided = batch.into_iter().map(|read| {
        let vector = if read.heard.ruled.is_none() { vectors.next().flatten() } else { None };
        let begun = Instant::now();
        let decision = decide(&read.heard, prototypes, vector.as_ref());
        let time = read.hearing + begun.elapsed();
        (read, decision, time)
    });
    Ok(decided.collect())
}
