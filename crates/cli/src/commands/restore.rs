//! `restore`.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use bethink_api::{Fault, FaultKind};
use bethink_clock::{Clock, Entropy, SystemClock};
use bethink_domain::SpaceId;
use bethink_runtime::{DataDir, Present, Restore, SpaceRestore};
use bethink_settings::Settings;
use serde_json::json;

use crate::open::{claim, unclaimed};
use crate::output::Output;
use crate::say::moment;

/// What is asked for.
pub(crate) struct Asked {
    pub(crate) dir: PathBuf,
    /// These spaces alone.
    pub(crate) agent: Option<String>,
    pub(crate) user: Option<String>,
    pub(crate) dry_run: bool,
    pub(crate) yes: bool,
}

/// Says what would change, asks, and puts the spaces back.
pub(crate) async fn run(settings: &Settings, output: Output, asked: Asked) -> anyhow::Result<ExitCode> {
    let dir = claim(settings, "stop it, then restore").await?;
    let (settings, yes, dry_run) = (settings.clone(), asked.yes, asked.dry_run);
    // Reading, asking and copying block, and nothing else is to be done meanwhile.
    let done = tokio::task::spawn_blocking(move || -> anyhow::Result<ExitCode> {
        let plan = plan(&dir, &asked)?;
        if plan.spaces().is_empty() {
            return Err(Fault::new(FaultKind::NoSuchId, "the backup holds no such space").into());
        }
        if !dry_run && !yes {
            plan.spaces().iter().for_each(|space| output.note(&said(space, false)));
            confirm(output)?;
        }
        if !dry_run {
            let (entropy, now) = (Entropy::system(), SystemClock.now());
            dir.restore(&plan, &settings.store(), entropy, now).map_err(|error| unclaimed(&error))?;
        }
        print(&settings, output, &plan, !dry_run)?;
        Ok(ExitCode::SUCCESS)
    });
    done.await?
}

fn plan(dir: &DataDir, asked: &Asked) -> Result<Restore, Fault> {
    let named = |name: &Option<String>, of: &str| name.as_deref().is_none_or(|name| name == of);
    let wanted = |space: &SpaceId| {
        named(&asked.agent, space.agent.as_str()) && named(&asked.user, space.user.as_str())
    };
    dir.plan_restore(&asked.dir, &wanted).map_err(|error| unclaimed(&error))
}

fn confirm(output: Output) -> Result<(), Fault> {
    let refused = |why: &str| Err(Fault::new(FaultKind::Unconfirmed, why));
    if !std::io::stdin().is_terminal() {
        return refused("nothing was changed; confirm with --yes");
    }
    output.note("Put this in the place of what is there? [y/N]");
    let mut line = String::new();
    match std::io::stdin().read_line(&mut line) {
        Ok(_) if matches!(line.trim(), "y" | "Y" | "yes") => Ok(()),
        _ => refused("nothing was changed"),
    }
}

fn print(settings: &Settings, output: Output, plan: &Restore, done: bool) -> anyhow::Result<()> {
    for space in plan.spaces() {
        let (now, unreadable) = match &space.present {
            Present::Absent => (None, None),
            Present::Whole { traces, turns } => (Some(json!({ "traces": traces, "turns": turns })), None),
            Present::Unreadable(why) => (None, Some(why)),
        };
        output.object(&json!({
            "agent": space.space.agent.as_str(),
            "user": space.space.user.as_str(),
            "now": now,
            "unreadable": unreadable,
            "then": { "traces": space.traces, "turns": space.turns },
            "held_back": space.held_back,
            "restored": done,
        }))?;
        output.line(&said(space, done))?;
    }
    let made_at = moment(plan.made_at(), settings);
    let count = match plan.spaces().len() {
        1 => "1 space".to_owned(),
        n => format!("{n} spaces"),
    };
    output.line(&match done {
        true => format!("{count} as of {made_at}."),
        false => format!("Nothing was changed. The backup is of {made_at}, and whole."),
    })?;
    Ok(())
}

fn said(space: &SpaceRestore, done: bool) -> String {
    let counts = |traces: u64, turns: u64| {
        let traces = if traces == 1 { "1 memory".to_owned() } else { format!("{traces} memories") };
        let turns = if turns == 1 { "1 turn".to_owned() } else { format!("{turns} turns") };
        format!("{traces} and {turns}")
    };
    let now = match &space.present {
        Present::Absent => "nothing".to_owned(),
        Present::Whole { traces, turns } => counts(*traces, *turns),
        Present::Unreadable(why) => {
            format!(
                "a file that can't be read, nor what was forgotten in it, and which is kept beside ({why})"
            )
        }
    };
    let held = match space.held_back {
        0 => String::new(),
        1 => "; 1 that was forgotten since stays so".to_owned(),
        n => format!("; {n} that were forgotten since stay so"),
    };
    let verb = if done { "had" } else { "has" };
    format!("{} {verb} {now}; the backup has {}{held}.", space.space, counts(space.traces, space.turns))
}
