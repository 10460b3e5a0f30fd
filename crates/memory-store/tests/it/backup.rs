//! Backups of spaces that are being written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bethink_clock::Entropy;
use bethink_domain::{Timestamp, TraceId};
use bethink_memory_store::{BackupDraft, KnownBackups, Manifest, Snapshot, StoreError, append};
use bethink_protocol::Remember;

use crate::harness::{World, day, draft, space};

fn begin(world: &World, name: &str, at: Timestamp) -> BackupDraft {
    let target = world.dir.path().parent().expect("because it lies in one").join(name);
    BackupDraft::begin(&target, world.dir.path(), at, "test").expect("because the place is free")
}

/// A name that no other test uses, since backups lie beside the world's directory.
fn named(world: &World, what: &str) -> String {
    let own = world.dir.path().file_name().expect("because it has one").to_string_lossy().into_owned();
    format!("{own}-{what}")
}

#[test]
fn a_copy_made_while_somebody_writes_is_of_one_moment() {
    let world = World::new();
    world.create();
    let slot = world.open().expect("because the file is sound");
    let mut snapshot = Arc::new(Snapshot::load(&slot, &world.config).expect("because the file is sound"));
    let over = Arc::new(AtomicBool::new(false));
    let (writer, end, config) = (slot.clone(), Arc::clone(&over), world.config);
    let writing = std::thread::spawn(move || {
        // Each commit adds three, so that a copy of two moments shows.
        let mut commits = 0;
        while !end.load(Ordering::SeqCst) || commits == 0 {
            let three =
                (0..3).map(|n| Remember { draft: draft(&format!("Fact {commits} {n}")), at: day(1.0) });
            let appended = append(&writer, &snapshot, three.collect(), Entropy::seeded(1), &config);
            snapshot = appended.expect("because the disk has room").snapshot;
            commits += 1;
        }
        snapshot.len()
    });
    let mut counts = Vec::new();
    for round in 0..5 {
        let mut backup = begin(&world, &named(&world, &format!("copy{round}")), day(2.0));
        assert!(backup.add_open(&slot).expect("because the file is sound"));
        let target = backup.target().to_owned();
        let manifest = backup.finish().expect("because the disk has room");
        counts.push(manifest.spaces[0].traces);
        assert_eq!(Manifest::read(&target).expect("because it is complete"), manifest);
        std::fs::remove_dir_all(target).expect("because it is there");
    }
    over.store(true, Ordering::SeqCst);
    let all = writing.join().expect("because it ends") as u64;
    assert!(counts.iter().all(|count| count % 3 == 1 && *count <= all), "{counts:?} of {all}");
    assert!(counts.is_sorted());
}

#[test]
fn an_unfinished_backup_is_none() {
    let world = World::new();
    world.create();
    let mut backup = begin(&world, &named(&world, "cut"), day(2.0));
    assert!(backup.add_closed(&space(), &|| false).expect("because the file is sound"));
    let target = backup.target().to_owned();
    let unfinished = target.with_file_name(named(&world, "cut.incomplete"));
    drop(backup);
    for dir in [&target, &unfinished] {
        assert!(matches!(Manifest::read(dir), Err(StoreError::NoBackup { .. })), "{}", dir.display());
    }
    // Somebody wants the space: the copy gives way and leaves nothing behind.
    let mut backup = begin(&world, &named(&world, "cut"), day(2.0));
    assert!(!backup.add_closed(&space(), &|| true).is_ok_and(|done| done), "it gave way");
    backup.abandon();
    assert!(!unfinished.exists());
}

#[test]
fn known_backups_tell_which_of_them_hold_a_thing() {
    let world = World::new();
    world.create();
    let first = world.add("Told before");
    let (mut made, mut told) = (Vec::new(), Vec::new());
    for (name, days) in [("one", 1.0), ("two", 3.0), ("three", 5.0)] {
        let mut backup = begin(&world, &named(&world, name), day(days));
        KnownBackups::note(world.dir.path(), backup.target(), day(days)).expect("because the disk has room");
        backup.add_closed(&space(), &|| false).expect("because the file is sound");
        made.push(backup.target().to_owned());
        backup.finish().expect("because the disk has room");
        told.push(world.add(&format!("Told after {name}")));
    }
    let holding = |traces: &[TraceId]| -> Vec<usize> {
        let known = KnownBackups::read(world.dir.path()).holding(&space(), traces, &[]);
        known.iter().map(|found| made.iter().position(|path| *path == found.path).unwrap_or(9)).collect()
    };
    let second = told[0];
    let other = TraceId::from_raw(7);
    let held = (holding(&[first]), holding(&[second]), holding(&[other]), holding(&[other, second]));
    assert_eq!(held, (vec![0, 1, 2], vec![1, 2], vec![], vec![1, 2]));
    std::fs::remove_dir_all(&made[1]).expect("because it is there");
    assert_eq!(holding(&[first]), [0, 2], "one that was removed holds nothing");
    for path in [&made[0], &made[2]] {
        std::fs::remove_dir_all(path).expect("because it is there");
    }
}
