//! Taking memories out and in: nothing is doubled, nothing forgotten comes back, and what was cut off goes on.

use std::path::PathBuf;

use serde_json::Value;

use crate::binary::{Home, Ran};

const QUIET: [&str; 2] = ["--set", "embedding.provider=none"];

fn ok(home: &Home, arguments: &[&str], input: &str) -> Ran {
    home.ok(&[&QUIET[..], arguments].concat(), input)
}

fn import(home: &Home, arguments: &[&str], input: &str) -> Value {
    let ran = ok(home, &[&["--json", "import"], arguments].concat(), input);
    ran.objects().pop().unwrap()
}

fn counts(done: &Value) -> [u64; 4] {
    ["stored", "known", "forgotten", "refused"].map(|name| done[name].as_u64().unwrap())
}

fn export(home: &Home, name: &str) -> (PathBuf, String) {
    let path = home.path().join(name);
    ok(home, &["export", "--replace", path.to_str().unwrap()], "");
    let text = std::fs::read_to_string(&path).unwrap();
    // The first line says when it was made.
    let traces = text.lines().skip(1).map(|line| format!("{line}\n")).collect();
    (path, traces)
}

/// The lines of an export without what belongs to one space. Those that are imported at once keep no order.
fn told(traces: &str) -> Vec<Value> {
    let line = |line: &str| {
        let mut trace: Value = serde_json::from_str(line).unwrap();
        for own in ["id", "lineage"] {
            trace[own] = Value::Null;
        }
        trace
    };
    let mut lines: Vec<Value> = traces.lines().map(line).collect();
    lines.sort_by_key(|trace| trace["recorded_at"].to_string());
    lines
}

#[test]
fn an_export_changes_nothing_where_it_comes_from_and_brings_all_of_it_elsewhere() {
    let home = Home::new();
    for text in ["My boat is QUINCE31 blue.", "Ida plays the cello.", "The key hangs in the shed."] {
        ok(&home, &["remember", text], "");
    }
    let id = ok(&home, &["--json", "recall", "cello"], "").objects()[0]["id"].as_str().unwrap().to_owned();
    ok(&home, &["memory", "pin", &id], "");
    ok(&home, &["chat"], "Yesterday I met Nora at the harbour.\n");
    let (path, before) = export(&home, "all.jsonl");
    let file = path.to_str().unwrap();
    assert_eq!(before.lines().count(), 4, "{before}");

    for _ in 0..2 {
        assert_eq!(counts(&import(&home, &[file], "")), [0, 4, 0, 0], "its own export is known");
    }
    assert_eq!(export(&home, "again.jsonl").1, before, "and changes nothing");

    let elsewhere = Home::new();
    assert_eq!(counts(&import(&elsewhere, &[file], "")), [4, 0, 0, 0]);
    let there = export(&elsewhere, "there.jsonl").1;
    assert_eq!(told(&there), told(&before));
}

#[test]
fn what_was_forgotten_does_not_come_back_unless_asked_for() {
    let home = Home::new();
    for text in ["My boat is QUINCE31 blue.", "Ida plays the cello."] {
        ok(&home, &["remember", text], "");
    }
    let (path, _) = export(&home, "all.jsonl");
    let file = path.to_str().unwrap();
    let id = ok(&home, &["--json", "recall", "boat"], "").objects()[0]["id"].as_str().unwrap().to_owned();
    ok(&home, &["forget", &id, "--yes"], "");
    assert_eq!(counts(&import(&home, &[file], "")), [0, 1, 1, 0]);
    assert_eq!(home.memories(), ["Ida plays the cello."]);
    assert_eq!(counts(&import(&home, &["-"], "my boat is quince31 blue")), [0, 0, 1, 0], "nor by its words");
    assert_eq!(counts(&import(&home, &[file, "--revive"], "")), [1, 1, 0, 0]);
    assert_eq!(home.memories().len(), 2);
}

#[test]
fn statements_are_taken_a_line_each_and_bad_lines_are_told() {
    let home = Home::new();
    let notes = "My boat is blue.\n\n  Ida plays the cello.  \nmy boat is BLUE\n";
    assert_eq!(counts(&import(&home, &["-", "--at", "2026-03-01"], notes)), [2, 1, 0, 0]);
    assert_eq!(counts(&import(&home, &["-"], notes)), [0, 3, 0, 0], "the same again stores nothing");
    let listed = ok(&home, &["--json", "memory", "list"], "").objects();
    assert_eq!(listed[0]["recorded_at"], "2026-03-01T00:00:00Z");

    let lines = concat!(
        "{\"text\":\"The shed is locked.\"}\n",
        "{\"text\":\n",
        "{\"text\":\"A rumour.\",\"kind\":\"rumour\"}\n",
        "{\"is\":\"turn\",\"v\":1,\"turn\":\"t\",\"session\":\"s\",\"at\":\"x\",\"message\":\"m\",\"reply\":\"r\"}\n",
        "{\"text\":\"The attic is not.\"}\n",
    );
    let ran = home.run(&[&QUIET[..], &["--json", "import", "-"]].concat(), lines);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let done = ran.objects().pop().unwrap();
    assert_eq!((counts(&done), &done["turns"]), ([2, 0, 0, 2], &Value::from(1)), "the rest goes on");
    for expected in ["line 2: it is not JSON", "line 3: `rumour` is no kind of memory"] {
        assert!(ran.err.contains(expected), "{}", ran.err);
    }
    assert_eq!(home.memories().len(), 4);
}

#[test]
fn an_import_that_was_killed_goes_on_and_doubles_nothing() {
    let home = Home::new();
    let notes: String = (0..3_000).map(|n| format!("Box {n} stands on shelf {}.\n", n * 7 % 1_000)).collect();
    let path = home.path().join("notes.txt");
    std::fs::write(&path, notes).unwrap();
    let arguments = [&QUIET[..], &["import", path.to_str().unwrap()]].concat();
    let mut child = home.command(&arguments).spawn().unwrap();
    // Somewhere in the middle, wherever that is on this machine.
    while home.run(&[&QUIET[..], &["--json", "memory", "list", "--limit", "1"]].concat(), "").out.is_empty() {
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = home.memories().len() as u64;
    let [stored, known, ..] = counts(&import(&home, &[path.to_str().unwrap()], ""));
    assert_eq!((stored + known, known), (3_000, before));
    assert_eq!(home.memories().len(), 3_000);
}

#[test]
fn an_export_is_whole_and_private_and_replaces_nothing_unasked() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    home.ok(&[&QUIET[..], &["chat"]].concat(), "My boat is blue.\nWhat colour is my boat?\n");
    let path = home.path().join("all.jsonl");
    let file = path.to_str().unwrap();
    ok(&home, &["export", file, "--transcript"], "");
    let text = std::fs::read_to_string(&path).unwrap();
    let kinds: Vec<Value> =
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["is"].clone()).collect();
    assert_eq!(kinds, ["export", "trace", "turn", "turn"]);
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let ran = home.run(&[&QUIET[..], &["export", file]].concat(), "");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let out = ok(&home, &["export", "-", "--transcript"], "").out;
    assert_eq!(out.lines().count(), 4, "{out}");
    let ran = home.run(&[&QUIET[..], &["export", "/nowhere/all.jsonl"]].concat(), "");
    assert_eq!(ran.code, Some(5), "{ran:?}");
}
