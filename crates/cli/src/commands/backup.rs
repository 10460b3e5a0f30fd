//! `backup`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bethink_api::{Backup, FaultKind, Request, Response};

use super::mismatch;
use crate::open::Opened;
use crate::output::Output;

/// Has the owner copy everything to a new directory.
pub(crate) async fn run(opened: &Opened, output: Output, dir: PathBuf) -> anyhow::Result<ExitCode> {
    // The owner may work in another directory.
    let dir = std::path::absolute(dir)?;
    let Response::BackedUp(made) = opened.ask(Request::Backup { dir: dir.display().to_string() }).await?
    else {
        return Err(mismatch().into());
    };
    output.object(&serde_json::to_value(&made)?)?;
    output.line(&said(&made))?;
    for left in &made.left_out {
        output.note(&format!("{}/{} is not in it: {}", left.agent, left.user, left.reason));
    }
    let code = if made.left_out.is_empty() { 0 } else { FaultKind::Data.exit_code() };
    Ok(ExitCode::from(code))
}

fn said(made: &Backup) -> String {
    let name = Path::new(&made.path).display();
    let counted = |count: u64, one: &str, many: &str| match count {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    };
    format!(
        "Copied {} with {} and {} to {name} ({}). Every file was read again and is whole.",
        counted(made.spaces as u64, "space", "spaces"),
        counted(made.traces, "memory", "memories"),
        counted(made.turns, "turn", "turns"),
        size(made.bytes)
    )
}

/// A size in words.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} bytes"),
        10_240..10_485_760 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}
