//! Recall beyond embedding: alone, beside others in turns, and while a thousand statements a second are stored.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bethink_domain::{Cue, RecallMode, Recollection, TraceId, UnitVector};
use bethink_protocol::{MemoryPorts, Recall};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

use super::against::Other;
use super::figures::{BusyRecall, RecallFigures};
use super::machine::idle;
use super::made::{KNOWN, Maker, NEAREST, asked};
use super::spaces::{BEFORE, NOW, Space, statement};
use crate::error::EvaluationError;
use crate::progress::{Meter, Watch};
use crate::score::Times;
use crate::stage::ask;

/// Recalls that are measured: enough for a p99 that ten values lie above.
const RECALLS: usize = 1_000;
/// No more time than this for them, where a space is large.
const RECALLS_TIME: Duration = Duration::from_secs(20);
/// Recalls in turn with those of others, so that all see the same machine.
const TURN: usize = 50;
/// Traces of an ordinary recall outside a turn.
const K: usize = Cue::K_DEFAULT;
/// Asked for where the nearest are wanted: recall weighs forty candidates in full, and orders them by more than meaning.
const K_NEAREST: usize = 32;
/// Statements a second that are stored beside.
const STORED: u64 = 1_000;
/// How often some of them are begun.
const STROKE: Duration = Duration::from_millis(10);
/// Statements in flight at most; where the disk can't follow, fewer are stored, and the report says how many.
const IN_FLIGHT_MAX: usize = 256;
/// Recalls beside a writer.
const BUSY_RECALLS: usize = 300;

/// What is asked in the k-th recall.
fn cue(maker: &Maker, k: usize, traces: usize) -> Cue {
    let n = asked(k, traces);
    let embedding = UnitVector::new(maker.asking(n)).ok();
    Cue { k: K, embedding, ..Cue::new(maker.question(n), NOW) }
}

async fn recall(memory: &MemoryPorts, cue: Cue) -> Result<Recollection, EvaluationError> {
    ask(&memory.recall, Recall { cue, mode: RecallMode::Observe }, "memory").await
}

/// Measures recall, in turns with a loop that does nothing and with the others.
pub(super) async fn alone(
    memory: &MemoryPorts,
    space: &Space,
    maker: &Maker,
    others: &mut [Other],
    watch: Watch<'_>,
) -> Result<RecallFigures, EvaluationError> {
    for k in 0..20 {
        recall(memory, cue(maker, RECALLS + k, space.traces)).await?;
    }
    let mut meter = Meter::start("recalling", RECALLS);
    let (mut times, mut idles, mut first) = (Vec::new(), Vec::new(), 0);
    let mut spent = Duration::ZERO;
    while times.len() < RECALLS && spent < RECALLS_TIME {
        let from = times.len();
        for k in from..from + TURN {
            let (cue, told) = (cue(maker, k, space.traces), asked(k, space.traces) as usize);
            let begun = Instant::now();
            let found = recall(memory, cue).await?;
            let took = begun.elapsed();
            idles.push(idle(took));
            times.push(took);
            spent += took;
            first += usize::from(found.traces.first().map(|trace| trace.id) == space.ids.get(told).copied());
        }
        for other in &mut *others {
            other.recall(from, TURN).await?;
        }
        meter.reached(times.len(), watch);
    }
    let first = first as f64 / times.len() as f64;
    let recall_at_10 = nearest(memory, space, maker).await?;
    for other in &mut *others {
        other.nearest(space).await?;
    }
    Ok(RecallFigures { times: Times::of(times), idle: Times::of(idles), recall_at_10, first })
}

/// The share of the nearest statements that recall by meaning alone finds.
async fn nearest(memory: &MemoryPorts, space: &Space, maker: &Maker) -> Result<f64, EvaluationError> {
    let (mut found, mut all) = (0, 0);
    for (k, nearest) in space.nearest.iter().enumerate().take(KNOWN) {
        let embedding = UnitVector::new(maker.asking(asked(k, space.traces))).ok();
        let cue = Cue { k: K_NEAREST, threshold: Some(0.0), embedding, ..Cue::new("", BEFORE) };
        let mut traces = recall(memory, cue).await?.traces;
        traces.sort_by(|a, b| b.terms.cosine.total_cmp(&a.terms.cosine));
        let near: Vec<TraceId> = traces.iter().take(NEAREST).map(|trace| trace.id).collect();
        found += nearest.iter().filter(|n| near.contains(&space.ids[**n as usize])).count();
        all += nearest.len();
    }
    Ok(found as f64 / all.max(1) as f64)
}

/// Measures recall while statements are stored; they are new ones, and stay in the space.
pub(super) async fn beside_a_writer(
    memory: &MemoryPorts,
    traces: usize,
    maker: &Arc<Maker>,
    watch: Watch<'_>,
) -> Result<BusyRecall, EvaluationError> {
    let stored = Arc::new(AtomicUsize::new(0));
    let writer = tokio::spawn(write(memory.clone(), traces as u64, Arc::clone(maker), Arc::clone(&stored)));
    let mut meter = Meter::start("recalling beside a writer", BUSY_RECALLS);
    let (begun, mut times) = (Instant::now(), Vec::new());
    let mut failed = None;
    for k in 0..BUSY_RECALLS {
        let cue = cue(maker, k, traces);
        let start = Instant::now();
        if let Err(error) = recall(memory, cue).await {
            failed = Some(error);
            break;
        }
        times.push(start.elapsed());
        // So that some seconds of writing are seen, however fast recall is.
        tokio::time::sleep(STROKE).await;
        meter.reached(k + 1, watch);
    }
    let rate = stored.load(Ordering::Relaxed) as f64 / begun.elapsed().as_secs_f64();
    writer.abort();
    if let Some(error) = failed {
        return Err(error);
    }
    Ok(BusyRecall { times: Times::of(times), statements_per_second: rate })
}

/// Stores new statements at a steady pace until it is stopped.
async fn write(memory: MemoryPorts, first: u64, maker: Arc<Maker>, stored: Arc<AtomicUsize>) {
    let mut strokes = tokio::time::interval(STROKE);
    strokes.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut flying = JoinSet::new();
    let each = STORED * STROKE.as_millis() as u64 / 1_000;
    for stroke in 0.. {
        strokes.tick().await;
        while flying.try_join_next().is_some() {}
        for n in 0..each {
            if flying.len() >= IN_FLIGHT_MAX {
                break;
            }
            let remember = statement(&maker, first + 1_000_000_000 + stroke * each + n, NOW);
            let (memory, stored) = (memory.clone(), Arc::clone(&stored));
            flying.spawn(async move {
                if ask(&memory.remember, remember, "memory").await.is_ok() {
                    stored.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    }
}
