//! Figures as people and programs read them.

#[cfg(test)]
mod tests;

use std::fmt::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::score::{Judged, Score, Times};

/// Columns of the table's first column: the longest label and a gap.
const LABEL: usize = 44;

/// One way to recall, measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    /// Its figures.
    pub score: Score,
    /// Its answers, in the order of the files and their lines.
    pub judged: Vec<Judged>,
}

impl Side {
    pub(crate) fn new(judged: Vec<Judged>) -> Self {
        Self { score: Score::of(&judged), judged }
    }

    fn misses(&self) -> Vec<&Judged> {
        self.judged.iter().filter(|one| !one.correct).collect()
    }

    /// Right, but not all that came back is relevant.
    fn strays(&self) -> Vec<&Judged> {
        self.judged.iter().filter(|one| one.correct && one.irrelevant() > 0).collect()
    }

    fn misread(&self) -> Vec<&Judged> {
        self.judged.iter().filter(|one| one.misread()).collect()
    }
}

/// Recall on one or more benchmarks, measured.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallReport {
    /// The profile that was in force.
    pub profile: String,
    /// Who made the vectors.
    pub embedder: String,
    /// The benchmarks.
    pub files: Vec<PathBuf>,
    /// Memories that were told.
    pub memories: usize,
    /// A fixed number of memories for every message, without routing and without a threshold.
    pub baseline: Side,
    /// As turns do it.
    pub planner: Side,
}

impl RecallReport {
    /// A table of both sides, then what the planner got wrong; ends with a line break.
    #[must_use]
    pub fn human(&self) -> String {
        let mut text = format!(
            "{} memories, {} queries; profile {}; embedder {}\n\n{:LABEL$}{:>10}{:>10}\n",
            self.memories,
            self.planner.judged.len(),
            self.profile,
            self.embedder,
            "",
            "baseline",
            "planner"
        );
        for (label, show) in ROWS {
            put(
                &mut text,
                format_args!(
                    "{label:LABEL$}{:>10}{:>10}\n",
                    show(&self.baseline.score),
                    show(&self.planner.score)
                ),
            );
        }
        let lists = [
            ("missed", self.planner.misses()),
            ("right, with something irrelevant beside", self.planner.strays()),
            ("intent misread", self.planner.misread()),
        ];
        put(
            &mut text,
            format_args!("\nThe planner in detail (the baseline missed {}):\n", self.baseline.misses().len()),
        );
        for (title, list) in lists {
            put(&mut text, format_args!("\n{title}: {}\n", list.len()));
            list.into_iter().for_each(|one| detail(&mut text, one));
        }
        text
    }

    /// One object; shares are 0 to 1, and null where nothing counts towards them.
    #[must_use]
    pub fn json(&self) -> Value {
        let mut planner = side(&self.planner);
        planner["strays"] = self.planner.strays().into_iter().map(line).collect();
        planner["misread"] = self.planner.misread().into_iter().map(line).collect();
        json!({
            "profile": self.profile,
            "embedder": self.embedder,
            "files": self.files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
            "memories": self.memories,
            "queries": self.planner.judged.len(),
            "baseline": side(&self.baseline),
            "planner": planner,
        })
    }
}

type Row = (&'static str, fn(&Score) -> String);

const ROWS: [Row; 8] = [
    ("retrieval accuracy", |score| percent(Some(score.accuracy))),
    ("off-topic and small talk given nothing", |score| percent(score.none_correct)),
    ("own past, but unknown, given nothing", |score| percent(score.unanswerable_correct)),
    ("irrelevant memories per query", |score| format!("{:.2}", score.irrelevant_per_query)),
    ("intent accuracy", |score| percent(score.intent_accuracy)),
    ("ms per query beyond embedding, mean", |score| format!("{:.2}", score.times.mean_ms)),
    ("ms per query beyond embedding, p50 / p99", |score| {
        format!("{:.2}/{:.2}", score.times.p50_ms, score.times.p99_ms)
    }),
    ("ms per embedding", |score| score.embedding_ms.map_or("-".to_owned(), |ms| format!("{ms:.2}"))),
];

fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

fn detail(text: &mut String, one: &Judged) {
    put(text, format_args!("  {}\n", printable(&one.query)));
    for expected in &one.expected {
        let came = one.got.iter().any(|got| got.relevant && got.text == *expected);
        let mark = if came { "expected, came" } else { "expected, absent" };
        put(text, format_args!("    {mark}: {}\n", printable(expected)));
    }
    for got in one.got.iter().filter(|got| !got.relevant) {
        put(text, format_args!("    irrelevant, {:.3}: {}\n", got.relevance, printable(&got.text)));
    }
    if let Some((intent, rule)) = &one.decided {
        let should =
            one.intent.filter(|_| one.misread()).map(|intent| format!(", should be {}", intent.name()));
        put(text, format_args!("    intent {} by {rule}{}\n", intent.name(), should.unwrap_or_default()));
    }
}

/// A text on one line, without what a terminal would obey.
fn printable(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

/// Appends. A string takes all that is written, so that this cannot fail.
pub(crate) fn put(text: &mut String, what: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(what);
}

fn side(side: &Side) -> Value {
    let Score {
        accuracy,
        none_correct,
        unanswerable_correct,
        irrelevant_per_query,
        intent_accuracy,
        times,
        embedding_ms,
    } = &side.score;
    json!({
        "accuracy": rounded(*accuracy),
        "none_correct": none_correct.map(rounded),
        "unanswerable_correct": unanswerable_correct.map(rounded),
        "irrelevant_per_query": rounded(*irrelevant_per_query),
        "intent_accuracy": intent_accuracy.map(rounded),
        "ms_per_query": rounded(times.mean_ms),
        "ms_p50": rounded(times.p50_ms),
        "ms_p99": rounded(times.p99_ms),
        "embedding_ms": embedding_ms.map(rounded),
        "misses": side.misses().into_iter().map(line).collect::<Vec<_>>(),
    })
}

fn line(one: &Judged) -> Value {
    let got = one.got.iter().map(|got| {
        json!({ "text": got.text, "relevance": rounded(f64::from(got.relevance)), "relevant": got.relevant })
    });
    json!({
        "query": one.query,
        "expected": one.expected,
        "got": got.collect::<Vec<_>>(),
        "intent": {
            "expected": one.intent.map(|intent| intent.name()),
            "got": one.decided.as_ref().map(|(intent, _)| intent.name()),
            "rule": one.decided.as_ref().map(|(_, rule)| rule),
        },
    })
}

/// Rows of times under a heading, `width` characters for their names; without a last line break.
pub(crate) fn table(rows: &[(&str, &Times)], width: usize) -> String {
    let heading = format!("{:width$}{:>10}{:>10}", "milliseconds", "p50", "p99");
    let rows = rows
        .iter()
        .map(|(what, times)| format!("\n{what:width$}{:>10.3}{:>10.3}", times.p50_ms, times.p99_ms));
    std::iter::once(heading).chain(rows).collect()
}

/// Times in milliseconds, for programs.
pub(crate) fn times(times: &Times) -> Value {
    json!({ "p50_ms": rounded(times.p50_ms), "p99_ms": rounded(times.p99_ms) })
}

/// Four decimals are more than any benchmark supports.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}
