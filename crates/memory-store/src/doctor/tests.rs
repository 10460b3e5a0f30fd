//! A sound file is found healthy; a file with one damage is found to have that one, by name.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bethink_domain::{
    AgentName, Cause, Change, EmbedderIdentity, Examination, FindingKind, JournalEntry, Origin, Quantity,
    Severity, SpaceId, Span, Timestamp, TraceId, TurnId, UserName,
};
use redb::{Database, ReadableTable, TableDefinition};
use tempfile::TempDir;

use super::*;
use crate::catalogue::{Catalogue, Wake};
use crate::config::StoreConfig;
use crate::file::slot::StoreSlot;
use crate::file::tables::{COUNTERS_KEY, EMBEDDER_KEY, Op, Tables, TextSlot};
use crate::records;
use crate::rows::{Counters, TraceBody, TraceState};
use crate::snapshot::Snapshot;
use crate::tokens::Tokens;

/// A trace of the life in the fixture that has neither long texts nor a past that others rest on.
const SISTER: u64 = 212_074_076_570_613_662;
/// The one whose text lies apart.
const STORY: u64 = 212_037_837_783_091_721;
/// The first turn, and with it the first of four.
const TURN: u64 = 211_983_479_603_200_001;
/// No trace or turn has it.
const NOBODY: u64 = 300_000_000_000_000_000;

fn day(days: f64) -> Timestamp {
    Timestamp::from_millis(1_780_000_000_000) + Span::from_days(days)
}

fn space(user: &str) -> SpaceId {
    SpaceId {
        agent: AgentName::new("bethink").expect("because it is a legal name"),
        user: UserName::new(user).expect("because it is a legal name"),
    }
}

/// The file of a life, in a directory of its own.
struct Patient {
    dir: TempDir,
    checkup: Checkup,
}

impl Patient {
    fn of(format: u32) -> Self {
        let dir = tempfile::tempdir().expect("because the system has a temporary directory");
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).expect("because it is ours");
        let fixture = format!("tests/fixtures/format-{format}-life.redb");
        let bytes = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(fixture));
        let checkup = Checkup { at: day(5.0), deep: true, repair: false, migrate: false, configured: None };
        let patient = Self { dir, checkup };
        crate::paths::create_private_dir(patient.path().parent().expect("because it has one"))
            .expect("because the place is new");
        fs::write(patient.path(), bytes.expect("because it is in the repository"))
            .expect("because it is new");
        fs::set_permissions(patient.path(), fs::Permissions::from_mode(0o600)).expect("because it is ours");
        patient
    }

    fn path(&self) -> PathBuf {
        crate::paths::space_path(self.dir.path(), &space("me"))
    }

    fn slot(&self) -> StoreSlot {
        StoreSlot::open(&self.path(), &space("me"), None, day(0.0), 1 << 20).expect("because it is sound")
    }

    fn examine(&self) -> Examination {
        examine_file(&self.path(), &space("me"), &self.checkup).expect("because nobody uses it")
    }

    fn poke(&self, poke: impl FnOnce(&mut Tables<'_>)) {
        let database = Database::open(self.path()).expect("because the file is sound");
        let write = database.begin_write().expect("because the file is sound");
        let path = self.path();
        let mut tables = Tables::open(&write, &path).expect("because it is ours");
        poke(&mut tables);
        drop(tables);
        write.commit().expect("because the disk has room");
    }
}

/// What was found that is more than a vector that waits, which the life has: kinds and places.
fn told(findings: &bethink_domain::Findings) -> Vec<(FindingKind, String)> {
    let own = |finding: &&bethink_domain::Finding| finding.kind != FindingKind::VectorMissing;
    findings.listed().iter().filter(own).map(|finding| (finding.kind, finding.place.clone())).collect()
}

/// A life that something was done to has these findings and no others; what is derived is made anew if that is asked for.
#[track_caller]
fn check(poke: impl FnOnce(&mut Tables<'_>), expected: &[(FindingKind, String)]) {
    let mut patient = Patient::of(2);
    patient.poke(poke);
    let mut found = told(&patient.examine().findings);
    found.sort();
    assert_eq!(found, expected, "as damaged");
    patient.checkup.repair = true;
    let (repaired, still): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(kind, _)| kind.severity() == Severity::Derived);
    let mended = patient.examine();
    let mut done = told(&mended.repaired);
    done.sort();
    let notices = |found: Vec<(FindingKind, String)>| {
        found.into_iter().filter(|(kind, _)| *kind != FindingKind::ScrubPending).collect::<Vec<_>>()
    };
    assert_eq!(done, repaired, "what is repaired");
    assert_eq!(notices(told(&mended.findings)), notices(still), "what is not");
}

fn one(kind: FindingKind, place: impl Into<String>) -> [(FindingKind, String); 1] {
    [(kind, place.into())]
}

fn of(id: u64) -> String {
    format!("trace {}", TraceId::from_raw(id))
}

fn said_in(id: u64) -> String {
    format!("turn {}", TurnId::from_raw(id))
}

/// Flips a byte in the middle of a record.
fn flip(table: &mut redb::Table<'_, u64, &'static [u8]>, id: u64) {
    let mut bytes =
        table.get(id).expect("because it is sound").expect("because it is there").value().to_vec();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    table.insert(id, bytes.as_slice()).expect("because the disk has room");
}

fn flip_meta(tables: &mut Tables<'_>, key: &'static str) {
    let mut bytes =
        tables.meta.get(key).expect("because it is sound").expect("because it is there").value().to_vec();
    *bytes.last_mut().expect("because it has bytes") ^= 1;
    tables.meta.insert(key, bytes.as_slice()).expect("because the disk has room");
}

fn remove(table: &mut redb::Table<'_, u64, &'static [u8]>, id: u64) {
    table.remove(id).expect("because it is sound").expect("because it was there");
}

fn body(tables: &Tables<'_>, id: u64) -> (TraceBody, Tokens) {
    let bytes = tables.bodies.get(id).expect("because it is sound").expect("because it is there");
    records::decode_body(bytes.value(), || None).expect("because it is sound")
}

fn state(tables: &Tables<'_>, id: u64) -> TraceState {
    let bytes = tables.states.get(id).expect("because it is sound").expect("because it is there");
    records::decode_state(bytes.value()).expect("because it is sound")
}

fn counters(tables: &mut Tables<'_>, change: impl FnOnce(&mut Counters)) {
    let bytes = tables.meta.get(COUNTERS_KEY).expect("because it is sound").map(|b| b.value().to_vec());
    let mut counters =
        records::decode_counters(&bytes.expect("because it is there")).expect("because it is sound");
    change(&mut counters);
    tables.write(&Op::Counters(counters)).expect("because the disk has room");
}

/// Adds an entry to the journal, after the last.
fn journal(tables: &mut Tables<'_>, at: Timestamp, changes: Vec<(u64, Quantity)>) -> String {
    let last = tables.journal.last().expect("because it is sound").map_or(0, |(key, _)| key.value());
    let change = |(id, quantity)| Change { trace: TraceId::from_raw(id), quantity, before: 0.0, after: 1.0 };
    let changes = changes.into_iter().map(change).collect();
    let entry = JournalEntry { sequence: last + 1, at, cause: Cause::Command, mechanism: "pin", changes };
    tables.write(&Op::Journal(entry)).expect("because the disk has room");
    rows::entry(last + 1)
}

#[test]
fn a_sound_file_is_healthy() {
    for deep in [false, true] {
        let mut patient = Patient::of(2);
        patient.checkup.deep = deep;
        let before = fs::read(patient.path()).expect("because it is there");
        let examination = patient.examine();
        assert_eq!(told(&examination.findings), []);
        assert_eq!(examination.findings.count(FindingKind::VectorMissing), 1, "a vector was never made");
        assert_eq!((examination.format, examination.traces), (Some(2), 7));
        let payload: u64 = examination.tables.iter().map(|table| table.payload).sum();
        assert!(payload > 0 && payload < examination.file_bytes, "{examination:?}");
        patient.checkup.repair = true;
        assert_eq!(told(&patient.examine().repaired), []);
        assert!(fs::read(patient.path()).expect("because it is there") == before, "nothing was written");
    }
}

#[test]
fn records_that_are_not_as_written_are_named() {
    let damaged = |place: String| one(FindingKind::RecordDamaged, place);
    check(|tables| flip(&mut tables.bodies, SISTER), &damaged(of(SISTER)));
    check(|tables| flip(&mut tables.bodies, STORY), &damaged(of(STORY)));
    check(|tables| flip(&mut tables.states, SISTER), &damaged(format!("numbers of {}", of(SISTER))));
    check(
        |tables| flip(&mut tables.transcript, TURN),
        &damaged(format!("{} of the transcript", said_in(TURN))),
    );
    check(|tables| flip(&mut tables.turns, TURN), &damaged(format!("record of {}", said_in(TURN))));
    check(|tables| flip(&mut tables.journal, 4), &damaged(rows::entry(4)));
    check(|tables| flip_meta(tables, COUNTERS_KEY), &damaged("`counters` of the file".into()));
    check(|tables| flip_meta(tables, EMBEDDER_KEY), &damaged("`embedder` of the file".into()));
    check(
        |tables| {
            let bare = records::encode_state(&state(tables, SISTER));
            let mut bare = bare[..bare.len() - 4].to_vec();
            bare[0] = 1;
            tables.states.insert(SISTER, bare.as_slice()).expect("because the disk has room");
        },
        &one(FindingKind::RecordUnsealed, format!("numbers of {}", of(SISTER))),
    );
}

#[test]
fn texts_that_lie_apart_have_an_owner_and_an_owner_has_them() {
    let key = (TextSlot::Trace as u8, STORY);
    check(
        |tables| drop(tables.bulky.remove(key).expect("because it is sound")),
        &one(FindingKind::TextMissing, of(STORY)),
    );
    check(
        |tables| drop(tables.bulky.insert(key, "another story").expect("because the disk has room")),
        &one(FindingKind::TextDamaged, of(STORY)),
    );
    check(
        |tables| drop(tables.bulky.insert((1, NOBODY), "who said it?").expect("because the disk has room")),
        &one(FindingKind::TextUnowned, format!("text of {}", said_in(NOBODY))),
    );
}

#[test]
fn the_parts_of_a_trace_agree() {
    check(|tables| remove(&mut tables.states, SISTER), &one(FindingKind::NumbersMissing, of(SISTER)));
    check(
        |tables| remove(&mut tables.bodies, SISTER),
        &[(FindingKind::NumbersUnowned, of(SISTER)), (FindingKind::VectorUnowned, of(SISTER))],
    );
    check(|tables| flip(&mut tables.vectors, SISTER), &one(FindingKind::VectorDamaged, of(SISTER)));
    check(
        |tables| {
            let bytes = [0x81, 2, 0, 0, 0].as_slice();
            tables.vectors_even.insert(SISTER, bytes).expect("because the disk has room");
        },
        &one(FindingKind::VectorDamaged, format!("second vector of {}", of(SISTER))),
    );
    let strange = one(FindingKind::VectorStrange, of(SISTER));
    let vector = |tables: &Tables<'_>| {
        let bytes = tables.vectors.get(SISTER).expect("because it is sound").map(|b| b.value().to_vec());
        records::decode_vector(&bytes.expect("because it is there")).expect("because it is sound").1
    };
    let put = |tables: &mut Tables<'_>, generation, vector| {
        let op = Op::Vector(TraceId::from_raw(SISTER), generation, Arc::new(vector));
        tables.write(&op).expect("because the disk has room");
    };
    check(
        |tables| {
            let mut long = vector(tables);
            long.scale *= 2.0;
            put(tables, 1, long);
        },
        &strange,
    );
    check(
        |tables| {
            let mut short = vector(tables);
            short.values = short.values[..8].into();
            put(tables, 1, short);
        },
        &strange,
    );
    check(
        |tables| {
            let body = Arc::new(body(tables, SISTER).0);
            let op = Op::Body(TraceId::from_raw(SISTER), body, Arc::new(Tokens::of("other words")));
            tables.write(&op).expect("because the disk has room");
        },
        &one(FindingKind::WordsDiffer, of(SISTER)),
    );
}

#[test]
fn the_journal_tells_of_everything_and_of_nothing_else() {
    let credit = 7;
    check(|tables| remove(&mut tables.journal, credit), &one(FindingKind::JournalGap, rows::entry(credit)));
    check(|tables| counters(tables, |c| c.journal = 99), &one(FindingKind::JournalGap, rows::entry(99)));
    let stranger = |tables: &mut Tables<'_>| drop(journal(tables, day(4.0), vec![(NOBODY, Quantity::Uses)]));
    check(stranger, &one(FindingKind::JournalStranger, rows::entry(17)));
    check(
        |tables| {
            let empty = JournalEntry {
                sequence: 5,
                at: day(1.0),
                cause: Cause::Command,
                mechanism: "pin",
                changes: Vec::new(),
            };
            tables.write(&Op::Journal(empty)).expect("because the disk has room");
        },
        &one(FindingKind::EncodingUntold, of(SISTER)),
    );
    let again =
        |tables: &mut Tables<'_>| drop(journal(tables, day(4.0), vec![(SISTER, Quantity::Forgotten)]));
    check(again, &one(FindingKind::ForgottenThere, of(SISTER)));
}

#[test]
fn what_is_named_is_somewhere() {
    let lineage = |origin: Origin| {
        move |tables: &mut Tables<'_>| {
            let (mut body, tokens) = body(tables, SISTER);
            body.lineage.push(origin);
            let op = Op::Body(TraceId::from_raw(SISTER), Arc::new(body), Arc::new(tokens));
            tables.write(&op).expect("because the disk has room");
        }
    };
    let broken = one(FindingKind::LineageBroken, of(SISTER));
    check(lineage(Origin::Turn(TurnId::from_raw(NOBODY))), &broken);
    check(lineage(Origin::Trace(TraceId::from_raw(NOBODY))), &broken);
    check(
        |tables| {
            let state =
                TraceState { superseded_by: Some(TraceId::from_raw(NOBODY)), ..state(tables, SISTER) };
            tables.write(&Op::State(TraceId::from_raw(SISTER), state)).expect("because the disk has room");
        },
        &one(FindingKind::ReferenceBroken, of(SISTER)),
    );
    check(
        |tables| remove(&mut tables.transcript, TURN),
        &[(FindingKind::TurnUntold, said_in(TURN)), (FindingKind::CountersAhead, "the space".into())],
    );
    check(|tables| remove(&mut tables.turns, TURN + 1), &one(FindingKind::TurnUnrecorded, said_in(TURN + 1)));
    check(|tables| counters(tables, |c| c.turns = 99), &one(FindingKind::CountersAhead, "the space"));
}

#[test]
fn oddities_are_worth_knowing() {
    check(
        |tables| {
            let state = TraceState { recorded_at: day(100.0), ..state(tables, SISTER) };
            tables.write(&Op::State(TraceId::from_raw(SISTER), state)).expect("because the disk has room");
        },
        &one(FindingKind::TimeAhead, of(SISTER)),
    );
    check(
        |tables| {
            journal(tables, day(4.0), Vec::new());
            journal(tables, day(3.0), Vec::new());
        },
        &one(FindingKind::TimeBack, rows::entry(18)),
    );
    let pending = |tables: &mut Tables<'_>| counters(tables, |c| c.scrub_pending = true);
    let patient = Patient::of(2);
    patient.poke(pending);
    assert_eq!(told(&patient.examine().findings), one(FindingKind::ScrubPending, "the space"));
    let mut patient = Patient::of(2);
    patient.checkup.configured =
        Some(EmbedderIdentity { model: "other".into(), dimensions: 64, revision: "1".into() });
    assert_eq!(told(&patient.examine().findings), one(FindingKind::EmbedderOther, "the space"));
    let other =
        examine_file(&patient.path(), &space("you"), &Patient::of(2).checkup).expect("because it can");
    assert_eq!(told(&other.findings), one(FindingKind::SpaceMisplaced, "the space"));
    let mut old = Patient::of(1);
    assert_eq!(told(&old.examine().findings), one(FindingKind::FormatOld, "the space"));
    old.checkup.migrate = true;
    let migrated = old.examine();
    assert_eq!((told(&migrated.findings), migrated.format), (vec![], Some(2)));
    assert_eq!(told(&migrated.repaired), one(FindingKind::FormatOld, "the space"));
}

#[test]
fn files_that_cannot_be_opened_are_told_of_and_left_alone() {
    let check = |bytes: &[u8], kind: FindingKind| {
        let mut patient = Patient::of(2);
        (patient.checkup.repair, patient.checkup.migrate) = (true, true);
        fs::write(patient.path(), bytes).expect("because it is ours");
        let found = patient.examine().findings;
        assert_eq!(told(&found), one(kind, "the space"));
        assert!(found.listed()[0].detail.contains("me.redb"), "{found:?}");
        assert!(fs::read(patient.path()).expect("because it is there") == bytes);
    };
    check(b"Dear diary", FindingKind::SpaceForeign);
    check(b"", FindingKind::SpaceForeign);
    let bytes = fs::read(Patient::of(2).path()).expect("because it is there");
    check(&bytes[..bytes.len() / 2], FindingKind::SpaceUnreadable);
    let newer = Patient::of(2);
    newer.poke(|tables| {
        tables.meta.insert("format", 9u32.to_le_bytes().as_slice()).expect("because the disk has room");
    });
    check(&fs::read(newer.path()).expect("because it is there"), FindingKind::SpaceNewer);
    let mistyped = Patient::of(2);
    {
        let database = Database::open(mistyped.path()).expect("because the file is sound");
        let write = database.begin_write().expect("because the file is sound");
        write.delete_table(crate::file::tables::RECALLS).expect("because it is there");
        write.open_table(TableDefinition::<u64, u64>::new("recalls")).expect("because it is free");
        write.commit().expect("because the disk has room");
    }
    let found = told(&mistyped.examine().findings);
    assert_eq!(found, one(FindingKind::TableUnreadable, "table recalls"));
}

#[test]
fn what_lies_around_a_file_is_put_in_order() {
    let mut patient = Patient::of(2);
    let beside = crate::file::open::beside(&patient.path());
    fs::write(&beside, "half a file").expect("because the place is free");
    let replaced = crate::paths::replaced(&patient.path());
    fs::write(&replaced, "the file before").expect("because the place is free");
    fs::set_permissions(patient.path(), fs::Permissions::from_mode(0o644)).expect("because it is ours");
    let expected = [
        (FindingKind::Leftover, beside.display().to_string()),
        (FindingKind::Leftover, replaced.display().to_string()),
        (FindingKind::ModeOpen, patient.path().display().to_string()),
    ];
    assert_eq!(told(&patient.examine().findings), expected);
    patient.checkup.repair = true;
    let mended = patient.examine();
    assert_eq!((told(&mended.findings), told(&mended.repaired)), (vec![], expected.to_vec()));
    assert!(!beside.exists() && !replaced.exists());
    // What may be all that is left of a space stays.
    fs::write(patient.path(), "no memory file").expect("because it is ours");
    fs::write(&replaced, "the file before").expect("because the place is free");
    assert_eq!(told(&patient.examine().findings), one(FindingKind::SpaceForeign, "the space"));
    assert!(replaced.exists());
}

#[test]
fn the_directory_and_its_catalogue_are_put_in_order() {
    let patient = Patient::of(2);
    let data = patient.dir.path();
    let strange = data.join("spaces/notes.txt");
    fs::write(&strange, "mine").expect("because the place is free");
    fs::set_permissions(data.join("spaces"), fs::Permissions::from_mode(0o755)).expect("because it is ours");
    let catalogue = Catalogue::open(data).expect("because the place is free");
    for user in ["me", "gone"] {
        let wake = Wake {
            space: space(user),
            not_before: Some(day(9.0)),
            retry: None,
            events: vec!["home".to_owned()],
        };
        catalogue.set_next_wake(&wake).expect("because the disk has room");
    }
    let found = examine_directory(data, Some(&catalogue), false).expect("because it is ours");
    let open = (FindingKind::ModeOpen, data.join("spaces").display().to_string());
    let stale = (FindingKind::CatalogueStale, "bethink/gone".to_owned());
    let named = (FindingKind::NameStrange, strange.display().to_string());
    assert_eq!(told(&found.0), [open.clone(), named.clone(), stale.clone()]);
    let mended = examine_directory(data, Some(&catalogue), true).expect("because it is ours");
    assert_eq!((told(&mended.0), told(&mended.1)), (vec![named.clone()], vec![open, stale]));
    let again = examine_directory(data, Some(&catalogue), true).expect("because it is ours");
    assert_eq!((told(&again.0), told(&again.1)), (vec![named], vec![]));
    assert_eq!(spaces_and_leftovers(data).expect("because it is ours"), [space("me")]);
}

#[test]
fn memory_that_says_otherwise_than_the_file_is_told_of() {
    let (patient, other) = (Patient::of(2), Patient::of(2));
    let config = StoreConfig::default();
    let same = Arc::new(Snapshot::load(&other.slot(), &config).expect("because it is sound"));
    let state = |tables: &Tables<'_>| TraceState { priority: 0.9, ..state(tables, SISTER) };
    other.poke(|tables| {
        let state = state(tables);
        tables.write(&Op::State(TraceId::from_raw(SISTER), state)).expect("because the disk has room");
    });
    let differs = Arc::new(Snapshot::load(&other.slot(), &config).expect("because it is sound"));
    let slot = patient.slot();
    let look = |snapshot: Arc<Snapshot>| {
        let held = Held::of(&slot, Some(snapshot)).expect("because it is sound");
        told(&examine_held(&slot, &held, &patient.checkup).findings)
    };
    assert_eq!(look(same), []);
    assert_eq!(look(differs), one(FindingKind::MemoryDiffers, of(SISTER)));
}
