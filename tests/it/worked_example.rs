//! The planner's worked example: the tablet sentence, the question some days later, and what each did to memory.

use std::sync::Arc;

use bethink_api::{Request, Response, SpaceName, TurnProgress};
use bethink_clock::{Entropy, SimulatedClock};
use bethink_daemon::{Door, LocalDoor};
use bethink_domain::{SessionId, Span, Timestamp};
use bethink_runtime::{DataDir, Handle, Ingredients};
use bethink_settings::{Environment, Overrides, Settings};

/// 2026-03-02 08:15 UTC, a Monday.
const MONDAY: Timestamp = Timestamp::from_millis(1_772_439_300_000);

struct World {
    clock: SimulatedClock,
    handle: Arc<Handle>,
    door: LocalDoor,
    sessions: u64,
    _home: tempfile::TempDir,
}

impl World {
    async fn new(config: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("bethink.toml");
        std::fs::write(&path, format!("{config}\n[user]\ntimezone = \"UTC\"\n")).unwrap();
        let overrides = Overrides { config: Some(path), ..Overrides::default() };
        let environment = Environment { home: Some(home.path().to_owned()), ..Environment::default() };
        let settings = Settings::load_in(&overrides, &environment, home.path()).unwrap();
        let clock = SimulatedClock::new(MONDAY);
        let data_dir = DataDir::claim(&settings.data_dir, None).unwrap();
        let ingredients = settings.ingredients(data_dir).unwrap();
        let simulated =
            Ingredients { clock: Arc::new(clock.clone()), entropy: Entropy::seeded(1), ..ingredients };
        let handle = Arc::new(bethink_runtime::start(simulated).await.unwrap());
        let door = LocalDoor::new(Arc::clone(&handle));
        Self { clock, handle, door, sessions: 0, _home: home }
    }

    fn space() -> SpaceName {
        SpaceName { agent: "bethink".to_owned(), user: "me".to_owned() }
    }

    async fn ask(&self, request: Request) -> Response {
        self.door.ask(Self::space(), request).await.unwrap()
    }

    /// Says something, in a session of its own; gives the reply and the ids of what it used.
    async fn say(&mut self, message: &str) -> (String, Vec<String>) {
        self.sessions += 1;
        self.say_on(message).await
    }

    /// Goes on in the same session.
    async fn say_on(&self, message: &str) -> (String, Vec<String>) {
        let session = SessionId::from_raw(self.sessions).to_string();
        let request = Request::Converse { session, message: message.to_owned(), private: false, zone: None };
        let mut parts = self.door.call(Self::space(), request).await.unwrap();
        let mut reply = String::new();
        while let Some(part) = parts.recv().await {
            match part.unwrap() {
                Response::Turn(TurnProgress::Text { text }) => reply.push_str(&text),
                Response::Turn(TurnProgress::Ended { durable, used, .. }) => {
                    assert!(durable);
                    return (reply, used);
                }
                _ => {}
            }
        }
        panic!("the turn had no end: {reply}");
    }

    async fn trace(&self, containing: &str) -> bethink_api::Trace {
        let request =
            Request::List { kind: None, since: None, faded: false, all: true, before: None, limit: 100 };
        let Response::Page(page) = self.ask(request).await else { panic!("no page") };
        page.traces.into_iter().find(|trace| trace.text.contains(containing)).expect("because it was told")
    }

    async fn last_turn(&self) -> bethink_api::Turn {
        let Response::TurnRecord(turn) = self.ask(Request::ShowTurn { turn: None }).await else {
            panic!("no turn")
        };
        turn
    }
}

fn near(value: f32, expected: f64) {
    assert!((f64::from(value) - expected).abs() < 0.001, "{value} is not {expected}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_tablet_is_recalled_strengthened_and_left_alone_by_thanks() {
    // The published numbers bare, so that the example's arithmetic can be followed.
    let mut world = World::new("[memory]\nprofile = \"lab\"").await;
    world.say("I take my blood pressure tablet every morning after breakfast.").await;
    world.say("My neighbour's cat is called Biscuit.").await;
    let told = world.trace("tablet").await;
    near(told.strength, 0.5);
    near(told.stability_days, 3.0);

    world.clock.advance(Span::from_days(3.0));
    let before = world.trace("tablet").await;
    near(before.strength, 0.183_940);

    let (reply, used) = world.say("When do I take my medicine?").await;
    assert!(reply.contains("blood pressure tablet every morning after breakfast"), "{reply}");
    assert!(!reply.contains("Biscuit"), "{reply}");
    assert_eq!(used, std::slice::from_ref(&told.id));
    let turn = world.last_turn().await;
    assert_eq!((turn.intent.as_str(), turn.depth), ("memory", 8));
    assert_eq!(turn.recalled.len(), 1, "unrelated memories stay below the threshold");
    assert!(turn.recalled[0]["relevance"].as_f64().unwrap() >= 0.30);

    let after = world.trace("tablet").await;
    near(after.strength, 0.5);
    near(after.stability_days, 5.4);
    assert_eq!(after.uses, 1);
    near(after.priority, 0.1);
    assert_eq!(after.recorded_at, told.recorded_at, "recall makes nothing younger");
    let unused = world.trace("Biscuit").await;
    near(unused.strength, 0.183_940);
    near(unused.stability_days, 3.0);

    let (_, used) = world.say("ok thanks").await;
    assert_eq!(used, Vec::<String>::new());
    let turn = world.last_turn().await;
    assert_eq!((turn.intent.as_str(), turn.depth, turn.recalled.len()), ("small_talk", 0, 0));
    assert_eq!(world.trace("tablet").await.uses, 1);
    world.handle.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_has_faded_is_offered_and_restored_by_use() {
    let mut world = World::new("[memory]\nprofile = \"lab\"").await;
    world.say("The bakery on Elm Street closes at three.").await;
    world.clock.advance(Span::from_days(20.0));
    let (reply, used) = world.say("When does the bakery on Elm Street close?").await;
    assert!(!reply.contains("three") && reply.contains("once knew") && reply.contains("2 March"), "{reply}");
    assert_eq!(used, Vec::<String>::new());
    let faded = world.trace("bakery").await;
    assert!(faded.faded);

    let (reply, used) = world.say_on("Yes, please do.").await;
    assert!(reply.contains("The bakery on Elm Street closes at three."), "{reply}");
    assert_eq!(used, std::slice::from_ref(&faded.id));
    let restored = world.trace("bakery").await;
    assert!(!restored.faded && restored.uses == 1 && restored.strength > faded.strength, "{restored:?}");
    let (reply, _) = world.say("When does the bakery on Elm Street close?").await;
    assert!(reply.contains("closes at three"), "what was used again lives again: {reply}");
    let (reply, used) = world.say_on("yes").await;
    assert!(used.is_empty() && !reply.contains("three"), "an offer is taken up once: {reply}");
    world.handle.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_the_default_profile_important_things_keep_a_floor() {
    let world = World::new("").await;
    let told = [
        "I am allergic to penicillin.",
        "My passport number ends in 77.",
        "The spare key is under the blue pot.",
    ];
    for text in told {
        world.ask(Request::Remember { text: text.to_owned(), at: None }).await;
    }
    world.clock.advance(Span::from_days(240.0));
    for text in told {
        let request =
            Request::Recall { cue: text.to_owned(), k: 8, threshold: None, learn: false, faded: false };
        let Response::Recollection(found) = world.ask(request).await else { panic!("no recollection") };
        assert_eq!(found.traces[0].text, text);
        near(found.traces[0].strength, 0.10);
    }
    world.handle.shutdown().await.unwrap();
}
