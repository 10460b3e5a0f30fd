//! `memory`.

use std::process::ExitCode;

use bethink_api::{Fault, FaultKind, Request, Response};
use bethink_settings::Settings;
use serde_json::json;

use super::mismatch;
use crate::args::MemoryCommand;
use crate::open::Opened;
use crate::output::Output;
use crate::say;
use crate::say::moment;

/// Traces fetched at a time.
const PAGE: usize = 500;

/// Runs a `memory` command.
pub(crate) async fn run(
    opened: &Opened,
    settings: &Settings,
    output: Output,
    command: MemoryCommand,
) -> anyhow::Result<ExitCode> {
    match command {
        MemoryCommand::List { all, kind, since, faded, limit } => {
            let since = since.as_deref().map(|text| say::since(text, settings)).transpose()?;
            list(opened, settings, output, Listed { all, kind, since, faded, limit }).await
        }
        MemoryCommand::Show { id } => super::why::trace(opened, settings, output, id).await,
        MemoryCommand::Edit { id, text } => {
            let Response::Remembered(done) = opened.ask(Request::Edit { id, text }).await? else {
                return Err(mismatch().into());
            };
            output.object(&json!({ "id": done.id, "text": done.text }))?;
            output.line(&format!("{}  {}", done.id, done.text))?;
            Ok(ExitCode::SUCCESS)
        }
        MemoryCommand::Pin { id } => pin(opened, output, id, true).await,
        MemoryCommand::Unpin { id } => pin(opened, output, id, false).await,
        MemoryCommand::Stats => stats(opened, settings, output).await,
    }
}

struct Listed {
    all: bool,
    kind: Option<String>,
    since: Option<String>,
    faded: bool,
    limit: Option<usize>,
}

async fn list(
    opened: &Opened,
    settings: &Settings,
    output: Output,
    listed: Listed,
) -> anyhow::Result<ExitCode> {
    let Listed { all, kind, since, faded, limit } = listed;
    if limit == Some(0) {
        return Err(Fault::new(FaultKind::Usage, "the limit is 0; it can be 1 and more").into());
    }
    let mut left = limit.unwrap_or(usize::MAX);
    let mut before = None;
    let mut count = 0;
    while left > 0 {
        let request = Request::List {
            kind: kind.clone(),
            since: since.clone(),
            faded,
            all,
            before: before.take(),
            limit: left.min(PAGE),
        };
        let Response::Page(page) = opened.ask(request).await? else { return Err(mismatch().into()) };
        for trace in &page.traces {
            output.object(&serde_json::to_value(trace)?)?;
            output.line(&say::row(trace, settings))?;
        }
        count += page.traces.len();
        left -= page.traces.len().min(left);
        before = page.traces.last().map(|trace| trace.id.clone());
        if !page.more || before.is_none() {
            break;
        }
    }
    if count == 0 {
        output.line("nothing is remembered yet that fits")?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn pin(opened: &Opened, output: Output, id: String, pinned: bool) -> anyhow::Result<ExitCode> {
    opened.ask(Request::Pin { id: id.clone(), pinned }).await?;
    output.object(&json!({ "id": id, "pinned": pinned }))?;
    output.line(&format!("{id} is {}", if pinned { "kept" } else { "no longer kept" }))?;
    Ok(ExitCode::SUCCESS)
}

async fn stats(opened: &Opened, settings: &Settings, output: Output) -> anyhow::Result<ExitCode> {
    let Response::Figures(figures) = opened.ask(Request::Measure).await? else {
        return Err(mismatch().into());
    };
    output.object(&serde_json::to_value(&figures)?)?;
    output.line(&format!("memories       {}", figures.traces))?;
    output.line(&format!("  faded        {}", figures.faded))?;
    output.line(&format!("  no vector    {}", figures.unembedded))?;
    output.line(&format!("turns          {}", figures.turns))?;
    output.line(&format!("journal        {}", figures.journal_entries))?;
    output.line(&format!("embedder       {}", figures.embedder.as_deref().unwrap_or("none yet")))?;
    let forgotten = match (figures.scrub_pending, &figures.scrubbed_at) {
        (true, _) => Some("freed pages may hold some of it until the file is written anew".to_owned()),
        (false, Some(at)) => Some(format!("gone from the file, last on {}", moment(at, settings))),
        (false, None) => None,
    };
    if let Some(forgotten) = forgotten {
        output.line(&format!("forgotten      {forgotten}"))?;
    }
    Ok(ExitCode::SUCCESS)
}
