//! The stored form of every record: a version byte, then postcard, then a checksum of both. Fields are appended in a new
//! version, never reordered; an old version is read for ever.
//!
//! The highest bit of the version byte says that the record is *sealed*: its last four bytes are the CRC-32 of all before
//! them. Format 1 had records without; they are still read, and a file of format 2 holds none.

mod conversation;
mod folded;
mod ledger;
mod migration;
mod reminder;
#[cfg(test)]
mod tests;
mod trace;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use conversation::{decode_exchange, decode_turn, encode_exchange, encode_turn};
pub(crate) use folded::{decode_folded, encode_folded};
pub(crate) use ledger::{
    EmbedderRecord, Meta, decode_counters, decode_embedder, decode_journal, decode_meta, decode_recall,
    encode_counters, encode_embedder, encode_journal, encode_meta, encode_recall,
};
pub(crate) use migration::{MigrationRecord, decode_migration, encode_migration};
pub(crate) use reminder::{decode_reminder, decode_whereabouts, encode_reminder, encode_whereabouts};
pub(crate) use trace::{decode_body, decode_state, decode_vector, encode_body, encode_state, encode_vector};

use crate::index::Head;

/// Longest text inside a record, in bytes. Two values of 2 KB do not share a page of 4 KB, so records stay below
/// 1.9 KB and longer texts lie in a table of their own.
pub(crate) const INLINE_BYTES_MAX: usize = 1_500;

/// Marks a version byte whose record is sealed.
const SEALED: u8 = 0x80;
/// Bytes of a checksum.
const CHECKSUM_BYTES: usize = 4;

/// Why bytes are no record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RecordFault {
    /// Written by a newer program, or damaged.
    #[error("a {what} of unknown version {version}")]
    Version { what: &'static str, version: u8 },
    /// Not the bytes that were written.
    #[error("a {what} whose checksum differs")]
    Checksum { what: &'static str },
    /// Damaged.
    #[error("a {what} that cannot be read")]
    Garbled { what: &'static str },
}

/// A text inside its record, or in the table of bulky texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize)]
pub(crate) enum StoredText {
    Inline(String),
    /// Apart, without a checksum: format 1.
    Bulky,
    /// Apart, and its checksum.
    Apart(u32),
}

impl StoredText {
    /// The stored form, and what goes to the table of bulky texts.
    pub(crate) fn split(text: &str, room: usize) -> (Self, Option<&str>) {
        if text.len() <= room {
            (Self::Inline(text.to_owned()), None)
        } else {
            (Self::Apart(crc32fast::hash(text.as_bytes())), Some(text))
        }
    }

    /// The text; `apart` finds it where it lies apart. `what` is whose text it is.
    fn join(self, what: &'static str, apart: impl FnOnce() -> Option<String>) -> Result<String, RecordFault> {
        let missing = RecordFault::Garbled { what };
        match self {
            Self::Inline(text) => Ok(text),
            Self::Bulky => apart().ok_or(missing),
            Self::Apart(checksum) => {
                let text = apart().ok_or(missing)?;
                let same = crc32fast::hash(text.as_bytes()) == checksum;
                if same { Ok(text) } else { Err(RecordFault::Checksum { what }) }
            }
        }
    }
}

/// Whether a record carries a checksum.
pub(crate) fn is_sealed(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|version| version & SEALED != 0)
}

/// Marks the version and appends the checksum.
fn seal(mut record: Vec<u8>) -> Vec<u8> {
    if let Some(version) = record.first_mut() {
        *version |= SEALED;
    }
    let checksum = crc32fast::hash(&record);
    record.extend_from_slice(&checksum.to_le_bytes());
    record
}

/// Version and content of a record, once its checksum is right.
fn unseal<'b>(what: &'static str, bytes: &'b [u8]) -> Result<(u8, &'b [u8]), RecordFault> {
    let garbled = RecordFault::Garbled { what };
    let Some((version, rest)) = bytes.split_first() else { return Err(garbled) };
    if version & SEALED == 0 {
        return Ok((*version, rest));
    }
    let Some((record, checksum)) = bytes.split_last_chunk::<CHECKSUM_BYTES>() else { return Err(garbled) };
    if crc32fast::hash(record).to_le_bytes() != *checksum {
        return Err(RecordFault::Checksum { what });
    }
    match record {
        [version, rest @ ..] => Ok((version & !SEALED, rest)),
        [] => Err(garbled),
    }
}

pub(crate) fn encode_head(head: &Head) -> Vec<u8> {
    encode(1, head)
}

pub(crate) fn decode_head(bytes: &[u8]) -> Result<Head, RecordFault> {
    decode("head of a segment", bytes)
}

fn encode<T: Serialize>(version: u8, record: &T) -> Vec<u8> {
    let bytes = postcard::to_extend(record, vec![version]);
    seal(bytes.expect("because a record holds only numbers, texts and lists, which always serialise"))
}

/// Reads a record that has had one version so far.
fn decode<T: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<T, RecordFault> {
    match unseal(what, bytes)? {
        (1, content) => read(what, content),
        (version, _) => Err(RecordFault::Version { what, version }),
    }
}

/// Reads a record's content, to its last byte.
fn read<T: DeserializeOwned>(what: &'static str, content: &[u8]) -> Result<T, RecordFault> {
    match postcard::take_from_bytes(content) {
        Ok((record, [])) => Ok(record),
        _ => Err(RecordFault::Garbled { what }),
    }
}
