//! Backups: made while memory is in use, and refused where something would be lost.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::binary::Home;

fn below(dir: &Path) -> Vec<PathBuf> {
    let mut found = vec![dir.to_owned()];
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(below(&path)) } else { found.push(path) }
    }
    found
}

fn manifest(dir: &Path) -> Value {
    serde_json::from_slice(&fs::read(dir.join("manifest.json")).unwrap()).unwrap()
}

#[test]
fn a_backup_is_made_while_memory_is_in_use_and_wakes_nobody() {
    let home = Home::new();
    for user in ["ada", "bo"] {
        home.ok(
            &["--user", user, "remember", "--stdin"],
            "The boiler is in the cellar.\nThe bike is green.\n",
        );
    }
    let mut owner = home.command(&["serve"]).spawn().unwrap();
    let mut said = BufReader::new(owner.stdout.take().unwrap()).lines();
    assert!(said.next().unwrap().unwrap().contains("Serving"));
    home.ok(&["--user", "ada", "remember", "The fuse box is in the hall."], "");
    let made = home.ok(&["--json", "backup", "copies/first"], "").objects().remove(0);
    assert_eq!((made["spaces"].as_u64(), made["traces"].as_u64()), (Some(2), Some(5)), "{made}");
    let status = home.ok(&["--json", "status"], "").objects().remove(0);
    let awake: Vec<&str> =
        status["spaces"].as_array().unwrap().iter().map(|space| space["user"].as_str().unwrap()).collect();
    assert_eq!(awake, ["ada"], "the other one slept on");
    owner.kill().unwrap();
    owner.wait().unwrap();
    let copy = home.path().join("copies/first");
    let told = manifest(&copy);
    assert_eq!((told["version"].as_u64(), told["complete"].as_bool()), (Some(1), Some(true)));
    let counts: Vec<(&str, u64)> = told["spaces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|space| (space["user"].as_str().unwrap(), space["traces"].as_u64().unwrap()))
        .collect();
    assert_eq!(counts, [("ada", 3), ("bo", 2)]);
    for path in below(&copy) {
        let mode = path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
    }
}

#[test]
fn a_backup_replaces_nothing() {
    let home = Home::new();
    home.ok(&["remember", "The boiler is in the cellar."], "");
    home.ok(&["backup", "first"], "");
    fs::create_dir_all(home.path().join("photos")).unwrap();
    fs::write(home.path().join("photos/cat.jpg"), "meow").unwrap();
    fs::write(home.path().join("letter"), "dear").unwrap();
    let check = |dir: &str, why: &str| {
        let before: Vec<_> =
            below(home.path()).into_iter().filter(|path| !path.starts_with(home.data())).collect();
        let ran = home.run(&["backup", dir], "");
        assert_eq!(ran.code, Some(2), "{dir}: {ran:?}");
        assert!(ran.err.contains(why), "{dir}: {}", ran.err);
        let after: Vec<_> =
            below(home.path()).into_iter().filter(|path| !path.starts_with(home.data())).collect();
        assert_eq!(before, after, "{dir}: nothing came or went");
    };
    check("first", "it holds the backup of");
    check("photos", "it holds something else");
    check("letter", "there is a file");
    check("data/inside", "it lies in the data directory");
    fs::create_dir(home.path().join("empty")).unwrap();
    home.ok(&["backup", "empty"], "");
    // What an attempt that was cut short left makes room; what merely has its name does not.
    fs::rename(home.path().join("empty"), home.path().join("second.incomplete")).unwrap();
    home.ok(&["backup", "second"], "");
    assert!(!home.path().join("second.incomplete").exists());
    fs::create_dir(home.path().join("third.incomplete")).unwrap();
    fs::write(home.path().join("third.incomplete/notes"), "mine").unwrap();
    check("third", "it holds something else");
}

#[test]
fn a_damaged_memory_is_left_out_and_told_of() {
    let home = Home::new();
    for user in ["ada", "bo"] {
        home.ok(&["--user", user, "remember", "The boiler is in the cellar."], "");
    }
    fs::write(home.data().join("spaces/bethink/ada.redb"), "no database").unwrap();
    let ran = home.run(&["--json", "backup", "first"], "");
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.err.contains("bethink/ada is not in it"), "{ran:?}");
    let told = manifest(&home.path().join("first"));
    assert_eq!(told["spaces"].as_array().unwrap().len(), 1);
    assert_eq!(told["left_out"][0]["user"], "ada");
}

/// Starts an owner with backups by the clock, and asks how they are until `enough`.
fn by_the_clock(home: &Home, dir: &str, enough: impl Fn(&Value) -> bool) -> Value {
    let settings =
        [format!("backup.dir={dir}"), "backup.keep=2".to_owned(), "spaces.tick_seconds=1".to_owned()];
    let mut command = home.command(&["serve"]);
    command.args(settings.iter().flat_map(|setting| ["--set", setting.as_str()]));
    let mut owner = command.spawn().unwrap();
    let mut said = BufReader::new(owner.stdout.take().unwrap()).lines();
    assert!(said.next().unwrap().unwrap().contains("Serving"));
    // Each question takes a while of its own.
    let told = (0..400).map(|_| home.ok(&["--json", "status"], "").objects().remove(0)).find(&enough);
    let human = home.ok(&["status"], "").out;
    assert!(human.contains("Backups: "), "{human}");
    owner.kill().unwrap();
    owner.wait().unwrap();
    told.expect("because the clock strikes every second")
}

#[test]
fn backups_by_the_clock_are_made_once_when_missed_and_the_newest_few_are_kept() {
    let home = Home::new();
    home.ok(&["remember", "The bike is green."], "");
    let kept = home.path().join("kept");
    for day in ["2020-01-01", "2020-01-02", "2020-01-03"] {
        let dir = kept.join(format!("bethink-{}T000000Z", day.replace('-', "")));
        home.ok(&["backup", dir.to_str().unwrap()], "");
        let mut told = manifest(&dir);
        told["made_at"] = format!("{day}T00:00:00Z").into();
        fs::write(dir.join("manifest.json"), told.to_string()).unwrap();
    }
    fs::create_dir(kept.join("bethink-photos")).unwrap();
    let fresh = |status: &Value| {
        status["backup"]["last"]["made_at"].as_str().is_some_and(|at| !at.starts_with("2020"))
    };
    let first = by_the_clock(&home, kept.to_str().unwrap(), fresh);
    assert!(first["errors"].as_array().unwrap().is_empty(), "{first}");
    let names = || {
        let mut names: Vec<String> = fs::read_dir(&kept)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let after = names();
    assert_eq!(after.len(), 3, "the newest two, and what is none of ours: {after:?}");
    assert_eq!(after[0], "bethink-20200103T000000Z");
    assert!(after.contains(&"bethink-photos".to_owned()));
    // The next owner knows that none is due before tomorrow.
    let second = by_the_clock(&home, kept.to_str().unwrap(), |_| true);
    assert_eq!((names(), &second["backup"]["failed"]), (after, &Value::Null));
}

#[test]
fn a_backup_by_the_clock_that_fails_is_told_of() {
    let home = Home::new();
    home.ok(&["remember", "The bike is green."], "");
    fs::write(home.path().join("taken"), "a file").unwrap();
    let dir = home.path().join("taken/kept");
    let failed = by_the_clock(&home, dir.to_str().unwrap(), |status| !status["backup"]["failed"].is_null());
    assert!(failed["errors"].to_string().contains("the scheduled backup failed"), "{failed}");
}
