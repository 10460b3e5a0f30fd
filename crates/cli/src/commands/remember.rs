//! `remember`.

use std::process::ExitCode;

use bethink_api::{Fault, FaultKind, Remembered, Request, Response};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::mismatch;
use crate::input::{Line, next_line};
use crate::open::Opened;
use crate::output::Output;

/// Statements in flight: as many as may share one commit.
const IN_FLIGHT_MAX: usize = 64;

/// Stores one statement.
pub(crate) async fn one(
    opened: &Opened,
    output: Output,
    text: String,
    at: Option<String>,
) -> anyhow::Result<ExitCode> {
    let Response::Remembered(done) = opened.ask(Request::Remember { text, at }).await? else {
        return Err(mismatch().into());
    };
    print(output, &done)?;
    Ok(ExitCode::SUCCESS)
}

fn print(output: Output, done: &Remembered) -> anyhow::Result<()> {
    output
        .object(&json!({ "id": done.id, "text": done.text, "new": done.new, "embedded": done.embedded }))?;
    let known = if done.new { "" } else { "  (known already)" };
    output.line(&format!("{}  {}{known}", done.id, done.text))?;
    if !done.masked.is_empty() {
        output.note(&format!("left out: {}; secrets are not kept", done.masked.join(", ")));
    }
    Ok(())
}

/// Stores one statement a line. Lines are printed in their order, each once it is durable.
pub(crate) async fn lines(opened: &Opened, output: Output, at: Option<String>) -> anyhow::Result<ExitCode> {
    let mut input = read_lines();
    let (sender, mut waiting) = mpsc::channel::<(usize, JoinHandle<Result<Response, Fault>>)>(IN_FLIGHT_MAX);
    let sending = async move {
        let mut refused = 0_usize;
        let mut number = 0;
        while let Some(line) = input.recv().await {
            number += 1;
            let text = match line? {
                Line::Text(text) if text.trim().is_empty() => continue,
                Line::Text(text) => text,
                Line::NotText => {
                    output.note(&format!("line {number} is not UTF-8; it was not stored"));
                    refused += 1;
                    continue;
                }
                Line::TooLong => {
                    output.note(&format!("line {number} is too long; it was not stored"));
                    refused += 1;
                    continue;
                }
            };
            let (door, space) = (std::sync::Arc::clone(&opened.door), opened.space.clone());
            let request = Request::Remember { text, at: at.clone() };
            let task = tokio::spawn(async move { door.ask(space, request).await });
            if sender.send((number, task)).await.is_err() {
                break;
            }
        }
        Ok::<usize, anyhow::Error>(refused)
    };
    let printing = async {
        let mut worst = None;
        while let Some((number, task)) = waiting.recv().await {
            match task.await? {
                Ok(Response::Remembered(done)) => print(output, &done)?,
                Ok(_) => return Err(mismatch().into()),
                // The lines after it would fare no better.
                Err(fault)
                    if matches!(fault.kind, FaultKind::Unwritable | FaultKind::Data | FaultKind::Gone) =>
                {
                    let message = format!("line {number} and what follows was not stored: {fault}");
                    return Err(Fault::new(fault.kind, message).into());
                }
                Err(fault) => {
                    output.note(&format!("line {number}: {fault}"));
                    worst = Some(fault.kind);
                }
            }
        }
        Ok::<Option<FaultKind>, anyhow::Error>(worst)
    };
    let (refused, worst) = tokio::try_join!(sending, printing)?;
    let worst = worst.or((refused > 0).then_some(FaultKind::Usage));
    Ok(worst.map_or(ExitCode::SUCCESS, |kind| ExitCode::from(kind.exit_code())))
}

/// Reads standard input on a thread of its own, a few lines ahead.
fn read_lines() -> mpsc::Receiver<std::io::Result<Line>> {
    let (sender, lines) = mpsc::channel(IN_FLIGHT_MAX);
    drop(tokio::task::spawn_blocking(move || {
        let mut reader = std::io::stdin().lock();
        while let Some(line) = next_line(&mut reader).transpose() {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    }));
    lines
}
