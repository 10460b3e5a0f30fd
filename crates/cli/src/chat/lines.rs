//! What the user types, on a thread of its own, since reading a terminal blocks.

use std::fs::{OpenOptions, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::mpsc as threads;

use bethink_text::mask_secrets;
use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor};
use tokio::sync::mpsc;

use crate::input::{Line, next_line};

/// Lines that the history keeps.
const HISTORY_MAX: usize = 1_000;

/// What came.
#[derive(Debug)]
pub(crate) enum Read {
    /// A line.
    Line(String),
    /// A line that can't be used, and why.
    Refused(String),
    /// Ctrl-C at the prompt.
    Interrupted,
    /// A signal asked the process to stop.
    Stopped,
    /// Nothing more comes.
    End,
}

/// Lines, one each time one is asked for.
pub(crate) struct Lines {
    wanted: threads::SyncSender<bool>,
    read: mpsc::Receiver<Read>,
}

impl Lines {
    /// Starts reading: with line editing and the given history file on a terminal, else line by line.
    pub(crate) fn start(history: Option<PathBuf>) -> std::io::Result<Self> {
        let (wanted, asked) = threads::sync_channel(1);
        let (sender, read) = mpsc::channel(1);
        let body = move || match history {
            Some(path) => terminal(&path, &asked, &sender),
            None => pipe(&asked, &sender),
        };
        std::thread::Builder::new().name("input".to_owned()).spawn(body)?;
        Ok(Self { wanted, read })
    }

    /// The next line. `unrecorded` keeps it out of the history.
    pub(crate) async fn next(&mut self, unrecorded: bool) -> Read {
        // Full when the last wish was not served yet, as after an interrupt; that wish is then this one.
        let _ = self.wanted.try_send(unrecorded);
        self.read.recv().await.unwrap_or(Read::End)
    }
}

fn pipe(asked: &threads::Receiver<bool>, sender: &mpsc::Sender<Read>) {
    let mut reader = std::io::stdin().lock();
    let mut number = 0;
    while asked.recv().is_ok() {
        number += 1;
        let read = match next_line(&mut reader) {
            Ok(Some(Line::Text(line))) => Read::Line(line),
            Ok(Some(Line::NotText)) => {
                Read::Refused(format!("line {number} is not UTF-8; it was passed over"))
            }
            Ok(Some(Line::TooLong)) => {
                Read::Refused(format!("line {number} is too long; it was passed over"))
            }
            Ok(None) => Read::End,
            Err(error) => {
                drop(sender.blocking_send(Read::Refused(format!("input could not be read: {error}"))));
                Read::End
            }
        };
        let ended = matches!(read, Read::End);
        if sender.blocking_send(read).is_err() || ended {
            return;
        }
    }
}

fn terminal(history: &Path, asked: &threads::Receiver<bool>, sender: &mpsc::Sender<Read>) {
    let config = Config::builder().max_history_size(HISTORY_MAX).map(rustyline::config::Builder::build);
    let Ok(mut editor) = config.and_then(DefaultEditor::with_config) else { return pipe(asked, sender) };
    // A missing or unreadable history is an empty one.
    let mut kept = editor.load_history(history).is_ok();
    while let Ok(unrecorded) = asked.recv() {
        let read = match editor.readline("> ") {
            Ok(line) => {
                if !unrecorded && !line.trim().is_empty() {
                    if kept && !history.exists() {
                        // It was removed because something was forgotten.
                        drop(editor.clear_history());
                    }
                    record(&mut editor, history, &line);
                    kept = true;
                }
                Read::Line(line)
            }
            Err(ReadlineError::Interrupted) => Read::Interrupted,
            Err(ReadlineError::Eof) => Read::End,
            Err(error) => Read::Refused(format!("input could not be read: {error}")),
        };
        let ended = matches!(read, Read::End);
        if sender.blocking_send(read).is_err() || ended {
            return;
        }
    }
}

/// Keeps a line, without its secrets, in a file that only its owner reads. A history that can't be kept is no reason to
/// stop talking.
fn record(editor: &mut DefaultEditor, history: &Path, line: &str) {
    drop(editor.add_history_entry(mask_secrets(line).text));
    let exists = OpenOptions::new().append(true).create(true).mode(0o600).open(history).is_ok();
    if exists && editor.save_history(history).is_ok() {
        drop(std::fs::set_permissions(history, Permissions::from_mode(0o600)));
    }
}
