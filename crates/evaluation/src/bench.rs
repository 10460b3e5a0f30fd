//! `bench`: what Bethink costs at different sizes, beside what the machine costs by itself and beside other ways to do it.

mod against;
mod figures;
mod importing;
mod machine;
mod made;
mod page;
mod plots;
mod recalling;
mod report;
mod spaces;
#[cfg(test)]
mod tests;
mod waking;
mod writing;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bethink_providers::Extractive;

pub use figures::{
    BENCH_VERSION, BenchReport, BusyRecall, FileFigures, ImportFigures, Machine, MemoryFigures, OtherFigures,
    RecallFigures, RememberFigures, SizeFigures, TurnFigures,
};
pub use plots::plots;
pub use waking::{ResidentOf, resident_of};

use against::Other;
use machine::{Appender, describe, scratch};
use made::{KNOWN, Maker, asked};
use spaces::{MadeEmbedder, NOW, Space, owner};

use crate::error::EvaluationError;
use crate::progress::Watch;
use crate::score::Times;
use crate::stage::{EvaluationParts, Stage};

/// Most memories of a space that is measured: twice that take more memory than most machines have.
const TRACES_MAX: usize = 2_000_000;
/// Appends by which the disk is judged.
const APPENDS: usize = 300;

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Durable statements.
    Remember,
    /// Recall, alone and beside a writer.
    Recall,
    /// Whole turns.
    Turn,
    /// Waking.
    Wake,
    /// Resident memory and the file.
    Memory,
    /// Taking statements in with the configured embedder.
    Import,
    /// Consolidation, which is not built yet.
    Consolidate,
}

impl Measure {
    /// All.
    pub const ALL: [Self; 7] =
        [Self::Recall, Self::Remember, Self::Turn, Self::Wake, Self::Memory, Self::Import, Self::Consolidate];
}

/// What is measured, and how much.
#[derive(Clone)]
pub struct Bench {
    /// Which; an empty list means all.
    pub measures: Vec<Measure>,
    /// Memories of each space, 100 to 2,000,000.
    pub sizes: Vec<usize>,
    /// Where spaces are kept for the next run; else they go with this one.
    pub keep: Option<PathBuf>,
    /// A program that does it in other ways.
    pub against: Option<PathBuf>,
    /// It is left out of larger sizes, where it takes most of the time.
    pub against_max: usize,
    /// Statements that are imported.
    pub statements: usize,
    /// How a process of its own tells what it holds in memory.
    pub resident_of: Option<ResidentOf>,
    /// The day, such as `2026-12-01`.
    pub day: String,
}

impl Bench {
    fn wants(&self, measure: Measure) -> bool {
        self.measures.is_empty() || self.measures.contains(&measure)
    }

    fn check(&self) -> Result<(), EvaluationError> {
        let outside = |given: &&usize| !(KNOWN..=TRACES_MAX).contains(*given);
        match self.sizes.iter().find(outside) {
            Some(given) => {
                Err(EvaluationError::Setting { name: "sizes", given: *given, least: KNOWN, most: TRACES_MAX })
            }
            None => Ok(()),
        }
    }
}

/// Measures. Spaces are made once for each size, in the scratch directory or where they are kept, and what changes them
/// works on copies.
///
/// # Errors
/// [`EvaluationError::Setting`] when a size is out of range; or what failed meanwhile.
pub async fn bench(
    asked: &Bench,
    parts: &EvaluationParts,
    watch: Watch<'_>,
) -> Result<BenchReport, EvaluationError> {
    asked.check()?;
    std::fs::create_dir_all(&parts.scratch).map_err(|error| scratch(&parts.scratch, &error))?;
    let passing = tempfile::Builder::new().prefix("bethink-bench-").tempdir_in(&parts.scratch);
    let passing = passing.map_err(|error| scratch(&parts.scratch, &error))?;
    let dir = asked.keep.clone().unwrap_or_else(|| passing.path().to_owned());
    std::fs::create_dir_all(&dir).map_err(|error| scratch(&dir, &error))?;
    let dir = dir.canonicalize().map_err(|error| scratch(&dir, &error))?;

    let run = Run { bench: asked, parts, maker: Arc::new(Maker::new()), dir };
    let append = appending(&run.dir)?;
    let mut sizes = asked.sizes.clone();
    sizes.sort_unstable();
    sizes.dedup();
    let mut figures = Vec::new();
    let spaces = [Measure::Recall, Measure::Remember, Measure::Turn, Measure::Wake, Measure::Memory];
    if spaces.into_iter().any(|measure| asked.wants(measure)) {
        for traces in sizes {
            figures.push(run.of_size(traces, watch).await?);
        }
    }
    let import = match asked.wants(Measure::Import) && asked.statements > 0 {
        true => Some(importing::import(parts, asked.statements, &run.maker, watch).await?),
        false => None,
    };
    let mut not_measured = Vec::new();
    if asked.wants(Measure::Consolidate) {
        not_measured.push("consolidation: it is not built yet".to_owned());
    }
    if asked.wants(Measure::Memory) && asked.resident_of.is_none() {
        not_measured.push("resident memory: this program can't start itself again".to_owned());
    }
    Ok(BenchReport {
        v: BENCH_VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        day: asked.day.clone(),
        machine: describe(&run.dir),
        append,
        sizes: figures,
        import,
        not_measured,
    })
}

fn appending(dir: &Path) -> Result<Times, EvaluationError> {
    let mut appender = Appender::new(dir)?;
    let times = (0..APPENDS).map(|_| appender.append()).collect::<Result<_, _>>()?;
    Ok(Times::of(times))
}

/// The actors over a space, with vectors that cost nothing and without a language model: what is left is Bethink's own.
async fn stage(
    parts: &EvaluationParts,
    root: PathBuf,
    maker: &Arc<Maker>,
    traces: usize,
) -> Result<Stage, EvaluationError> {
    let questions = (0..if traces > 0 { KNOWN } else { 0 }).map(|k| asked(k, traces));
    let embedder = MadeEmbedder::new(Arc::clone(maker), questions);
    Stage::open_over(parts, NOW, root, |ingredients| {
        ingredients.embedding = Arc::new(embedder);
        ingredients.language = Arc::new(Extractive);
        ingredients.persona = Arc::new(|_| bethink_runtime::Persona::default());
        ingredients.tools = Vec::new();
        ingredients.extensions = bethink_runtime::Extensions::default();
    })
    .await
}

/// A run: what was asked for, and what all measurements share.
struct Run<'r> {
    bench: &'r Bench,
    parts: &'r EvaluationParts,
    maker: Arc<Maker>,
    /// Where spaces are made.
    dir: PathBuf,
}

impl Run<'_> {
    async fn of_size(&self, traces: usize, watch: Watch<'_>) -> Result<SizeFigures, EvaluationError> {
        let Self { bench, dir, .. } = self;
        let space = Space::at(dir, traces, &self.maker, &self.store_config()?, watch)?;
        let mut figures = SizeFigures { traces, ..SizeFigures::default() };
        let mut others = match &bench.against {
            Some(program) if traces <= bench.against_max => Other::all(program, traces, dir).await?,
            _ => Vec::new(),
        };
        if bench.wants(Measure::Memory)
            && let Some(resident_of) = &bench.resident_of
        {
            figures.memory = Some(waking::memory(&space, resident_of).await?);
        }
        self.at_rest(&space, &mut others, &mut figures, watch).await?;
        self.written_to(&space, &mut others, &mut figures, watch).await?;
        let (bytes, payload) = space.bytes()?;
        figures.file = Some(FileFigures { bytes, payload, built_seconds: space.seconds });
        for other in others {
            figures.others.push(other.end().await?);
        }
        if bench.keep.is_none() {
            // The next size needs the room.
            drop(std::fs::remove_dir_all(&space.root));
        }
        Ok(figures)
    }

    /// The store's numbers as configured.
    fn store_config(&self) -> Result<bethink_memory_store::StoreConfig, EvaluationError> {
        let dir = tempfile::tempdir_in(&self.dir).map_err(|error| scratch(&self.dir, &error))?;
        let data = bethink_runtime::DataDir::claim(dir.path(), None)?;
        Ok((self.parts.recipe)(data)?.store)
    }

    /// What only looks.
    async fn at_rest(
        &self,
        space: &Space,
        others: &mut [Other],
        figures: &mut SizeFigures,
        watch: Watch<'_>,
    ) -> Result<(), EvaluationError> {
        let (wake, recall) = (self.bench.wants(Measure::Wake), self.bench.wants(Measure::Recall));
        if !wake && !recall {
            return Ok(());
        }
        let stage = stage(self.parts, space.root.clone(), &self.maker, space.traces).await?;
        if recall {
            let memory = stage.memory(&owner()).await?;
            stage.quiet().await;
            figures.recall = Some(recalling::alone(&memory, space, &self.maker, others, watch).await?);
        }
        if wake {
            figures.wake = Some(waking::wake(&stage, space, &self.maker, watch).await?);
        }
        stage.close().await
    }

    /// What changes a space, on a copy.
    async fn written_to(
        &self,
        space: &Space,
        others: &mut [Other],
        figures: &mut SizeFigures,
        watch: Watch<'_>,
    ) -> Result<(), EvaluationError> {
        let wanted = [Measure::Remember, Measure::Recall, Measure::Turn].map(|one| self.bench.wants(one));
        let [remember, recall, turn] = wanted;
        if !remember && !recall && !turn {
            return Ok(());
        }
        let (_dir, root) = space.copy()?;
        let maker = &self.maker;
        let stage = stage(self.parts, root, maker, space.traces).await?;
        let memory = stage.memory(&owner()).await?;
        stage.quiet().await;
        if turn {
            figures.turn = Some(writing::turns(&stage, space.traces, maker, watch).await?);
        }
        if recall {
            let busy = recalling::beside_a_writer(&memory, space.traces, maker, watch).await?;
            figures.busy_recall = Some(busy);
            stage.quiet().await;
        }
        if remember {
            let client = writing::Client::new(&memory, maker, space.traces as u64 + 3_000_000_000);
            figures.remember = Some(client.remember(&stage, others, watch).await?);
        }
        stage.close().await
    }
}
