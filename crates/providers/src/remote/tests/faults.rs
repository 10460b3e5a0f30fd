//! Everything that a server can do wrong.

use std::io::Write;
use std::sync::{Mutex, PoisonError};

use bethink_testkit::Act;
use serde_json::json;

use super::*;

/// The server does this each time. The call must end with an error that says this, within these seconds, after so many
/// requests, with this streamed; and what is said must not hold the key.
struct Expected {
    says: &'static str,
    seconds: u64,
    requests: usize,
    streamed: &'static str,
}

async fn check(kind: LanguageProvider, act: Act, expected: &Expected) {
    let server = ModelServer::within([act.clone()]);
    let model = model(config(kind, &server));
    let went = ask(&model, &prompt("When?")).await;
    let error = went.reply.expect_err("because the server misbehaves").to_string();
    assert!(error.contains(expected.says), "{kind:?}, {act:?}: {error:?} lacks {:?}", expected.says);
    assert!(!error.contains("KUMQUAT"), "{kind:?}, {act:?}: {error}");
    assert!(went.took <= Duration::from_secs(expected.seconds + 1), "{kind:?}, {act:?}: {:?}", went.took);
    assert_eq!(server.seen().len(), expected.requests, "{kind:?}, {act:?}");
    assert_eq!(went.streamed, expected.streamed, "{kind:?}, {act:?}");
}

fn expect(says: &'static str, seconds: u64, requests: usize, streamed: &'static str) -> Expected {
    Expected { says, seconds, requests, streamed }
}

fn some_words() -> Vec<String> {
    vec!["After ".to_owned(), "breakfast".to_owned()]
}

#[tokio::test(start_paused = true)]
async fn every_misbehaviour_ends_in_time_with_a_reason() {
    for kind in KINDS {
        check(kind, Act::Silence, &expect("no answer within 20 seconds", 20, 1, "")).await;
        check(kind, Act::HeadersAlone, &expect("no answer within 20 seconds", 20, 1, "")).await;
        check(
            kind,
            Act::Stall(some_words()),
            &expect("nothing came for 10 seconds", 10, 1, "After breakfast"),
        )
        .await;
        check(kind, Act::Half(some_words()), &expect("broke off", 0, 1, "After breakfast")).await;
        check(kind, Act::Trickle(Duration::from_secs(20)), &expect("no answer within 20", 20, 1, "")).await;
        check(kind, Act::Trickle(Duration::from_millis(50)), &expect("nothing came for 10", 30, 1, "slow"))
            .await;
        check(kind, Act::Heartbeats(Duration::from_secs(1)), &expect("no answer within 20", 20, 1, "")).await;
        check(kind, Act::Body(String::new()), &expect("the answer was empty", 0, 1, "")).await;
        check(kind, Act::Say(Vec::new()), &expect("the answer was empty", 0, 1, "")).await;
        check(kind, Act::say(" \n"), &expect("the answer was empty", 0, 1, " \n")).await;
        check(kind, Act::say("<think>for ever"), &expect("the answer was empty", 0, 1, "")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn garbage_is_an_error_and_not_an_answer() {
    let check = async |kind, body: &str| {
        let server = ModelServer::within([Act::Body(body.to_owned())]);
        let went = ask(&model(config(kind, &server)), &prompt("When?")).await;
        assert!(went.reply.is_err() && went.streamed.is_empty(), "{kind:?}, {body:?}: {:?}", went.reply);
        assert_eq!(server.seen().len(), 1, "{kind:?}, {body:?}");
    };
    for kind in KINDS {
        for body in [
            "<html>Not here</html>\n\n",
            "data: {\"choices\":[{\"delta\":\n\n",
            "event: content_block_delta\ndata: {\n\n",
            "{\"message\":{\"cont",
            "data: null\n\n",
            "null\n",
            "\u{0}\u{1}\u{2}\n\n",
        ] {
            check(kind, body).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_passes_is_asked_again_and_never_more_often_than_allowed() {
    for kind in KINDS {
        check(kind, Act::refuse(500), &expect("failed with 500", 5, 3, "")).await;
        check(kind, Act::refuse(503), &expect("failed with 503", 5, 3, "")).await;
        check(kind, Act::refuse(429), &expect("takes no more requests", 5, 3, "")).await;
        check(kind, Act::Close, &expect("broke off", 5, 3, "")).await;
        check(kind, Act::Half(Vec::new()), &expect("broke off", 5, 3, "")).await;
        let later = |seconds: &str| {
            Act::Refuse(429, vec![("retry-after".to_owned(), seconds.to_owned())], String::new())
        };
        check(kind, later("3"), &expect("try again in 3 seconds", 8, 3, "")).await;
        check(kind, later("300"), &expect("try again in 300 seconds", 0, 1, "")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_will_not_pass_is_asked_once() {
    for kind in KINDS {
        check(kind, Act::refuse(401), &expect("the environment variable PARROT_KEY", 0, 1, "")).await;
        check(kind, Act::refuse(404), &expect("knows no model `parrot-medium`", 0, 1, "")).await;
        let moved = vec![("location".to_owned(), "http://127.0.0.1:9/".to_owned())];
        check(kind, Act::Refuse(307, moved, String::new()), &expect("set `base_url`", 0, 1, "")).await;
        let long = json!({ "error": { "message": "prompt exceeds the context length" } }).to_string();
        check(kind, Act::Refuse(400, Vec::new(), long), &expect("set `context_tokens`", 0, 1, "")).await;
        let echo = json!({ "error": { "message": format!("no such parameter for {KEY}") } }).to_string();
        check(kind, Act::Refuse(400, Vec::new(), echo), &expect("no such parameter", 0, 1, "")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_recovers_is_heard() {
    for kind in KINDS {
        let server = ModelServer::within([Act::refuse(500), Act::refuse(429), Act::say("Fine.")]);
        let went = ask(&model(config(kind, &server)), &prompt("How are you?")).await;
        assert_eq!(went.reply.map(|reply| reply.text), Ok("Fine.".to_owned()), "{kind:?}");
        assert_eq!((server.seen().len(), went.streamed.as_str()), (3, "Fine."));
        let server = ModelServer::within([Act::refuse(500), Act::say("Fine.")]);
        let once = LanguageConfig { retries_max: 0, ..config(kind, &server) };
        assert!(ask(&model(once), &prompt("How are you?")).await.reply.is_err());
        assert_eq!(server.seen().len(), 1, "{kind:?}: no other layer asks again");
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_told_within_an_answer_is_an_error() {
    let told = [
        (LanguageProvider::Openai, "data: {\"error\":{\"message\":\"out of memory\"}}\n\n"),
        (LanguageProvider::Anthropic, "event: error\ndata: {\"error\":{\"message\":\"out of memory\"}}\n\n"),
        (LanguageProvider::Ollama, "{\"error\":\"out of memory\"}\n"),
    ];
    for (kind, body) in told {
        check(kind, Act::Body(body.to_owned()), &expect("out of memory", 0, 1, "")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_there_is_said_so() {
    let gone = ModelServer::within([Act::Close]);
    let config = config(LanguageProvider::Openai, &gone);
    let host = gone.url().replace("http://", "");
    drop(gone);
    // The port is free as soon as the server's task has ended.
    tokio::task::yield_now().await;
    let went = ask(&model(config), &prompt("Hello?")).await;
    let error = went.reply.unwrap_err();
    assert!(matches!(&error, ModelError::Unreachable { host: named, .. } if *named == host), "{error:?}");
    assert!(went.took <= Duration::from_secs(5), "{:?}", went.took);
}

#[tokio::test(start_paused = true)]
async fn the_whole_call_has_its_deadline_whatever_happens() {
    for kind in KINDS {
        let server = ModelServer::within([Act::Trickle(Duration::from_millis(900))]);
        let patient = LanguageConfig {
            first_word_seconds: 3_600,
            stall_seconds: 600,
            call_seconds: 30,
            ..config(kind, &server)
        };
        let went = ask(&model(patient), &prompt("When?")).await;
        assert_eq!(went.reply, Err(ModelError::Timeout { seconds: 30 }), "{kind:?}");
        assert!(went.took <= Duration::from_secs(31), "{kind:?}: {:?}", went.took);
    }
}

#[tokio::test]
async fn a_stopped_turn_ends_at_once_and_hangs_up() {
    for kind in KINDS {
        let server = ModelServer::within([Act::Stall(some_words())]);
        let (model, prompt) = (model(config(kind, &server)), prompt("When?"));
        let (words, mut heard) = mpsc::channel(1);
        let cancel = CancellationToken::new();
        let stop = cancel.clone();
        let listening = tokio::spawn(async move {
            heard.recv().await;
            stop.cancel();
            heard
        });
        assert_eq!(model.reply(&prompt, &words, &cancel).await, Err(ModelError::Cancelled), "{kind:?}");
        drop(listening.await.unwrap());
        let closed = model.reply(&prompt, &words, &CancellationToken::new()).await;
        assert_eq!(closed, Err(ModelError::Cancelled), "{kind:?}: nobody listens");
    }
}

#[tokio::test]
async fn a_line_without_end_is_cut_off() {
    let server = ModelServer::within([Act::Flood]);
    let went = ask(&model(config(LanguageProvider::Ollama, &server)), &prompt("When?")).await;
    let error = went.reply.unwrap_err().to_string();
    assert!(error.contains("a line of it is longer than"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_key_that_is_missing_is_asked_for_without_asking_anybody() {
    let server = ModelServer::within([Act::say("Fine.")]);
    let key = ApiKey::of_variable("PARROT_KEY", None);
    let model = RemoteModel::new(config(LanguageProvider::Openai, &server), key, Entropy::seeded(7)).unwrap();
    let error = ask(&model, &prompt("Hello?")).await.reply.unwrap_err().to_string();
    assert!(error.contains("set the environment variable PARROT_KEY"), "{error}");
    assert_eq!(server.seen(), []);
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Everything is logged here, down to the smallest step of every library.
#[tokio::test]
async fn the_key_is_in_the_request_and_in_no_log() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::level_filters::LevelFilter::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    for kind in KINDS {
        let echo = format!("{{\"error\":{{\"message\":\"Bearer {KEY} may not\"}}}}");
        for status in [400, 401, 429, 500] {
            let server = ModelServer::within([Act::Refuse(status, Vec::new(), echo.clone())]);
            let once = LanguageConfig { retries_max: 0, ..config(kind, &server) };
            let model = model(once);
            let error = ask(&model, &prompt("When?")).await.reply.unwrap_err();
            tracing::info!(%error, debug = ?error, key = ?model.key, "what an operator would log");
            let header = if kind == LanguageProvider::Anthropic { "x-api-key" } else { "authorization" };
            let sent = server.seen()[0].header(header).unwrap_or_default().to_owned();
            assert!(sent.ends_with(KEY), "{kind:?} sent {sent:?}");
            assert!(!server.seen()[0].body.contains(KEY));
        }
    }
    let log = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(log.contains("what an operator would log") && log.contains("hyper"), "nothing was logged");
    assert!(
        !log.contains("KUMQUAT"),
        "{}",
        log.lines().find(|line| line.contains("KUMQUAT")).unwrap_or_default()
    );
}
