//! Moving to another embedder in the background: a few texts at a time, behind everybody who waits, until the new vectors
//! can take over.

use std::sync::Arc;

use bethink_domain::{MigrationState, Parity, Span, Timestamp, TraceId, UnitVector};
use bethink_protocol::{
    CancelMigration, EmbedderFigures, MemoryError, Migrate, ShowEmbedder, Urgency, offload,
};
use kameo::actor::ActorRef;
use kameo::message::{Context, Message};
use kameo::reply::DelegatedReply;

use super::embedding::{Ask, named};
use super::writing::{Delegated, done};
use super::{MemoryStore, Pending};
use crate::apply::{Command, Step};
use crate::error::StoreError;
use crate::file::switch::{last_said, load_next, switch};
use crate::parity::{Said, Side, agrees, compare};
use crate::recall::RecallSettings;
use crate::records::MigrationRecord;
use crate::snapshot::{Place, Snapshot};

/// Texts of one step. A statement that is stored meanwhile waits for no more than the rest of one.
const TEXTS_MAX: usize = 32;
/// Messages on which recall is compared.
const CUES_MAX: usize = 50;
/// Wait after the first failure; it doubles up to the longest.
const RETRY_FIRST: Span = Span::from_seconds(30);
/// Longest wait between attempts.
const RETRY_LONGEST: Span = Span::from_seconds(3_600);

/// What is known of a move beyond its record.
#[derive(Default)]
pub(super) struct Mover {
    /// Something goes on: a step, a comparison or the switch.
    busy: bool,
    /// It was asked for, or the timer has struck: who only looks does not begin to write.
    awake: bool,
    /// A person said to switch whatever the comparison says.
    anyway: bool,
    failures: u32,
    not_before: Option<Timestamp>,
    /// The last comparison, by generation; it has nothing to say where the old embedder can't be had.
    compared: Option<(u16, Option<Parity>)>,
}

/// A step was committed, or failed.
struct Stepped {
    ok: bool,
}

/// Vectors of the next generation came, or did not.
struct Came {
    generation: u16,
    asked: Vec<(TraceId, u64)>,
    vectors: Option<Vec<Option<UnitVector>>>,
}

/// Recall was compared; none when it could not be read.
struct Compared {
    generation: u16,
    outcome: Option<Option<Parity>>,
}

/// The new vectors took over, or did not.
struct Switched {
    outcome: Option<Result<Snapshot, StoreError>>,
}

impl MemoryStore {
    /// The timer struck: begins what configuration asks for, and goes on with what was begun.
    pub(super) fn tick_move(&mut self, me: &ActorRef<Self>) {
        self.mover.awake = true;
        let snapshot = self.published.load_full();
        let moving = snapshot.moving();
        let same = moving.filter(|m| Some(&m.record.migration.to) == self.args.slot.embedder());
        let begun = same.is_some_and(|m| m.record.migration.state != MigrationState::Done);
        let useless = moving.is_some_and(|m| m.record.migration.state.live()) && !snapshot.foreign;
        if snapshot.foreign && self.args.config.migration.by_itself && !begun {
            self.step(Step::Begin { by_itself: true }, me);
        } else if useless && self.args.slot.embedder().is_some() {
            // The configuration went back to the embedder that serves.
            self.step(Step::CallOff, me);
        }
        self.go_on_moving(me);
    }

    /// Does the next piece of a move, if one is under way.
    pub(super) fn go_on_moving(&mut self, me: &ActorRef<Self>) {
        let early = self.mover.not_before.is_some_and(|at| self.seen_at < at);
        let quiet = !self.mover.awake || self.draining.is_some() || !self.args.slot.writable();
        if self.mover.busy || early || quiet {
            return;
        }
        let snapshot = self.published.load_full();
        let Some(moving) = snapshot.moving().filter(|moving| moving.makes(self.args.slot.embedder())) else {
            if snapshot.leftover {
                self.step(Step::Sweep, me);
            }
            return;
        };
        let record = moving.record.clone();
        let lacking: Vec<Place> = snapshot.lacking().take(TEXTS_MAX).collect();
        if !lacking.is_empty() {
            return self.make_next(&snapshot, &lacking, record.generation, me);
        }
        if record.migration.state == MigrationState::Held {
            return;
        }
        match self.mover.compared.filter(|(generation, _)| *generation == record.generation) {
            None => self.compare(snapshot, record, me),
            Some((_, parity)) => {
                if self.mover.anyway || agrees(parity, self.args.config.migration.parity_min) {
                    self.switch(record, parity, me);
                } else if let Some(parity) = parity {
                    tracing::warn!(space = %self.args.space, ?parity, "the new embedder recalls too differently");
                    self.step(Step::Hold { generation: record.generation, parity }, me);
                }
            }
        }
    }

    /// Lines a step up for the next commit.
    fn step(&mut self, step: Step, me: &ActorRef<Self>) {
        if self.mover.busy || self.draining.is_some() {
            return;
        }
        self.mover.busy = true;
        // Answered from the thread that commits, or dropped with the commit.
        let (sender, answered) = tokio::sync::oneshot::channel();
        let reply = move |answer: Result<_, MemoryError>| {
            // Nobody listens only when the process is ending.
            let _ = sender.send(answer.is_ok());
        };
        let me_too = me.clone();
        tokio::spawn(async move {
            let ok = answered.await.unwrap_or(false);
            let _ = me_too.tell(Stepped { ok }).send().await;
        });
        let command = Command::Migrate { at: self.seen_at, step };
        self.queue.push_back(Pending { command, reply: Box::new(reply) });
        self.start_commit(me);
    }

    fn make_next(&mut self, snapshot: &Snapshot, lacking: &[Place], generation: u16, me: &ActorRef<Self>) {
        self.mover.busy = true;
        let asked = lacking.iter().map(|p| (snapshot.id(*p), snapshot.block(*p).key(p.row))).collect();
        let text = |place: &Place| {
            let body = snapshot.body(*place);
            named(body.speaker.as_deref(), &body.text)
        };
        let texts: Vec<String> = lacking.iter().map(text).collect();
        let (ask, me) = (self.ask(Urgency::Migration), me.clone());
        tokio::spawn(async move {
            let vectors = ask.vectors(texts).await;
            let _ = me.tell(Came { generation, asked, vectors }).send().await;
        });
    }

    /// Compares recall by both generations on what the user said last.
    fn compare(&mut self, old: Arc<Snapshot>, record: MigrationRecord, me: &ActorRef<Self>) {
        self.mover.busy = true;
        let comparison = Comparison {
            slot: self.args.slot.clone(),
            asks: self.former_ask(Urgency::Migration).map(|former| (former, self.ask(Urgency::Migration))),
            senses: self.args.senses.clone(),
            at: self.seen_at,
            config: self.args.config,
        };
        let (port, me, generation) = (Arc::clone(&self.args.scan), me.clone(), record.generation);
        tokio::spawn(async move {
            let outcome = comparison.run(&port, old, record).await;
            let _ = me.tell(Compared { generation, outcome }).send().await;
        });
    }

    fn switch(&mut self, record: MigrationRecord, parity: Option<Parity>, me: &ActorRef<Self>) {
        // One job in flight; the commit's end comes back here.
        if self.in_flight.is_some() {
            return;
        }
        (self.in_flight, self.mover.busy) = (Some(0), true);
        let mut record = record;
        record.migration.parity = parity;
        let (slot, epoch, decay) = (self.args.slot.clone(), self.epoch, self.args.config.fading());
        let (port, me) = (Arc::clone(&self.args.commit), me.clone());
        tokio::spawn(async move {
            let outcome = offload(&port, move || switch(&slot, epoch, record, decay)).await.ok();
            let _ = me.tell(Switched { outcome }).send().await;
        });
    }

    fn wait_before_next(&mut self) {
        let doubled = RETRY_FIRST.as_millis().saturating_mul(1 << self.mover.failures.min(10));
        let wait = Span::from_millis(doubled.min(RETRY_LONGEST.as_millis()));
        self.mover.failures = self.mover.failures.saturating_add(1);
        self.mover.not_before = Some(self.seen_at + wait);
    }

    /// What it does for a move, in words, for who asks how it is.
    pub(super) fn said_of_move(&self) -> Option<String> {
        let snapshot = self.published.load();
        let makes = snapshot.moving().filter(|moving| moving.makes(self.args.slot.embedder()));
        let model = |moving: &crate::snapshot::Moving| moving.record.migration.to.model.to_string();
        let moves = makes.map(|moving| {
            let (all, lacking) = (snapshot.len(), snapshot.lacking().count());
            let held = if moving.record.migration.state == MigrationState::Held { ", held" } else { "" };
            format!("moving to {}: {} of {all} vectors{held}", model(moving), all - lacking)
        });
        let words = (snapshot.foreign && self.args.former.is_none())
            .then(|| "recall goes by words alone, since the vectors are another embedder's".to_owned());
        let said: Vec<String> = moves.into_iter().chain(words).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }
}

/// What it takes to compare.
struct Comparison {
    slot: crate::file::slot::StoreSlot,
    /// The old embedder and the new one; none where the old one can't be had.
    asks: Option<(Ask, Ask)>,
    senses: Option<Arc<dyn bethink_domain::Senses>>,
    at: Timestamp,
    config: crate::config::StoreConfig,
}

impl Comparison {
    /// None when it failed and is to be tried again.
    async fn run(
        self,
        port: &Arc<dyn bethink_protocol::Offload>,
        old: Arc<Snapshot>,
        record: MigrationRecord,
    ) -> Option<Option<Parity>> {
        let Self { slot, asks, senses, at, config } = self;
        let Some((former, ask)) = asks else { return Some(None) };
        let reading = slot.clone();
        let read = move || reading.with(|database| last_said(reading.path(), database, CUES_MAX));
        let said: Vec<Said> = offload(port, read).await.ok()?.ok()?;
        let texts = || said.iter().map(|said| said.text.clone()).collect::<Vec<_>>();
        let (before, after) = (former.vectors(texts()).await?, ask.vectors(texts()).await?);
        let work = move || {
            let new = load_next(&slot, &record, config.fading())?;
            let threshold = config.memory.relevance_threshold;
            let (relevance, prospective) = (config.relevance, config.prospective);
            let settings = RecallSettings { threshold, relevance, senses: senses.as_deref(), prospective };
            let old = Side { snapshot: &old, meanings: &before };
            let new = Side { snapshot: &new, meanings: &after };
            Ok::<_, StoreError>(compare(&said, &old, &new, at, settings))
        };
        offload(port, work).await.ok()?.ok().map(Some)
    }
}

impl Message<Stepped> for MemoryStore {
    type Reply = ();

    async fn handle(&mut self, stepped: Stepped, ctx: &mut Context<Self, ()>) {
        self.mover.busy = false;
        if !stepped.ok {
            return self.wait_before_next();
        }
        (self.mover.failures, self.mover.not_before) = (0, None);
        self.go_on_moving(ctx.actor_ref());
    }
}

impl Message<Came> for MemoryStore {
    type Reply = ();

    async fn handle(&mut self, came: Came, ctx: &mut Context<Self, ()>) {
        self.mover.busy = false;
        let Some(vectors) = came.vectors else { return self.wait_before_next() };
        let Some((upto, _)) = came.asked.last().copied() else { return };
        let vectors = came.asked.into_iter().zip(vectors).map(|((id, key), vector)| (id, key, vector));
        let step = Step::Made { generation: came.generation, vectors: vectors.collect(), upto };
        self.step(step, ctx.actor_ref());
    }
}

impl Message<Compared> for MemoryStore {
    type Reply = ();

    async fn handle(&mut self, compared: Compared, ctx: &mut Context<Self, ()>) {
        self.mover.busy = false;
        let Some(parity) = compared.outcome else { return self.wait_before_next() };
        self.mover.compared = Some((compared.generation, parity));
        self.go_on_moving(ctx.actor_ref());
    }
}

impl Message<Switched> for MemoryStore {
    type Reply = ();

    async fn handle(&mut self, switched: Switched, ctx: &mut Context<Self, ()>) {
        (self.in_flight, self.mover.busy) = (None, false);
        match switched.outcome {
            Some(Ok(snapshot)) => {
                tracing::info!(space = %self.args.space, "the new embedder's vectors serve now");
                self.sealing.renew();
                self.published.store(Arc::new(snapshot));
                self.mover = Mover { awake: true, ..Mover::default() };
                self.retry_embedding(ctx.actor_ref());
            }
            Some(Err(error)) => {
                tracing::warn!(space = %self.args.space, %error, "could not switch to the new embedder");
                self.wait_before_next();
            }
            None => self.wait_before_next(),
        }
        self.go_on(ctx.actor_ref());
        self.go_on_moving(ctx.actor_ref());
    }
}

impl Message<Migrate> for MemoryStore {
    type Reply = Delegated<()>;

    async fn handle(&mut self, migrate: Migrate, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let mover = &mut self.mover;
        (mover.awake, mover.not_before) = (true, None);
        mover.anyway |= migrate.anyway;
        mover.compared = mover.compared.filter(|_| migrate.anyway);
        let command = Command::Migrate { at: migrate.at, step: Step::Begin { by_itself: false } };
        self.accept(command, migrate.at, ctx, done)
    }
}

impl Message<CancelMigration> for MemoryStore {
    type Reply = Delegated<()>;

    async fn handle(&mut self, cancel: CancelMigration, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        (self.mover.awake, self.mover.anyway) = (true, false);
        let command = Command::Migrate { at: cancel.at, step: Step::CallOff };
        self.accept(command, cancel.at, ctx, done)
    }
}

impl Message<ShowEmbedder> for MemoryStore {
    type Reply = DelegatedReply<Result<EmbedderFigures, MemoryError>>;

    async fn handle(&mut self, _: ShowEmbedder, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let configured = self.args.slot.embedder().cloned();
        let had = self.args.former.is_some();
        ctx.spawn(self.look(move |snapshot| {
            let stored = snapshot.embedder().filter(|_| snapshot.embedder_stored);
            EmbedderFigures {
                stored: stored.map(|embedder| embedder.identity.clone()),
                by_meaning: configured.is_some() && (had || !snapshot.foreign),
                configured,
                traces: snapshot.len(),
                lacking: snapshot.lacking().count(),
                migration: snapshot.moving().map(|moving| moving.record.migration.clone()),
            }
        }))
    }
}
