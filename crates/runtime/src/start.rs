//! Starting a runtime.

use std::sync::Arc;
use std::time::Duration;

use bethink_clock::{Clock, Entropy};
use bethink_domain::{EmbedderIdentity, Senses, Timestamp, UnitVector, VectorFault};
use bethink_executor::{ExecutorConfig, check_tools};
use bethink_memory_store::StoreConfig;
use bethink_planner::{PlannerConfig, PrototypeShelf};
use bethink_protocol::{EventBus, Offload, Tick, Tool, offload};
use bethink_providers::{Effort, Embedder, EmbedderArgs, EmbeddingError, EmbeddingModel, LanguageModel};
use bethink_text::times::Locale;
use jiff::tz::TimeZone;
use kameo::actor::ActorRef;
use kameo::mailbox;
use kameo::prelude::Spawn;
use kameo::supervision::{RestartPolicy, SupervisionStrategy};
use tokio_util::sync::CancellationToken;

use crate::backup::Backups;
use crate::bells::Bells;
use crate::beside::forget_typed_lines;
use crate::config::RuntimeConfig;
use crate::datadir::DataDir;
use crate::directory::{DIRECTORY_MAILBOX, Directory, DirectoryArgs};
use crate::error::RuntimeError;
use crate::extension::{Board, Extensions, Scope};
use crate::family::{Parts, Persona, counted};
use crate::former::{FormerEmbedders, Formers};
use crate::handle::Handle;
use crate::health::Builds;
use crate::mishaps::Mishaps;
use crate::pool::{BlockingPool, COMMIT_THREADS, ThreadPool};
use crate::ports::Ports;
use crate::schedule::{BackupConfig, Schedule};
use crate::wakes::Wakes;

/// Requests that may wait for the embedder, from all spaces.
pub(crate) const EMBEDDER_MAILBOX: usize = 1_024;
/// Crashes of the embedder or the Directory that are forgiven within [`FORGIVING_QUIET`].
pub(crate) const CRASHES_MAX: u32 = 10;
/// Quiet time after which earlier crashes are forgiven.
pub(crate) const FORGIVING_QUIET: Duration = Duration::from_secs(60);

/// What a runtime is made of.
pub struct Ingredients {
    /// The owned data directory.
    pub data_dir: DataDir,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Chance.
    pub entropy: Entropy,
    /// Makes vectors; without it, recall goes by words alone.
    pub embedding: Arc<dyn EmbeddingModel>,
    /// The embedders of vectors that memories still hold.
    pub formers: FormerEmbedders,
    /// Memories whose vectors are another embedder's may be woken, and move to this one; else they are refused.
    pub moves: bool,
    /// Meanings of words, where there is a table of them.
    pub senses: Option<Arc<dyn Senses>>,
    /// What answers.
    pub language: Arc<dyn LanguageModel>,
    /// Tools that models may call beside the built-in ones.
    pub tools: Vec<Arc<dyn Tool>>,
    /// The user's zone.
    pub zone: TimeZone,
    /// Its IANA name, where it was configured.
    pub zone_name: Option<String>,
    /// How the user writes dates.
    pub locale: Locale,
    /// Personality and instructions of each agent.
    pub persona: Arc<dyn Fn(&bethink_domain::SpaceId) -> Persona + Send + Sync>,
    /// Limits of awake spaces.
    pub spaces: RuntimeConfig,
    /// Numbers of the store.
    pub store: StoreConfig,
    /// Numbers of the Planner.
    pub planner: PlannerConfig,
    /// Numbers of the Executor.
    pub executor: ExecutorConfig,
    /// Actors from outside.
    pub extensions: Extensions,
    /// Backups by the clock.
    pub backup: BackupConfig,
}

/// Starts the process's actors. No space is woken yet.
///
/// Must be called within a tokio runtime.
///
/// # Errors
/// [`RuntimeError::Setup`] when two tools have one name; [`RuntimeError::Unavailable`] when the system has no more
/// threads.
pub async fn start(ingredients: Ingredients) -> Result<Handle, RuntimeError> {
    let Ingredients { data_dir, clock, entropy, embedding, senses, language, zone, persona, .. } =
        ingredients;
    check_tools(&ingredients.tools, None).map_err(|fault| RuntimeError::Setup(fault.to_string()))?;
    let threads =
        |error: std::io::Error| RuntimeError::Unavailable(format!("no threads for commits: {error}"));
    let commit: Arc<dyn Offload> = Arc::new(ThreadPool::start("commit", COMMIT_THREADS).map_err(threads)?);
    // One thread: whatever waits to be sealed, a core stays free for those who ask.
    let seal: Arc<dyn Offload> = Arc::new(ThreadPool::start_behind("seal", 1).map_err(threads)?);
    // One thread: one inference at a time, whatever waits.
    let inference: Arc<dyn Offload> = Arc::new(ThreadPool::start("inference", 1).map_err(threads)?);
    let mishaps = Mishaps::new(Arc::clone(&clock));
    let root = Root::spawn(mishaps.clone());
    let builds: [Builds; 2] = Default::default();
    let embedder_identity = embedding.identity();
    let model: Arc<dyn EmbeddingModel> = Arc::new(Watched { model: embedding, mishaps: mishaps.clone() });
    let blocking: Arc<dyn Offload> = Arc::new(BlockingPool);
    let formers =
        Formers::new(ingredients.formers, root.clone(), Arc::clone(&blocking), Arc::clone(&inference));
    let args = EmbedderArgs { model, offload: inference };
    let embedder = Embedder::supervise_with(&root, counted(args, &builds[0]))
        .restart_policy(RestartPolicy::Transient)
        .restart_limit(CRASHES_MAX, FORGIVING_QUIET)
        .spawn_with_mailbox(mailbox::bounded(EMBEDDER_MAILBOX))
        .await;
    embedder.wait_for_startup().await;
    let embed = embedder.clone().reply_recipient();
    let (dir, offloaded) = (data_dir.path().to_owned(), Arc::clone(&blocking));
    let wakes = offload(&blocking, move || Wakes::open(&dir, offloaded)).await;
    let wakes = wakes.map_err(|error| RuntimeError::Unavailable(error.to_string()))?;
    let parts = Parts {
        clock,
        entropy,
        data_dir: Arc::new(data_dir.path().to_owned()),
        embed,
        // An embedder that makes no vectors has no identity that stored ones could be held against.
        embedder: (embedder_identity.dimensions > 0).then_some(embedder_identity),
        formers: ingredients.moves.then_some(formers),
        senses,
        language,
        commit,
        seal,
        blocking,
        wakes,
        mishaps: mishaps.clone(),
        prototypes: PrototypeShelf::new(),
        zone,
        zone_name: ingredients.zone_name,
        locale: ingredients.locale,
        bells: Bells::default(),
        store: ingredients.store,
        planner: ingredients.planner,
        executor: ingredients.executor,
        tools: ingredients.tools,
        persona,
        events: EventBus::default(),
        extensions: ingredients.extensions,
        board: Board::default(),
    };
    let configs = (ingredients.spaces, ingredients.backup);
    Ok(run(root, parts, configs, data_dir, (embedder, builds)).await)
}

/// Starts the Directory, and what lives with the process.
async fn run(
    root: ActorRef<Root>,
    parts: Parts,
    (config, backup): (RuntimeConfig, BackupConfig),
    data_dir: DataDir,
    (embedder, builds): (ActorRef<Embedder>, [Builds; 2]),
) -> Handle {
    let args = DirectoryArgs { parts: parts.clone(), config: config.clone() };
    let directory = Directory::supervise_with(&root, counted(args, &builds[1]))
        .restart_policy(RestartPolicy::Transient)
        .restart_limit(CRASHES_MAX, FORGIVING_QUIET)
        .spawn_with_mailbox(mailbox::bounded(DIRECTORY_MAILBOX))
        .await;
    directory.wait_for_startup().await;
    let access = parts.access(directory.downgrade());
    let ports = |name| Ports::new(name, access.clone(), None, CancellationToken::new());
    let extensions = parts.extensions.launch(Scope::Process, &parts.board, ports, None).await;
    let period = Duration::from_secs(config.tick_seconds);
    let ticker = tick(directory.clone(), Arc::clone(&parts.clock), parts.wakes.clone(), period);
    let started_at = parts.clock.now();
    let backups =
        Backups::new(directory.downgrade(), Arc::clone(&parts.data_dir), Arc::clone(&parts.blocking));
    let schedule = Schedule::new(
        &backup,
        backups.clone(),
        Arc::clone(&parts.clock),
        Arc::clone(&parts.blocking),
        parts.mishaps.clone(),
    );
    let schedule = schedule.map(|schedule| (schedule.clone(), schedule.run(period)));
    let beside = forget_typed_lines(&parts.events, &parts.data_dir, &parts.blocking);
    let Parts { wakes, bells, board, mishaps, embedder: identity, blocking, .. } = parts;
    Handle {
        root,
        directory,
        access,
        embedder,
        builds,
        config,
        data_dir,
        wakes,
        bells,
        backups,
        identity,
        blocking,
        schedule,
        beside,
        ticker,
        extensions,
        board,
        mishaps,
        started_at,
    }
}

/// Strikes when the next reminder is due, and every `period`; strokes that were missed while the machine slept are not
/// made up for.
fn tick(
    directory: ActorRef<Directory>,
    clock: Arc<dyn Clock>,
    wakes: Wakes,
    period: Duration,
) -> tokio::task::AbortHandle {
    let striking = tokio::spawn(async move {
        let mut regular = tokio::time::Instant::now() + period;
        loop {
            let now = clock.now();
            let until = |at: Timestamp| u64::try_from(at.since(now).as_millis()).unwrap_or(0);
            let next =
                wakes.next(now).map(|at| tokio::time::Instant::now() + Duration::from_millis(until(at)));
            let strike = next.map_or(regular, |next| next.min(regular));
            tokio::select! {
                () = tokio::time::sleep_until(strike) => {}
                () = wakes.sooner() => continue,
            }
            regular = tokio::time::Instant::now() + period;
            // Full: the Directory is behind, and the next stroke will do. Gone: the process is ending.
            let _ = directory.tell(Tick { now: clock.now() }).try_send();
        }
    });
    striking.abort_handle()
}

/// Restarts the process's actors.
pub(crate) struct Root {
    mishaps: Mishaps,
}

/// An embedder whose failures are kept for who asks how the process is.
struct Watched {
    model: Arc<dyn EmbeddingModel>,
    mishaps: Mishaps,
}

impl EmbeddingModel for Watched {
    fn identity(&self) -> EmbedderIdentity {
        self.model.identity()
    }

    fn embed(
        &self,
        texts: &[&str],
        effort: Effort,
    ) -> Result<Vec<Result<UnitVector, VectorFault>>, EmbeddingError> {
        let made = self.model.embed(texts, effort);
        if let Err(error) = &made {
            self.mishaps.note(None, format!("the embedder failed: {error}"));
        }
        made
    }
}

impl kameo::Actor for Root {
    type Args = Mishaps;
    type Error = kameo::error::Infallible;

    fn supervision_strategy() -> SupervisionStrategy {
        SupervisionStrategy::OneForOne
    }

    async fn on_start(mishaps: Mishaps, _: ActorRef<Self>) -> Result<Self, Self::Error> {
        Ok(Self { mishaps })
    }

    async fn on_link_died(
        &mut self,
        _: kameo::actor::WeakActorRef<Self>,
        _: kameo::actor::ActorId,
        reason: kameo::error::ActorStopReason,
    ) -> Result<std::ops::ControlFlow<kameo::error::ActorStopReason>, Self::Error> {
        if !matches!(reason, kameo::error::ActorStopReason::Normal) {
            tracing::error!("an actor of the process was given up");
            self.mishaps.note(None, "an actor of the process was given up after repeated crashes");
        }
        Ok(std::ops::ControlFlow::Continue(()))
    }
}
