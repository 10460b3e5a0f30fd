//! Leaving a terminal as it was found.

use std::io::{IsTerminal, Write};

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

/// Puts the terminal back when dropped: line editing may be in the middle of a line when a signal ends the chat.
pub(crate) struct Terminal {
    found: Termios,
}

impl Terminal {
    /// Remembers how the terminal is; none when standard input is no terminal.
    pub(crate) fn hold() -> Option<Self> {
        let input = std::io::stdin();
        if !input.is_terminal() {
            return None;
        }
        tcgetattr(&input).ok().map(|found| Self { found })
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A terminal that went away needs nothing.
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.found);
        let mut out = std::io::stdout();
        if out.is_terminal() {
            // Pasted text is no longer to be bracketed.
            let _ = out.write_all(b"\x1b[?2004l\r");
            let _ = out.flush();
        }
    }
}
