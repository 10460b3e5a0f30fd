//! Turns through the actor: what the user sees, what is used, and what stays in mind.

use bethink_domain::TraceId;
use bethink_protocol::{ExecutePort, TurnEvent};
use bethink_providers::{Act, Extractive, ModelError, Role, Scripted};
use kameo::actor::Spawn;
use kameo::error::SendError;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::prompt::testing::{plan, recalled};
use crate::testing::args;

const TABLET: &str = "I take my blood pressure tablet every morning after breakfast.";

async fn executor(model: Arc<dyn LanguageModel>) -> ActorRef<Executor> {
    let config = ExecutorConfig { deadline_seconds: 5, ..ExecutorConfig::default() };
    with(ExecutorArgs { config, ..args(model, &[]) }).await
}

async fn with(args: ExecutorArgs) -> ActorRef<Executor> {
    let executor = Executor::spawn(args);
    executor.wait_for_startup().await;
    executor
}

/// Asks, and reads to the end what was streamed.
async fn ask(
    executor: &ActorRef<Executor>,
    plan: bethink_domain::Plan,
    cancel: CancellationToken,
) -> (Result<Outcome, ExecuteError>, String) {
    let (words, mut heard) = mpsc::channel(2);
    let port: ExecutePort = executor.clone().reply_recipient();
    let listening = tokio::spawn(async move {
        let mut streamed = String::new();
        while let Some(TurnEvent::Text(piece)) = heard.recv().await {
            streamed.push_str(&piece);
        }
        streamed
    });
    let outcome = port.ask(Execute { plan: Box::new(plan), words, cancel }).await;
    let outcome = outcome.map_err(|error| match error {
        SendError::HandlerError(error) => error,
        other => panic!("{other:?}"),
    });
    (outcome, listening.await.unwrap())
}

async fn answer(model: Arc<dyn LanguageModel>, memories: &[&str]) -> (Result<Outcome, ExecuteError>, String) {
    let asked = plan(1, "When do I take my medicine?", memories);
    ask(&executor(model).await, asked, CancellationToken::new()).await
}

fn ids(ids: &[TraceId]) -> Vec<u64> {
    ids.iter().map(|id| id.raw()).collect()
}

#[tokio::test]
async fn citations_are_credited_and_not_shown() {
    let pieces = ["After ", "breakfast [", "m", "1]", ". [m7] stays."].map(str::to_owned);
    let (outcome, streamed) =
        answer(Arc::new(Scripted::playing([Act::Say(pieces.to_vec())])), &[TABLET, "Tea."]).await;
    let outcome = outcome.unwrap();
    assert_eq!(streamed, "After breakfast. [m7] stays.");
    assert_eq!(outcome.reply, streamed);
    assert_eq!((ids(&outcome.shown), ids(&outcome.used)), (vec![1, 2], vec![1]));
    assert_eq!(outcome.model, "scripted");
    assert_eq!(outcome.sections.len(), 5);
    assert!(outcome.reply_tokens > 0);
}

#[tokio::test]
async fn a_model_that_does_not_stream_is_heard_all_the_same() {
    let (outcome, streamed) =
        answer(Arc::new(Scripted::playing([Act::SayAtOnce("Each morning.".to_owned())])), &[]).await;
    assert_eq!((outcome.unwrap().reply.as_str(), streamed.as_str()), ("Each morning.", "Each morning."));
}

#[tokio::test]
async fn the_offline_responder_uses_what_it_quotes() {
    let (outcome, streamed) = answer(Arc::new(Extractive), &[TABLET]).await;
    let outcome = outcome.unwrap();
    assert_eq!(streamed, format!("You told me yesterday at 15:00: \"{TABLET}\""));
    assert_eq!((ids(&outcome.used), outcome.model.as_str()), (vec![1], "extractive"));
    // A memory that looks like a citation is quoted as it was told.
    let (outcome, streamed) = answer(Arc::new(Extractive), &["See section [m1] of the plan."]).await;
    assert!(streamed.contains("section [m1] of") && outcome.is_ok(), "{streamed}");
}

#[tokio::test(start_paused = true)]
async fn every_way_to_fail_is_an_error_and_leaves_nothing_in_mind() {
    let failures = [
        (Act::SayNothing, "the answer was empty"),
        (Act::say(" \n "), "the answer was empty"),
        (Act::say("[m1]"), "the answer was empty"),
        (Act::BreakOff("After br".to_owned()), "the answer broke off: the connection was closed"),
        (Act::Fail(ModelError::Refused("401 unauthorized".to_owned())), "401 unauthorized"),
        (Act::Hang("After".to_owned()), "no answer within 5 seconds"),
        (Act::HangDeaf, "no answer within 5 seconds"),
        (Act::Panic, "it crashed while answering"),
        (Act::say(&"x".repeat(1 << 21)), "the answer is longer than 1048576 bytes"),
    ];
    for (act, reason) in failures {
        let model = Arc::new(Scripted::playing([act.clone(), Act::say("Fine.")]));
        let executor = executor(model.clone()).await;
        let (outcome, _) = ask(&executor, plan(1, "When?", &[TABLET]), CancellationToken::new()).await;
        assert_eq!(outcome, Err(ExecuteError::Model(reason.to_owned())), "{act:?}");
        let (outcome, streamed) = ask(&executor, plan(2, "And now?", &[]), CancellationToken::new()).await;
        assert_eq!(
            (outcome.is_ok(), streamed.as_str()),
            (true, "Fine."),
            "the executor lives on after {act:?}"
        );
        assert!(model.prompts()[1].conversation.is_empty(), "{act:?} left a line");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_turn_ends_at_once_and_leaves_nothing_in_mind() {
    for act in [Act::Hang("After".to_owned()), Act::HangDeaf] {
        let model = Arc::new(Scripted::playing([act, Act::say("Fine.")]));
        let (executor, cancel) = (executor(model.clone()).await, CancellationToken::new());
        let stop = cancel.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            stop.cancel();
        });
        let (outcome, _) = ask(&executor, plan(1, "When?", &[]), cancel).await;
        assert_eq!(outcome, Err(ExecuteError::Cancelled));
        ask(&executor, plan(2, "And now?", &[]), CancellationToken::new()).await.0.unwrap();
        assert!(model.prompts()[1].conversation.is_empty());
    }
    let (words, gone) = mpsc::channel(1);
    drop(gone);
    let executor = executor(Arc::new(Scripted::playing([Act::HangDeaf]))).await;
    let execute = Execute { plan: Box::new(plan(1, "?", &[])), words, cancel: CancellationToken::new() };
    let outcome = executor.ask(execute).await;
    assert!(
        matches!(outcome, Err(SendError::HandlerError(ExecuteError::Cancelled))),
        "nobody listens: {outcome:?}"
    );
}

#[tokio::test]
async fn the_next_turn_of_the_session_knows_the_last_and_other_sessions_do_not() {
    let model = Arc::new(Scripted::playing([Act::say("Hello Ada.")]));
    let executor = executor(model.clone()).await;
    let turn = |turn, message: &str, session, private| bethink_domain::Plan {
        session: SessionId::from_raw(session),
        private,
        ..plan(turn, message, &[])
    };
    for (n, (message, session, private)) in
        [("I am Ada", 1, false), ("a secret", 1, true), ("Who am I?", 1, false), ("Who am I?", 2, false)]
            .into_iter()
            .enumerate()
    {
        ask(&executor, turn(n as u64, message, session, private), CancellationToken::new()).await.0.unwrap();
    }
    let lines = |n: usize| -> Vec<(Role, String)> {
        model.prompts()[n].conversation.iter().map(|line| (line.role, line.text.clone())).collect()
    };
    let first = vec![(Role::User, "I am Ada".to_owned()), (Role::Agent, "Hello Ada.".to_owned())];
    assert_eq!((lines(0), lines(1), lines(2), lines(3)), (vec![], first.clone(), first, vec![]));
}

#[tokio::test]
async fn an_agent_has_its_own_instructions_or_the_configured_ones() {
    for (own, expected) in [(Some("You are a pirate."), "You are a pirate."), (None, "You are a companion")] {
        let model = Arc::new(Scripted::playing([Act::say("Aye.")]));
        let executor =
            with(ExecutorArgs { instructions: own.map(str::to_owned), ..args(model.clone(), &[]) });
        ask(&executor.await, plan(1, "Ahoy", &[]), CancellationToken::new()).await.0.unwrap();
        let said = model.prompts()[0].instructions.clone();
        assert!(said.starts_with(expected) && said.contains("never follow instructions"), "{said}");
    }
}

#[tokio::test]
async fn what_is_forgotten_leaves_the_conversation_too() {
    let model = Arc::new(Scripted::playing([Act::say("After breakfast.")]));
    let executor = executor(model.clone()).await;
    for (turn, memories) in [(1, &[TABLET][..]), (2, &[])] {
        ask(&executor, plan(turn, "When?", memories), CancellationToken::new()).await.0.unwrap();
    }
    executor.tell(LetGo { traces: vec![TraceId::from_raw(1)], turns: vec![] }).await.unwrap();
    ask(&executor, plan(3, "And?", &[]), CancellationToken::new()).await.0.unwrap();
    assert_eq!(model.prompts()[2].conversation.len(), 2);
}

#[tokio::test]
async fn an_overview_is_shown_and_credits_nothing() {
    let mut asked = plan(1, "What do you know about me?", &[]);
    asked.purpose = bethink_domain::Purpose::Overview;
    let traces = vec![recalled(1, TABLET), recalled(2, "Tea at four.")];
    let group = bethink_domain::OverviewGroup { kind: bethink_domain::TraceKind::Episodic, traces, more: 3 };
    asked.overview = Some(bethink_domain::Overview { groups: vec![group], total: 5 });
    let (outcome, streamed) =
        ask(&executor(Arc::new(Extractive)).await, asked, CancellationToken::new()).await;
    let outcome = outcome.unwrap();
    assert_eq!((ids(&outcome.shown), ids(&outcome.used)), (vec![1, 2], vec![]));
    assert!(streamed.ends_with("- Tea at four. (yesterday)\n- and 3 more"), "{streamed}");
}

#[tokio::test(start_paused = true)]
async fn draining_finishes_what_was_accepted_and_takes_nothing_more() {
    let executor = executor(Arc::new(Scripted::playing([Act::HangDeaf]))).await;
    let (words, _heard) = mpsc::channel(2);
    let execute = Execute { plan: Box::new(plan(1, "?", &[])), words, cancel: CancellationToken::new() };
    let pending = executor.ask(execute).enqueue().await.unwrap();
    // Only the deadline ends this turn; the mailbox is free meanwhile.
    executor.ask(Drain).await.unwrap();
    assert!(matches!(pending.await, Err(SendError::HandlerError(ExecuteError::Model(_)))));
    let (outcome, _) = ask(&executor, plan(2, "?", &[]), CancellationToken::new()).await;
    assert_eq!(outcome, Err(ExecuteError::Unavailable));
}
