//! Many at once, disks that fail, and incarnations that overlap.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use bethink_domain::{Knowing, TraceId};
use bethink_memory_store::{FaultyDisk, StoreSlot};
use bethink_protocol::{CompleteTurn, Job, ListTraces, Measure, MemoryError, Offload, Remember, TraceFilter};

use crate::harness::{
    Awake, Threads, World, day, draft, hashed, identity, ids, space, told, told_in, turn, turn_id,
};

/// Keeps jobs until they are let go.
#[derive(Default)]
struct Held(Mutex<Option<Vec<Job>>>);

impl Offload for Held {
    fn run(&self, job: Job) {
        let mut held = self.0.lock().expect("because no test panics with it");
        match held.as_mut() {
            Some(jobs) => jobs.push(job),
            None => {
                drop(held);
                job();
            }
        }
    }
}

impl Held {
    fn hold(&self) {
        self.0.lock().expect("because no test panics with it").get_or_insert_default();
    }

    fn let_go(&self) {
        let jobs = self.0.lock().expect("because no test panics with it").take();
        jobs.into_iter().flatten().for_each(|job| job());
    }

    fn waiting(&self) -> usize {
        self.0.lock().expect("because no test panics with it").as_ref().map_or(0, Vec::len)
    }
}

fn statement(number: usize) -> Remember {
    let text = format!("Statement number{number} speaks of marker{number}");
    let embedding = hashed(&text);
    Remember { draft: bethink_domain::Draft { embedding, ..draft(&text) }, at: day(0.0) }
}

#[tokio::test]
async fn a_thousand_statements_share_few_commits() {
    let mut world = World::new();
    let threads = Arc::new(Threads::default());
    world.commit = threads.clone();
    let awake = world.wake().await;
    let asked: Vec<_> = (0..1_000)
        .map(|number| {
            let port = awake.memory.remember.clone();
            tokio::spawn(async move { told(port.ask(statement(number)).send().await) })
        })
        .collect();
    let mut stored = BTreeSet::new();
    for answer in asked {
        stored.insert(answer.await.expect("because no task panics").expect("because there is room").id);
    }
    assert_eq!(stored.len(), 1_000, "no two have one id");
    let jobs = threads.0.load(Ordering::SeqCst);
    assert!(jobs < 100, "{jobs} commits for a thousand statements");
    awake.sleep().await;
    let awake = world.wake().await;
    for number in [0, 1, 500, 999] {
        let found = awake.recall(&format!("marker{number}"), 1.0).await;
        assert!(ids(&found).iter().all(|id| stored.contains(id)) && !found.traces.is_empty());
    }
    assert_eq!(traces(&awake).await, 1_000);
}

async fn traces(awake: &Awake) -> usize {
    told(awake.memory.measure.ask(Measure { at: day(1.0) }).send().await)
        .expect("because it only looks")
        .traces
}

#[tokio::test]
async fn a_full_disk_loses_nothing_and_heals() {
    let world = World::new();
    let disk = FaultyDisk::sound();
    let slot = StoreSlot::open_on(&world.path(), &space(), Some(&identity("hashed")), &disk)
        .expect("because the disk is sound");
    let awake = world.wake_on(slot).await;
    awake.remember("Kumquats grow on the balcony", 0.0).await.expect("because the disk has room");
    disk.fill(true);
    for _ in 0..3 {
        let error =
            awake.remember("Quinces ripen behind the shed", 0.0).await.expect_err("because it is full");
        let text = error.to_string();
        assert!(matches!(error, MemoryError::Unwritable(_)), "{text}");
        assert!(text.contains(&world.path().display().to_string()), "{text} names the path");
    }
    assert_eq!(awake.recall("kumquats", 0.0).await.traces.len(), 1, "reading goes on");
    assert_eq!(awake.recall("quinces", 0.0).await.feeling.knowing, Knowing::NeverKnown, "and knows no more");
    disk.fill(false);
    awake.remember("Medlars hang over the fence", 0.0).await.expect("because there is room again");
    awake.sleep().await;
    let awake = world.wake().await;
    assert_eq!(traces(&awake).await, 2);
    assert_eq!(awake.recall("medlars", 0.0).await.traces.len(), 1);
}

#[tokio::test]
async fn recall_waits_for_no_commit() {
    let mut world = World::new();
    let held = Arc::new(Held::default());
    world.commit = held.clone();
    let awake = world.wake().await;
    awake.remember("The kettle stands in the left cupboard", 0.0).await.expect("because nothing is held");
    held.hold();
    let port = awake.memory.remember.clone();
    let asked = tokio::spawn(async move { told(port.ask(statement(1)).send().await) });
    until(|| held.waiting() == 1).await;
    assert_eq!(awake.recall("kettle cupboard", 0.0).await.traces.len(), 1);
    assert!(awake.recall("marker1", 0.0).await.traces.is_empty(), "what is not durable is not recalled");
    assert!(!asked.is_finished(), "and not acknowledged");
    held.let_go();
    asked.await.expect("because it does not panic").expect("because the disk has room");
    assert_eq!(awake.recall("marker1", 0.0).await.traces.len(), 1, "the very next recall finds it");
}

/// Lets other tasks run until something holds.
async fn until(holds: impl Fn() -> bool) {
    for _ in 0..10_000 {
        if holds() {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("it never came to that");
}

#[tokio::test]
async fn too_much_waiting_is_refused_not_dropped() {
    let mut world = World::new();
    let held = Arc::new(Held::default());
    world.commit = held.clone();
    world.config.memory.queue_max = 4;
    let awake = world.wake().await;
    held.hold();
    let asked: Vec<_> = (0..10)
        .map(|number| {
            let port = awake.memory.remember.clone();
            tokio::spawn(async move { told(port.ask(statement(number)).send().await) })
        })
        .collect();
    until(|| asked.iter().filter(|task| task.is_finished()).count() == 6).await;
    held.let_go();
    let mut answers = Vec::new();
    for answer in asked {
        answers.push(answer.await.expect("because no task panics"));
    }
    assert_eq!(answers.iter().filter(|a| **a == Err(MemoryError::Busy)).count(), 6);
    assert_eq!(traces(&awake).await, 4, "what was taken is kept");
}

#[tokio::test]
async fn a_commit_whose_actor_died_is_acknowledged_because_it_is_there() {
    let mut world = World::new();
    let held = Arc::new(Held::default());
    world.commit = held.clone();
    let awake = world.wake().await;
    held.hold();
    let port = awake.memory.remember.clone();
    let asked = tokio::spawn(async move { told(port.ask(statement(1)).send().await) });
    until(|| held.waiting() == 1).await;
    // The actor dies while its commit is in flight; the thread that commits finishes it, and says so.
    awake.actor.kill();
    awake.actor.wait_for_shutdown().await;
    held.let_go();
    asked.await.expect("because it does not panic").expect("because it is durable");
    let again = world.wake_on(awake.slot.clone()).await;
    assert_eq!(traces(&again).await, 1);
}

#[tokio::test]
async fn a_late_commit_of_an_earlier_incarnation_is_refused() {
    let mut world = World::new();
    let held = Arc::new(Held::default());
    world.commit = held.clone();
    let first = world.wake().await;
    held.hold();
    let port = first.memory.remember.clone();
    let asked = tokio::spawn(async move { told(port.ask(statement(1)).send().await) });
    until(|| held.waiting() == 1).await;
    // A second incarnation loads the file before the first one's commit runs.
    let late = Arc::new(Held(Mutex::new(held.0.lock().expect("because no test panics with it").take())));
    let second = world.wake_on(first.slot.clone()).await;
    second.remember("The second incarnation knows this", 0.0).await.expect("because it may write");
    late.let_go();
    let answer = asked.await.expect("because it does not panic");
    assert!(matches!(answer, Err(MemoryError::Unavailable(_))), "{answer:?}");
    assert_eq!(traces(&second).await, 1);
}

#[tokio::test]
async fn completing_a_turn_twice_changes_nothing() {
    let world = World::new();
    let awake = world.wake().await;
    let complete = |awake: &Awake| {
        let port = awake.memory.complete_turn.clone();
        let id = turn_id(5);
        let stated = vec![told_in(id, "My sister Ines lives in Porto"), told_in(id, "Ines plays the cello")];
        let turn = CompleteTurn { stated, ..turn(id, 0.0, "My sister Ines lives in Porto", "Noted.") };
        async move { told(port.ask(turn).send().await).expect("because the disk has room").encoded }
    };
    let first: Vec<TraceId> = complete(&awake).await;
    assert_eq!(first.len(), 2);
    assert_eq!(complete(&awake).await, first);
    awake.sleep().await;
    let awake = world.wake().await;
    assert_eq!(complete(&awake).await, first, "after a restart too");
    let figures =
        told(awake.memory.measure.ask(Measure { at: day(1.0) }).send().await).expect("because it looks");
    assert_eq!((figures.traces, figures.turns, figures.journal_entries), (2, 1, 2));
}

#[tokio::test]
async fn looking_writes_nothing() {
    let world = World::new();
    let awake = world.wake().await;
    awake.remember("The kettle stands in the left cupboard", 0.0).await.expect("because the disk has room");
    let before = std::fs::read(world.path()).expect("because it is there");
    for _ in 0..20 {
        assert_eq!(awake.recall("kettle", 5.0).await.recall, None);
    }
    let at = day(5.0);
    let list = ListTraces { filter: TraceFilter::default(), before: None, limit: 10, at };
    told(awake.memory.list.ask(list).send().await).expect("because it only looks");
    traces(&awake).await;
    assert!(std::fs::read(world.path()).expect("because it is there") == before);
}

#[tokio::test]
async fn pages_hold_everything_once_while_more_is_stored() {
    let world = World::new();
    let awake = world.wake().await;
    for number in 0..45 {
        told(awake.memory.remember.ask(statement(number)).send().await).expect("because there is room");
    }
    let (mut seen, mut before) = (Vec::new(), None);
    loop {
        let list = ListTraces { filter: TraceFilter::default(), before, limit: 20, at: day(1.0) };
        let page = told(awake.memory.list.ask(list).send().await).expect("because it only looks");
        seen.extend(page.traces.iter().map(|view| view.trace.id));
        before = seen.last().copied();
        let number = 100 + seen.len();
        told(awake.memory.remember.ask(statement(number)).send().await).expect("because there is room");
        if !page.more {
            break;
        }
    }
    let distinct: BTreeSet<TraceId> = seen.iter().copied().collect();
    assert_eq!((seen.len(), distinct.len()), (45, 45));
}
