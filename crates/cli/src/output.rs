//! Printing, for people or for programs.

use std::borrow::Cow;
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
        out.write_all(shown(text).as_bytes())?;
        out.write_all(b"\n")?;
        Ok(out.flush()?)
    }

    /// Prints a part of a line for people, at once.
    pub(crate) fn part(self, text: &str) -> Result<(), Closed> {
        if self.json {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        out.write_all(shown(text).as_bytes())?;
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
        drop(writeln!(io::stderr(), "{}", shown(text)));
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

/// What a terminal may be given: characters that would command it, or turn the direction of reading, are written out.
/// Remembered text can hold them.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    let commands = |c: char| {
        c.is_control() && c != '\n' && c != '\t'
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
    };
    if !text.contains(commands) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if commands(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembered_text_cannot_command_a_terminal() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text), expected);
        check("plain, with\ttab and\nline", "plain, with\ttab and\nline");
        check("clear \x1b[2J title \x1b]0;x\x07", "clear \\u{1b}[2J title \\u{1b}]0;x\\u{7}");
        check("\u{202e}gnihton", "\\u{202e}gnihton");
        check("👨‍👩‍👧 क्षि 固", "👨‍👩‍👧 क्षि 固");
    }
}
