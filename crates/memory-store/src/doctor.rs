//! The doctor: looks whether a space's file is sound, and whether its parts agree.
//!
//! [`rows`] reads every table and finds what cannot be read; [`agreement`] and [`contents`] are functions of what was
//! read; [`cures`] makes anew what is derived. Truth is only ever named.

mod agreement;
mod contents;
mod cures;
mod directory;
mod rows;
mod segments;
mod sizes;
mod space;
#[cfg(test)]
mod tests;

pub use directory::{examine_directory, spaces_and_leftovers};
pub use space::examine_file;
pub(crate) use space::{Held, examine_held};

use bethink_domain::{EmbedderIdentity, FindingKind, Findings, Timestamp};

/// How memory is examined.
#[derive(Debug, Clone)]
pub struct Checkup {
    /// The time now.
    pub at: Timestamp,
    /// Look into texts, vectors and memory too.
    pub deep: bool,
    /// Make anew what is derived and wrong.
    pub repair: bool,
    /// Bring a file of an earlier format to the newest.
    pub migrate: bool,
    /// The embedder that is configured.
    pub configured: Option<EmbedderIdentity>,
}

/// What is derived, wrong, and can be made anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cure {
    /// A vector goes, and is made anew from its text.
    DropVector(u64),
    /// The words of a text are read again.
    ReadWords(u64),
    /// A text that belongs to nobody goes.
    DropText((u8, u64)),
    /// A segment goes, and is built anew.
    DropSegment(u64),
}

/// What was found, and what can be done about it.
#[derive(Debug, Default)]
pub(crate) struct Diagnosis {
    pub(crate) findings: Findings,
    pub(crate) cures: Vec<(FindingKind, Cure)>,
}

impl Diagnosis {
    fn add(&mut self, kind: FindingKind, place: impl Into<String>, detail: impl Into<String>) {
        self.findings.add(kind, place, detail);
    }

    fn curable(
        &mut self,
        kind: FindingKind,
        place: impl Into<String>,
        detail: impl Into<String>,
        cure: Cure,
    ) {
        self.findings.add(kind, place, detail);
        self.cures.push((kind, cure));
    }
}
