//! A list in memory and a loop: 32-bit vectors compared one by one, words counted one by one, a file that is appended to.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, RwLock};

use crate::made::{DIMENSIONS, Maker};
use crate::{CANDIDATES, Fault, K, System, fuse, words};

pub struct Brute {
    rows: RwLock<Rows>,
    file: Mutex<File>,
    path: PathBuf,
}

#[derive(Default)]
struct Rows {
    numbers: Vec<u64>,
    texts: Vec<String>,
    words: Vec<HashSet<String>>,
    vectors: Vec<f32>,
}

impl Rows {
    fn push(&mut self, n: u64, text: String, vector: &[f32]) {
        self.numbers.push(n);
        self.words.push(words(&text).into_iter().collect());
        self.texts.push(text);
        self.vectors.extend_from_slice(vector);
    }

    fn by_meaning(&self, cue: &[f32], count: usize) -> Vec<(u64, f32)> {
        let rows = self.vectors.chunks_exact(DIMENSIONS).zip(&self.numbers);
        best(rows.map(|(row, n)| (*n, dot(cue, row))), count)
    }
}

fn best(rows: impl Iterator<Item = (u64, f32)>, count: usize) -> Vec<(u64, f32)> {
    let mut all: Vec<(u64, f32)> = rows.collect();
    all.sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
    all.truncate(count);
    all
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; 8];
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum()
}

fn path(dir: &Path, count: usize) -> PathBuf {
    dir.join(format!("versus-{count}.list"))
}

/// Number, length of the text, text, vector.
fn record(n: u64, text: &str, vector: &[f32]) -> Vec<u8> {
    let mut bytes = n.to_le_bytes().to_vec();
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(vector.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

impl System for Brute {
    const NAME: &'static str = "a list and a loop";

    fn files(dir: &Path, count: usize) -> Vec<PathBuf> {
        vec![path(dir, count)]
    }

    fn build(dir: &Path, count: usize, maker: &Maker) -> Result<(), Fault> {
        let (path, part) = (path(dir, count), dir.join(format!("versus-{count}.part")));
        let mut out = BufWriter::new(File::create(&part)?);
        for n in 0..count as u64 {
            out.write_all(&record(n, &maker.statement(n), &maker.vector(n)))?;
        }
        out.into_inner()?.sync_all()?;
        std::fs::rename(part, path)?;
        Ok(())
    }

    fn open(dir: &Path, count: usize) -> Result<Self, Fault> {
        let path = path(dir, count);
        let mut input = BufReader::new(File::open(&path)?);
        let mut rows = Rows::default();
        let mut head = [0u8; 12];
        while input.read_exact(&mut head).is_ok() {
            let n = u64::from_le_bytes(head[..8].try_into()?);
            let mut text = vec![0; u32::from_le_bytes(head[8..].try_into()?) as usize];
            input.read_exact(&mut text)?;
            let mut bytes = vec![0; DIMENSIONS * 4];
            input.read_exact(&mut bytes)?;
            let vector: Vec<f32> = bytes.as_chunks().0.iter().map(|part| f32::from_le_bytes(*part)).collect();
            rows.push(n, String::from_utf8(text)?, &vector);
        }
        let file = OpenOptions::new().append(true).open(&path)?;
        Ok(Self { rows: RwLock::new(rows), file: Mutex::new(file), path })
    }

    fn recall(&self, question: &str, vector: &[f32]) -> Result<Vec<u64>, Fault> {
        let rows = self.rows.read().map_err(|_| "a client broke")?;
        let meaning = rows.by_meaning(vector, CANDIDATES);
        let sought = words(question);
        let share = |words: &HashSet<String>| sought.iter().filter(|word| words.contains(*word)).count() as f32;
        let told = best(rows.words.iter().zip(&rows.numbers).map(|(words, n)| (*n, share(words))), CANDIDATES);
        let best = fuse(&meaning, &told, K);
        std::hint::black_box(rows.texts.len());
        Ok(best)
    }

    fn nearest(&self, vector: &[f32], count: usize) -> Result<Vec<u64>, Fault> {
        let rows = self.rows.read().map_err(|_| "a client broke")?;
        Ok(rows.by_meaning(vector, count).into_iter().map(|(n, _)| n).collect())
    }

    fn write(&self, n: u64, text: &str, vector: &[f32]) -> Result<(), Fault> {
        let mut file = self.file.lock().map_err(|_| "a client broke")?;
        file.write_all(&record(n, text, vector))?;
        file.sync_data()?;
        drop(file);
        self.rows.write().map_err(|_| "a client broke")?.push(n, text.to_owned(), vector);
        Ok(())
    }

    fn file(&self) -> Option<u64> {
        std::fs::metadata(&self.path).ok().map(|meta| meta.len())
    }
}
