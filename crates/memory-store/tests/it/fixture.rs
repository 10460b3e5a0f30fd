//! A file that the first version wrote, kept so that later ones go on reading it.
//!
//! A fixture that is not there is written by the test. A new format gets a new one under its own number; the old ones
//! stay.

use std::fs;
use std::path::PathBuf;

use bethink_domain::{Cue, RecallMode};
use bethink_protocol::{Credit, ShowTrace, ShowTurn, TurnRef};

use crate::harness::{World, cue, day, ids, told, told_in, turn, turn_id};

fn fixture() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/format-1.redb")
}

const TABLET: &str = "I take my blood pressure tablet every morning after breakfast.";

async fn write_the_fixture() {
    let world = World::new();
    let awake = world.wake().await;
    let mut first = turn(turn_id(1), 0.0, TABLET, "Noted.");
    first.stated = vec![told_in(turn_id(1), TABLET)];
    told(awake.memory.complete_turn.ask(first).send().await).expect("because the disk has room");
    let long = format!("The long story begins here. {}", "And so it went on and on. ".repeat(100));
    awake.remember(&long, 0.0).await.expect("because the disk has room");
    let found = awake.recall_as(RecallMode::Learn, cue(TABLET, 1.0)).await;
    let recall = found.recall.expect("because the recall learns");
    let credit = Credit { recall, ids: ids(&found), at: day(1.0) };
    told(awake.memory.credit.ask(credit).send().await).expect("because the disk has room");
    awake.sleep().await;
    fs::copy(world.path(), fixture()).expect("because the repository can be written");
}

#[tokio::test]
async fn a_file_of_format_1_is_read() {
    if !fixture().exists() {
        write_the_fixture().await;
    }
    let world = World::new();
    fs::create_dir_all(world.path().parent().expect("because it has one")).expect("because the place is new");
    fs::copy(fixture(), world.path()).expect("because the fixture is in the repository");
    let awake = world.wake().await;
    let found = awake.recall(TABLET, 3.0).await;
    assert_eq!(&*found.traces[0].text, TABLET);
    let show = ShowTrace { id: found.traces[0].id, at: day(3.0) };
    let seen = told(awake.memory.show.ask(show).send().await).expect("because it is there");
    assert_eq!((seen.trace.stability.uses, seen.trace.priority), (1, 0.1));
    // By words alone: how the made-up embedder reads a text may differ from one compiler to the next.
    let by_words = Cue::new("The long story begins", day(3.0));
    assert!(awake.recall_as(RecallMode::Observe, by_words).await.traces[0].text.len() > 2_000);
    let (record, exchange) = told(awake.memory.show_turn.ask(ShowTurn { turn: TurnRef::Last }).send().await)
        .expect("because it is there");
    assert_eq!(record.encoded, [found.traces[0].id]);
    assert_eq!(exchange.map(|exchange| exchange.reply), Some("Noted.".to_owned()));
}
