//! The stages of recall, in their order; a function each.

use bethink_domain::{CueScope, Layer, Recalled, ScoreTerms, Timestamp};

use super::Candidate;
use crate::snapshot::{Place, Snapshot};
use crate::view::surveyed;

/// How much of an episode's score is there however weak it is.
const EPISODE_BASE: f32 = 0.7;
/// What full priority adds to a score.
const PRIORITY_WEIGHT: f32 = 0.05;
/// Relevance of what has nothing to do with the cue: 0.20 · (1.3 − 0.6 · X) at an average extraversion of 0.5.
const NOISE: f32 = 0.20;

/// Leaves out what is suppressed.
pub(super) fn suppress(candidates: Vec<Candidate>, suppressed: impl Fn(Place) -> bool) -> Vec<Candidate> {
    candidates.into_iter().filter(|candidate| !suppressed(candidate.place)).collect()
}

/// Adds what is associated with the candidates. Nothing is before associations exist.
pub(super) fn associate(candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates
}

/// What is relevant enough, and how many living traces came near.
pub(super) fn threshold(candidates: Vec<Candidate>, threshold: f32) -> (Vec<Candidate>, usize) {
    let (passed, failed): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|candidate| candidate.relevance >= threshold);
    let near = |candidate: &&Candidate| !candidate.faded && candidate.relevance >= NOISE;
    (passed, failed.iter().filter(near).count())
}

/// What was asked for, and what else is known.
pub(super) fn divide(candidates: Vec<Candidate>, scope: CueScope) -> (Vec<Candidate>, Vec<Candidate>) {
    candidates.into_iter().partition(|candidate| match scope {
        CueScope::Living => !candidate.faded,
        CueScope::Faded => candidate.faded,
        CueScope::All => true,
    })
}

/// Layer scores: facts by how well they fit the cue, episodes by strength too; usefulness counts a little in both.
pub(super) fn score(snapshot: &Snapshot, mut candidates: Vec<Candidate>, at: Timestamp) -> Vec<Candidate> {
    for candidate in &mut candidates {
        let state = snapshot.state(candidate.place);
        let by_layer = match state.kind.layer() {
            Some(Layer::Episodic) => {
                let strength = snapshot.decay().strength(&state.vitals(), at);
                candidate.rank * (EPISODE_BASE + (1.0 - EPISODE_BASE) * strength)
            }
            Some(Layer::Semantic) | None => candidate.rank,
        };
        candidate.score = by_layer + PRIORITY_WEIGHT * state.priority;
    }
    candidates
}

/// Weakens what was returned over and over. Nothing is before habituation exists.
pub(super) fn habituate(candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates
}

/// Best first; of equals, the newer. What repeats the cue word for word comes before all else.
pub(super) fn sort(mut candidates: Vec<Candidate>, snapshot: &Snapshot) -> Vec<Candidate> {
    candidates.sort_by(|a, b| {
        let verbatim = b.verbatim.cmp(&a.verbatim);
        let best = verbatim.then_with(|| b.score.total_cmp(&a.score));
        best.then_with(|| snapshot.id(b.place).cmp(&snapshot.id(a.place)))
    });
    candidates
}

/// Leaves the best of those that say the same.
pub(super) fn dedupe(snapshot: &Snapshot, candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut keys = Vec::new();
    let key = |candidate: &Candidate| snapshot.block(candidate.place).key(candidate.place.row);
    let first = |candidate: &Candidate| {
        let new = !keys.contains(&key(candidate));
        keys.push(key(candidate));
        new
    };
    candidates.into_iter().filter(first).collect()
}

/// The first k.
pub(super) fn top_k(mut candidates: Vec<Candidate>, k: usize) -> Vec<Candidate> {
    candidates.truncate(k);
    candidates
}

/// A candidate as it is returned.
pub(super) fn present(snapshot: &Snapshot, candidate: &Candidate, at: Timestamp) -> Recalled {
    let plain = surveyed(snapshot, candidate.place, at);
    Recalled {
        score: candidate.score,
        relevance: candidate.relevance,
        faded: candidate.faded,
        faded_at: candidate.faded.then(|| snapshot.block(candidate.place).fades_at(candidate.place.row)),
        terms: ScoreTerms {
            cosine: candidate.cosine.unwrap_or(0.0),
            words: candidate.words,
            coverage: candidate.coverage,
            subject: candidate.subject,
            priority: plain.terms.priority,
        },
        ..plain
    }
}
