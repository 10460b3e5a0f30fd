//! The machine: what it is, what it costs by itself, and what this process takes of it.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use tokio::time::Instant;

use super::figures::Machine;
use crate::error::EvaluationError;

/// Bytes of one append: a statement with its vector takes about as many.
const APPENDED: [u8; 1_024] = [0x5A; 1_024];

/// A file that is appended to.
pub(super) struct Appender {
    file: File,
    path: std::path::PathBuf,
}

impl Appender {
    pub(super) fn new(dir: &Path) -> Result<Self, EvaluationError> {
        let path = dir.join("appended");
        let file = File::create(&path).map_err(|error| scratch(&path, &error))?;
        Ok(Self { file, path })
    }

    /// The time until what was appended is on disk. Blocks.
    pub(super) fn append(&mut self) -> Result<Duration, EvaluationError> {
        let begun = Instant::now();
        let done = self.file.write_all(&APPENDED).and_then(|()| self.file.sync_data());
        done.map_err(|error| scratch(&self.path, &error))?;
        Ok(begun.elapsed())
    }
}

impl Drop for Appender {
    fn drop(&mut self) {
        // A leftover lies in the scratch directory.
        drop(std::fs::remove_file(&self.path));
    }
}

pub(super) fn scratch(path: &Path, error: &std::io::Error) -> EvaluationError {
    EvaluationError::Scratch { path: path.to_owned(), reason: error.to_string() }
}

/// Does nothing for a time, and gives the time that passed: more, where the machine did something else.
pub(super) fn idle(length: Duration) -> Duration {
    let begun = Instant::now();
    loop {
        let passed = begun.elapsed();
        if passed >= length {
            return passed;
        }
        std::hint::spin_loop();
    }
}

/// Bytes that this process had written to disks; none where the system does not say.
pub(super) fn written() -> Option<u64> {
    number(&std::fs::read_to_string("/proc/self/io").ok()?, "write_bytes:")
}

/// Resident bytes of this process, and the most that it ever had.
pub(super) fn resident() -> Option<(u64, u64)> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    Some((number(&status, "VmRSS:")? * 1_024, number(&status, "VmHWM:")? * 1_024))
}

/// Time that this process has had on processors, in all its threads; none where the system does not say.
pub(super) fn busy() -> Option<Duration> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    let spent = |task: std::fs::DirEntry| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    };
    Some(Duration::from_nanos(tasks.filter_map(Result::ok).filter_map(spent).sum()))
}

fn number(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// What the machine is, without anything that names it.
pub(super) fn describe(dir: &Path) -> Machine {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let cpu = read("/proc/cpuinfo");
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let system = read("/proc/sys/kernel/osrelease");
    // Figures of the release alone: what follows them can name a provider or a host.
    let release = system.trim().split('-').next().unwrap_or_default();
    Machine {
        processor: model.trim_start_matches([' ', '\t', ':']).to_owned(),
        cores: std::thread::available_parallelism().map_or(0, usize::from),
        memory_mib: number(&read("/proc/meminfo"), "MemTotal:").unwrap_or(0) / 1_024,
        system: format!("{} {release}", std::env::consts::OS),
        file_system: file_system(&read("/proc/self/mounts"), dir),
    }
}

/// The kind of the file system that a directory lies on.
fn file_system(mounts: &str, dir: &Path) -> String {
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let fields = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(1);
        Some((fields.next()?, fields.next()?))
    });
    let holding = fields.filter(|(at, _)| dir.starts_with(at));
    holding.max_by_key(|(at, _)| at.len()).map_or_else(String::new, |(_, kind)| kind.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_mount_holds_a_directory() {
        let mounts = "root / overlay rw 0 0\nproc /proc proc rw 0 0\ndisk /mnt/data ext4 rw 0 0\n";
        let check = |dir: &str, expected| assert_eq!(file_system(mounts, Path::new(dir)), expected);
        check("/mnt/data/scratch", "ext4");
        check("/mnt/database", "overlay");
        check("/proc", "proc");
    }

    #[test]
    fn idling_takes_at_least_its_time() {
        assert!(idle(Duration::from_micros(50)) >= Duration::from_micros(50));
    }

    #[test]
    fn a_number_is_read_by_its_name() {
        let text = "rchar: 1\nwrite_bytes: 4096\ncancelled_write_bytes: 7\n";
        assert_eq!(number(text, "write_bytes:"), Some(4_096));
        assert_eq!(number(text, "read_bytes:"), None);
    }
}
