//! Power fails after every single sync: what was acknowledged before is there, and nothing is there by half, which the
//! doctor's deep examination says too.

use std::collections::BTreeSet;

use bethink_domain::{FindingKind, Severity, TraceId};
use bethink_memory_store::{Checkup, FaultyDisk, Snapshot, StoreSlot, examine_file};
use bethink_protocol::{Forget, MemoryError};

use crate::harness::{Awake, World, day, identity, space, told, told_in, turn, turn_id};

/// What a run acknowledged before the power failed.
#[derive(Default)]
struct Acknowledged {
    there: BTreeSet<TraceId>,
    forgotten: BTreeSet<TraceId>,
    turns: u64,
}

/// Statements, turns and a deletion; what is acknowledged after the power failed does not count.
async fn run(awake: &Awake, cut: &FaultyDisk) -> Result<Acknowledged, MemoryError> {
    let mut known = Acknowledged::default();
    for number in 1..=5 {
        let id = awake.remember(&format!("Fact {number} is about marker{number}"), 0.0).await?.id;
        known.there.extend((!cut.power_failed()).then_some(id));
        let mut turn = turn(turn_id(number), 0.1, "I said something", "Noted");
        turn.stated = vec![told_in(turn.exchange.turn, &format!("Event {number} with token{number}"))];
        turn.used = known.there.iter().copied().take(2).collect();
        let completed = told(awake.memory.complete_turn.ask(turn).send().await)?;
        if !cut.power_failed() {
            known.there.extend(completed.encoded);
            known.turns += 1;
        }
    }
    if let Some(id) = known.there.first().copied() {
        // The file is written anew as soon as it is forgotten, so that the power may fail after the forgetting is durable.
        known.there.remove(&id);
        told(awake.memory.forget.ask(Forget { id, at: day(1.0), rehearse: false }).send().await)?;
        if !cut.power_failed() {
            known.forgotten.insert(id);
        }
    }
    Ok(known)
}

/// Runs on a disk that fails as given; whether it did.
async fn check(cut: FaultyDisk) -> bool {
    let world = World::new();
    world.create();
    let slot = StoreSlot::open_on(&world.path(), &space(), Some(&identity("hashed")), &cut)
        .expect("because reading needs no sync");
    let awake = world.wake_on(slot).await;
    let known = run(&awake, &cut).await.expect("because a failing disk reports no error");
    // Draining scrubs the file, where something was forgotten.
    awake.sleep().await;
    examine(&world, &cut);
    let reopened = world.open().unwrap_or_else(|error| panic!("{cut:?}: {error}"));
    // Loading refuses a trace without its numbers, and numbers of no trace.
    let snapshot =
        Snapshot::load(&reopened, &world.config).unwrap_or_else(|error| panic!("{cut:?}: {error}"));
    for id in &known.there {
        assert!(snapshot.trace(*id).is_some(), "{id} is there after {cut:?}");
    }
    for id in &known.forgotten {
        assert!(snapshot.trace(*id).is_none(), "{id} is gone after {cut:?}");
    }
    assert!(snapshot.turns() >= known.turns, "turns are there after {cut:?}");
    if !cut.power_failed() {
        let bytes = std::fs::read(world.path()).expect("because it is there");
        let marker = b"Fact 1 is about marker1";
        assert!(
            !bytes.windows(marker.len()).any(|window| window == marker),
            "what was forgotten is scrubbed"
        );
    }
    cut.power_failed()
}

/// Nothing is wrong with the file; something built beside it may be left.
fn examine(world: &World, cut: &FaultyDisk) {
    let checkup = Checkup { at: day(2.0), deep: true, repair: false, migrate: false, configured: None };
    let examination = examine_file(&world.path(), &space(), &checkup).expect("because nobody uses it");
    let wrong = examination.findings.listed().iter().filter(|finding| {
        finding.kind.severity() > Severity::Notice && finding.kind != FindingKind::Leftover
    });
    assert_eq!(wrong.collect::<Vec<_>>(), [] as [&bethink_domain::Finding; 0], "after {cut:?}");
}

#[tokio::test]
async fn every_acknowledged_command_survives_a_power_cut() {
    let mut cuts = 0;
    for syncs in 0.. {
        if !check(FaultyDisk::power_cut_after(syncs)).await {
            break;
        }
        for seed in 0..2 {
            check(FaultyDisk::power_cut_after(syncs).torn(seed)).await;
        }
        cuts += 1;
    }
    assert!(cuts > 10, "each commit was cut short once, of {cuts}");
}
