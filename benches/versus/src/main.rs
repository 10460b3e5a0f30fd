//! What one would otherwise build, behind the line protocol that `bethink bench --against` speaks.
//!
//! `bethink-versus sqlite|brute COUNT DIR`; see `crates/evaluation/src/bench/against.rs` for what it answers.

mod brute;
#[path = "../../../crates/evaluation/src/bench/made.rs"]
#[allow(dead_code, reason = "the file is shared, and not all of it is needed here")]
mod made;
mod sqlite;

use std::error::Error;
use std::io::{BufRead, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use made::{Maker, NEAREST, asked};
use serde::Deserialize;
use serde_json::{Value, json};

type Fault = Box<dyn Error + Send + Sync>;

/// Memories of one recall.
const K: usize = 8;
/// Candidates by words and by meaning that are fused.
const CANDIDATES: usize = 40;
/// Words that tell nothing.
const STOP: &[&str] = &[
    "a", "an", "and", "are", "at", "did", "do", "does", "for", "have", "how", "i", "in", "is", "it", "keep", "me", "much",
    "my", "not", "of", "on", "our", "since", "than", "that", "the", "to", "was", "we", "what", "when", "where", "which",
    "who", "whom", "why", "with",
];

/// A way to keep statements and to recall them.
trait System: Sync {
    /// What it is called in tables.
    const NAME: &'static str;
    /// Its files.
    fn files(dir: &Path, count: usize) -> Vec<PathBuf>;
    /// Whether everything is there already.
    fn there(dir: &Path, count: usize) -> bool {
        Self::files(dir, count).iter().all(|path| path.exists())
    }
    /// Stores everything.
    fn build(dir: &Path, count: usize, maker: &Maker) -> Result<(), Fault>;
    /// Opens what was stored.
    fn open(dir: &Path, count: usize) -> Result<Self, Fault>
    where
        Self: Sized;
    /// The numbers of the best by words and meaning, best first; their texts are read too.
    fn recall(&self, question: &str, vector: &[f32]) -> Result<Vec<u64>, Fault>;
    /// The numbers of the nearest by meaning.
    fn nearest(&self, vector: &[f32], count: usize) -> Result<Vec<u64>, Fault>;
    /// Stores a statement so that it survives a loss of power.
    fn write(&self, n: u64, text: &str, vector: &[f32]) -> Result<(), Fault>;
    /// Bytes on disk.
    fn file(&self) -> Option<u64>;
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Request {
    Recall { from: usize, count: usize },
    Nearest { count: usize },
    Write { clients: usize, count: usize },
    Size,
}

fn main() -> Result<(), Fault> {
    let begun = Instant::now();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (system, count, dir, copy) = match arguments.as_slice() {
        [system, count, dir] => (system, count, Path::new(dir), None),
        [system, count, dir, copy] => (system, count, Path::new(dir), Some(Path::new(copy))),
        _ => return Err("usage: bethink-versus sqlite|brute COUNT DIR".into()),
    };
    let count = count.parse()?;
    match system.as_str() {
        "sqlite" => serve::<sqlite::Sqlite>(begun, count, dir, copy),
        "brute" => serve::<brute::Brute>(begun, count, dir, copy),
        other => Err(format!("`{other}` is neither sqlite nor brute").into()),
    }
}

/// Stores everything if need be, copies it, and goes on as a fresh process over the copy: what storing and copying took
/// does not count as what opening takes, and what is written stays out of what is kept.
fn prepare<S: System>(count: usize, dir: &Path) -> Result<(), Fault> {
    if !S::there(dir, count) {
        S::build(dir, count, &Maker::new())?;
    }
    let copy = dir.join(format!("versus-copy-{}", std::process::id()));
    std::fs::create_dir_all(&copy)?;
    for path in S::files(dir, count) {
        std::fs::copy(&path, copy.join(path.file_name().ok_or("a file without a name")?))?;
    }
    let mut again = std::process::Command::new(std::env::current_exe()?);
    Err(again.args(std::env::args().skip(1)).arg(copy).exec().into())
}

fn serve<S: System>(begun: Instant, count: usize, dir: &Path, copy: Option<&Path>) -> Result<(), Fault> {
    let Some(dir) = copy else { return prepare::<S>(count, dir) };
    let served = answer::<S>(begun, count, dir);
    std::fs::remove_dir_all(dir)?;
    served
}

fn answer<S: System>(begun: Instant, count: usize, dir: &Path) -> Result<(), Fault> {
    let maker = Maker::new();
    let before = resident();
    let system = S::open(dir, count)?;
    let n = asked(0, count);
    system.recall(&maker.question(n), &maker.asking(n))?;
    say(&json!({ "ready": true, "name": S::NAME, "open_ms": begun.elapsed().as_secs_f64() * 1e3 }))?;
    let mut written = 0;
    for line in std::io::stdin().lock().lines() {
        let answer = match serde_json::from_str(&line?)? {
            Request::Recall { from, count: recalls } => recall(&system, &maker, count, from..from + recalls)?,
            Request::Nearest { count: questions } => nearest(&system, &maker, count, questions)?,
            Request::Write { clients, count: each } => {
                let first = count as u64 + 3_000_000_000 + written;
                written += (clients * each) as u64;
                write(&system, &maker, first, clients, each)?
            }
            Request::Size => {
                json!({ "resident": resident().saturating_sub(before), "file": system.file() })
            }
        };
        say(&answer)?;
    }
    Ok(())
}

fn say(answer: &Value) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{answer}")?;
    out.flush()
}

fn recall(
    system: &impl System,
    maker: &Maker,
    count: usize,
    questions: std::ops::Range<usize>,
) -> Result<Value, Fault> {
    let (mut ms, mut first) = (Vec::new(), 0);
    for k in questions {
        let n = asked(k, count);
        let (question, vector) = (maker.question(n), maker.asking(n));
        let begun = Instant::now();
        let found = system.recall(&question, &vector)?;
        ms.push(begun.elapsed().as_secs_f64() * 1e3);
        first += usize::from(found.first() == Some(&n));
    }
    Ok(json!({ "ms": ms, "first": first }))
}

fn nearest(system: &impl System, maker: &Maker, count: usize, questions: usize) -> Result<Value, Fault> {
    let found: Vec<Vec<u64>> = (0..questions)
        .map(|k| system.nearest(&maker.asking(asked(k, count)), NEAREST))
        .collect::<Result<_, _>>()?;
    Ok(json!({ "found": found }))
}

fn write(system: &impl System, maker: &Maker, first: u64, clients: usize, each: usize) -> Result<Value, Fault> {
    let made: Vec<(u64, String, Vec<f32>)> = (first..first + (clients * each) as u64)
        .map(|n| (n, maker.statement(n), maker.vector(n)))
        .collect();
    let begun = Instant::now();
    let times = std::thread::scope(|scope| {
        let client = |own: &'_ [(u64, String, Vec<f32>)]| -> Result<Vec<f64>, Fault> {
            own.iter()
                .map(|(n, text, vector)| {
                    let begun = Instant::now();
                    system.write(*n, text, vector)?;
                    Ok(begun.elapsed().as_secs_f64() * 1e3)
                })
                .collect()
        };
        let clients: Vec<_> = made.chunks(each).map(|own| scope.spawn(move || client(own))).collect();
        let done = clients.into_iter().map(|client| client.join().map_err(|_| "a client broke")?);
        done.collect::<Result<Vec<Vec<f64>>, Fault>>()
    })?;
    let ms: Vec<f64> = times.into_iter().flatten().collect();
    Ok(json!({ "ms": ms, "seconds": begun.elapsed().as_secs_f64() }))
}

/// Resident bytes; 0 where the system does not say.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1_024
}

/// Words of a text that tell something.
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty() && !STOP.contains(word));
    words.map(str::to_owned).collect()
}

/// The best of two lists of (number, score), each divided by its largest, summed.
fn fuse(meaning: &[(u64, f32)], words: &[(u64, f32)], k: usize) -> Vec<u64> {
    let mut sums = std::collections::HashMap::new();
    for list in [meaning, words] {
        let most = list.iter().map(|(_, score)| *score).fold(f32::MIN_POSITIVE, f32::max);
        for (n, score) in list {
            *sums.entry(*n).or_insert(0f32) += score / most;
        }
    }
    let mut all: Vec<(u64, f32)> = sums.into_iter().collect();
    all.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    all.into_iter().take(k).map(|(n, _)| n).collect()
}
