//! A store under stress: a disk that fills up, many writers at once, the same things told for ever, many questions.

use std::collections::BTreeSet;
use std::fs;

use crate::binary::{Home, finish};
use crate::serving::Serving;

/// Fills a disk of two megabytes, frees it again, and looks at each step. Prints the statements that were confirmed.
const FULL_DISK: &str = r#"
set -e
mount -t tmpfs -o size=2m,mode=0700 none "$HOME/disk"
mkdir "$HOME/disk/data"
head -c 900000 /dev/zero > "$HOME/disk/filler"
bethink() { "$BETHINK" --data-dir "$HOME/disk/data" --set embedding.provider=none --json "$@"; }
set +e
seq 1 3000 | sed 's/.*/Statement & speaks at some length of shelf & in the long hall behind the old mill by the river./' \
  | bethink remember --stdin > "$HOME/confirmed" 2> "$HOME/full"
echo "full $?"
bethink memory list > "$HOME/read"
echo "read $?"
rm "$HOME/disk/filler"
bethink remember "There is room again." > "$HOME/again" 2>&1
echo "again $?"
bethink memory list --all > "$HOME/after"
bethink doctor --deep > "$HOME/doctor"
echo "doctor $?"
"#;

#[test]
fn a_full_disk_is_named_reading_goes_on_and_room_heals_it() {
    let home = Home::new();
    fs::create_dir(home.path().join("disk")).unwrap();
    let mut command = std::process::Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "bash", "-c", FULL_DISK]).env_clear();
    command.env("HOME", home.path()).env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
    let ran = command.env("BETHINK", env!("CARGO_BIN_EXE_bethink")).output();
    let Ok(ran) = ran.as_ref().map(|ran| String::from_utf8_lossy(&ran.stdout).into_owned()) else { return };
    if ran.is_empty() {
        // The system lets nobody mount a disk of his own; the store's own tests fill a disk in memory.
        return;
    }
    let read = |name: &str| fs::read_to_string(home.path().join(name)).unwrap();
    assert_eq!(ran, "full 5\nread 0\nagain 0\ndoctor 0\n", "{} {}", read("full"), read("doctor"));
    assert!(read("full").contains("me.redb") && !read("full").contains("panicked"), "{}", read("full"));
    let ids = |name: &str| -> BTreeSet<String> {
        let id = |line: &str| {
            serde_json::from_str::<serde_json::Value>(line).ok()?["id"].as_str().map(str::to_owned)
        };
        read(name).lines().filter_map(id).collect()
    };
    let (confirmed, after) = (ids("confirmed"), ids("after"));
    assert!(confirmed.len() > 100, "the disk filled up too soon: {}", confirmed.len());
    assert!(confirmed.is_subset(&after), "what was confirmed is there");
    assert!(confirmed.is_subset(&ids("read")), "and could be read meanwhile");
}

#[test]
fn two_hundred_statements_at_once_have_two_hundred_ids() {
    let home = Home::new();
    let quick = ["--json", "--set", "embedding.provider=none"];
    let serving = Serving::start(&home, &quick[1..]);
    let stored: Vec<serde_json::Value> = std::thread::scope(|scope| {
        let tell = |client: usize| {
            let lines: String =
                (0..25).map(|n| format!("Client {client} tells of marker{client}x{n}.\n")).collect();
            let child = home.command(&[&quick[..], &["remember", "--stdin"]].concat()).spawn().unwrap();
            scope.spawn(move || finish(child, lines.as_bytes()).objects())
        };
        let telling: Vec<_> = (0..8).map(tell).collect();
        telling.into_iter().flat_map(|client| client.join().unwrap()).collect()
    });
    let ids: BTreeSet<&str> = stored.iter().map(|object| object["id"].as_str().unwrap()).collect();
    assert_eq!((stored.len(), ids.len()), (200, 200));
    assert_eq!(home.memories().len(), 200);
    serving.stop();
    assert_eq!(home.memories().len(), 200, "also for the next owner");
}

#[test]
fn the_same_things_told_for_ever_do_not_grow() {
    let home = Home::new();
    let lines: String = (0..120).map(|n| format!("Shelf {} holds the jars.\n", n % 20)).collect();
    home.ok(&["--set", "embedding.provider=none", "chat"], lines);
    assert_eq!(home.memories().len(), 20, "each is one memory");
    let examined = home.ok(&["--json", "doctor"], "").objects();
    let space = examined.iter().find(|object| object["space"] == "bethink/me").unwrap();
    for table in space["tables"].as_array().unwrap() {
        let of_traces = ["trace_text", "trace_state", "bulky_text"].map(|name| table["table"] == name);
        assert!(!of_traces.contains(&true) || table["rows"].as_u64().unwrap() <= 20, "{table}");
    }
}

#[test]
fn a_log_does_not_grow_with_questions() {
    let home = Home::new();
    let serving = Serving::start(&home, &["--set", "embedding.provider=none"]);
    home.ok(&["remember", "The boiler is in the cellar."], "");
    for _ in 0..15 {
        home.ok(&["status"], "");
        home.ok(&["recall", "boiler"], "");
    }
    let (code, log) = serving.stop();
    assert_eq!(code, Some(0));
    assert!(log.lines().count() < 15, "a line a question: {log}");
}
