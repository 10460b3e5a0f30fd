//! `serve`: the long-lived owner of the data.

use std::process::ExitCode;

use bethink::Builder;
use bethink_api::{Fault, FaultKind};
use bethink_settings::Settings;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::open::own_alone;
use crate::output::Output;

/// Owns the data until it is told to stop, then finishes what was begun. A second signal ends it at once.
pub(crate) async fn run(builder: &Builder, settings: &Settings, output: Output) -> anyhow::Result<ExitCode> {
    // Before anything is owned, so that no signal is missed.
    let mut signals = Signals::listen()?;
    let opened = tokio::select! {
        opened = own_alone(builder, settings) => opened?,
        name = signals.next() => {
            tracing::info!(signal = name, "stopped before it began");
            return Ok(ExitCode::SUCCESS);
        }
    };
    opened.courier(settings, true).await?;
    announce(settings, output, opened.socket())?;
    let name = signals.next().await;
    tracing::info!(signal = name, "finishing what was begun");
    let begun = tokio::time::Instant::now();
    tokio::select! {
        closed = opened.close() => closed?,
        _ = signals.next() => {
            tracing::warn!("told twice; what was not confirmed may not be stored");
            return Ok(ExitCode::from(FaultKind::Interrupted.exit_code()));
        }
    }
    let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    tracing::info!(ms, "stopped");
    Ok(ExitCode::SUCCESS)
}

fn announce(settings: &Settings, output: Output, socket: &std::path::Path) -> anyhow::Result<()> {
    let (data_dir, pid) = (settings.data_dir.display().to_string(), std::process::id());
    tracing::info!(version = env!("CARGO_PKG_VERSION"), pid, data_dir, socket = %socket.display(), "serving");
    output.line(&format!(
        "Serving {data_dir} (process {pid}). Every other `bethink` command now talks to this process; stop it with Ctrl-C \
         or SIGTERM."
    ))?;
    output.object(&serde_json::json!({
        "event": "serving", "pid": pid, "data_dir": data_dir, "socket": socket.display().to_string(),
    }))?;
    Ok(())
}

/// What tells the process to stop. A terminal that closes is no reason to drop anything either.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    fn listen() -> Result<Self, Fault> {
        let listen = |kind| {
            signal(kind).map_err(|error| Fault::new(FaultKind::Failed, format!("no signals: {error}")))
        };
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.hang_up.recv() => "SIGHUP",
        }
    }
}
