//! `status`: how the process that owns the data is.

use std::process::ExitCode;

use bethink_api::{ActorStatus, BackupStatus, ExtensionStatus, Request, Response, Status};
use bethink_settings::Settings;

use super::mismatch;
use crate::open::connect;
use crate::output::Output;
use crate::say::moment;

/// Asks the owner, and never becomes one: a process that is started to say how it is would say nothing.
pub(crate) async fn run(settings: &Settings, output: Output) -> anyhow::Result<ExitCode> {
    let Some((door, space)) = connect(settings).await? else {
        output.object(&serde_json::json!({ "running": false }))?;
        output.line(&format!("Nothing runs on {}.", settings.data_dir.display()))?;
        return Ok(ExitCode::SUCCESS);
    };
    let Response::Status(status) = door.ask(space, Request::Status).await? else {
        return Err(mismatch().into());
    };
    let mut object = serde_json::to_value(&status)?;
    object["running"] = true.into();
    output.object(&object)?;
    output.line(&human(&status, settings))?;
    Ok(ExitCode::SUCCESS)
}

fn human(status: &Status, settings: &Settings) -> String {
    let mut lines = vec![
        format!(
            "Process {} (version {}) runs since {}.",
            status.pid,
            status.version,
            moment(&status.since, settings)
        ),
        format!("Memory: {}", status.data_dir),
    ];
    lines.extend(status.actors.iter().map(|actor| doing(actor, "")));
    lines.extend(status.extensions.iter().map(extension));
    let awake = status.spaces.iter().filter(|space| space.state == "awake").count();
    let on_disk = status.spaces_on_disk.map(|all| format!(" of {all}")).unwrap_or_default();
    lines.push(format!("Spaces awake: {awake}{on_disk}, at most {}", status.awake_max));
    for space in &status.spaces {
        let used = space.used_at.as_deref();
        let used = used.map(|at| format!(", last asked {}", moment(at, settings))).unwrap_or_default();
        lines.push(format!("  {}/{}: {}{used}", space.agent, space.user, space.state));
        lines.extend(space.actors.iter().map(|actor| doing(actor, "    ")));
    }
    lines.extend(status.backup.iter().map(|backup| backed_up(backup, settings)));
    if status.errors.is_empty() {
        lines.push("Nothing went wrong lately.".to_owned());
    } else {
        lines.push("What went wrong lately:".to_owned());
    }
    for error in &status.errors {
        let space = error.space.as_deref().map(|space| format!(" {space}:")).unwrap_or_default();
        let times = if error.times > 1 { format!(" ({} times)", error.times) } else { String::new() };
        lines.push(format!("  {}{space} {}{times}", moment(&error.at, settings), error.what));
    }
    lines.join("\n")
}

/// Backups by the clock in a line.
fn backed_up(backup: &BackupStatus, settings: &Settings) -> String {
    let last = match &backup.last {
        Some(last) => {
            let gone = if last.seen { "" } else { ", which is not there any more" };
            format!("last of {} in {}{gone}", moment(&last.made_at, settings), last.path)
        }
        None => format!("none yet in {}", backup.dir),
    };
    let next = match (backup.making, &backup.failed, &backup.failed_at) {
        (true, ..) => "one is being made".to_owned(),
        (false, Some(why), Some(at)) => {
            format!(
                "the one of {} failed ({why}), next at {}",
                moment(at, settings),
                moment(&backup.next_at, settings)
            )
        }
        _ => format!("next at {}", moment(&backup.next_at, settings)),
    };
    format!("Backups: {last}; {next}")
}

/// An actor in a line.
fn doing(actor: &ActorStatus, indent: &str) -> String {
    let counts =
        [(actor.in_flight, "in flight"), (actor.waiting, "waiting"), (count(actor.restarts), "restarts")];
    let doing = actor.doing.as_deref().map(|doing| format!("; {doing}")).unwrap_or_default();
    format!("{indent}{}: {}{}{doing}", actor.name, actor.state, said(&counts))
}

/// An extension in a line.
fn extension(extension: &ExtensionStatus) -> String {
    let counts = [(extension.waiting, "waiting"), (count(extension.restarts), "restarts")];
    let space = extension.space.as_deref().map(|space| format!(" of {space}")).unwrap_or_default();
    let error = extension.last_error.as_deref().map(|error| format!("; last: {error}")).unwrap_or_default();
    format!("extension {}{space}: {}{}{error}", extension.name, extension.state, said(&counts))
}

fn count(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Counts in words; what is nought is left out.
fn said(counts: &[(usize, &str)]) -> String {
    let told = counts.iter().filter(|(count, _)| *count > 0);
    told.map(|(count, what)| format!(", {count} {what}")).collect()
}
