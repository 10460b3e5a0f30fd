//! `why` and `memory show`.

use std::process::ExitCode;

use bethink_api::{Request, Response};
use bethink_settings::Settings;

use super::mismatch;
use crate::open::Opened;
use crate::output::Output;
use crate::say;

/// Explains one trace.
pub(crate) async fn trace(
    opened: &Opened,
    settings: &Settings,
    output: Output,
    id: String,
) -> anyhow::Result<ExitCode> {
    let Response::Trace(trace) = opened.ask(Request::Show { id }).await? else {
        return Err(mismatch().into());
    };
    output.object(&serde_json::to_value(&trace)?)?;
    for line in say::trace(&trace, settings) {
        output.line(&line)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Explains how a turn was answered; the newest unless one is named.
pub(crate) async fn turn(
    opened: &Opened,
    settings: &Settings,
    output: Output,
    turn: Option<String>,
) -> anyhow::Result<ExitCode> {
    let Response::TurnRecord(turn) = opened.ask(Request::ShowTurn { turn }).await? else {
        return Err(mismatch().into());
    };
    output.object(&serde_json::to_value(&turn)?)?;
    for line in say::turn(&turn, settings) {
        output.line(&line)?;
    }
    Ok(ExitCode::SUCCESS)
}
