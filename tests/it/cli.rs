//! The command line: what it prints, how it ends.

use std::io::Read;
use std::process::Stdio;

use crate::binary::Home;

#[test]
fn statements_from_a_pipe_are_printed_once_they_are_durable() {
    let home = Home::new();
    let ran = home.ok(
        &["--json", "remember", "--stdin"],
        "The boiler is in the cellar.\n\nThe fuse box is in the hall.\n",
    );
    let objects = ran.objects();
    assert_eq!(objects.len(), 2, "{ran:?}");
    assert_eq!(objects[1]["text"], "The fuse box is in the hall.");
    let id = objects[0]["id"].as_str().unwrap();
    let shown = home.ok(&["--json", "memory", "show", id], "").objects();
    assert_eq!(shown[0]["text"], "The boiler is in the cellar.");
    assert_eq!(home.memories().len(), 2);
}

#[test]
fn looking_changes_nothing() {
    let home = Home::new();
    home.ok(&["remember", "The boiler is in the cellar."], "");
    let list = || home.ok(&["--json", "memory", "list", "--all"], "").out;
    let journal = || home.ok(&["--json", "memory", "stats"], "").objects()[0]["journal_entries"].clone();
    let before = (list(), journal());
    home.ok(&["recall", "where is the boiler?"], "");
    let id = home.ok(&["--json", "memory", "list"], "").objects()[0]["id"].as_str().unwrap().to_owned();
    home.ok(&["why", &id], "");
    let after = (list(), journal());
    let strength = |text: &str| text.split("\"strength\"").next().unwrap_or_default().to_owned();
    assert_eq!((strength(&before.0), before.1), (strength(&after.0), after.1));
}

#[test]
fn recall_ends_with_what_memory_feels() {
    let home = Home::new();
    home.ok(&["remember", "The boiler is in the cellar."], "");
    let objects = home.ok(&["--json", "recall", "where is the boiler?"], "").objects();
    assert_eq!(objects[0]["text"], "The boiler is in the cellar.");
    for key in ["id", "kind", "text", "score", "relevance", "strength", "at", "source"] {
        assert!(!objects[0][key].is_null(), "{key} is missing");
    }
    let last = objects.last().unwrap();
    assert_eq!((last["feeling"].as_str(), last["recall_id"].is_null()), (Some("known"), true));
    let none = home.ok(&["--json", "recall", "who painted the Mona Lisa?"], "").objects();
    assert_eq!((none.len(), none[0]["feeling"].as_str()), (1, Some("never_known")));
}

#[test]
fn exit_codes_can_be_told_apart() {
    let home = Home::new();
    home.ok(&["remember", "The boiler is in the cellar."], "");
    let id = home.ok(&["--json", "memory", "list"], "").objects()[0]["id"].as_str().unwrap().to_owned();
    let check = |arguments: &[&str], code: i32| {
        let ran = home.run(arguments, "");
        assert_eq!(ran.code, Some(code), "{arguments:?}: {ran:?}");
        assert!(!ran.err.is_empty(), "{arguments:?} says nothing");
    };
    check(&["recall", "boiler", "--k", "0"], 2);
    check(&["recall", "boiler", "--k", "-1"], 2);
    check(&["recall", "boiler", "--k", "2147483648"], 2);
    check(&["recall", "boiler", "--k", "x"], 2);
    check(&["recall", "boiler", "--threshold", "7"], 2);
    check(&["recall", "boiler", "--threshold", "NaN"], 2);
    check(&["memory", "list", "--limit", "0"], 2);
    check(&["memory", "list", "--kind", "weird"], 2);
    check(&["memory", "list", "--since", "soon"], 2);
    check(&["remember", ""], 2);
    check(&["remember", " \t "], 2);
    check(&["nonsense"], 2);
    check(&["memory", "show", "0000000000000"], 3);
    check(&["memory", "show", "../../x"], 3);
    check(&["forget", "0000000000000", "--yes"], 3);
    check(&["forget", &id], 7);
    check(&["--user", "", "memory", "list"], 2);
}

#[test]
fn a_long_list_comes_whole_and_may_be_cut_by_its_reader() {
    let home = Home::new();
    let lines: String = (0..1_200).map(|n| format!("Box {n} holds part {n}.\n")).collect();
    home.ok(&["remember", "--stdin"], &lines);
    let mut texts = home.memories();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), 1_200);
    let mut child = home.command(&["memory", "list"]).spawn().unwrap();
    let mut first = [0u8; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && err.is_empty(), "{err}");
}

#[test]
fn a_full_device_is_an_error() {
    let home = Home::new();
    home.ok(&["remember", "The boiler is in the cellar."], "");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let child = home.command(&["memory", "list"]).stdout(Stdio::from(full)).spawn().unwrap();
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(5) && !err.contains("panicked"), "{:?} {err}", output.status);
}

#[test]
fn no_input_can_make_it_panic() {
    let home = Home::new();
    let mut input = Vec::new();
    for line in [
        &b"\xff\xfe\xfd"[..],
        b"",
        b"   ",
        b"a\0b",
        "固😀é👨‍👩‍👧क्षि".as_bytes(),
        "\u{202e}abc".as_bytes(),
        b"I like tea.",
        b"/nonsense",
        b"?!",
    ] {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    input.extend(std::iter::repeat_n(b'x', 10 << 20));
    input.push(b'\n');
    let cluster = "固😀é👨‍👩‍👧क्षि";
    for n in (0..64).step_by(7) {
        input.extend_from_slice(format!("{}{}\n", "a".repeat(n), cluster.repeat(100)).as_bytes());
    }
    input.extend_from_slice(b"Do I like tea?\n");
    let ran = home.run(&["--json", "chat"], &input);
    assert!(ran.err.contains("not UTF-8") && ran.err.contains("too long"), "{}", ran.err);
    let last = ran.objects().pop().unwrap();
    assert!(last["reply"].as_str().is_some_and(|reply| reply.contains("I like tea.")), "{last}");
}

#[test]
fn one_place_whatever_it_is_called() {
    let home = Home::new();
    home.ok(&["remember", "The boiler is in the cellar."], "");
    let config = home.path().join("bethink.toml");
    for dir in ["~/data", "./data", "data"] {
        std::fs::write(&config, format!("[memory]\ndata_dir = \"{dir}\"\n")).unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_bethink"));
        command.env_clear().env("HOME", home.path()).current_dir("/").args(["--config"]).arg(&config);
        let output = command.args(["memory", "list"]).output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        assert!(out.contains("The boiler is in the cellar."), "{dir}: {out}");
    }
    assert!(!home.path().join("~").exists());
}

#[test]
fn a_mistake_in_the_configuration_is_named_before_anything_starts() {
    let home = Home::new();
    let config = home.path().join("bad.toml");
    std::fs::write(&config, "[memory]\nprofil = \"lab\"\n").unwrap();
    let ran = home.run(&["--config", config.to_str().unwrap(), "chat"], "");
    assert_eq!(ran.code, Some(2));
    for fragment in ["bad.toml", "line 2", "profil", "profile"] {
        assert!(ran.err.contains(fragment), "{}", ran.err);
    }
    assert!(!home.data().exists());
}

#[test]
fn users_and_agents_do_not_know_of_each_other() {
    let home = Home::new();
    home.ok(&["--user", "alice", "remember", "My PIN hint is giraffe."], "");
    let asked = ["--json", "recall", "what is my PIN hint?"];
    for space in [["--user", "bob"], ["--user", "ALICE"], ["--user", "../alice"], ["--agent", "other"]] {
        let ran = home.ok(&[&space[..], &asked[..]].concat(), "");
        assert!(!ran.out.contains("giraffe"), "{space:?}: {ran:?}");
    }
    let own = home.ok(&[&["--user", "alice"][..], &asked[..]].concat(), "");
    assert!(own.out.contains("giraffe"));
}

#[test]
fn forgetting_deletes_for_ever() {
    let home = Home::new();
    home.chat(&["My old flat was in KUMQUATSTREET 7."]);
    home.chat(&["Where was my old flat?"]);
    let id = home.ok(&["--json", "memory", "list"], "").objects()[0]["id"].as_str().unwrap().to_owned();
    let rehearsed = home.run(&["forget", &id], "");
    assert!(rehearsed.err.contains("KUMQUATSTREET"), "{rehearsed:?}");
    home.ok(&["forget", &id, "--yes"], "");
    assert_eq!(home.memories(), Vec::<String>::new());
    let why = home.ok(&["why", "--last"], "");
    assert!(!why.out.contains("KUMQUATSTREET"), "{why:?}");
    let reply = home.chat(&["Where was my old flat?"]);
    assert!(!reply[0].contains("KUMQUATSTREET"), "{reply:?}");
}

#[test]
fn memory_that_is_switched_off_keeps_and_recalls_nothing() {
    let home = Home::new();
    let config = home.path().join("off.toml");
    std::fs::write(&config, "[memory]\nenabled = false\n").unwrap();
    let off = ["--config", config.to_str().unwrap()];
    for arguments in [&["remember", "My dog is called Pepper."][..], &["recall", "dog"]] {
        let ran = home.run(&[&off[..], arguments].concat(), "");
        assert!(ran.code == Some(2) && ran.err.contains("switched off"), "{ran:?}");
    }
    home.ok(&[&off[..], &["chat"]].concat(), "My dog is called Pepper.\nWhat is my dog called?\n");
    assert_eq!(home.memories(), Vec::<String>::new());
    assert!(!home.holds("Pepper"));
}

#[test]
fn remembered_text_cannot_command_the_terminal() {
    let home = Home::new();
    home.ok(&["remember", "--stdin"], "My \x1b[2J\x1b]0;pwn\x07 \u{202e}marker.\n");
    for arguments in [&["memory", "list"][..], &["recall", "marker"]] {
        let ran = home.ok(arguments, "");
        assert!(ran.out.contains("marker") && !ran.out.contains(['\x1b', '\x07', '\u{202e}']), "{ran:?}");
    }
}
