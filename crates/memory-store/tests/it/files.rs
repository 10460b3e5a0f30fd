//! Files that are not as they should be are refused, named, and left byte for byte as they were.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use bethink_memory_store::{Snapshot, StoreError};

use crate::harness::{World, identity, open_at};

/// Puts a file in a space's place, tries to open it, and says what came of it without the path.
#[track_caller]
fn check(content: &[u8], expected: &str) {
    let world = World::new();
    let path = world.path();
    fs::create_dir_all(path.parent().expect("because it has one")).expect("because the place is new");
    fs::write(&path, content).expect("because the place is new");
    let error = world.open().expect_err("because the file is not sound").to_string();
    let name = path.display().to_string();
    assert!(error.starts_with(&name), "{error} names the path");
    assert_eq!(error.replace(&name, "FILE"), expected);
    assert!(fs::read(&path).expect("because it is there") == content, "the file is as it was");
    assert_eq!(
        fs::read_dir(path.parent().expect("because it has one")).expect("because it is there").count(),
        1
    );
}

/// The bytes of a sound file with one memory in it.
async fn sound_file() -> Vec<u8> {
    let world = World::new();
    let awake = world.wake().await;
    for number in 0..40 {
        awake
            .remember(&format!("Marker {number} lies in drawer {number}"), 0.0)
            .await
            .expect("because it is sound");
    }
    awake.sleep().await;
    fs::read(world.path()).expect("because it was written")
}

#[test]
fn foreign_files_are_refused() {
    check(b"", "FILE is empty: restore it from a backup, or remove it to start with no memory");
    check(b"Dear diary", "FILE is not a memory file of this program");
    check(&[0; 4096], "FILE is not a memory file of this program");
}

#[test]
fn a_database_of_another_program_is_refused() {
    let dir = tempfile::tempdir().expect("because the system has a temporary directory");
    let path = dir.path().join("other.redb");
    {
        let other = redb::Database::create(&path).expect("because it is new");
        let write = other.begin_write().expect("because it is new");
        let table = redb::TableDefinition::<u64, u64>::new("theirs");
        write.open_table(table).expect("because it is new").insert(1, 2).expect("because it is new");
        write.commit().expect("because the disk has room");
    }
    let before = fs::read(&path).expect("because it is there");
    assert!(matches!(open_at(&path, None), Err(StoreError::Foreign { .. })));
    assert!(fs::read(&path).expect("because it is there") == before);
}

#[test]
fn a_directory_is_refused() {
    let world = World::new();
    fs::create_dir_all(world.path()).expect("because the place is new");
    assert!(matches!(world.open(), Err(StoreError::NotAFile { .. })));
}

#[tokio::test]
async fn flipped_bytes_are_never_taken_for_memory() {
    let sound = sound_file().await;
    let mut refused = 0;
    // 64 bytes in a row are flipped, at places all over the file, its first page of structure included.
    for step in 0..48 {
        let mut bytes = sound.clone();
        let start = 64 + step * (bytes.len() - 128) / 48;
        bytes[start..start + 64].iter_mut().for_each(|byte| *byte ^= 0x5a);
        let world = World::new();
        let path = world.path();
        fs::create_dir_all(path.parent().expect("because it has one")).expect("because the place is new");
        fs::write(&path, &bytes).expect("because the place is new");
        match world.open() {
            Err(error) => {
                refused += 1;
                assert!(error.to_string().contains(&path.display().to_string()));
                assert!(fs::read(&path).expect("because it is there") == bytes, "untouched at {start}");
            }
            // The bytes lie in a page that holds nothing; then nothing may be missing.
            Ok(slot) => {
                let snapshot =
                    Snapshot::load(&slot, &world.config).expect("because the pages in use are sound");
                assert_eq!(snapshot.len(), 40, "nothing is lost at {start}");
            }
        }
    }
    assert!(refused > 0, "some of the bytes mattered");
}

#[tokio::test]
async fn a_cut_file_is_refused() {
    let sound = sound_file().await;
    for len in [9, 100, 4_096, sound.len() / 2, sound.len() - 4_096] {
        let world = World::new();
        let path = world.path();
        fs::create_dir_all(path.parent().expect("because it has one")).expect("because the place is new");
        fs::write(&path, &sound[..len]).expect("because the place is new");
        assert!(world.open().is_err(), "cut to {len}");
        assert!(fs::read(&path).expect("because it is there") == sound[..len], "untouched at {len}");
    }
}

#[test]
fn a_newer_format_is_refused() {
    let world = World::new();
    world.create();
    set_format(&world.path(), 7);
    let before = fs::read(world.path()).expect("because it is there");
    let error = world.open().expect_err("because the format is newer");
    assert!(matches!(error, StoreError::TooNew { found: 7, supported: 2, .. }), "{error}");
    assert!(fs::read(world.path()).expect("because it is there") == before);
}

fn set_format(path: &Path, format: u32) {
    let database = redb::Database::open(path).expect("because the file is sound");
    let write = database.begin_write().expect("because the file is sound");
    let table = redb::TableDefinition::<&str, &[u8]>::new("meta");
    write
        .open_table(table)
        .expect("because every file has it")
        .insert("format", format.to_le_bytes().as_slice())
        .expect("because the disk has room");
    write.commit().expect("because the disk has room");
}

#[tokio::test]
async fn vectors_of_another_embedder_are_refused_by_name() {
    let mut world = World::new();
    let awake = world.wake().await;
    awake.remember("The kettle is in the left cupboard", 0.0).await.expect("because it is sound");
    awake.sleep().await;
    world.embedder = Some(identity("rotated"));
    let error = world.open().expect_err("because the embedder changed").to_string();
    assert!(error.contains("`hashed`") && error.contains("`rotated`"), "{error}");
    world.embedder = Some(identity("hashed"));
    assert!(world.open().is_ok());
}

#[test]
fn one_file_is_open_once() {
    let world = World::new();
    world.create();
    let _held = world.open().expect("because nobody has it");
    assert!(matches!(world.open(), Err(StoreError::InUse { .. })));
}

#[test]
fn files_and_directories_are_private_whatever_the_umask() {
    let old = rustix::process::umask(rustix::fs::Mode::empty());
    let world = World::new();
    world.create();
    rustix::process::umask(old);
    let mode = |path: &Path| fs::metadata(path).expect("because it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&world.path()), 0o600);
    let agent = world.path().parent().map(Path::to_owned).expect("because it has one");
    assert_eq!((mode(&agent), mode(agent.parent().expect("because it has one"))), (0o700, 0o700));
}

#[test]
fn what_a_crash_left_of_a_new_file_is_replaced() {
    let world = World::new();
    let path = world.path();
    fs::create_dir_all(path.parent().expect("because it has one")).expect("because the place is new");
    fs::write(path.with_extension("redb-new"), "half a file").expect("because the place is new");
    world.create();
    assert!(!path.with_extension("redb-new").exists());
}
