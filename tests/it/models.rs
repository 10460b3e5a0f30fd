//! A language model behind HTTP, from the command line to what memory holds.

use std::sync::Arc;
use std::time::Duration;

use bethink_api::{FaultKind, Request, Response, SpaceName, TurnProgress};
use bethink_daemon::{Door, SocketDoor};
use bethink_testkit::{Act, ModelServer};
use serde_json::{Value, json};

use crate::binary::{Home, Ran};

/// Settings for a server.
fn configured(home: &Home, server: &ModelServer, more: &str) -> String {
    let path = home.path().join("bethink.toml");
    let text = format!(
        "[language]\nprovider = \"openai\"\nmodel = \"parrot\"\nbase_url = \"{}/v1\"\n{more}\n",
        server.url()
    );
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn chat(home: &Home, config: &str, lines: &[&str]) -> Ran {
    home.run(&["--config", config, "--json", "chat"], lines.join("\n"))
}

fn answered(ran: &Ran) -> Vec<Value> {
    ran.objects().into_iter().filter(|object| object["event"] == "answered").collect()
}

#[test]
fn the_model_answers_from_what_was_recalled_and_only_that_is_credited() {
    let home = Home::new();
    let server = ModelServer::playing([Act::Say(vec![
        "Behind ".to_owned(),
        "the bakery [m".to_owned(),
        "1].".to_owned(),
    ])]);
    let config = configured(&home, &server, "");
    let kept = home.ok(&["--json", "remember", "My bicycle is locked behind the bakery."], "").objects();
    home.ok(&["remember", "My boat is in the harbour."], "");
    let ran = chat(&home, &config, &["Where is my bicycle?", "And what else do you know about my bicycle?"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let replies = answered(&ran);
    assert_eq!(replies[0]["reply"], "Behind the bakery.", "streamed, and without its citation: {replies:?}");
    assert_eq!(replies[0]["used"], json!([kept[0]["id"]]), "what was cited is credited, and nothing else");
    let seen = server.seen();
    let messages = |n: usize| seen[n].json()["messages"].as_array().unwrap().clone();
    let asked = messages(0).last().unwrap()["content"].as_str().unwrap().to_owned();
    assert!(asked.contains("locked behind the bakery") && !asked.contains("harbour"), "{asked}");
    let (first, second) = (messages(0), messages(1));
    let stable = first.len() - 1;
    assert_eq!(first[..stable], second[..stable], "the turns share their prefix");
}

#[test]
fn a_turn_whose_model_failed_leaves_nothing_and_says_so() {
    let check = |act: Act, reason: &str| {
        let home = Home::new();
        let server = ModelServer::playing([act.clone()]);
        let config = configured(&home, &server, "retries_max = 0\nfirst_word_seconds = 1\nstall_seconds = 1");
        let kept = home.ok(&["--json", "remember", "My bicycle is green."], "").objects();
        let ran = chat(&home, &config, &["My boat is blue. What colour is my bicycle?"]);
        assert_eq!(ran.code, Some(6), "{act:?}: {ran:?}");
        assert!(ran.out.contains(reason), "{act:?}: {ran:?}");
        assert!(answered(&ran).is_empty(), "{act:?}: {ran:?}");
        assert_eq!(home.memories(), ["My bicycle is green."], "{act:?}: nothing of the turn is stored");
        let id = kept[0]["id"].as_str().unwrap();
        let trace = &home.ok(&["--json", "memory", "show", id], "").objects()[0];
        assert_eq!(trace["uses"], 0, "{act:?}: and nothing is credited: {trace}");
    };
    check(Act::refuse(500), "500");
    check(Act::refuse(429), "no more requests");
    check(Act::Silence, "no answer within 1 seconds");
    check(Act::Half(vec!["Your bicycle is green [m1].".to_owned()]), "broke off");
    check(Act::Stall(vec!["Your bicycle is green [m1].".to_owned()]), "broke off");
    check(Act::Body(String::new()), "empty");
    check(Act::Close, "");
}

#[test]
fn a_key_is_sent_and_written_nowhere() {
    let home = Home::new();
    let server = ModelServer::playing([Act::refuse(401)]);
    let config = configured(&home, &server, "api_key_file = \"key\"\n[log]\ncommands = \"trace\"");
    std::fs::write(home.path().join("key"), "sk-KUMQUAT77\n").unwrap();
    let ran = chat(&home, &config, &["Where is my bicycle?"]);
    assert_eq!(ran.code, Some(6), "{ran:?}");
    assert_eq!(server.seen()[0].header("authorization"), Some("Bearer sk-KUMQUAT77"));
    let shown = home.ok(&["--config", &config, "config", "show"], "");
    let egress = home.ok(&["--config", &config, "config", "show", "--egress"], "");
    assert!(egress.out.contains("127.0.0.1"), "{egress:?}");
    for said in [&ran.out, &ran.err, &shown.out, &shown.err, &egress.out] {
        assert!(!said.contains("KUMQUAT77"), "{said}");
    }
    std::fs::remove_file(home.path().join("key")).unwrap();
    assert!(!home.holds("KUMQUAT77"), "nor is it in any file");
}

#[test]
fn a_model_that_calls_tools_remembers_recalls_and_asks_before_it_forgets() {
    let home = Home::new();
    let call = |name: &str, arguments: Value| Act::Call(String::new(), vec![(name.to_owned(), arguments)]);
    let server = ModelServer::playing([
        call("recall", json!({ "query": "bicycle" })),
        Act::say("It is green [m1]."),
        call("no_such_tool", json!({})),
        Act::say("I can't do that."),
    ]);
    let config = configured(&home, &server, "");
    home.ok(&["remember", "My bicycle is green."], "");
    let ran = chat(&home, &config, &["ok thanks", "Throw the dice, please."]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let replies = answered(&ran);
    assert_eq!(replies[0]["reply"], "It is green.");
    assert_eq!(
        replies[0]["used"].as_array().unwrap().len(),
        1,
        "what the tool recalled can be cited: {ran:?}"
    );
    assert_eq!(replies[1]["reply"], "I can't do that.");
    let told = server.seen()[3].body.clone();
    assert!(
        told.contains("no_such_tool") && told.contains("recall"),
        "the model is told what there is: {told}"
    );
}

#[test]
fn a_model_that_read_less_than_it_was_sent_is_warned_of_once() {
    let home = Home::new();
    let server = ModelServer::playing([Act::say("Yes.")]).reading(3);
    let config = configured(&home, &server, "");
    let ran = chat(&home, &config, &["What is a bicycle?", "What is a boat?"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let warnings: Vec<_> = ran.err.lines().filter(|line| line.contains("context_tokens")).collect();
    assert_eq!(warnings.len(), 1, "{ran:?}");
    assert!(warnings[0].contains("read 3 tokens") && warnings[0].contains("[language]"), "{warnings:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_burst_what_was_accepted_is_answered_and_the_rest_is_refused_as_busy() {
    let home = Home::new();
    let slow = Act::After(Duration::from_millis(40), Box::new(Act::say("Yes.")));
    let server = ModelServer::playing([slow]);
    let config = configured(&home, &server, "");
    let serving = crate::serving::Serving::start(&home, &["--config", &config]);
    let socket = serving.ready["socket"].as_str().unwrap().to_owned();
    let door = Arc::new(SocketDoor::connect(socket.as_ref()).await.unwrap());
    let asked: Vec<_> = (0..60)
        .map(|n| {
            let door = Arc::clone(&door);
            tokio::spawn(async move { ended(&door, n).await })
        })
        .collect();
    while server.seen().is_empty() {
        tokio::task::yield_now().await;
    }
    let stopping = tokio::task::spawn_blocking(|| serving.stop());
    let (mut kept, mut busy) = (0, 0);
    for ask in asked {
        match ask.await.unwrap() {
            Ok(true) => kept += 1,
            Err(FaultKind::Busy) => busy += 1,
            // It had not reached the process when that was told to stop.
            Err(FaultKind::Gone | FaultKind::Failed) => {}
            other => panic!("{other:?}"),
        }
    }
    let (code, log) = stopping.await.unwrap();
    assert_eq!(code, Some(0), "{log}");
    assert!((1..=17).contains(&kept) && busy > 0, "{kept} were answered, {busy} were refused");
    assert_eq!(server.seen().len(), kept, "each that was accepted was answered");
}

/// Says something in a session of its own; true when the end of the turn says that it is durable.
async fn ended(door: &SocketDoor, session: u64) -> Result<bool, FaultKind> {
    let space = SpaceName { agent: "bethink".to_owned(), user: "me".to_owned() };
    let session = bethink_domain::SessionId::from_raw(session + 1).to_string();
    let request =
        Request::Converse { session, message: "What is a bicycle?".to_owned(), private: false, zone: None };
    let mut parts = door.call(space, request).await.map_err(|fault| fault.kind)?;
    while let Some(part) = parts.recv().await {
        if let Response::Turn(TurnProgress::Ended { durable, .. }) = part.map_err(|fault| fault.kind)? {
            return Ok(durable);
        }
    }
    Err(FaultKind::Gone)
}

#[test]
fn a_turn_in_flight_is_finished_before_the_process_stops() {
    let home = Home::new();
    let slow = Act::After(Duration::from_millis(1_500), Box::new(Act::say("Behind the bakery [m1].")));
    let server = ModelServer::playing([slow]);
    let config = configured(&home, &server, "");
    home.ok(&["remember", "My bicycle is locked behind the bakery."], "");
    let serving = crate::serving::Serving::start(&home, &["--config", &config]);
    let client = home.command(&["--json", "chat"]).spawn().unwrap();
    let asking = std::thread::spawn(move || crate::binary::finish(client, b"Where is my bicycle?"));
    while server.seen().is_empty() {
        std::thread::yield_now();
    }
    let (code, log) = serving.stop();
    assert_eq!(code, Some(0), "{log}");
    let ran = asking.join().unwrap();
    assert_eq!(answered(&ran)[0]["reply"], "Behind the bakery.", "{ran:?}");
    assert_eq!(answered(&ran)[0]["durable"], true, "{ran:?}");
}
