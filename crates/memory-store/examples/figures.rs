//! Figures of the store on this machine: durable acknowledgement beside a bare fsync, recall, waking, bytes.
//!
//! ```text
//! cargo run --release -p bethink-memory-store --example figures [directory [traces]]
//! ```

#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bethink_clock::Entropy;
use bethink_domain::{
    Affect, AgentName, Cue, Draft, EmbedderIdentity, Source, SpaceId, Span, Timestamp, TraceKind, UnitVector,
    UserName,
};
use bethink_memory_store::{
    RecallSettings, Snapshot, StoreConfig, StoreSlot, append, recall, seal, space_path,
};
use bethink_protocol::Remember;
use tokio::time::Instant;

/// Components of a vector, as those of the embedded model.
const DIMENSIONS: u16 = 384;
/// Subjects around which vectors lie.
const SUBJECTS: u64 = 512;
/// Words of the made-up language that statements are written in.
const WORDS: u64 = 4_000;

/// Statements after which a space that grows is sealed.
const SEALED: u64 = 131_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let here = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let dir = tempfile::tempdir_in(here)?;
    durable(dir.path())?;
    let counts = match std::env::args().nth(2) {
        Some(count) => vec![count.parse()?],
        None => vec![1_000, 10_000, 100_000],
    };
    counts.into_iter().try_for_each(|count| space_of(dir.path(), count))
}

/// One statement after the other, each acknowledged, with a bare append and fsync between them.
fn durable(dir: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let slot = open(dir, "durable")?;
    let config = StoreConfig::default();
    let mut snapshot = Arc::new(Snapshot::load(&slot, &config)?);
    let mut file = File::create(dir.join("bare"))?;
    let (mut bare, mut stored) = (Vec::new(), Vec::new());
    for number in 0..500 {
        let start = Instant::now();
        file.write_all(&[7; 1024])?;
        file.sync_data()?;
        bare.push(start.elapsed());
        let statements = vec![statement(number)];
        let start = Instant::now();
        snapshot = append(&slot, &snapshot, statements, Entropy::seeded(1), &config)?.snapshot;
        stored.push(start.elapsed());
    }
    report("append of 1 KiB and fsync", &mut bare);
    report("durable statement", &mut stored);
    println!("ratio of medians {:.2}", stored[250].as_secs_f64() / bare[250].as_secs_f64());
    Ok(())
}

fn space_of(dir: &Path, count: u64) -> Result<(), Box<dyn std::error::Error>> {
    println!("\n{count} traces");
    let name = format!("space-{count}");
    let config = StoreConfig::default();
    let slot = open(dir, &name)?;
    let mut snapshot = Arc::new(Snapshot::load(&slot, &config)?);
    let start = Instant::now();
    for first in (0..count).step_by(1_000) {
        let statements = (first..count.min(first + 1_000)).map(statement).collect();
        snapshot = append(&slot, &snapshot, statements, Entropy::seeded(1), &config)?.snapshot;
        if (first + 1_000).is_multiple_of(SEALED) {
            snapshot = seal(&slot, &snapshot, &config)?;
        }
    }
    println!("  stored in {:?}, 1000 a commit", start.elapsed());
    let start = Instant::now();
    snapshot = seal(&slot, &snapshot, &config)?;
    println!("  sealed in {:?}", start.elapsed());
    memory("  resident");
    drop(snapshot);
    slot.retire();
    let bytes = std::fs::metadata(slot.path())?.len();
    println!("  file {bytes} bytes, {} a trace", bytes / count);
    let (mut opened, mut loaded) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let start = Instant::now();
        let slot = open(dir, &name)?;
        opened.push(start.elapsed());
        let start = Instant::now();
        let snapshot = Snapshot::load(&slot, &config)?;
        loaded.push(start.elapsed());
        assert_eq!(snapshot.len() as u64, count, "everything is there");
        slot.retire();
    }
    report("  opening, every page checked", &mut opened);
    report("  reading all traces", &mut loaded);
    let slot = open(dir, &name)?;
    let snapshot = Arc::new(Snapshot::load(&slot, &config)?);
    println!("  before the graphs are read");
    recalls(&snapshot, count);
    let start = Instant::now();
    let snapshot = seal(&slot, &snapshot, &config)?;
    println!("  graphs read in {:?}", start.elapsed());
    recalls(&snapshot, count);
    Ok(())
}

/// Resident memory of this process, where the system tells.
fn memory(what: &str) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or("unknown");
    println!("{what} {line}");
}

fn recalls(snapshot: &Snapshot, count: u64) {
    let mut times = Vec::new();
    let mut found = 0;
    let before = busy();
    for number in 0..1_000 {
        let told = statement(number * 7 % count).draft;
        // Half of the words and a vector near by: a question about it.
        let words: Vec<&str> = told.text.split(' ').step_by(2).collect();
        let cue = Cue { embedding: told.embedding, ..Cue::new(words.join(" "), at(count)) };
        let start = Instant::now();
        let recollection =
            recall(snapshot, &cue, RecallSettings { threshold: 0.3, ..RecallSettings::default() });
        times.push(start.elapsed());
        found += usize::from(recollection.traces.first().is_some_and(|first| *first.text == told.text));
    }
    report("  recall", &mut times);
    if let (Some(before), Some(after)) = (before, busy()) {
        println!("  recall, with making the question: {:?} of the processor each", (after - before) / 1_000);
    }
    println!("  the right one first: {found} of 1000");
}

/// Time that this thread had the processor, where the system tells; the clock also counts what other programs took.
fn busy() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

fn report(what: &str, times: &mut [Duration]) {
    times.sort();
    let (half, last) = (times[times.len() / 2], times[times.len() * 99 / 100]);
    println!("{what}: p50 {half:?}, p99 {last:?}");
}

fn open(dir: &Path, user: &str) -> Result<StoreSlot, Box<dyn std::error::Error>> {
    let space = SpaceId { agent: AgentName::new("figures")?, user: UserName::new(user)? };
    let identity = EmbedderIdentity { model: "made-up".into(), dimensions: DIMENSIONS, revision: "1".into() };
    Ok(StoreSlot::open(&space_path(dir, &space), &space, Some(&identity), at(0), 4 * 1024 * 1024)?)
}

fn at(minutes: u64) -> Timestamp {
    Timestamp::from_millis(1_780_000_000_000) + Span::from_seconds(60 * minutes as i64)
}

/// The n-th statement: ten words and a vector near one of the subjects.
fn statement(number: u64) -> Remember {
    let text: Vec<String> = (0..10).map(|k| word(chance(number, k) % WORDS)).collect();
    Remember {
        draft: Draft {
            kind: if number.is_multiple_of(3) { TraceKind::Episodic } else { TraceKind::Semantic },
            text: text.join(" "),
            speaker: None,
            source: Source::UserStatement,
            confidence: 1.0,
            lineage: Vec::new(),
            affect: Affect::NEUTRAL,
            importance: 5.0,
            occurred_at: at(number),
            provisional: false,
            asked: false,
            embedding: UnitVector::new(vector(number)).ok(),
        },
        at: at(number),
    }
}

fn vector(number: u64) -> Vec<f32> {
    let subject = chance(number, 99) % SUBJECTS;
    let part = |seed: u64, k: u64| (chance(seed, k) % 2_000) as f32 / 1_000.0 - 1.0;
    (0..u64::from(DIMENSIONS)).map(|k| part(subject + 1_000_000, k) + 0.6 * part(number, k + 200)).collect()
}

fn word(number: u64) -> String {
    let letters = b"bcdfghklmnprstvz";
    let pair = |place: u64| {
        let consonant = letters[(number >> (4 * place)) as usize % 16] as char;
        format!("{consonant}{}", b"aeiou"[((number / 7) >> place) as usize % 5] as char)
    };
    (0..3).map(pair).collect()
}

/// SplitMix64 of two numbers.
fn chance(number: u64, k: u64) -> u64 {
    let mut z = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ k.wrapping_mul(0xD134_2543_DE82_EF95);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
