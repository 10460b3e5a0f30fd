//! A segment as the file holds it: a head, and parts cut into pieces.

use bethink_domain::TraceId;
use serde::{Deserialize, Serialize};

use super::bytes::{Reader, put_u32, put_u64};
use super::graph::Links;
use super::{Keys, Words};
use crate::tokens::Tokens;

/// Bytes of a piece. The file gives a long value a power of two of pages; a little below one leaves none empty.
const PIECE_BYTES: usize = 256 * 1024 - 512;

/// What part of a segment a piece belongs to; also the first half of its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Part {
    Head = 0,
    Ids = 1,
    Words = 2,
    Keys = 3,
    Graph = 4,
}

/// What a segment says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    /// Version of the words in it.
    pub(crate) tokeniser: u32,
    /// Generation of the vectors that the graph links; none without a graph.
    pub(crate) generation: Option<u16>,
    pub(crate) first_id: u64,
    pub(crate) last_id: u64,
    /// Bytes and checksum of ids, words, keys and graph.
    parts: [(u64, u32); 4],
}

/// All of a segment as bytes.
#[derive(Debug)]
pub(crate) struct Parts {
    first_id: u64,
    last_id: u64,
    /// Ids, words, keys, graph.
    bytes: [Vec<u8>; 4],
}

const ORDER: [Part; 4] = [Part::Ids, Part::Words, Part::Keys, Part::Graph];

impl Parts {
    pub(super) fn new(ids: Vec<TraceId>, words: &Words, keys: &Keys, links: Option<&Links>) -> Self {
        let raw = |id: Option<&TraceId>| id.map_or(0, |id| id.raw());
        let graph = links.map(|links| lz4_flex::compress_prepend_size(links.bytes())).unwrap_or_default();
        Self {
            first_id: raw(ids.first()),
            last_id: raw(ids.last()),
            bytes: [encode_ids(&ids), words.encode(), keys.encode(), graph],
        }
    }

    /// What the head says; `generation` is that of the vectors.
    pub(crate) fn head(&self, generation: Option<u16>) -> Head {
        let [ids, words, keys, graph] = &self.bytes;
        let sum = |bytes: &Vec<u8>| (bytes.len() as u64, crc32fast::hash(bytes));
        Head {
            tokeniser: Tokens::VERSION,
            generation: generation.filter(|_| !graph.is_empty()),
            first_id: self.first_id,
            last_id: self.last_id,
            parts: [sum(ids), sum(words), sum(keys), sum(graph)],
        }
    }

    /// Every piece with its key, except the head's.
    pub(crate) fn pieces(&self, number: u64) -> impl Iterator<Item = ((u8, u64), &[u8])> {
        ORDER.into_iter().zip(&self.bytes).flat_map(move |(part, bytes)| {
            bytes.chunks(PIECE_BYTES).enumerate().map(move |(n, piece)| (key(part, number, n), piece))
        })
    }
}

/// Key of a piece.
pub(crate) fn key(part: Part, number: u64, piece: usize) -> (u8, u64) {
    (part as u8, (number << 16) | piece as u64)
}

/// The segment that a key belongs to.
pub(crate) fn number_of(key: (u8, u64)) -> u64 {
    key.1 >> 16
}

impl Head {
    /// Keys of the pieces of a part.
    pub(crate) fn keys(&self, part: Part, number: u64) -> impl Iterator<Item = (u8, u64)> + use<> {
        let pieces = (self.size(part).0 as usize).div_ceil(PIECE_BYTES);
        (0..pieces).map(move |piece| key(part, number, piece))
    }

    /// Whether a part is whole and as it was written.
    pub(crate) fn fits(&self, part: Part, bytes: &[u8]) -> bool {
        self.size(part) == (bytes.len() as u64, crc32fast::hash(bytes))
    }

    fn size(&self, part: Part) -> (u64, u32) {
        ORDER.iter().position(|known| *known == part).map_or((0, 0), |place| self.parts[place])
    }
}

fn encode_ids(ids: &[TraceId]) -> Vec<u8> {
    let mut out = Vec::with_capacity(4 + 8 * ids.len());
    put_u32(&mut out, ids.len() as u32);
    ids.iter().for_each(|id| put_u64(&mut out, id.raw()));
    lz4_flex::compress_prepend_size(&out)
}

/// Ids of the rows, forgotten ones among them; none where the bytes are none of ours.
pub(crate) fn decode_ids(bytes: &[u8]) -> Option<Vec<TraceId>> {
    let bytes = lz4_flex::decompress_size_prepended(bytes).ok()?;
    let mut reader = Reader::new(&bytes);
    let count = reader.u32()? as usize;
    let ids = reader.u64s(count)?;
    ids.is_sorted().then(|| ids.into_iter().map(TraceId::from_raw).collect())
}

/// Links of a graph; none where the bytes are none of ours.
pub(crate) fn decode_links(bytes: &[u8]) -> Option<Links> {
    lz4_flex::decompress_size_prepended(bytes).ok().map(Links::from_bytes)
}
