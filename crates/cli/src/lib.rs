//! The command line: of the `bethink` binary, and of any binary that hands its builder to [`main`].
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     bethink_cli::main(bethink::Runtime::builder().program("my-bethink", "1.0.0"))
//! }
//! ```
//!
//! A command parses its arguments, opens a [`Door`](bethink_daemon::Door), and prints what comes back, for people or
//! as one JSON object a line. What it means is decided behind the door.

mod args;
mod chat;
mod commands;
mod exit;
mod input;
mod logs;
mod open;
mod output;
mod say;

use std::process::ExitCode;

use bethink::Builder;
use clap::{CommandFactory, FromArgMatches};

/// Runs the command that the process's arguments name, to its end, and gives the exit code. Every command works with the
/// extensions, tools and providers of the builder; options go over what the builder says.
///
/// Installs a panic hook, and signal handlers where a command needs them: a process has one command line.
#[must_use]
pub fn main(builder: Builder) -> ExitCode {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // The database panics over damaged pages; that is caught where it is used, and told as an error.
        if !panic.location().is_some_and(|at| at.file().contains("/redb-")) {
            report(panic);
        }
    }));
    let arguments = match arguments(&builder) {
        Ok(arguments) => arguments,
        Err(error) => return exit::usage(&error),
    };
    let name = builder.named().map_or("bethink", |(name, _)| name).to_owned();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("bethink")
        .enable_all()
        .build();
    let result = match runtime {
        Ok(runtime) => {
            let result = runtime.block_on(commands::run(builder, arguments));
            // A terminal reader may sit in a blocking read that nothing can end.
            runtime.shutdown_background();
            result
        }
        Err(error) => Err(anyhow::Error::new(error).context("the runtime could not be started")),
    };
    exit::code(&name, result)
}

fn arguments(builder: &Builder) -> Result<args::Arguments, clap::Error> {
    let mut command = args::Arguments::command();
    if let Some((name, version)) = builder.named() {
        // The parser keeps names for the whole process, which has one command line.
        let (name, version): (&'static str, &'static str) =
            (name.to_owned().leak(), version.to_owned().leak());
        command = command.name(name).bin_name(name).version(version);
    }
    args::Arguments::from_arg_matches(&command.try_get_matches()?)
}
