//! Taking statements in with the configured embedder: how much of the time is the model's.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bethink_api::ExportedTrace;
use bethink_domain::{EmbedderIdentity, UnitVector, VectorFault};
use bethink_protocol::{Import, MemoryPorts};
use bethink_providers::{Effort, EmbeddingError, EmbeddingModel};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::figures::ImportFigures;
use super::machine::busy;
use super::made::Maker;
use super::spaces::NOW;
use crate::error::EvaluationError;
use crate::progress::{Meter, Watch};
use crate::stage::{EvaluationParts, Stage, ask};

/// Traces in flight, as many as the `import` command has.
const IN_FLIGHT: usize = 512;

/// A model, and how long it has been at work in nanoseconds.
struct Timed {
    model: Arc<dyn EmbeddingModel>,
    spent: Arc<AtomicU64>,
}

impl EmbeddingModel for Timed {
    fn identity(&self) -> EmbedderIdentity {
        self.model.identity()
    }

    fn embed(
        &self,
        texts: &[&str],
        effort: Effort,
    ) -> Result<Vec<Result<UnitVector, VectorFault>>, EmbeddingError> {
        let begun = Instant::now();
        let vectors = self.model.embed(texts, effort);
        let spent = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.spent.fetch_add(spent, Ordering::Relaxed);
        vectors
    }
}

/// Imports so many statements into an empty space.
pub(super) async fn import(
    parts: &EvaluationParts,
    statements: usize,
    maker: &Maker,
    watch: Watch<'_>,
) -> Result<ImportFigures, EvaluationError> {
    let spent = Arc::new(AtomicU64::new(0));
    let clock = Arc::clone(&spent);
    let stage = Stage::open_with(parts, NOW, |ingredients| {
        let model = Arc::clone(&ingredients.embedding);
        ingredients.embedding = Arc::new(Timed { model, spent: clock });
    })
    .await?;
    let measured = measure(&stage, statements, maker, &spent, watch).await;
    let closed = stage.close().await;
    let figures = measured?;
    closed?;
    Ok(figures)
}

async fn measure(
    stage: &Stage,
    statements: usize,
    maker: &Maker,
    spent: &AtomicU64,
    watch: Watch<'_>,
) -> Result<ImportFigures, EvaluationError> {
    // The model is loaded with the first text, which is no part of it.
    stage.embedder().await?;
    let memory = stage.space("import").await?;
    spent.store(0, Ordering::Relaxed);
    let (begun, worked) = (Instant::now(), busy());
    let mut meter = Meter::start("importing", statements);
    let mut flying = JoinSet::new();
    let mut waiting = 0..statements as u64;
    let mut done = 0;
    loop {
        while flying.len() < IN_FLIGHT
            && let Some(n) = waiting.next()
        {
            flying.spawn(one(memory.clone(), maker.statement(n)));
        }
        match flying.join_next().await {
            Some(imported) => imported.map_err(|_| EvaluationError::NoAnswer("an import"))??,
            None => break,
        }
        done += 1;
        meter.reached(done, watch);
    }
    let seconds = begun.elapsed().as_secs_f64();
    let embedding = Duration::from_nanos(spent.load(Ordering::Relaxed)).as_secs_f64();
    let cores = busy().zip(worked).map(|(now, before)| now.saturating_sub(before).as_secs_f64() / seconds);
    Ok(ImportFigures { statements, seconds, embedding_share: embedding / seconds, cores })
}

async fn one(memory: MemoryPorts, text: String) -> Result<(), EvaluationError> {
    let trace = ExportedTrace::plain(text, None).trace(NOW);
    let trace = trace.map_err(|error| EvaluationError::Other(error.to_string()))?;
    let import = Import { trace: Box::new(trace), embedding: None, revive: false, at: NOW };
    ask(&memory.import, import, "memory").await.map(drop)
}
