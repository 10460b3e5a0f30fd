//! What each command does: parse, ask the door, print.

mod backup;
mod bench;
mod config;
mod doctor;
mod embedder;
mod eval;
mod export;
pub(crate) mod forget;
mod import;
mod memory;
mod recall;
mod remember;
pub(crate) mod reminders;
mod restore;
mod serve;
mod status;
mod torture;
mod why;

use std::process::ExitCode;

use bethink::Builder;
use bethink_api::{Fault, FaultKind};
use bethink_runtime::RuntimeError;
use bethink_settings::{Overrides, Settings};

pub(crate) use bench::BenchCommand;

use crate::args::{Arguments, Command, EmbedderCommand};
use crate::chat;
use crate::logs;
use crate::open::{Opened, open};
use crate::output::Output;
use crate::say;

/// Runs a command to its end.
pub(crate) async fn run(builder: Builder, arguments: Arguments) -> anyhow::Result<ExitCode> {
    let output = Output { json: arguments.global.json };
    let of = (arguments.global.agent.clone(), arguments.global.user.clone());
    let builder = builder.over(Overrides {
        config: arguments.global.config,
        data_dir: arguments.global.data_dir,
        agent: arguments.global.agent,
        user: arguments.global.user,
        set: arguments.global.set,
        ..Overrides::default()
    });
    if let Command::Config(command) = arguments.command {
        return config::run(&builder, output, command);
    }
    let settings = builder.settings().map_err(fault)?;
    let voice = match arguments.command {
        Command::Serve => logs::Voice::Service,
        _ => logs::Voice::Command,
    };
    logs::start(&settings, voice);
    match arguments.command {
        Command::Eval(command) => return eval::run(&settings, output, command).await,
        Command::Bench(command) => return bench::run(&settings, output, command).await,
        Command::Serve => return serve::run(&builder, &settings, output).await,
        Command::Status => return status::run(&settings, output).await,
        Command::Doctor { deep, repair, migrate } => {
            let asked = doctor::Asked { deep, repair, migrate, agent: of.0, user: of.1 };
            return doctor::run(&builder, &settings, output, asked).await;
        }
        Command::Restore { dir, dry_run, yes } => {
            let asked = restore::Asked { dir, agent: of.0, user: of.1, dry_run, yes };
            return restore::run(&settings, output, asked).await;
        }
        Command::Torture { runs, clients, seed, life_ms, vectors, reminders, scratch } => {
            let scratch = scratch.unwrap_or_else(std::env::temp_dir);
            return torture::run(
                output,
                torture::Ordeal { runs, clients, seed, life_ms, vectors, reminders },
                &scratch,
            )
            .await;
        }
        _ => {}
    }
    let mut opened = open(&builder, &settings).await?;
    let result = with_door(&mut opened, &settings, output, arguments.command).await;
    let closed = opened.close().await;
    let code = result?;
    closed?;
    Ok(code)
}

async fn with_door(
    opened: &mut Opened,
    settings: &Settings,
    output: Output,
    command: Command,
) -> anyhow::Result<ExitCode> {
    match command {
        Command::Chat { private } => chat::run(opened, settings, output, private).await,
        Command::Remember { text: Some(text), at, .. } => remember::one(opened, output, text, at).await,
        Command::Remember { text: None, at, .. } => remember::lines(opened, output, at).await,
        Command::Recall { cue, k, threshold, learn, faded } => {
            let asked = recall::Asked { cue, k, threshold, learn, faded };
            recall::run(opened, settings, output, asked).await
        }
        Command::Remind(asked) => reminders::remind(opened, output, asked).await,
        Command::Reminders { all, tags, command } => {
            reminders::run(opened, output, (all, tags), command).await
        }
        Command::Event { name, everywhere } => reminders::raise(opened, output, name, everywhere).await,
        Command::Memory(command) => memory::run(opened, settings, output, command).await,
        Command::Backup { dir } => backup::run(opened, output, dir).await,
        Command::Forget { id, yes } => forget::run(opened, settings, output, id, yes).await,
        Command::Export { file, transcript, replace } => {
            export::run(opened, output, export::Asked { file, transcript, replace }).await
        }
        Command::Import { file, at, revive } => {
            let at = at.as_deref().map(|text| say::since(text, settings)).transpose()?;
            import::run(opened, output, import::Asked { file, at, revive }).await
        }
        Command::Embedder { command: None, all } => embedder::show(opened, output, all).await,
        Command::Embedder { command: Some(command), .. } => {
            let EmbedderCommand::Migrate { dry_run, anyway, cancel, all } = command;
            embedder::migrate(opened, output, embedder::Move { dry_run, anyway, cancel, all }).await
        }
        Command::Why { id: Some(id), .. } => why::trace(opened, settings, output, id).await,
        Command::Why { id: None, turn, .. } => why::turn(opened, settings, output, turn).await,
        Command::Bench(_)
        | Command::Config(_)
        | Command::Eval(_)
        | Command::Restore { .. }
        | Command::Serve
        | Command::Status
        | Command::Doctor { .. }
        | Command::Torture { .. } => {
            anyhow::bail!("this command opens its own door")
        }
    }
}

/// What kept a Bethink from starting.
pub(crate) fn fault(error: bethink::Error) -> Fault {
    let kind = match &error {
        bethink::Error::Settings(_) | bethink::Error::Runtime(RuntimeError::Setup(_)) => FaultKind::Usage,
        bethink::Error::Runtime(RuntimeError::Model(_)) => FaultKind::Model,
        _ => FaultKind::Failed,
    };
    Fault::new(kind, error.to_string())
}

/// The door answered with something else than was asked for.
pub(crate) fn mismatch() -> Fault {
    Fault::new(FaultKind::Failed, "the answer does not fit the question; are both sides of one version?")
}
