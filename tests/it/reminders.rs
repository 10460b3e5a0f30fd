//! Reminders through every door, by the real binary.
//!
//! Most wait for an event, so that a test makes them due when it wants. Where only time will do, it is a second or two, and
//! what it leads to is waited for, with a deadline.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::Child;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::time::Instant;

use bethink::testing::{SimulatedClock, Span};
use bethink_api::SpaceName;
use bethink_daemon::{Door, LocalDoor, Posted};
use bethink_runtime::DataDir;
use bethink_testkit::{Act, ModelServer};
use serde_json::{Value, json};

use crate::binary::{Home, Ran};
use crate::serving::Serving;

/// Longer than anything here takes on a busy machine.
const DEADLINE: Duration = Duration::from_secs(60);

/// Asks again until there is an answer.
fn until<T>(what: &str, ask: impl Fn() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begun.elapsed() < DEADLINE, "{what} did not happen");
        std::thread::yield_now();
    }
}

/// What a recall shows of reminders.
fn due(ran: &Ran) -> Vec<Value> {
    ran.objects().into_iter().filter(|object| !object["due"].is_null()).collect()
}

impl Home {
    /// Keeps a reminder that waits for an event; its id.
    fn remind_on(&self, text: &str, event: &str) -> String {
        let ran = self.ok(&["--json", "remind", text, "--when", event], "");
        ran.objects()[0]["id"].as_str().unwrap().to_owned()
    }

    /// States of all reminders, by their words.
    fn reminders(&self) -> Vec<(String, String)> {
        let ran = self.ok(&["--json", "reminders", "--all"], "");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        ran.objects().iter().map(|object| (text(&object["text"]), text(&object["state"]))).collect()
    }

    fn config(&self, text: &str) -> String {
        let path = self.path().join("bethink.toml");
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// A configuration whose command keeps what it is given in a file and ends with `code`; the file.
    fn on_due(&self, code: u8) -> (String, PathBuf) {
        let told = self.path().join("told");
        let script = format!("cat >> {}; exit {code}", told.display());
        let config = format!("[prospective]\non_due = [\"/bin/sh\", \"-c\", \"{script}\"]\n");
        (self.config(&config), told)
    }
}

fn lines(path: &PathBuf) -> Option<Vec<Value>> {
    let text = std::fs::read_to_string(path).ok().filter(|text| text.ends_with('\n'))?;
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// A chat over pipes that stays open.
struct Talk {
    child: Child,
    said: mpsc::Receiver<String>,
}

impl Talk {
    fn open(home: &Home, arguments: &[&str]) -> Self {
        let mut child = home.command(arguments).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, said) = mpsc::channel();
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, said }
    }

    /// The next line that holds a text.
    fn hears(&self, text: &str) -> String {
        loop {
            let line = self.said.recv_timeout(DEADLINE);
            match line {
                Ok(line) if line.contains(text) => return line,
                Ok(_) => {}
                Err(error) => panic!("{text:?} was not said: {error}"),
            }
        }
    }

    /// Says a line.
    fn says(&mut self, line: &str) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).and_then(|()| stdin.write_all(b"\n")).unwrap();
    }

    /// Says nothing more; what is still heard.
    fn ends(mut self) -> Vec<String> {
        drop(self.child.stdin.take());
        let mut err = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert!(self.child.wait().unwrap().success(), "{err}");
        self.said.iter().collect()
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // Already ended, in a test that went well.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn what_was_understood_is_said_and_what_was_not_is_asked() {
    let home = Home::new();
    let kept = home.ok(&["remind", "renew the passport", "--at", "2031-12-01T12:00:00Z"], "");
    for part in ["renew the passport", "Monday 1 December 2031 at 12:00", "if Bethink is running"] {
        assert!(kept.out.contains(part), "{kept:?}");
    }
    let questions: [(&[&str], &str); 3] = [
        (&["call Bo"], "time"),
        (&["call Bo", "--at", "2020-01-01T12:00:00Z"], "past"),
        (&["call Bo", "--at", "the day that never was"], "time"),
    ];
    for (wish, kind) in questions {
        let asked = home.run(&[&["--json", "remind"], wish].concat(), "");
        assert_eq!((asked.code, &asked.objects()[0]["question"]), (Some(2), &kind.into()), "{asked:?}");
        assert!(asked.err.contains('?') && asked.err.contains("nothing was kept"), "{asked:?}");
    }
    assert_eq!(home.reminders(), [("renew the passport".into(), "open".into())]);

    let serving = Serving::start(&home, &[]);
    let kept = home.ok(&["remind", "water the plants", "--at", "2031-12-01T12:00:00Z"], "");
    assert!(!kept.out.contains("if Bethink is running"), "it runs: {kept:?}");
    assert_eq!(serving.stop().0, Some(0));
}

#[test]
fn what_is_due_comes_first_and_looking_changes_nothing() {
    let home = Home::new();
    home.ok(&["remember", "The boiler in the cellar makes a noise."], "");
    home.ok(&["remind", "look after the boiler", "--when", "boiler.checked", "--tag", "boiler"], "");
    let look = ["--json", "recall", "what about the boiler?", "--k", "1"];
    assert!(due(&home.ok(&look, "")).is_empty(), "nothing happened yet");
    let raised = home.ok(&["event", "boiler.checked"], "");
    assert!(raised.out.contains("One reminder is due."), "{raised:?}");

    let (first, second) = (home.ok(&look, ""), home.ok(&look, ""));
    let objects = first.objects();
    assert_eq!(objects.len(), 3, "a reminder, beside as many traces as were asked for: {first:?}");
    assert_eq!(
        (&objects[0]["kind"], &objects[0]["score"]),
        (&"prospective".into(), &10.0.into()),
        "{first:?}"
    );
    assert_eq!(objects[0]["text"], "look after the boiler");
    assert!(objects[0]["due"]["again"].is_null(), "{first:?}");
    assert!(objects[1]["text"].as_str().unwrap().contains("makes a noise"), "{first:?}");
    let bare = |ran: &Ran| {
        let mut shown = due(ran).remove(0);
        // What comes along fades by the moment.
        assert_eq!(shown["due"]["related"].take()[0]["text"], "The boiler in the cellar makes a noise.");
        shown
    };
    assert_eq!(bare(&first), bare(&second), "looking changes nothing");

    let other = [&["--user", "bea"], &look[..]].concat();
    assert!(due(&home.ok(&other, "")).is_empty(), "it is nobody else's");
    let learn = [&look[..], &["--learn"]].concat();
    assert_eq!(due(&home.ok(&learn, "")).len(), 1);
    assert!(due(&home.ok(&learn, "")).is_empty(), "it is lent for a while");
    home.ok(&["reminders", "done", "boiler"], "");
    assert_eq!(home.reminders(), [("look after the boiler".into(), "done".into())]);
}

#[test]
fn a_list_can_be_worked_through() {
    let home = Home::new();
    let id = home.remind_on("rotate the keys", "deploy.finished");
    home.ok(&["remind", "send the invoice", "--at", "2031-12-01T12:00:00Z", "--tag", "money"], "");
    home.ok(&["remind", "call the dentist", "--at", "2031-11-01T12:00:00Z"], "");
    let listed = home.ok(&["--json", "reminders"], "").objects();
    let texts: Vec<_> = listed.iter().map(|object| object["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["call the dentist", "send the invoice", "rotate the keys"]);
    assert_eq!(home.ok(&["--json", "reminders", "--tag", "money"], "").objects().len(), 1);

    let edited = home
        .ok(&["reminders", "edit", "invoice", "--when", "2031-12-03T12:00:00Z", "--text", "send both"], "");
    assert!(edited.out.contains("send both") && edited.out.contains("3 December 2031"), "{edited:?}");
    home.ok(&["reminders", "cancel", "the", "dentist"], "");
    home.ok(&["reminders", "hold", &id], "");
    home.ok(&["event", "deploy.finished"], "");
    assert!(due(&home.ok(&["--json", "recall", "hello"], "")).is_empty(), "it is held back");
    home.ok(&["reminders", "release", &id], "");
    let raised = home.ok(&["--user", "bea", "event", "deploy.finished", "--everywhere"], "");
    assert!(raised.out.contains("One reminder is due."), "{raised:?}");
    let shown = due(&home.ok(&["--json", "recall", "hello"], ""));
    assert_eq!(shown[0]["id"], id.as_str());
    for (arguments, code) in [(&["done", "0000000000000"][..], 3), (&["done", "the zebra"], 3)] {
        let ran = home.run(&[&["reminders"], arguments].concat(), "");
        assert_eq!(ran.code, Some(code), "{ran:?}");
    }
}

#[test]
fn a_script_is_shown_what_is_due_and_that_acknowledges_it() {
    for input in ["", "hello\n"] {
        let home = Home::new();
        home.remind_on("rotate the keys", "deploy.finished");
        home.ok(&["event", "deploy.finished"], "");
        let said = home.ok(&["chat"], input);
        assert_eq!(said.out.matches("Reminder: rotate the keys (due ").count(), 1, "{input:?}: {said:?}");
        assert_eq!(home.reminders(), [("rotate the keys".into(), "done".into())], "{input:?}");
        assert!(!home.ok(&["chat"], input).out.contains("rotate the keys"), "{input:?}");
    }
    let home = Home::new();
    let id = home.remind_on("rotate the keys", "deploy.finished");
    home.ok(&["event", "deploy.finished"], "");
    let objects = home.ok(&["--json", "chat"], "").objects();
    let shown = objects.iter().find(|object| object["event"] == "reminder").unwrap();
    assert_eq!(shown["delivery"], format!("{id}.1"), "{shown}");
}

#[test]
fn an_open_conversation_is_told_at_its_time() {
    let home = Home::new();
    let mut talk = Talk::open(&home, &["chat"]);
    talk.hears("/help");
    home.remind_on("rotate the keys", "deploy.finished");
    home.ok(&["event", "deploy.finished"], "");
    talk.hears("Reminder: rotate the keys (due ");
    until("its acknowledgement", || (home.reminders()[0].1 == "done").then_some(()));
    talk.says("/snooze an hour");
    talk.hears("rotate the keys");
    talk.says("/reminders");
    talk.hears("rotate the keys");
    home.ok(&["remind", "check the build", "--in", "1s"], "");
    talk.hears("Reminder: check the build (due ");
    let rest = talk.ends();
    assert!(!rest.iter().any(|line| line.starts_with("Reminder:")), "each is told once: {rest:?}");
}

#[test]
fn a_conversation_outlives_the_process_that_told_it() {
    let home = Home::new();
    let serving = Serving::start(&home, &[]);
    let talk = Talk::open(&home, &["chat"]);
    talk.hears("/help");
    drop(serving);
    home.remind_on("rotate the keys", "deploy.finished");
    home.ok(&["event", "deploy.finished"], "");
    talk.hears("Reminder: rotate the keys (due ");
    talk.ends();
    assert_eq!(home.reminders()[0].1, "done");
}

#[test]
fn a_command_takes_what_is_due_or_leaves_it() {
    let home = Home::new();
    let (config, told) = home.on_due(0);
    let serving = Serving::start(&home, &["--config", &config]);
    let id = home.remind_on("rotate the keys", "deploy.finished");
    home.ok(&["event", "deploy.finished"], "");
    let line = until("the command", || lines(&told)).remove(0);
    assert_eq!(
        (&line["id"], &line["text"]),
        (&format!("{id}.1").into(), &"rotate the keys".into()),
        "{line}"
    );
    assert_eq!((&line["agent"], &line["user"]), (&"bethink".into(), &"me".into()));
    until("its acknowledgement", || (home.reminders()[0].1 == "done").then_some(()));
    assert_eq!(serving.stop().0, Some(0));

    let home = Home::new();
    let (config, told) = home.on_due(1);
    let serving = Serving::start(&home, &["--config", &config]);
    home.remind_on("rotate the keys", "deploy.finished");
    home.ok(&["event", "deploy.finished"], "");
    until("the command", || lines(&told));
    // It is still due, and whoever sees it now knows that it may have been shown.
    let shown = until("it is let go", || due(&home.ok(&["--json", "recall", "hello"], "")).pop());
    assert_eq!(shown["due"]["again"], true, "{shown}");
    assert_eq!(serving.stop().0, Some(0));
}

#[test]
fn a_webhook_is_posted_to_and_can_tell_who_posted() {
    let receiver = ModelServer::playing([Act::Body(String::new())]);
    let home = Home::new();
    let url = format!("{}/hook?team=7", receiver.url());
    let text = format!("[[prospective.webhooks]]\nurl = \"{url}\"\nsecret_env = \"HOOK_SECRET\"\n");
    let config = home.config(&text);

    let refused = home.run(&["--config", &config, "serve"], "");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("HOOK_SECRET"), "{refused:?}");
    let flows = home.ok(&["--config", &config, "config", "show", "--egress"], "");
    assert!(flows.out.contains("reminders") && flows.out.contains("127.0.0.1"), "{flows:?}");

    let serving = Serving::start_with(&home, &["--config", &config], &[("HOOK_SECRET", "our secret")]);
    let id = home.remind_on("rotate the keys", "deploy.finished");
    home.ok(&["event", "deploy.finished"], "");
    let seen = until("the post", || receiver.seen().pop());
    assert_eq!(seen.path, "/hook?team=7");
    assert_eq!(seen.header("x-bethink-delivery"), Some(format!("{id}.1").as_str()), "{seen:?}");
    let signature = seen.header("x-bethink-signature").unwrap();
    let (time, hex) = signature.strip_prefix("t=").unwrap().split_once(",v1=").unwrap();
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, b"our secret");
    let tag: Vec<u8> =
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
    let signed = format!("{time}.{}", seen.body);
    assert!(ring::hmac::verify(&key, signed.as_bytes(), &tag).is_ok(), "{seen:?}");
    let body = seen.json();
    assert_eq!((&body["reminder"], &body["text"]), (&id.into(), &"rotate the keys".into()), "{body}");
    until("its acknowledgement", || (home.reminders()[0].1 == "done").then_some(()));
    assert_eq!(serving.stop().0, Some(0));
    assert_eq!(receiver.seen().len(), 1, "posted once");
}

#[test]
fn what_was_missed_while_nothing_ran_is_told_once_and_late() {
    let home = Home::new();
    let (config, told) = home.on_due(0);
    let arguments = ["--config", config.as_str(), "--set", "prospective.late_after_seconds=1"];
    let serving = Serving::start(&home, &arguments);
    home.ok(&["remind", "check the build", "--in", "1s"], "");
    serving.kill();
    let look = [&arguments[..], &["--json", "recall", "hello"]].concat();
    until("being late", || due(&home.ok(&look, "")).pop().filter(|shown| shown["due"]["late"] == true));
    let serving = Serving::start(&home, &arguments);
    let all = until("the command", || lines(&told));
    until("its acknowledgement", || (home.reminders()[0].1 == "done").then_some(()));
    assert_eq!(serving.stop().0, Some(0));
    assert_eq!(lines(&told).unwrap().len(), 1, "{all:?}");
    assert_eq!(all[0]["late"], true, "{all:?}");
}

/// Ada's reminder of the keys is due, on a clock that moves when told.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_webhook_that_refused_is_posted_to_again_under_the_same_name() {
    let receiver = ModelServer::playing([Act::refuse(500), Act::refuse(302), Act::Body(String::new())]);
    let (home, clock) = (bethink::testing::Home::new(), SimulatedClock::new(bethink::testing::noon()));
    let builder = bethink::Runtime::builder()
        .settings_toml(format!("[[prospective.webhooks]]\nurl = \"{}/hook\"", receiver.url()))
        .data_dir(home.path())
        .clock(clock.clone())
        .embedder(bethink::testing::HashedEmbedder::default());
    let settings = builder.settings().unwrap();
    let dir = DataDir::claim(&settings.data_dir, None).unwrap();
    let handle = Arc::new(builder.run(&settings, dir).await.unwrap());
    for webhook in settings.webhooks().unwrap() {
        handle.bells().add(Arc::new(Posted::new(webhook)));
    }
    let door = LocalDoor::new(Arc::clone(&handle));
    let ask = async |request: Value| {
        let space = SpaceName { agent: "bethink".to_owned(), user: "ada".to_owned() };
        door.ask(space, serde_json::from_value(request).unwrap()).await.unwrap()
    };
    ask(json!({ "do": "remind", "text": "rotate the keys", "event": "deploy.finished" })).await;
    ask(json!({ "do": "raise", "event": "deploy.finished" })).await;
    let mut posted = Vec::new();
    // As long as the pauses between attempts, which grow.
    for pause in [0, 29, 1, 59, 1, 3_600] {
        clock.advance(Span::from_seconds(pause));
        ask(json!({ "do": "look" })).await;
        posted.push(receiver.seen().len());
    }
    assert_eq!(posted, [1, 1, 2, 2, 3, 3]);
    let seen = receiver.seen();
    let names: Vec<_> = seen.iter().map(|seen| seen.header("x-bethink-delivery").unwrap()).collect();
    assert!(names.iter().all(|name| *name == names[0] && name.ends_with(".1")), "{names:?}");
    assert_eq!(seen[2].json()["again"], true);
    assert_eq!(seen[0].header("x-bethink-signature"), None, "there is no secret");
    drop(door);
    handle.shutdown().await.unwrap();
}
