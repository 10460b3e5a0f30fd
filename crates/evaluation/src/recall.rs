//! Asks the real planner and the real store what a benchmark asks.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use bethink_domain::{Cue, Decision, EmbedderIdentity, RecallMode, Timestamp, TraceId, UnitVector};
use bethink_planner::{Heard, Need, Strategy, decide, hear};
use bethink_protocol::{MemoryPorts, Recall, Survey, Urgency};
use tokio::time::Instant;

use crate::benchmark::{Benchmark, Query};
use crate::error::EvaluationError;
use crate::progress::{Meter, Watch};
use crate::report::{RecallReport, Side};
use crate::score::{Answer, Judged};
use crate::stage::{EvaluationParts, Stage, ask, named, remember};

/// Measures recall on benchmarks, each in a fresh space, with the planner and with the baseline side by side.
///
/// What is told is stored at its own time, and each query is asked at its own time, after all that is told by then.
/// Queries only look: none changes what the next one finds.
///
/// # Errors
/// What is wrong with a benchmark, before anything is measured; or what failed meanwhile.
pub async fn recall(
    paths: &[PathBuf],
    parts: &EvaluationParts,
    watch: Watch<'_>,
) -> Result<RecallReport, EvaluationError> {
    let benchmarks: Vec<Benchmark> =
        paths.iter().map(|path| Benchmark::read(path)).collect::<Result<_, _>>()?;
    let stage = Stage::open(parts, Timestamp::default()).await?;
    let profile = stage.profile.to_owned();
    let measured = measure(&stage, &benchmarks, watch).await;
    let closed = stage.close().await;
    let (embedder, planner, baseline) = measured?;
    closed?;
    Ok(RecallReport {
        profile,
        embedder: named(&embedder),
        files: paths.to_vec(),
        memories: benchmarks.iter().map(|benchmark| benchmark.told.len()).sum(),
        baseline: Side::new(baseline),
        planner: Side::new(planner),
    })
}

type Measured = (EmbedderIdentity, Vec<Judged>, Vec<Judged>);

async fn measure(
    stage: &Stage,
    benchmarks: &[Benchmark],
    watch: Watch<'_>,
) -> Result<Measured, EvaluationError> {
    let embedder = stage.embedder().await?;
    stage.warm_up(&embedder).await;
    let (mut planner, mut baseline) = (Vec::new(), Vec::new());
    for (number, benchmark) in benchmarks.iter().enumerate() {
        let begins = steps(benchmark).first().map(|(at, _)| *at);
        stage.clock.set(begins.unwrap_or_default());
        let memory = stage.space(&format!("benchmark {number}")).await?;
        for (query, (planned, fixed)) in run(stage, &memory, benchmark, watch).await?.into_iter().enumerate()
        {
            planner.push(Judged::new(benchmark, query, planned));
            baseline.push(Judged::new(benchmark, query, fixed));
        }
    }
    Ok((embedder, planner, baseline))
}

/// Answers to each query of a benchmark, in the order of its lines: the planner's and the baseline's.
async fn run(
    stage: &Stage,
    memory: &MemoryPorts,
    benchmark: &Benchmark,
    watch: Watch<'_>,
) -> Result<Vec<(Answer, Answer)>, EvaluationError> {
    let mut meter = Meter::start("storing and asking", benchmark.told.len() + benchmark.queries.len());
    let mut places = HashMap::new();
    let mut answers = Vec::new();
    // Times go with the messages. If the clock went along, the space would be put to sleep in the middle.
    for (done, (_, step)) in (1..).zip(steps(benchmark)) {
        match step {
            Step::Tell(place) => {
                let told = &benchmark.told[place];
                let id = remember(memory, &told.text, told.at, None).await?;
                // Of equal texts one trace is kept, which stands for all of them.
                places.entry(id).or_insert_with(Vec::new).push(place);
            }
            Step::Ask(place) => {
                let query = &benchmark.queries[place];
                answers.push((place, answer(stage, memory, query, &places).await?));
            }
        }
        meter.reached(done, watch);
    }
    answers.sort_by_key(|(place, _)| *place);
    Ok(answers.into_iter().map(|(_, answer)| answer).collect())
}

/// What comes next: a place among what is told, or among the queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Tell(usize),
    Ask(usize),
}

/// All that happens in a benchmark, in the order of time; what is told in an instant comes before what is asked in it.
fn steps(benchmark: &Benchmark) -> Vec<(Timestamp, Step)> {
    let told = benchmark.told.iter().enumerate().map(|(place, told)| (told.at, Step::Tell(place)));
    let asked = benchmark.queries.iter().enumerate().map(|(place, asked)| (asked.at, Step::Ask(place)));
    let mut steps: Vec<(Timestamp, Step)> = told.chain(asked).collect();
    // Stable: lines of one instant keep their order.
    steps.sort_by_key(|(at, _)| *at);
    steps
}

/// Places in the benchmark that a trace stands for.
type Places = HashMap<TraceId, Vec<usize>>;

async fn answer(
    stage: &Stage,
    memory: &MemoryPorts,
    query: &Query,
    places: &Places,
) -> Result<(Answer, Answer), EvaluationError> {
    let begun = Instant::now();
    let heard = hear(&query.text);
    let hearing = begun.elapsed();
    let (meaning, embedding) = embed(stage, &heard.cue).await?;
    let planned = planned(stage, memory, query, (&heard, hearing), meaning.clone()).await?;
    let planned = planned.into_answer(query, places, embedding);

    let (meaning, embedding) =
        if heard.text == heard.cue { (meaning, embedding) } else { embed(stage, &heard.text).await? };
    let fixed = fixed(memory, query, &heard, meaning).await?.into_answer(query, places, embedding);
    Ok((planned, fixed))
}

/// What was retrieved, before it is looked up in the benchmark.
struct Retrieved {
    traces: Vec<(TraceId, f32)>,
    decision: Option<Decision>,
    spent: Duration,
    embedded: bool,
}

impl Retrieved {
    /// A trace that stands for several places counts for all of them that are relevant; if none is, for the first.
    fn into_answer(self, query: &Query, places: &Places, embedding: Duration) -> Answer {
        let mut found = Vec::new();
        for (id, relevance) in self.traces {
            // Only traces of this benchmark are in its space.
            let twins = places.get(&id).map(Vec::as_slice).unwrap_or_default();
            let (relevant, others): (Vec<usize>, Vec<usize>) =
                twins.iter().partition(|place| query.relevant.contains(place));
            let standing = if relevant.is_empty() { others.into_iter().take(1).collect() } else { relevant };
            found.extend(standing.into_iter().map(|place| (place, relevance)));
        }
        Answer {
            found,
            decided: self.decision.map(|decision| (decision.intent, decision.rule.into_owned())),
            spent: self.spent,
            embedding: self.embedded.then_some(embedding),
        }
    }
}

/// As a turn does it: decide, then one recall, or an overview, or nothing.
async fn planned(
    stage: &Stage,
    memory: &MemoryPorts,
    query: &Query,
    (heard, hearing): (&Heard, Duration),
    meaning: Meaning,
) -> Result<Retrieved, EvaluationError> {
    let begun = Instant::now();
    let prototypes = match &meaning {
        Some((_, identity)) if heard.ruled.is_none() => {
            stage.prototypes.of(identity, stage.embed_port()).await
        }
        _ => None,
    };
    let meaning = meaning.map(|(vector, _)| vector);
    let decision = decide(heard, prototypes, meaning.as_ref());
    let cue = Strategy::Planned(stage.planner.depth).cue(heard, &decision, meaning, query.at);
    let embedded = cue.is_some();
    let traces = match (heard.need, cue) {
        (Need::Overview, _) => overview(stage, memory, query.at).await?,
        (_, Some(cue)) => look(memory, cue).await?,
        (_, None) => Vec::new(),
    };
    Ok(Retrieved { traces, decision: Some(decision), spent: hearing + begun.elapsed(), embedded })
}

/// As the baseline does it: the same number of memories for every message.
async fn fixed(
    memory: &MemoryPorts,
    query: &Query,
    heard: &Heard,
    meaning: Meaning,
) -> Result<Retrieved, EvaluationError> {
    let begun = Instant::now();
    let undecided = decide(heard, None, None);
    let cue = Strategy::BASELINE.cue(heard, &undecided, meaning.map(|(vector, _)| vector), query.at);
    let traces = match cue {
        Some(cue) => look(memory, cue).await?,
        None => Vec::new(),
    };
    Ok(Retrieved { traces, decision: None, spent: begun.elapsed(), embedded: true })
}

async fn look(memory: &MemoryPorts, cue: Cue) -> Result<Vec<(TraceId, f32)>, EvaluationError> {
    let found = ask(&memory.recall, Recall { cue, mode: RecallMode::Observe }, "memory").await?;
    Ok(found.traces.into_iter().map(|recalled| (recalled.id, recalled.relevance)).collect())
}

/// All that an overview shows counts as retrieved: it reaches the reply as recalled memories do.
async fn overview(
    stage: &Stage,
    memory: &MemoryPorts,
    at: Timestamp,
) -> Result<Vec<(TraceId, f32)>, EvaluationError> {
    let survey = Survey { per_group: stage.planner.overview_per_group, at };
    let overview = ask(&memory.survey, survey, "memory").await?;
    let traces = overview.groups.into_iter().flat_map(|group| group.traces);
    Ok(traces.map(|recalled| (recalled.id, recalled.relevance)).collect())
}

/// A vector and who made it; none for a text that has no vector.
type Meaning = Option<(UnitVector, EmbedderIdentity)>;

/// Embeds one text as a turn does.
async fn embed(stage: &Stage, text: &str) -> Result<(Meaning, Duration), EvaluationError> {
    let begun = Instant::now();
    let embedded = stage.embed(vec![text.to_owned()], Urgency::Turn).await?;
    let vector = embedded.vectors.into_iter().next().flatten();
    Ok((vector.map(|vector| (vector, embedded.identity)), begun.elapsed()))
}

#[cfg(test)]
mod tests;
