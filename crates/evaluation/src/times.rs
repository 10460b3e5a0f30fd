//! What time phrases are read as, written down for a scorer.

use std::path::Path;

use bethink_text::times::{DoubtKind, Locale, Moment, Reading, Repetition, Standpoint, length, read};
use jiff::civil::{self, DateTime};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::error::EvaluationError;
use crate::lines::{Id, Lines, Written};

/// A line of the file. Other fields are ignored, the expected reading above all.
#[derive(Debug, Deserialize)]
struct Line {
    id: Id,
    phrase: String,
    /// Wall time at which it is said; without one the phrase is a length of time.
    #[serde(default)]
    reference: Option<String>,
}

#[derive(Serialize)]
struct ResultLine<'a> {
    id: &'a Id,
    result: Option<Value>,
}

/// What was read of a file of phrases.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TimesReport {
    /// Phrases.
    pub phrases: usize,
    /// Read as a time.
    pub times: usize,
    /// Read as a recurrence.
    pub recurrences: usize,
    /// Read as a length.
    pub lengths: usize,
    /// Asked about.
    pub asked: usize,
    /// Microseconds a phrase, on average.
    pub micros: f64,
}

impl TimesReport {
    /// For programs.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "phrases": self.phrases, "times": self.times, "recurrences": self.recurrences,
            "lengths": self.lengths, "asked": self.asked, "microseconds": self.micros,
        })
    }

    /// For people.
    #[must_use]
    pub fn human(&self) -> String {
        format!(
            "{} phrases: {} times, {} recurrences, {} lengths, {} asked about; {:.0} µs each",
            self.phrases, self.times, self.recurrences, self.lengths, self.asked, self.micros
        )
    }
}

/// Reads the phrases of a file of lines `{"id":…,"phrase":…[,"reference":…]}`, and writes lines `{"id":…,"result":…}`: a
/// wall time as ISO 8601, seconds, the lower-cased parts of a rule, or null where it would be asked about. What is only
/// past is written, since here nobody is to be reminded.
///
/// # Errors
/// What is wrong with the file, or with the one that is written.
pub fn times(path: &Path, out: &Path, locale: Locale) -> Result<TimesReport, EvaluationError> {
    let mut lines = Lines::open(path)?;
    let mut written = Written::create(out)?;
    let mut report = TimesReport::default();
    let begun = Instant::now();
    while let Some((spot, line)) = lines.next::<Line>()? {
        let now = line.reference.as_deref().map(str::parse::<DateTime>).transpose();
        let now = now.map_err(|_| {
            lines.fault(spot, "`reference` is no wall time such as 2026-12-01T08:00:00".to_owned())
        })?;
        let result = match now {
            Some(now) => told(&line.phrase, now, locale, &mut report),
            None => length(&line.phrase).map(|seconds| {
                report.lengths += 1;
                json!(seconds)
            }),
        };
        report.phrases += 1;
        report.asked += usize::from(result.is_none());
        written.line(&ResultLine { id: &line.id, result })?;
    }
    if report.phrases == 0 {
        return Err(EvaluationError::Empty { path: path.to_owned(), what: "no phrase" });
    }
    report.micros = begun.elapsed().as_secs_f64() * 1e6 / report.phrases as f64;
    written.finish()?;
    Ok(report)
}

fn told(phrase: &str, now: DateTime, locale: Locale, report: &mut TimesReport) -> Option<Value> {
    let stand = Standpoint { now, locale, default_time: civil::time(9, 0, 0, 0) };
    match read(phrase, &stand)? {
        Reading::At(moment) => {
            report.times += 1;
            Some(wall(&moment))
        }
        Reading::After(length) => {
            report.times += 1;
            length.after(now).map(|at| json!(at.strftime("%Y-%m-%dT%H:%M:%S").to_string()))
        }
        Reading::Every(repetition) => {
            report.recurrences += 1;
            Some(rule(&repetition))
        }
        Reading::Unclear(doubt) if doubt.why == DoubtKind::Past => {
            report.times += 1;
            doubt.options.first().map(wall)
        }
        Reading::Unclear(_) => None,
    }
}

fn wall(moment: &Moment) -> Value {
    let time = moment.time.unwrap_or(civil::Time::midnight());
    json!(moment.date.to_datetime(time).strftime("%Y-%m-%dT%H:%M:%S").to_string())
}

/// The parts of a rule, its days of beginning and end without a time.
fn rule(repetition: &Repetition) -> Value {
    let mut parts = Map::new();
    for part in repetition.rule.to_rrule().split(';') {
        let Some((name, value)) = part.split_once('=') else { continue };
        let value = if name == "UNTIL" { value.get(..8).unwrap_or(value) } else { value };
        parts.insert(name.to_ascii_lowercase(), json!(value));
    }
    if let Some(start) = repetition.start {
        parts.insert("dtstart".to_owned(), json!(start.strftime("%Y%m%d").to_string()));
    }
    Value::Object(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_written_in_the_forms_of_the_scorer() {
        let dir = tempfile::tempdir().expect("because the system has a temporary directory");
        let (file, out) = (dir.path().join("in.jsonl"), dir.path().join("out.jsonl"));
        let lines = [
            r#"{"id":"a","phrase":"tomorrow at 7pm","reference":"2026-12-01T08:00:00","expected":"x"}"#,
            r#"{"id":2,"phrase":"every friday until june","reference":"2026-12-01T08:00:00"}"#,
            r#"{"id":"c","phrase":"an hour and a half"}"#,
            r#"{"id":"d","phrase":"soon","reference":"2026-12-01T08:00:00"}"#,
            r#"{"id":"e","phrase":"yesterday","reference":"2026-12-01T08:00:00"}"#,
        ];
        std::fs::write(&file, lines.join("\n")).expect("because the place is new");
        let report = times(&file, &out, Locale::default()).expect("because the lines are sound");
        let written = std::fs::read_to_string(&out).expect("because it was written");
        let expected = [
            r#"{"id":"a","result":"2026-12-02T19:00:00"}"#,
            r#"{"id":2,"result":{"freq":"WEEKLY","interval":"1","until":"20270601","byday":"FR"}}"#,
            r#"{"id":"c","result":5400.0}"#,
            r#"{"id":"d","result":null}"#,
            r#"{"id":"e","result":"2026-11-30T00:00:00"}"#,
        ];
        assert_eq!(written.lines().collect::<Vec<_>>(), expected);
        assert_eq!((report.times, report.recurrences, report.lengths, report.asked), (2, 1, 1, 1));
        std::fs::write(&file, r#"{"id":"a","phrase":"x","reference":"noon"}"#)
            .expect("because the place is ours");
        assert!(matches!(times(&file, &out, Locale::default()), Err(EvaluationError::Line { line: 1, .. })));
    }
}
