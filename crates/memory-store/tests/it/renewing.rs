//! A file gives back the room that nothing uses, and an idle one is left alone.

use bethink_domain::TraceId;
use bethink_protocol::{Edit, Measure, Tick};

use crate::harness::{Awake, World, day, told};

/// Long enough to lie apart from its record.
fn long(number: usize) -> String {
    format!("Book {number}: {}", "page after page ".repeat(3_500))
}

fn bytes(world: &World) -> u64 {
    std::fs::metadata(world.path()).expect("because it is there").len()
}

/// Strikes the timer, and lets everything happen that follows from it.
async fn strike(awake: &Awake, days: f64) {
    awake.actor.tell(Tick { now: day(days) }).send().await.expect("because the actor runs");
    for _ in 0..64 {
        told(awake.memory.measure.ask(Measure { at: day(days) }).send().await).expect("because it can look");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_file_of_freed_pages_is_written_anew_once() {
    let mut world = World::new();
    world.embedder = None;
    let awake = world.wake().await;
    let mut ids: Vec<TraceId> = Vec::new();
    for number in 0..90 {
        ids.push(awake.remember(&long(number), 0.0).await.expect("because there is room").id);
    }
    strike(&awake, 0.1).await;
    let full = bytes(&world);
    for (number, id) in ids.iter().enumerate().skip(20) {
        let edit = Edit { id: *id, text: format!("Book {number} is lost."), at: day(1.0) };
        told(awake.memory.edit.ask(edit).send().await).expect("because it is there");
    }
    assert!(bytes(&world) >= full / 2, "freed pages stay in the file: {} of {full}", bytes(&world));
    // Enough commits or growth to look at it again.
    awake.sleep().await;
    let awake = world.wake().await;
    awake.remember("One more", 1.5).await.expect("because there is room");
    strike(&awake, 2.0).await;
    let after = bytes(&world);
    let payload = (20 * long(10).len()) as u64;
    assert!(after * 2 <= payload * 3, "{after} bytes for {payload} of texts, {full} before");
    assert_eq!(awake.recall("Book 7", 2.0).await.traces.len(), 1, "it is all there");
    // An idle hour writes nothing.
    let modified =
        || std::fs::metadata(world.path()).and_then(|about| about.modified()).expect("because it is there");
    let at = modified();
    for minute in 1..=120 {
        strike(&awake, 2.0 + f64::from(minute) / 2_880.0).await;
    }
    assert_eq!((modified(), bytes(&world)), (at, after));
    awake.sleep().await;
    assert_eq!(world.wake().await.recall("Book 7", 2.0).await.traces.len(), 1);
}
