//! JSON Lines, read and written one line at a time, so that a file of any length takes no more memory than its longest line.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::error::EvaluationError;

/// Longest line in bytes. A turn of a conversation is shorter by far; what is longer is another file by mistake.
const LINE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Ids are words or whole numbers; what comes in as one goes out as the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum Id {
    Word(String),
    Number(i64),
}

impl Id {
    pub(crate) fn into_word(self) -> String {
        match self {
            Self::Word(word) => word,
            Self::Number(number) => number.to_string(),
        }
    }
}

/// Where a line lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    /// Bytes before it.
    pub(crate) offset: u64,
    /// Its number, from 1.
    pub(crate) line: usize,
}

/// A file of lines, each an object of the same form.
pub(crate) struct Lines {
    path: PathBuf,
    file: BufReader<File>,
    /// The next line.
    spot: Spot,
    buffer: Vec<u8>,
}

impl Lines {
    pub(crate) fn open(path: &Path) -> Result<Self, EvaluationError> {
        let unreadable = |error: std::io::Error| unreadable(path, &error);
        let file = BufReader::new(File::open(path).map_err(unreadable)?);
        Ok(Self { path: path.to_owned(), file, spot: Spot { offset: 0, line: 1 }, buffer: Vec::new() })
    }

    /// The next line that is not blank; none at the end.
    pub(crate) fn next<T: DeserializeOwned>(&mut self) -> Result<Option<(Spot, T)>, EvaluationError> {
        loop {
            let spot = self.spot;
            self.buffer.clear();
            let mut limited = (&mut self.file).take(LINE_BYTES_MAX + 1);
            let read = limited.read_until(b'\n', &mut self.buffer);
            let read = read.map_err(|error| unreadable(&self.path, &error))?;
            if read == 0 {
                return Ok(None);
            }
            if read as u64 > LINE_BYTES_MAX {
                return Err(self.fault(spot, format!("longer than {LINE_BYTES_MAX} bytes")));
            }
            self.spot = Spot { offset: spot.offset + read as u64, line: spot.line + 1 };
            if let Some(object) = parse(&self.buffer).map_err(|reason| self.fault(spot, reason))? {
                return Ok(Some((spot, object)));
            }
        }
    }

    /// The line at a spot that was read before.
    pub(crate) fn at<T: DeserializeOwned>(&mut self, spot: Spot) -> Result<T, EvaluationError> {
        if self.spot != spot {
            let sought = self.file.seek(SeekFrom::Start(spot.offset));
            sought.map_err(|error| unreadable(&self.path, &error))?;
            self.spot = spot;
        }
        let found = self.next()?.map(|(_, object)| object);
        found.ok_or_else(|| self.fault(spot, "the file changed while it was read".to_owned()))
    }

    /// What is wrong with a line, as an error that says which.
    pub(crate) fn fault(&self, spot: Spot, reason: String) -> EvaluationError {
        EvaluationError::Line { path: self.path.clone(), line: spot.line, reason }
    }
}

/// A file of lines being written. It is there when it is complete and not before.
pub(crate) struct Written {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl Written {
    /// Finds out at once whether the file can be written.
    pub(crate) fn create(path: &Path) -> Result<Self, EvaluationError> {
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let named = tempfile::Builder::new().prefix(".bethink-results-").tempfile_in(dir);
        let file = named.map_err(|error| unwritable(path, &error))?;
        if path.is_dir() {
            return Err(unwritable(path, &ErrorKind::IsADirectory.into()));
        }
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file) })
    }

    pub(crate) fn line(&mut self, object: &impl Serialize) -> Result<(), EvaluationError> {
        let written = serde_json::to_writer(&mut self.file, object).map_err(std::io::Error::from);
        let written = written.and_then(|()| self.file.write_all(b"\n"));
        written.map_err(|error| unwritable(&self.path, &error))
    }

    /// Puts the file in its place.
    pub(crate) fn finish(self) -> Result<(), EvaluationError> {
        let Self { path, file } = self;
        let file = file.into_inner().map_err(|error| unwritable(&path, error.error()))?;
        file.persist(&path).map_err(|error| unwritable(&path, &error.error))?;
        Ok(())
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> EvaluationError {
    EvaluationError::Results { path: path.to_owned(), reason: error.to_string() }
}

fn unreadable(path: &Path, error: &std::io::Error) -> EvaluationError {
    EvaluationError::Unreadable { path: path.to_owned(), reason: error.to_string() }
}

fn parse<T: DeserializeOwned>(line: &[u8]) -> Result<Option<T>, String> {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    let text = std::str::from_utf8(line).map_err(|_| "not UTF-8")?.trim();
    if text.is_empty() {
        return Ok(None);
    }
    serde_json::from_str(text).map(Some).map_err(|error| not_json(&error))
}

/// The parser counts lines inside of the one line that it is given, which would mislead.
pub(crate) fn not_json(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let reason = text.rsplit_once(" at line ").map_or(text.as_str(), |(reason, _)| reason);
    format!("not a line of the benchmark: {reason}, column {}", error.column())
}

/// The start of what a file says, so that a message stays readable.
pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}
