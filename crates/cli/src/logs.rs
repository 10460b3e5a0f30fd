//! What operators are told: structured events on standard error.

use std::io::IsTerminal;

use bethink_settings::{LogFormat, LogLevel, LogSection, Settings};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::time::SystemTime;

/// Targets that are not ours. kameo opens a span for each message and repeats what a panic said, which may quote
/// memory; the others tell of each connection.
const FOREIGN: &str =
    "kameo=off,genai=warn,hyper=warn,hyper_util=warn,reqwest=warn,rustls=warn,rten=warn,redb=warn";

/// Whose logs they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    /// A process that runs for weeks.
    Service,
    /// A command that a person waits for.
    Command,
}

/// Starts to write. Without a level nothing is installed, so that nothing is formatted either.
pub(crate) fn start(settings: &Settings, voice: Voice) {
    let log = settings.log();
    let level = match voice {
        Voice::Service => log.level,
        Voice::Command => log.commands.0,
    };
    if level == LogLevel::Off && log.targets.is_empty() {
        return;
    }
    let builder = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(directives(log, level)))
        .with_timer(SystemTime)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    // A second start in one process is a test's; the first stands.
    let _ = match log.format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).with_current_span(false).try_init(),
    };
    if voice == Voice::Service {
        std::panic::set_hook(Box::new(report_panic));
    }
}

fn directives(log: &LogSection, level: LogLevel) -> String {
    let own = log.targets.iter().map(|(target, level)| format!(",{target}={}", level.name()));
    format!("{},{FOREIGN}{}", level.name(), own.collect::<String>())
}

/// Says where a panic was, and not what it said, which may quote a message or a memory.
fn report_panic(panic: &std::panic::PanicHookInfo<'_>) {
    // The database panics over damaged pages; that is caught where it is used, and told as an error.
    let Some(at) = panic.location().filter(|at| !at.file().contains("/redb-")) else { return };
    tracing::error!(file = at.file(), line = at.line(), "a part of the program panicked");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_of_ones_own_wins() {
        let log = LogSection {
            targets: [("kameo".to_owned(), LogLevel::Debug)].into_iter().collect(),
            ..LogSection::default()
        };
        let said = directives(&log, log.level);
        assert!(said.starts_with("info,kameo=off,"), "{said}");
        assert!(said.ends_with(",kameo=debug"), "the last word on a target counts: {said}");
    }
}
