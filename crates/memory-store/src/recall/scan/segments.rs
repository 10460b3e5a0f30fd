//! What sealed segments say of their rows.

use bethink_domain::CueScope;

use super::{Probe, Seen, Shortlists, Weights, cosine, meanings as block_meanings};
use crate::index::{Cursor, Segment};
use crate::snapshot::{Place, ROWS_MAX, Snapshot};
use crate::vector::QuantisedVector;

/// Words of a cue that are sought in segments: those that tell most. A question has fewer; of a page, these are enough to
/// come to the rows that hold the most of it.
const WORDS_SOUGHT: usize = 24;
/// What sums of the same shares in another order may differ by.
const ROUNDING: f32 = 1e-5;

/// Offers the rows that are nearest by meaning.
///
/// A segment with a graph is searched by it, and gone through row by row only where the search came to too few of what is
/// wanted; one without is gone through.
pub(super) fn meanings(snapshot: &Snapshot, probe: &Probe<'_>, short: &mut Shortlists) {
    let Some(meaning) = probe.meaning else { return };
    let cue = QuantisedVector::new(meaning);
    let mut cut = Vec::new();
    for segment in snapshot.segments() {
        let graph = segment.graph.as_ref().filter(|_| probe.scope == CueScope::Living);
        let Some(graph) = graph else {
            rows(snapshot, probe, segment, None, short);
            continue;
        };
        let near = graph.near(&cue);
        let places: Vec<Place> = near.rows.iter().filter_map(|row| segment.place(*row)).collect();
        let mut farthest = f32::INFINITY;
        for place in &places {
            farthest = offer(snapshot, probe, *place, short).unwrap_or(farthest);
        }
        if near.cut {
            cut.push((segment, places, farthest));
        }
    }
    // Where many of the nearest were not wanted, there may be better ones behind them.
    for (segment, places, farthest) in cut {
        if farthest > short.living.meaning.floor() {
            rows(snapshot, probe, segment, Some(&places), short);
        }
    }
}

/// Offers a row by its meaning, unless it is loose; gives its cosine.
fn offer(snapshot: &Snapshot, probe: &Probe<'_>, place: Place, short: &mut Shortlists) -> Option<f32> {
    let cosine = cosine(snapshot, probe, place)?;
    let block = snapshot.block(place);
    let loose = snapshot.loose().has_vector(place) || snapshot.loose().tokens(place).is_some();
    if block.searched()[usize::from(place.row)] && !loose {
        let seen = Seen { place, cosine: Some(cosine), words: None };
        short.offer(seen, probe.at >= block.fades_at(place.row));
    }
    Some(cosine)
}

/// Goes through the rows of a segment; `known` were offered before, as were loose ones where there is a graph.
fn rows(
    snapshot: &Snapshot,
    probe: &Probe<'_>,
    segment: &Segment,
    known: Option<&[Place]>,
    short: &mut Shortlists,
) {
    let graph = segment.graph.is_some();
    let mut cosines = [0f32; ROWS_MAX];
    for number in segment.range() {
        let block = &snapshot.blocks()[number as usize];
        block_meanings(block, probe, &mut cosines[..block.len()]);
        for (row, searched) in block.searched().iter().enumerate() {
            let place = Place { block: number, row: row as u8 };
            let loose =
                graph && (snapshot.loose().has_vector(place) || snapshot.loose().tokens(place).is_some());
            if !searched || !block.embedded(row as u8) || loose {
                continue;
            }
            let faded = probe.at >= block.fades_at(row as u8);
            if known.is_some_and(|known| faded || known.contains(&place)) {
                continue;
            }
            short.offer(Seen { place, cosine: Some(cosines[row]), words: None }, faded);
        }
    }
}

/// A word of the cue in a segment.
struct Sought<'w> {
    share: f32,
    cursor: Cursor<'w>,
}

/// Offers the rows that hold the most of the cue's words, from the newest to the oldest.
///
/// Words that tell little are only looked up in rows that hold one that tells more, as soon as rows with those alone
/// can't be among the best any more (Turtle and Flood 1995).
pub(super) fn words(
    snapshot: &Snapshot,
    probe: &Probe<'_>,
    weights: &Weights<'_>,
    segment: &Segment,
    short: &mut Shortlists,
) {
    let mut sought = sought(weights, segment);
    let mut bounds = Vec::with_capacity(sought.len());
    let mut sum = 0.0;
    for word in &sought {
        sum += word.share;
        bounds.push(sum + ROUNDING);
    }
    let mut floor = short.words_floor();
    let mut first = bounds.partition_point(|bound| *bound <= floor);
    while let Some(row) = sought[first..].iter().filter_map(|word| word.cursor.row()).max() {
        let mut share = 0.0;
        for word in &mut sought[first..] {
            if word.cursor.row() == Some(row) {
                share += word.share;
                word.cursor.take();
            }
        }
        for (word, bound) in sought[..first].iter_mut().zip(&bounds).rev() {
            if share + bound <= floor {
                break;
            }
            if word.cursor.seek(row) {
                share += word.share;
            }
        }
        if share + ROUNDING <= floor {
            continue;
        }
        if let Some(place) = segment.place(row) {
            offer_words(snapshot, probe, place, share, short);
            floor = short.words_bound();
            first = first.max(bounds.partition_point(|bound| *bound <= floor));
        }
    }
}

/// The words of the cue that a segment holds, those that tell least first.
fn sought<'w>(weights: &Weights<'_>, segment: &'w Segment) -> Vec<Sought<'w>> {
    let mut terms = weights.terms.clone();
    terms.sort_by(|a, b| b.1.total_cmp(&a.1));
    let held = terms.iter().take(WORDS_SOUGHT);
    let found =
        held.filter_map(|(hash, share)| Some(Sought { share: *share, cursor: segment.words.cursor(*hash)? }));
    let mut found: Vec<Sought<'w>> = found.collect();
    found.reverse();
    found
}

fn offer_words(snapshot: &Snapshot, probe: &Probe<'_>, place: Place, words: f32, short: &mut Shortlists) {
    let block = snapshot.block(place);
    if block.searched()[usize::from(place.row)] && snapshot.loose().tokens(place).is_none() {
        let seen = Seen { place, cosine: None, words: Some(words) };
        short.offer(seen, probe.at >= block.fades_at(place.row));
    }
}

/// Gives every row that was found its share of the cue's words. `found` is ascending by place.
pub(super) fn fill_words(snapshot: &Snapshot, weights: &Weights<'_>, found: &mut [(Seen, bool)]) {
    let mut held: Option<(u64, Vec<Option<Cursor<'_>>>)> = None;
    for (seen, _) in found.iter_mut().rev() {
        let place = seen.place;
        if let Some(tokens) = snapshot.loose().tokens(place) {
            seen.words = Some(weights.of_tokens(&tokens.terms));
            continue;
        }
        let Some(segment) = snapshot.segment_at(place.block) else {
            let postings = snapshot.block(place).postings();
            let holds = |hash: &u64| postings.rows_with(*hash).iter().any(|posting| posting.row == place.row);
            seen.words = Some(weights.terms.iter().filter(|(hash, _)| holds(hash)).map(|(_, s)| s).sum());
            continue;
        };
        if held.as_ref().is_none_or(|(number, _)| *number != segment.number) {
            let cursors = weights.terms.iter().map(|(hash, _)| segment.words.cursor(*hash)).collect();
            held = Some((segment.number, cursors));
        }
        let (Some((_, cursors)), Some(row)) = (&mut held, segment.row(place)) else { continue };
        let mut sum = 0.0;
        for ((_, share), cursor) in weights.terms.iter().zip(cursors) {
            sum += if cursor.as_mut().is_some_and(|cursor| cursor.seek(row)) { *share } else { 0.0 };
        }
        seen.words = Some(sum);
    }
}
