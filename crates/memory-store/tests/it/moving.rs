//! Moving a memory to another embedder: the old vectors serve until the new ones are all there, and never meet them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bethink_clock::Entropy;
use bethink_domain::{Cue, Draft, MigrationState, RecallMode, Span, TraceId};
use bethink_memory_store::{FaultyDisk, Snapshot, StoreSlot, append};
use bethink_protocol::{
    CancelMigration, Edit, EmbedderFigures, Forget, Migrate, Remember, ShowEmbedder, Tick,
};
use redb::{ReadableDatabase, ReadableTableMetadata};
use tokio::sync::Semaphore;

use crate::harness::{Awake, World, cue, day, draft, hashed_by, identity, ids, space, told, turn, turn_id};

const THINGS: [&str; 7] = ["kettle", "violin", "lantern", "compass", "orchard", "harbour", "bicycle"];
/// More than one step takes.
const COUNT: usize = 80;

fn text(number: usize) -> String {
    format!("The {} with number{number} stands behind door{}", THINGS[number % 7], number % 11)
}

/// A memory of the first embedder.
fn grown(world: &World) -> Vec<TraceId> {
    let slot = world.open().expect("because it is new");
    let empty = Arc::new(Snapshot::load(&slot, &world.config).expect("because it is new"));
    let told = |number| {
        let text = text(number);
        Remember { draft: Draft { embedding: hashed_by("hashed", &text), ..draft(&text) }, at: day(0.0) }
    };
    let told = (0..COUNT).map(told).collect();
    let stored =
        append(&slot, &empty, told, Entropy::seeded(1), &world.config).expect("because there is room");
    slot.retire();
    stored.results.into_iter().map(|result| result.expect("because there is room").id).collect()
}

/// The same world with another embedder configured.
fn other(mut world: World) -> World {
    world.embedder = Some(identity("other"));
    world
}

async fn figures(awake: &Awake) -> EmbedderFigures {
    told(awake.memory.show_embedder.ask(ShowEmbedder).send().await).expect("because it only looks")
}

async fn migrate(awake: &Awake, anyway: bool) {
    let migrate = Migrate { at: day(1.0), anyway };
    told(awake.memory.migrate.ask(migrate).send().await).expect("because an embedder is configured");
}

async fn tick(awake: &Awake, minute: i64) {
    let tick = Tick { now: day(1.0) + Span::from_seconds(60 * minute) };
    awake.actor.tell(tick).send().await.expect("because it runs");
    tokio::task::yield_now().await;
}

/// Lets time pass until something is so.
async fn until(awake: &Awake, so: impl Fn(&EmbedderFigures) -> bool) -> EmbedderFigures {
    for minute in 0..2_000 {
        let now = figures(awake).await;
        if so(&now) {
            return now;
        }
        tick(awake, minute).await;
    }
    panic!("it never came to that: {:?}", figures(awake).await);
}

fn state(figures: &EmbedderFigures) -> Option<MigrationState> {
    figures.migration.as_ref().map(|migration| migration.state)
}

fn is_done(figures: &EmbedderFigures) -> bool {
    state(figures) == Some(MigrationState::Done)
}

/// Recalls as a process does that has the other embedder configured.
async fn recalled(awake: &Awake, text: &str) -> Vec<TraceId> {
    let cue = Cue { embedding: hashed_by("other", text), ..Cue::new(text, day(1.0)) };
    ids(&awake.recall_as(RecallMode::Observe, cue).await)
}

/// Whether a cue finds a thing by its meaning: it shares its words with nothing.
async fn found_by_meaning(awake: &Awake, model: &str, number: usize) -> Vec<TraceId> {
    let by_words = cue("zzz", 1.0);
    let by_meaning = Cue { embedding: hashed_by(model, &text(number)), ..by_words };
    ids(&awake.recall_as(RecallMode::Observe, by_meaning).await)
}

fn vectors_in(world: &World, table: &str) -> u64 {
    let database = redb::Database::open(world.path()).expect("because nobody has it open");
    let read = database.begin_read().expect("because it is sound");
    let table = redb::TableDefinition::<u64, &[u8]>::new(table);
    read.open_table(table).map_or(0, |table| table.len().expect("because it is sound"))
}

#[tokio::test]
async fn the_old_vectors_serve_until_the_new_ones_do() {
    let mut world = World::new();
    let all = grown(&world);
    world.gate = Arc::new(Semaphore::new(1));
    let world = other(world);
    let awake = world.wake().await;
    assert_eq!(state(&figures(&awake).await), None, "who only looks begins nothing");
    let seen = until(&awake, |f| f.lacking > 0 && f.lacking < COUNT).await;
    assert_eq!(seen.stored, Some(identity("hashed")));
    assert!(seen.by_meaning, "the old embedder makes the cues");
    let text = text(3);
    let found = awake.recall_as(RecallMode::Observe, cue(&text, 1.0)).await;
    assert_eq!(ids(&found)[0], all[3]);
    let new = awake.remember("My umbrella hangs in the pantry", 1.0).await.expect("because there is room");
    assert_eq!(ids(&awake.recall("umbrella pantry", 1.0).await), [new.id], "what is told meanwhile is found");
    world.gate.add_permits(1_000);
    let seen = until(&awake, is_done).await;
    assert_eq!((seen.stored, seen.lacking), (Some(identity("other")), 0));
    assert_eq!(found_by_meaning(&awake, "other", 3).await[0], all[3]);
    assert_eq!(found_by_meaning(&awake, "hashed", 3).await, [], "the old cues mean nothing any more");
    tick(&awake, 3_000).await;
    until(&awake, is_done).await;
    awake.sleep().await;
    assert_eq!(vectors_in(&world, "vectors_even"), COUNT as u64 + 1);
    assert_eq!(vectors_in(&world, "vectors"), 0, "and the old vectors are gone");
    let awake = world.wake().await;
    assert_eq!(found_by_meaning(&awake, "other", 3).await[0], all[3], "after waking as well");
}

#[tokio::test]
async fn without_the_old_embedder_words_alone_serve_meanwhile() {
    let mut world = World::new();
    let all = grown(&world);
    (world.former, world.gate) = (false, Arc::new(Semaphore::new(0)));
    let world = other(world);
    let awake = world.wake().await;
    migrate(&awake, false).await;
    assert!(!figures(&awake).await.by_meaning);
    assert_eq!(found_by_meaning(&awake, "other", 3).await, [], "vectors of two embedders never meet");
    assert_eq!(ids(&awake.recall("compass number3 door3", 1.0).await)[0], all[3]);
    world.gate.add_permits(1_000);
    let seen = until(&awake, is_done).await;
    assert_eq!(seen.migration.expect("because it is done").parity, None, "there was nothing to compare with");
    assert_eq!(found_by_meaning(&awake, "other", 3).await[0], all[3]);
}

#[tokio::test]
async fn what_is_edited_or_forgotten_while_its_vector_is_made_keeps_none_of_it() {
    let mut world = World::new();
    let all = grown(&world);
    world.gate = Arc::new(Semaphore::new(0));
    let world = other(world);
    let awake = world.wake().await;
    migrate(&awake, false).await;
    // The first step's texts are with the embedder now.
    let forget = Forget { id: all[2], at: day(1.0), rehearse: false };
    told(awake.memory.forget.ask(forget).send().await).expect("because it is there");
    let edit = Edit { id: all[3], text: "My telescope is broken".into(), at: day(1.0) };
    told(awake.memory.edit.ask(edit).send().await).expect("because it is there");
    world.gate.add_permits(1_000);
    until(&awake, is_done).await;
    assert!(!found_by_meaning(&awake, "other", 2).await.contains(&all[2]));
    assert!(!found_by_meaning(&awake, "other", 3).await.contains(&all[3]), "the old text is gone");
    let cue = Cue { embedding: hashed_by("other", "My telescope is broken"), ..cue("zzz", 1.0) };
    let found = awake.recall_as(RecallMode::Observe, cue).await;
    assert_eq!(ids(&found)[0], all[3]);
    awake.sleep().await;
    assert_eq!(vectors_in(&world, "vectors_even"), COUNT as u64 - 1);
}

#[tokio::test]
async fn a_failing_embedder_delays_the_move_and_loses_nothing() {
    let mut world = World::new();
    grown(&world);
    world.gate = Arc::new(Semaphore::new(1));
    let world = other(world);
    let awake = world.wake().await;
    until(&awake, |f| f.lacking > 0 && f.lacking < COUNT).await;
    world.embedder_broken.store(true, Ordering::SeqCst);
    world.gate.add_permits(1_000);
    for minute in 0..20 {
        tick(&awake, minute).await;
    }
    assert_eq!(state(&figures(&awake).await), Some(MigrationState::Building));
    world.embedder_broken.store(false, Ordering::SeqCst);
    assert_eq!(until(&awake, is_done).await.lacking, 0);
}

#[tokio::test]
async fn a_move_can_be_called_off_and_begun_again() {
    let mut world = World::new();
    let all = grown(&world);
    world.gate = Arc::new(Semaphore::new(1));
    let world = other(world);
    let awake = world.wake().await;
    until(&awake, |f| f.lacking > 0 && f.lacking < COUNT).await;
    let cancel = CancelMigration { at: day(1.0) };
    told(awake.memory.cancel_migration.ask(cancel).send().await).expect("because there is room");
    world.gate.add_permits(1_000);
    for minute in 0..20 {
        tick(&awake, minute).await;
    }
    let seen = figures(&awake).await;
    assert_eq!(state(&seen), Some(MigrationState::Cancelled), "it does not begin again by itself");
    assert_eq!(seen.stored, Some(identity("hashed")));
    assert_eq!(ids(&awake.recall(&text(3), 1.0).await)[0], all[3]);
    awake.sleep().await;
    assert_eq!(vectors_in(&world, "vectors_even"), 0, "what was made for it is gone");
    let awake = world.wake().await;
    migrate(&awake, false).await;
    until(&awake, is_done).await;
    awake.sleep().await;
    assert_eq!(vectors_in(&world, "vectors_even"), COUNT as u64);
}

/// Lets the memory answer questions, so that there is something to compare by.
async fn asked(world: &World, all: &[TraceId]) {
    let awake = world.wake().await;
    for number in 0..20 {
        // By its meaning alone: it shares no word with anything.
        let thing = THINGS[number % 7];
        let question = format!("zz{thing} zznumber{number} zzstands zzbehind zzdoor{}", number % 11);
        let found = awake.recall(&question, 0.5).await;
        let mut turn = turn(turn_id(number as u64 + 1), 0.5, &question, "There.");
        turn.record.recalled = found.traces;
        turn.record.used = vec![all[number]];
        told(awake.memory.complete_turn.ask(turn).send().await).expect("because there is room");
    }
    awake.sleep().await;
}

#[tokio::test]
async fn vectors_that_recall_too_differently_do_not_take_over_unless_told_to() {
    let mut world = World::new();
    let all = grown(&world);
    asked(&world, &all).await;
    world.config.migration.parity_min = 1.1;
    // A model for which all texts are alike finds nothing that was used.
    world.embedder = Some(identity("blind"));
    let awake = world.wake().await;
    let held = until(&awake, |f| state(f) == Some(MigrationState::Held)).await;
    let parity = held.migration.and_then(|migration| migration.parity).expect("because it was compared");
    assert_eq!((parity.cues, parity.used), (20, 20));
    assert!(parity.rank_after < parity.rank_before, "{parity:?}");
    assert_eq!(held.stored, Some(identity("hashed")));
    awake.remember("My umbrella hangs in the pantry", 1.0).await.expect("because there is room");
    for minute in 0..20 {
        tick(&awake, minute).await;
    }
    let seen = figures(&awake).await;
    assert_eq!((state(&seen), seen.lacking), (Some(MigrationState::Held), 0), "it keeps up, and waits");
    migrate(&awake, true).await;
    assert_eq!(until(&awake, is_done).await.stored, Some(identity("blind")));
}

#[tokio::test]
async fn a_configuration_that_goes_back_ends_the_move() {
    let mut world = World::new();
    let all = grown(&world);
    world.gate = Arc::new(Semaphore::new(1));
    let mut world = other(world);
    let awake = world.wake().await;
    until(&awake, |f| f.lacking > 0 && f.lacking < COUNT).await;
    awake.sleep().await;
    world.embedder = Some(identity("hashed"));
    let awake = world.wake().await;
    until(&awake, |f| state(f) == Some(MigrationState::Cancelled)).await;
    assert_eq!(found_by_meaning(&awake, "hashed", 3).await[0], all[3]);
    for minute in 0..5 {
        tick(&awake, minute).await;
    }
    awake.sleep().await;
    assert_eq!((vectors_in(&world, "vectors_even"), vectors_in(&world, "vectors")), (0, COUNT as u64));
}

#[tokio::test]
async fn a_move_goes_on_after_the_power_failed_at_any_moment() {
    let mut failed = 0;
    for syncs in [0, 1, 2, 3, 4, 5, 6, 8, 11, 99] {
        let world = World::new();
        let all = grown(&world);
        let mut world = other(world);
        let disk = FaultyDisk::power_cut_after(syncs);
        let slot = StoreSlot::open_on(&world.path(), &space(), world.embedder.as_ref(), &disk)
            .expect("because reading needs no sync");
        let awake = world.wake_on(slot).await;
        migrate(&awake, false).await;
        until(&awake, is_done).await;
        let late = awake.remember("My umbrella hangs in the pantry", 1.0).await.expect("because it seems so");
        failed += usize::from(disk.power_failed());
        let survives = !disk.power_failed();
        awake.stop().await;
        // Whichever serves, all that was there is found by its meaning.
        let awake = world.wake().await;
        for number in [0, 40, COUNT - 1] {
            let found = recalled(&awake, &text(number)).await;
            assert_eq!(found.first(), Some(&all[number]), "{number} after {syncs} syncs");
        }
        let found = recalled(&awake, "umbrella pantry").await;
        assert_eq!(found.contains(&late.id), survives, "{syncs}");
        migrate(&awake, false).await;
        let seen = until(&awake, |f| f.stored == Some(identity("other"))).await;
        assert_eq!(seen.lacking, 0);
        awake.sleep().await;
        world.embedder = Some(identity("other"));
        let slot = world.open().expect("because it is the configured embedder's now");
        let snapshot = Snapshot::load(&slot, &world.config).expect("because it is sound");
        assert_eq!((snapshot.len(), snapshot.unembedded()), (COUNT + usize::from(survives), 0));
    }
    assert!(failed > 3, "{failed} power cuts");
}
