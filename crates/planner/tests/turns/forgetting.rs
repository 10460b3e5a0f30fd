//! Wishes to forget, and what confirms them.

use bethink_planner::PlannerConfig;

use crate::stage::{Act, Script, Stage};

#[tokio::test(start_paused = true)]
async fn a_wish_to_forget_is_asked_back_and_looked_for_without_changing_memory() {
    let script = Script { recalled: vec![4, 5], ..Script::default() };
    let stage = Stage::with(script, PlannerConfig::default(), true).await;
    stage.say("Please forget what I said about my boat.").await;
    assert_eq!(
        stage.log(),
        [
            "embed my boat",
            "recall Observe none k=5 among all: my boat",
            "execute forget_request proposed=2 recalled=0 Please forget what I said about my boat.",
            "complete []",
        ]
    );
    stage.say("Forget everything.").await;
    assert_eq!(stage.log(), ["execute forget_request recalled=0 Forget everything.", "complete []"]);
}

#[tokio::test(start_paused = true)]
async fn only_the_next_message_confirms_that_something_is_forgotten() {
    let proposing = || Stage::playing(vec![Act::Propose(vec![4, 99, 5])]);
    let stage = proposing().await;
    stage.say("I hate that boat story.").await;
    stage.log();
    stage.say("Yes, forget it.").await;
    let forgotten = [
        "forget 4",
        "forget 99",
        "forget 5",
        "let go 4,5",
        "execute forget_request forgotten=2 recalled=0 Yes, forget it.",
        "complete []",
    ];
    assert_eq!(stage.log(), forgotten);
    stage.say("yes").await;
    assert!(!stage.log().iter().any(|line| line.starts_with("forget")), "confirmed once");

    for between in ["Where do I live?", "no", "thanks"] {
        let stage = proposing().await;
        stage.say("I hate that boat story.").await;
        stage.say(between).await;
        stage.say("yes").await;
        assert!(!stage.log().iter().any(|line| line.starts_with("forget ")), "{between}");
    }
    let stage = Stage::playing(vec![Act::Propose(vec![4]), Act::Fail("down")]).await;
    for message in ["I hate that boat story.", "Where do I live?", "yes"] {
        stage.say(message).await;
    }
    assert!(!stage.log().iter().any(|line| line.starts_with("forget ")), "a failed turn drops it too");
    let stage = proposing().await;
    stage.whisper("I hate that boat story.").await;
    stage.say("yes").await;
    assert!(!stage.log().iter().any(|line| line.starts_with("forget ")), "a private proposal is private");
}
