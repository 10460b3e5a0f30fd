//! One awake space: its open file and the actors around it, under a supervisor of their own.

mod reminding;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use bethink_clock::{Clock, Entropy};
use bethink_domain::{EmbedderIdentity, Personality, Senses, SpaceId, Timestamp};
use bethink_executor::{Executor, ExecutorArgs, ExecutorConfig, check_tools};
use bethink_memory_store::{MemoryStore, MemoryStoreArgs, StoreConfig, StoreSlot, space_path};
use bethink_planner::{Planner, PlannerArgs, PlannerConfig, PrototypeShelf};
use bethink_protocol::{
    CancelTurn, ConversePort, Drain, EmbedPort, EventBus, LetGo, Measure, MemoryPorts, Offload,
    ReminderPorts, ShowEmbedder, Tick, Tool, offload,
};
use bethink_providers::LanguageModel;
use bethink_reminders::Reminders;
use bethink_text::times::Locale;
use jiff::tz::TimeZone;
use kameo::actor::{ActorRef, Recipient, WeakActorRef};
use kameo::error::{ActorStopReason, Infallible, PanicError};
use kameo::mailbox;
use kameo::prelude::{Actor, ActorId, Spawn};
use kameo::supervision::{RestartPolicy, SupervisionStrategy};
use tokio_util::sync::CancellationToken;

use crate::bells::Bells;
use crate::directory::{Broke, Directory};
use crate::error::RuntimeError;
use crate::extension::{Board, Extensions, Running, Scope, drain_all};
use crate::former::Formers;
use crate::health::{ActorHealth, Builds, examine};
use crate::mishaps::Mishaps;
use crate::ports::{Access, Ports};
use crate::wakes::{RETRY_AFTER, Wakes};
use reminding::spawn_reminders;

/// Messages that may wait for the store: as many as one commit may carry, so that a burst shares it.
const STORE_MAILBOX: usize = 1_024;
/// Messages that may wait for the Planner: the turns that may wait, and as many cancellations.
const PLANNER_MAILBOX: usize = 64;
/// Messages that may wait for the Executor: one turn is in flight, so this is slack.
const EXECUTOR_MAILBOX: usize = 16;
/// Crashes of one actor that are forgiven while they come closer together than [`FORGIVING_QUIET`].
const CRASHES_MAX: u32 = 5;
/// Quiet time after which earlier crashes are forgiven.
const FORGIVING_QUIET: Duration = Duration::from_secs(60);
/// How long an actor may take to start. The store reads its whole file.
const START_TIMEOUT: Duration = Duration::from_secs(120);

/// What every space is made of.
#[derive(Clone)]
pub(crate) struct Parts {
    /// Tells the time.
    pub(crate) clock: Arc<dyn Clock>,
    /// Chance.
    pub(crate) entropy: Entropy,
    /// The data directory.
    pub(crate) data_dir: Arc<std::path::PathBuf>,
    /// Where vectors come from.
    pub(crate) embed: EmbedPort,
    /// Whose vectors they are.
    pub(crate) embedder: Option<EmbedderIdentity>,
    /// Embedders of vectors that memories still hold; none where such memories are refused.
    pub(crate) formers: Option<Formers>,
    /// Meanings of words, where the embedder has a table of them.
    pub(crate) senses: Option<Arc<dyn Senses>>,
    /// What answers.
    pub(crate) language: Arc<dyn LanguageModel>,
    /// Commits.
    pub(crate) commit: Arc<dyn Offload>,
    pub(crate) seal: Arc<dyn Offload>,
    /// Opening files and long scans.
    pub(crate) blocking: Arc<dyn Offload>,
    /// When sleeping spaces must wake.
    pub(crate) wakes: Wakes,
    /// What went wrong lately.
    pub(crate) mishaps: Mishaps,
    /// Prototypes of intents, one shelf for all spaces.
    pub(crate) prototypes: PrototypeShelf,
    /// The user's zone.
    pub(crate) zone: TimeZone,
    /// Its IANA name, where it was configured.
    pub(crate) zone_name: Option<String>,
    /// How the user writes dates.
    pub(crate) locale: Locale,
    /// Who can be shown reminders.
    pub(crate) bells: Bells,
    /// Numbers of the store.
    pub(crate) store: StoreConfig,
    /// Numbers of the Planner.
    pub(crate) planner: PlannerConfig,
    /// Numbers of the Executor.
    pub(crate) executor: ExecutorConfig,
    /// Tools beside the built-in ones.
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    /// Personality and instructions of each agent.
    pub(crate) persona: Arc<dyn Fn(&SpaceId) -> Persona + Send + Sync>,
    /// Where it is told what happens.
    pub(crate) events: EventBus,
    /// Actors from outside.
    pub(crate) extensions: Extensions,
    /// Where they are seen.
    pub(crate) board: Board,
}

impl Parts {
    /// What extensions reach the spaces of a Directory by.
    pub(crate) fn access(&self, directory: WeakActorRef<Directory>) -> Access {
        Access {
            directory,
            embed: self.embed.clone(),
            clock: Arc::clone(&self.clock),
            events: self.events.clone(),
            remembers: self.planner.remembers,
        }
    }
}

/// How an agent is.
#[derive(Clone, Default)]
pub struct Persona {
    /// Traits.
    pub personality: Personality,
    /// What it is told about itself; the default instructions if none.
    pub instructions: Option<String>,
    /// Names of the tools that it may call; every tool if none are named.
    pub tools: Option<Vec<String>>,
    /// What answers for it; the runtime's model if none.
    pub language: Option<Arc<dyn LanguageModel>>,
}

/// The ways into an awake space.
#[derive(Debug, Clone)]
pub struct SpacePorts {
    /// Say something.
    pub converse: ConversePort,
    /// Stop a turn.
    pub cancel: Recipient<CancelTurn>,
    /// Ask and tell memory.
    pub memory: MemoryPorts,
    /// Put out of mind what memory has forgotten.
    pub let_go: Recipient<LetGo>,
    /// Remind.
    pub reminders: ReminderPorts,
}

/// An awake space.
pub(crate) struct Family {
    space: SpaceId,
    supervisor: ActorRef<Supervisor>,
    planner: ActorRef<Planner>,
    executor: ActorRef<Executor>,
    store: ActorRef<MemoryStore>,
    reminders: ActorRef<Reminders>,
    slot: StoreSlot,
    ports: SpacePorts,
    extensions: Vec<Running>,
    /// How often store, executor, planner and reminders were built.
    builds: [Builds; 4],
    wakes: Wakes,
    /// Vectors can be made at all.
    embeds: bool,
}

impl Family {
    /// Opens the space's file and starts its actors; `breaks` hears when one of them is given up.
    ///
    /// # Errors
    /// Why the file can't be opened, or which actor does not start.
    pub(crate) async fn wake(
        parts: &Parts,
        space: &SpaceId,
        breaks: Recipient<Broke>,
        access: Access,
    ) -> Result<Self, RuntimeError> {
        let slot = open(parts, space).await?;
        let supervisor = Supervisor::spawn(SupervisorArgs { space: space.clone(), breaks });
        let builds: [Builds; 4] = Default::default();
        let store = spawn_store(parts, space, &slot, &supervisor, &builds[0]).await?;
        let memory = bethink_memory_store::ports(&store);
        let reminders = spawn_reminders(parts, space, &supervisor, &store, &builds[3]).await?;
        let executor = spawn_executor(parts, space, &supervisor, (&memory, &reminders), &builds[1]).await?;
        let args = PlannerArgs {
            space: space.clone(),
            embed: parts.embed.clone(),
            memory: memory.clone(),
            due: store.clone().reply_recipient(),
            reminders: bethink_reminders::ports(&reminders),
            execute: executor.clone().reply_recipient(),
            let_go: executor.clone().recipient(),
            offload: Arc::clone(&parts.blocking),
            entropy: parts.entropy,
            prototypes: parts.prototypes.clone(),
            config: parts.planner.clone(),
        };
        let planner = Planner::supervise_with(&supervisor, counted(args, &builds[2]))
            .restart_policy(RestartPolicy::Transient)
            .restart_limit(CRASHES_MAX, FORGIVING_QUIET)
            .spawn_with_mailbox(mailbox::bounded(PLANNER_MAILBOX))
            .await;
        started(&planner, "planner").await?;
        let ports = SpacePorts {
            converse: planner.clone().reply_recipient(),
            cancel: planner.clone().recipient(),
            memory,
            let_go: executor.clone().recipient(),
            reminders: bethink_reminders::ports(&reminders),
        };
        let (wakes, embeds) = (parts.wakes.clone(), parts.embedder.is_some());
        let home = |name| {
            let home = Some((space.clone(), ports.clone()));
            Ports::new(name, access.clone(), home, CancellationToken::new())
        };
        let extensions = parts.extensions.launch(Scope::Space, &parts.board, home, Some(space)).await;
        let space = space.clone();
        Ok(Self {
            space,
            supervisor,
            planner,
            executor,
            store,
            reminders,
            slot,
            ports,
            extensions,
            builds,
            wakes,
            embeds,
        })
    }

    /// How its actors are.
    pub(crate) async fn examine(&self) -> Vec<ActorHealth> {
        let [store, executor, planner, reminders] = &self.builds;
        let (planner, executor, store, reminders) = tokio::join!(
            examine("planner", &self.planner, planner),
            examine("executor", &self.executor, executor),
            examine("memory store", &self.store, store),
            examine("reminders", &self.reminders, reminders),
        );
        vec![planner, executor, store, reminders]
    }

    /// Its open file.
    pub(crate) fn slot(&self) -> &StoreSlot {
        &self.slot
    }

    /// The ways in.
    pub(crate) fn ports(&self) -> &SpacePorts {
        &self.ports
    }

    /// Lets the space's actors know that time passes. One that is behind gets the next tick.
    pub(crate) fn tick(&self, now: Timestamp) {
        let _ = self.store.tell(Tick { now }).try_send();
        let _ = self.reminders.tell(Tick { now }).try_send();
    }

    /// Finishes what was accepted, from the first actor of a turn to the last, then stops and closes the file.
    pub(crate) async fn sleep(&self, deadline: Duration, now: Timestamp) {
        let drained = tokio::time::timeout(deadline, async {
            self.finish_turns().await;
            // They have heard of the last turn, and may still remember something.
            drain_all(&self.extensions, deadline / 2).await;
            let _ = self.reminders.ask(Drain).send().await;
            self.note_next_wake(now).await;
            let _ = self.store.ask(Drain).send().await;
        });
        if drained.await.is_err() {
            tracing::warn!(space = %self.space, "space did not finish within the deadline");
        }
        self.stop().await;
    }

    /// Finishes the turns in flight and takes no more.
    pub(crate) async fn finish_turns(&self) {
        let _ = self.planner.ask(Drain).send().await;
        let _ = self.executor.ask(Drain).send().await;
    }

    /// A space with statements that have no vector yet, or that moves to another embedder, wakes later to go on.
    async fn note_next_wake(&self, now: Timestamp) {
        if !self.embeds {
            return;
        }
        let figures = self.ports.memory.measure.ask(Measure { at: now }).send().await;
        let shown = self.ports.memory.show_embedder.ask(ShowEmbedder).send().await;
        let moves = shown.is_ok_and(|shown| shown.lacking > 0);
        let lacks = moves || figures.is_ok_and(|figures| figures.unembedded > 0);
        self.wakes.note_retry(&self.space, lacks.then_some(now + RETRY_AFTER)).await;
    }

    /// Stops the actors and closes the file.
    pub(crate) async fn stop(&self) {
        for extension in &self.extensions {
            extension.stop().await;
        }
        let _ = self.planner.stop_gracefully().await;
        let _ = self.executor.stop_gracefully().await;
        let _ = self.reminders.stop_gracefully().await;
        let _ = self.store.stop_gracefully().await;
        let _ = self.supervisor.stop_gracefully().await;
        self.slot.retire();
    }
}

async fn open(parts: &Parts, space: &SpaceId) -> Result<StoreSlot, RuntimeError> {
    let path = space_path(&parts.data_dir, space);
    let (owner, embedder) = (space.clone(), parts.embedder.clone());
    let (now, cache, moves) = (parts.clock.now(), parts.store.memory.cache_bytes, parts.formers.is_some());
    let open = if moves { StoreSlot::open_to_move } else { StoreSlot::open };
    let opened = offload(&parts.blocking, move || open(&path, &owner, embedder.as_ref(), now, cache)).await;
    match opened {
        Ok(Ok(slot)) => Ok(slot),
        Ok(Err(error)) => Err(store_error(&error)),
        Err(_) => Err(RuntimeError::Unavailable(format!(
            "{space} could not be opened: background work was abandoned"
        ))),
    }
}

pub(crate) fn store_error(error: &bethink_memory_store::StoreError) -> RuntimeError {
    if let bethink_memory_store::StoreError::Taken { .. } = error {
        return RuntimeError::Setup(error.to_string());
    }
    match error.unwritable_path() {
        Some(path) => {
            // The path leads the message of both errors; once is enough.
            let said = error.to_string();
            let reason =
                said.strip_prefix(&format!("{} cannot be written: ", path.display())).unwrap_or(&said);
            RuntimeError::Unwritable { path: path.to_owned(), reason: reason.to_owned() }
        }
        None => RuntimeError::Data(error.to_string()),
    }
}

async fn spawn_store(
    parts: &Parts,
    space: &SpaceId,
    slot: &StoreSlot,
    supervisor: &ActorRef<Supervisor>,
    builds: &Builds,
) -> Result<ActorRef<MemoryStore>, RuntimeError> {
    let former = match (slot.former(), &parts.formers) {
        (Some(identity), Some(formers)) => formers.port(identity).await,
        _ => None,
    };
    let args = MemoryStoreArgs {
        space: space.clone(),
        slot: slot.clone(),
        embed: parts.embed.clone(),
        former,
        senses: parts.senses.clone(),
        commit: Arc::clone(&parts.commit),
        scan: Arc::clone(&parts.blocking),
        seal: Arc::clone(&parts.seal),
        events: parts.events.clone(),
        entropy: parts.entropy,
        config: parts.store,
    };
    let store = MemoryStore::supervise_with(supervisor, counted(args, builds))
        .restart_policy(RestartPolicy::Transient)
        .restart_limit(CRASHES_MAX, FORGIVING_QUIET)
        .spawn_with_mailbox(mailbox::bounded(STORE_MAILBOX))
        .await;
    started(&store, "memory store").await?;
    Ok(store)
}

async fn spawn_executor(
    parts: &Parts,
    space: &SpaceId,
    supervisor: &ActorRef<Supervisor>,
    (memory, reminders): (&MemoryPorts, &ActorRef<Reminders>),
    builds: &Builds,
) -> Result<ActorRef<Executor>, RuntimeError> {
    let persona = (parts.persona)(space);
    check_tools(&parts.tools, persona.tools.as_deref())
        .map_err(|fault| RuntimeError::Setup(fault.to_string()))?;
    let args = ExecutorArgs {
        space: space.clone(),
        embed: parts.embed.clone(),
        recall: memory.recall.clone(),
        schedule: reminders.clone().reply_recipient(),
        tools: parts.tools.clone(),
        allowed: persona.tools,
        model: persona.language.unwrap_or_else(|| Arc::clone(&parts.language)),
        personality: persona.personality,
        instructions: persona.instructions,
        zone: parts.zone.clone(),
        config: parts.executor.clone(),
    };
    let executor = Executor::supervise_with(supervisor, counted(args, builds))
        .restart_policy(RestartPolicy::Transient)
        .restart_limit(CRASHES_MAX, FORGIVING_QUIET)
        .spawn_with_mailbox(mailbox::bounded(EXECUTOR_MAILBOX))
        .await;
    started(&executor, "executor").await?;
    Ok(executor)
}

/// Gives an actor's arguments each time that it is built, and counts.
pub(crate) fn counted<A: Clone>(args: A, builds: &Builds) -> impl Fn() -> A + use<A> {
    let builds = builds.clone();
    move || {
        builds.count();
        args.clone()
    }
}

/// Waits until an actor can take messages. Nothing is sent to it before: what waits during a start can be lost.
async fn started<A: Actor>(actor: &ActorRef<A>, name: &str) -> Result<(), RuntimeError> {
    let unavailable = || RuntimeError::Unavailable(format!("the {name} does not start"));
    tokio::time::timeout(START_TIMEOUT, actor.wait_for_startup()).await.map_err(|_| unavailable())?;
    if actor.is_alive() { Ok(()) } else { Err(unavailable()) }
}

/// Restarts a space's actors, and reports those that it gives up.
struct Supervisor {
    space: SpaceId,
    breaks: Recipient<Broke>,
}

#[derive(Clone)]
struct SupervisorArgs {
    space: SpaceId,
    breaks: Recipient<Broke>,
}

impl Actor for Supervisor {
    type Args = SupervisorArgs;
    type Error = Infallible;

    fn supervision_strategy() -> SupervisionStrategy {
        SupervisionStrategy::OneForOne
    }

    async fn on_start(args: SupervisorArgs, _: ActorRef<Self>) -> Result<Self, Infallible> {
        Ok(Self { space: args.space, breaks: args.breaks })
    }

    async fn on_link_died(
        &mut self,
        _: WeakActorRef<Self>,
        _: ActorId,
        reason: ActorStopReason,
    ) -> Result<ControlFlow<ActorStopReason>, Infallible> {
        if !matches!(reason, ActorStopReason::Normal | ActorStopReason::SupervisorRestart) {
            // What a panic says may quote memory, and does not belong in a log or a refusal.
            let reason = match reason {
                ActorStopReason::Panicked(_) => "an actor panicked".to_owned(),
                other => other.to_string(),
            };
            let broke = Broke { space: self.space.clone(), reason };
            // The Directory always has room soon; if it is gone, the process is ending.
            let _ = self.breaks.tell(broke).await;
        }
        Ok(ControlFlow::Continue(()))
    }

    async fn on_panic(
        &mut self,
        _: WeakActorRef<Self>,
        _: PanicError,
    ) -> Result<ControlFlow<ActorStopReason>, Infallible> {
        tracing::error!(space = %self.space, "supervisor failed");
        Ok(ControlFlow::Continue(()))
    }
}
