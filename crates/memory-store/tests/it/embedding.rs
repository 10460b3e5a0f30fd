//! Vectors that come, come late, or never come.

use std::sync::atomic::Ordering;

use bethink_domain::Span;
use bethink_protocol::{Measure, ShowTrace, Tick};

use crate::harness::{Awake, World, day, ids, told};

async fn unembedded(awake: &Awake) -> usize {
    told(awake.memory.measure.ask(Measure { at: day(1.0) }).send().await)
        .expect("because it only looks")
        .unembedded
}

/// Lets time pass until no vector is missing.
async fn until_embedded(awake: &Awake) {
    for minute in 0..1_000 {
        awake
            .actor
            .tell(Tick { now: day(0.0) + Span::from_seconds(60 * minute) })
            .send()
            .await
            .expect("because it runs");
        tokio::task::yield_now().await;
        if unembedded(awake).await == 0 {
            return;
        }
    }
    panic!("the vectors never came");
}

#[tokio::test]
async fn a_statement_does_not_wait_for_a_broken_embedder() {
    let world = World::new();
    let awake = world.wake().await;
    world.embedder_broken.store(true, Ordering::SeqCst);
    let stored =
        awake.remember("The dentist is called Okonkwo", 0.0).await.expect("because it is stored without");
    assert!(!stored.embedded);
    assert_eq!(ids(&awake.recall("Okonkwo", 0.0).await), [stored.id], "it is found by its words");
    world.embedder_broken.store(false, Ordering::SeqCst);
    until_embedded(&awake).await;
    let show = ShowTrace { id: stored.id, at: day(1.0) };
    let seen = told(awake.memory.show.ask(show).send().await).expect("because it is there");
    assert!(seen.trace.embedded);
    assert_eq!(seen.history.last().map(|entry| entry.mechanism), Some("embedding"));
    awake.sleep().await;
    assert_eq!(unembedded(&world.wake().await).await, 0, "the vector is durable");
}

#[tokio::test]
async fn vectors_that_were_missing_are_made_at_waking() {
    let world = World::new();
    world.embedder_broken.store(true, Ordering::SeqCst);
    let awake = world.wake().await;
    awake.remember("The dentist is called Okonkwo", 0.0).await.expect("because it is stored without");
    awake.sleep().await;
    world.embedder_broken.store(false, Ordering::SeqCst);
    until_embedded(&world.wake().await).await;
}

#[tokio::test]
async fn a_text_without_a_vector_disturbs_no_other() {
    let world = World::new();
    let awake = world.wake().await;
    for number in 0..10 {
        awake
            .remember(&format!("Drawer {number} holds the marker{number}"), 0.0)
            .await
            .expect("because it is sound");
    }
    let ranking = |awake: &Awake| {
        let recall = awake.memory.recall.clone();
        async move {
            let cue =
                bethink_domain::Cue { threshold: Some(0.0), ..crate::harness::cue("holds marker3", 0.0) };
            let request = bethink_protocol::Recall { cue, mode: bethink_domain::RecallMode::Observe };
            ids(&recall.ask(request).send().await.expect("because recall cannot fail here"))
        }
    };
    let before = ranking(&awake).await;
    let odd = awake.remember("BADVEC is odd", 0.0).await.expect("because it is stored without");
    assert!(!odd.embedded);
    assert_eq!(ranking(&awake).await, before);
    assert_eq!(ids(&awake.recall("odd", 0.0).await), [odd.id]);
}

#[tokio::test]
async fn words_alone_find_in_every_script() {
    let mut world = World::new();
    world.embedder = None;
    let awake = world.wake().await;
    let texts =
        ["我对花生过敏", "ฉันแพ้ถั่วลิสง", "毎朝コーヒーを飲みます", "Ich wohne in Köln", "У меня есть кошка"];
    let mut stored = Vec::new();
    for text in texts {
        stored.push(awake.remember(text, 0.0).await.expect("because it is sound").id);
    }
    for (cue, id) in ["花生", "ถั่ว", "コーヒー", "Köln", "кошка"].into_iter().zip(&stored)
    {
        let cue = bethink_domain::Cue::new(cue, day(0.0));
        let found = awake.recall_as(bethink_domain::RecallMode::Observe, cue.clone()).await;
        assert_eq!(ids(&found), [*id], "{}", cue.text);
    }
    // A word that is in no memory weighs no more in a small space than in a big one.
    let cue = bethink_domain::Cue::new("我对花生过敏吗？", day(0.0));
    let found = awake.recall_as(bethink_domain::RecallMode::Observe, cue).await;
    assert_eq!(found.traces.first().map(|trace| trace.id), stored.first().copied());
    assert!(found.traces[0].terms.words > 0.7, "{:?}", found.traces[0].terms);
}

#[tokio::test]
async fn secrets_never_reach_the_disk() {
    let world = World::new();
    let awake = world.wake().await;
    let secret = "hunter2XYZZY";
    let stored = awake.remember(&format!("My password is {secret}"), 0.0).await.expect("because it is sound");
    assert_eq!(stored.masked, ["password"]);
    assert!(!stored.text.contains(secret), "{}", stored.text);
    let mut turn =
        crate::harness::turn(crate::harness::turn_id(1), 0.0, &format!("my password is {secret}"), "Noted");
    turn.exchange.reply = format!("I will not keep it: my password is {secret}");
    told(awake.memory.complete_turn.ask(turn).send().await).expect("because it is sound");
    awake.sleep().await;
    let bytes = std::fs::read(world.path()).expect("because it is there");
    assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()));
}
