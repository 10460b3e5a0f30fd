//! Programs that do it another way, each a process of its own that is spoken to a JSON object a line.
//!
//! `PROGRAM SYSTEM COUNT DIR` stores the first COUNT made-up statements in DIR, or finds them there, and says
//! `{"ready":true,"name":…,"open_ms":…}`; SYSTEM is one of [`SYSTEMS`]. Then it answers
//!
//! - `{"do":"recall","from":k,"count":c}` by `{"ms":[…],"first":f}`: c recalls of the 8 best for the questions from the
//!   k-th on, in how many of them its statement came first;
//! - `{"do":"nearest","count":c}` by `{"found":[[n,…],…]}`: the ten statements nearest to the first c questions by meaning;
//! - `{"do":"write","clients":w,"count":c}` by `{"ms":[…],"seconds":s}`, or `{}` where it keeps nothing;
//! - `{"do":"size"}` by `{"resident":bytes,"file":bytes or null}`.
//!
//! The end of its input ends it.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::figures::OtherFigures;
use super::made::KNOWN;
use super::spaces::Space;
use crate::error::EvaluationError;
use crate::score::Times;

/// Ways that such a program knows.
const SYSTEMS: [&str; 2] = ["sqlite", "brute"];
/// Longest wait for storing everything once more, which other ways do one statement at a time.
const READY_WAIT: Duration = Duration::from_secs(900);
/// Longest wait for any other answer.
const ANSWER_WAIT: Duration = Duration::from_secs(300);

/// One of them, running.
pub(super) struct Other {
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    ready: Ready,
    recalls: Vec<f64>,
    first: usize,
    recall_at_10: f64,
    one: Vec<f64>,
    statements_per_second: Option<f64>,
}

#[derive(Deserialize)]
struct Ready {
    name: String,
    open_ms: f64,
}

#[derive(Deserialize)]
struct Recalled {
    ms: Vec<f64>,
    first: usize,
}

#[derive(Deserialize)]
struct Nearest {
    found: Vec<Vec<u32>>,
}

#[derive(Deserialize)]
struct Written {
    #[serde(default)]
    ms: Vec<f64>,
    #[serde(default)]
    seconds: Option<f64>,
}

#[derive(Deserialize)]
struct Size {
    resident: u64,
    file: Option<u64>,
}

fn fault(what: impl std::fmt::Display) -> EvaluationError {
    EvaluationError::Other(what.to_string())
}

impl Other {
    /// Starts all that a program knows, over so many statements.
    pub(super) async fn all(program: &Path, traces: usize, dir: &Path) -> Result<Vec<Self>, EvaluationError> {
        let mut others = Vec::new();
        for system in SYSTEMS {
            others.push(Self::start(program, system, traces, dir).await?);
        }
        Ok(others)
    }

    async fn start(program: &Path, system: &str, traces: usize, dir: &Path) -> Result<Self, EvaluationError> {
        let mut command = Command::new(program);
        command.arg(system).arg(traces.to_string()).arg(dir);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| fault(format!("{}: {error}", program.display())))?;
        let input = child.stdin.take().ok_or_else(|| fault("it has no input"))?;
        let output = child.stdout.take().ok_or_else(|| fault("it has no output"))?;
        let mut lines = BufReader::new(output).lines();
        let ready = read(&mut lines, READY_WAIT).await?;
        Ok(Self {
            child,
            input,
            lines,
            ready,
            recalls: Vec::new(),
            first: 0,
            recall_at_10: 0.0,
            one: Vec::new(),
            statements_per_second: None,
        })
    }

    async fn ask<T: DeserializeOwned>(&mut self, request: Value) -> Result<T, EvaluationError> {
        let line = format!("{request}\n");
        self.input.write_all(line.as_bytes()).await.map_err(fault)?;
        read(&mut self.lines, ANSWER_WAIT).await
    }

    /// Recalls some questions.
    pub(super) async fn recall(&mut self, from: usize, count: usize) -> Result<(), EvaluationError> {
        let done: Recalled = self.ask(json!({ "do": "recall", "from": from, "count": count })).await?;
        self.recalls.extend(done.ms);
        self.first += done.first;
        Ok(())
    }

    /// Compares what it finds nearest with what is.
    pub(super) async fn nearest(&mut self, space: &Space) -> Result<(), EvaluationError> {
        let done: Nearest = self.ask(json!({ "do": "nearest", "count": KNOWN })).await?;
        let pairs = || space.nearest.iter().zip(&done.found);
        let hits: usize = pairs().map(|(all, found)| all.iter().filter(|n| found.contains(n)).count()).sum();
        let all: usize = space.nearest.iter().map(Vec::len).sum();
        self.recall_at_10 = hits as f64 / all.max(1) as f64;
        Ok(())
    }

    /// Has statements stored by so many clients, so many by each.
    pub(super) async fn write(&mut self, clients: usize, count: usize) -> Result<(), EvaluationError> {
        let done: Written = self.ask(json!({ "do": "write", "clients": clients, "count": count })).await?;
        if clients == 1 {
            self.one.extend(done.ms);
        } else {
            self.statements_per_second = done.seconds.map(|seconds| (clients * count) as f64 / seconds);
        }
        Ok(())
    }

    /// Its figures; ends it.
    pub(super) async fn end(mut self) -> Result<OtherFigures, EvaluationError> {
        let size: Size = self.ask(json!({ "do": "size" })).await?;
        drop(self.input);
        let ended = tokio::time::timeout(ANSWER_WAIT, self.child.wait()).await;
        ended.map_err(|_| fault("it does not end"))?.map_err(fault)?;
        let first = self.first as f64 / self.recalls.len().max(1) as f64;
        Ok(OtherFigures {
            name: self.ready.name,
            recall: Times::of_millis(self.recalls),
            recall_at_10: self.recall_at_10,
            first,
            one: (!self.one.is_empty()).then(|| Times::of_millis(self.one)),
            statements_per_second: self.statements_per_second,
            open_ms: self.ready.open_ms,
            resident: size.resident,
            file: size.file,
        })
    }
}

async fn read<T: DeserializeOwned>(
    lines: &mut Lines<BufReader<ChildStdout>>,
    patience: Duration,
) -> Result<T, EvaluationError> {
    let line = tokio::time::timeout(patience, lines.next_line()).await;
    let line = line.map_err(|_| fault("it gives no answer"))?.map_err(fault)?;
    let line = line.ok_or_else(|| fault("it ended before it answered"))?;
    serde_json::from_str(&line).map_err(|error| fault(format!("it answered `{line}` ({error})")))
}
