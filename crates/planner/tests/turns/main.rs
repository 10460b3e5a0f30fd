//! Turns from the message to the last event, with scripted partners. Time stands still but where a test waits.

#![expect(clippy::unwrap_used, reason = "a step that fails is a test that fails")]

mod forgetting;
mod reminding;
mod stage;

use bethink_domain::{TraceId, TurnEnd};
use bethink_planner::PlannerConfig;
use bethink_protocol::{CancelTurn, ConverseError, Drain, Durable, ExecuteError, MemoryError, TurnEvent};
use stage::{Act, Script, Stage, hear_out, settle};

fn done(encoded: &[u64], used: &[u64]) -> TurnEvent {
    let ids = |ids: &[u64]| ids.iter().map(|id| TraceId::from_raw(*id)).collect::<Vec<_>>();
    TurnEvent::Done { durable: Durable::Yes { encoded: ids(encoded) }, used: ids(used) }
}

fn failed(error: ConverseError) -> TurnEvent {
    TurnEvent::Failed { error }
}

/// What partners are asked because of one message.
async fn check(message: &str, expected: &[&str]) {
    let stage = Stage::new().await;
    stage.say(message).await;
    assert_eq!(stage.log(), expected, "{message:?}");
}

#[tokio::test(start_paused = true)]
async fn a_question_is_embedded_once_and_recalled_once() {
    check(
        "When do I take my medicine?",
        &[
            "embed When do I take my medicine?",
            "recall Learn memory k=8: When do I take my medicine?",
            "execute question recalled=0 When do I take my medicine?",
            "complete []",
        ],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn small_talk_asks_nothing_of_memory() {
    check("ok thanks", &["execute small_talk recalled=0 ok thanks", "complete []"]).await;
    check("", &["execute small_talk recalled=0 ", "complete []"]).await;
    check("👍", &["execute small_talk recalled=0 👍", "complete []"]).await;
}

#[tokio::test(start_paused = true)]
async fn one_statement_is_embedded_once_for_recall_and_for_storing() {
    check(
        "I take my blood pressure tablet every morning after breakfast.",
        &[
            "embed I take my blood pressure tablet every morning after breakfast.",
            "recall Learn memory k=8: I take my blood pressure tablet every morning after breakfast.",
            "execute statement recalled=0 I take my blood pressure tablet every morning after breakfast.",
            "complete [episodic: I take my blood pressure tablet every morning after breakfast.]",
        ],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn several_statements_are_embedded_after_the_reply() {
    check(
        "I moved to Bergen. My sister lives in Oslo.",
        &[
            "embed I moved to Bergen. My sister lives in Oslo.",
            "recall Learn memory k=8: I moved to Bergen. My sister lives in Oslo.",
            "execute statement recalled=0 I moved to Bergen. My sister lives in Oslo.",
            "embed I moved to Bergen. | My sister lives in Oslo.",
            "complete [episodic: I moved to Bergen. | episodic: My sister lives in Oslo.]",
        ],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_no_rule_decides_is_decided_by_prototypes_made_once() {
    let stage = Stage::new().await;
    stage.say("What is photosynthesis?").await;
    stage.say("What is osmosis?").await;
    let log = stage.log();
    let mut embeds: Vec<&String> = log.iter().filter(|line| line.starts_with("embed")).collect();
    // They come in batches.
    embeds.dedup();
    assert_eq!(embeds, ["embed What is photosynthesis?", "embed prototypes", "embed What is osmosis?"]);
    // The stage gives everything unknown the meaning of the first class.
    assert!(log.contains(&"recall Learn memory k=8: What is osmosis?".to_owned()), "{log:?}");
}

#[tokio::test(start_paused = true)]
async fn what_a_model_notes_is_kept_with_the_turn_once() {
    let told = |note| Stage::playing(vec![Act::Note(note), Act::Note(note), Act::Fail("down")]);
    let stage = told("The user cycles.").await;
    assert_eq!(stage.say("My bike is green.").await.1, done(&[100, 101], &[]));
    let log = stage.log();
    assert_eq!(log.last().unwrap(), "complete [episodic: My bike is green. | semantic: The user cycles.]");
    stage.whisper("My bike is green.").await;
    stage.say("My bike is green.").await;
    let log = stage.log();
    assert!(!log.iter().any(|line| line.starts_with("complete")), "private, and failed: {log:?}");
    let stage = told("my bike is green").await;
    stage.say("My bike is green.").await;
    assert_eq!(stage.log().last().unwrap(), "complete [semantic: my bike is green]");
}

#[tokio::test(start_paused = true)]
async fn an_overview_surveys_instead_of_recalling() {
    check(
        "What do you know about me?",
        &[
            "survey per_group=8",
            "execute overview overview recalled=0 What do you know about me?",
            "complete []",
        ],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_intention_is_neither_recalled_by_nor_stored() {
    check("Remind me to call mum tomorrow.", &["schedule Remind me to call mum tomorrow.", "complete []"])
        .await;
}

#[tokio::test(start_paused = true)]
async fn a_question_that_names_nothing_brings_no_memory() {
    check("What are they?", &["execute question recalled=0 What are they?", "complete []"]).await;
}

#[tokio::test(start_paused = true)]
async fn secrets_are_masked_before_anything_leaves_the_planner() {
    let stage =
        Stage::playing(vec![Act::Say("Your key is sk-abcdefghijklmnopqrstuvwxyz123456.", vec![])]).await;
    stage.say("My API key is sk-abcdefghijklmnopqrstuvwxyz123456.").await;
    let log = stage.log().join("\n");
    assert!(!log.contains("abcdefghijkl"), "{log}");
    let exchange = stage.script().turns[0].exchange.clone();
    assert!(!exchange.message.contains("abcdefghijkl"), "{}", exchange.message);
    assert!(!exchange.reply.contains("abcdefghijkl"), "{}", exchange.reply);
}

#[tokio::test(start_paused = true)]
async fn words_stream_and_the_last_event_follows_the_commit() {
    let stage = Stage::playing(vec![Act::Say("After breakfast.", vec![4])]).await;
    let (words, last) = stage.say("I moved to Bergen.").await;
    assert_eq!((words.as_str(), last), ("After breakfast.", done(&[100], &[4])));
    assert_eq!(stage.log().last().unwrap(), "complete [episodic: I moved to Bergen.] used=4");
}

#[tokio::test(start_paused = true)]
async fn the_record_tells_how_a_turn_was_planned_without_its_words() {
    let script =
        Script { recalled: vec![4, 5], acts: [Act::Say("Soon.", vec![4])].into(), ..Script::default() };
    let stage = Stage::with(script, PlannerConfig::default(), true).await;
    stage.say("When do I take my medicine?").await;
    let record = stage.script().turns[0].record.clone();
    assert_eq!(record.decision.intent.name(), "memory");
    assert!(record.decision.rule.starts_with("phrase"), "{}", record.decision.rule);
    assert_eq!((record.depth, record.purpose.name(), record.knowing.name()), (8, "question", "known"));
    assert_eq!(record.recalled.len(), 2);
    assert!((record.recalled[0].terms.cosine - 0.6).abs() < 1e-6);
    assert_eq!((&*record.recalled[0].text, &record.recalled[0].speaker), ("", &None));
    assert_eq!((record.used.len(), record.model.as_str(), record.end), (1, "scripted", TurnEnd::Done));
}

#[tokio::test(start_paused = true)]
async fn praise_and_corrections_reach_what_the_last_reply_used() {
    for (feedback, mark) in
        [("That's wrong.", "corrected=4,5"), ("Exactly, that helped!", "praised=4,5"), ("ok thanks", "")]
    {
        let stage = Stage::playing(vec![Act::Say("After breakfast.", vec![4, 5])]).await;
        stage.say("When do I take my medicine?").await;
        stage.log();
        stage.say(feedback).await;
        let log = stage.log();
        let complete = log.last().unwrap();
        let marked = mark.split('=').next().is_some_and(|name| !name.is_empty());
        assert_eq!(complete.contains(mark) && marked, marked, "{feedback}: {complete}");
        assert_eq!(
            complete.contains("corrected") || complete.contains("praised"),
            marked,
            "{feedback}: {complete}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_correction_reaches_one_turn_back_and_keeps_what_it_states() {
    let stage = Stage::playing(vec![Act::Say("In Oslo.", vec![4])]).await;
    stage.say("Where do I live?").await;
    stage.say("No, that's wrong, I live in Bergen.").await;
    let log = stage.log();
    let complete = log.last().unwrap();
    assert!(complete.contains("Bergen") && complete.ends_with("corrected=4"), "{complete}");
    stage.say("That's wrong.").await;
    assert!(!stage.log().last().unwrap().contains("corrected"));
}

#[tokio::test(start_paused = true)]
async fn a_private_turn_recalls_and_writes_nothing() {
    let stage = Stage::playing(vec![Act::Say("In Oslo.", vec![4]), Act::Fail("down")]).await;
    let (_, last) = stage.whisper("Where do I live? I have a new cat.").await;
    let TurnEvent::Done { durable, .. } = last else { panic!("{last:?}") };
    assert_eq!(durable, Durable::Private);
    stage.whisper("Where do I work?").await;
    stage.say("That's wrong.").await;
    let log = stage.log();
    let writes: Vec<&String> =
        log.iter().filter(|line| line.starts_with("complete") || line.starts_with("record")).collect();
    assert_eq!(writes, ["complete []"], "only the turn that was not private: {log:?}");
    assert!(log.iter().any(|line| line.starts_with("recall Observe")), "{log:?}");
    assert!(!log.iter().take(6).any(|line| line.starts_with("recall Learn")), "{log:?}");
}

#[tokio::test(start_paused = true)]
async fn without_the_embedder_words_alone_serve() {
    let script = Script { embed_fails: true, ..Script::default() };
    let stage = Stage::with(script, PlannerConfig::default(), true).await;
    let (_, last) = stage.say("My cat is called Tom.").await;
    assert_eq!(last, done(&[100], &[]));
    let log = stage.log();
    assert_eq!(log[1], "recall Learn memory k=8 without meaning: My cat is called Tom.");
    assert!(log[2].contains("(memory could be searched by words alone, not by meaning)"), "{log:?}");
    assert_eq!(log.last().unwrap(), "complete [episodic without meaning: My cat is called Tom.]");
}

#[tokio::test(start_paused = true)]
async fn a_memory_that_cannot_be_read_is_said_and_not_fatal() {
    let script = Script { recall_fails: true, ..Script::default() };
    let stage = Stage::with(script, PlannerConfig::default(), true).await;
    assert_eq!(stage.say("Where is my hat?").await.1, done(&[], &[]));
    let log = stage.log();
    let told = "(memory could not be asked: memory is damaged: a page is torn)";
    assert!(log.iter().any(|line| line.contains(told)), "{log:?}");
}

#[tokio::test(start_paused = true)]
async fn a_memory_that_is_switched_off_is_not_asked_and_keeps_nothing() {
    let off = PlannerConfig { remembers: false, ..PlannerConfig::default() };
    let stage = Stage::with(Script::default(), off, true).await;
    let (_, last) = stage.say("My cat is called Tom.").await;
    assert_eq!(last, TurnEvent::Done { durable: Durable::Private, used: vec![] });
    let told = "(memory is switched off: nothing is looked up, and nothing is kept)";
    assert_eq!(stage.log(), [format!("execute statement recalled=0 My cat is called Tom. {told}")]);
}

/// What "yes" makes of a question whose answer has faded.
async fn check_offer(question: (&str, bool), answer: (&str, bool), expected: &[&str]) {
    let acts = vec![Act::Say("Shall I look?", vec![]), Act::Say("At three.", vec![9])];
    let script = Script { acts: acts.into(), faded: vec![9], ..Script::default() };
    let stage = Stage::with(script, PlannerConfig::default(), true).await;
    for (n, (message, private)) in [question, answer].into_iter().enumerate() {
        if n == 1 {
            stage.log();
        }
        if private {
            stage.whisper(message).await
        } else {
            stage.say(message).await
        };
    }
    assert_eq!(stage.log(), expected, "{question:?} {answer:?}");
}

#[tokio::test(start_paused = true)]
async fn yes_takes_up_the_offer_to_look_among_what_has_faded() {
    let asked = "Where is my hat?";
    let looks = "recall Learn memory k=8 among the faded: Where is my hat?";
    for yes in ["yes", "Yes, please do.", "ja bitte", "sí", "oui"] {
        let answered = format!("execute question recalled=1 {yes}");
        check_offer((asked, false), (yes, false), &[looks, &answered, "complete [] used=9"]).await;
    }
    let thanks = ["execute small_talk recalled=0 no thanks", "complete [] used=9"];
    check_offer((asked, false), ("no thanks", false), &thanks).await;
}

#[tokio::test(start_paused = true)]
async fn an_offer_made_in_private_is_taken_up_in_private_alone() {
    let asked = "Where is my hat?";
    let looks = "recall Observe memory k=8 among the faded: Where is my hat?";
    check_offer((asked, true), ("yes", true), &[looks, "execute question recalled=1 yes"]).await;
    check_offer((asked, false), ("yes", true), &[looks, "execute question recalled=1 yes"]).await;
    let plain = ["execute small_talk recalled=0 yes", "complete [] used=9"];
    check_offer((asked, true), ("yes", false), &plain).await;
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_cannot_be_kept_stands_and_says_so() {
    let full = MemoryError::Unwritable("disk full".to_owned());
    let script =
        Script { commits: [full].into(), acts: [Act::Say("Yes.", vec![4])].into(), ..Script::default() };
    let stage = Stage::with(script, PlannerConfig::default(), true).await;
    let (words, last) = stage.say("I moved to Bergen.").await;
    let reason = "memory could not be written: disk full".to_owned();
    let used = vec![TraceId::from_raw(4)];
    assert_eq!(words, "Yes.");
    assert_eq!(last, TurnEvent::Done { durable: Durable::NotRemembered { reason }, used });
    let log = stage.log();
    assert_eq!(log.iter().filter(|line| line.starts_with("complete")).count(), 1, "{log:?}");
}

#[tokio::test(start_paused = true)]
async fn a_commit_that_met_a_restart_is_sent_once_more() {
    let restarting = MemoryError::Unavailable("it is being restarted".to_owned());
    let script = Script { commits: [restarting].into(), ..Script::default() };
    let stage = Stage::with(script, PlannerConfig::default(), true).await;
    assert_eq!(stage.say("I moved to Bergen.").await.1, done(&[100], &[]));
}

#[tokio::test(start_paused = true)]
async fn a_failed_reply_leaves_only_its_record() {
    let stage = Stage::playing(vec![Act::Fail("connection refused")]).await;
    let (_, last) = stage.say("I moved to Bergen.").await;
    assert_eq!(last, failed(ExecuteError::Model("connection refused".to_owned()).into()));
    let log = stage.log();
    assert_eq!(log.last().unwrap(), "record failed: the language model failed: connection refused");
    assert!(!log.iter().any(|line| line.starts_with("complete")), "{log:?}");
    let record = stage.script().records[0].clone();
    assert_eq!((record.decision.intent.name(), record.depth), ("memory", 8));
}

#[tokio::test(start_paused = true)]
async fn an_executor_that_hangs_is_given_up_and_the_next_turn_runs() {
    let stage = Stage::playing(vec![Act::Hang]).await;
    let (_, last) = stage.say("I moved to Bergen.").await;
    assert_eq!(last, failed(ExecuteError::Model("no answer in time".to_owned()).into()));
    assert_eq!(stage.say("hello").await.1, done(&[], &[]));
}

#[tokio::test(start_paused = true)]
async fn an_executor_that_panics_fails_the_turn_and_wedges_nothing() {
    let stage = Stage::playing(vec![Act::Panic]).await;
    assert_eq!(stage.say("I moved to Bergen.").await.1, failed(ExecuteError::Unavailable.into()));
    assert_eq!(stage.say("hello").await.1, failed(ExecuteError::Unavailable.into()));
    assert_eq!(stage.log().last().unwrap(), "record failed: the executor is not running");
}

#[tokio::test(start_paused = true)]
async fn a_panic_inside_a_turn_fails_it_and_wedges_nothing() {
    let stage = Stage::with(Script::default(), PlannerConfig::default(), false).await;
    let long = "I like tea. ".repeat(2_000);
    let (_, last) = stage.say(&long).await;
    let fault = "a fault in the program ended the turn".to_owned();
    assert_eq!(last, failed(ConverseError::Unavailable(fault)));
    assert_eq!(stage.say("hello").await.1, done(&[], &[]));
}

#[tokio::test(start_paused = true)]
async fn a_message_beyond_the_limit_is_refused_at_once() {
    let stage = Stage::new().await;
    let error = stage.converse(&"é".repeat(5_000_000), false).await.unwrap_err();
    assert_eq!(error, ConverseError::TooLong { given: 10_000_000, limit: 1_048_576 });
    assert_eq!(stage.say("hello").await.1, done(&[], &[]));
}

#[tokio::test(start_paused = true)]
async fn turns_run_one_after_the_other_in_their_order() {
    let stage = Stage::playing(vec![Act::Wait, Act::Wait, Act::Wait]).await;
    let mut streams = Vec::new();
    for message in ["hello", "bye", "thanks"] {
        streams.push(stage.converse(message, false).await.unwrap());
    }
    settle().await;
    assert_eq!(stage.log(), ["execute small_talk recalled=0 hello"]);
    for (stream, next) in streams.into_iter().zip([Some("bye"), Some("thanks"), None]) {
        stage.release();
        assert_eq!(hear_out(stream).await.1, done(&[], &[]));
        settle().await;
        let mut expected = vec!["complete []".to_owned()];
        expected.extend(next.map(|next| format!("execute small_talk recalled=0 {next}")));
        assert_eq!(stage.log(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn the_seventeenth_that_would_wait_is_refused() {
    let stage = Stage::playing(vec![Act::Wait]).await;
    let mut streams = Vec::new();
    for _ in 0..17 {
        streams.push(stage.converse("hello", false).await.unwrap());
    }
    assert_eq!(stage.converse("hello", false).await.unwrap_err(), ConverseError::Busy { waiting: 16 });
    // One that nobody listens to any more makes room.
    drop(streams.remove(5));
    streams.push(stage.converse("hello", false).await.unwrap());
    stage.release();
    for stream in streams {
        assert_eq!(hear_out(stream).await.1, done(&[], &[]));
    }
}

#[tokio::test(start_paused = true)]
async fn a_stopped_turn_is_forgotten_and_the_next_runs() {
    let stage = Stage::playing(vec![Act::Wait]).await;
    let stream = stage.converse("I moved to Bergen.", false).await.unwrap();
    settle().await;
    stage.planner.tell(CancelTurn { turn: stream.turn }).await.unwrap();
    assert_eq!(hear_out(stream).await.1, failed(ConverseError::Cancelled));
    settle().await;
    let log = stage.log();
    assert!(log.contains(&"executor saw the cancel".to_owned()), "{log:?}");
    assert!(log.contains(&"record cancelled".to_owned()), "{log:?}");
    assert!(!log.iter().any(|line| line.starts_with("complete")), "{log:?}");
    assert_eq!(stage.say("hello").await.1, done(&[], &[]));
}

#[tokio::test(start_paused = true)]
async fn a_waiting_turn_can_be_stopped_before_it_begins() {
    let stage = Stage::playing(vec![Act::Wait]).await;
    let first = stage.converse("hello", false).await.unwrap();
    let second = stage.converse("I moved to Bergen.", false).await.unwrap();
    stage.planner.tell(CancelTurn { turn: second.turn }).await.unwrap();
    settle().await;
    assert_eq!(hear_out(second).await.1, failed(ConverseError::Cancelled));
    stage.release();
    assert_eq!(hear_out(first).await.1, done(&[], &[]));
    assert_eq!(stage.log(), ["execute small_talk recalled=0 hello", "complete []"]);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_stream_stops_the_turn() {
    let stage = Stage::playing(vec![Act::Wait]).await;
    drop(stage.converse("I moved to Bergen.", false).await.unwrap());
    settle().await;
    let log = stage.log();
    assert!(log.contains(&"record cancelled".to_owned()), "{log:?}");
    assert!(!log.iter().any(|line| line.starts_with("complete")), "{log:?}");
    assert_eq!(stage.say("hello").await.1, done(&[], &[]));
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_stalls_holds_up_nobody_else_for_long() {
    let stage = Stage::playing(vec![Act::Flood(63)]).await;
    let stalled = stage.converse("hello", false).await.unwrap();
    assert_eq!(stage.say("bye").await.1, done(&[], &[]));
    assert_eq!(hear_out(stalled).await.1, done(&[], &[]));
}

#[tokio::test(start_paused = true)]
async fn draining_finishes_what_was_accepted_and_takes_no_more() {
    let stage = Stage::playing(vec![Act::Wait, Act::Wait]).await;
    let first = stage.converse("hello", false).await.unwrap();
    let second = stage.converse("bye", false).await.unwrap();
    let planner = stage.planner.clone();
    let drained = tokio::spawn(async move { planner.ask(Drain).await.is_ok() });
    settle().await;
    assert!(!drained.is_finished());
    let refused = stage.converse("hello", false).await.unwrap_err();
    assert_eq!(refused, ConverseError::Unavailable("it is closing".to_owned()));
    stage.release();
    stage.release();
    assert_eq!(hear_out(first).await.1, done(&[], &[]));
    assert_eq!(hear_out(second).await.1, done(&[], &[]));
    assert!(drained.await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_mixed_message_is_answered_stored_and_its_reminder_seen_to_first() {
    let stage = Stage::new().await;
    let (reply, _) = stage.say("I moved to Bergen. Remind me to call mum. Where is my hat?").await;
    assert!(reply.starts_with("When?\n") && reply.len() > 6, "the question, then the answer: {reply}");
    let log = stage.log();
    let place = |what: &str| log.iter().position(|line| line.starts_with(what)).unwrap();
    assert!(place("schedule") < place("execute question"), "{log:?}");
    assert_eq!(log.last().unwrap(), "complete [episodic: I moved to Bergen.]");
}

#[tokio::test(start_paused = true)]
async fn what_was_asked_back_is_answered_by_the_next_message_alone() {
    let stage = Stage::new().await;
    stage.say("Remind me to call mum.").await;
    stage.log();
    stage.say("9am").await;
    assert_eq!(stage.log(), ["schedule Remind me to call mum. / 9am", "complete []"]);
    stage.say("What a day!").await;
    stage.log();
    stage.say("9am").await;
    assert!(!stage.log().iter().any(|line| line.starts_with("schedule")), "nobody asked any more");
}
