//! The MemoryStore actor: takes commands and questions, and never touches the disk on its own thread.

mod embedding;
mod examining;
mod lane;
mod moving;
mod reading;
mod reminding;
mod renewal;
mod sealing;
mod transfer;
mod writing;

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use arc_swap::ArcSwap;
use bethink_clock::Entropy;
use bethink_domain::{Senses, SpaceId, Timestamp};
use bethink_protocol::{
    EmbedPort, EventBus, MemoryError, MemoryPorts, Offload, ReminderStorePorts, TakeVitals, Tick, Vitals,
    offload,
};
use kameo::Actor;
use kameo::actor::{ActorRef, WeakActorRef};
use kameo::error::{ActorStopReason, PanicError};
use kameo::message::{Context, Message};
use kameo::reply::ReplySender;

use crate::apply::{Answer, Command, Rules};
use crate::config::StoreConfig;
use crate::error::StoreError;
use crate::file::load;
use crate::file::rewrite::scrubbed_at;
use crate::file::slot::StoreSlot;
use crate::snapshot::Snapshot;
pub(crate) use embedding::named;
use embedding::{EmbedLane, Retry};
use moving::Mover;
use renewal::Renewal;
use sealing::SealLane;

/// What it takes to build a store, and to build it again after a crash.
#[derive(Clone)]
pub struct MemoryStoreArgs {
    /// Whose memory it is.
    pub space: SpaceId,
    /// The open file.
    pub slot: StoreSlot,
    /// Where vectors come from.
    pub embed: EmbedPort,
    /// Where vectors come from by the embedder whose vectors the file holds, where that is another than the configured
    /// one and can be had.
    pub former: Option<EmbedPort>,
    /// Meanings of single words, where the embedder has them.
    pub senses: Option<Arc<dyn Senses>>,
    /// Where commits run.
    pub commit: Arc<dyn Offload>,
    /// Where long scans and reading of the file run.
    pub scan: Arc<dyn Offload>,
    /// Where segments are built: slow work that nobody waits for.
    pub seal: Arc<dyn Offload>,
    /// Where it is told what was committed.
    pub events: EventBus,
    /// Chance, for ids.
    pub entropy: Entropy,
    /// Numbers.
    pub config: StoreConfig,
}

impl std::fmt::Debug for MemoryStoreArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryStoreArgs").field("slot", &self.slot).finish_non_exhaustive()
    }
}

/// The single writer of one space's file.
///
/// Commands queue while a commit is in flight and share the next one. A reply to a command means that it is durable
/// and in the snapshot that the very next recall reads. Recall reads the published snapshot and waits for no commit.
pub struct MemoryStore {
    args: MemoryStoreArgs,
    rules: Arc<Rules>,
    /// The incarnation, so that a job of an earlier one cannot commit any more.
    epoch: u64,
    published: Arc<ArcSwap<Snapshot>>,
    /// Commands that are ready to be committed.
    queue: VecDeque<Pending>,
    /// What recalls leave behind; rides in the next commit and never causes one.
    effects: VecDeque<Command>,
    /// Commands in the commit in flight; none when no job is in flight.
    in_flight: Option<usize>,
    embedding: EmbedLane,
    retry: Retry,
    sealing: SealLane,
    mover: Mover,
    renewal: Renewal,
    last_recall: u64,
    /// The latest time that a message told.
    seen_at: Timestamp,
    /// Examinations that wait for a moment without a commit.
    examining: examining::Waiting,
    /// Who waits until everything is flushed; from then on nothing more is taken.
    draining: Option<Vec<ReplySender<()>>>,
}

/// A command and where its answer goes.
struct Pending {
    command: Command,
    reply: Reply,
}

type Reply = Box<dyn FnOnce(Result<Answer, MemoryError>) + Send>;

impl Actor for MemoryStore {
    type Args = MemoryStoreArgs;
    type Error = StoreError;

    async fn on_start(args: MemoryStoreArgs, me: ActorRef<Self>) -> Result<Self, StoreError> {
        let (slot, decay) = (args.slot.clone(), args.config.fading());
        let closed = || StoreError::Closed { path: args.slot.path().to_owned() };
        let load = move || {
            let epoch = slot.begin_epoch();
            let load = |database: &redb::Database| {
                let snapshot = load::load(slot.path(), database, slot.embedder(), decay)?;
                Ok((snapshot, scrubbed_at(slot.path(), database)?))
            };
            slot.in_turn(epoch, || slot.with(load)).map(|loaded| (epoch, loaded))
        };
        let (epoch, (snapshot, scrubbed_at)) = offload(&args.commit, load).await.map_err(|_| closed())??;
        tracing::debug!(space = %args.space, traces = snapshot.len(), "memory loaded");
        let (space, embedder) = (args.space.clone(), args.slot.embedder().cloned());
        let rules = Rules {
            config: args.config.memory,
            prospective: args.config.prospective,
            entropy: args.entropy,
            space,
            embedder,
        };
        let counters = snapshot.counters;
        let mut store = Self {
            rules: Arc::new(rules),
            epoch,
            last_recall: snapshot.recalls.last().map_or(0, bethink_domain::RecallId::raw),
            published: Arc::new(ArcSwap::from_pointee(snapshot)),
            queue: VecDeque::new(),
            effects: VecDeque::new(),
            in_flight: None,
            renewal: Renewal::known(scrubbed_at),
            embedding: EmbedLane::default(),
            retry: Retry::default(),
            sealing: SealLane::default(),
            mover: Mover::default(),
            // Whatever is written before anybody says what time it is, is no earlier than what was written last.
            seen_at: Timestamp::from_millis(counters.clock_high_ms),
            examining: examining::Waiting::new(),
            draining: None,
            args,
        };
        // A scrub that a crash cut short, and vectors that were still missing.
        store.retry_embedding(&me);
        store.go_on(&me);
        Ok(store)
    }

    async fn on_panic(
        &mut self,
        _: WeakActorRef<Self>,
        error: PanicError,
    ) -> Result<ControlFlow<ActorStopReason>, StoreError> {
        if error.is_panic() {
            return Ok(ControlFlow::Break(ActorStopReason::Panicked(error)));
        }
        tracing::warn!(space = %self.args.space, %error, "message to the store failed");
        Ok(ControlFlow::Continue(()))
    }
}

impl Message<Tick> for MemoryStore {
    type Reply = ();

    async fn handle(&mut self, tick: Tick, ctx: &mut Context<Self, ()>) {
        self.seen_at = self.seen_at.max(tick.now);
        self.retry_embedding(ctx.actor_ref());
        self.tick_move(ctx.actor_ref());
        self.renew_on_tick(ctx.actor_ref());
        self.go_on(ctx.actor_ref());
    }
}

impl Message<TakeVitals> for MemoryStore {
    type Reply = Vitals;

    async fn handle(&mut self, _: TakeVitals, _: &mut Context<Self, Vitals>) -> Vitals {
        let waiting = self.queue.len() + self.embedding.len();
        let in_flight = self.in_flight.unwrap_or_default() + self.sealing.len();
        Vitals { waiting, in_flight, doing: self.said_of_move() }
    }
}

/// The ports of a store.
#[must_use]
pub fn ports(store: &ActorRef<MemoryStore>) -> MemoryPorts {
    MemoryPorts {
        recall: store.clone().reply_recipient(),
        remember: store.clone().reply_recipient(),
        complete_turn: store.clone().reply_recipient(),
        record_turn: store.clone().reply_recipient(),
        credit: store.clone().reply_recipient(),
        correct: store.clone().reply_recipient(),
        forget: store.clone().reply_recipient(),
        pin: store.clone().reply_recipient(),
        edit: store.clone().reply_recipient(),
        list: store.clone().reply_recipient(),
        show: store.clone().reply_recipient(),
        show_turn: store.clone().reply_recipient(),
        survey: store.clone().reply_recipient(),
        export: store.clone().reply_recipient(),
        export_turns: store.clone().reply_recipient(),
        import: store.clone().reply_recipient(),
        examine: store.clone().reply_recipient(),
        measure: store.clone().reply_recipient(),
        migrate: store.clone().reply_recipient(),
        cancel_migration: store.clone().reply_recipient(),
        show_embedder: store.clone().reply_recipient(),
    }
}

/// The doors of a store that reminders need.
#[must_use]
pub fn reminder_ports(store: &ActorRef<MemoryStore>) -> ReminderStorePorts {
    ReminderStorePorts {
        store: store.clone().reply_recipient(),
        look: store.clone().reply_recipient(),
        lease: store.clone().reply_recipient(),
        due: store.clone().reply_recipient(),
        place_meanings: store.clone().recipient(),
    }
}
