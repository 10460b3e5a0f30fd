//! From answers to figures. Pure: the same answers give the same figures.

#[cfg(test)]
mod tests;

use std::time::Duration;

use bethink_domain::Intent;

use crate::benchmark::Benchmark;

/// What came back for one query.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Retrieved memories, best first: the place of each in [`Benchmark::told`], and its relevance, 0…1.
    pub found: Vec<(usize, f32)>,
    /// The intent that was decided, and by which rule; none without routing.
    pub decided: Option<(Intent, String)>,
    /// Time taken, embedding apart.
    pub spent: Duration,
    /// Time taken by embedding; none when nothing had to be embedded.
    pub embedding: Option<Duration>,
}

/// One retrieved memory, judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Got {
    /// Its text.
    pub text: String,
    /// Its relevance, 0…1.
    pub relevance: f32,
    /// The benchmark says that it is relevant.
    pub relevant: bool,
}

/// One query, judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The message.
    pub query: String,
    /// Texts of all that is relevant; empty when nothing is.
    pub expected: Vec<String>,
    /// What was retrieved, best first.
    pub got: Vec<Got>,
    /// All that is relevant was retrieved; or nothing was, where nothing is relevant.
    pub correct: bool,
    /// The intent that the benchmark gives it.
    pub intent: Option<Intent>,
    /// The intent that was decided, and by which rule.
    pub decided: Option<(Intent, String)>,
    /// Time taken, embedding apart.
    pub spent: Duration,
    /// Time taken by embedding.
    pub embedding: Option<Duration>,
}

impl Judged {
    /// Judges the answer to a query of a benchmark.
    #[must_use]
    pub fn new(benchmark: &Benchmark, query: usize, answer: Answer) -> Self {
        let asked = &benchmark.queries[query];
        let Answer { found, decided, spent, embedding } = answer;
        let text = |place: usize| benchmark.told[place].text.clone();
        let correct = if asked.relevant.is_empty() {
            found.is_empty()
        } else {
            asked.relevant.iter().all(|place| found.iter().any(|(found, _)| found == place))
        };
        let got = found.into_iter().map(|(place, relevance)| Got {
            text: text(place),
            relevance,
            relevant: asked.relevant.contains(&place),
        });
        Self {
            query: asked.text.clone(),
            expected: asked.relevant.iter().copied().map(text).collect(),
            got: got.collect(),
            correct,
            intent: asked.intent,
            decided,
            spent,
            embedding,
        }
    }

    /// Retrieved memories that are not relevant.
    #[must_use]
    pub fn irrelevant(&self) -> usize {
        self.got.iter().filter(|got| !got.relevant).count()
    }

    /// True when the intent was decided as another one than the benchmark's.
    #[must_use]
    pub fn misread(&self) -> bool {
        self.right_intent() == Some(false)
    }

    /// Whether the intent was decided rightly; none where it is not known or was not decided.
    fn right_intent(&self) -> Option<bool> {
        let (decided, _) = self.decided.as_ref()?;
        self.intent.map(|intent| intent == *decided)
    }
}

/// Figures of one way to recall, over all queries. Shares are 0…1, and none where nothing counts towards them.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Share of queries answered rightly (see [`Judged::correct`]).
    pub accuracy: f64,
    /// Share of off-topic and small-talk queries given nothing: of those for which nothing is relevant and whose
    /// intent is not memory. Where a benchmark gives no intents at all, of all for which nothing is relevant.
    pub none_correct: Option<f64>,
    /// Share given nothing of the questions about the user's own past to which memory holds no answer.
    pub unanswerable_correct: Option<f64>,
    /// Retrieved memories that are not relevant, per query.
    pub irrelevant_per_query: f64,
    /// Share of queries of known intent for which that intent was decided; none without routing.
    pub intent_accuracy: Option<f64>,
    /// Time per query, embedding apart.
    pub times: Times,
    /// Mean time of one embedding in milliseconds.
    pub embedding_ms: Option<f64>,
}

impl Score {
    /// Sums up judged queries; all figures are 0 or none without any.
    #[must_use]
    pub fn of(judged: &[Judged]) -> Self {
        let intents = judged.iter().any(|one| one.intent.is_some());
        let about_self = |one: &&Judged| intents && one.intent == Some(Intent::Memory);
        let nothing = || judged.iter().filter(|one| one.expected.is_empty());
        let irrelevant: usize = judged.iter().map(Judged::irrelevant).sum();
        let embeddings = judged.iter().filter_map(|one| one.embedding);
        Self {
            accuracy: share(judged.iter().map(|one| one.correct)).unwrap_or(0.0),
            none_correct: share(nothing().filter(|one| !about_self(one)).map(|one| one.correct)),
            unanswerable_correct: share(nothing().filter(about_self).map(|one| one.correct)),
            irrelevant_per_query: irrelevant as f64 / judged.len().max(1) as f64,
            intent_accuracy: share(judged.iter().filter_map(Judged::right_intent)),
            times: Times::of(judged.iter().map(|one| one.spent).collect()),
            embedding_ms: mean_ms(&embeddings.collect::<Vec<_>>()),
        }
    }
}

/// How long something took, in milliseconds; all 0 when it never happened.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Times {
    /// Mean.
    pub mean_ms: f64,
    /// Half took at most this.
    pub p50_ms: f64,
    /// 99 of 100 took at most this; of fewer than 100 the longest.
    pub p99_ms: f64,
}

impl Times {
    /// Sums up times, in any order. Percentiles are by nearest rank.
    #[must_use]
    pub fn of(times: Vec<Duration>) -> Self {
        Self::of_millis(times.into_iter().map(millis).collect())
    }

    /// The same of milliseconds, which can be less than 0 where they are differences.
    pub(crate) fn of_millis(mut times: Vec<f64>) -> Self {
        times.sort_unstable_by(f64::total_cmp);
        let rank = |percent: usize| {
            let place = (times.len() * percent).div_ceil(100).saturating_sub(1);
            times.get(place).copied().unwrap_or(0.0)
        };
        let mean_ms = times.iter().sum::<f64>() / times.len().max(1) as f64;
        Self { mean_ms, p50_ms: rank(50), p99_ms: rank(99) }
    }
}

fn share(outcomes: impl Iterator<Item = bool>) -> Option<f64> {
    let (mut right, mut all) = (0u32, 0u32);
    for outcome in outcomes {
        all += 1;
        right += u32::from(outcome);
    }
    (all > 0).then(|| f64::from(right) / f64::from(all))
}

fn mean_ms(times: &[Duration]) -> Option<f64> {
    let total: Duration = times.iter().sum();
    (!times.is_empty()).then(|| millis(total) / times.len() as f64)
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
