//! Sealed or not, a space recalls the same.

use std::sync::Arc;

use bethink_clock::Entropy;
use bethink_domain::{Cue, CueScope, Draft, FindingKind, Findings, Recollection, TraceId};
use bethink_memory_store::{
    Checkup, MemoryConfig, RecallSettings, Snapshot, StoreConfig, StoreSlot, append, examine_file, recall,
    seal,
};
use bethink_protocol::{Edit, Forget, Remember};
use redb::{ReadableTable, TableDefinition};

use crate::harness::{World, cue, day, draft, hashed, ids, space, told};

/// Rows that are stored: three small segments and some that stay open.
const ROWS: usize = 2_000;

/// Words that are common, and words that are rare.
fn text(number: usize) -> String {
    let pick = |n: usize, list: &[&str]| list[n % list.len()].to_owned();
    let who = pick(number * 7, &["Anna", "Boris", "Chen", "Dora", "Emil", "Farah", "Goran"]);
    let what = pick(number * 5 + number / 9, &["lent", "sold", "showed", "promised", "sent", "fetched"]);
    let thing = pick(
        number * 3 + number / 11,
        &["ladder", "teapot", "atlas", "violin", "kayak", "lantern", "quilt", "drill"],
    );
    let place = pick(number / 13, &["Lisbon", "Tartu", "Bergen", "Cadiz", "Split"]);
    format!("{who} {what} the {thing} of house {} in {place}", number % 97)
}

/// So small that a test has several segments.
fn small(config: StoreConfig) -> StoreConfig {
    StoreConfig { memory: MemoryConfig { seal_rows: 512, segment_rows: 512, ..config.memory }, ..config }
}

fn stored(slot: &StoreSlot, config: &StoreConfig) -> Arc<Snapshot> {
    let mut snapshot = Arc::new(Snapshot::load(slot, config).expect("because it is new"));
    let statement = |n: usize| {
        // Every fifth comes without a vector, as when the embedder was away.
        let embedding = hashed(&text(n)).filter(|_| !n.is_multiple_of(50));
        Remember { draft: Draft { embedding, ..draft(&text(n)) }, at: day(n as f64 / 100.0) }
    };
    for first in (0..ROWS).step_by(500) {
        let statements = (first..first + 500).map(statement).collect();
        let appended = append(slot, &snapshot, statements, Entropy::seeded(5), config);
        snapshot = appended.expect("because the disk has room").snapshot;
    }
    snapshot
}

fn asked(snapshot: &Snapshot, scope: CueScope) -> Vec<Recollection> {
    let questions = (0..40).map(|n| match n % 3 {
        0 => text(n * 37),
        1 => format!("who has the violin of house {n}"),
        _ => format!("Dora in Tartu, lantern {n}"),
    });
    let settings = || RecallSettings { threshold: 0.1, ..RecallSettings::default() };
    questions
        .map(|question| {
            let cue = Cue { scope, k: 10, embedding: hashed(&question), ..cue(&question, 25.0) };
            recall(snapshot, &cue, settings())
        })
        .collect()
}

/// How many of what one recalls the other recalls too.
fn shared(these: &[Recollection], those: &[Recollection]) -> f64 {
    let (mut found, mut all) = (0, 0);
    for (these, those) in these.iter().zip(those) {
        let those = ids(those);
        all += these.traces.len();
        found += ids(these).iter().filter(|id| those.contains(id)).count();
    }
    found as f64 / f64::from(u32::try_from(all).expect("because they are few"))
}

fn check_same(sealed: &Snapshot, open: &Snapshot) {
    for scope in [CueScope::Living, CueScope::Faded, CueScope::All] {
        let (sealed, open) = (asked(sealed, scope), asked(open, scope));
        let considered = |all: &[Recollection]| all.iter().map(|r| r.feeling.considered).collect::<Vec<_>>();
        assert_eq!(considered(&sealed), considered(&open), "{scope:?}");
        if open.iter().all(|recollection| recollection.traces.is_empty()) {
            continue;
        }
        let share = shared(&open, &sealed);
        assert!(share >= 0.99, "{scope:?}: {share} of what is recalled unsealed is recalled sealed");
    }
}

#[test]
fn a_sealed_space_recalls_what_an_open_one_does_and_so_does_one_that_is_read_again() {
    let (one, two) = (World::new(), World::new());
    let (sealing, open) = (small(one.config), two.config);
    let (sealed_slot, open_slot) =
        (one.open().expect("because it is new"), two.open().expect("because it is new"));
    let opened = stored(&open_slot, &open);
    let tail = stored(&sealed_slot, &sealing);
    assert_eq!(tail.segments_sealed(), 0);
    let sealed = seal(&sealed_slot, &tail, &sealing).expect("because the disk has room");
    assert_eq!(sealed.segments_sealed(), 3);
    check_same(&sealed, &opened);
    let read = Snapshot::load(&sealed_slot, &sealing).expect("because it was written");
    assert_eq!((read.len(), read.segments_sealed()), (ROWS, 3));
    check_same(&read, &opened);
    let read = seal(&sealed_slot, &Arc::new(read), &sealing).expect("because nothing is left to do");
    check_same(&read, &opened);
}

/// What happens to a sealed space and to an open one.
async fn live(world: &World) -> Vec<TraceId> {
    let awake = world.wake().await;
    let found = awake.recall(&text(3), 21.0).await;
    let asked = ids(&found);
    for (number, id) in asked.iter().take(4).enumerate() {
        if number % 2 == 0 {
            let forget = Forget { id: *id, at: day(21.0), rehearse: false };
            told(awake.memory.forget.ask(forget).send().await).expect("because it is there");
        } else {
            let text = format!("Something else altogether, number {number}, about a submarine");
            told(awake.memory.edit.ask(Edit { id: *id, text, at: day(21.0) }).send().await)
                .expect("because it is there");
        }
    }
    awake.remember("The submarine of Emil is yellow", 21.0).await.expect("because there is room");
    let submarines = ids(&awake.recall("submarine", 21.1).await);
    let again = ids(&awake.recall(&text(3), 21.1).await);
    awake.sleep().await;
    [submarines, again].concat()
}

#[tokio::test]
async fn what_changes_after_sealing_is_found_as_it_is_now_also_after_a_restart() {
    let (mut one, two) = (World::new(), World::new());
    one.config = small(one.config);
    for world in [&one, &two] {
        let slot = world.open().expect("because it is new");
        let snapshot = stored(&slot, &world.config);
        seal(&slot, &snapshot, &world.config).expect("because the disk has room");
        slot.retire();
    }
    assert_eq!(live(&one).await, live(&two).await);
    let load = |world: &World| {
        let slot = world.open().expect("because it was written");
        let snapshot = Arc::new(Snapshot::load(&slot, &world.config).expect("because it was written"));
        seal(&slot, &snapshot, &world.config).expect("because the disk has room")
    };
    let (sealed, open) = (load(&one), load(&two));
    assert!(sealed.segments_sealed() >= 3 && open.segments_sealed() == 0);
    check_same(&sealed, &open);
}

#[tokio::test]
async fn the_actor_seals_by_itself_and_a_restart_finds_the_segments() {
    let mut world = World::new();
    world.config = small(world.config);
    let slot = world.open().expect("because it is new");
    let count = stored(&slot, &world.config).len();
    slot.retire();
    let awake = world.wake().await;
    awake.remember("A first new thing about the lighthouse", 21.0).await.expect("because there is room");
    awake.remember("A second new thing about the lighthouse", 21.0).await.expect("because there is room");
    assert_eq!(awake.recall("lighthouse", 21.1).await.traces.len(), 2);
    awake.sleep().await;
    let slot = world.open().expect("because it was written");
    let read = Snapshot::load(&slot, &world.config).expect("because it was written");
    assert_eq!((read.len(), read.segments_sealed()), (count + 2, 3));
}

/// What the doctor finds in the segments of a world that sleeps.
fn index_differs(world: &World, repair: bool) -> (u64, u64) {
    let checkup = Checkup { at: day(30.0), deep: true, repair, migrate: false, configured: None };
    let found = examine_file(&world.path(), &space(), &checkup).expect("because nobody uses it");
    let of = |findings: &Findings| findings.count(FindingKind::IndexDiffers);
    (of(&found.findings), of(&found.repaired))
}

#[test]
fn a_damaged_segment_is_told_and_dropped_and_built_anew() {
    const SEALED: TableDefinition<'_, (u8, u64), &[u8]> = TableDefinition::new("sealed");
    let mut world = World::new();
    world.config = small(world.config);
    let slot = world.open().expect("because it is new");
    let sealed = stored(&slot, &world.config);
    let sealed = seal(&slot, &sealed, &world.config).expect("because the disk has room");
    slot.retire();
    assert_eq!(index_differs(&world, false), (0, 0));

    // Its words are those of another segment: whole, with the right length, and wrong.
    let database = redb::Database::open(world.path()).expect("because nobody uses it");
    let write = database.begin_write().expect("because nobody else writes");
    {
        let mut table = write.open_table(SEALED).expect("because it is there");
        let words: Vec<(u8, u64)> = table
            .range((2, 0)..(3, 0))
            .expect("because it is sound")
            .map(|e| e.expect("sound").0.value())
            .collect();
        let other =
            table.get(words[1]).expect("because it is sound").expect("because it is there").value().to_vec();
        table.insert(words[0], other.as_slice()).expect("because the disk has room");
    }
    write.commit().expect("because the disk has room");
    drop(database);

    let slot = world.open().expect("because its pages are sound");
    let read = Snapshot::load(&slot, &world.config).expect("because what is derived can be done without");
    assert_eq!((read.len(), read.segments_sealed()), (ROWS, 2));
    check_same(&read, &sealed);
    slot.retire();
    assert_eq!(index_differs(&world, false), (1, 0));
    assert_eq!(index_differs(&world, true), (0, 1));
    let slot = world.open().expect("because it was mended");
    let read = Arc::new(Snapshot::load(&slot, &world.config).expect("because it was mended"));
    let again = seal(&slot, &read, &world.config).expect("because the disk has room");
    assert_eq!(again.segments_sealed(), 3);
    slot.retire();
    assert_eq!(index_differs(&world, false), (0, 0));
}

#[tokio::test]
async fn a_sealed_space_keeps_no_word_of_what_was_forgotten() {
    let mut world = World::new();
    world.config = small(world.config);
    let slot = world.open().expect("because it is new");
    let snapshot = stored(&slot, &world.config);
    seal(&slot, &snapshot, &world.config).expect("because the disk has room");
    slot.retire();
    let awake = world.wake().await;
    let id = ids(&awake.recall(&text(3), 21.0).await)[0];
    let forget = Forget { id, at: day(21.0), rehearse: false };
    told(awake.memory.forget.ask(forget).send().await).expect("because it is there");
    // Ten that are as near as it was take its place.
    let left = ids(&awake.recall(&text(3), 21.0).await);
    assert!(left.len() >= 8 && !left.contains(&id));
    awake.sleep().await;
    // The doctor tells words of what is not there.
    assert_eq!(index_differs(&world, false), (0, 0));
    let slot = world.open().expect("because it was written");
    let read = Snapshot::load(&slot, &world.config).expect("because it was written");
    assert!(read.trace(id).is_none());
}
