//! `forget`.

use std::io::IsTerminal;
use std::process::ExitCode;

use bethink_api::{Fault, FaultKind, Forgotten, Request, Response};
use serde_json::json;

use super::mismatch;
use crate::open::Opened;
use crate::output::Output;

/// Shows what would go, asks, and deletes.
pub(crate) async fn run(opened: &Opened, output: Output, id: String, yes: bool) -> anyhow::Result<ExitCode> {
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
    let done = ask(opened, &id, false).await?;
    output.object(&json!({
        "forgotten": done.traces.iter().map(|(id, _)| id).collect::<Vec<_>>(),
        "turns": done.turns,
        "gone_from_memory": done.gone_from_memory,
        "gone_from_disk": done.gone_from_disk,
    }))?;
    output.line(&receipt(&done))?;
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

/// What has gone.
pub(crate) fn receipt(done: &Forgotten) -> String {
    let count = match done.traces.len() {
        1 => "1 memory is".to_owned(),
        n => format!("{n} memories are"),
    };
    let turns = match done.turns.len() {
        0 => String::new(),
        n => format!(", with its words in {}", turns(n)),
    };
    let disk = if done.gone_from_disk {
        "The file no longer holds its bytes."
    } else {
        "Freed pages of the file may hold its bytes until the file is rewritten."
    };
    format!("{count} forgotten{turns}. Nothing recalls it any more. {disk}")
}

fn turns(count: usize) -> String {
    if count == 1 { "1 turn".to_owned() } else { format!("{count} turns") }
}
