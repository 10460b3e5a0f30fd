//! What a person asked to have deleted is gone: from every answer, from every byte below the data directory, and the receipt
//! says where it is left.

use std::fs;
use std::io::{BufRead, BufReader, Write};

use serde_json::Value;

use crate::binary::{Home, Ran};

/// Words that stand nowhere else.
const WORDS: [&str; 4] = ["kumquatine", "zephyranth", "quillobrast", "vexilmure"];

fn id_of(home: &Home, word: &str) -> Option<String> {
    let traces = home.ok(&["--json", "memory", "list", "--all"], "").objects();
    let found = traces.iter().find(|trace| trace["text"].as_str().unwrap_or_default().contains(word));
    found.map(|trace| trace["id"].as_str().unwrap().to_owned())
}

fn forget(home: &Home, id: &str) -> Value {
    home.ok(&["--json", "forget", id, "--yes"], "").objects().remove(0)
}

#[test]
fn no_byte_of_what_was_forgotten_is_left() {
    let home = Home::new();
    let log = home.path().join("log");
    let mut serve = home.command(&["--set", "log.level=trace", "serve"]);
    let mut owner = serve.stderr(fs::File::create(&log).unwrap()).spawn().unwrap();
    let mut said = BufReader::new(owner.stdout.take().unwrap()).lines();
    assert!(said.next().unwrap().unwrap().contains("Serving"));
    // Told in a chat and quoted there; remembered; remembered and edited; told at length, so that it lies apart.
    home.chat(&["My cat is called kumquatine.", "What is my cat called?", "My boat is called Odin."]);
    home.ok(&["remember", "The zephyranth grows in the greenhouse."], "");
    home.ok(&["remember", "The quillobrast stands in the shed."], "");
    let edited = id_of(&home, "quillobrast").unwrap();
    home.ok(&["memory", "edit", &edited, "It stands elsewhere now."], "");
    home.ok(&["remember", &format!("The vexilmure is long. {}", "It goes on and on. ".repeat(200))], "");
    // As a terminal would have kept them.
    fs::write(home.data().join("chat_history"), "My cat is called kumquatine.\n").unwrap();
    for word in WORDS {
        let id = if word == "quillobrast" { edited.clone() } else { id_of(&home, word).unwrap() };
        let receipt = forget(&home, &id);
        assert_eq!(receipt["gone_from_memory"], true, "{word}: {receipt}");
        assert_eq!(receipt["gone_from_disk"], true, "{word}: {receipt}");
        assert!(receipt["gone_from_disk_at"].as_str().unwrap().starts_with("20"), "{word}: {receipt}");
        assert_eq!(receipt["backups"], Value::Array(Vec::new()), "{word}: {receipt}");
    }
    for word in WORDS {
        let found = home.ok(&["--json", "recall", word], "").objects();
        assert!(!found.iter().any(|line| line.to_string().contains(word)), "{word}: {found:?}");
        assert!(!home.holds(word), "{word} is on the disk still");
    }
    assert!(home.holds("Odin"), "the rest is there");
    owner.kill().unwrap();
    owner.wait().unwrap();
    assert!(!home.ok(&["why", "--last"], "").out.contains("kumquatine"));
    assert!(id_of(&home, "Odin").is_some());
}

#[test]
fn a_scrub_that_a_crash_cut_short_is_done_later() {
    let home = Home::new();
    home.ok(&["remember", "--stdin"], "The kumquatine is ripe.\nThe bike is green.\n");
    let id = id_of(&home, "kumquatine").unwrap();
    let mut owner = home.command(&["serve"]).spawn().unwrap();
    let mut said = BufReader::new(owner.stdout.take().unwrap()).lines();
    assert!(said.next().unwrap().unwrap().contains("Serving"));
    let mut forgetting = home.command(&["forget", &id, "--yes"]).spawn().unwrap();
    // Killed at some moment: before it was forgotten, before the file was written anew, or after.
    let mut first = [0_u8; 1];
    drop(forgetting.stdin.take());
    drop(std::io::Read::read(forgetting.stdout.as_mut().unwrap(), &mut first[..0]));
    owner.kill().unwrap();
    owner.wait().unwrap();
    forgetting.wait().unwrap();
    if id_of(&home, "kumquatine").is_some() {
        forget(&home, &id);
    }
    let stats = home.ok(&["--json", "memory", "stats"], "").objects().remove(0);
    assert_eq!(stats["traces"], 1, "{stats}");
    home.ok(&["remember", "The door is blue."], "");
    assert!(!home.holds("kumquatine"));
}

#[test]
fn counts_of_forgetting_are_honest() {
    let home = Home::new();
    home.ok(&["remember", "The bike is green."], "");
    home.ok(&["--user", "bo", "remember", "The boat is blue."], "");
    let mine = id_of(&home, "bike").unwrap();
    let bos = home.ok(&["--user", "bo", "--json", "memory", "list"], "").objects()[0]["id"].clone();
    let turn = "0000000000001";
    let refused = |id: &str| {
        let ran: Ran = home.run(&["--json", "forget", id, "--yes"], "");
        assert_eq!((ran.code, ran.out.as_str()), (Some(3), ""), "{id}: {ran:?}");
    };
    for id in [bos.as_str().unwrap(), turn, "../../x", "", "*"] {
        refused(id);
    }
    assert_eq!(forget(&home, &mine)["forgotten"], serde_json::json!([mine]));
    refused(&mine);
    assert_eq!(home.ok(&["--user", "bo", "--json", "memory", "list"], "").objects().len(), 1);
}

#[test]
fn a_receipt_names_the_backups_that_hold_it_and_no_others() {
    let home = Home::new();
    home.ok(&["remember", "The bike is green."], "");
    home.ok(&["backup", "early"], "");
    home.ok(&["remember", "The boat is blue."], "");
    home.ok(&["backup", "late"], "");
    home.ok(&["backup", "gone"], "");
    fs::remove_dir_all(home.path().join("gone")).unwrap();
    let names = |receipt: &Value| -> Vec<String> {
        let backups = receipt["backups"].as_array().unwrap().iter();
        backups.map(|held| held["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()).collect()
    };
    let boat = forget(&home, &id_of(&home, "boat").unwrap());
    assert_eq!(names(&boat), ["late"]);
    let bike = home.ok(&["forget", &id_of(&home, "bike").unwrap(), "--yes"], "");
    assert!(bike.out.contains("/early (of 20") && bike.out.contains("/late (of 20"), "{bike:?}");
    home.ok(&["remember", "The door is red."], "");
    let door = home.ok(&["forget", &id_of(&home, "door").unwrap(), "--yes"], "");
    assert!(door.out.contains("No backup that is known of holds it."), "{door:?}");
}

#[test]
fn forgetting_in_a_chat_says_what_is_left_too() {
    let home = Home::new();
    home.ok(&["remember", "The kumquatine is ripe."], "");
    let id = id_of(&home, "kumquatine").unwrap();
    let mut chat = home.command(&["chat"]).spawn().unwrap();
    write!(chat.stdin.take().unwrap(), "/forget {id}\nyes\n").unwrap();
    let out = String::from_utf8(chat.wait_with_output().unwrap().stdout).unwrap();
    assert!(out.contains("The file holds its bytes no longer, since 20"), "{out}");
    assert!(!home.holds("kumquatine"));
}
