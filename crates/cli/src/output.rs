//! Printing, for people or for programs.

use std::io::{self, IsTerminal, Write};

/// Standard output could not be written.
#[derive(Debug)]
pub(crate) struct Closed {
    /// The reader went away, which is no error.
    pub(crate) quietly: bool,
    reason: String,
}

impl std::fmt::Display for Closed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "standard output could not be written: {}", self.reason)
    }
}

impl std::error::Error for Closed {}

impl From<io::Error> for Closed {
    fn from(error: io::Error) -> Self {
        Self { quietly: error.kind() == io::ErrorKind::BrokenPipe, reason: error.to_string() }
    }
}

/// Where a command prints.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    /// One JSON object a line.
    pub(crate) json: bool,
}

impl Output {
    /// Prints a line for people; nothing with `--json`.
    pub(crate) fn line(self, text: &str) -> Result<(), Closed> {
        if self.json {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.write_all(b"\n")?;
        Ok(out.flush()?)
    }

    /// Prints a part of a line for people, at once.
    pub(crate) fn part(self, text: &str) -> Result<(), Closed> {
        if self.json {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }

    /// Prints an object for programs; nothing without `--json`.
    pub(crate) fn object(self, value: &serde_json::Value) -> Result<(), Closed> {
        if !self.json {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        out.write_all(value.to_string().as_bytes())?;
        out.write_all(b"\n")?;
        Ok(out.flush()?)
    }

    /// Prints a note that belongs to no result, on standard error.
    pub(crate) fn note(self, text: &str) {
        // Nobody is left to tell when standard error is closed.
        drop(writeln!(io::stderr(), "{text}"));
    }

    /// Shows a passing line on standard error, over the one before.
    pub(crate) fn overwrite(self, text: &str, last: bool) {
        drop(write!(io::stderr(), "\r\x1b[K{text}{}", if last { "\n" } else { "" }));
    }

    /// True when a person reads and types.
    pub(crate) fn is_terminal() -> bool {
        io::stdin().is_terminal() && io::stdout().is_terminal()
    }
}
