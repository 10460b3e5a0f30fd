//! Labelled benchmarks: what is told, what is asked, and what should come back.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use bethink_api::from_rfc3339;
use bethink_domain::{Intent, Timestamp};
use serde::Deserialize;

use crate::error::EvaluationError;
use crate::lines::{Id, not_json, shortened};

/// Longest benchmark in bytes. Some 300,000 lines, which take an hour to embed; what is longer is another file by
/// mistake.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Something told, to be stored before the queries that come after it in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Its name inside the benchmark.
    pub id: String,
    /// What is told.
    pub text: String,
    /// When it happened and was told.
    pub at: Timestamp,
}

/// Something asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The message.
    pub text: String,
    /// Places in [`Benchmark::told`] of all that should be recalled, each once; empty when nothing should.
    pub relevant: Vec<usize>,
    /// What its intent should be found to be; none when the benchmark does not say.
    pub intent: Option<Intent>,
    /// When it is asked.
    pub at: Timestamp,
}

/// One benchmark, for one fresh space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Benchmark {
    /// Where it comes from.
    pub path: PathBuf,
    /// What is told, in the order of its lines.
    pub told: Vec<Told>,
    /// What is asked, in the order of its lines; at least one.
    pub queries: Vec<Query>,
}

impl Benchmark {
    /// Reads a file of lines `{"kind":"memory","id":…,"text":…,"at":…}` and
    /// `{"kind":"query","text":…,"relevant":[ids],"intent":…,"at":…}` in any order. Intent and time of a query may be
    /// absent: then the intent is not counted, and the time is that of the newest memory. Other fields are ignored.
    ///
    /// # Errors
    /// [`EvaluationError::Unreadable`], or what is wrong with the first wrong line.
    pub fn read(path: &Path) -> Result<Self, EvaluationError> {
        let unreadable = |reason: String| EvaluationError::Unreadable { path: path.to_owned(), reason };
        let file = std::fs::File::open(path).map_err(|error| unreadable(error.to_string()))?;
        let mut bytes = Vec::new();
        let limited = &mut file.take(FILE_BYTES_MAX + 1);
        limited.read_to_end(&mut bytes).map_err(|error| unreadable(error.to_string()))?;
        if bytes.len() as u64 > FILE_BYTES_MAX {
            return Err(unreadable(format!("longer than {FILE_BYTES_MAX} bytes, the limit of a benchmark")));
        }
        Self::parse(path, &bytes)
    }

    /// Reads the content of a file; `path` is only named.
    ///
    /// # Errors
    /// As [`Benchmark::read`].
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, EvaluationError> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let fault = |line, reason| EvaluationError::Line { path: path.to_owned(), line, reason };
        let mut lines = Lines::default();
        for (number, bytes) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
            lines.add(number, bytes).map_err(|reason| fault(number, reason))?;
        }
        let newest = lines.told.iter().map(|told| told.at).max();
        let queries = lines.asked.iter().map(|(number, asked)| {
            asked.resolve(&lines.places, newest).map_err(|reason| fault(*number, reason))
        });
        let queries = queries.collect::<Result<Vec<Query>, _>>()?;
        if queries.is_empty() {
            return Err(EvaluationError::NothingAsked { path: path.to_owned() });
        }
        Ok(Self { path: path.to_owned(), told: lines.told, queries })
    }
}

/// A line as it is written.
#[derive(Debug, Deserialize)]
struct Line {
    kind: Option<String>,
    id: Option<Id>,
    text: Option<String>,
    at: Option<String>,
    relevant: Option<Vec<Id>>,
    intent: Option<String>,
}

/// A query before its ids are looked up: they may be told further down.
#[derive(Debug)]
struct Asked {
    text: String,
    relevant: Vec<String>,
    intent: Option<Intent>,
    at: Option<Timestamp>,
}

impl Asked {
    fn resolve(
        &self,
        places: &HashMap<String, (usize, usize)>,
        newest: Option<Timestamp>,
    ) -> Result<Query, String> {
        let mut relevant = Vec::new();
        for id in &self.relevant {
            let (place, _) =
                *places.get(id).ok_or_else(|| format!("no memory has the id `{}`", shortened(id)))?;
            if !relevant.contains(&place) {
                relevant.push(place);
            }
        }
        let at = self
            .at
            .or(newest)
            .ok_or("a query without `at` is asked when the newest memory is told, and there is none")?;
        Ok(Query { text: self.text.clone(), relevant, intent: self.intent, at })
    }
}

#[derive(Debug, Default)]
struct Lines {
    told: Vec<Told>,
    /// Place in `told` and line of each id.
    places: HashMap<String, (usize, usize)>,
    asked: Vec<(usize, Asked)>,
}

impl Lines {
    fn add(&mut self, number: usize, bytes: &[u8]) -> Result<(), String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "not UTF-8")?.trim();
        if text.is_empty() {
            return Ok(());
        }
        let line: Line = serde_json::from_str(text).map_err(|error| not_json(&error))?;
        match line.kind.as_deref() {
            Some("memory") => self.tell(number, line),
            Some("query") => {
                self.asked.push((number, asked(line)?));
                Ok(())
            }
            Some(kind) => {
                Err(format!("`{}` is no kind of line; there are `memory` and `query`", shortened(kind)))
            }
            None => Err(missing("a line", "kind")),
        }
    }

    fn tell(&mut self, number: usize, line: Line) -> Result<(), String> {
        let id = line.id.ok_or_else(|| missing("a memory", "id"))?.into_word();
        let text = line.text.ok_or_else(|| missing("a memory", "text"))?;
        let at = time(&line.at.ok_or_else(|| missing("a memory", "at"))?)?;
        if text.trim().is_empty() {
            return Err("a memory of nothing can't be stored".to_owned());
        }
        if let Some((_, first)) = self.places.insert(id.clone(), (self.told.len(), number)) {
            return Err(format!("the id `{}` is already that of line {first}", shortened(&id)));
        }
        self.told.push(Told { id, text, at });
        Ok(())
    }
}

fn asked(line: Line) -> Result<Asked, String> {
    let relevant = line.relevant.ok_or_else(|| missing("a query", "relevant"))?;
    let named = |name: String| {
        Intent::from_name(&name).ok_or_else(|| {
            format!(
                "`{}` is no intent; there are memory, reasoning, general and small_talk",
                shortened(&name)
            )
        })
    };
    Ok(Asked {
        text: line.text.ok_or_else(|| missing("a query", "text"))?,
        relevant: relevant.into_iter().map(Id::into_word).collect(),
        intent: line.intent.map(named).transpose()?,
        at: line.at.as_deref().map(time).transpose()?,
    })
}

fn time(text: &str) -> Result<Timestamp, String> {
    from_rfc3339(text).map_err(|error| error.to_string())
}

fn missing(what: &str, field: &str) -> String {
    format!("{what} needs the field `{field}`")
}
