//! The `bethink` binary.
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

use clap::Parser;

fn main() -> ExitCode {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // The database panics over damaged pages; that is caught where it is used, and told as an error.
        if !panic.location().is_some_and(|at| at.file().contains("/redb-")) {
            report(panic);
        }
    }));
    let arguments = match args::Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return exit::usage(&error),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("bethink")
        .enable_all()
        .build();
    let result = match runtime {
        Ok(runtime) => {
            let result = runtime.block_on(commands::run(arguments));
            // A terminal reader may sit in a blocking read that nothing can end.
            runtime.shutdown_background();
            result
        }
        Err(error) => Err(anyhow::Error::new(error).context("the runtime could not be started")),
    };
    exit::code(result)
}
