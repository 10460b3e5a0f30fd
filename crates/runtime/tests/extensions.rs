//! Actors from outside live like built-in ones, and trouble nobody when they crash.

#![expect(clippy::unwrap_used, reason = "a test that can't set its stage fails")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bethink_clock::{Clock, Entropy, SimulatedClock};
use bethink_domain::{AgentName, Cue, Draft, EventKind, RecallMode, SpaceId, Span, Timestamp, UserName};
use bethink_protocol::Heard;
use bethink_providers::{Extractive, HashedEmbedder};
use bethink_runtime::{
    DataDir, Extension, ExtensionHealth, ExtensionKinds, ExtensionSpec, ExtensionState, Handle, Ingredients,
    Persona, Ports, RuntimeConfig, Scope, start,
};
use kameo::prelude::*;
use serde::Deserialize;
use serde_json::json;

const NOON: Timestamp = Timestamp::from_millis(1_772_452_800_000);

/// What each clerk heard, by its settings' key, so that tests side by side do not meet.
static HEARD: Mutex<BTreeMap<String, Vec<String>>> = Mutex::new(BTreeMap::new());

fn heard(key: &str) -> Vec<String> {
    HEARD.lock().unwrap().get(key).cloned().unwrap_or_default()
}

fn note(key: &str, word: impl Into<String>) {
    HEARD.lock().unwrap().entry(key.to_owned()).or_default().push(word.into());
}

/// Writes down what happens, answers each new trace of a user with one of its own, and crashes as told.
struct Clerk {
    args: ClerkArgs,
}

#[derive(Clone)]
struct ClerkArgs {
    key: String,
    crashes: u32,
    fails_to_start: bool,
    ports: Ports,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClerkSettings {
    key: String,
    #[serde(default)]
    crashes: u32,
    #[serde(default)]
    fails_to_start: bool,
}

impl Extension for Clerk {
    type Settings = ClerkSettings;

    fn args(settings: ClerkSettings, ports: &Ports) -> ClerkArgs {
        let ClerkSettings { key, crashes, fails_to_start } = settings;
        ClerkArgs { key, crashes, fails_to_start, ports: ports.clone() }
    }
}

impl Actor for Clerk {
    type Args = ClerkArgs;
    type Error = String;

    async fn on_start(args: ClerkArgs, me: ActorRef<Self>) -> Result<Self, String> {
        note(&args.key, "start");
        if args.fails_to_start {
            return Err("the ink is dry".to_owned());
        }
        args.ports.listen(&me);
        Ok(Self { args })
    }
}

impl Message<Heard> for Clerk {
    type Reply = ();

    async fn handle(&mut self, heard_now: Heard, _: &mut Context<Self, ()>) {
        let ClerkArgs { key, crashes, ports, .. } = &self.args;
        let event = heard_now.unwrap();
        let starts = heard(key).iter().filter(|word| *word == "start").count() as u32;
        match event.kind {
            EventKind::SpaceWoken => note(key, format!("{} woke", event.space.user.as_str())),
            EventKind::SpaceAsleep => note(key, format!("{} fell asleep", event.space.user.as_str())),
            EventKind::TraceEncoded { .. }
                if event.space.agent.as_str() == "bethink"
                    && ports.home().is_none_or(|home| *home == event.space) =>
            {
                assert!(starts > *crashes, "crashing as told");
                let text = format!("Clerk {key} saw something new.");
                let draft = Draft::asked(text, ports.now());
                note(key, "encoded");
                // Its own notes go to its own space, so that it does not answer itself.
                let _ = ports.remember(&space("clerk", event.space.user.as_str()), draft).await;
            }
            _ => {}
        }
    }
}

struct World {
    clock: SimulatedClock,
    handle: Arc<Handle>,
    _dir: tempfile::TempDir,
}

fn spec(scope: Scope, settings: serde_json::Value) -> ExtensionSpec {
    ExtensionSpec { name: "clerk".into(), kind: "clerk".into(), scope, mailbox: 64, settings }
}

fn kinds() -> ExtensionKinds {
    let mut kinds = ExtensionKinds::default();
    kinds.register::<Clerk>("clerk");
    kinds
}

impl World {
    async fn with(specs: Vec<ExtensionSpec>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = SimulatedClock::new(NOON);
        let handle = start(Ingredients {
            data_dir: DataDir::claim(&dir.path().join("data"), None).unwrap(),
            clock: Arc::new(clock.clone()),
            entropy: Entropy::seeded(1),
            embedding: Arc::new(HashedEmbedder::default()),
            formers: bethink_runtime::no_former_embedders(),
            moves: false,
            senses: None,
            language: Arc::new(Extractive),
            zone: jiff::tz::TimeZone::UTC,
            zone_name: None,
            locale: bethink_text::times::Locale::default(),
            persona: Arc::new(|_| Persona::default()),
            spaces: RuntimeConfig::default(),
            store: bethink_memory_store::StoreConfig::default(),
            planner: bethink_planner::PlannerConfig::default(),
            executor: bethink_executor::ExecutorConfig::default(),
            tools: Vec::new(),
            extensions: kinds().plan(specs).unwrap(),
            backup: bethink_runtime::BackupConfig::default(),
        });
        Self { clock, handle: Arc::new(handle.await.unwrap()), _dir: dir }
    }

    async fn remember(&self, user: &str, text: &str) {
        let draft = Draft::asked(text, self.clock.now());
        self.handle.ports().remember(&space("bethink", user), draft).await.unwrap();
    }

    async fn recall(&self, agent: &str, user: &str, cue: &str) -> Vec<String> {
        let cue = Cue::new(cue, self.clock.now());
        let found = self.handle.ports().recall(&space(agent, user), cue, RecallMode::Observe).await.unwrap();
        found.traces.iter().map(|trace| trace.text.to_string()).collect()
    }

    fn clerk(&self) -> Option<ExtensionHealth> {
        self.handle
            .extensions()
            .into_iter()
            .find(|clerk| clerk.space.as_ref().is_none_or(|home| home.agent.as_str() == "bethink"))
    }
}

fn space(agent: &str, user: &str) -> SpaceId {
    SpaceId { agent: AgentName::new(agent).unwrap(), user: UserName::new(user).unwrap() }
}

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(20), waiting).await.is_ok(), "never: {what}");
}

#[tokio::test]
async fn one_that_panicked_is_built_again_and_loses_nothing_that_waited() {
    let world = World::with(vec![spec(Scope::Process, json!({ "key": "once", "crashes": 1 }))]).await;
    world.remember("ada", "The boiler is in the cellar.").await;
    world.remember("ada", "The fuse box is in the hall.").await;
    until("the second trace is answered", || heard("once").contains(&"encoded".to_owned())).await;
    let clerk = world.clerk().unwrap();
    assert_eq!((clerk.state, clerk.restarts), (ExtensionState::Running, 1));
    assert!(clerk.last_error.unwrap().contains("crashing as told"));
    until("the queue is empty", || world.clerk().unwrap().waiting == 0).await;
    world.handle.shutdown().await.unwrap();
    assert_eq!(heard("once").iter().filter(|word| *word == "start").count(), 2);
}

#[tokio::test]
async fn one_that_keeps_crashing_rests_and_nobody_else_notices() {
    for (key, settings) in [
        ("always", json!({ "key": "always", "crashes": 1000 })),
        ("dry", json!({ "key": "dry", "fails_to_start": true })),
    ] {
        let world = World::with(vec![spec(Scope::Process, settings)]).await;
        for n in 0..10 {
            world.remember("ada", &format!("Box {n} holds part {n}.")).await;
        }
        until("it rests", || world.clerk().unwrap().state == ExtensionState::Resting).await;
        let clerk = world.clerk().unwrap();
        let why = if key == "dry" { "the ink is dry" } else { "crashing as told" };
        assert!(clerk.last_error.unwrap().contains(why), "{key}");
        assert_eq!(clerk.restarts, 5, "{key}");
        assert_eq!(world.recall("bethink", "ada", "box 7").await[0], "Box 7 holds part 7.", "{key}");
        world.handle.shutdown().await.unwrap();
    }
}

#[tokio::test]
async fn what_was_queued_is_done_before_the_process_ends() {
    let world = World::with(vec![spec(Scope::Process, json!({ "key": "queued" }))]).await;
    for n in 0..30 {
        world.remember("ada", &format!("Box {n} holds part {n}.")).await;
    }
    world.handle.shutdown().await.unwrap();
    assert_eq!(heard("queued").iter().filter(|word| *word == "encoded").count(), 30);
}

#[tokio::test]
async fn one_of_a_space_wakes_and_sleeps_with_it() {
    let world = World::with(vec![spec(Scope::Space, json!({ "key": "space" }))]).await;
    assert_eq!(world.clerk(), None);
    world.remember("ada", "The boiler is in the cellar.").await;
    until("it hears", || heard("space").contains(&"encoded".to_owned())).await;
    assert_eq!(heard("space")[..2], ["start", "ada woke"]);
    let clerk = world.clerk().unwrap();
    assert_eq!((clerk.state, clerk.space), (ExtensionState::Running, Some(space("bethink", "ada"))));
    world.clock.advance(Span::from_seconds(1_801));
    world.handle.tick().await;
    until("it sleeps", || world.clerk().is_none()).await;
    assert_eq!(world.recall("bethink", "ada", "boiler").await, ["The boiler is in the cellar."]);
    assert!(world.clerk().is_some(), "it wakes with its space");
    world.handle.shutdown().await.unwrap();
}

#[tokio::test]
async fn listeners_hear_what_happened_to_the_end() {
    let world = World::with(Vec::new()).await;
    let mut events = world.handle.ports().events();
    world.remember("ada", "The boiler is in the cellar.").await;
    world.handle.shutdown().await.unwrap();
    let mut kinds = Vec::new();
    while let Some(event) = events.next().await {
        let event = event.unwrap();
        assert_eq!(event.space, space("bethink", "ada"));
        kinds.push(event.kind);
    }
    assert!(
        matches!(kinds[..], [EventKind::SpaceWoken, EventKind::TraceEncoded { .. }, EventKind::SpaceAsleep]),
        "{kinds:?}"
    );
}

#[test]
fn what_cannot_run_is_refused_by_its_key() {
    let check = |kind: &str, mailbox: usize, settings: serde_json::Value, expected: &str| {
        let name = "desk".to_owned();
        let spec = ExtensionSpec { name, kind: kind.into(), scope: Scope::Process, mailbox, settings };
        assert_eq!(kinds().plan(vec![spec]).unwrap_err().to_string(), expected);
    };
    check("clark", 1, json!({}), "extensions.desk.kind: unknown extension `clark`; there are: clerk");
    check(
        "clerk",
        1,
        json!({ "key": "k", "crashes": "often" }),
        "extensions.desk.settings.crashes: invalid type: string \"often\", expected u32",
    );
    check("clerk", 1, json!({}), "extensions.desk.settings: missing field `key`");
    check("clerk", 0, json!({ "key": "k" }), "extensions.desk.mailbox: it is 0, but must be from 1 to 65536");
    let twice = vec![spec(Scope::Process, json!({ "key": "a" })), spec(Scope::Space, json!({ "key": "b" }))];
    let refused = kinds().plan(twice).unwrap_err();
    assert!(refused.index == 1 && refused.reason.contains("another `name`"), "{refused}");
}
