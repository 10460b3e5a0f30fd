//! `forget`.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

use bethink_api::{Fault, FaultKind, Forgotten, Request, Response};
use bethink_settings::Settings;
use serde_json::json;
use tokio::time::Instant;

use super::mismatch;
use crate::open::Opened;
use crate::output::Output;
use crate::say::moment;

/// How long a receipt waits for the disk. A file of 100,000 memories takes a few seconds.
const DISK_PATIENCE: Duration = Duration::from_secs(10);
/// Between two questions whether it is done.
const DISK_POLL: Duration = Duration::from_millis(20);

/// Shows what would go, asks, and deletes.
pub(crate) async fn run(
    opened: &Opened,
    settings: &Settings,
    output: Output,
    id: String,
    yes: bool,
) -> anyhow::Result<ExitCode> {
    if !yes {
        let plan = ask(opened, &id, true).await?;
        for line in describe(&plan) {
            output.note(&line);
        }
        if !std::io::stdin().is_terminal() {
            return Err(Fault::new(FaultKind::Unconfirmed, "nothing was deleted; confirm with --yes").into());
        }
        output.note("Delete this for ever? [y/N]");
        let answer = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            std::io::stdin().read_line(&mut line).map(|_| line)
        });
        if !matches!(answer.await??.trim(), "y" | "Y" | "yes") {
            return Err(Fault::new(FaultKind::Unconfirmed, "nothing was deleted").into());
        }
    }
    let mut done = ask(opened, &id, false).await?;
    await_disk(opened, &mut done).await?;
    output.object(&json!({
        "forgotten": done.traces.iter().map(|(id, _)| id).collect::<Vec<_>>(),
        "turns": done.turns,
        "gone_from_memory": done.gone_from_memory,
        "gone_from_disk": done.gone_from_disk,
        "gone_from_disk_at": done.gone_from_disk_at,
        "backups": done.backups,
    }))?;
    output.line(&receipt(&done, settings))?;
    Ok(ExitCode::SUCCESS)
}

async fn ask(opened: &Opened, id: &str, rehearse: bool) -> Result<Forgotten, Fault> {
    match opened.ask(Request::Forget { id: id.to_owned(), rehearse }).await? {
        Response::Forgotten(forgotten) => Ok(forgotten),
        _ => Err(mismatch()),
    }
}

/// What would go, a line each.
pub(crate) fn describe(plan: &Forgotten) -> Vec<String> {
    let mut lines = vec!["This would be deleted:".to_owned()];
    lines.extend(plan.traces.iter().map(|(id, text)| format!("  {id}  {text}")));
    if !plan.turns.is_empty() {
        lines.push(format!("  and its words in {} of the transcript", turns(plan.turns.len())));
    }
    lines
}

/// Waits a while until the file is written anew without what was forgotten. That goes on when nobody waits any more.
pub(crate) async fn await_disk(opened: &Opened, done: &mut Forgotten) -> Result<(), Fault> {
    let deadline = Instant::now() + DISK_PATIENCE;
    loop {
        let Response::Figures(figures) = opened.ask(Request::Measure).await? else { return Err(mismatch()) };
        if !figures.scrub_pending {
            done.gone_from_disk = true;
            done.gone_from_disk_at = figures.scrubbed_at;
            return Ok(());
        }
        if Instant::now() >= deadline {
            return Ok(());
        }
        tokio::time::sleep(DISK_POLL).await;
    }
}

/// What has gone from memory, from the disk, and from backups.
pub(crate) fn receipt(done: &Forgotten, settings: &Settings) -> String {
    let count = match done.traces.len() {
        1 => "1 memory is".to_owned(),
        n => format!("{n} memories are"),
    };
    let turns = match done.turns.len() {
        0 => String::new(),
        n => format!(", with its words in {}", turns(n)),
    };
    let disk = match &done.gone_from_disk_at {
        Some(at) => format!("The file holds its bytes no longer, since {}.", moment(at, settings)),
        None if done.gone_from_disk => "The file holds its bytes no longer.".to_owned(),
        None => "Freed pages of the file may hold its bytes until it is written anew, which is pending; \
                 `bethink memory stats` says when that is done."
            .to_owned(),
    };
    let mut lines = vec![format!("{count} forgotten{turns}. Nothing recalls it any more. {disk}")];
    if done.backups.is_empty() {
        lines.push("No backup that is known of holds it.".to_owned());
    } else {
        lines.push("These backups still hold it; remove them to be rid of it:".to_owned());
    }
    for backup in &done.backups {
        let reach = if backup.seen { "" } else { ", which can't be reached now" };
        lines.push(format!("  {} (of {}{reach})", backup.path, moment(&backup.made_at, settings)));
    }
    lines.join("\n")
}

fn turns(count: usize) -> String {
    if count == 1 { "1 turn".to_owned() } else { format!("{count} turns") }
}
