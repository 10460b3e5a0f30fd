//! What is retrieved for each question about long conversations, for a scorer to judge.

mod corpus;
mod faded;
mod report;
mod results;
mod talk;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use bethink_domain::{Cue, Timestamp};
use tokio::time::Instant;

use crate::error::EvaluationError;
use crate::progress::{Meter, Watch};
use crate::score::Times;
use crate::stage::{EvaluationParts, Stage, named};
use corpus::Corpus;
pub use faded::Evidence;
use faded::Fading;
pub use report::RetrievalReport;
use results::Results;
use talk::Talk;

/// What results name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Turns.
    Turn,
    /// Sessions, each at the place of its best turn.
    Session,
}

/// How memory is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Ranking alone: every question is asked of memory, threshold, depth and fading are off.
    Ranking,
    /// As turns do it under the configuration in force: routing, depth, threshold and fading as they stand.
    Live,
}

/// What is to be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retrieval {
    /// The folder that holds `turns.jsonl` and the questions.
    pub dir: PathBuf,
    /// Name of the file of questions in that folder.
    pub questions: PathBuf,
    /// Where results go.
    pub out: PathBuf,
    /// What results name.
    pub level: Level,
    /// Most results of a question, 1 to 100; in [`Mode::Live`] the depth of its intent is the limit as well.
    pub k: usize,
    /// How memory is asked.
    pub mode: Mode,
}

impl Level {
    /// The word used on the command line and in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Session => "session",
        }
    }
}

impl Mode {
    /// The word used in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ranking => "ranking",
            Self::Live => "live",
        }
    }
}

/// Stores conversations turn by turn, each in a space of its own and every turn at its own time, asks every question
/// at its own time, and writes what came back for each.
///
/// `turns.jsonl` holds lines `{conv_id, session_id, turn_id, timestamp, speaker, text[, caption]}`, the file of
/// questions `{question_id, conv_id, question[, asked_at][, evidence]}`; other fields are ignored. A time without a
/// zone is in UTC, and a question without a time is asked after all turns. A question finds what was told by its time.
/// Results are lines `{question_id, retrieved, scores, signal}`, where `signal` is the relevance of the most relevant
/// trace. Both files are read line by line, and one conversation at a time is held in memory.
///
/// # Errors
/// What is wrong with the files, before anything is stored; or what failed meanwhile, in which case no results are
/// written.
pub async fn retrieval(
    asked: &Retrieval,
    parts: &EvaluationParts,
    watch: Watch<'_>,
) -> Result<RetrievalReport, EvaluationError> {
    if !(1..=Cue::K_MAX).contains(&asked.k) {
        let (given, most) = (asked.k, Cue::K_MAX);
        return Err(EvaluationError::Setting { name: "k", given, least: 1, most });
    }
    let mut corpus = Corpus::index(&asked.dir.join("turns.jsonl"), &asked.dir.join(&asked.questions))?;
    let results = Results::create(&asked.out)?;
    let mut fading = Fading::default();
    let stage = Stage::open_with(parts, Timestamp::default(), |ingredients| {
        fading = Fading::new(ingredients.store.fading());
        if asked.mode == Mode::Ranking {
            ingredients.store.decay.enabled = false;
        }
    })
    .await?;
    let measured = measure(&stage, asked, &mut corpus, (results, fading), watch).await;
    let closed = stage.close().await;
    let report = measured?;
    closed?;
    Ok(report)
}

async fn measure(
    stage: &Stage,
    asked: &Retrieval,
    corpus: &mut Corpus,
    (mut results, mut fading): (Results, Fading),
    watch: Watch<'_>,
) -> Result<RetrievalReport, EvaluationError> {
    let embedder = stage.embedder().await?;
    stage.warm_up(&embedder).await;
    let begun = Instant::now();
    let mut meter = Meter::start("storing and asking", corpus.turns + corpus.questions);
    let (mut done, mut traces, mut unembedded, mut spent) = (0, 0, 0, Vec::new());
    for number in 0..corpus.len() {
        let conversation = corpus.load(number)?;
        fading.count(&conversation);
        let mut talk = Talk::open(stage, asked, &conversation, number).await?;
        talk.run(&mut results, &mut |steps| {
            done += steps;
            meter.reached(done, watch);
        })
        .await?;
        traces += talk.traces();
        unembedded += talk.unembedded;
        spent.append(&mut talk.spent);
        stage.rest().await;
    }
    let answered = results.answered;
    results.finish()?;
    Ok(RetrievalReport {
        asked: asked.clone(),
        profile: stage.profile.to_owned(),
        embedder: named(&embedder),
        conversations: corpus.len(),
        turns: corpus.turns,
        traces,
        unembedded,
        questions: corpus.questions,
        answered,
        evidence: fading.evidence,
        planning: Times::of(spent),
        took: begun.elapsed(),
    })
}
