//! Looking leaves the file of a space as it was, makes none, and needs no right to write.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::binary::Home;

/// Commands that only look, with what is typed into them.
const LOOKS: &[(&[&str], &str)] = &[
    (&["recall", "boiler"], ""),
    (&["memory", "list"], ""),
    (&["memory", "stats"], ""),
    (&["why", "--last"], ""),
    (&["doctor", "--deep"], ""),
    (&["chat", "--private"], "Where is the boiler?\n"),
];

fn space_file(home: &Home, user: &str) -> PathBuf {
    home.data().join(format!("spaces/bethink/{user}.redb"))
}

#[test]
fn looking_leaves_the_file_as_it_was() {
    let home = Home::new();
    home.chat(&["The boiler is in the cellar.", "Where is the boiler?"]);
    let path = space_file(&home, "me");
    let print = || (fs::read(&path).unwrap(), fs::metadata(&path).unwrap().modified().unwrap());
    let before = print();
    for (arguments, input) in LOOKS {
        home.ok(arguments, input);
        assert!(print() == before, "{arguments:?} changed the file");
    }
}

#[test]
fn looking_at_nobody_makes_no_file() {
    let home = Home::new();
    home.ok(&["remember", "The boiler is in the cellar."], "");
    for (arguments, input) in LOOKS {
        home.run(&[&["--user", "nobody"], *arguments].concat(), input);
        assert!(!space_file(&home, "nobody").exists(), "{arguments:?} made a file");
    }
}

#[test]
fn a_file_that_may_only_be_read_is_read() {
    let home = Home::new();
    home.ok(&["remember", "The boiler is in the cellar."], "");
    let path = space_file(&home, "me");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
    let before = fs::read(&path).unwrap();
    for arguments in [&["recall", "boiler"][..], &["memory", "list"]] {
        let ran = home.ok(arguments, "");
        assert!(ran.out.contains("cellar"), "{arguments:?}: {ran:?}");
    }
    let ran = home.run(&["remember", "The key is under the mat."], "");
    assert_eq!(ran.code, Some(5), "{ran:?}");
    assert!(ran.err.contains("me.redb"), "the message names no file: {}", ran.err);
    assert!(fs::read(&path).unwrap() == before);
}
