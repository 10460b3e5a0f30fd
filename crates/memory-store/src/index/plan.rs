//! What is sealed next. Pure: a snapshot gives a plan.

use std::ops::Range;
use std::sync::Arc;

use super::Segment;
use crate::snapshot::{ROWS_MAX, Snapshot};

/// Segments beside each other that are merged into one, so that each row is sealed a few times at most.
const MERGED: usize = 4;
/// Loose rows beyond which their segment is built anew: so many are scanned in a fraction of a millisecond.
const LOOSE_MAX: usize = 2_048;

/// How large segments are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// Rows outside segments from which on some are sealed.
    pub(crate) seal_rows: usize,
    /// Rows of a segment at most.
    pub(crate) segment_rows: usize,
}

/// A segment to be built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The blocks that it will cover; segments within it are replaced.
    pub(crate) blocks: Range<u32>,
    /// The links of the graph that covers the same blocks are still good.
    pub(crate) keep_graph: bool,
}

/// What is most urgent; none where all is as it should be.
pub(crate) fn next(snapshot: &Snapshot, sizes: Sizes) -> Option<Plan> {
    unstored(snapshot)
        .or_else(|| fresh(snapshot, sizes))
        .or_else(|| worn(snapshot))
        .or_else(|| without_graph(snapshot, sizes))
        .or_else(|| small(snapshot, sizes))
}

/// A segment that is not in the file, as after forgetting.
fn unstored(snapshot: &Snapshot) -> Option<Plan> {
    let segment = snapshot.segments().iter().find(|segment| !segment.stored)?;
    Some(Plan { blocks: segment.range(), keep_graph: segment.graph.is_some() })
}

/// Rows that no segment covers, oldest first.
fn fresh(snapshot: &Snapshot, sizes: Sizes) -> Option<Plan> {
    let full = |number: u32| snapshot.blocks()[number as usize].len() == ROWS_MAX;
    let mut run: Range<u32> = 0..0;
    let mut best: Option<Range<u32>> = None;
    for number in snapshot.open_blocks() {
        if !full(number) {
            continue;
        }
        run = if number == run.end { run.start..number + 1 } else { number..number + 1 };
        if best.as_ref().is_none_or(|best| run.start == best.start || run.len() > best.len()) {
            best = Some(run.clone());
        }
    }
    let run = best.filter(|run| run.len() * ROWS_MAX >= sizes.seal_rows)?;
    let most = (sizes.segment_rows / ROWS_MAX).max(1) as u32;
    Some(Plan { blocks: run.start..run.end.min(run.start + most), keep_graph: false })
}

/// A segment with many rows that changed since.
fn worn(snapshot: &Snapshot) -> Option<Plan> {
    if snapshot.loose().len() <= LOOSE_MAX {
        return None;
    }
    let loose = |segment: &&Arc<Segment>| snapshot.loose().within(segment.range());
    let segment = snapshot.segments().iter().max_by_key(loose)?;
    Some(Plan { blocks: segment.range(), keep_graph: false })
}

/// A segment whose vectors came late, or are another embedder's now.
fn without_graph(snapshot: &Snapshot, sizes: Sizes) -> Option<Plan> {
    let lacks = |segment: &&Arc<Segment>| {
        segment.graph.is_none()
            && !segment.graph_waits
            && deserves_graph(snapshot, segment.range(), sizes.seal_rows)
    };
    let segment = snapshot.segments().iter().find(lacks)?;
    Some(Plan { blocks: segment.range(), keep_graph: false })
}

/// Small segments beside each other.
fn small(snapshot: &Snapshot, sizes: Sizes) -> Option<Plan> {
    let most = (sizes.segment_rows / ROWS_MAX).max(1) as u32;
    let runs = snapshot.segments().windows(MERGED);
    let fits = |run: &&[Arc<Segment>]| {
        let joined = run.windows(2).all(|pair| pair[0].range().end == pair[1].first);
        joined
            && run.iter().all(|segment| segment.blocks <= most / MERGED as u32)
            && run.iter().map(|segment| segment.blocks).sum::<u32>() <= most
    };
    let run = runs.into_iter().find(fits)?;
    Some(Plan { blocks: run[0].first..run[MERGED - 1].range().end, keep_graph: false })
}

/// Whether a graph pays: half as many vectors as are worth sealing, and not many rows without.
pub(super) fn deserves_graph(snapshot: &Snapshot, blocks: Range<u32>, seal_rows: usize) -> bool {
    let blocks = &snapshot.blocks()[blocks.start as usize..blocks.end as usize];
    let living: usize = blocks.iter().map(|block| block.living()).sum();
    let missing: usize = blocks.iter().map(|block| block.unembedded()).sum();
    living - missing >= seal_rows / 2 && missing * 8 <= living
}
