//! Which rows could be relevant by meaning or by words.

mod segments;

use std::cmp::Ordering;
use std::sync::Arc;

use bethink_domain::CueScope;

use super::{Candidate, Probe};
use crate::snapshot::{Block, Place, Posting, ROWS_MAX, Snapshot};

/// Candidates nearest by meaning that are weighed in full.
const BY_MEANING: usize = 40;
/// Candidates with the most words of the cue that are weighed in full.
const BY_WORDS: usize = 24;
/// Faded candidates that are weighed when they are wanted only to say that something was once known.
const FADED_HINTS: usize = 8;

/// Rows without any of the cue's words that are supposed beside those of the space. Else a word that is not there at all
/// would weigh five times as much as one that is, where only one thing is remembered.
const ROWS_SUPPOSED: usize = 1_000;

/// What a scan found.
pub(super) struct Found {
    pub(super) candidates: Vec<Candidate>,
    /// Rows that were looked at.
    pub(super) considered: usize,
}

/// Looks at every row that no segment covers, and at what segments say of the others; both layers together.
pub(super) fn scan(snapshot: &Snapshot, probe: &Probe<'_>) -> Found {
    let weights = Weights::of(snapshot, probe);
    let mut short = Shortlists::new(probe);
    open_rows(snapshot, probe, &weights, &mut short);
    loose_rows(snapshot, probe, &weights, &mut short);
    segments::meanings(snapshot, probe, &mut short);
    // Newest first, so that of equals the older ones need not be looked at.
    for segment in snapshot.segments().iter().rev() {
        segments::words(snapshot, probe, &weights, segment, &mut short);
    }
    verbatim_rows(snapshot, probe, &mut short);
    let candidates = complete(snapshot, probe, &weights, short.finish());
    Found { candidates, considered: snapshot.considered() }
}

/// Rows outside segments, each looked at once.
fn open_rows(snapshot: &Snapshot, probe: &Probe<'_>, weights: &Weights<'_>, short: &mut Shortlists) {
    let mut words = [0f32; ROWS_MAX];
    let mut cosines = [0f32; ROWS_MAX];
    for (place, number) in snapshot.open_blocks().enumerate() {
        let block = &snapshot.blocks()[number as usize];
        let rows = block.len();
        weights.share(place, &mut words[..rows]);
        meanings(block, probe, &mut cosines[..rows]);
        let scales = block.vectors().columns().1;
        for (row, searched) in block.searched().iter().enumerate() {
            if !searched {
                continue;
            }
            let cosine = (probe.vector.is_some() && scales[row] > 0.0).then_some(cosines[row]);
            let seen =
                Seen { place: Place { block: number, row: row as u8 }, cosine, words: Some(words[row]) };
            short.offer(seen, probe.at >= block.fades_at(row as u8));
        }
    }
}

/// Rows that their segments know no more.
fn loose_rows(snapshot: &Snapshot, probe: &Probe<'_>, weights: &Weights<'_>, short: &mut Shortlists) {
    let mut offer = |place: Place, cosine: Option<f32>, words: Option<f32>| {
        let block = snapshot.block(place);
        if block.searched()[usize::from(place.row)] {
            short.offer(Seen { place, cosine, words }, probe.at >= block.fades_at(place.row));
        }
    };
    for (place, tokens) in snapshot.loose().words(0..u32::MAX) {
        // Without a graph, the rows of the segment are looked at one by one anyway.
        let graph = snapshot.segment_at(place.block).is_some_and(|segment| segment.graph.is_some());
        let cosine = if graph { cosine(snapshot, probe, place) } else { None };
        offer(place, cosine, Some(weights.of_tokens(&tokens.terms)));
    }
    for place in snapshot.loose().vectors(0..u32::MAX) {
        if snapshot.loose().tokens(place).is_none() {
            offer(place, cosine(snapshot, probe, place), None);
        }
    }
}

/// Rows that say the cue word for word.
fn verbatim_rows(snapshot: &Snapshot, probe: &Probe<'_>, short: &mut Shortlists) {
    for place in snapshot.with_key(probe.tokens.key) {
        let block = snapshot.block(place);
        if block.searched()[usize::from(place.row)] {
            short.offer_verbatim(place, probe.at >= block.fades_at(place.row));
        }
    }
}

/// Cosine of a row to the cue; none when either has no vector.
fn cosine(snapshot: &Snapshot, probe: &Probe<'_>, place: Place) -> Option<f32> {
    let (values, scale) = snapshot.block(place).vector(place.row)?;
    Some(probe.vector.as_ref()?.cosine(values, scale))
}

/// Cosines of a block's rows to the cue.
fn meanings(block: &Block, probe: &Probe<'_>, cosines: &mut [f32]) {
    let Some(cue) = &probe.vector else { return };
    let (values, scales) = block.vectors().columns();
    let rows = values.chunks_exact(cue.len().max(1)).zip(scales);
    for (cosine, (row, scale)) in cosines.iter_mut().zip(rows) {
        *cosine = cue.cosine(row, *scale);
    }
}

/// The cue's words: how much each tells, and the rows of each open block that hold it.
struct Weights<'s> {
    /// Hash of each word and its share of the whole; the shares sum to 1.
    terms: Vec<(u64, f32)>,
    /// Open block after open block, word after word.
    rows: Vec<&'s [Posting]>,
}

impl<'s> Weights<'s> {
    fn of(snapshot: &'s Snapshot, probe: &Probe<'_>) -> Self {
        let terms = &probe.tokens.terms;
        let blocks = || snapshot.open_blocks().map(|number| &snapshot.blocks()[number as usize]);
        let found =
            |block: &'s Arc<Block>| terms.iter().map(move |(hash, _)| block.postings().rows_with(*hash));
        let rows: Vec<&[Posting]> = blocks().flat_map(found).collect();
        let mut holding = vec![0usize; terms.len()];
        for (place, postings) in rows.iter().enumerate() {
            holding[place % terms.len()] += postings.len();
        }
        for ((hash, _), holding) in terms.iter().zip(&mut holding) {
            *holding += snapshot.segments().iter().map(|segment| segment.words.count(*hash)).sum::<usize>();
        }
        let total = (snapshot.rows() + ROWS_SUPPOSED) as f32;
        // The weight of a word falls with the share of rows that hold it (Robertson and Spärck Jones 1976).
        let weight = |n: &usize| (1.0 + (total - *n as f32 + 0.5).max(0.0) / (*n as f32 + 0.5)).ln();
        let weights: Vec<f32> = holding.iter().map(weight).collect();
        let sum = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let shares = terms.iter().zip(&weights).map(|((hash, _), weight)| (*hash, weight / sum));
        Self { terms: shares.collect(), rows }
    }

    /// Weighted share of the cue's words that each row of an open block holds.
    fn share(&self, open: usize, words: &mut [f32]) {
        words.fill(0.0);
        let count = self.terms.len();
        for ((_, share), postings) in self.terms.iter().zip(&self.rows[open * count..(open + 1) * count]) {
            for posting in *postings {
                words[usize::from(posting.row)] += share;
            }
        }
    }

    /// The same of a row of which the words are known.
    fn of_tokens(&self, words: &[(u64, u8)]) -> f32 {
        let held = |hash: &u64| words.binary_search_by_key(hash, |(hash, _)| *hash).is_ok();
        self.terms.iter().filter(|(hash, _)| held(hash)).map(|(_, share)| share).sum()
    }
}

/// Candidates with all that relevance goes by, oldest first.
fn complete(
    snapshot: &Snapshot,
    probe: &Probe<'_>,
    weights: &Weights<'_>,
    mut found: Vec<(Seen, bool)>,
) -> Vec<Candidate> {
    let rank = |seen: &Seen| (seen.place, seen.words.is_none());
    found.sort_unstable_by_key(|(seen, _)| rank(seen));
    found.dedup_by_key(|(seen, _)| seen.place);
    segments::fill_words(snapshot, weights, &mut found);
    let candidate = |(seen, faded): (Seen, bool)| {
        let block = snapshot.block(seen.place);
        Candidate {
            place: seen.place,
            faded,
            cosine: cosine(snapshot, probe, seen.place).map(|cosine| cosine.clamp(-1.0, 1.0)),
            words: seen.words.unwrap_or_default().clamp(0.0, 1.0),
            verbatim: block.key(seen.place.row) == probe.tokens.key,
            coverage: 0.0,
            subject: 0.0,
            relevance: 0.0,
            rank: 0.0,
            score: 0.0,
        }
    };
    found.into_iter().map(candidate).collect()
}

/// A row as it was found; what is not known yet is none.
#[derive(Debug, Clone, Copy)]
struct Seen {
    place: Place,
    cosine: Option<f32>,
    words: Option<f32>,
}

/// The best of what was seen.
struct Shortlists {
    living: Shortlist,
    faded: Shortlist,
    /// Faded rows are wanted as such, and not only to say that something was once known.
    faded_wanted: bool,
}

struct Shortlist {
    meaning: Best,
    words: Best,
    verbatim: Vec<Seen>,
}

impl Shortlists {
    fn new(probe: &Probe<'_>) -> Self {
        // A long list asked for needs as many candidates, and some that fall to the threshold.
        let wanted = (BY_MEANING.max(probe.k + probe.k / 4), BY_WORDS.max(probe.k));
        let faded_wanted = probe.scope != CueScope::Living;
        let faded = if faded_wanted { wanted } else { (FADED_HINTS, FADED_HINTS) };
        let list = |(meaning, words)| Shortlist {
            meaning: Best::new(meaning, |seen| seen.cosine),
            words: Best::new(words, |seen| seen.words),
            verbatim: Vec::new(),
        };
        Self { living: list(wanted), faded: list(faded), faded_wanted }
    }

    fn offer(&mut self, seen: Seen, faded: bool) {
        let list = if faded { &mut self.faded } else { &mut self.living };
        if seen.cosine.is_some() {
            list.meaning.offer(seen);
        }
        if seen.words.is_some_and(|words| words > 0.0) {
            list.words.offer(seen);
        }
    }

    fn offer_verbatim(&mut self, place: Place, faded: bool) {
        let list = if faded { &mut self.faded } else { &mut self.living };
        if list.verbatim.len() < BY_WORDS {
            list.verbatim.push(Seen { place, cosine: None, words: None });
        }
    }

    /// Share of words that a row must be above to be among the best.
    fn words_floor(&mut self) -> f32 {
        let faded = if self.faded_wanted { self.faded.words.floor() } else { f32::INFINITY };
        self.living.words.floor().min(faded).max(0.0)
    }

    /// The same, as far as it was found out: never too high.
    fn words_bound(&self) -> f32 {
        let faded = if self.faded_wanted { self.faded.words.floor } else { f32::INFINITY };
        self.living.words.floor.min(faded).max(0.0)
    }

    /// Everything that was found, and whether it has faded.
    fn finish(self) -> Vec<(Seen, bool)> {
        let all = |list: Shortlist| [list.meaning.finish(), list.words.finish(), list.verbatim].concat();
        let living = all(self.living).into_iter().map(|seen| (seen, false));
        let faded = all(self.faded).into_iter().map(|seen| (seen, true));
        living.chain(faded).collect()
    }
}

/// The n best by one number; of equals, the newer.
struct Best {
    n: usize,
    by: fn(&Seen) -> Option<f32>,
    /// What cannot be among the best any more lies below this.
    floor: f32,
    seen: Vec<Seen>,
}

impl Best {
    fn new(n: usize, by: fn(&Seen) -> Option<f32>) -> Self {
        Self { n, by, floor: f32::NEG_INFINITY, seen: Vec::with_capacity(2 * n) }
    }

    fn offer(&mut self, seen: Seen) {
        if value(self.by, &seen) < self.floor {
            return;
        }
        self.seen.push(seen);
        if self.seen.len() >= 2 * self.n {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.seen.len() <= self.n {
            return;
        }
        let by = self.by;
        let order = |a: &Seen, b: &Seen| match value(by, b).total_cmp(&value(by, a)) {
            Ordering::Equal => b.place.cmp(&a.place),
            other => other,
        };
        let (_, last, _) = self.seen.select_nth_unstable_by(self.n - 1, order);
        self.floor = value(by, last);
        self.seen.truncate(self.n);
    }

    /// What the n-th best has; below everything while there are fewer.
    fn floor(&mut self) -> f32 {
        self.cut();
        if self.seen.len() < self.n {
            return f32::NEG_INFINITY;
        }
        if self.floor == f32::NEG_INFINITY {
            let least = self.seen.iter().map(|seen| value(self.by, seen)).fold(f32::INFINITY, f32::min);
            self.floor = least;
        }
        self.floor
    }

    fn finish(mut self) -> Vec<Seen> {
        self.cut();
        self.seen
    }
}

fn value(by: fn(&Seen) -> Option<f32>, seen: &Seen) -> f32 {
    by(seen).unwrap_or(f32::NEG_INFINITY)
}
