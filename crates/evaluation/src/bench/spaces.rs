//! Spaces of a size, made once and measured in every way.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bethink_clock::Entropy;
use bethink_domain::{
    Draft, EmbedderIdentity, Origin, SpaceId, Span, Timestamp, TraceId, TraceKind, UnitVector, VectorFault,
};
use bethink_memory_store::{Snapshot, StoreConfig, StoreSlot, append, seal, space_path, stored_bytes};
use bethink_protocol::Remember;
use bethink_providers::{Effort, EmbeddingError, EmbeddingModel};
use tokio::time::Instant;

use super::machine::scratch;
use super::made::{DIMENSIONS, KNOWN, Maker, NEAREST, asked};
use crate::error::EvaluationError;
use crate::progress::{Meter, Watch};
use crate::stage::space_named;

/// The time of all measurements: 2026-06-01.
pub(super) const NOW: Timestamp = Timestamp::from_millis(1_780_272_000_000);
/// Before anything was told, so that nothing has lost strength: the nearest are those that are nearest by meaning.
pub(super) const BEFORE: Timestamp = Timestamp::from_millis(1_740_000_000_000);
/// Statements of one commit while a space is made.
const BATCH: u64 = 1_000;
/// Grows when spaces are made in another way, so that none from before is taken for one of now.
const MAKING: u32 = 1;

/// A space of a size, at rest.
pub(super) struct Space {
    /// Directory that holds its data directory.
    pub(super) root: PathBuf,
    pub(super) traces: usize,
    /// The trace of each statement.
    pub(super) ids: Vec<TraceId>,
    /// The numbers of the statements nearest to each of the first questions.
    pub(super) nearest: Vec<Vec<u32>>,
    /// How long it took to make.
    pub(super) seconds: Option<f64>,
}

/// Whose spaces they are.
pub(super) fn owner() -> SpaceId {
    space_named("bench")
}

/// The n-th statement with its vector, as a person asks to have it remembered, or, each fourth, as told in passing.
pub(super) fn statement(maker: &Maker, n: u64, at: Timestamp) -> Remember {
    let embedding = UnitVector::new(maker.vector(n)).ok();
    let draft = Draft { embedding, ..Draft::asked(maker.statement(n), at) };
    let told = n.is_multiple_of(4).then(|| Draft {
        kind: TraceKind::Episodic,
        importance: 5.0,
        provisional: true,
        asked: false,
        lineage: vec![Origin::Given("bench".into())],
        ..draft.clone()
    });
    Remember { draft: told.unwrap_or(draft), at }
}

impl Space {
    /// The file.
    pub(super) fn file(&self) -> PathBuf {
        space_path(&self.root.join("data"), &owner())
    }

    /// The space in a directory, made unless it is there.
    pub(super) fn at(
        dir: &Path,
        traces: usize,
        maker: &Maker,
        config: &StoreConfig,
        watch: Watch<'_>,
    ) -> Result<Self, EvaluationError> {
        let root = dir.join(format!("{MAKING}-{traces}"));
        if let Some(kept) = Self::kept(&root, traces) {
            return Ok(kept);
        }
        drop(std::fs::remove_dir_all(&root));
        std::fs::create_dir_all(&root).map_err(|error| scratch(&root, &error))?;
        let begun = Instant::now();
        let ids = fill(&root, traces, maker, config, watch)?;
        let seconds = Some(begun.elapsed().as_secs_f64());
        let nearest = nearest(traces, maker, watch);
        let space = Self { root, traces, ids, nearest, seconds };
        space.keep()?;
        Ok(space)
    }

    /// Writes down what belongs to the file, last, so that a space that was cut off is made again.
    fn keep(&self) -> Result<(), EvaluationError> {
        let ids: Vec<u8> = self.ids.iter().flat_map(|id| id.raw().to_le_bytes()).collect();
        let nearest: Vec<u8> = self.nearest.iter().flatten().flat_map(|n| n.to_le_bytes()).collect();
        for (name, bytes) in [("nearest", nearest), ("ids", ids)] {
            let path = self.root.join(name);
            std::fs::write(&path, bytes).map_err(|error| scratch(&path, &error))?;
        }
        Ok(())
    }

    fn kept(root: &Path, traces: usize) -> Option<Self> {
        let ids = std::fs::read(root.join("ids")).ok()?;
        let nearest = std::fs::read(root.join("nearest")).ok()?;
        let ids: Vec<TraceId> =
            ids.as_chunks().0.iter().map(|id| TraceId::from_raw(u64::from_le_bytes(*id))).collect();
        let nearest: Vec<u32> = nearest.as_chunks().0.iter().map(|n| u32::from_le_bytes(*n)).collect();
        let nearest = nearest.chunks(NEAREST.min(traces).max(1)).map(<[u32]>::to_vec).collect();
        let space = Self { root: root.to_owned(), traces, ids, nearest, seconds: None };
        (space.ids.len() == traces && space.file().exists()).then_some(space)
    }

    /// A copy that may be written to, in a directory that goes when it is dropped.
    pub(super) fn copy(&self) -> Result<(tempfile::TempDir, PathBuf), EvaluationError> {
        let within = self.root.parent().unwrap_or(&self.root);
        let dir = tempfile::Builder::new().prefix("copy-").tempdir_in(within);
        let dir = dir.map_err(|error| scratch(within, &error))?;
        let root = dir.path().to_owned();
        let target = space_path(&root.join("data"), &owner());
        let made = target.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| std::fs::copy(self.file(), &target)).map_err(|error| scratch(&target, &error))?;
        Ok((dir, root))
    }

    /// Bytes of the file, and of the keys and values in it.
    pub(super) fn bytes(&self) -> Result<(u64, u64), EvaluationError> {
        let path = self.file();
        let bytes = std::fs::metadata(&path).map_err(|error| scratch(&path, &error))?.len();
        let slot = open(&self.root, &StoreConfig::default())?;
        let payload = stored_bytes(&slot).map_err(|error| store(&error));
        slot.retire();
        Ok((bytes, payload?))
    }
}

fn open(root: &Path, config: &StoreConfig) -> Result<StoreSlot, EvaluationError> {
    let owner = owner();
    let path = space_path(&root.join("data"), &owner);
    StoreSlot::open(&path, &owner, Some(&identity()), BEFORE, config.memory.cache_bytes)
        .map_err(|error| store(&error))
}

fn store(error: &bethink_memory_store::StoreError) -> EvaluationError {
    EvaluationError::Memory(bethink_protocol::MemoryError::Damaged(error.to_string()))
}

/// Stores all statements, told over the year before [`NOW`].
fn fill(
    root: &Path,
    traces: usize,
    maker: &Maker,
    config: &StoreConfig,
    watch: Watch<'_>,
) -> Result<Vec<TraceId>, EvaluationError> {
    let slot = open(root, config)?;
    let mut snapshot = Arc::new(Snapshot::load(&slot, config).map_err(|error| store(&error))?);
    let mut meter = Meter::start("making a space", traces);
    let mut ids = Vec::with_capacity(traces);
    let count = traces as u64;
    for first in (0..count).step_by(BATCH as usize) {
        let at = |n: u64| NOW - Span::from_days(365.0 * (count - n) as f64 / count as f64);
        let batch = (first..count.min(first + BATCH)).map(|n| statement(maker, n, at(n))).collect();
        let done =
            append(&slot, &snapshot, batch, Entropy::seeded(1), config).map_err(|error| store(&error))?;
        for result in done.results {
            ids.push(result?.id);
        }
        snapshot = done.snapshot;
        meter.reached(ids.len(), watch);
    }
    // As the actor does in the background.
    seal(&slot, &snapshot, config).map_err(|error| store(&error))?;
    slot.retire();
    Ok(ids)
}

/// The statements nearest to the first questions, by an exact scan in 32 bits.
fn nearest(traces: usize, maker: &Maker, watch: Watch<'_>) -> Vec<Vec<u32>> {
    let cues: Vec<Vec<f32>> = (0..KNOWN).map(|k| maker.asking(asked(k, traces))).collect();
    let mut best: Vec<Vec<(f32, u32)>> = vec![Vec::new(); KNOWN];
    let mut meter = Meter::start("finding what is nearest", traces);
    for n in 0..traces {
        let vector = maker.vector(n as u64);
        for (cue, best) in cues.iter().zip(&mut best) {
            best.push((dot(cue, &vector), n as u32));
            if best.len() == 2 * NEAREST {
                cut(best);
            }
        }
        if n % 1_000 == 0 {
            meter.reached(n, watch);
        }
    }
    best.iter_mut().for_each(cut);
    best.into_iter().map(|best| best.into_iter().map(|(_, n)| n).collect()).collect()
}

fn cut(best: &mut Vec<(f32, u32)>) {
    best.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    best.truncate(NEAREST);
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; 8];
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum()
}

/// Who makes the vectors of these spaces.
pub(super) fn identity() -> EmbedderIdentity {
    EmbedderIdentity { model: "made-up".into(), dimensions: DIMENSIONS as u16, revision: "1".into() }
}

/// An embedder that costs nothing: near its statement for a question that it knows, somewhere for everything else.
pub(super) struct MadeEmbedder {
    maker: Arc<Maker>,
    questions: HashMap<String, u64>,
}

impl MadeEmbedder {
    pub(super) fn new(maker: Arc<Maker>, questions: impl Iterator<Item = u64>) -> Self {
        let questions = questions.map(|n| (maker.question(n), n)).collect();
        Self { maker, questions }
    }
}

impl EmbeddingModel for MadeEmbedder {
    fn identity(&self) -> EmbedderIdentity {
        identity()
    }

    fn embed(
        &self,
        texts: &[&str],
        _: Effort,
    ) -> Result<Vec<Result<UnitVector, VectorFault>>, EmbeddingError> {
        let vector = |text: &&str| match self.questions.get(*text) {
            Some(n) => self.maker.asking(*n),
            None => self.maker.vector(elsewhere(text)),
        };
        Ok(texts.iter().map(|text| UnitVector::new(vector(text))).collect())
    }
}

/// A number for a text, above those of all statements (FNV-1a).
fn elsewhere(text: &str) -> u64 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash | 1 << 63
}
