//! Kills an open conversation around the time at which a reminder is due, over and over, and looks whether one is lost, or
//! shown twice without saying so.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use bethink_api::FaultKind;
use bethink_clock::{Clock, Entropy, SystemClock};
use bethink_domain::{AgentName, SpaceId, Span, Timestamp, UserName};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout};
use tokio::time::timeout;

use super::{Data, PATIENCE, bethink};
use crate::output::Output;

/// How long before it is due a reminder is kept: the command that keeps it is over by then.
const LEAD: Span = Span::from_millis(600);
/// The kill falls within so many milliseconds before or after the due time.
const AROUND_MS: u64 = 120;

/// What came of it.
#[derive(Debug, Default)]
struct Toll {
    /// Shown and acknowledged before the kill.
    before: usize,
    /// Shown after it alone.
    after: usize,
    /// Shown twice, the second time marked so.
    marked: usize,
    lost: Vec<String>,
    /// Shown twice, and the second time not marked.
    unmarked: Vec<String>,
}

/// A conversation whose output is read.
struct Chat {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Chat {
    async fn open(data: &Data) -> anyhow::Result<Self> {
        let mut child =
            bethink(data, "user0")?.arg("chat").spawn().context("no conversation could be started")?;
        let out = child.stdout.take().context("a conversation has an output")?;
        let mut chat = Self { child, lines: BufReader::new(out).lines() };
        while let Some(line) = timeout(PATIENCE, chat.lines.next_line()).await?? {
            if line.contains("\"opened\"") {
                return Ok(chat);
            }
        }
        anyhow::bail!("a conversation ended before it began")
    }

    /// The next time that a reminder is shown, and whether it is marked as shown before; none at the end.
    async fn shown(&mut self, text: &str) -> anyhow::Result<Option<bool>> {
        while let Some(line) = self.lines.next_line().await? {
            let Ok(event) = serde_json::from_str::<Value>(&line) else { continue };
            if event["event"] == "reminder" && event["text"] == text {
                return Ok(Some(event["again"] == true));
            }
        }
        Ok(None)
    }
}

/// Kills and looks, in a directory of its own.
pub(super) async fn run(output: Output, runs: usize, seed: u64, scratch: &Path) -> anyhow::Result<ExitCode> {
    let path = scratch.join(format!("bethink-torture-{}", std::process::id()));
    let data = Data { path, vectors: false };
    let mut toll = Toll::default();
    for run in 0..runs {
        one(&data, (run, seed), &mut toll).await?;
        if (run + 1) % 10 == 0 || run + 1 == runs {
            output.overwrite(&format!("{} of {runs} kills", run + 1), run + 1 == runs);
        }
    }
    let bad = toll.lost.len() + toll.unmarked.len();
    output.object(&serde_json::json!({
        "runs": runs, "seed": seed, "shown_before_the_kill": toll.before, "shown_after_it": toll.after,
        "shown_again_and_marked": toll.marked, "lost": toll.lost.len(), "shown_again_unmarked": toll.unmarked.len(),
    }))?;
    output.line(&format!(
        "{runs} kills around the due time: {} reminders shown and acknowledged before, {} shown after alone, {} shown again \
         and marked so; {} lost, {} shown again unmarked.",
        toll.before,
        toll.after,
        toll.marked,
        toll.lost.len(),
        toll.unmarked.len()
    ))?;
    if bad > 0 {
        for text in toll.lost.iter().chain(&toll.unmarked).take(10) {
            output.line(&format!("  {text}"))?;
        }
        output.line(&format!("What is left of it is in {}.", data.path.display()))?;
        return Ok(ExitCode::from(FaultKind::Failed.exit_code()));
    }
    drop(std::fs::remove_dir_all(&data.path));
    Ok(ExitCode::SUCCESS)
}

async fn one(data: &Data, (run, seed): (usize, u64), toll: &mut Toll) -> anyhow::Result<()> {
    let text = format!("look after run {run}");
    let mut first = Chat::open(data).await?;
    let due = SystemClock.now() + LEAD;
    keep(data, &text, due).await?;
    let kill_at = due + Span::from_millis(offset(run, seed)?);
    let mut seen = false;
    let wait = u64::try_from(kill_at.since(SystemClock.now()).as_millis()).unwrap_or(0);
    tokio::select! {
        () = tokio::time::sleep(Duration::from_millis(wait)) => {}
        shown = first.shown(&text) => {
            seen = shown?.is_some();
            let left = u64::try_from(kill_at.since(SystemClock.now()).as_millis()).unwrap_or(0);
            tokio::time::sleep(Duration::from_millis(left)).await;
        }
    }
    first.child.kill().await.context("a conversation could not be killed")?;
    // What it had printed before it died still lies in the pipe.
    seen |= timeout(PATIENCE, first.shown(&text)).await??.is_some();
    let mut second = Chat::open(data).await?;
    let closed = done(data, &text).await?;
    if seen && closed {
        toll.before += 1;
    } else {
        match timeout(PATIENCE, second.shown(&text)).await {
            Ok(shown) => match (seen, shown?) {
                (false, Some(_)) => toll.after += 1,
                (true, Some(true)) => toll.marked += 1,
                (true, Some(false)) => toll.unmarked.push(text.clone()),
                (_, None) => toll.lost.push(text.clone()),
            },
            // Acknowledged between the look and now, or lost.
            Err(_) if done(data, &text).await? && seen => toll.before += 1,
            Err(_) => toll.lost.push(text.clone()),
        }
    }
    drop(second.child.stdin.take());
    timeout(PATIENCE, second.child.wait()).await??;
    Ok(())
}

/// Milliseconds from the due time to the kill.
fn offset(run: usize, seed: u64) -> anyhow::Result<i64> {
    let space = SpaceId { agent: AgentName::new("bethink")?, user: UserName::new("user0")? };
    let drawn = Entropy::seeded(seed).draw(&space, "kill", run as u64, 0) % (2 * AROUND_MS);
    Ok(i64::try_from(drawn)? - i64::try_from(AROUND_MS)?)
}

async fn keep(data: &Data, text: &str, due: Timestamp) -> anyhow::Result<()> {
    let at = bethink_api::rfc3339(due);
    let kept = bethink(data, "user0")?.args(["remind", text, "--at", &at]).output().await?;
    anyhow::ensure!(
        kept.status.success(),
        "a reminder could not be kept: {}",
        String::from_utf8_lossy(&kept.stdout)
    );
    Ok(())
}

/// Whether a reminder was acknowledged.
async fn done(data: &Data, text: &str) -> anyhow::Result<bool> {
    let listed = bethink(data, "user0")?.args(["reminders", "--all"]).output().await?;
    let out = String::from_utf8_lossy(&listed.stdout).into_owned();
    let ours =
        out.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).find(|r| r["text"] == text);
    Ok(ours.context("a kept reminder is not there any more")?["state"] == "done")
}
