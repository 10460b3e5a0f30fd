//! Spaces wake, sleep, crash and recover, and their callers notice as little as possible.

#![expect(clippy::unwrap_used, reason = "a test that can't set its stage fails")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bethink_clock::{Clock, Entropy, SimulatedClock};
use bethink_domain::{
    AgentName, Cue, Draft, Personality, RecallMode, SessionId, SpaceId, Span, Timestamp, UserName,
};
use bethink_protocol::{Converse, Durable, Recall, Remember, TurnEvent, TurnStream};
use bethink_providers::{
    HashedEmbedder, HashedFault, LanguageModel, ModelIdentity, Prompt, Reply, ReplyFuture,
};
use bethink_runtime::{DataDir, Handle, Ingredients, Persona, RuntimeConfig, RuntimeError, start};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const NOON: Timestamp = Timestamp::from_millis(1_772_452_800_000);

/// A responder that takes its actor down with it, as often as it is told to.
struct Fragile {
    crashes: Arc<AtomicU32>,
}

impl LanguageModel for Fragile {
    fn identity(&self) -> ModelIdentity {
        let crash =
            self.crashes.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
        assert!(!crash, "crashing as told");
        ModelIdentity { name: "fragile".into(), context_tokens: 4_096, generative: false, tools: false }
    }

    fn reply<'a>(
        &'a self,
        prompt: &'a Prompt,
        words: &'a mpsc::Sender<TurnEvent>,
        _: &'a CancellationToken,
    ) -> ReplyFuture<'a> {
        Box::pin(async move {
            let text = format!("You said: {}", prompt.message);
            let _ = words.send(TurnEvent::Text(text.clone())).await;
            Ok(Reply { text, cited: Vec::new(), calls: Vec::new(), prompt_tokens: None, reply_tokens: None })
        })
    }
}

struct World {
    clock: SimulatedClock,
    crashes: Arc<AtomicU32>,
    handle: Arc<Handle>,
    dir: tempfile::TempDir,
}

impl World {
    async fn new(spaces: RuntimeConfig) -> Self {
        Self::in_dir(tempfile::tempdir().unwrap(), spaces, HashedEmbedder::default()).await
    }

    async fn in_dir(dir: tempfile::TempDir, spaces: RuntimeConfig, embedder: HashedEmbedder) -> Self {
        let clock = SimulatedClock::new(NOON);
        let crashes = Arc::new(AtomicU32::new(0));
        let handle = start(Ingredients {
            data_dir: DataDir::claim(&dir.path().join("data"), None).unwrap(),
            clock: Arc::new(clock.clone()),
            entropy: Entropy::seeded(1),
            embedding: Arc::new(embedder),
            formers: bethink_runtime::no_former_embedders(),
            moves: false,
            senses: None,
            language: Arc::new(Fragile { crashes: Arc::clone(&crashes) }),
            tools: Vec::new(),
            zone: jiff::tz::TimeZone::UTC,
            zone_name: None,
            locale: bethink_text::times::Locale::default(),
            persona: Arc::new(|_| Persona { personality: Personality::NEUTRAL, ..Persona::default() }),
            spaces,
            store: bethink_memory_store::StoreConfig::default(),
            planner: bethink_planner::PlannerConfig::default(),
            executor: bethink_executor::ExecutorConfig::default(),
            extensions: bethink_runtime::Extensions::default(),
            backup: bethink_runtime::BackupConfig::default(),
        });
        Self { clock, crashes, handle: Arc::new(handle.await.unwrap()), dir }
    }

    async fn remember(&self, user: &str, text: &str) -> Result<bool, String> {
        let message = Remember { draft: Draft::asked(text, self.clock.now()), at: self.clock.now() };
        let done = self.handle.ask(&space(user), |ports| &ports.memory.remember, message).await;
        done.map(|done| done.embedded).map_err(|error| error.to_string())
    }

    async fn recall(&self, user: &str, cue: &str) -> Vec<String> {
        let message = Recall { cue: Cue::new(cue, self.clock.now()), mode: RecallMode::Observe };
        let found = self.handle.ask(&space(user), |ports| &ports.memory.recall, message).await.unwrap();
        found.traces.iter().map(|trace| trace.text.to_string()).collect()
    }

    async fn say(&self, user: &str, message: &str) -> Result<TurnStream, String> {
        let session = SessionId::from_raw(1);
        let message = Converse {
            session,
            message: message.to_owned(),
            at: self.clock.now(),
            private: false,
            zone: None,
        };
        let stream = self.handle.ask(&space(user), |ports| &ports.converse, message).await;
        stream.map_err(|error| error.to_string())
    }

    async fn awake(&self) -> usize {
        self.handle.census().await.iter().filter(|space| space.state == "awake").count()
    }

    /// Waits until so many spaces are awake and none is on the way.
    async fn settles_at(&self, awake: usize) {
        let settled = async {
            loop {
                let census = self.handle.census().await;
                let moving =
                    census.iter().any(|space| space.state == "waking" || space.state == "falling asleep");
                if !moving && self.awake().await == awake {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(20), settled).await.expect("because it settles");
    }
}

fn space(user: &str) -> SpaceId {
    SpaceId { agent: AgentName::new("bethink").unwrap(), user: UserName::new(user).unwrap() }
}

/// The last event of a turn.
async fn end(mut stream: TurnStream) -> TurnEvent {
    let mut last = None;
    while let Some(event) = stream.events.recv().await {
        last = Some(event);
    }
    last.expect("because every turn has an end")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_space_sleeps_and_wakes_with_all_it_knew() {
    let world = World::new(RuntimeConfig::default()).await;
    world.remember("ada", "The boiler is in the cellar.").await.unwrap();
    assert_eq!(world.awake().await, 1);
    world.clock.advance(Span::from_seconds(1_801));
    world.handle.tick().await;
    world.settles_at(0).await;
    assert_eq!(world.recall("ada", "where is the boiler?").await, ["The boiler is in the cellar."]);
    assert_eq!(world.awake().await, 1);
    world.handle.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_more_spaces_stay_awake_than_allowed_and_none_forgets() {
    let world = World::new(RuntimeConfig { awake_max: 2, ..RuntimeConfig::default() }).await;
    for user in ["ada", "bea", "cid", "dov", "eli"] {
        world.remember(user, &format!("The boiler of {user} is in the cellar.")).await.unwrap();
        world.clock.advance(Span::from_seconds(1));
    }
    world.settles_at(2).await;
    for user in ["ada", "bea", "cid", "dov", "eli"] {
        assert_eq!(world.recall(user, "boiler").await, [format!("The boiler of {user} is in the cellar.")]);
    }
    world.handle.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_callers_of_a_sleeping_space_share_one_waking() {
    let world = Arc::new(World::new(RuntimeConfig::default()).await);
    let calls: Vec<_> = (0..50)
        .map(|n| {
            let world = Arc::clone(&world);
            tokio::spawn(async move { world.remember("ada", &format!("Box {n} holds part {n}.")).await })
        })
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(world.awake().await, 1);
    assert_eq!(world.recall("ada", "box 17").await[0], "Box 17 holds part 17.");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crashed_actor_is_rebuilt_and_only_its_own_turn_fails() {
    let world = World::new(RuntimeConfig::default()).await;
    world.remember("ada", "The boiler is in the cellar.").await.unwrap();
    world.crashes.store(1, Ordering::SeqCst);
    let failed = end(world.say("ada", "Where is the boiler?").await.unwrap()).await;
    assert!(matches!(failed, TurnEvent::Failed { .. }), "{failed:?}");
    let answered = end(world.say("ada", "My bike is green.").await.unwrap()).await;
    assert!(matches!(answered, TurnEvent::Done { durable: Durable::Yes { .. }, .. }), "{answered:?}");
    assert_eq!(world.recall("ada", "my bike is green").await, ["My bike is green."]);
    assert_eq!(world.recall("ada", "boiler").await, ["The boiler is in the cellar."]);
    world.handle.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_space_that_keeps_crashing_rests_and_the_others_do_not_notice() {
    let world = World::new(RuntimeConfig::default()).await;
    world.remember("ada", "The boiler is in the cellar.").await.unwrap();
    world.remember("bea", "The fuse box is in the hall.").await.unwrap();
    world.crashes.store(100, Ordering::SeqCst);
    let mut refusal = None;
    for _ in 0..20 {
        match world.say("ada", "Where is the boiler?").await {
            Ok(stream) => drop(end(stream).await),
            Err(error) => {
                refusal = Some(error);
                break;
            }
        }
    }
    let refusal = refusal.expect("because the space rests after repeated crashes");
    assert!(refusal.contains("rests") && refusal.contains("bethink/ada"), "{refusal}");
    assert_eq!(world.recall("bea", "fuse box").await, ["The fuse box is in the hall."]);
    world.crashes.store(0, Ordering::SeqCst);
    world.clock.advance(Span::from_seconds(2));
    assert_eq!(
        world.recall("ada", "boiler").await,
        ["The boiler is in the cellar."],
        "rested, it wakes again"
    );
    world.handle.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_finishes_the_turns_in_flight() {
    let world = World::new(RuntimeConfig::default()).await;
    let stream = world.say("ada", "My bike is green.").await.unwrap();
    Arc::clone(&world.handle).shutdown().await.unwrap();
    let last = end(stream).await;
    assert!(matches!(last, TurnEvent::Done { durable: Durable::Yes { .. }, .. }), "{last:?}");
    let refused = world.remember("ada", "Too late.").await.unwrap_err();
    assert_eq!(refused, RuntimeError::Stopping.to_string());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sleeping_space_without_vectors_wakes_by_itself_to_make_them() {
    let failing = HashedEmbedder::default().with_fault("cellar", HashedFault::Error);
    let world = World::in_dir(tempfile::tempdir().unwrap(), RuntimeConfig::default(), failing).await;
    assert_eq!(
        world.remember("ada", "The boiler is in the cellar.").await,
        Ok(false),
        "stored without a vector"
    );
    Arc::clone(&world.handle).shutdown().await.unwrap();
    let World { dir, handle, .. } = world;
    drop(handle);

    let world = World::in_dir(dir, RuntimeConfig::default(), HashedEmbedder::default()).await;
    world.handle.tick().await;
    world.settles_at(0).await;
    world.clock.advance(Span::from_seconds(3_601));
    world.handle.tick().await;
    world.settles_at(1).await;
    assert_eq!(world.recall("ada", "boiler").await, ["The boiler is in the cellar."]);
    world.handle.shutdown().await.unwrap();
}
