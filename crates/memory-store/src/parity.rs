//! How recall by new vectors compares with recall by the old ones.

use bethink_domain::{Cue, Parity, Timestamp, TraceId, UnitVector};

use crate::recall::{RecallSettings, recall};
use crate::snapshot::Snapshot;

/// Traces that are compared for each message.
const BEST: usize = 10;
/// Messages below which a comparison says nothing: then the new vectors are taken on trust, as a new memory's are.
const CUES_MIN: u32 = 5;

/// Something that the user said, and the traces that its reply used.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) used: Vec<TraceId>,
}

/// One side of a comparison: a snapshot, and the meanings of what was said in its embedder's terms.
pub(crate) struct Side<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) meanings: &'a [Option<UnitVector>],
}

/// Compares the ten best of each message; changes nothing.
pub(crate) fn compare(
    said: &[Said],
    old: &Side<'_>,
    new: &Side<'_>,
    at: Timestamp,
    settings: RecallSettings<'_>,
) -> Parity {
    let mut parity = Parity { cues: 0, overlap: 0.0, used: 0, rank_before: 0.0, rank_after: 0.0 };
    for (number, said) in said.iter().enumerate() {
        let best = |side: &Side<'_>| -> Vec<TraceId> {
            let embedding = side.meanings.get(number).cloned().flatten();
            let cue = Cue { k: BEST, embedding, ..Cue::new(said.text.as_str(), at) };
            recall(side.snapshot, &cue, settings).traces.iter().map(|trace| trace.id).collect()
        };
        let (before, after) = (best(old), best(new));
        if !before.is_empty() {
            let both = before.iter().filter(|id| after.contains(id)).count();
            parity.cues += 1;
            parity.overlap += both as f32 / before.len() as f32;
        }
        for id in said.used.iter().filter(|id| old.snapshot.find(**id).is_some()) {
            parity.used += 1;
            parity.rank_before += reciprocal_rank(&before, *id);
            parity.rank_after += reciprocal_rank(&after, *id);
        }
    }
    parity.overlap /= parity.cues.max(1) as f32;
    parity.rank_before /= parity.used.max(1) as f32;
    parity.rank_after /= parity.used.max(1) as f32;
    parity
}

fn reciprocal_rank(best: &[TraceId], id: TraceId) -> f32 {
    best.iter().position(|known| *known == id).map_or(0.0, |place| 1.0 / (place + 1) as f32)
}

/// Whether the new vectors may take over: they find what the old ones found, or what replies used no later.
pub(crate) fn agrees(parity: Option<Parity>, overlap_min: f32) -> bool {
    parity.is_none_or(|parity| {
        let as_good = parity.used >= CUES_MIN && parity.rank_after >= parity.rank_before;
        parity.cues < CUES_MIN || parity.overlap >= overlap_min || as_good
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_too_much_is_held_unless_what_was_used_is_found_as_well() {
        let check = |cues, overlap, used, before, after, agree| {
            let parity = Parity { cues, overlap, used, rank_before: before, rank_after: after };
            assert_eq!(agrees(Some(parity), 0.5), agree, "{parity:?}");
        };
        check(50, 0.7, 0, 0.0, 0.0, true);
        check(50, 0.3, 0, 0.0, 0.0, false);
        check(50, 0.3, 9, 0.8, 0.9, true);
        check(50, 0.3, 9, 0.8, 0.7, false);
        check(50, 0.3, 2, 0.8, 0.9, false);
        check(4, 0.0, 2, 0.8, 0.0, true);
        assert!(agrees(None, 1.0));
    }
}
