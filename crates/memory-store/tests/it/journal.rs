//! Years of use: the journal stays as long as its days, and still tells what became of each memory.

use bethink_domain::{Cause, Quantity, TraceId, TraceView};
use bethink_protocol::{Edit, Forget, Measure, Pin, ShowTrace};

use redb::{ReadableDatabase, ReadableTable};

use crate::harness::{Awake, World, day, told, told_in, turn, turn_id};

const TOPICS: [&str; 6] = ["bicycle", "harbour", "violin", "orchard", "lantern", "kettle"];
/// Turns, two days apart.
const TURNS: u64 = 600;

fn topic(number: u64) -> usize {
    (number % TOPICS.len() as u64) as usize
}

async fn show(awake: &Awake, id: TraceId) -> TraceView {
    let show = ShowTrace { id, at: day(2_000.0) };
    told(awake.memory.show.ask(show).send().await).expect("because it is there")
}

async fn entries(awake: &Awake) -> u64 {
    let figures = told(awake.memory.measure.ask(Measure { at: day(2_000.0) }).send().await);
    figures.expect("because it only looks").journal_entries
}

/// Lives three years with six memories: each told in a turn, used in every sixth, one pinned, one edited.
async fn live(awake: &Awake) -> Vec<TraceId> {
    let mut ids: Vec<TraceId> = Vec::new();
    for (number, topic) in (1u64..).zip(TOPICS) {
        let text = format!("I keep my {topic} in the shed.");
        let mut first = turn(turn_id(number), 0.0, &text, "Noted.");
        first.stated = vec![told_in(turn_id(number), &text)];
        let done = told(awake.memory.complete_turn.ask(first).send().await).expect("because there is room");
        ids.extend(done.encoded);
    }
    let pin = Pin { id: ids[0], pinned: true, at: day(10.0) };
    told(awake.memory.pin.ask(pin).send().await).expect("because it is there");
    let edit = Edit { id: ids[1], text: "I keep my boat in the harbour.".into(), at: day(20.0) };
    told(awake.memory.edit.ask(edit).send().await).expect("because it is there");
    // A hundred at a time share their commits.
    for hundred in (0..TURNS).collect::<Vec<_>>().chunks(100) {
        let mut asked = Vec::new();
        for number in hundred {
            let mut used = turn(turn_id(100 + number), 30.0 + 2.0 * *number as f64, "Where is it?", "There.");
            used.used = vec![ids[topic(*number)]];
            let pending = awake.actor.ask(used).enqueue().await;
            asked.push(pending.expect("because the mailbox has room"));
        }
        for pending in asked {
            pending.await.expect("because there is room");
        }
    }
    ids
}

/// How often a number changed, from what to what, and the first and last cause.
fn told_of(view: &TraceView, quantity: Quantity) -> (u32, f32, f32, Option<Cause>, Option<Cause>) {
    let older = view.folded.iter().find(|fold| fold.quantity == quantity);
    let newer: Vec<_> = view
        .history
        .iter()
        .flat_map(|entry| entry.changes.iter().map(move |change| (entry.cause, change)))
        .filter(|(_, change)| change.quantity == quantity)
        .collect();
    let (first, last) = (newer.first(), newer.last());
    (
        older.map_or(0, |fold| fold.times) + newer.len() as u32,
        older.map(|fold| fold.before).or(first.map(|(_, c)| c.before)).unwrap_or_default(),
        last.map(|(_, c)| c.after).or(older.map(|fold| fold.after)).unwrap_or_default(),
        older.map(|fold| fold.first.1).or(first.map(|(cause, _)| *cause)),
        last.map(|(cause, _)| *cause).or(older.map(|fold| fold.last.1)),
    )
}

#[tokio::test]
async fn a_journal_is_as_long_as_its_days_and_tells_the_same_story() {
    let mut stories = Vec::new();
    for journal_days in [30, 36_500] {
        let mut world = World::new();
        world.config.memory.journal_days = journal_days;
        let awake = world.wake().await;
        let ids = live(&awake).await;
        let before = entries(&awake).await;
        awake.sleep().await;
        let awake = world.wake().await;
        assert_eq!(entries(&awake).await, before, "what was counted is what lies in the file");
        if journal_days == 30 {
            // A turn every second day makes one entry.
            assert!((15..=17).contains(&before), "{before} entries");
        } else {
            assert!(before > TURNS, "{before} entries");
        }
        let mut story = Vec::new();
        for id in &ids {
            let view = show(&awake, *id).await;
            let quantities = [Quantity::Encoded, Quantity::Uses, Quantity::Pinned, Quantity::Text];
            story.push(quantities.map(|quantity| told_of(&view, quantity)));
        }
        let (times, _, _, cause, _) = story[0][0];
        assert_eq!((times, cause), (1, Some(Cause::Turn(turn_id(1)))), "by which turn it came to be");
        assert_eq!(story[0][1].0 as u64, TURNS / 6, "and how often it was used");
        stories.push(story);
    }
    let (folded, whole) = (&stories[0], &stories[1]);
    assert_eq!(folded, whole);
}

#[tokio::test]
async fn what_is_forgotten_leaves_no_fold_behind() {
    let mut world = World::new();
    world.config.memory.journal_days = 30;
    let awake = world.wake().await;
    let ids = live(&awake).await;
    let forget = Forget { id: ids[2], at: day(1_300.0), rehearse: false };
    told(awake.memory.forget.ask(forget).send().await).expect("because it is there");
    // Enough commits later the entries that named it are folded away too.
    for number in 0..40 {
        let at = 1_400.0 + number as f64;
        awake.remember(&format!("The number of the day is {number}."), at).await.expect("because it fits");
    }
    awake.sleep().await;
    let kept = world.wake().await;
    for (number, id) in ids.iter().enumerate().filter(|(number, _)| *number != 2) {
        assert!(!show(&kept, *id).await.folded.is_empty(), "{number}");
    }
    let shown = kept.memory.show.ask(ShowTrace { id: ids[2], at: day(1_500.0) }).send().await;
    assert!(told(shown).is_err());
    assert_eq!(entries(&kept).await, 31, "a statement of each day");
    kept.sleep().await;
    assert!(!folded_in(&world.path()).contains(&ids[2].raw()));
}

/// Ids of the traces of which a file has folded history.
fn folded_in(path: &std::path::Path) -> Vec<u64> {
    let database = redb::Database::open(path).expect("because nobody has it open");
    let read = database.begin_read().expect("because it is sound");
    let table = redb::TableDefinition::<u64, &[u8]>::new("journal_folded");
    let table = read.open_table(table).expect("because something was folded");
    table
        .iter()
        .expect("because it is sound")
        .map(|row| row.expect("because it is sound").0.value())
        .collect()
}
