//! What an examination of memory finds.

use std::collections::BTreeMap;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing is wrong; worth knowing.
    Notice,
    /// Something that is made from the rest is wrong, and can be made anew.
    Derived,
    /// Something that was told, or the record of it, is damaged or lost. It comes back from a backup alone.
    Truth,
}

impl Severity {
    /// The word used in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Derived => "derived",
            Self::Truth => "truth",
        }
    }
}

macro_rules! findings {
    ($(#[doc = $meaning:literal] $name:ident, $code:literal, $severity:ident, $remedy:literal;)*) => {
        /// What is wrong, or worth knowing.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FindingKind {
            $(#[doc = $meaning] $name,)*
        }

        impl FindingKind {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The word by which scripts know it; never changes.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// How bad it is.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// What it means, as a sentence.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning.trim_ascii_start(),)* }
            }

            /// What to do about it.
            #[must_use]
            pub fn remedy(self) -> &'static str {
                match self { $(Self::$name => $remedy,)* }
            }
        }
    };
}

findings! {
    /// A space's file cannot be opened.
    SpaceUnreadable, "space-unreadable", Truth, "restore the space from a backup, or move its file away";
    /// A space's file was written by a newer program.
    SpaceNewer, "space-newer", Truth, "use the newer program";
    /// What is no space's file lies in the place of one.
    SpaceForeign, "space-foreign", Truth, "move the file away, or restore the space from a backup";
    /// A space's file names another space than its place does.
    SpaceMisplaced, "space-misplaced", Notice, "if it was copied here on purpose, nothing";
    /// A file has an earlier format.
    FormatOld, "format-old", Notice, "it is migrated when it is first written, or now by `doctor --migrate`";
    /// A table's pages cannot be read.
    TableUnreadable, "table-unreadable", Truth, "restore the space from a backup";
    /// A record is not what was written.
    RecordDamaged, "record-damaged", Truth, "restore the space from a backup";
    /// A record has no checksum in a file whose records have one.
    RecordUnsealed, "record-unsealed", Truth, "restore the space from a backup";
    /// A vector is not what was written.
    VectorDamaged, "vector-damaged", Derived, "`doctor --repair` drops it, and it is made anew";
    /// A text that lies apart from its record is not there.
    TextMissing, "text-missing", Truth, "restore the space from a backup";
    /// A text that lies apart from its record is not what was written.
    TextDamaged, "text-damaged", Truth, "restore the space from a backup";
    /// A text lies apart and belongs to no record.
    TextUnowned, "text-unowned", Derived, "`doctor --repair` removes it";
    /// A trace has no numbers.
    NumbersMissing, "numbers-missing", Truth, "restore the space from a backup";
    /// Numbers belong to no trace.
    NumbersUnowned, "numbers-unowned", Truth, "restore the space from a backup";
    /// A vector belongs to no trace.
    VectorUnowned, "vector-unowned", Derived, "`doctor --repair` removes it";
    /// Traces wait for their vectors; they are found by their words meanwhile.
    VectorMissing, "vector-missing", Notice, "they are made while the space is awake and the embedder works";
    /// A vector has another size, length or embedder than the space's.
    VectorStrange, "vector-strange", Derived, "`doctor --repair` drops it, and it is made anew";
    /// The stored words of a text are not the ones in it.
    WordsDiffer, "words-differ", Derived, "`doctor --repair` makes them anew";
    /// What speeds recall does not fit the traces.
    IndexDiffers, "index-differs", Derived, "`doctor --repair` drops it, and it is built anew";
    /// The journal lacks an entry.
    JournalGap, "journal-gap", Truth, "restore the space from a backup";
    /// The journal tells of a trace that never was.
    JournalStranger, "journal-stranger", Truth, "restore the space from a backup";
    /// The journal does not tell when a trace came to be.
    EncodingUntold, "encoding-untold", Truth, "restore the space from a backup";
    /// A trace that was forgotten is there.
    ForgottenThere, "forgotten-there", Truth, "forget it again";
    /// A trace was made from something that is nowhere.
    LineageBroken, "lineage-broken", Truth, "restore the space from a backup, or leave it";
    /// A record names a trace that is nowhere.
    ReferenceBroken, "reference-broken", Truth, "restore the space from a backup, or leave it";
    /// A turn was answered, and is not in the transcript.
    TurnUntold, "turn-untold", Truth, "restore the space from a backup";
    /// A turn is in the transcript, and how it was answered is not told although later ones' is.
    TurnUnrecorded, "turn-unrecorded", Truth, "restore the space from a backup, or leave it";
    /// The space's own numbers tell of more than is there.
    CountersAhead, "counters-ahead", Truth, "restore the space from a backup";
    /// Something is of the future.
    TimeAhead, "time-ahead", Notice, "look at the machine's clock; it counts as of now until then";
    /// The journal's times go back without the clock's having done so.
    TimeBack, "time-back", Notice, "nothing; order is kept by number";
    /// The vectors are of another embedder than is configured.
    EmbedderOther, "embedder-other", Notice, "configure the former embedder again, or move the space to the new one";
    /// Something was forgotten, and its bytes may still lie in freed pages.
    ScrubPending, "scrub-pending", Notice, "it is done when the space falls asleep";
    /// What a crash left of a file that was to take the place of another.
    Leftover, "leftover", Derived, "`doctor --repair` removes it";
    /// Memory in use differs from its file.
    MemoryDiffers, "memory-differs", Derived, "`doctor --repair` puts the space to sleep; it wakes as its file is";
    /// Others than the owner may read or enter.
    ModeOpen, "mode-open", Derived, "`doctor --repair` closes it to others";
    /// A name in the directory of spaces is no space's.
    NameStrange, "name-strange", Notice, "move it away if it is not yours";
    /// The catalogue tells of a space that is not there.
    CatalogueStale, "catalogue-stale", Derived, "`doctor --repair` removes the entry";
    /// The catalogue cannot be read.
    CatalogueUnreadable, "catalogue-unreadable", Derived, "`doctor --repair` makes it anew";
}

/// One thing found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What.
    pub kind: FindingKind,
    /// Where: a table and an id, or a path.
    pub place: String,
    /// Numbers or words that tell more; empty when the kind says all.
    pub detail: String,
}

/// Findings of one kind that are listed; the rest is counted. A person reads no more, and a program learns no more.
const LISTED_MAX: u64 = 50;

/// Everything found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Findings {
    listed: Vec<Finding>,
    counts: BTreeMap<FindingKind, u64>,
}

impl Findings {
    /// Adds one.
    pub fn add(&mut self, kind: FindingKind, place: impl Into<String>, detail: impl Into<String>) {
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        if *count <= LISTED_MAX {
            self.listed.push(Finding { kind, place: place.into(), detail: detail.into() });
        }
    }

    /// Adds all of another's.
    pub fn extend(&mut self, other: Self) {
        for finding in other.listed {
            if self.count(finding.kind) < LISTED_MAX {
                self.listed.push(finding.clone());
            }
        }
        for (kind, count) in other.counts {
            *self.counts.entry(kind).or_default() += count;
        }
    }

    /// Those that are listed, in the order in which they were found.
    #[must_use]
    pub fn listed(&self) -> &[Finding] {
        &self.listed
    }

    /// Each kind that was found, and how often.
    pub fn counts(&self) -> impl Iterator<Item = (FindingKind, u64)> + '_ {
        self.counts.iter().map(|(kind, count)| (*kind, *count))
    }

    /// How often a kind was found.
    #[must_use]
    pub fn count(&self, kind: FindingKind) -> u64 {
        self.counts.get(&kind).copied().unwrap_or_default()
    }

    /// The worst that was found.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.counts.keys().map(|kind| kind.severity()).max()
    }
}

/// The size of one table of a space's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSize {
    /// Its name.
    pub table: String,
    /// Rows.
    pub rows: u64,
    /// Keys and values, in bytes.
    pub payload: u64,
    /// Pages that hold them, in bytes.
    pub pages: u64,
}

/// What an examination of a space gave.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Examination {
    /// The file's format; none where there is no file.
    pub format: Option<u32>,
    /// Traces in it.
    pub traces: u64,
    /// What was found.
    pub findings: Findings,
    /// What was found and repaired.
    pub repaired: Findings,
    /// Sizes of its tables.
    pub tables: Vec<TableSize>,
    /// The file's length in bytes.
    pub file_bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_words_of_their_own() {
        let mut codes: Vec<&str> = FindingKind::ALL.iter().map(|kind| kind.code()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), FindingKind::ALL.len());
    }

    #[test]
    fn what_is_not_listed_is_counted() {
        let mut findings = Findings::default();
        for number in 0..60 {
            findings.add(FindingKind::WordsDiffer, number.to_string(), "");
        }
        let mut all = findings.clone();
        all.extend(findings);
        assert_eq!((all.listed().len(), all.count(FindingKind::WordsDiffer)), (50, 120));
        assert_eq!(all.worst(), Some(Severity::Derived));
    }
}
