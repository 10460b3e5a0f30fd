//! Many memories on disk, few of them awake, and moving them to another embedder.

#![expect(clippy::unwrap_used, reason = "a test that can't set its stage fails")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bethink_clock::{Clock, Entropy, SimulatedClock};
use bethink_domain::{AgentName, Cue, Draft, MigrationState, RecallMode, SpaceId, Span, Timestamp, UserName};
use bethink_memory_store::space_path;
use bethink_protocol::{EmbedderFigures, Recall, Remember, ShowEmbedder};
use bethink_providers::{Extractive, HashedEmbedder};
use bethink_runtime::{DataDir, Handle, Ingredients, Persona, RuntimeConfig, no_former_embedders, start};
use tokio::time::Instant;

const NOON: Timestamp = Timestamp::from_millis(1_772_452_800_000);

struct World {
    clock: SimulatedClock,
    handle: Arc<Handle>,
}

impl World {
    /// `formers`: the embedder of revision 1 can be had beside the configured one.
    async fn on(dir: &Path, awake_max: usize, revision: &str, formers: bool) -> Self {
        let clock = SimulatedClock::new(NOON);
        let former = Arc::new(HashedEmbedder::default().with_revision("1"));
        let handle = start(Ingredients {
            data_dir: DataDir::claim(&dir.join("data"), None).unwrap(),
            clock: Arc::new(clock.clone()),
            entropy: Entropy::seeded(1),
            embedding: Arc::new(HashedEmbedder::default().with_revision(revision)),
            formers: if formers {
                Arc::new(move |_| Ok(Some(former.clone() as Arc<dyn bethink_providers::EmbeddingModel>)))
            } else {
                no_former_embedders()
            },
            moves: true,
            senses: None,
            language: Arc::new(Extractive),
            tools: Vec::new(),
            zone: jiff::tz::TimeZone::UTC,
            persona: Arc::new(|_| Persona::default()),
            spaces: RuntimeConfig { awake_max, ..RuntimeConfig::default() },
            store: Default::default(),
            planner: Default::default(),
            executor: Default::default(),
            extensions: Default::default(),
        });
        Self { clock, handle: Arc::new(handle.await.unwrap()) }
    }

    async fn remember(&self, user: usize, text: &str) {
        let message = Remember { draft: Draft::asked(text, self.clock.now()), at: self.clock.now() };
        self.handle.ask(&space(user), |ports| &ports.memory.remember, message).await.unwrap();
    }

    async fn recall(&self, user: usize, cue: &str) -> Vec<String> {
        let embedding = self.handle.embed_cue(cue).await;
        let cue = Cue { embedding, ..Cue::new(cue, self.clock.now()) };
        let message = Recall { cue, mode: RecallMode::Observe };
        let found = self.handle.ask(&space(user), |ports| &ports.memory.recall, message).await.unwrap();
        found.traces.iter().map(|trace| trace.text.to_string()).collect()
    }

    async fn embedder(&self, user: usize) -> EmbedderFigures {
        self.handle.ask(&space(user), |ports| &ports.memory.show_embedder, ShowEmbedder).await.unwrap()
    }

    /// Spaces that are awake or on the way there.
    async fn awake(&self) -> usize {
        let census = self.handle.census().await;
        census.iter().filter(|space| ["awake", "waking"].contains(&space.state.as_str())).count()
    }
}

fn space(user: usize) -> SpaceId {
    SpaceId {
        agent: AgentName::new("bethink").unwrap(),
        user: UserName::new(&format!("user{user}")).unwrap(),
    }
}

/// Open files of this process below a directory.
fn open_files(dir: &Path) -> usize {
    let handles = std::fs::read_dir("/proc/self/fd").unwrap();
    let targets = handles.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    targets
        .filter(|target| target.starts_with(dir) && target.extension().is_some_and(|e| e == "redb"))
        .count()
}

/// Kilobytes of memory that this process holds.
fn resident_kb() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_spaces_than_may_be_awake_take_turns_and_forget_nothing() {
    const SPACES: usize = 40;
    const AWAKE_MAX: usize = 6;
    let dir = tempfile::tempdir().unwrap();
    let world = World::on(dir.path(), AWAKE_MAX, "1", false).await;
    for user in 0..SPACES {
        world.remember(user, &format!("My locker has the number {}.", 1_000 + user)).await;
        assert!(world.awake().await <= AWAKE_MAX);
    }
    assert_eq!(world.handle.spaces().await.unwrap().len(), SPACES);
    for user in (0..SPACES).rev().chain((0..SPACES).step_by(3)) {
        let found = world.recall(user, "Which number has my locker?").await;
        assert_eq!(found, [format!("My locker has the number {}.", 1_000 + user)]);
        assert!(world.awake().await <= AWAKE_MAX);
        // One that falls asleep closes its file soon; a scrub or a copy opens one more.
        assert!(open_files(dir.path()) <= 2 * AWAKE_MAX + 2, "{}", open_files(dir.path()));
    }
    world.handle.shutdown().await.unwrap();
    assert_eq!(open_files(dir.path()), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spaces_move_to_the_configured_embedder_while_they_are_talked_to() {
    for formers in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let world = World::on(dir.path(), 8, "1", false).await;
        for user in 0..2 {
            world.remember(user, "My bicycle is locked behind the bakery.").await;
            world.remember(user, "The kettle stands on the left shelf.").await;
        }
        world.handle.shutdown().await.unwrap();
        let world = World::on(dir.path(), 8, "2", formers).await;
        let cue = "Where is my bicycle?";
        for user in 0..2 {
            assert_eq!(world.recall(user, cue).await[0], "My bicycle is locked behind the bakery.");
            assert_eq!(world.embedder(user).await.by_meaning, formers);
        }
        if !formers {
            let health = world.handle.health().await;
            let doing = health.spaces.iter().flat_map(|space| &space.actors).find_map(|a| a.doing.clone());
            assert!(doing.unwrap().contains("by words alone"));
        }
        let moved = async {
            for user in 0..2 {
                while world.embedder(user).await.migration.map(|m| m.state) != Some(MigrationState::Done) {
                    world.clock.advance(Span::from_seconds(30));
                    world.handle.tick().await;
                    tokio::task::yield_now().await;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(30), moved).await.expect("because nothing is in the way");
        for user in 0..2 {
            let figures = world.embedder(user).await;
            assert_eq!((figures.stored, figures.lacking), (figures.configured, 0));
            assert_eq!(world.recall(user, cue).await[0], "My bicycle is locked behind the bakery.");
        }
        world.handle.shutdown().await.unwrap();
    }
}

/// What an awake space takes. Measure with
/// `cargo test --release -p bethink-runtime --test spaces -- --ignored --nocapture`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it measures, and takes a minute"]
async fn what_two_thousand_spaces_take() {
    const SPACES: usize = 2_000;
    const AWAKE_MAX: usize = 256;
    const LARGE: usize = 32;
    let dir = tempfile::tempdir().unwrap();
    let world = World::on(dir.path(), AWAKE_MAX, "1", false).await;
    world.remember(0, "My locker has the number 7.").await;
    for number in 0..1_000 {
        world
            .remember(
                SPACES,
                &format!("Thing {number} lies on shelf {} of hall {}.", number % 37, number % 11),
            )
            .await;
    }
    world.handle.shutdown().await.unwrap();
    let (small, data) = (space(0), dir.path().join("data"));
    for user in 1..SPACES {
        std::fs::copy(space_path(&data, &small), space_path(&data, &space(user))).unwrap();
    }
    for user in SPACES + 1..SPACES + LARGE {
        std::fs::copy(space_path(&data, &space(SPACES)), space_path(&data, &space(user))).unwrap();
    }
    let world = World::on(dir.path(), AWAKE_MAX, "1", false).await;
    world.recall(0, "locker").await;
    let (before, begun) = (resident_kb(), Instant::now());
    for user in 1..AWAKE_MAX {
        assert_eq!(world.recall(user, "locker").await.len(), 1);
    }
    let each = begun.elapsed().as_secs_f64() * 1_000.0 / (AWAKE_MAX - 1) as f64;
    let kb = (resident_kb() - before) as f64 / (AWAKE_MAX - 1) as f64;
    println!(
        "a small space: {kb:.0} KB awake, {each:.2} ms to wake and recall, {} files",
        open_files(dir.path())
    );
    for user in AWAKE_MAX..SPACES {
        assert_eq!(world.recall(user, "locker").await.len(), 1);
    }
    println!(
        "after {SPACES}: {} awake, {} files, {} KB more than with one",
        world.awake().await,
        open_files(dir.path()),
        resident_kb() - before
    );
    let begun = Instant::now();
    for _ in 0..100 {
        world.handle.tick().await;
    }
    world.handle.census().await;
    println!("a stroke of the timer over them: {:.0} µs", begun.elapsed().as_secs_f64() * 10_000.0);
    let (before, begun) = (resident_kb(), Instant::now());
    for user in SPACES..SPACES + LARGE {
        assert!(!world.recall(user, "Thing 7").await.is_empty());
    }
    let each = begun.elapsed().as_secs_f64() * 1_000.0 / LARGE as f64;
    let kb = (resident_kb() - before) as f64 / LARGE as f64;
    println!(
        "a space of 1,000 memories in place of a small one: {kb:.0} KB more, {each:.1} ms to wake and recall"
    );
    world.handle.shutdown().await.unwrap();
}
