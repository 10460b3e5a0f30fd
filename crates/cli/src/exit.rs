//! How a command ends.

use std::io::Write;
use std::process::ExitCode;

use bethink_api::{Fault, FaultKind};

use crate::output::Closed;

/// Exit code of a usage error, as `FaultKind::Usage`.
const USAGE: u8 = 2;

/// Prints what clap says, help included, and gives its code.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    // Help goes to standard output, errors to standard error; a closed one has no reader to care.
    drop(error.print());
    if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS }
}

/// Reports an error once, and gives the exit code that scripts can tell apart.
pub(crate) fn code(program: &str, result: anyhow::Result<ExitCode>) -> ExitCode {
    let error = match result {
        Ok(code) => return code,
        Err(error) => error,
    };
    // A reader that closed its end has seen what it wanted, as in `memory list | head`.
    if error.downcast_ref::<Closed>().is_some_and(|closed| closed.quietly) {
        return ExitCode::SUCCESS;
    }
    let kind = error.downcast_ref::<Fault>().map(|fault| fault.kind);
    drop(writeln!(std::io::stderr(), "{program}: {error:#}"));
    if error.downcast_ref::<Closed>().is_some() {
        return ExitCode::from(FaultKind::Unwritable.exit_code());
    }
    ExitCode::from(kind.unwrap_or(FaultKind::Failed).exit_code())
}
