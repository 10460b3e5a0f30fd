//! One pass over all rows: which could be relevant by meaning or by words.

use std::cmp::Ordering;

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

/// Looks at every row once; both layers together.
pub(super) fn scan(snapshot: &Snapshot, probe: &Probe<'_>) -> Found {
    let weights = Weights::of(snapshot, probe);
    let mut short = Shortlists::new(probe);
    let mut considered = 0;
    let mut words = [0f32; ROWS_MAX];
    let mut cosines = [0f32; ROWS_MAX];
    for (block, number) in snapshot.blocks().iter().zip(0u32..) {
        let rows = block.len();
        weights.share(number as usize, &mut words[..rows]);
        meanings(block, probe, &mut cosines[..rows]);
        let scales = block.vectors().1;
        for (row, searched) in block.searched().iter().enumerate() {
            if !searched {
                continue;
            }
            considered += 1;
            let embedded = probe.vector.is_some() && scales[row] > 0.0;
            let verbatim = block.key(row as u8) == probe.tokens.key;
            if words[row] <= 0.0 && !embedded && !verbatim {
                continue;
            }
            let seen = Seen {
                place: Place { block: number, row: row as u8 },
                cosine: if embedded { cosines[row] } else { f32::NEG_INFINITY },
                words: words[row],
                verbatim,
            };
            short.offer(seen, probe.at >= block.fades_at(row as u8));
        }
    }
    Found { candidates: short.candidates(), considered }
}

/// Cosines of a block's rows to the cue.
fn meanings(block: &Block, probe: &Probe<'_>, cosines: &mut [f32]) {
    let Some(cue) = &probe.vector else { return };
    let (values, scales) = block.vectors();
    let rows = values.chunks_exact(cue.len().max(1)).zip(scales);
    for (cosine, (row, scale)) in cosines.iter_mut().zip(rows) {
        *cosine = cue.cosine(row, *scale);
    }
}

/// The cue's words: how much each tells, and the rows of each block that hold it.
struct Weights<'s> {
    /// Share of the whole, summing to 1.
    shares: Vec<f32>,
    /// Block after block, word after word.
    rows: Vec<&'s [Posting]>,
}

impl<'s> Weights<'s> {
    fn of(snapshot: &'s Snapshot, probe: &Probe<'_>) -> Self {
        let terms = &probe.tokens.terms;
        let found = |block: &'s std::sync::Arc<Block>| {
            terms.iter().map(move |(hash, _)| block.postings().rows_with(*hash))
        };
        let rows: Vec<&[Posting]> = snapshot.blocks().iter().flat_map(found).collect();
        let mut holding = vec![0usize; terms.len()];
        for (place, postings) in rows.iter().enumerate() {
            holding[place % terms.len()] += postings.len();
        }
        let total = (snapshot.blocks().iter().map(|block| block.len()).sum::<usize>() + ROWS_SUPPOSED) as f32;
        // The weight of a word falls with the share of rows that hold it (Robertson and Spärck Jones 1976).
        let weight = |n: &usize| (1.0 + (total - *n as f32 + 0.5).max(0.0) / (*n as f32 + 0.5)).ln();
        let weights: Vec<f32> = holding.iter().map(weight).collect();
        let sum = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        Self { shares: weights.iter().map(|weight| weight / sum).collect(), rows }
    }

    /// Weighted share of the cue's words that each row of a block holds.
    fn share(&self, block: usize, words: &mut [f32]) {
        words.fill(0.0);
        let count = self.shares.len();
        for (share, postings) in self.shares.iter().zip(&self.rows[block * count..(block + 1) * count]) {
            for posting in *postings {
                words[usize::from(posting.row)] += share;
            }
        }
    }
}

/// A row as the scan sees it.
#[derive(Clone, Copy)]
struct Seen {
    place: Place,
    /// Below any other where there is no vector.
    cosine: f32,
    words: f32,
    verbatim: bool,
}

/// The best of what was seen.
struct Shortlists {
    living: Shortlist,
    faded: Shortlist,
}

struct Shortlist {
    faded: bool,
    meaning: Best,
    words: Best,
    verbatim: Vec<Seen>,
}

impl Shortlists {
    fn new(probe: &Probe<'_>) -> Self {
        // A long list asked for needs as many candidates, and some that fall to the threshold.
        let wanted = (BY_MEANING.max(probe.k + probe.k / 4), BY_WORDS.max(probe.k));
        let faded = if probe.scope == CueScope::Living { (FADED_HINTS, FADED_HINTS) } else { wanted };
        let list = |faded, (meaning, words)| Shortlist {
            faded,
            meaning: Best::new(meaning, |seen| seen.cosine),
            words: Best::new(words, |seen| seen.words),
            verbatim: Vec::new(),
        };
        Self { living: list(false, wanted), faded: list(true, faded) }
    }

    fn offer(&mut self, seen: Seen, faded: bool) {
        let list = if faded { &mut self.faded } else { &mut self.living };
        if seen.cosine > f32::NEG_INFINITY {
            list.meaning.offer(seen);
        }
        if seen.words > 0.0 {
            list.words.offer(seen);
        }
        if seen.verbatim && list.verbatim.len() < BY_WORDS {
            list.verbatim.push(seen);
        }
    }

    fn candidates(self) -> Vec<Candidate> {
        let mut found = Vec::new();
        for list in [self.living, self.faded] {
            let faded = list.faded;
            let all = [list.meaning.finish(), list.words.finish(), list.verbatim].concat();
            found.extend(all.into_iter().map(|seen| candidate(seen, faded)));
        }
        found.sort_unstable_by_key(|candidate: &Candidate| candidate.place);
        found.dedup_by_key(|candidate| candidate.place);
        found
    }
}

fn candidate(seen: Seen, faded: bool) -> Candidate {
    Candidate {
        place: seen.place,
        faded,
        cosine: (seen.cosine > f32::NEG_INFINITY).then_some(seen.cosine.clamp(-1.0, 1.0)),
        words: seen.words.clamp(0.0, 1.0),
        verbatim: seen.verbatim,
        coverage: 0.0,
        subject: 0.0,
        relevance: 0.0,
        rank: 0.0,
        score: 0.0,
    }
}

/// The n best by one number; of equals, the newer.
struct Best {
    n: usize,
    by: fn(&Seen) -> f32,
    /// What cannot be among the best any more lies below this.
    floor: f32,
    seen: Vec<Seen>,
}

impl Best {
    fn new(n: usize, by: fn(&Seen) -> f32) -> Self {
        Self { n, by, floor: f32::NEG_INFINITY, seen: Vec::with_capacity(2 * n) }
    }

    fn offer(&mut self, seen: Seen) {
        if (self.by)(&seen) < self.floor {
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
        let order = |a: &Seen, b: &Seen| match by(b).total_cmp(&by(a)) {
            Ordering::Equal => b.place.cmp(&a.place),
            other => other,
        };
        let (_, last, _) = self.seen.select_nth_unstable_by(self.n - 1, order);
        self.floor = by(last);
        self.seen.truncate(self.n);
    }

    fn finish(mut self) -> Vec<Seen> {
        self.cut();
        self.seen
    }
}
