//! Segments in the file: written whole in one transaction, and read as far as they fit the rows.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use redb::{AccessGuard, Database, ReadTransaction, ReadableDatabase, ReadableTable, Table};

use super::read::open_if_there;
use super::slot::StoreSlot;
use super::tables::{SEALED, Tables};
use crate::error::StoreError;
use crate::index::{
    Built, Graph, Head, Keys, Part, Segment, Words, decode_ids, decode_links, key, number_of,
};
use crate::records;
use crate::snapshot::{ROWS_MAX, Snapshot};
use crate::tokens::Tokens;
use bethink_domain::TraceId;

/// Every part of a segment, in the order of their keys.
const PARTS: [Part; 5] = [Part::Head, Part::Ids, Part::Words, Part::Keys, Part::Graph];

/// Takes a segment into a snapshot and the file; gives the next snapshot. On an error nothing has changed.
///
/// `from` is the state that it was built of.
///
/// # Errors
/// [`StoreError::Closed`] too while the file is only looked at: sealing alone is no reason to touch it.
pub(crate) fn install(
    slot: &StoreSlot,
    epoch: u64,
    base: &Arc<Snapshot>,
    built: Built,
    from: &Snapshot,
) -> Result<Arc<Snapshot>, StoreError> {
    slot.in_turn(epoch, || {
        let Built { mut segment, parts, generation } = built;
        if generation != base.embedder().map(|embedder| embedder.generation) {
            segment.graph = None;
        }
        let (number, range) = (segment.number, segment.range());
        let replaced = base.segments().iter().filter(|known| range.contains(&known.first));
        let mut next = Snapshot::clone(base);
        let replaced: Vec<u64> =
            replaced.map(|known| known.number).chain(std::mem::take(&mut next.strays)).collect();
        next.install(segment, from);
        let unclean = !next.cleanse().is_empty();
        let head = parts.head(generation);
        slot.with_held(|database, durable| {
            if !durable {
                return Err(StoreError::Closed { path: slot.path().to_owned() });
            }
            in_one_commit(slot.path(), database, |tables| {
                replaced.iter().try_for_each(|number| drop_segment(tables, *number))?;
                // What was forgotten meanwhile must not be written any more.
                if unclean {
                    return Ok(());
                }
                parts.pieces(number).try_for_each(|(key, piece)| put(tables, key, piece))?;
                put(tables, key(Part::Head, number, 0), &records::encode_head(&head))
            })
        })?;
        Ok(Arc::new(next))
    })
}

/// Drops all that the file holds of a segment.
pub(crate) fn drop_segment(tables: &mut Tables<'_>, number: u64) -> Result<(), StoreError> {
    let path = tables.path();
    for part in PARTS {
        let all = key(part, number, 0)..=key(part, number, 0xffff);
        let drained = tables.sealed.retain_in(all, |_, _| false);
        drained.map_err(|error| StoreError::database(path, error))?;
    }
    Ok(())
}

fn put(tables: &mut Tables<'_>, key: (u8, u64), bytes: &[u8]) -> Result<(), StoreError> {
    let path = tables.path();
    tables.sealed.insert(key, bytes).map(drop).map_err(|error| StoreError::database(path, error))
}

fn in_one_commit(
    path: &Path,
    database: &Database,
    work: impl FnOnce(&mut Tables<'_>) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let transaction = database.begin_write().map_err(|error| StoreError::database(path, error))?;
    work(&mut Tables::open(&transaction, path)?)?;
    transaction.commit().map_err(|error| StoreError::database(path, error))
}

/// A segment as far as waking needs it.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(super) number: u64,
    pub(super) head: Head,
    /// Ids of its rows, forgotten ones among them: full blocks.
    pub(crate) ids: Vec<TraceId>,
    pub(crate) words: Words,
    pub(crate) keys: Keys,
}

impl Stored {
    /// The segment, beginning at a block. Its graph is read later, if it links vectors of the given generation.
    pub(super) fn segment(self, first: u32, generation: Option<u16>) -> Segment {
        let waits = self.head.generation.is_some() && self.head.generation == generation;
        Segment {
            number: self.number,
            first,
            blocks: (self.ids.len() / ROWS_MAX) as u32,
            words: Arc::new(self.words),
            keys: Arc::new(self.keys),
            graph: None,
            stored: true,
            graph_waits: waits,
        }
    }
}

/// Segments that are whole and of this program's kind, by their first ids; no two of them overlap.
///
/// What is not whole is left out: it is built anew from the rows, and then dropped.
pub(super) fn segments(path: &Path, read: &ReadTransaction) -> Result<Vec<Stored>, StoreError> {
    let Some(table) = open_if_there(path, read, SEALED)? else { return Ok(Vec::new()) };
    let mut heads: BTreeMap<u64, (u64, Head)> = BTreeMap::new();
    for entry in table.range(self::heads()).map_err(|error| StoreError::database(path, error))? {
        let (key, bytes) = entry.map_err(|error| StoreError::database(path, error))?;
        let number = number_of(key.value());
        match records::decode_head(bytes.value()) {
            Ok(head) if head.tokeniser == Tokens::VERSION => {
                heads.insert(head.first_id, (number, head));
            }
            _ => {
                tracing::warn!(path = %path.display(), number, "segment is of another kind and is built anew")
            }
        }
    }
    let mut segments: Vec<Stored> = Vec::new();
    for (number, head) in heads.into_values() {
        if segments.last().is_some_and(|before| before.head.last_id >= head.first_id) {
            continue;
        }
        match whole(path, &table, number, head)? {
            Some(segment) => segments.push(segment),
            None => tracing::warn!(path = %path.display(), number, "segment is damaged and is built anew"),
        }
    }
    Ok(segments)
}

/// Every segment by its number; none for one whose parts, the graph among them, are not what was written.
pub(crate) fn all(path: &Path, read: &ReadTransaction) -> Result<Vec<(u64, Option<Stored>)>, StoreError> {
    let Some(table) = open_if_there(path, read, SEALED)? else { return Ok(Vec::new()) };
    let mut segments = Vec::new();
    for number in numbers(path, read)? {
        let bytes =
            table.get(key(Part::Head, number, 0)).map_err(|error| StoreError::database(path, error))?;
        let head = bytes.and_then(|bytes| records::decode_head(bytes.value()).ok());
        let segment = match head {
            Some(head) if part(path, &table, number, &head, Part::Graph)?.is_some() => {
                whole(path, &table, number, head)?
            }
            _ => None,
        };
        segments.push((number, segment));
    }
    Ok(segments)
}

/// Numbers of all segments in the file, also of those that cannot be used.
pub(super) fn numbers(path: &Path, read: &ReadTransaction) -> Result<Vec<u64>, StoreError> {
    let Some(table) = open_if_there(path, read, SEALED)? else { return Ok(Vec::new()) };
    let heads = table.range(heads()).map_err(|error| StoreError::database(path, error))?;
    let number =
        |entry: Result<(AccessGuard<'_, (u8, u64)>, _), _>| entry.map(|(key, _)| number_of(key.value()));
    heads.map(number).collect::<Result<_, _>>().map_err(|error| StoreError::database(path, error))
}

/// Keys of all heads.
fn heads() -> std::ops::Range<(u8, u64)> {
    key(Part::Head, 0, 0)..key(Part::Ids, 0, 0)
}

fn whole(
    path: &Path,
    table: &impl ReadableTable<(u8, u64), &'static [u8]>,
    number: u64,
    head: Head,
) -> Result<Option<Stored>, StoreError> {
    let part = |which: Part| part(path, table, number, &head, which);
    let (Some(ids), Some(words), Some(keys)) = (part(Part::Ids)?, part(Part::Words)?, part(Part::Keys)?)
    else {
        return Ok(None);
    };
    let decoded = (decode_ids(&ids), Words::decode(&words), Keys::decode(&keys));
    let (Some(ids), Some(words), Some(keys)) = decoded else { return Ok(None) };
    let fits = !ids.is_empty() && ids.len().is_multiple_of(ROWS_MAX);
    Ok(fits.then_some(Stored { number, head, ids, words, keys }))
}

/// A part put together again; none where it is not as it was written.
fn part(
    path: &Path,
    table: &impl ReadableTable<(u8, u64), &'static [u8]>,
    number: u64,
    head: &Head,
    which: Part,
) -> Result<Option<Vec<u8>>, StoreError> {
    let mut bytes = Vec::new();
    for key in head.keys(which, number) {
        let piece = table.get(key).map_err(|error| StoreError::database(path, error))?;
        let Some(piece) = piece else { return Ok(None) };
        bytes.extend_from_slice(piece.value());
    }
    Ok(head.fits(which, &bytes).then_some(bytes))
}

/// The graph of a segment over the rows of a snapshot; none where the file holds none that fits.
pub(crate) fn read_graph(
    path: &Path,
    database: &Database,
    snapshot: &Snapshot,
    segment: &Segment,
) -> Result<Option<Graph>, StoreError> {
    let read = database.begin_read().map_err(|error| StoreError::database(path, error))?;
    let Some(table) = open_if_there(path, &read, SEALED)? else { return Ok(None) };
    let head =
        table.get(key(Part::Head, segment.number, 0)).map_err(|error| StoreError::database(path, error))?;
    let Some(head) = head.and_then(|bytes| records::decode_head(bytes.value()).ok()) else { return Ok(None) };
    let generation = snapshot.embedder().map(|embedder| embedder.generation);
    if head.generation != generation {
        return Ok(None);
    }
    let bytes = part(path, &table, segment.number, &head, Part::Graph)?;
    Ok(bytes.and_then(|bytes| decode_links(&bytes)).and_then(|links| snapshot.attach(segment, &links)))
}

/// The table of segments, open for writing.
pub(super) type SealedTable<'t> = Table<'t, (u8, u64), &'static [u8]>;
