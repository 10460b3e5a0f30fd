//! The stored form of every record: a version byte, then postcard. Fields are appended in a new version, never
//! reordered; an old version is read for ever.

mod conversation;
mod folded;
mod ledger;
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
pub(crate) use trace::{decode_body, decode_state, decode_vector, encode_body, encode_state, encode_vector};

/// Longest text inside a record, in bytes. Two values of 2 KB do not share a page of 4 KB, so records stay below
/// 1.9 KB and longer texts lie in a table of their own.
pub(crate) const INLINE_BYTES_MAX: usize = 1_500;

/// Why bytes are no record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RecordFault {
    /// Written by a newer program, or damaged.
    #[error("a {what} of unknown version {version}")]
    Version { what: &'static str, version: u8 },
    /// Damaged.
    #[error("a {what} that cannot be read")]
    Garbled { what: &'static str },
}

/// A text inside its record, or in the table of bulky texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize)]
pub(crate) enum StoredText {
    Inline(String),
    Bulky,
}

impl StoredText {
    /// The stored form, and what goes to the table of bulky texts.
    pub(crate) fn split(text: &str, room: usize) -> (Self, Option<&str>) {
        if text.len() <= room { (Self::Inline(text.to_owned()), None) } else { (Self::Bulky, Some(text)) }
    }
}

fn encode<T: Serialize>(version: u8, record: &T) -> Vec<u8> {
    let bytes = postcard::to_extend(record, vec![version]);
    bytes.expect("because a record holds only numbers, texts and lists, which always serialise")
}

fn decode<T: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<T, RecordFault> {
    match bytes {
        [1, rest @ ..] => postcard::from_bytes(rest).map_err(|_| RecordFault::Garbled { what }),
        [version, ..] => Err(RecordFault::Version { what, version: *version }),
        [] => Err(RecordFault::Garbled { what }),
    }
}
