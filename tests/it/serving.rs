//! The long-lived process: owns the memory, lets every command in, tells how it is, and stops when told to.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout};

use crate::binary::{Home, Ran};

/// A running `serve`; killed when a test ends early.
pub(crate) struct Serving {
    child: Child,
    out: BufReader<ChildStdout>,
    pub(crate) ready: serde_json::Value,
}

impl Serving {
    /// Starts it, and waits until it says that it serves.
    pub(crate) fn start(home: &Home, arguments: &[&str]) -> Self {
        Self::start_with(home, arguments, &[])
    }

    /// The same with variables in its environment.
    pub(crate) fn start_with(home: &Home, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let arguments: Vec<&str> = ["--json"].iter().chain(arguments).chain(&["serve"]).copied().collect();
        let mut child = home.command(&arguments).envs(variables.iter().copied()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let ready = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        Self { child, out, ready }
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(std::process::Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    /// Ends it at once, as a power cut would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Tells it to stop; gives its exit code and its log.
    pub(crate) fn stop(mut self) -> (Option<i32>, String) {
        self.signal("-TERM");
        let mut log = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "", "it says nothing else");
        let code = self.child.wait().unwrap().code();
        assert!(!log.contains("panicked"), "{log}");
        (code, log)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Already ended, in a test that went well.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn one(ran: &Ran) -> serde_json::Value {
    ran.objects().into_iter().next().unwrap_or_default()
}

#[test]
fn every_command_talks_to_the_one_that_serves() {
    let home = Home::new();
    let quiet = home.ok(&["--json", "status"], "");
    assert_eq!(one(&quiet)["running"], false, "{quiet:?}");
    assert!(!home.data().exists(), "asking how it is makes nothing");

    let serving = Serving::start(&home, &[]);
    home.ok(&["--user", "ada", "remember", "My bicycle is KUMQUAT77 green."], "");
    home.ok(&["--user", "bea", "remember", "My boat is QUINCE31 blue."], "");
    let said = home.ok(&["--user", "ada", "--json", "chat"], "What colour is my bicycle?");
    let reply = said.objects().into_iter().find(|object| object["event"] == "answered").unwrap();
    assert!(reply["reply"].as_str().unwrap().contains("KUMQUAT77"), "{reply}");
    let other = home.ok(&["--user", "bea", "--json", "recall", "bicycle KUMQUAT77"], "");
    assert!(!other.out.contains("KUMQUAT77"), "another user's memory stays apart: {other:?}");

    let status = one(&home.ok(&["--json", "status"], ""));
    assert_eq!(status["running"], true);
    assert_eq!(status["pid"], serving.ready["pid"]);
    let users: Vec<_> = status["spaces"].as_array().unwrap().iter().map(|s| s["user"].clone()).collect();
    assert_eq!(users, ["ada", "bea"], "{status}");
    let actors = status["spaces"][0]["actors"].as_array().unwrap();
    let states: Vec<_> = actors.iter().map(|a| (a["name"].clone(), a["state"].clone())).collect();
    assert_eq!(
        states,
        [("planner", "well"), ("executor", "well"), ("memory store", "well"), ("reminders", "well")]
            .map(|(name, state)| (name.into(), state.into())),
        "{status}"
    );
    let human = home.ok(&["status"], "").out;
    assert!(human.contains("Spaces awake: 2") && human.contains("Nothing went wrong lately."), "{human}");

    let (code, log) = serving.stop();
    assert_eq!(code, Some(0), "{log}");
    for told in ["serving", "space is awake", "turn ended", "finishing what was begun", "stopped"] {
        assert!(log.contains(told), "{told:?} is missing in {log}");
    }
    for text in ["KUMQUAT77", "QUINCE31", "bicycle", "boat"] {
        assert!(!log.contains(text), "the log quotes {text:?}: {log}");
    }
    let kept = home.ok(&["--user", "ada", "--json", "recall", "bicycle"], "");
    assert!(kept.out.contains("KUMQUAT77"), "nothing that was confirmed is lost: {kept:?}");
}

#[test]
fn a_second_owner_is_refused_by_the_first_ones_number() {
    let home = Home::new();
    let serving = Serving::start(&home, &[]);
    let second = home.run(&["serve"], "");
    assert_eq!(second.code, Some(4), "{second:?}");
    let pid = serving.ready["pid"].to_string();
    assert!(second.err.contains("in use by process") && second.err.contains(&pid), "{second:?}");
    assert_eq!(serving.stop().0, Some(0));
}

#[test]
fn its_log_can_be_read_by_a_collector() {
    let home = Home::new();
    let config = home.path().join("bethink.toml");
    let text = "[log]\nformat = \"json\"\nlevel = \"debug\"\n[log.targets]\nbethink_planner = \"warn\"\n";
    std::fs::write(&config, text).unwrap();
    let serving = Serving::start(&home, &["--config", config.to_str().unwrap()]);
    home.ok(&["remember", "My bicycle is KUMQUAT77 green."], "");
    home.chat(&["ok thanks"]);
    let (code, log) = serving.stop();
    assert_eq!(code, Some(0), "{log}");
    let events: Vec<serde_json::Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let awake = events.iter().find(|event| event["message"] == "space is awake").unwrap();
    assert_eq!((&awake["level"], &awake["space"]), (&"INFO".into(), &"bethink/me".into()), "{awake}");
    assert!(awake["timestamp"].is_string());
    let of =
        |target: &str| events.iter().filter(|e| e["target"].as_str().unwrap().starts_with(target)).count();
    assert_eq!(of("bethink_planner"), 0, "a target has its own level: {log}");
    assert_eq!(of("kameo"), 0, "no span or event for each message: {log}");
}

#[test]
fn clients_come_and_go_and_leave_no_handle_open() {
    let home = Home::new();
    let serving = Serving::start(&home, &[]);
    let fds = format!("/proc/{}/fd", serving.child.id());
    let open = || std::fs::read_dir(&fds).map(|entries| entries.count()).ok();
    home.ok(&["remember", "My bicycle is green."], "");
    let before = open();
    for _ in 0..25 {
        home.ok(&["recall", "bicycle"], "");
    }
    if let (Some(before), Some(after)) = (before, open()) {
        // A client's end may not have been noticed yet.
        assert!(after <= before + 2, "{before} handles became {after}");
    }
    assert_eq!(serving.stop().0, Some(0));
}
