//! Examining one space: its file where it sleeps, and file and memory where it is awake.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bethink_domain::{Examination, FindingKind, Findings, SpaceId};
use redb::ReadTransaction;

use super::rows::Reader;
use super::{Checkup, Cure, Diagnosis, agreement, cures, segments, sizes};
use crate::error::StoreError;
use crate::file::slot::StoreSlot;
use crate::file::tables::FORMAT;
use crate::paths;
use crate::snapshot::Snapshot;

/// Page cache of a file that is only examined.
const CACHE_BYTES: usize = 1 << 20;

/// A space at one moment: what the file holds, and what memory holds that was published then.
pub(crate) struct Held {
    pub(crate) read: ReadTransaction,
    pub(crate) format: u32,
    pub(crate) snapshot: Option<Arc<Snapshot>>,
    /// What lies beside the file although nobody builds it.
    pub(crate) leftovers: Vec<PathBuf>,
}

impl Held {
    /// The file as it is now. To be called when no commit is in flight, with the memory that was published last.
    pub(crate) fn of(slot: &StoreSlot, snapshot: Option<Arc<Snapshot>>) -> Result<Self, StoreError> {
        let path = slot.path();
        let (read, format) = slot.with(|database| {
            let format = crate::file::open::format_of(path, database)?;
            let read = redb::ReadableDatabase::begin_read(database);
            Ok((read.map_err(|error| StoreError::database(path, error))?, format))
        })?;
        Ok(Self { read, format, snapshot, leftovers: paths::leftovers(path) })
    }
}

/// Examines what is held.
pub(crate) fn examine_held(slot: &StoreSlot, held: &Held, checkup: &Checkup) -> Examination {
    let (examination, diagnosis) = diagnose(slot.path(), slot.space(), held, checkup);
    Examination { findings: diagnosis.findings, ..examination }
}

fn diagnose(path: &Path, space: &SpaceId, held: &Held, checkup: &Checkup) -> (Examination, Diagnosis) {
    let (mut into, mut found) = (Examination::default(), Diagnosis::default());
    for leftover in &held.leftovers {
        found.add(FindingKind::Leftover, leftover.display().to_string(), "");
    }
    if !path.exists() {
        return (into, found);
    }
    if mode_open(path) {
        found.add(FindingKind::ModeOpen, path.display().to_string(), "");
    }
    into.format = Some(held.format);
    if held.format < FORMAT {
        found.add(FindingKind::FormatOld, "the space", format!("format {} of {FORMAT}", held.format));
    }
    let sealed = held.format >= 2;
    let reader = Reader { path, read: &held.read, checkup, sealed, snapshot: held.snapshot.as_deref() };
    let rows = reader.rows(&mut found);
    into.traces = rows.bodies.len() as u64;
    if let Some(meta) = &rows.meta
        && meta.space != *space
    {
        found.add(FindingKind::SpaceMisplaced, "the space", format!("it says that it is {}", meta.space));
    }
    agreement::agree(&rows, checkup, &mut found);
    segments::check(&reader, &mut found);
    sizes::measure(path, &held.read, &mut into, &mut found);
    (into, found)
}

/// Examines the file of a space that nobody uses, and mends it where that is asked for. Blocks on the disk.
///
/// A file that cannot be opened is a finding. Nothing is written unless there is something to migrate or to repair.
///
/// # Errors
/// [`StoreError::InUse`] when somebody has it open, and what kept it from being mended.
pub fn examine_file(path: &Path, space: &SpaceId, checkup: &Checkup) -> Result<Examination, StoreError> {
    let (mut examination, diagnosis) = look(path, space, checkup)?;
    let old = examination.format.is_some_and(|format| format < FORMAT);
    let cures: Vec<Cure> = diagnosis.cures.iter().map(|(_, cure)| *cure).collect();
    let mendable = [FindingKind::Leftover, FindingKind::ModeOpen];
    let outside = mendable.iter().any(|kind| diagnosis.findings.count(*kind) > 0);
    let mends = checkup.repair && (!cures.is_empty() || outside);
    if !(mends || checkup.migrate && old) {
        examination.findings = diagnosis.findings;
        return Ok(examination);
    }
    if mends && outside {
        mend_outside(path)?;
    }
    if old && checkup.migrate || mends && !cures.is_empty() {
        let slot = StoreSlot::open(path, space, None, checkup.at, CACHE_BYTES)?;
        let mended = mend_inside(&slot, if mends { &cures } else { &[] });
        slot.retire();
        mended?;
    }
    let (examination, after) = look(path, space, checkup)?;
    let repaired = gone(diagnosis.findings, &after.findings);
    Ok(Examination { findings: after.findings, repaired, ..examination })
}

/// What was found before and is not any more.
fn gone(before: Findings, after: &Findings) -> Findings {
    let mut gone = Findings::default();
    for finding in before.listed() {
        if after.count(finding.kind) == 0 {
            gone.add(finding.kind, finding.place.clone(), finding.detail.clone());
        }
    }
    for (kind, count) in before.counts().filter(|(kind, _)| after.count(*kind) == 0) {
        for _ in gone.count(kind)..count {
            gone.add(kind, "", "");
        }
    }
    gone
}

fn look(path: &Path, space: &SpaceId, checkup: &Checkup) -> Result<(Examination, Diagnosis), StoreError> {
    let unreadable = |kind, error: &StoreError| {
        let mut found = Diagnosis::default();
        found.add(kind, "the space", error.to_string());
        (Examination::default(), found)
    };
    let slot = match StoreSlot::open(path, space, None, checkup.at, CACHE_BYTES) {
        Ok(slot) => slot,
        Err(error @ (StoreError::InUse { .. } | StoreError::Closed { .. })) => return Err(error),
        Err(error) => {
            let kind = match &error {
                StoreError::TooNew { .. } => FindingKind::SpaceNewer,
                StoreError::Foreign { .. } | StoreError::NotAFile { .. } | StoreError::Empty { .. } => {
                    FindingKind::SpaceForeign
                }
                _ => FindingKind::SpaceUnreadable,
            };
            return Ok(unreadable(kind, &error));
        }
    };
    let looked = match Held::of(&slot, None) {
        Ok(held) => diagnose(path, space, &held, checkup),
        Err(error) => unreadable(FindingKind::SpaceUnreadable, &error),
    };
    slot.retire();
    Ok(looked)
}

/// What lies beside a file, and its mode.
fn mend_outside(path: &Path) -> Result<(), StoreError> {
    // With nothing in its place, the file before may be all that is left.
    let alone = |leftover: &PathBuf| *leftover == paths::replaced(path) && !path.exists();
    for leftover in paths::leftovers(path).into_iter().filter(|leftover| !alone(leftover)) {
        paths::remove_if_there(&leftover).map_err(|error| StoreError::io(&leftover, error))?;
    }
    if mode_open(path) {
        paths::make_private(path).map_err(|error| StoreError::io(path, error))
    } else {
        Ok(())
    }
}

/// Cures what is in a file; that migrates it, too.
fn mend_inside(slot: &StoreSlot, cures: &[Cure]) -> Result<(), StoreError> {
    slot.migrate()?;
    if cures.is_empty() {
        return Ok(());
    }
    slot.take_for_writing()?;
    slot.with(|database| cures::apply(slot.path(), database, cures))
}

/// Whether others than the owner may read or enter.
pub(super) fn mode_open(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o077 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}
