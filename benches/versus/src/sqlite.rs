//! SQLite with its full-text search, and usearch for the vectors.
//!
//! Text, words and vector go into one transaction, in WAL mode with `synchronous=FULL`; the index of vectors is kept in
//! memory, saved beside the database, loaded at the start, and completed from the vectors there.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rusqlite::{Connection, params};
use usearch::{Index, IndexOptions, MetricKind, ScalarKind};

use crate::made::{DIMENSIONS, Maker};
use crate::{CANDIDATES, Fault, K, System, fuse, words};

/// Room for statements that come later; the index takes memory for all of it at once.
const ROOM: usize = 10_000;
/// Clients that may add to the index at once.
const THREADS: usize = 128;

pub struct Sqlite {
    connection: Mutex<Connection>,
    index: Index,
    paths: [PathBuf; 2],
}

fn paths(dir: &Path, count: usize) -> [PathBuf; 2] {
    ["db", "usearch"].map(|ending| dir.join(format!("versus-{count}.{ending}")))
}

fn connect(path: &Path) -> Result<Connection, Fault> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    Ok(connection)
}

fn index() -> Result<Index, Fault> {
    let options = IndexOptions {
        dimensions: DIMENSIONS,
        metric: MetricKind::Cos,
        quantization: ScalarKind::F32,
        ..IndexOptions::default()
    };
    Ok(Index::new(&options)?)
}

fn insert(connection: &Connection, n: u64, text: &str, vector: &[f32]) -> Result<(), Fault> {
    let bytes: Vec<u8> = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
    connection
        .prepare_cached("INSERT INTO statements (id, text, told_at, vector) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![n as i64, text, 1_780_272_000_000_i64, bytes])?;
    connection.prepare_cached("INSERT INTO words (rowid, text) VALUES (?1, ?2)")?.execute(params![n as i64, text])?;
    Ok(())
}

impl System for Sqlite {
    const NAME: &'static str = "SQLite FTS5 and usearch";

    fn files(dir: &Path, count: usize) -> Vec<PathBuf> {
        paths(dir, count).to_vec()
    }

    fn build(dir: &Path, count: usize, maker: &Maker) -> Result<(), Fault> {
        let [db, saved] = paths(dir, count);
        drop(std::fs::remove_file(&db));
        let mut connection = connect(&db)?;
        connection.execute_batch(
            "CREATE TABLE statements (id INTEGER PRIMARY KEY, text TEXT NOT NULL, told_at INTEGER NOT NULL, vector BLOB NOT NULL);
             CREATE VIRTUAL TABLE words USING fts5(text, content='statements', content_rowid='id', tokenize='porter unicode61');",
        )?;
        let index = index()?;
        index.reserve(count)?;
        for first in (0..count as u64).step_by(1_000) {
            let transaction = connection.transaction()?;
            for n in first..(first + 1_000).min(count as u64) {
                let vector = maker.vector(n);
                insert(&transaction, n, &maker.statement(n), &vector)?;
                index.add(n, &vector)?;
            }
            transaction.commit()?;
        }
        connection.execute_batch("INSERT INTO words(words) VALUES ('optimize'); PRAGMA wal_checkpoint(TRUNCATE);")?;
        index.save(saved.to_str().ok_or("a path that is no text")?)?;
        Ok(())
    }

    fn open(dir: &Path, count: usize) -> Result<Self, Fault> {
        let paths = paths(dir, count);
        let connection = connect(&paths[0])?;
        let index = index()?;
        index.load(paths[1].to_str().ok_or("a path that is no text")?)?;
        let rows: i64 = connection.query_row("SELECT count(*) FROM statements", [], |row| row.get(0))?;
        index.reserve_capacity_and_threads(rows as usize + ROOM, THREADS)?;
        if index.size() < rows as usize {
            let mut missing = connection.prepare("SELECT id, vector FROM statements")?;
            let mut rows = missing.query([])?;
            while let Some(row) = rows.next()? {
                let (n, bytes): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
                if !index.contains(n as u64) {
                    let vector: Vec<f32> = bytes.as_chunks().0.iter().map(|part| f32::from_le_bytes(*part)).collect();
                    index.add(n as u64, &vector)?;
                }
            }
        }
        Ok(Self { connection: Mutex::new(connection), index, paths })
    }

    fn recall(&self, question: &str, vector: &[f32]) -> Result<Vec<u64>, Fault> {
        let near = self.index.search(vector, CANDIDATES)?;
        let meaning: Vec<(u64, f32)> =
            near.keys.iter().zip(&near.distances).map(|(n, distance)| (*n, 1.0 - distance)).collect();
        let query: Vec<String> = words(question).iter().map(|word| format!("\"{word}\"")).collect();
        let connection = self.connection.lock().map_err(|_| "a client broke")?;
        let mut statement = connection
            .prepare_cached("SELECT rowid, -bm25(words) FROM words WHERE words MATCH ?1 ORDER BY rank LIMIT ?2")?;
        let rows = statement.query_map(params![query.join(" OR "), CANDIDATES as i64], |row| {
            Ok((row.get::<_, i64>(0)? as u64, row.get::<_, f64>(1)? as f32))
        })?;
        let told: Vec<(u64, f32)> = rows.collect::<Result<_, _>>()?;
        let best = fuse(&meaning, &told, K);
        let mut text = connection.prepare_cached("SELECT text FROM statements WHERE id = ?1")?;
        for n in &best {
            std::hint::black_box(text.query_row([*n as i64], |row| row.get::<_, String>(0))?);
        }
        Ok(best)
    }

    fn nearest(&self, vector: &[f32], count: usize) -> Result<Vec<u64>, Fault> {
        Ok(self.index.search(vector, count)?.keys)
    }

    fn write(&self, n: u64, text: &str, vector: &[f32]) -> Result<(), Fault> {
        let mut connection = self.connection.lock().map_err(|_| "a client broke")?;
        let transaction = connection.transaction()?;
        insert(&transaction, n, text, vector)?;
        transaction.commit()?;
        drop(connection);
        self.index.add(n, vector)?;
        Ok(())
    }

    fn file(&self) -> Option<u64> {
        let connection = self.connection.lock().ok()?;
        // What was written lately lies in the log until then.
        connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").ok()?;
        self.paths.iter().map(|path| std::fs::metadata(path).ok().map(|meta| meta.len())).sum()
    }
}
