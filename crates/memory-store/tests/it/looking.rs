//! Looking changes no byte, and needs no right to write.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::SystemTime;

use bethink_clock::Entropy;
use bethink_domain::{RecallMode, TraceId};
use bethink_memory_store::{FaultyDisk, Snapshot, StoreError, StoreSlot, append};
use bethink_protocol::{
    ListTraces, Measure, MemoryError, Pin, Remember, ShowTrace, ShowTurn, Survey, TraceFilter, TurnRef,
};

use crate::harness::{Awake, World, cue, day, draft, identity, space, told, turn, turn_id};

/// What a file looks like from outside.
#[derive(Debug, PartialEq)]
struct Print {
    bytes: Vec<u8>,
    changed: SystemTime,
}

fn print(path: &Path) -> Option<Print> {
    let changed = fs::metadata(path).ok()?.modified().expect("because the file system keeps times");
    Some(Print { bytes: fs::read(path).expect("because it is there"), changed })
}

/// Looks in every way there is; how many traces there are.
async fn look(awake: &Awake) -> usize {
    let found = awake.recall_as(RecallMode::Observe, cue("kettle cupboard", 1.0)).await;
    let list = ListTraces { filter: TraceFilter::default(), before: None, limit: 10, at: day(1.0) };
    let page = told(awake.memory.list.ask(list).send().await).expect("because it only looks");
    for trace in &found.traces {
        let show = ShowTrace { id: trace.id, at: day(1.0) };
        let seen = told(awake.memory.show.ask(show).send().await).expect("because it is there");
        assert_eq!(seen.history.len(), 1, "its beginning is told");
    }
    let _ = awake.memory.show_turn.ask(ShowTurn { turn: TurnRef::Last }).send().await;
    let overview = told(awake.memory.survey.ask(Survey { per_group: 3, at: day(1.0) }).send().await);
    let figures = told(awake.memory.measure.ask(Measure { at: day(1.0) }).send().await);
    assert_eq!(overview.expect("because it only looks").total, page.traces.len());
    figures.expect("because it only looks").traces
}

/// A world with two memories and a turn.
async fn lived_in() -> World {
    let world = World::new();
    let awake = world.wake().await;
    for text in ["The kettle stands in the left cupboard", "Quinces ripen behind the shed"] {
        awake.remember(text, 0.0).await.expect("because the disk has room");
    }
    let turn = turn(turn_id(1), 0.1, "Where is the kettle?", "In the left cupboard.");
    told(awake.memory.complete_turn.ask(turn).send().await).expect("because the disk has room");
    awake.sleep().await;
    world
}

#[tokio::test]
async fn looking_changes_no_byte_and_no_time() {
    let world = lived_in().await;
    let before = print(&world.path());
    for _ in 0..2 {
        let awake = world.wake().await;
        assert_eq!(look(&awake).await, 2);
        awake.sleep().await;
    }
    assert!(before.is_some() && print(&world.path()) == before);
}

#[tokio::test]
async fn looking_makes_no_file_and_the_first_statement_does() {
    let world = World::new();
    let awake = world.wake().await;
    assert_eq!(look(&awake).await, 0);
    let pin = Pin { id: TraceId::from_raw(1), pinned: true, at: day(0.0) };
    let refused = told(awake.memory.pin.ask(pin).send().await);
    assert!(matches!(refused, Err(MemoryError::NoSuch(_))), "{refused:?}");
    let entries = || fs::read_dir(world.dir.path()).expect("because it is there").count();
    assert_eq!(entries(), 0, "not even a directory");
    awake.remember("The kettle stands in the left cupboard", 0.0).await.expect("because the disk has room");
    assert_eq!(look(&awake).await, 1);
    awake.sleep().await;
    let awake = world.wake().await;
    assert_eq!(look(&awake).await, 1);
    awake.sleep().await;
}

#[tokio::test]
async fn a_file_that_may_only_be_read_is_read_and_refuses_the_rest() {
    let world = lived_in().await;
    fs::set_permissions(world.path(), fs::Permissions::from_mode(0o400)).expect("because it is ours");
    let before = print(&world.path());
    let awake = world.wake().await;
    assert_eq!(look(&awake).await, 2);
    let error =
        awake.remember("Medlars hang over the fence", 0.0).await.expect_err("because it is read-only");
    assert!(matches!(error, MemoryError::Unwritable(_)), "{error}");
    assert!(error.to_string().contains(&world.path().display().to_string()), "{error} names the file");
    assert_eq!(look(&awake).await, 2, "and can be read on");
    assert!(print(&world.path()) == before);
    fs::set_permissions(world.path(), fs::Permissions::from_mode(0o600)).expect("because it is ours");
    awake.remember("Medlars hang over the fence", 0.0).await.expect("because it may be written now");
    awake.sleep().await;
}

#[tokio::test]
async fn what_a_power_cut_left_is_read_without_mending_it() {
    for syncs in 1..8 {
        let world = lived_in().await;
        let cut = FaultyDisk::power_cut_after(syncs).torn(syncs);
        let slot = StoreSlot::open_on(&world.path(), &space(), Some(&identity("hashed")), &cut)
            .expect("because the file is sound");
        let awake = world.wake_on(slot).await;
        for number in 0..4 {
            awake.remember(&format!("Fact {number}"), 0.0).await.expect("because the disk reports no error");
        }
        awake.stop().await;
        let before = print(&world.path());
        let awake = world.wake().await;
        assert!(look(&awake).await >= 2);
        awake.sleep().await;
        assert!(print(&world.path()) == before, "looking mends nothing after {cut:?}");
        let awake = world.wake().await;
        awake.remember("Medlars hang over the fence", 0.0).await.expect("because the file was mended");
        awake.sleep().await;
        let awake = world.wake().await;
        assert!(look(&awake).await >= 3);
        awake.sleep().await;
    }
}

#[test]
fn of_two_that_saw_no_file_only_the_first_makes_one() {
    let world = World::new();
    let slots = [world.open(), world.open()].map(|slot| slot.expect("because there is none"));
    let outcome = slots.iter().map(|slot| {
        let empty = std::sync::Arc::new(Snapshot::load(slot, &world.config).expect("because it is empty"));
        let remember = Remember { draft: draft("The kettle stands here"), at: day(0.0) };
        append(slot, &empty, vec![remember], Entropy::seeded(1), &world.config)
    });
    let outcome: Vec<_> = outcome.collect();
    assert!(outcome[0].is_ok());
    assert!(matches!(outcome[1], Err(StoreError::InUse { .. })), "{:?}", outcome[1]);
}
