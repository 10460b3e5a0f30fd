//! Storage that keeps what was not synced in memory, and from a chosen sync on lets nothing reach the disk.
//!
//! With no sync allowed it looks into a file, repairing what a crash left, without touching a byte of it. With n
//! syncs allowed it is a disk whose power fails after the n-th. It can be full, too.

use std::collections::BTreeMap;
use std::io;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use redb::backends::FileBackend;
use redb::{BackendError, StorageBackend};

const PAGE: u64 = 4096;

/// What goes wrong with a disk. Clones share what happened.
#[derive(Debug, Clone)]
pub(crate) struct Disk {
    pub(super) shared: Arc<Shared>,
    /// Which pages of a failing sync reach the disk after all; none of them without.
    pub(super) torn: Option<u64>,
}

#[derive(Debug)]
pub(super) struct Shared {
    /// Syncs that still reach the disk.
    syncs_left: AtomicU64,
    /// The power has failed.
    pub(super) out: AtomicBool,
    /// Nothing more can be written.
    pub(super) full: AtomicBool,
}

impl Disk {
    /// So many syncs reach the disk, and nothing after them.
    pub(crate) fn after(syncs: u64) -> Self {
        let (out, full) = (AtomicBool::new(false), AtomicBool::new(false));
        Self { shared: Arc::new(Shared { syncs_left: AtomicU64::new(syncs), out, full }), torn: None }
    }

    fn room(&self) -> io::Result<()> {
        let full = self.shared.full.load(Ordering::SeqCst);
        if full { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    /// Whether the next sync reaches the disk.
    fn holds(&self) -> bool {
        let left = |left: u64| left.checked_sub(1);
        self.shared.syncs_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, left).is_ok()
    }

    /// Whether a rename that is synced now reaches the disk.
    pub(super) fn renames(&self) -> bool {
        if self.shared.out.load(Ordering::SeqCst) {
            return false;
        }
        let holds = self.holds();
        self.shared.out.store(!holds, Ordering::SeqCst);
        // It may have reached the disk before the sync that fails.
        holds || self.leaks(0)
    }

    /// The pages that reach the disk although the sync fails.
    fn leaks(&self, page: u64) -> bool {
        let mixed = |seed: u64| (page ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 63 == 1;
        self.torn.is_some_and(mixed)
    }
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Shadow {
    inner: FileBackend,
    disk: Disk,
    hold: Hold,
    state: Mutex<State>,
}

/// What becomes of locks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hold {
    /// The database takes and gives back locks as it likes.
    Plain,
    /// Locks stay until the last handle of the opened file is closed, so that it can be opened for writing with nobody
    /// coming in between.
    Kept,
    /// The same for a file that may only be read, and which can therefore be locked only against writers.
    Shared,
}

#[derive(Debug)]
struct State {
    /// What was written since the last sync that reached the disk.
    pages: BTreeMap<u64, Box<[u8]>>,
    len: u64,
    /// Where the disk's content ends; beyond are zeros unless a page says otherwise.
    disk_len: u64,
}

impl Shadow {
    pub(crate) fn new(inner: FileBackend, disk: Disk) -> io::Result<Self> {
        let len = inner.len()?;
        let state = State { pages: BTreeMap::new(), len, disk_len: len };
        Ok(Self { inner, disk, hold: Hold::Plain, state: Mutex::new(state) })
    }

    /// Storage through which nothing reaches the file.
    pub(crate) fn looking(inner: FileBackend, writable: bool) -> io::Result<Self> {
        let hold = if writable { Hold::Kept } else { Hold::Shared };
        Ok(Self { hold, ..Self::new(inner, Disk::after(0))? })
    }

    /// Writes pages through to the file.
    fn write_out(&self, state: &State, pages: &BTreeMap<u64, Box<[u8]>>) -> io::Result<()> {
        for (number, page) in pages {
            let start = number * PAGE;
            let take = state.len.saturating_sub(start).min(PAGE) as usize;
            self.inner.write(start, &page[..take])?;
        }
        self.inner.sync_data()
    }

    /// The power fails: nothing, or some pages, of what was to be synced reach the disk.
    fn fail(&self, state: &State) -> io::Result<()> {
        if self.disk.torn.is_none() || self.disk.shared.out.swap(true, Ordering::SeqCst) {
            self.disk.shared.out.store(true, Ordering::SeqCst);
            return Ok(());
        }
        let leaked = state.pages.iter().filter(|(number, _)| self.disk.leaks(**number));
        let leaked = leaked.map(|(number, page)| (*number, page.clone())).collect();
        self.inner.set_len(state.len)?;
        self.write_out(state, &leaked)
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> io::Result<T>) -> io::Result<T> {
        let mut state = self.state.lock().map_err(|_| io::Error::other("an earlier access failed"))?;
        work(&mut state)
    }

    fn page(&self, state: &State, number: u64) -> io::Result<Box<[u8]>> {
        if let Some(page) = state.pages.get(&number) {
            return Ok(page.clone());
        }
        let mut page = vec![0u8; PAGE as usize].into_boxed_slice();
        let start = number * PAGE;
        let there = state.disk_len.saturating_sub(start).min(PAGE) as usize;
        if there > 0 {
            self.inner.read(start, &mut page[..there])?;
        }
        Ok(page)
    }
}

/// Cuts a range of bytes at pages: (page, offset in it, range of the buffer).
fn pieces(offset: u64, len: usize) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done == len {
            return None;
        }
        let at = offset + done as u64;
        let inside = (at % PAGE) as usize;
        let take = (PAGE as usize - inside).min(len - done);
        let piece = (at / PAGE, inside, done..done + take);
        done += take;
        Some(piece)
    })
}

impl StorageBackend for Shadow {
    fn len(&self) -> Result<u64, io::Error> {
        self.with(|state| Ok(state.len))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), io::Error> {
        self.with(|state| {
            if offset.saturating_add(out.len() as u64) > state.len {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let end = offset + out.len() as u64;
            let changed = state.pages.range(offset / PAGE..end.div_ceil(PAGE)).next().is_some();
            if !changed && end <= state.disk_len {
                return self.inner.read(offset, out);
            }
            for (number, inside, range) in pieces(offset, out.len()) {
                let page = self.page(state, number)?;
                let take = range.len();
                out[range].copy_from_slice(&page[inside..inside + take]);
            }
            Ok(())
        })
    }

    fn set_len(&self, len: u64) -> Result<(), io::Error> {
        self.with(|state| {
            if len < state.len {
                let cut = len / PAGE;
                let edge = if len.is_multiple_of(PAGE) { None } else { Some(self.page(state, cut)?) };
                state.pages.retain(|number, _| *number < cut);
                if let Some(mut edge) = edge {
                    edge[(len % PAGE) as usize..].fill(0);
                    state.pages.insert(cut, edge);
                }
                state.disk_len = state.disk_len.min(len);
            }
            state.len = len;
            Ok(())
        })
    }

    fn sync_data(&self) -> Result<(), io::Error> {
        self.with(|state| {
            self.disk.room()?;
            if !self.disk.holds() {
                return self.fail(state);
            }
            self.inner.set_len(state.len)?;
            let pages = std::mem::take(&mut state.pages);
            state.disk_len = state.len;
            self.write_out(state, &pages)
        })
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), io::Error> {
        self.with(|state| {
            self.disk.room()?;
            for (number, inside, range) in pieces(offset, data.len()) {
                let mut page = self.page(state, number)?;
                page[inside..inside + range.len()].copy_from_slice(&data[range]);
                state.pages.insert(number, page);
            }
            state.len = state.len.max(offset + data.len() as u64);
            Ok(())
        })
    }

    fn close(&self) -> Result<(), io::Error> {
        if self.hold == Hold::Plain { self.inner.close() } else { Ok(()) }
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        if self.hold == Hold::Shared {
            return self.inner.try_lock_shared_range(start, end);
        }
        self.inner.try_lock_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.inner.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        if self.hold == Hold::Shared {
            return self.inner.lock_shared_range(start, end);
        }
        self.inner.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.inner.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        if self.hold == Hold::Plain { self.inner.unlock_range(start, end) } else { Ok(()) }
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.inner.query_lock_range(start, end)
    }
}
