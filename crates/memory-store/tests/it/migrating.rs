//! Files of earlier formats are read as they are, and migrated when they are first written: everything is still there,
//! and a power cut leaves the old file or the new one.
//!
//! `format-<n>-life.redb` is what a program that wrote format n made of [`crate::life`]. A new format gets a fixture of
//! its own, written by the test where it is not there; the old ones stay.

use std::fs;
use std::path::{Path, PathBuf};

use bethink_memory_store::{FaultyDisk, StoreError, StoreSlot};

use crate::harness::{World, space};
use crate::life::{live, seen};

/// The format that is written now.
const NEWEST: u32 = 2;

fn fixture(format: u32) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/format-{format}-life.redb"))
}

/// A world whose file is the fixture. No embedder, so that nothing is made that was missing.
fn world_of(format: u32) -> World {
    let world = World { embedder: None, ..World::new() };
    fs::create_dir_all(world.path().parent().expect("because it has one")).expect("because the place is new");
    fs::write(world.path(), fs::read(fixture(format)).expect("because the fixture is in the repository"))
        .expect("because the place is new");
    world
}

/// The format that a file says it has.
fn format_of(path: &Path) -> u32 {
    let database = redb::Database::open(path).expect("because the file is sound");
    let read = redb::ReadableDatabase::begin_read(&database).expect("because the file is sound");
    let meta =
        read.open_table(redb::TableDefinition::<&str, &[u8]>::new("meta")).expect("because it is ours");
    let format = meta.get("format").expect("because the file is sound").expect("because it has one");
    u32::from_le_bytes(format.value().try_into().expect("because it is a number"))
}

/// What is seen of the memory in a world's file.
async fn look(world: &World) -> Vec<String> {
    let awake = world.wake().await;
    let seen = seen(&awake).await;
    awake.sleep().await;
    seen
}

/// Writes the fixture of the newest format where it is not there.
async fn write_a_missing_fixture() {
    if !fixture(NEWEST).exists() {
        let world = World::new();
        live(&world).await;
        fs::copy(world.path(), fixture(NEWEST)).expect("because the repository can be written");
    }
}

#[tokio::test]
async fn every_earlier_format_is_read_as_it_is_and_then_migrated() {
    write_a_missing_fixture().await;
    for format in 1..=NEWEST {
        let world = world_of(format);
        let before = fs::read(world.path()).expect("because it is there");
        let first = look(&world).await;
        assert_eq!(first.len(), 12, "7 traces, 4 turns and the figures: {first:#?}");
        for told in ["The bus leaves at half past eight", "Because. Because.", "the model is away", "Okonkwo"]
        {
            assert!(first.iter().any(|line| line.contains(told)), "{told} is there in format {format}");
        }
        assert!(fs::read(world.path()).expect("because it is there") == before, "looking touched it");
        let slot = world.open().expect("because the file is sound");
        assert_eq!(slot.migrate().expect("because the disk has room"), Some(format));
        slot.retire();
        assert_eq!(format_of(&world.path()), NEWEST);
        assert_eq!(look(&world).await, first, "of format {format}, after its migration");
        assert!(!world.path().with_extension("redb-new").exists());
    }
}

#[tokio::test]
async fn the_first_statement_migrates() {
    let world = world_of(1);
    let first = look(&world).await;
    let awake = world.wake().await;
    awake.remember("Medlars hang over the fence", 4.0).await.expect("because the disk has room");
    let second = seen(&awake).await;
    assert_eq!(second.len(), first.len() + 1);
    assert_eq!(second[1..second.len() - 1], first[..first.len() - 1], "the rest is as it was");
    awake.sleep().await;
    assert_eq!(format_of(&world.path()), NEWEST);
    assert_eq!(look(&world).await, second);
}

#[tokio::test]
async fn a_power_cut_leaves_the_old_file_or_the_new_one() {
    let first = look(&world_of(1)).await;
    let (mut old, mut new) = (0, 0);
    for syncs in 0.. {
        let mut cut = false;
        for torn in [None, Some(syncs)] {
            let disk = FaultyDisk::power_cut_after(syncs);
            let disk = torn.into_iter().fold(disk, FaultyDisk::torn);
            let world = world_of(1);
            let slot = StoreSlot::open_on(&world.path(), &space(), None, &disk).expect("because it is sound");
            let migrated = slot.migrate();
            slot.retire();
            cut |= disk.power_failed();
            assert!(migrated.is_ok() || disk.power_failed(), "{disk:?}: {migrated:?}");
            match format_of(&copied(&world)) {
                1 => old += 1,
                _ => new += 1,
            }
            assert_eq!(look(&world).await, first, "after {disk:?}");
            let awake = world.wake().await;
            awake.remember("Medlars hang over the fence", 4.0).await.expect("because the power is back");
            awake.sleep().await;
            assert_eq!(format_of(&world.path()), NEWEST);
        }
        if !cut {
            break;
        }
    }
    assert!(old > 4 && new > 0, "{old} cuts left the old file, {new} the new one");
}

/// A copy of a world's file, since opening a file as a database marks it.
fn copied(world: &World) -> PathBuf {
    let copy = world.dir.path().join("copy");
    fs::copy(world.path(), &copy).expect("because the disk has room");
    copy
}

#[tokio::test]
async fn what_cannot_be_read_is_not_migrated() {
    let world = world_of(1);
    {
        let database = redb::Database::open(world.path()).expect("because the file is sound");
        let write = database.begin_write().expect("because the file is sound");
        let table = redb::TableDefinition::<u64, &[u8]>::new("journal");
        let mut journal = write.open_table(table).expect("because it is ours");
        journal.insert(3, [1u8, 2, 3].as_slice()).expect("because the disk has room");
        drop(journal);
        write.commit().expect("because the disk has room");
    }
    let before = fs::read(world.path()).expect("because it is there");
    let slot = world.open().expect("because its pages are sound");
    let refused = slot.migrate();
    assert!(matches!(refused, Err(StoreError::Damaged { .. })), "{refused:?}");
    slot.retire();
    assert!(fs::read(world.path()).expect("because it is there") == before, "the old file stands");
    assert!(!world.path().with_extension("redb-new").exists());
}
