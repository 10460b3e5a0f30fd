//! What the user types, on a thread of its own, since reading a terminal blocks.

use std::fs::{OpenOptions, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc as threads};

use bethink_text::mask_secrets;
use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor, ExternalPrinter};
use tokio::sync::mpsc;

use crate::input::{Line, next_line};
use crate::output::{Closed, Output, shown};

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
    over: Over,
}

/// Prints over the line that is being typed; what was typed so far stays. Clones print to the same place.
#[derive(Clone, Default)]
pub(crate) struct Over(Arc<Mutex<Option<Box<dyn ExternalPrinter + Send>>>>);

impl std::fmt::Debug for Over {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Over").finish_non_exhaustive()
    }
}

impl Over {
    fn set(&self, printer: impl ExternalPrinter + Send + 'static) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(printer));
    }

    /// Prints a line for people; where nothing edits lines, like every other line.
    pub(crate) async fn line(&self, output: Output, text: &str) -> Result<(), Closed> {
        if output.json {
            return Ok(());
        }
        let (own, line) = (self.clone(), format!("{}\n", shown(text)));
        // It waits while the editor does something that can't be interrupted, such as a search of the history.
        let printed = tokio::task::spawn_blocking(move || {
            let mut printer = own.0.lock().unwrap_or_else(PoisonError::into_inner);
            printer.as_mut().is_some_and(|printer| printer.print(line).is_ok())
        });
        if printed.await.unwrap_or(false) { Ok(()) } else { output.line(text) }
    }
}

impl Lines {
    /// Starts reading: with line editing and the given history file on a terminal, else line by line.
    pub(crate) fn start(history: Option<PathBuf>) -> std::io::Result<Self> {
        let (wanted, asked) = threads::sync_channel(1);
        let (sender, read) = mpsc::channel(1);
        let over = Over::default();
        let editing = over.clone();
        let body = move || match history {
            Some(path) => terminal(&path, &asked, &sender, &editing),
            None => pipe(&asked, &sender),
        };
        std::thread::Builder::new().name("input".to_owned()).spawn(body)?;
        Ok(Self { wanted, read, over })
    }

    /// Where something is printed while a line may be typed.
    pub(crate) fn over(&self) -> Over {
        self.over.clone()
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

fn terminal(history: &Path, asked: &threads::Receiver<bool>, sender: &mpsc::Sender<Read>, over: &Over) {
    let config = Config::builder().max_history_size(HISTORY_MAX).map(rustyline::config::Builder::build);
    let Ok(mut editor) = config.and_then(DefaultEditor::with_config) else { return pipe(asked, sender) };
    if let Ok(printer) = editor.create_external_printer() {
        over.set(printer);
    }
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
