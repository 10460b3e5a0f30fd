//! The Planner actor: takes messages in, keeps their order, starts and stops turns.

use std::ops::ControlFlow;
use std::sync::Arc;

use bethink_clock::Entropy;
use bethink_domain::{DueReminder, SpaceId, TurnId};
use bethink_protocol::{
    CancelTurn, Converse, ConverseError, Drain, Due, Durable, EmbedPort, ExecutePort, LetGo, MemoryError,
    MemoryPorts, Offload, ReminderPorts, TakeVitals, TurnEvent, TurnStream, Vitals,
};
use kameo::actor::{Actor, ActorRef, Recipient, ReplyRecipient, WeakActorRef};
use kameo::error::{ActorStopReason, Infallible, PanicError};
use kameo::message::{Context, Message};
use kameo::reply::{DelegatedReply, ReplySender};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::config::PlannerConfig;
use crate::heard::hear;
use crate::lane::{Lane, Offered, Waiting};
use crate::ports::LAST_EVENT_WAIT;
use crate::prototypes::PrototypeShelf;
use crate::sessions::{Left, Sessions};
use crate::turn::{Ended, Job, run};

/// Events of one turn that wait for their reader. A model writes some 50 words a second; past a second of slack it
/// waits for the reader.
const EVENTS_MAX: usize = 64;

/// What it takes to build a Planner, and to build it again after a crash.
#[derive(Clone)]
pub struct PlannerArgs {
    /// Whose memory it plans for.
    pub space: SpaceId,
    /// Gives meanings.
    pub embed: EmbedPort,
    /// The space's memory.
    pub memory: MemoryPorts,
    /// What is due, for a turn that recalls nothing.
    pub due: ReplyRecipient<Due, Vec<DueReminder>, MemoryError>,
    /// The space's reminders.
    pub reminders: ReminderPorts,
    /// Answers.
    pub execute: ExecutePort,
    /// Puts out of mind what was forgotten.
    pub let_go: Recipient<LetGo>,
    /// Takes the reading of long messages off the runtime's threads.
    pub offload: Arc<dyn Offload>,
    /// Chance for turn ids.
    pub entropy: Entropy,
    /// Prototypes for what no rule decides; one shelf for the whole process.
    pub prototypes: PrototypeShelf,
    /// Numbers, checked.
    pub config: PlannerConfig,
}

/// First to receive every message of a space.
///
/// One turn is in flight; a few wait, and beyond those a message is refused as busy. Turns run beside the actor, so
/// that stopping, draining and refusing never wait behind one. After a crash of the actor, turns in flight finish and
/// those that waited end without a last event.
pub struct Planner {
    args: Arc<PlannerArgs>,
    lane: Lane<Job>,
    sessions: Sessions,
    /// The last turn id issued; the next is above it.
    issued: u64,
    draining: bool,
    drained: Vec<ReplySender<()>>,
}

impl Actor for Planner {
    type Args = PlannerArgs;
    type Error = Infallible;

    async fn on_start(args: PlannerArgs, _: ActorRef<Self>) -> Result<Self, Infallible> {
        // The first reading of a process builds the phrase lists, which would hold up its first turn.
        args.offload.run(Box::new(|| drop(hear("What is it like?"))));
        Ok(Self {
            lane: Lane::new(args.config.waiting_turns_max),
            sessions: Sessions::default(),
            issued: 0,
            draining: false,
            drained: Vec::new(),
            args: Arc::new(args),
        })
    }

    async fn on_panic(
        &mut self,
        _: WeakActorRef<Self>,
        error: PanicError,
    ) -> Result<ControlFlow<ActorStopReason>, Infallible> {
        if error.is_panic() {
            return Ok(ControlFlow::Break(ActorStopReason::Panicked(error)));
        }
        // A message that was told, not asked, was refused: its sender did not want to know, and nothing broke.
        tracing::debug!("a told message was refused");
        Ok(ControlFlow::Continue(()))
    }
}

impl Message<Converse> for Planner {
    type Reply = Result<TurnStream, ConverseError>;

    async fn handle(&mut self, message: Converse, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        self.admit(&message)?;
        let private = message.private || !self.args.config.remembers;
        let message = Converse { private, ..message };
        let turn = self.issue(&message);
        let (events, stream) = mpsc::channel(EVENTS_MAX);
        let job = Job { turn, message, events, cancel: CancellationToken::new(), left: Left::default() };
        match self.lane.offer(job) {
            Offered::Start(job) => self.start(job, ctx.actor_ref()),
            Offered::Waits => {}
            Offered::Full(waiting) => return Err(ConverseError::Busy { waiting }),
        }
        Ok(TurnStream { turn, events: stream })
    }
}

impl Message<CancelTurn> for Planner {
    type Reply = ();

    async fn handle(&mut self, CancelTurn { turn }: CancelTurn, _: &mut Context<Self, ()>) {
        // A turn that has not begun leaves nothing at all, so it has no record either.
        if let Some(job) = self.lane.stop(turn) {
            let last = TurnEvent::Failed { error: ConverseError::Cancelled };
            // Its channel is empty, so that only a reader that has gone can fail this.
            let _ = job.events.try_send(last);
        }
    }
}

impl Message<TakeVitals> for Planner {
    type Reply = Vitals;

    async fn handle(&mut self, _: TakeVitals, _: &mut Context<Self, Vitals>) -> Vitals {
        let (waiting, running) = self.lane.load();
        Vitals { waiting, in_flight: usize::from(running), doing: None }
    }
}

impl Message<Drain> for Planner {
    type Reply = DelegatedReply<()>;

    async fn handle(&mut self, _: Drain, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        self.draining = true;
        let (reply, sender) = ctx.reply_sender();
        self.drained.extend(sender);
        self.tell_drained();
        reply
    }
}

/// A turn of this actor has ended, however it did.
pub(crate) struct TurnEnded {
    turn: TurnId,
    ended: Ended,
}

impl Message<TurnEnded> for Planner {
    type Reply = ();

    async fn handle(&mut self, TurnEnded { turn, ended }: TurnEnded, ctx: &mut Context<Self, ()>) {
        if let Some(left) = ended.left {
            self.sessions.note(ended.session, left);
        }
        if let Some(next) = self.lane.ended(turn) {
            self.start(next, ctx.actor_ref());
        }
        self.tell_drained();
    }
}

impl Planner {
    fn admit(&self, message: &Converse) -> Result<(), ConverseError> {
        if self.draining {
            return Err(ConverseError::Unavailable("it is closing".to_owned()));
        }
        let (given, limit) = (message.message.len(), self.args.config.message_bytes_max);
        if given > limit {
            return Err(ConverseError::TooLong { given, limit });
        }
        Ok(())
    }

    /// A new turn id. Its chance depends on session and words, so that a restart at the same millisecond does not
    /// give a new turn the id of an old one.
    fn issue(&mut self, message: &Converse) -> TurnId {
        let words = bethink_text::stem_hash(&message.message);
        let chance = self.args.entropy.draw(&self.args.space, "turn", message.session.raw(), words);
        let turn = TurnId::compose(message.at, chance, self.issued);
        self.issued = turn.raw();
        turn
    }

    fn start(&mut self, mut job: Job, planner: &ActorRef<Self>) {
        job.left = self.sessions.take(job.message.session);
        // Nothing waits for this task: it reports to the actor itself, and survives it.
        drop(tokio::spawn(watch(self.args.clone(), job, planner.clone())));
    }

    fn tell_drained(&mut self) {
        if self.draining && self.lane.idle() {
            self.drained.drain(..).for_each(|sender| sender.send(()));
        }
    }
}

impl Waiting for Job {
    fn turn(&self) -> TurnId {
        self.turn
    }

    fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    fn abandoned(&self) -> bool {
        self.events.is_closed()
    }
}

/// How a turn ended, in a word for the log.
fn end(last: &TurnEvent) -> &'static str {
    match last {
        TurnEvent::Done { durable: Durable::Yes { .. }, .. } => "remembered",
        TurnEvent::Done { durable: Durable::Private, .. } => "private",
        TurnEvent::Done { durable: Durable::NotRemembered { .. }, .. } => "not remembered",
        TurnEvent::Failed { error: ConverseError::Cancelled } => "stopped",
        TurnEvent::Failed { .. } | TurnEvent::Text(_) | TurnEvent::Warning(_) | TurnEvent::Due(_) => "failed",
    }
}

/// Runs a turn to its end whatever happens in it, then frees the lane, then tells the listener.
async fn watch(args: Arc<PlannerArgs>, job: Job, planner: ActorRef<Planner>) {
    let (turn, session, events) = (job.turn, job.message.session, job.events.clone());
    let (space, begun) = (args.space.clone(), tokio::time::Instant::now());
    let (ended, last) = match tokio::spawn(run(args, job)).await {
        Ok(finished) => finished,
        Err(fault) => {
            // What a panic says may quote the message, and does not belong in a log.
            tracing::error!(%turn, panicked = fault.is_panic(), "a turn broke off");
            let error = ConverseError::Unavailable("a fault in the program ended the turn".to_owned());
            (Ended { session, left: None }, TurnEvent::Failed { error })
        }
    };
    let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    tracing::info!(%space, %turn, ms, end = end(&last), "turn ended");
    if planner.tell(TurnEnded { turn, ended }).await.is_err() {
        tracing::debug!(%turn, "the planner stopped before its last turn ended");
    }
    // After the lane is free: a reader that has stalled may not hold up the next turn.
    if tokio::time::timeout(LAST_EVENT_WAIT, events.send(last)).await.is_err() {
        tracing::warn!(%turn, "nobody took the end of the turn");
    }
}
