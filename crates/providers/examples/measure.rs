//! What the embedded model costs on this machine: time to load it, memory, time of one message, texts a second.
//!
//! ```text
//! cargo run --release -p bethink-providers --example measure
//! ```

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement prints what the clock says"
)]

use std::time::{Duration, Instant};

use bethink_domain::Senses;
use bethink_providers::{Effort, EmbeddedSenses, EmbeddingModel, MiniLm};

/// Twenty words.
const MESSAGE: &str =
    "When I come home from work on Thursday, where did I say that I had put my reading glasses?";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("memory before {}", memory());
    let (model, load) = timed(MiniLm::load);
    let model = model?;
    println!("load          {load:?}, memory {}", memory());

    let (first, took) = timed(|| model.embed(&[MESSAGE], Effort::Modest));
    first?;
    println!("first message {took:?} (reads the vocabulary too), memory {}", memory());

    let mut times = Vec::new();
    for _ in 0..100 {
        times.push(timed(|| model.embed(&[MESSAGE], Effort::Modest)).1);
    }
    times.sort();
    println!("a message     p50 {:?}, p99 {:?}, fastest {:?}", times[50], times[99], times[0]);

    let lines: Vec<String> = (0..400).map(|n| format!("{} {MESSAGE}", "so ".repeat(n % 7))).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    for effort in [Effort::Modest, Effort::Full] {
        let (before, start) = (processor_time(), Instant::now());
        for batch in lines.chunks(16) {
            model.embed(batch, effort)?;
        }
        let (used, wall) = (processor_time() - before, start.elapsed());
        let rate = |time: Duration| lines.len() as f64 / time.as_secs_f64();
        println!("{effort:?}: {:.0} texts a CPU-second, {:.0} a second", rate(used), rate(wall));
    }
    let long = "The committee met again and talked about the budget of the town hall. ".repeat(1_000);
    println!("70 KB text    {:?}", timed(|| model.embed(&[&long], Effort::Modest)).1);
    println!("memory after  {}", memory());

    let (_, took) = timed(|| (0..1_000).filter_map(|_| EmbeddedSenses.sense("spectacles")).count());
    println!("a sense       {:?}", took / 1_000);
    Ok(())
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    (work(), start.elapsed())
}

/// Resident memory of this process, where the system tells it.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line =
        |key: &str| status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or("?").trim().to_owned();
    format!("{} (peak {}, anonymous {})", line("VmRSS:"), line("VmHWM:"), line("RssAnon:"))
}

/// Processor time of this process, where the system tells it; its unit is a hundredth of a second.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}
