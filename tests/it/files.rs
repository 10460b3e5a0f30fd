//! Files that are not what they should be are refused, named, and left as they are.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::binary::Home;

fn space_file(home: &Home) -> PathBuf {
    home.data().join("spaces/bethink/me.redb")
}

/// A memory with one statement, altered by `damage`, must be refused with `code` and stay byte for byte as it is.
fn refused(name: &str, damage: impl FnOnce(&PathBuf)) {
    let home = Home::new();
    home.ok(&["remember", "The boiler is in the cellar."], "");
    let path = space_file(&home);
    damage(&path);
    let before = fs::read(&path).ok();
    for arguments in [&["memory", "list"][..], &["remember", "More."], &["recall", "boiler"]] {
        let ran = home.run(arguments, "");
        assert_eq!(ran.code, Some(4), "{name}, {arguments:?}: {ran:?}");
        assert!(ran.err.contains("me.redb"), "{name}: the message names no file: {}", ran.err);
    }
    assert_eq!(fs::read(&path).ok(), before, "{name}: the file was altered");
}

#[test]
fn a_file_that_is_no_memory_is_refused_and_left_alone() {
    refused("text", |path| fs::write(path, "Dear diary, this is not a database at all.").unwrap());
    refused("empty", |path| fs::write(path, "").unwrap());
    refused("cut in half", |path| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    });
    refused("directory", |path| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
    });
    refused("64 flipped bytes", |path| {
        let mut bytes = fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        for place in 0..64 {
            bytes[4_096 + (middle - 4_096) / 64 * place] ^= 0xff;
        }
        fs::write(path, bytes).unwrap();
    });
}

#[test]
fn all_that_is_written_is_for_its_owner_alone() {
    let home = Home::new();
    home.chat(&["My sister lives in Bergen."]);
    let mut dirs = vec![home.data()];
    while let Some(dir) = dirs.pop() {
        let mode = |path: &PathBuf| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&dir), 0o700, "{}", dir.display());
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                dirs.push(path);
            } else {
                assert_eq!(mode(&path), 0o600, "{}", path.display());
            }
        }
    }
}

#[test]
fn names_cannot_leave_the_data_directory() {
    let home = Home::new();
    for user in ["../../x", "..", "a/b", "a\\b", "con", "%2e%2e", "Ada", "ada", "🦊"] {
        home.ok(&["--user", user, "remember", "A fact."], "");
        let ran = home.ok(&["--user", user, "--json", "memory", "list"], "");
        assert_eq!(ran.out.lines().count(), 1, "{user}: {ran:?}");
    }
    assert_eq!(home.run(&["--user", &"x".repeat(5_000), "memory", "list"], "").code, Some(2));
    let outside =
        fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    assert_eq!(outside, ["data"]);
}

#[test]
fn a_directory_that_cannot_be_written_is_said_so() {
    let home = Home::new();
    fs::write(home.data(), "a file in the way").unwrap();
    let ran = home.run(&["remember", "A fact."], "");
    assert_eq!(ran.code, Some(5), "{ran:?}");
    assert!(ran.err.contains("data"), "{}", ran.err);
}
