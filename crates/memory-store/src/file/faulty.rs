//! Disks that go wrong, for tests.

use std::sync::atomic::Ordering;

use super::shadow::Disk;

/// A disk that goes wrong in a chosen way. Clones share what happened.
#[derive(Debug, Clone)]
pub struct FaultyDisk(pub(crate) Disk);

impl FaultyDisk {
    /// The power fails after so many syncs: nothing reaches the disk any more, though everything seems to succeed.
    #[must_use]
    pub fn power_cut_after(syncs: u64) -> Self {
        Self(Disk::after(syncs))
    }

    /// A disk that works until it is [filled](Self::fill).
    #[must_use]
    pub fn sound() -> Self {
        Self::power_cut_after(u64::MAX)
    }

    /// Some of the pages that the failing sync should have written reach the disk after all; `seed` says which.
    #[must_use]
    pub fn torn(mut self, seed: u64) -> Self {
        self.0.torn = Some(seed);
        self
    }

    /// From now on every write fails because the disk is full, or none any more.
    pub fn fill(&self, full: bool) {
        self.0.shared.full.store(full, Ordering::SeqCst);
    }

    /// Whether the power failed already. What was acknowledged before must be on the disk.
    #[must_use]
    pub fn power_failed(&self) -> bool {
        self.0.shared.out.load(Ordering::SeqCst)
    }
}
