//! How relevant each candidate is: the evidence of a scan, weighed by `bethink_cognition::relevance`.

use bethink_cognition::{Calibration, CueProfile, CueText, Evidence, Heads, Quantised};

use super::{Candidate, Probe, RecallSettings};
use crate::snapshot::Snapshot;

/// Gives every candidate its relevance, 0…1.
///
/// Living and faded ones are weighed apart, since candidates are weighed against each other and what has faded must
/// not push back what has not.
pub(super) fn weigh(
    snapshot: &Snapshot,
    probe: &Probe<'_>,
    candidates: Vec<Candidate>,
    settings: RecallSettings<'_>,
) -> Vec<Candidate> {
    let heads = snapshot.embedder().and_then(|embedder| Heads::of(&embedder.identity));
    let cue = CueText { text: probe.text, meaning: probe.meaning, intent: probe.intent };
    let calibration =
        snapshot.embedder().map(|embedder| Calibration::of(&embedder.identity)).unwrap_or_default();
    let profile = CueProfile::new(cue, heads, settings.senses).calibrated(calibration);
    let (living, faded): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|candidate| !candidate.faded);
    let mut weighed = Vec::new();
    for mut group in [living, faded] {
        let evidence: Vec<Evidence<'_>> = group.iter().map(|c| evidence(snapshot, c)).collect();
        let relevances = profile.weigh(&evidence, &settings.relevance);
        for (candidate, found) in group.iter_mut().zip(relevances) {
            candidate.relevance = found.relevance;
            candidate.rank = found.rank;
            candidate.coverage = found.coverage;
            candidate.subject = found.subject;
        }
        weighed.extend(group);
    }
    weighed
}

fn evidence<'s>(snapshot: &'s Snapshot, candidate: &Candidate) -> Evidence<'s> {
    let vector = snapshot.block(candidate.place).vector(candidate.place.row);
    Evidence {
        text: &snapshot.body(candidate.place).text,
        cosine: candidate.cosine,
        vector: vector.map(|(values, scale)| Quantised { values, scale }),
        words: candidate.words,
        verbatim: candidate.verbatim,
    }
}
