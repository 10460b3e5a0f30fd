//! Recall: from a cue to a recollection, on a snapshot, without touching anything.

mod due;
mod relevance;
mod scan;
mod stages;

use bethink_cognition::{ProspectiveConfig, RelevanceConfig};
use bethink_domain::{
    Cue, CueScope, DueReminder, Feeling, Intent, Knowing, Recalled, Recollection, Senses, Timestamp,
    UnitVector,
};

use crate::snapshot::{Place, Snapshot};
use crate::tokens::{Tokens, start};
use crate::vector::CueVector;

/// Bytes of a cue that are read. A question is shorter, and what follows hardly turns its meaning.
const CUE_BYTES_MAX: usize = 4 * 1024;
/// Rows that a scan may read on a task of the runtime; a longer one belongs on the scan pool.
pub(crate) const ROWS_ON_TASK_MAX: usize = 32 * 1024;

/// What recall goes by, beside the cue.
#[derive(Clone, Copy, Default)]
pub struct RecallSettings<'a> {
    /// Relevance below which nothing is returned unless the cue says otherwise, 0…1.
    pub threshold: f32,
    /// Weights of relevance.
    pub relevance: RelevanceConfig,
    /// Meanings of single words, where the embedder has them.
    pub senses: Option<&'a dyn Senses>,
    /// How reminders are shown.
    pub prospective: ProspectiveConfig,
}

impl std::fmt::Debug for RecallSettings<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecallSettings").field("threshold", &self.threshold).finish_non_exhaustive()
    }
}

/// A cue made ready for the scan.
struct Probe<'a> {
    text: &'a str,
    tokens: Tokens,
    meaning: Option<&'a UnitVector>,
    intent: Option<Intent>,
    vector: Option<CueVector>,
    k: usize,
    threshold: f32,
    scope: CueScope,
    at: Timestamp,
}

/// A trace that may be recalled, with what its relevance is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Candidate {
    place: Place,
    faded: bool,
    /// Cosine to the cue; none when either has no vector.
    cosine: Option<f32>,
    /// Weighted share of the cue's words that it holds, 0…1.
    words: f32,
    /// It is the cue, word for word.
    verbatim: bool,
    coverage: f32,
    subject: f32,
    relevance: f32,
    /// Order among those that are relevant enough, 0…1.
    rank: f32,
    score: f32,
}

/// What is due, for who recalls nothing: the first few, with the memories that come along left out.
pub(crate) fn due_alone(
    snapshot: &Snapshot,
    at: Timestamp,
    said: Option<&str>,
    config: &ProspectiveConfig,
) -> Vec<DueReminder> {
    let tokens = Tokens::of(said.unwrap_or_default());
    due::collect(snapshot, (&tokens, None), at, config)
}

/// Recalls by a cue, changing nothing; the recollection's recall id is left empty.
///
/// The threshold applies once, to relevance, before anything is ranked, so a higher one only takes traces away.
#[must_use]
pub fn recall(snapshot: &Snapshot, cue: &Cue, settings: RecallSettings<'_>) -> Recollection {
    let probe = Probe::new(snapshot, cue, settings.threshold);
    let mut reminders =
        due::collect(snapshot, (&probe.tokens, probe.meaning), probe.at, &settings.prospective);
    due::relate(snapshot, &mut reminders, probe.at, settings);
    let found = scan::scan(snapshot, &probe);
    let weighed = relevance::weigh(snapshot, &probe, found.candidates, settings);
    let heard = stages::suppress(weighed, |place| due::out_of_recall(snapshot, &reminders, place));
    let (passed, below) = stages::threshold(stages::associate(heard), probe.threshold);
    let (wanted, offered) = stages::divide(passed, probe.scope);
    let feeling = feeling(snapshot, &wanted, &offered, below, found.considered);
    let ranked = stages::sort(stages::habituate(stages::score(snapshot, wanted, probe.at)), snapshot);
    let best = stages::top_k(stages::dedupe(snapshot, ranked), probe.k);
    let traces: Vec<Recalled> =
        best.iter().map(|candidate| stages::present(snapshot, candidate, probe.at)).collect();
    Recollection { recall: None, reminders, traces, feeling }
}

impl<'a> Probe<'a> {
    fn new(snapshot: &Snapshot, cue: &'a Cue, threshold: f32) -> Self {
        let text = start(&cue.text, CUE_BYTES_MAX);
        let dimensions = snapshot.embedder().map_or(0, |embedder| usize::from(embedder.identity.dimensions));
        let fits = |vector: &&UnitVector| vector.as_slice().len() == dimensions;
        let meaning = cue.embedding.as_ref().filter(fits);
        let wanted = cue.threshold.filter(|threshold| !threshold.is_nan()).unwrap_or(threshold);
        Self {
            text,
            tokens: Tokens::of(text),
            meaning,
            intent: cue.intent,
            vector: meaning.map(CueVector::new),
            k: cue.k.min(Cue::K_MAX),
            threshold: wanted.clamp(0.0, 1.0),
            scope: cue.scope,
            at: cue.at,
        }
    }
}

/// What memory can say about whether it knows.
fn feeling(
    snapshot: &Snapshot,
    wanted: &[Candidate],
    offered: &[Candidate],
    below_threshold: usize,
    considered: usize,
) -> Feeling {
    let all = || wanted.iter().chain(offered);
    let nearest = all().filter(|c| c.faded).max_by(|a, b| a.relevance.total_cmp(&b.relevance));
    let knowing = if all().any(|candidate| !candidate.faded) {
        Knowing::Known
    } else if nearest.is_some() {
        Knowing::OnceKnown
    } else {
        Knowing::NeverKnown
    };
    let faded = nearest.map(|c| (snapshot.id(c.place), snapshot.state(c.place).recorded_at));
    Feeling { knowing, faded, below_threshold, considered }
}
