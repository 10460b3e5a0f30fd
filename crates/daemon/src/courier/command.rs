//! A command that is run for each reminder.

use std::process::Stdio;
use std::time::Duration;

use bethink_protocol::{NotTaken, Parcel};
use bethink_runtime::{Courier, Delivering};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::shape;

/// Runs a command, without a shell, with the reminder as a line of JSON on its standard input. Leaving with 0 takes it.
#[derive(Debug)]
pub struct OnDue {
    command: Vec<String>,
    timeout: Duration,
}

impl OnDue {
    /// A command and its arguments; killed when it takes longer than `timeout`.
    #[must_use]
    pub fn new(command: Vec<String>, timeout: Duration) -> Self {
        Self { command, timeout }
    }

    async fn run(&self, parcel: &Parcel) -> Result<(), String> {
        let [program, arguments @ ..] = self.command.as_slice() else { return Err("no command".to_owned()) };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("`{program}` could not be started: {error}"))?;
        if let Some(mut stdin) = child.stdin.take() {
            let line = format!("{}\n", shape(parcel));
            // One that reads nothing may take it all the same.
            drop(stdin.write_all(line.as_bytes()).await);
        }
        let ended = child.wait().await.map_err(|error| format!("`{program}`: {error}"))?;
        if ended.success() { Ok(()) } else { Err(format!("`{program}` ended with {ended}")) }
    }
}

impl Courier for OnDue {
    fn door(&self) -> &'static str {
        "on_due"
    }

    fn deliver<'a>(&'a self, parcel: &'a Parcel) -> Delivering<'a> {
        Box::pin(async move {
            match tokio::time::timeout(self.timeout, self.run(parcel)).await {
                Ok(ran) => ran.map_err(NotTaken),
                Err(_) => Err(NotTaken("it took too long and was stopped".to_owned())),
            }
        })
    }
}
