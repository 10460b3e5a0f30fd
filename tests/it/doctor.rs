//! `doctor`: finds what is wrong, names it, goes on with the next, and changes nothing unless asked to.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::binary::{Home, Ran};

fn space_file(home: &Home, user: &str) -> PathBuf {
    home.data().join(format!("spaces/bethink/{user}.redb"))
}

/// What `doctor --json` said last, about everything.
fn verdict(ran: &Ran) -> [u64; 4] {
    let last = ran.objects().pop().unwrap();
    ["spaces", "healthy", "damaged", "ailing"].map(|key| last[key].as_u64().unwrap())
}

/// Codes that were found in a space.
fn codes(ran: &Ran, space: &str) -> Vec<String> {
    let objects = ran.objects();
    let object = objects.iter().find(|object| object["space"] == space).unwrap();
    object["found"]["counts"].as_object().into_iter().flatten().map(|(code, _)| code.clone()).collect()
}

#[test]
fn sound_memory_is_healthy_and_left_as_it_is() {
    let home = Home::new();
    assert_eq!(verdict(&home.ok(&["--json", "doctor"], "")), [0, 0, 0, 0]);
    assert!(!home.data().exists(), "nothing is made to be looked at");
    home.chat(&["The boiler is in the cellar.", "Where is the boiler?"]);
    home.ok(&["--user", "ada", "remember", "My dog is called Pepper."], "");
    let before = fs::read(space_file(&home, "me")).unwrap();
    for arguments in [&["doctor"][..], &["doctor", "--deep"], &["doctor", "--deep", "--repair", "--migrate"]]
    {
        let ran = home.ok(arguments, "");
        assert!(ran.out.ends_with("2 spaces examined: 2 healthy.\n"), "{ran:?}");
    }
    assert!(fs::read(space_file(&home, "me")).unwrap() == before);
    let ran = home.ok(&["--json", "--user", "ada", "doctor", "--deep"], "");
    assert_eq!(verdict(&ran), [1, 1, 0, 0]);
    let objects = ran.objects();
    let ada = objects.iter().find(|object| object["space"] == "bethink/ada").unwrap();
    assert_eq!((&ada["traces"], &ada["format"]), (&1.into(), &2.into()));
    assert!(ada["tables"].as_array().unwrap().iter().any(|table| table["table"] == "trace_text"), "{ada}");
}

#[test]
fn memory_in_use_is_examined_while_it_is_written() {
    let home = Home::new();
    let quick = ["--set", "embedding.provider=none", "chat"];
    let mut owner = home.command(&quick).spawn().unwrap();
    let mut out = BufReader::new(owner.stdout.take().unwrap()).lines();
    assert!(out.next().unwrap().unwrap().contains("Memory is in"));
    let mut child = home.command(&["--json", "remember", "--stdin"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writing = std::thread::spawn(move || {
        for n in 0..300 {
            writeln!(stdin, "Box {n} holds part {n}.").unwrap();
        }
    });
    for _ in 0..8 {
        let ran = home.ok(&["--json", "doctor", "--deep"], "");
        assert_eq!(verdict(&ran)[2..], [0, 0], "{ran:?}");
    }
    writing.join().unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(verdict(&home.ok(&["--json", "doctor", "--deep"], "")), [1, 1, 0, 0]);
    drop(owner.stdin.take());
    assert!(owner.wait().unwrap().success());
}

#[test]
fn what_cannot_be_opened_is_told_of_and_the_others_are_looked_at() {
    let home = Home::new();
    for user in ["ada", "bea", "cy"] {
        home.ok(&["--user", user, "remember", "My dog is called Pepper."], "");
    }
    let bytes = fs::read(space_file(&home, "ada")).unwrap();
    fs::write(space_file(&home, "ada"), &bytes[..bytes.len() / 2]).unwrap();
    fs::write(space_file(&home, "cy"), "Dear diary").unwrap();
    for arguments in [&["--json", "doctor"][..], &["--json", "doctor", "--deep", "--repair"]] {
        let ran = home.run(arguments, "");
        assert_eq!(ran.code, Some(4), "{ran:?}");
        assert_eq!(verdict(&ran), [3, 1, 2, 0]);
        assert_eq!(codes(&ran, "bethink/ada"), ["space-unreadable"]);
        assert_eq!(codes(&ran, "bethink/cy"), ["space-foreign"]);
    }
    assert!(fs::read(space_file(&home, "ada")).unwrap() == bytes[..bytes.len() / 2], "it was left as it is");
    let ran = home.run(&["doctor"], "");
    assert!(ran.out.contains("ada.redb") && ran.out.contains("restore the space from a backup"), "{ran:?}");
}

#[test]
fn what_a_crash_and_a_careless_copy_left_is_put_in_order() {
    let home = Home::new();
    home.ok(&["remember", "The boiler is in the cellar."], "");
    let file = space_file(&home, "me");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(file.with_extension("redb-new"), "half a file").unwrap();
    fs::write(space_file(&home, "nobody").with_extension("redb-new"), "half a file").unwrap();
    let ran = home.run(&["--json", "doctor"], "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(codes(&ran, "bethink/me"), ["leftover", "mode-open"]);
    assert_eq!(codes(&ran, "bethink/nobody"), ["leftover"]);
    // Awake, the space is put to sleep to be mended, and wakes again.
    let mut owner = home.command(&["chat"]).spawn().unwrap();
    let mut out = BufReader::new(owner.stdout.take().unwrap()).lines();
    assert!(out.next().unwrap().unwrap().contains("Memory is in"));
    assert_eq!(home.memories().len(), 1);
    let ran = home.ok(&["--json", "doctor", "--repair"], "");
    assert_eq!(ran.objects().pop().unwrap()["repaired"], 3, "{ran:?}");
    assert_eq!(home.memories().len(), 1);
    drop(owner.stdin.take());
    assert!(owner.wait().unwrap().success());
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn files_of_earlier_formats_are_migrated_when_asked_for() {
    let home = Home::new();
    home.ok(&["--user", "ada", "remember", "My dog is called Pepper."], "");
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../memory-store/tests/fixtures/format-1-life.redb");
    fs::copy(&fixture, space_file(&home, "me")).unwrap();
    fs::set_permissions(space_file(&home, "me"), fs::Permissions::from_mode(0o600)).unwrap();
    let ran = home.ok(&["--json", "doctor"], "");
    assert!(codes(&ran, "bethink/me").contains(&"format-old".to_owned()), "{ran:?}");
    assert!(fs::read(space_file(&home, "me")).unwrap() == fs::read(&fixture).unwrap());
    let ran = home.ok(&["--json", "doctor", "--migrate"], "");
    let objects = ran.objects();
    let me = objects.iter().find(|object| object["space"] == "bethink/me").unwrap();
    assert_eq!((&me["format"], &me["repaired"]["counts"]["format-old"]), (&2.into(), &1.into()), "{me}");
    assert!(!codes(&ran, "bethink/me").contains(&"format-old".to_owned()));
    assert_eq!(me["traces"], 7);
}

/// The table of findings in the handbook is the one in the code.
#[test]
fn the_handbook_tells_of_every_finding() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/doctor.md");
    let told = fs::read_to_string(&page).unwrap();
    let mut rows = String::new();
    for kind in bethink_domain::FindingKind::ALL {
        let (severity, meaning) = (kind.severity().name(), kind.meaning());
        rows.push_str(&format!("| `{}` | {severity} | {meaning} | {} |\n", kind.code(), kind.remedy()));
    }
    let (text, _) = told.split_once("|---|---|---|---|\n").unwrap();
    assert!(told.ends_with(&rows), "the page should be:\n{text}|---|---|---|---|\n{rows}");
}
