//! `import`.

mod lines;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bethink_api::{ExportedTrace, Fault, FaultKind, Imported, Request, Response};
use serde_json::json;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::mismatch;
use crate::open::Opened;
use crate::output::Output;
use lines::{Lines, Read};

/// Traces in flight: two batches for the embedder, so that one waits while the other is embedded.
const IN_FLIGHT_MAX: usize = 512;
/// Between two attempts at a memory that has too much to do.
const BUSY_WAIT: Duration = Duration::from_millis(20);
/// Attempts; a minute and more.
const BUSY_ATTEMPTS: usize = 3_000;
/// Between two words about how far it is, to a person and to a log.
const TOLD_EVERY: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));

/// What was asked for.
pub(crate) struct Asked {
    pub(crate) file: PathBuf,
    pub(crate) at: Option<String>,
    pub(crate) revive: bool,
}

/// What came of the lines.
#[derive(Debug, Default)]
struct Tally {
    stored: usize,
    known: usize,
    forgotten: usize,
    replaced: usize,
    turns: usize,
    refused: usize,
    /// Stored, but found by words alone for now.
    unembedded: usize,
    /// Texts in which a secret was masked.
    masked: usize,
}

impl Tally {
    fn done(&self) -> usize {
        self.stored + self.known + self.forgotten + self.replaced + self.turns + self.refused
    }

    fn take(&mut self, imported: &Imported) {
        match imported {
            Imported::Stored { masked, embedded, .. } => {
                self.stored += 1;
                self.unembedded += usize::from(!embedded);
                self.masked += usize::from(!masked.is_empty());
            }
            Imported::Known { .. } => self.known += 1,
            Imported::Forgotten => self.forgotten += 1,
            Imported::Replaced => self.replaced += 1,
        }
    }
}

/// Takes in what a file holds.
pub(crate) async fn run(opened: &Opened, output: Output, asked: Asked) -> anyhow::Result<ExitCode> {
    let begun = Instant::now();
    let mut lines = Lines::open(&asked.file, asked.at)?;
    let mut pace = Pace::new(output, lines.total);
    let mut tally = Tally::default();
    let mut flying: JoinSet<(usize, Result<Imported, Fault>)> = JoinSet::new();
    loop {
        if flying.len() >= IN_FLIGHT_MAX {
            land(&mut flying, output, &mut tally).await?;
            continue;
        }
        tokio::select! {
            biased;
            line = lines.next() => match line {
                None => break,
                Some((number, Read::Trace(trace, room))) => {
                    drop(flying.spawn(one(opened, number, trace, asked.revive, room)));
                }
                Some((_, Read::Turn)) => tally.turns += 1,
                Some((_, Read::Nothing)) => {}
                Some((number, Read::Refused(why))) => refuse(output, &mut tally, number, &why),
                Some((number, Read::Broken(fault))) => {
                    let message = format!("line {number} and what follows could not be read: {fault}");
                    return Err(Fault::new(FaultKind::Failed, message).into());
                }
            },
            landed = land(&mut flying, output, &mut tally), if !flying.is_empty() => landed?,
        }
        pace.reached(&tally);
    }
    while !flying.is_empty() {
        land(&mut flying, output, &mut tally).await?;
        pace.reached(&tally);
    }
    pace.end(&tally);
    report(output, &tally, begun.elapsed())?;
    let code = if tally.refused > 0 { FaultKind::Usage.exit_code() } else { 0 };
    Ok(ExitCode::from(code))
}

/// Imports one trace; where memory has too much to do, later.
fn one(
    opened: &Opened,
    number: usize,
    trace: Box<ExportedTrace>,
    revive: bool,
    room: OwnedSemaphorePermit,
) -> impl Future<Output = (usize, Result<Imported, Fault>)> + Send + 'static {
    let (door, space) = (Arc::clone(&opened.door), opened.space.clone());
    async move {
        let _room = room;
        for _ in 0..BUSY_ATTEMPTS {
            let request = Request::Import { trace: trace.clone(), revive };
            match door.ask(space.clone(), request).await {
                Ok(Response::Imported(imported)) => return (number, Ok(imported)),
                Ok(_) => return (number, Err(mismatch())),
                Err(fault) if fault.kind == FaultKind::Busy => tokio::time::sleep(BUSY_WAIT).await,
                Err(fault) => return (number, Err(fault)),
            }
        }
        (number, Err(Fault::new(FaultKind::Busy, "memory had too much to do for a minute")))
    }
}

/// Takes the answer to one of those in flight.
async fn land(
    flying: &mut JoinSet<(usize, Result<Imported, Fault>)>,
    output: Output,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    let Some(landed) = flying.join_next().await else { return Ok(()) };
    match landed? {
        (_, Ok(imported)) => tally.take(&imported),
        (number, Err(fault)) if matches!(fault.kind, FaultKind::Usage | FaultKind::NoSuchId) => {
            refuse(output, tally, number, &fault.message);
        }
        // What follows would fare no better.
        (number, Err(fault)) => {
            let message = format!(
                "line {number} was not stored: {fault}. {} lines were done; the same command goes on from there",
                tally.done()
            );
            return Err(Fault::new(fault.kind, message).into());
        }
    }
    Ok(())
}

fn refuse(output: Output, tally: &mut Tally, number: usize, why: &str) {
    tally.refused += 1;
    output.note(&format!("line {number}: {why}; it was not stored"));
}

fn report(output: Output, tally: &Tally, took: Duration) -> anyhow::Result<()> {
    let seconds = took.as_secs_f64();
    output.object(&json!({
        "stored": tally.stored, "known": tally.known, "forgotten": tally.forgotten, "replaced": tally.replaced,
        "turns": tally.turns, "refused": tally.refused, "unembedded": tally.unembedded, "masked": tally.masked,
        "seconds": seconds,
    }))?;
    let mut line = format!("{} stored, {} known already", tally.stored, tally.known);
    let more = [
        (tally.forgotten, "left out because they were forgotten (--revive takes them)"),
        (tally.replaced, "left out because others stand in their place"),
        (tally.turns, "turns passed over"),
        (tally.refused, "lines refused"),
        (tally.masked, "with a secret left out"),
        (tally.unembedded, "found by their words alone until their vectors are made"),
    ];
    for (count, what) in more.into_iter().filter(|(count, _)| *count > 0) {
        line.push_str(&format!(", {count} {what}"));
    }
    output.line(&format!("{line}; {seconds:.1} s"))?;
    Ok(())
}

/// How fast it goes, counted from the first trace that was stored: what is known already passes a hundred times faster.
struct Pace {
    output: Output,
    terminal: bool,
    total: Option<usize>,
    from: Option<(Instant, usize)>,
    told: Instant,
}

impl Pace {
    fn new(output: Output, total: Option<usize>) -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self { output, terminal, total, from: None, told: Instant::now() }
    }

    fn reached(&mut self, tally: &Tally) {
        let (now, done) = (Instant::now(), tally.done());
        if tally.stored > 0 {
            self.from.get_or_insert((now, done));
        }
        let every = if self.terminal { TOLD_EVERY.0 } else { TOLD_EVERY.1 };
        if now - self.told < every {
            return;
        }
        self.told = now;
        self.tell(tally, now);
    }

    fn tell(&self, tally: &Tally, now: Instant) {
        let done = tally.done();
        let left = self.total.zip(self.from).and_then(|(total, (begun, first))| {
            let pace = (done > first).then(|| (now - begun).div_f64((done - first) as f64))?;
            Some(format!(", {} s left", pace.mul_f64(total.saturating_sub(done) as f64).as_secs()))
        });
        let of = self.total.map(|total| format!(" of {total}")).unwrap_or_default();
        let line = format!("importing: {done}{of}{}", left.unwrap_or_default());
        if self.terminal { self.output.overwrite(&line, false) } else { self.output.note(&line) }
    }

    fn end(&self, tally: &Tally) {
        if self.terminal {
            self.output.overwrite(&format!("importing: {} done", tally.done()), true);
        }
    }
}
