//! `embedder`: whose vectors memories hold, and moving them to the configured embedder.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

use bethink_api::{EmbedderView, Fault, FaultKind, ParityView, Request, Response, SpaceName};

use super::mismatch;
use crate::open::Opened;
use crate::output::Output;

/// Between two looks at how far a move is.
const LOOK: Duration = Duration::from_millis(200);
/// Looks without any progress after which it is said that the embedder does not answer: the store tries again by itself.
const LOOKS_WITHOUT_PROGRESS_MAX: u32 = 150;
/// Cells of the bar.
const BAR: usize = 30;

/// What `embedder migrate` was asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Move {
    pub(crate) dry_run: bool,
    pub(crate) anyway: bool,
    pub(crate) cancel: bool,
    pub(crate) all: bool,
}

/// Shows the embedder of one memory, or of each.
pub(crate) async fn show(opened: &Opened, output: Output, all: bool) -> anyhow::Result<ExitCode> {
    for space in spaces(opened, all).await? {
        match ask(opened, &space, Request::Embedder).await {
            Ok(view) => {
                object(output, &space, &view)?;
                output.line(&format!("{}/{}", space.agent, space.user))?;
                for line in human(&view) {
                    output.line(&format!("  {line}"))?;
                }
            }
            // Of many, one that can't be opened is told, and the others follow.
            Err(fault) if all => {
                output.object(&serde_json::json!({ "space": named(&space), "error": fault.message }))?;
                output.line(&format!("{}/{}\n  {}", space.agent, space.user, fault.message))?;
            }
            Err(fault) => return Err(fault.into()),
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Moves one memory, or each, and waits until that is done.
pub(crate) async fn migrate(opened: &Opened, output: Output, how: Move) -> anyhow::Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    for space in spaces(opened, how.all).await? {
        let mut view = ask(opened, &space, Request::Embedder).await?;
        if how.cancel {
            view = ask(opened, &space, Request::CancelMigration).await?;
        } else if !(how.dry_run || view.same || view.traces == 0) {
            view = ask(opened, &space, Request::Migrate { anyway: how.anyway }).await?;
            view = until_ended(opened, &space, view, output).await?;
            if !view.same {
                code = ExitCode::FAILURE;
            }
        }
        object(output, &space, &view)?;
        output.line(&outcome(&space, &view, how))?;
    }
    Ok(code)
}

async fn spaces(opened: &Opened, all: bool) -> Result<Vec<SpaceName>, Fault> {
    if !all {
        return Ok(vec![opened.space.clone()]);
    }
    match opened.ask(Request::Spaces).await? {
        Response::Spaces { spaces } => Ok(spaces),
        _ => Err(mismatch()),
    }
}

async fn ask(opened: &Opened, space: &SpaceName, request: Request) -> Result<EmbedderView, Fault> {
    match opened.door.ask(space.clone(), request).await? {
        Response::Embedder(view) => Ok(view),
        _ => Err(mismatch()),
    }
}

/// Looks how far it is until it has ended one way or another, with a bar where somebody watches.
async fn until_ended(
    opened: &Opened,
    space: &SpaceName,
    mut view: EmbedderView,
    output: Output,
) -> Result<EmbedderView, Fault> {
    let watched = std::io::stderr().is_terminal() && !output.json;
    let mut still = 0;
    while view.migration.as_ref().is_some_and(|migration| migration.state == "building") {
        if watched {
            eprint!("\r{}", bar(&view));
        }
        tokio::time::sleep(LOOK).await;
        let next = ask(opened, space, Request::Embedder).await?;
        still = if next.lacking == view.lacking { still + 1 } else { 0 };
        view = next;
        if still > LOOKS_WITHOUT_PROGRESS_MAX {
            let message =
                "the new embedder gives no vectors; what was made is kept, and the move goes on by itself";
            return Err(Fault::new(FaultKind::Model, message));
        }
    }
    if watched {
        eprintln!("\r{}", bar(&view));
    }
    Ok(view)
}

fn parity(view: &EmbedderView) -> Option<ParityView> {
    view.migration.as_ref().and_then(|migration| migration.parity)
}

/// How much is done, as a bar.
fn bar(view: &EmbedderView) -> String {
    let done = view.traces - view.lacking.min(view.traces);
    let cells = BAR * done / view.traces.max(1);
    format!("[{}{}] {done} of {} vectors", "#".repeat(cells), " ".repeat(BAR - cells), view.traces)
}

fn object(output: Output, space: &SpaceName, view: &EmbedderView) -> anyhow::Result<()> {
    let mut object = serde_json::to_value(view)?;
    object["space"] = named(space).into();
    Ok(output.object(&object)?)
}

fn named(space: &SpaceName) -> String {
    format!("{}/{}", space.agent, space.user)
}

fn human(view: &EmbedderView) -> Vec<String> {
    let none = || "none".to_owned();
    let mut lines = vec![
        format!("configured  {}", view.configured.clone().unwrap_or_else(none)),
        format!("serving     {}", view.stored.clone().unwrap_or_else(none)),
    ];
    if !view.by_meaning {
        lines.push("recall      by words alone".to_owned());
    }
    if let Some(migration) = &view.migration {
        let done = view.traces - view.lacking.min(view.traces);
        let far = match migration.state.as_str() {
            "building" => format!(": {done} of {} vectors", view.traces),
            "held" => ": it recalls too differently; `bethink embedder migrate --anyway` switches".to_owned(),
            _ => String::new(),
        };
        lines.push(format!("move        to {}, {}{far}", migration.to, migration.state));
    }
    lines.extend(parity(view).map(|parity| format!("compared    {}", compared(&parity))));
    lines
}

fn compared(parity: &ParityView) -> String {
    let mut text = format!(
        "of what was found before, {:.0} % is found now, over {} messages",
        100.0 * parity.overlap,
        parity.cues
    );
    if parity.used > 0 {
        text += &format!(
            "; what replies used has a mean reciprocal rank of {:.2}, before {:.2}",
            parity.rank_after, parity.rank_before
        );
    }
    text
}

fn outcome(space: &SpaceName, view: &EmbedderView, how: Move) -> String {
    let (space, unknown) = (named(space), "none".to_owned());
    let configured = view.configured.clone().unwrap_or(unknown);
    let state = view.migration.as_ref().map(|migration| migration.state.as_str());
    if how.dry_run && !view.same {
        let from = view.stored.clone().unwrap_or_default();
        return format!("{space}: {} memories would be embedded by {configured}, from {from}.", view.traces);
    }
    match state {
        Some("held") => {
            let said = parity(view).map(|parity| compared(&parity)).unwrap_or_default();
            format!("{space}: the new embedder recalls too differently, and the old one goes on: {said}.")
        }
        Some("cancelled") if how.cancel => format!("{space}: called off; the old vectors serve."),
        _ if view.traces == 0 => format!("{space}: nothing is remembered yet."),
        _ if view.same => match parity(view) {
            Some(parity) if !how.cancel => format!("{space}: {configured} serves; {}.", compared(&parity)),
            _ => format!("{space}: {configured} serves."),
        },
        _ => format!("{space}: it goes on in the background."),
    }
}
