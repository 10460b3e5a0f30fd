//! Reading what lies on disk only: transcript, turn records, journal.

use std::path::Path;

use bethink_domain::{Exchange, Folded, JournalEntry, TraceId, TurnId, TurnRecord};
use redb::{
    AccessGuard, Database, Key, ReadOnlyTable, ReadTransaction, ReadableDatabase, ReadableTable,
    TableDefinition, TableError, Value,
};

use super::tables::{BULKY, FOLDED, JOURNAL, TRANSCRIPT, TURNS, Tables, TextSlot};
use crate::error::StoreError;
use crate::records::{self, RecordFault};
use crate::tokens::forgotten_hash;

/// What a command needs to know of the past that no snapshot holds.
pub(crate) trait Past {
    /// A turn of the transcript.
    fn exchange(&self, turn: TurnId) -> Result<Option<Exchange>, StoreError>;
    /// How a turn was answered.
    fn turn(&self, turn: TurnId) -> Result<Option<TurnRecord>, StoreError>;
    /// Whether a text with these words was forgotten.
    fn forgotten(&self, text: &str) -> Result<bool, StoreError>;
    /// Hashes of the texts that a trace had before it was edited.
    fn former(&self, trace: TraceId) -> Result<Vec<u128>, StoreError>;
    /// Calls `visit` with every turn of the transcript, oldest first.
    fn each_exchange(&self, visit: &mut dyn FnMut(Exchange)) -> Result<(), StoreError>;
    /// Calls `visit` with every record of a turn, oldest first.
    fn each_turn(&self, visit: &mut dyn FnMut(TurnRecord)) -> Result<(), StoreError>;
    /// At most so many entries of the journal from a sequence number on.
    fn journal_from(&self, first: u64, count: usize) -> Result<Vec<JournalEntry>, StoreError>;
    /// Older changes of a trace.
    fn folded(&self, trace: TraceId) -> Result<Vec<Folded>, StoreError>;
    /// At most so many traces of which a vector lies in the table that a generation does not lie in.
    fn vectors_beside(&self, generation: u16, count: usize) -> Result<Vec<TraceId>, StoreError>;
}

/// The past as a transaction in progress sees it.
pub(crate) struct Written<'a, 't> {
    pub(crate) path: &'a Path,
    pub(crate) tables: &'a Tables<'t>,
}

impl Past for Written<'_, '_> {
    fn exchange(&self, turn: TurnId) -> Result<Option<Exchange>, StoreError> {
        exchange(self.path, &self.tables.transcript, &self.tables.bulky, turn)
    }

    fn turn(&self, turn: TurnId) -> Result<Option<TurnRecord>, StoreError> {
        turn_record(self.path, &self.tables.turns, turn)
    }

    fn forgotten(&self, text: &str) -> Result<bool, StoreError> {
        let found = self.tables.forgotten.get(forgotten_hash(text));
        found.map(|at| at.is_some()).map_err(|error| StoreError::database(self.path, error))
    }

    fn former(&self, trace: TraceId) -> Result<Vec<u128>, StoreError> {
        let fault = |error| StoreError::database(self.path, error);
        let (id, mut hashes) = (trace.raw(), Vec::new());
        for entry in self.tables.former.range((id, u128::MIN)..=(id, u128::MAX)).map_err(fault)? {
            let (key, _) = entry.map_err(fault)?;
            hashes.push(key.value().1);
        }
        Ok(hashes)
    }

    fn each_exchange(&self, visit: &mut dyn FnMut(Exchange)) -> Result<(), StoreError> {
        for entry in self.tables.transcript.iter().map_err(|e| StoreError::database(self.path, e))? {
            let (key, bytes) = entry.map_err(|e| StoreError::database(self.path, e))?;
            let turn = TurnId::from_raw(key.value());
            visit(read_exchange(self.path, turn, bytes.value(), &self.tables.bulky)?);
        }
        Ok(())
    }

    fn each_turn(&self, visit: &mut dyn FnMut(TurnRecord)) -> Result<(), StoreError> {
        for entry in self.tables.turns.iter().map_err(|e| StoreError::database(self.path, e))? {
            let (key, bytes) = entry.map_err(|e| StoreError::database(self.path, e))?;
            visit(sound(self.path, records::decode_turn(TurnId::from_raw(key.value()), bytes.value()))?);
        }
        Ok(())
    }

    fn journal_from(&self, first: u64, count: usize) -> Result<Vec<JournalEntry>, StoreError> {
        let entries = self.tables.journal.range(first..).map_err(|e| StoreError::database(self.path, e))?;
        let read = |entry: Result<(AccessGuard<'_, u64>, AccessGuard<'_, &[u8]>), redb::StorageError>| {
            let (key, bytes) = entry.map_err(|e| StoreError::database(self.path, e))?;
            sound(self.path, records::decode_journal(key.value(), bytes.value()))
        };
        entries.take(count).map(read).collect()
    }

    fn folded(&self, trace: TraceId) -> Result<Vec<Folded>, StoreError> {
        folded(self.path, &self.tables.folded, trace)
    }

    fn vectors_beside(&self, generation: u16, count: usize) -> Result<Vec<TraceId>, StoreError> {
        let even = generation.is_multiple_of(2);
        let beside = if even { &self.tables.vectors } else { &self.tables.vectors_even };
        let rows = beside.iter().map_err(|error| StoreError::database(self.path, error))?;
        let id = |row: Result<(AccessGuard<'_, u64>, AccessGuard<'_, &[u8]>), redb::StorageError>| {
            row.map(|(key, _)| TraceId::from_raw(key.value()))
                .map_err(|error| StoreError::database(self.path, error))
        };
        rows.take(count).map(id).collect()
    }
}

/// A table, unless it is one that an earlier program did not have.
pub(crate) fn open_if_there<K: Key + 'static, V: Value + 'static>(
    path: &Path,
    read: &ReadTransaction,
    table: TableDefinition<'static, K, V>,
) -> Result<Option<ReadOnlyTable<K, V>>, StoreError> {
    match read.open_table(table) {
        Ok(table) => Ok(Some(table)),
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(StoreError::database(path, error)),
    }
}

/// A turn, or the newest, with message and reply if it was answered.
pub(crate) fn show_turn(
    path: &Path,
    database: &Database,
    turn: Option<TurnId>,
) -> Result<Option<(TurnRecord, Option<Exchange>)>, StoreError> {
    let read = begin(path, database)?;
    let fault = |error| StoreError::database(path, error);
    let turns = read.open_table(TURNS).map_err(fault)?;
    let turn = match turn {
        Some(turn) => Some(turn),
        None => {
            let last = turns.last().map_err(|error| StoreError::database(path, error))?;
            last.map(|(key, _)| TurnId::from_raw(key.value()))
        }
    };
    let Some(turn) = turn else { return Ok(None) };
    let Some(record) = turn_record(path, &turns, turn)? else { return Ok(None) };
    let transcript = read.open_table(TRANSCRIPT).map_err(fault)?;
    let bulky = read.open_table(BULKY).map_err(fault)?;
    Ok(Some((record, exchange(path, &transcript, &bulky, turn)?)))
}

/// Turns of the transcript above an id, oldest first, and whether there are more. At least one where there is any, at
/// most `limit`, and no more than `bytes_max` of text beyond the first.
pub(crate) fn turns_above(
    path: &Path,
    database: &Database,
    after: Option<TurnId>,
    (limit, bytes_max): (usize, usize),
) -> Result<(Vec<Exchange>, bool), StoreError> {
    let read = begin(path, database)?;
    let fault = |error| StoreError::database(path, error);
    let transcript = read.open_table(TRANSCRIPT).map_err(fault)?;
    let bulky = read.open_table(BULKY).map_err(fault)?;
    let from = after.map_or(0, |after| after.raw().saturating_add(1));
    let (mut turns, mut bytes) = (Vec::new(), 0);
    for entry in transcript.range(from..).map_err(|error| StoreError::database(path, error))? {
        let (key, value) = entry.map_err(|error| StoreError::database(path, error))?;
        let exchange = read_exchange(path, TurnId::from_raw(key.value()), value.value(), &bulky)?;
        bytes += exchange.message.len() + exchange.reply.len();
        if !turns.is_empty() && (turns.len() >= limit || bytes > bytes_max) {
            return Ok((turns, true));
        }
        turns.push(exchange);
    }
    Ok((turns, false))
}

/// Older changes of a trace, folded, and the journal entries that changed it since, oldest first, holding only its
/// changes.
pub(crate) fn history(
    path: &Path,
    database: &Database,
    trace: TraceId,
) -> Result<(Vec<Folded>, Vec<JournalEntry>), StoreError> {
    let read = begin(path, database)?;
    let older = match open_if_there(path, &read, FOLDED)? {
        Some(table) => folded(path, &table, trace)?,
        None => Vec::new(),
    };
    let journal = read.open_table(JOURNAL).map_err(|error| StoreError::database(path, error))?;
    let mut found = Vec::new();
    for entry in journal.iter().map_err(|error| StoreError::database(path, error))? {
        let (key, bytes) = entry.map_err(|error| StoreError::database(path, error))?;
        let mut entry = sound(path, records::decode_journal(key.value(), bytes.value()))?;
        entry.changes.retain(|change| change.trace == trace);
        if !entry.changes.is_empty() {
            found.push(entry);
        }
    }
    Ok((older, found))
}

fn folded(
    path: &Path,
    table: &impl ReadableTable<u64, &'static [u8]>,
    trace: TraceId,
) -> Result<Vec<Folded>, StoreError> {
    let found = table.get(trace.raw()).map_err(|error| StoreError::database(path, error))?;
    found.map_or(Ok(Vec::new()), |bytes| sound(path, records::decode_folded(bytes.value())))
}

/// A text that lies apart from its record.
pub(crate) fn bulky_text(
    table: &impl ReadableTable<(u8, u64), &'static str>,
    slot: TextSlot,
    id: u64,
) -> Option<String> {
    table.get((slot as u8, id)).ok().flatten().map(|text| text.value().to_owned())
}

/// What a record says, or that the file is damaged.
pub(crate) fn sound<T>(path: &Path, record: Result<T, RecordFault>) -> Result<T, StoreError> {
    record.map_err(|fault| StoreError::damaged(path, format!("it holds {fault}")))
}

fn begin(path: &Path, database: &Database) -> Result<ReadTransaction, StoreError> {
    database.begin_read().map_err(|error| StoreError::database(path, error))
}

fn turn_record(
    path: &Path,
    turns: &impl ReadableTable<u64, &'static [u8]>,
    turn: TurnId,
) -> Result<Option<TurnRecord>, StoreError> {
    let found = turns.get(turn.raw()).map_err(|error| StoreError::database(path, error))?;
    found.map(|bytes| sound(path, records::decode_turn(turn, bytes.value()))).transpose()
}

fn exchange(
    path: &Path,
    transcript: &impl ReadableTable<u64, &'static [u8]>,
    bulky: &impl ReadableTable<(u8, u64), &'static str>,
    turn: TurnId,
) -> Result<Option<Exchange>, StoreError> {
    let found = transcript.get(turn.raw()).map_err(|error| StoreError::database(path, error))?;
    found.map(|bytes| read_exchange(path, turn, bytes.value(), bulky)).transpose()
}

/// Reads a turn of the transcript, with the texts that lie apart.
pub(crate) fn read_exchange(
    path: &Path,
    turn: TurnId,
    bytes: &[u8],
    bulky: &impl ReadableTable<(u8, u64), &'static str>,
) -> Result<Exchange, StoreError> {
    let slot = |which| if which == 0 { TextSlot::Message } else { TextSlot::Reply };
    sound(path, records::decode_exchange(turn, bytes, |which| bulky_text(bulky, slot(which), turn.raw())))
}
