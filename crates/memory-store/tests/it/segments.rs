//! Sealed segments: what the doctor finds of them, and power cuts while they are written.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use bethink_clock::Entropy;
use bethink_domain::{Draft, Examination, FindingKind, Severity};
use bethink_memory_store::{
    Checkup, FaultyDisk, MemoryConfig, Snapshot, StoreConfig, StoreSlot, append, examine_file, seal,
};
use bethink_protocol::Remember;

use crate::harness::{World, day, draft, hashed, identity, space};

/// Two small segments, and some rows that stay open.
const ROWS: usize = 1_100;

fn small(config: StoreConfig) -> StoreConfig {
    StoreConfig { memory: MemoryConfig { seal_rows: 512, segment_rows: 512, ..config.memory }, ..config }
}

fn statement(number: usize) -> Remember {
    let text = format!("Drawer {number} of cabinet {} holds marker{number}", number % 7);
    Remember { draft: Draft { embedding: hashed(&text), ..draft(&text) }, at: day(number as f64 / 100.0) }
}

/// A world with rows that no segment holds yet.
fn open_world() -> World {
    let world = World::new();
    let slot = world.open().expect("because it is new");
    let empty = Arc::new(Snapshot::load(&slot, &world.config).expect("because it is new"));
    let statements = (0..ROWS).map(statement).collect();
    append(&slot, &empty, statements, Entropy::seeded(5), &world.config).expect("because there is room");
    slot.retire();
    world
}

/// Seals what is there, after one more statement.
fn live_on(slot: &StoreSlot, config: &StoreConfig) {
    let config = small(*config);
    let snapshot = Arc::new(Snapshot::load(slot, &config).expect("because it is sound"));
    let appended = append(slot, &snapshot, vec![statement(ROWS)], Entropy::seeded(6), &config);
    seal(slot, &appended.expect("because the disk reports no error").snapshot, &config)
        .expect("because the disk reports no error");
    slot.retire();
}

fn examine(path: &Path, repair: bool) -> Examination {
    let checkup = Checkup { at: day(20.0), deep: true, repair, migrate: false, configured: None };
    examine_file(path, &space(), &checkup).expect("because nobody uses it")
}

#[test]
fn a_power_cut_while_sealing_leaves_whole_segments_or_none() {
    let world = open_world();
    let before = fs::read(world.path()).expect("because it is there");
    for syncs in 0.. {
        fs::write(world.path(), &before).expect("because the disk has room");
        let cut = FaultyDisk::power_cut_after(syncs).torn(syncs);
        let slot = StoreSlot::open_on(&world.path(), &space(), Some(&identity("hashed")), &cut);
        live_on(&slot.expect("because it is sound"), &world.config);
        let examination = examine(&world.path(), false);
        assert_eq!(examination.findings.worst().filter(|worst| *worst > Severity::Notice), None, "{cut:?}");
        assert!(examination.traces >= ROWS as u64, "{cut:?}");
        if !cut.power_failed() {
            let sealed = examination.tables.iter().find(|table| table.table == "sealed");
            assert!(sealed.is_some_and(|table| table.rows > 0), "something was sealed: {sealed:?}");
            assert!(syncs > 3, "each commit was cut short once, of {syncs}");
            return;
        }
    }
}

#[test]
fn a_segment_that_does_not_fit_is_found_and_dropped() {
    let world = open_world();
    live_on(&world.open().expect("because it is sound"), &world.config);
    assert_eq!(examine(&world.path(), false).findings.worst(), None);
    {
        let database = redb::Database::open(world.path()).expect("because the file is sound");
        let write = database.begin_write().expect("because the file is sound");
        let table = redb::TableDefinition::<(u8, u64), &[u8]>::new("sealed");
        let mut sealed = write.open_table(table).expect("because it is ours");
        // A piece of the words of some segment.
        sealed.retain(|(part, _), _| part != 2).expect("because the disk has room");
        drop(sealed);
        write.commit().expect("because the disk has room");
    }
    let found = examine(&world.path(), false).findings;
    assert!(found.count(FindingKind::IndexDiffers) > 0, "{found:?}");
    assert_eq!(found.worst(), Some(Severity::Derived));
    let mended = examine(&world.path(), true);
    assert_eq!(mended.findings.worst(), None, "{mended:?}");
    assert!(mended.repaired.count(FindingKind::IndexDiffers) > 0);
    let slot = world.open().expect("because it is sound");
    let snapshot = Snapshot::load(&slot, &world.config).expect("because it is sound");
    assert_eq!(snapshot.len(), ROWS + 1, "nothing that was told is gone");
}
