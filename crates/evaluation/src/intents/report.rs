//! Figures of a classification into four intents.

use std::path::PathBuf;

use bethink_domain::Intent;
use serde_json::{Value, json};

use crate::report::{put, rounded};
use crate::score::Times;

/// The intents, in the order of the tables.
const CLASSES: [Intent; 4] = [Intent::Memory, Intent::Reasoning, Intent::General, Intent::SmallTalk];
/// Columns of the first column of the tables: the longest label and a gap.
const LABEL: usize = 12;

/// How often each intent was taken for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Confusion {
    /// Row: what it is; column: what was decided.
    counts: [[usize; 4]; 4],
}

/// Figures of one intent, 0…1; none where nothing counts towards them.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Class {
    /// Utterances that have it.
    support: usize,
    /// Of those that were taken for it, the share that has it.
    precision: Option<f64>,
    /// Of those that have it, the share that was taken for it.
    recall: Option<f64>,
    /// Harmonic mean of both; 0 where one of them is 0 or missing.
    f1: f64,
}

/// How well intents were told.
#[derive(Debug, Clone, PartialEq)]
pub struct IntentsReport {
    /// The labelled utterances.
    pub path: PathBuf,
    /// Who made the vectors.
    pub embedder: String,
    /// Utterances whose intent was told by rules alone, without an embedding.
    pub ruled: usize,
    pub(super) confusion: Confusion,
    /// Times of reading and deciding one utterance, embedding apart.
    pub deciding: Times,
}

impl Confusion {
    pub(super) fn add(&mut self, expected: Intent, decided: Intent) {
        let place = |intent| CLASSES.iter().position(|class| *class == intent);
        if let (Some(row), Some(column)) = (place(expected), place(decided)) {
            self.counts[row][column] += 1;
        }
    }

    fn total(&self) -> usize {
        self.counts.iter().flatten().sum()
    }

    fn class(&self, class: usize) -> Class {
        let hits = self.counts[class][class];
        let support: usize = self.counts[class].iter().sum();
        let taken: usize = self.counts.iter().map(|row| row[class]).sum();
        let (precision, recall) = (share(hits, taken), share(hits, support));
        let (p, r) = (precision.unwrap_or(0.0), recall.unwrap_or(0.0));
        let f1 = if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 };
        Class { support, precision, recall, f1 }
    }
}

impl IntentsReport {
    /// Share of utterances whose intent was told rightly, 0…1.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        let right = (0..4).map(|class| self.confusion.counts[class][class]).sum();
        share(right, self.confusion.total()).unwrap_or(0.0)
    }

    /// Mean of F1 over the intents that occur in the file, 0…1.
    #[must_use]
    pub fn macro_f1(&self) -> f64 {
        let classes = (0..4).map(|class| self.confusion.class(class));
        let there: Vec<f64> = classes.filter(|class| class.support > 0).map(|class| class.f1).collect();
        there.iter().sum::<f64>() / there.len().max(1) as f64
    }

    /// Tables for people; ends with a line break.
    #[must_use]
    pub fn human(&self) -> String {
        let total = self.confusion.total();
        let mut text = format!(
            "{total} utterances of {}; embedder {}\n{} told by rules alone, {} by their meaning\n\n",
            self.path.display(),
            self.embedder,
            self.ruled,
            total - self.ruled,
        );
        put(
            &mut text,
            format_args!("accuracy {}, macro-F1 {}\n\n", percent(self.accuracy()), percent(self.macro_f1())),
        );
        put(
            &mut text,
            format_args!("{:LABEL$}{:>8}{:>11}{:>9}{:>9}\n", "", "n", "precision", "recall", "F1"),
        );
        for (number, intent) in CLASSES.iter().enumerate() {
            let Class { support, precision, recall, f1 } = self.confusion.class(number);
            let show = |share: Option<f64>| share.map_or("-".to_owned(), percent);
            let (precision, recall) = (show(precision), show(recall));
            put(
                &mut text,
                format_args!(
                    "{:LABEL$}{support:>8}{precision:>11}{recall:>9}{:>9}\n",
                    intent.name(),
                    percent(f1)
                ),
            );
        }
        self.put_confusion(&mut text);
        let Times { mean_ms, p50_ms, p99_ms } = self.deciding;
        put(
            &mut text,
            format_args!(
                "\nms per utterance beyond embedding: mean {mean_ms:.3}, p50 {p50_ms:.3}, p99 {p99_ms:.3}\n"
            ),
        );
        text
    }

    fn put_confusion(&self, text: &mut String) {
        put(text, format_args!("\n{:LABEL$}", "is / told"));
        for intent in CLASSES {
            put(text, format_args!("{:>LABEL$}", intent.name()));
        }
        text.push('\n');
        for (intent, row) in CLASSES.iter().zip(self.confusion.counts) {
            put(text, format_args!("{:LABEL$}", intent.name()));
            for count in row {
                put(text, format_args!("{count:>LABEL$}"));
            }
            text.push('\n');
        }
    }

    /// One object; shares are 0 to 1, and null where nothing counts towards them.
    #[must_use]
    pub fn json(&self) -> Value {
        let classes = CLASSES.iter().enumerate().map(|(number, intent)| {
            let Class { support, precision, recall, f1 } = self.confusion.class(number);
            let row = CLASSES.iter().zip(self.confusion.counts[number]);
            let told: serde_json::Map<String, Value> =
                row.map(|(told, count)| (told.name().to_owned(), json!(count))).collect();
            let figures = json!({
                "n": support,
                "precision": precision.map(rounded),
                "recall": recall.map(rounded),
                "f1": rounded(f1),
                "told": told,
            });
            (intent.name().to_owned(), figures)
        });
        json!({
            "accuracy": rounded(self.accuracy()),
            "macro_f1": rounded(self.macro_f1()),
            "n": self.confusion.total(),
            "ruled": self.ruled,
            "classes": classes.collect::<serde_json::Map<String, Value>>(),
            "embedder": self.embedder,
            "file": self.path.display().to_string(),
            "ms_mean": rounded(self.deciding.mean_ms),
            "ms_p99": rounded(self.deciding.p99_ms),
        })
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
