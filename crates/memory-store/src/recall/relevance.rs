//! How relevant each candidate is.

use bethink_domain::Senses;

use super::{Candidate, Probe};
use crate::snapshot::Snapshot;

/// Weight of meaning against words, which make up the rest.
const MEANING: f32 = 0.7;

/// Gives every candidate its relevance, 0…1.
pub(super) fn weigh(
    _snapshot: &Snapshot,
    probe: &Probe<'_>,
    candidates: Vec<Candidate>,
    _senses: Option<&dyn Senses>,
) -> Vec<Candidate> {
    let weigh = |mut candidate: Candidate| {
        candidate.relevance = if candidate.verbatim {
            1.0
        } else {
            match candidate.cosine.filter(|_| probe.vector.is_some()) {
                Some(cosine) => MEANING * cosine.max(0.0) + (1.0 - MEANING) * candidate.words,
                None => candidate.words,
            }
        };
        candidate
    };
    candidates.into_iter().map(weigh).collect()
}
