//! The lines of a file that is imported, read a little ahead and within bounds.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use bethink_api::{EXPORT_VERSION, ExportLine, ExportedTrace, Fault, FaultKind};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::input::{Line, next_line};

/// Lines read ahead.
const AHEAD: usize = 64;
/// Text in memory at once, in KiB: half a thousand ordinary statements need one of them, and a file of long ones cannot
/// take more.
const ROOM_KIB: u32 = 32 * 1_024;

/// What a line is.
pub(super) enum Read {
    /// A trace, and the memory that it takes.
    Trace(Box<ExportedTrace>, OwnedSemaphorePermit),
    /// A turn; turns are not imported.
    Turn,
    /// The head of an export, or an empty line.
    Nothing,
    /// Nothing that can be stored; why.
    Refused(String),
    /// The file can't be read any further.
    Broken(io::Error),
}

/// Lines with their numbers, from 1.
pub(super) struct Lines {
    receiver: mpsc::Receiver<(usize, Read)>,
    /// How many there are, where that can be told before reading them.
    pub(super) total: Option<usize>,
}

impl Lines {
    /// Opens a file, or standard input for `-`. Statements without a time get `at`.
    pub(super) fn open(path: &Path, at: Option<String>) -> Result<Self, Fault> {
        let failed = |error: io::Error| Fault::new(FaultKind::Usage, format!("{}: {error}", path.display()));
        let (sender, receiver) = mpsc::channel(AHEAD);
        if path.as_os_str() == "-" {
            drop(tokio::task::spawn_blocking(move || read(io::stdin().lock(), &at, &sender)));
            return Ok(Self { receiver, total: None });
        }
        let file = File::open(path).map_err(failed)?;
        let regular = file.metadata().map_err(failed)?.is_file();
        let total = if regular { Some(count(path).map_err(failed)?) } else { None };
        drop(tokio::task::spawn_blocking(move || read(BufReader::new(file), &at, &sender)));
        Ok(Self { receiver, total })
    }

    pub(super) async fn next(&mut self) -> Option<(usize, Read)> {
        self.receiver.recv().await
    }
}

fn count(path: &Path) -> io::Result<usize> {
    let mut reader = BufReader::with_capacity(1 << 16, File::open(path)?);
    let mut lines = 0;
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok(lines);
        }
        lines += bytes.iter().filter(|byte| **byte == b'\n').count();
        let read = bytes.len();
        reader.consume(read);
    }
}

/// Whether a file holds JSON objects or statements: its first line that is not empty decides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Objects,
    Statements,
}

fn read(mut reader: impl BufRead, at: &Option<String>, sender: &mpsc::Sender<(usize, Read)>) {
    let room = Arc::new(Semaphore::new(ROOM_KIB as usize));
    let mut form = None;
    for number in 1.. {
        let text = match next_line(&mut reader) {
            Ok(Some(Line::Text(text))) => text,
            Ok(Some(Line::NotText)) => {
                if sender.blocking_send((number, Read::Refused("it is not UTF-8".to_owned()))).is_err() {
                    return;
                }
                continue;
            }
            Ok(Some(Line::TooLong)) => {
                if sender.blocking_send((number, Read::Refused("it is too long".to_owned()))).is_err() {
                    return;
                }
                continue;
            }
            Ok(None) => return,
            Err(error) => return drop(sender.blocking_send((number, Read::Broken(error)))),
        };
        let text = text.trim_start_matches('\u{feff}').trim();
        if form.is_none() && !text.is_empty() {
            let object = serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object());
            form = Some(if object { Form::Objects } else { Form::Statements });
        }
        let read = match parse(text, form, at) {
            Ok(Parsed::Trace(trace)) => {
                let kib = u32::try_from(text.len() / 1_024 + 1).unwrap_or(ROOM_KIB).min(ROOM_KIB);
                // The semaphore is never closed.
                match Handle::current().block_on(Arc::clone(&room).acquire_many_owned(kib)) {
                    Ok(permit) => Read::Trace(trace, permit),
                    Err(_) => return,
                }
            }
            Ok(Parsed::Turn) => Read::Turn,
            Ok(Parsed::Nothing) => Read::Nothing,
            Err(why) => Read::Refused(why),
        };
        if sender.blocking_send((number, read)).is_err() {
            return;
        }
    }
}

#[derive(Debug, PartialEq)]
enum Parsed {
    Trace(Box<ExportedTrace>),
    Turn,
    Nothing,
}

fn parse(text: &str, form: Option<Form>, at: &Option<String>) -> Result<Parsed, String> {
    if text.is_empty() {
        return Ok(Parsed::Nothing);
    }
    if form == Some(Form::Statements) {
        return Ok(Parsed::Trace(Box::new(ExportedTrace::plain(text, at.clone()))));
    }
    let mut object: Value =
        serde_json::from_str(text).map_err(|error| format!("it is not JSON ({error})"))?;
    if object.get("is").is_none()
        && let Some(fields) = object.as_object_mut()
    {
        fields.insert("is".to_owned(), Value::from("trace"));
    }
    let version = object.get("v").and_then(Value::as_u64).unwrap_or(u64::from(EXPORT_VERSION));
    if version > u64::from(EXPORT_VERSION) {
        return Err(format!("it has version {version}; this program reads {EXPORT_VERSION}"));
    }
    let line =
        serde_json::from_value(object).map_err(|error| format!("it is no line of an export ({error})"))?;
    Ok(match line {
        ExportLine::Export { .. } => Parsed::Nothing,
        ExportLine::Turn(_) => Parsed::Turn,
        ExportLine::Trace(mut trace) => {
            if trace.at.is_none() {
                trace.at.clone_from(at);
            }
            Parsed::Trace(trace)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_for_what_it_is() {
        let check = |form, text: &str, expected: Result<Parsed, &str>| {
            let read = parse(text, Some(form), &None);
            match (read, expected) {
                (Err(why), Err(part)) => assert!(why.contains(part), "{text}: {why}"),
                (read, expected) => assert_eq!(read, expected.map_err(str::to_owned), "{text}"),
            }
        };
        let plain = |text: &str| Ok(Parsed::Trace(Box::new(ExportedTrace::plain(text, None))));
        check(Form::Statements, "My cat is {grey}.", plain("My cat is {grey}."));
        check(Form::Statements, "", Ok(Parsed::Nothing));
        check(Form::Objects, r#"{"text":"My cat is grey."}"#, plain("My cat is grey."));
        check(Form::Objects, r#"{"is":"trace","v":1,"text":"My cat is grey."}"#, plain("My cat is grey."));
        check(Form::Objects, r#"{"is":"export","v":1,"agent":"a","user":"u","at":"x"}"#, Ok(Parsed::Nothing));
        check(Form::Objects, r#"{"is":"export","v":2,"agent":"a"}"#, Err("version 2"));
        check(Form::Objects, r#"{"is":"trace","text":7}"#, Err("no line of an export"));
        check(Form::Objects, r#"{"text":"My cat"#, Err("not JSON"));
        check(Form::Objects, r#"[1]"#, Err("no line of an export"));
    }
}
