//! What a person asked to have deleted is gone: from recall, from the transcript, and from the file.

use std::sync::Arc;

use bethink_domain::{Draft, Knowing, Origin, TraceId};
use bethink_protocol::{CompleteTurn, Forget, ForgetReceipt, Remember, ShowTurn, TurnRef};

use crate::harness::{Awake, Inline, Never, World, day, draft, told, told_in, turn, turn_id};

const MARKER: &str = "KUMQUAT77";

async fn forget(awake: &Awake, id: TraceId, rehearse: bool) -> ForgetReceipt {
    told(awake.memory.forget.ask(Forget { id, at: day(2.0), rehearse }).send().await)
        .expect("because it is there")
}

async fn in_turn(
    awake: &Awake,
    number: u64,
    message: &str,
    reply: &str,
    change: impl FnOnce(&mut CompleteTurn),
) {
    let mut turn = turn(turn_id(number), 0.0, message, reply);
    change(&mut turn);
    told(awake.memory.complete_turn.ask(turn).send().await).expect("because the disk has room");
}

/// A fact told in turn 1, quoted in turn 2, repeated by the user in turn 3; turn 4 has nothing to do with it.
async fn tell(awake: &Awake) -> TraceId {
    let text = format!("My clinic code is {MARKER} forever");
    in_turn(awake, 1, &text, &format!("Noted: {MARKER}."), |turn| {
        turn.stated = vec![told_in(turn_id(1), &text)];
    })
    .await;
    let id = awake.recall(&text, 0.0).await.traces[0].id;
    in_turn(awake, 2, "What is my clinic code?", &format!("You said it is {MARKER}"), |turn| {
        turn.record.shown = vec![id];
        turn.used = vec![id];
    })
    .await;
    in_turn(awake, 3, &format!("Listen: my clinic code is {MARKER} forever, right?"), "Right.", |_| ()).await;
    in_turn(awake, 4, "How are you?", "Well.", |_| ()).await;
    id
}

async fn transcript(awake: &Awake) -> Vec<(String, String)> {
    let mut said = Vec::new();
    for number in 1..=4 {
        let show = ShowTurn { turn: TurnRef::Id(turn_id(number)) };
        let (_, exchange) = told(awake.memory.show_turn.ask(show).send().await).expect("because it is there");
        let exchange = exchange.expect("because it was answered");
        said.push((exchange.message, exchange.reply));
    }
    said
}

fn on_disk(world: &World, text: &str) -> bool {
    let bytes = std::fs::read(world.path()).expect("because it is there");
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[tokio::test]
async fn a_forgotten_fact_is_gone_from_everywhere() {
    let world = World::new();
    let awake = world.wake().await;
    let id = tell(&awake).await;
    awake.remember("The kettle stands in the left cupboard", 0.0).await.expect("because there is room");
    let receipt = forget(&awake, id, false).await;
    assert_eq!(receipt.traces.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [id]);
    assert_eq!(receipt.turns, [turn_id(1), turn_id(2), turn_id(3)]);
    assert!(receipt.gone_from_memory && !receipt.gone_from_disk);
    assert_eq!(awake.recall(MARKER, 2.0).await.feeling.knowing, Knowing::NeverKnown);
    let blank = "[forgotten]".to_owned();
    let expected = [
        (blank.clone(), blank.clone()),
        ("What is my clinic code?".to_owned(), blank.clone()),
        (blank, "Right.".to_owned()),
        ("How are you?".to_owned(), "Well.".to_owned()),
    ];
    assert_eq!(transcript(&awake).await, expected);
    awake.sleep().await;
    assert!(!on_disk(&world, MARKER), "no freed page holds it");
    assert!(on_disk(&world, "kettle"), "the rest is there");
    let awake = world.wake().await;
    assert_eq!(transcript(&awake).await, expected);
    assert_eq!(awake.recall("kettle", 2.0).await.traces.len(), 1);
}

#[tokio::test]
async fn a_scrub_that_was_cut_short_is_done_at_waking() {
    let mut world = World::new();
    let awake = world.wake().await;
    let id = tell(&awake).await;
    awake.sleep().await;
    world.scan = Arc::new(Never);
    let awake = world.wake().await;
    forget(&awake, id, false).await;
    // No drain: as after a crash.
    awake.stop().await;
    assert!(on_disk(&world, MARKER), "freed pages still hold it");
    world.scan = Arc::new(Inline);
    world.wake().await.sleep().await;
    assert!(!on_disk(&world, MARKER));
}

#[tokio::test]
async fn a_rehearsal_tells_and_deletes_nothing() {
    let world = World::new();
    let awake = world.wake().await;
    let id = tell(&awake).await;
    let before = transcript(&awake).await;
    let rehearsed = forget(&awake, id, true).await;
    assert!(!rehearsed.gone_from_memory);
    assert_eq!(transcript(&awake).await, before);
    let done = forget(&awake, id, false).await;
    assert_eq!((rehearsed.traces, rehearsed.turns), (done.traces, done.turns), "it told the truth");
}

#[tokio::test]
async fn what_rests_on_it_alone_goes_too() {
    let world = World::new();
    let awake = world.wake().await;
    let first = awake.remember("Mira is allergic to walnuts", 0.0).await.expect("because there is room").id;
    let second = awake.remember("Mira avoids all cakes", 0.0).await.expect("because there is room").id;
    let derive = |text: &str, from: &[TraceId]| {
        let lineage = from.iter().map(|id| Origin::Trace(*id)).collect();
        let remember = Remember { draft: Draft { lineage, ..draft(text) }, at: day(1.0) };
        let port = awake.memory.remember.clone();
        async move { told(port.ask(remember).send().await).expect("because there is room").id }
    };
    let insight = derive("Mira must be asked before baking", &[first]).await;
    let deeper = derive("Baking for Mira needs care", &[insight]).await;
    let shared = derive("Mira is careful about food", &[first, second]).await;
    let mut gone: Vec<TraceId> =
        forget(&awake, first, false).await.traces.iter().map(|(id, _)| *id).collect();
    gone.sort();
    assert_eq!(gone, [first, insight, deeper]);
    assert_eq!(crate::harness::ids(&awake.recall("Mira is careful about food", 1.0).await)[0], shared);
}
