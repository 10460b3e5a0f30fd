//! That nothing leaves the machine by default, seen from outside the process.
//!
//! Linux alone shows this without special rights. A socket that opens and closes between two looks can be missed, so this
//! looks as often as it can, for the whole life of the process; what it would miss is a single packet that expects no
//! answer. A name is looked up over UDP, which is looked for too.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::Child;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::binary::Home;

/// Internet sockets of a process: the protocol, and the addresses of both ends as the kernel writes them.
fn internet_sockets(process: u32) -> BTreeSet<String> {
    let dir = format!("/proc/{process}");
    let Ok(files) = std::fs::read_dir(format!("{dir}/fd")) else { return BTreeSet::new() };
    let links = files.flatten().filter_map(|file| std::fs::read_link(file.path()).ok());
    let inodes: BTreeSet<String> = links
        .filter_map(|link| {
            let link = link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned();
            Some(link)
        })
        .collect();
    let mut found = BTreeSet::new();
    for protocol in ["tcp", "tcp6", "udp", "udp6", "raw", "raw6"] {
        let Ok(table) = std::fs::read_to_string(format!("{dir}/net/{protocol}")) else { continue };
        for row in table.lines().skip(1) {
            let fields: Vec<&str> = row.split_whitespace().collect();
            if fields.get(9).is_some_and(|inode| inodes.contains(*inode)) {
                found.insert(format!("{protocol} {} → {}", fields[1], fields[2]));
            }
        }
    }
    found
}

/// Looks at a process until `done` is through with it, and gives every internet socket that it had.
fn watched(child: &mut Child, done: impl FnOnce(&mut Child) + Send) -> BTreeSet<String> {
    let (process, looks) = (child.id(), AtomicUsize::new(0));
    let ended = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut found = BTreeSet::new();
            while ended.load(Ordering::Acquire) == 0 {
                found.extend(internet_sockets(process));
                looks.fetch_add(1, Ordering::Relaxed);
                std::thread::yield_now();
            }
            found
        });
        done(child);
        ended.store(1, Ordering::Release);
        let found = watch.join().unwrap();
        assert!(looks.load(Ordering::Relaxed) > 10, "it was hardly looked at");
        found
    })
}

/// Says lines one after the other, each after the answer to the one before.
fn talk(child: &mut Child) {
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut answers = BufReader::new(output).lines().map_while(Result::ok);
    for line in
        ["My boiler is in the cellar.", "Where is my boiler?", "What is the capital of France?", "Hello!"]
    {
        writeln!(input, "{line}").unwrap();
        let answered = answers.find(|line| line.contains("\"answered\""));
        assert!(answered.is_some(), "no answer to {line}");
    }
    drop(input);
    assert_eq!(answers.filter(|line| line.contains("\"answered\"")).count(), 0);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_conversation_opens_no_socket_to_the_internet() {
    let home = Home::new();
    let mut chat = home.command(&["--json", "chat"]).spawn().unwrap();
    assert_eq!(watched(&mut chat, talk), BTreeSet::new());
    let objects = home.ok(&["--json", "recall", "where is my boiler?"], "").objects();
    assert_eq!(objects[0]["text"], "My boiler is in the cellar.");
}

#[test]
fn the_process_that_stays_listens_on_a_unix_socket_alone() {
    let home = Home::new();
    let mut owner = home.command(&["--json", "serve"]).spawn().unwrap();
    let found = watched(&mut owner, |owner| {
        let mut ready = String::new();
        BufReader::new(owner.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        home.ok(&["remember", "The fuse box is in the hall."], "");
        assert!(home.ok(&["recall", "where is the fuse box?"], "").out.contains("hall"));
        home.ok(&["--json", "chat"], "My boiler is in the cellar.\nWhere is my boiler?\n");
        let id = owner.id().to_string();
        assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        assert!(owner.wait().unwrap().success());
    });
    assert_eq!(found, BTreeSet::new());
}

#[test]
fn a_socket_to_the_internet_would_be_seen() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = format!(":{:04X} ", listener.local_addr().unwrap().port());
    let seen = internet_sockets(std::process::id());
    assert!(seen.iter().any(|socket| socket.starts_with("tcp ") && socket.contains(&port)), "{seen:?}");
}
