//! Restores: what was forgotten since stays forgotten, and what can't be restored changes nothing.

use std::fs;
use std::io::{BufRead, BufReader};

use serde_json::{Value, json};

use crate::binary::Home;

fn id_of(home: &Home, word: &str) -> String {
    let traces = home.ok(&["--json", "memory", "list", "--all"], "").objects();
    let found = traces.iter().find(|trace| trace["text"].as_str().unwrap_or_default().contains(word));
    found.unwrap_or_else(|| panic!("{word} is not there"))["id"].as_str().unwrap().to_owned()
}

fn restored(home: &Home, arguments: &[&str]) -> Vec<Value> {
    home.ok(&[&["--json", "restore"], arguments].concat(), "").objects()
}

#[test]
fn what_was_forgotten_since_does_not_come_back() {
    let home = Home::new();
    home.chat(&["My cat is called kumquatine.", "What is my cat called?", "My boat is called Odin."]);
    home.ok(&["remember", "--stdin"], "The quillobrast is in the shed.\nThe bike is green.\n");
    home.ok(&["backup", "copy"], "");
    let edited = id_of(&home, "quillobrast");
    home.ok(&["memory", "edit", &edited, "It stands elsewhere."], "");
    for id in [id_of(&home, "kumquatine"), edited] {
        home.ok(&["forget", &id, "--yes"], "");
    }
    home.ok(&["remember", "The door is blue."], "");
    let dry = restored(&home, &["copy", "--dry-run"]);
    let expected = json!({
        "agent": "bethink", "user": "me", "now": { "traces": 3, "turns": 3 }, "unreadable": null,
        "then": { "traces": 4, "turns": 3 }, "held_back": 2, "restored": false,
    });
    assert_eq!(dry, [expected], "a dry run tells");
    assert_eq!(home.memories().len(), 3, "and changes nothing");
    assert_eq!(home.run(&["restore", "copy"], "").code, Some(7), "a person confirms");
    assert_eq!(home.memories().len(), 3);
    assert_eq!(restored(&home, &["copy", "--yes"])[0]["restored"], true);
    let mut memories = home.memories();
    memories.sort();
    assert_eq!(memories, ["My boat is called Odin.", "The bike is green."]);
    // Nor in transcript, postings, vectors or freed pages; the backup itself is outside.
    fs::remove_dir_all(home.path().join("copy")).unwrap();
    for word in ["kumquatine", "quillobrast", "blue"] {
        assert!(!home.holds(word), "{word} is on the disk");
    }
    let left: Vec<_> = fs::read_dir(home.data().join("spaces/bethink")).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing is left beside it: {left:?}");
    home.ok(&["remember", "The quillobrast is in the shed."], "");
    assert_eq!(home.memories().len(), 3, "a person may tell it again");
}

#[test]
fn what_was_told_again_is_restored() {
    let home = Home::new();
    home.ok(&["remember", "The bike is green."], "");
    home.ok(&["backup", "first"], "");
    home.ok(&["forget", &id_of(&home, "bike"), "--yes"], "");
    home.ok(&["remember", "The bike is green."], "");
    home.ok(&["remember", "The door is blue."], "");
    restored(&home, &["first", "--yes"]);
    assert_eq!(home.memories(), ["The bike is green."]);
}

#[test]
fn spaces_are_restored_by_name_and_missing_ones_are_made() {
    let home = Home::new();
    for user in ["ada", "bo"] {
        home.ok(&["--user", user, "remember", "The bike is green."], "");
    }
    home.ok(&["backup", "copy"], "");
    for user in ["ada", "bo"] {
        home.ok(&["--user", user, "remember", "The door is blue."], "");
    }
    let count = |user: &str| home.ok(&["--user", user, "--json", "memory", "list"], "").objects().len();
    assert_eq!(restored(&home, &["copy", "--user", "ada", "--yes"]).len(), 1);
    assert_eq!((count("ada"), count("bo")), (1, 2));
    assert_eq!(home.run(&["restore", "copy", "--user", "cy", "--yes"], "").code, Some(3));
    fs::remove_dir_all(home.data()).unwrap();
    assert_eq!(restored(&home, &["copy", "--yes"]).len(), 2);
    assert_eq!((count("ada"), count("bo")), (1, 1));
}

#[test]
fn what_cannot_be_restored_changes_nothing() {
    let home = Home::new();
    home.ok(&["--user", "ada", "remember", "The bike is green."], "");
    home.ok(&["--user", "bo", "remember", "The bike is green."], "");
    home.ok(&["backup", "copy"], "");
    home.ok(&["--user", "ada", "remember", "The door is blue."], "");
    let copy = home.path().join("copy");
    let file = home.data().join("spaces/bethink/ada.redb");
    let before = fs::read(&file).unwrap();
    let check = |name: &str, damage: &dyn Fn(), why: &str| {
        let kept: Vec<(&str, Vec<u8>)> = ["manifest.json", "spaces/bethink/bo.redb"]
            .map(|name| (name, fs::read(copy.join(name)).unwrap()))
            .into();
        damage();
        let ran = home.run(&["restore", "copy", "--yes"], "");
        assert_eq!(ran.code, Some(4), "{name}: {ran:?}");
        assert!(ran.err.contains(why), "{name}: {}", ran.err);
        assert!(fs::read(&file).unwrap() == before, "{name}: the memory was touched");
        kept.iter().for_each(|(name, bytes)| fs::write(copy.join(name), bytes).unwrap());
    };
    let manifest = copy.join("manifest.json");
    let rewritten = |from: &str, to: &str| {
        let text = fs::read_to_string(&manifest).unwrap();
        assert!(text.contains(from));
        fs::write(&manifest, text.replacen(from, to, 1)).unwrap();
    };
    check("newer", &|| rewritten("\"version\": 1", "\"version\": 99"), "a newer program made it");
    check("incomplete", &|| rewritten("\"complete\": true", "\"complete\": false"), "never completed");
    check("garbled", &|| fs::write(&manifest, "{").unwrap(), "is damaged");
    check("no backup", &|| fs::remove_file(&manifest).unwrap(), "there is no manifest.json");
    check("other rows", &|| rewritten("\"traces\": 1", "\"traces\": 2"), "is not what the manifest says");
    let bo = copy.join("spaces/bethink/bo.redb");
    check(
        "swapped",
        &|| {
            fs::copy(copy.join("spaces/bethink/ada.redb"), &bo).unwrap();
        },
        "is damaged",
    );
    check(
        "flipped bytes",
        &|| {
            let mut bytes = fs::read(&bo).unwrap();
            let step = bytes.len() / 128;
            for place in 1..127 {
                bytes[4_096 + place * (step - 40)] ^= 0xff;
            }
            fs::write(&bo, bytes).unwrap();
        },
        "bo.redb",
    );
    let mut owner = home.command(&["serve"]).spawn().unwrap();
    let mut said = BufReader::new(owner.stdout.take().unwrap()).lines();
    assert!(said.next().unwrap().unwrap().contains("Serving"));
    let ran = home.run(&["restore", "copy", "--yes"], "");
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(
        ran.err.contains(&owner.id().to_string()) && ran.err.contains("stop it, then restore"),
        "{ran:?}"
    );
    owner.kill().unwrap();
    owner.wait().unwrap();
    restored(&home, &["copy", "--yes"]);
}

#[test]
fn a_damaged_memory_can_be_replaced_and_is_kept_beside() {
    let home = Home::new();
    home.ok(&["remember", "The bike is green."], "");
    home.ok(&["backup", "copy"], "");
    let file = home.data().join("spaces/bethink/me.redb");
    fs::write(&file, "no database").unwrap();
    let told = restored(&home, &["copy", "--yes"]).remove(0);
    assert!(told["unreadable"].as_str().unwrap().contains("me.redb"), "{told}");
    assert_eq!(home.memories(), ["The bike is green."]);
    assert_eq!(fs::read(file.with_extension("redb-damaged")).unwrap(), b"no database");
}
