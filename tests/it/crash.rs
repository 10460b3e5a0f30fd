//! Sudden ends: kill -9 at any moment, Ctrl-C in a turn, a disk that is full, two processes on one memory.

use std::io::{BufRead, BufReader, Write};
use std::process::Child;
use std::time::Duration;

use crate::binary::{Home, finish};

/// Sends a signal to a child by its recorded pid.
fn signal(child: &Child, name: &str) {
    let status = std::process::Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

/// A number from a seed: the rounds differ, and each run is the same.
fn jitter(round: u64, max: u64) -> u64 {
    round.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31) % max
}

#[test]
fn many_clients_lose_nothing_that_was_confirmed_when_the_owner_is_killed() {
    let home = Home::new();
    let scratch = home.path().to_str().unwrap();
    let ran = home.ok(&["--json", "torture", "--runs", "4", "--clients", "6", "--scratch", scratch], "");
    let told = &ran.objects()[0];
    for wrong in ["lost", "doubled", "revived", "disagreements"] {
        assert_eq!(told[wrong], 0, "{wrong}: {told}");
    }
    assert!(told["confirmed"].as_u64().unwrap() > 0, "something was at stake: {told}");
}

#[test]
fn what_was_acknowledged_survives_kill_9() {
    let home = Home::new();
    let mut acknowledged = Vec::new();
    for round in 0..12 {
        let mut child = home.command(&["--json", "remember", "--stdin"]).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let writing = std::thread::spawn(move || {
            for n in 0..400 {
                if writeln!(stdin, "Fact {n} of round {round} is marked M{round}x{n}.").is_err() {
                    return;
                }
            }
        });
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // The first rounds die before, at and just after their first acknowledgement; the later ones anywhere.
        let wanted = if round < 3 { round } else { jitter(round, 120) };
        for _ in 0..wanted {
            let Some(Ok(line)) = lines.next() else { break };
            acknowledged.push(line);
        }
        signal(&child, "-9");
        // What is still in the pipe was acknowledged too; a line cut in half was not.
        acknowledged.extend(lines.map_while(Result::ok).filter(|line| line.ends_with('}')));
        child.wait().unwrap();
        writing.join().unwrap();
    }
    let kept = home.memories();
    for line in &acknowledged {
        let object: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = object["text"].as_str().unwrap();
        assert!(kept.iter().any(|known| known == text), "lost: {text}");
    }
    home.ok(&["doctor", "--deep", "--repair"], "");
    assert!(acknowledged.len() > 100, "only {} were acknowledged", acknowledged.len());
    let marked =
        acknowledged.last().and_then(|line| serde_json::from_str::<serde_json::Value>(line).ok()).unwrap();
    let text = marked["text"].as_str().unwrap();
    let found = home.ok(&["--json", "recall", text, "--k", "1"], "").objects();
    assert_eq!(found[0]["text"], text, "found by its own words");
}

#[test]
fn a_first_start_that_is_killed_leaves_nothing_broken() {
    for round in 0..12 {
        let home = Home::new();
        let mut child = home.command(&["remember", "The boiler is in the cellar."]).spawn().unwrap();
        wait(Duration::from_millis(jitter(round, 90)));
        signal(&child, "-9");
        child.wait().unwrap();
        home.ok(&["remember", "The fuse box is in the hall."], "");
        assert!(home.memories().contains(&"The fuse box is in the hall.".to_owned()));
        home.ok(&["doctor", "--deep", "--repair"], "");
    }
}

/// Passes real time: a kill has to come at a moment that the other process does not choose.
fn wait(span: Duration) {
    let (_keep, never) = std::sync::mpsc::channel::<()>();
    let _ = never.recv_timeout(span);
}

#[test]
fn ctrl_c_stops_a_script_and_nothing_of_the_turn_is_kept_or_all_of_it() {
    for round in 0..4 {
        let home = Home::new();
        let mut child = home.command(&["--json", "chat"]).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        writeln!(stdin, "My bike is a green Brompton.").unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let opened = lines.next().unwrap().unwrap();
        assert!(opened.contains("opened"), "{opened}");
        wait(Duration::from_millis(jitter(round, 30)));
        signal(&child, "-2");
        let answered = lines.map_while(Result::ok).any(|line| line.contains("\"durable\":true"));
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(130), "a script sees that it was interrupted");
        drop(stdin);
        let kept = home.memories().len();
        assert!(kept <= 1 && (!answered || kept == 1), "answered {answered}, kept {kept}");
    }
}

#[test]
fn two_processes_share_one_memory() {
    let home = Home::new();
    let lines = |name: &str| (0..60).map(|n| format!("Item {n} belongs to {name}.\n")).collect::<String>();
    let first = home.command(&["remember", "--stdin"]).spawn().unwrap();
    let second = home.command(&["remember", "--stdin"]).spawn().unwrap();
    let (one, two) = std::thread::scope(|scope| {
        let one = scope.spawn(|| finish(first, lines("one").as_bytes()));
        let two = scope.spawn(|| finish(second, lines("two").as_bytes()));
        (one.join().unwrap(), two.join().unwrap())
    });
    // One of them may be cut off when the other, the owner, ends; then it says so and fails.
    let stored = home.memories().len();
    let told = one.out.lines().count() + two.out.lines().count();
    assert!(stored >= told, "{stored} stored, {told} acknowledged: {one:?} {two:?}");
    assert!(one.code == Some(0) || two.code == Some(0), "{one:?} {two:?}");
}

#[test]
fn commands_talk_to_an_open_chat_and_take_over_when_it_dies() {
    let home = Home::new();
    let mut chat = home.command(&["chat"]).spawn().unwrap();
    let mut out = BufReader::new(chat.stdout.take().unwrap()).lines();
    assert!(out.next().unwrap().unwrap().contains("Memory is in"));
    home.ok(&["remember", "The boiler is in the cellar."], "");
    let stdin = chat.stdin.as_mut().unwrap();
    writeln!(stdin, "Where is the boiler?").unwrap();
    let mut reply = String::new();
    for line in out.by_ref() {
        reply = line.unwrap();
        if reply.contains("cellar") {
            break;
        }
    }
    assert!(reply.contains("The boiler is in the cellar."), "{reply}");
    signal(&chat, "-9");
    chat.wait().unwrap();
    assert_eq!(home.memories(), ["The boiler is in the cellar."]);
}

#[test]
fn a_second_chat_goes_on_when_the_first_one_ends() {
    let home = Home::new();
    let mut owner = home.command(&["chat"]).spawn().unwrap();
    let mut out = BufReader::new(owner.stdout.take().unwrap()).lines();
    assert!(out.next().unwrap().unwrap().contains("Memory is in"));
    let mut second = home.command(&["--json", "chat"]).spawn().unwrap();
    let mut stdin = second.stdin.take().unwrap();
    let mut lines = BufReader::new(second.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut say = |message: &str| {
        writeln!(stdin, "{message}").unwrap();
        lines.find(|line| line.contains("answered") || line.contains("fault")).unwrap_or_default()
    };
    let first = say("My bike is green.");
    assert!(first.contains("\"durable\":true"), "{first}");
    signal(&owner, "-9");
    owner.wait().unwrap();
    let second_reply = say("My boat is blue.");
    assert!(second_reply.contains("\"durable\":true"), "{second_reply}");
    drop(stdin);
    assert!(second.wait().unwrap().success());
    assert_eq!(home.memories().len(), 2);
}

#[test]
fn an_owner_that_does_not_answer_is_named() {
    let home = Home::new();
    let mut owner = home.command(&["chat"]).spawn().unwrap();
    let mut out = BufReader::new(owner.stdout.take().unwrap()).lines();
    assert!(out.next().unwrap().unwrap().contains("Memory is in"));
    signal(&owner, "-STOP");
    let ran = home.run(&["memory", "list"], "");
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.err.contains(&owner.id().to_string()) && ran.err.contains("does not answer"), "{ran:?}");
    signal(&owner, "-9");
    owner.wait().unwrap();
}
