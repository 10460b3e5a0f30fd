//! The Directory: which spaces are awake.
//!
//! A space is woken by the first message for it and put to sleep when it has been idle, when too many are awake, or
//! after it crashed too often. Waking and sleeping are done by spawned tasks that report back, so that the Directory
//! itself always answers at once.

mod lending;

use std::collections::HashMap;
use std::sync::Arc;

use bethink_domain::{Event, EventKind, SpaceId, Span, Timestamp};
use bethink_protocol::{Couriers, TakeVitals, Tick, Vitals};
use kameo::error::PanicError;
use kameo::prelude::*;
use kameo::reply::{DelegatedReply, ReplySender};
use std::ops::ControlFlow;

use crate::config::RuntimeConfig;
use crate::error::RuntimeError;
use crate::family::{Family, Parts, SpacePorts};
use crate::health::SpaceHealth;
use lending::Wanted;
pub(crate) use lending::{Lend, Lent, PutToSleep};

/// Messages for the Directory that may wait; each takes microseconds, so a longer queue would hide a stuck process.
pub(crate) const DIRECTORY_MAILBOX: usize = 512;
/// Callers that may wait for one space to wake.
const WAITERS_MAX: usize = 256;
/// Spaces that wake by themselves at once; the others follow as these have woken.
const ROUSED_MAX: usize = 4;
/// How long a space rests after its first break-down; doubled with each further one.
const REST_FIRST: Span = Span::from_seconds(1);
/// The longest rest.
const REST_MAX: Span = Span::from_seconds(60);

type Waiter = ReplySender<Result<SpacePorts, RuntimeError>>;

enum State {
    /// `broke` is why one of its actors was given up meanwhile.
    Waking {
        waiters: Vec<Waiter>,
        broke: Option<String>,
    },
    Awake {
        family: Arc<Family>,
        used_at: Timestamp,
    },
    Sleeping(Vec<Waiter>),
    /// Asleep, and its file is read by somebody who was told when others want it.
    Lent {
        waiters: Vec<Waiter>,
        wanted: Wanted,
    },
    /// While `closing`, its actors still stop and its file is still open.
    Resting {
        until: Timestamp,
        reason: String,
        closing: bool,
        waiters: Vec<Waiter>,
    },
}

/// Keeps the spaces.
pub(crate) struct Directory {
    parts: Parts,
    config: RuntimeConfig,
    spaces: HashMap<SpaceId, State>,
    /// Break-downs of each space since it last slept well.
    broken: HashMap<SpaceId, u32>,
    stopping: bool,
    /// Who waits until all spaces are asleep.
    farewell: Vec<ReplySender<()>>,
}

/// What it takes to build the Directory.
#[derive(Clone)]
pub(crate) struct DirectoryArgs {
    pub(crate) parts: Parts,
    pub(crate) config: RuntimeConfig,
}

impl Actor for Directory {
    type Args = DirectoryArgs;
    type Error = kameo::error::Infallible;

    async fn on_start(args: DirectoryArgs, _: ActorRef<Self>) -> Result<Self, Self::Error> {
        let DirectoryArgs { parts, config } = args;
        Ok(Self {
            parts,
            config,
            spaces: HashMap::new(),
            broken: HashMap::new(),
            stopping: false,
            farewell: Vec::new(),
        })
    }

    async fn on_panic(
        &mut self,
        _: WeakActorRef<Self>,
        _: PanicError,
    ) -> Result<ControlFlow<ActorStopReason>, Self::Error> {
        tracing::error!("directory handler failed");
        Ok(ControlFlow::Continue(()))
    }
}

/// Wakes a space if need be and gives its ports.
pub(crate) struct Wake {
    pub(crate) space: SpaceId,
}

/// A waking task's report.
struct Woken {
    space: SpaceId,
    result: Result<Arc<Family>, RuntimeError>,
}

/// A sleeping task's report.
struct Slept {
    space: SpaceId,
}

/// A broken space's actors have stopped and its file is closed.
struct Closed {
    space: SpaceId,
}

/// A space's supervisor gave one of its actors up.
#[derive(Clone)]
pub(crate) struct Broke {
    pub(crate) space: SpaceId,
    pub(crate) reason: String,
}

/// Finish the turns in flight everywhere and take no more; memory stays open.
pub(crate) struct FinishTurns;

/// Put all spaces to sleep and wake no more.
pub(crate) struct SleepAll;

/// Which spaces are there, and in what state.
pub(crate) struct Census;

impl Directory {
    fn start_waking(&mut self, space: &SpaceId, waiters: Vec<Waiter>, me: ActorRef<Self>) {
        self.spaces.insert(space.clone(), State::Waking { waiters, broke: None });
        let (parts, space) = (self.parts.clone(), space.clone());
        let breaks = me.clone().recipient::<Broke>();
        let access = parts.access(me.downgrade());
        drop(tokio::spawn(async move {
            let begun = tokio::time::Instant::now();
            let result = Family::wake(&parts, &space, breaks, access).await.map(Arc::new);
            if result.is_ok() {
                let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
                tracing::info!(%space, ms, "space is awake");
            }
            // Fails only when the Directory has stopped; then the family is dropped, and its actors stop.
            let _ = me.tell(Woken { space, result }).await;
        }));
    }

    fn start_sleeping(&mut self, space: &SpaceId, me: ActorRef<Self>) {
        match self.spaces.remove(space) {
            Some(State::Awake { family, .. }) => {
                self.spaces.insert(space.clone(), State::Sleeping(Vec::new()));
                let (space, deadline, now) = (space.clone(), self.config.shutdown(), self.parts.clock.now());
                drop(tokio::spawn(async move {
                    family.sleep(deadline, now).await;
                    drop(family);
                    tracing::info!(%space, "space is asleep");
                    let _ = me.tell(Slept { space }).await;
                }));
            }
            Some(other) => drop(self.spaces.insert(space.clone(), other)),
            None => {}
        }
    }

    fn tell(&self, space: &SpaceId, kind: EventKind) {
        self.parts.events.tell(Event { space: space.clone(), at: self.parts.clock.now(), kind });
    }

    fn awake(&self) -> usize {
        self.spaces
            .values()
            .filter(|state| matches!(state, State::Awake { .. } | State::Waking { .. }))
            .count()
    }

    /// Makes room for one more: the space that was idle longest goes to sleep; it finishes its turns first.
    fn make_room(&mut self, me: &ActorRef<Self>) -> Result<(), RuntimeError> {
        if self.awake() < self.config.awake_max {
            return Ok(());
        }
        let oldest = self
            .spaces
            .iter()
            .filter_map(|(space, state)| match state {
                State::Awake { used_at, .. } => Some((*used_at, space.clone())),
                _ => None,
            })
            .min();
        let Some((_, space)) = oldest else { return Err(RuntimeError::Busy { awake: self.awake() }) };
        self.start_sleeping(&space, me.clone());
        Ok(())
    }

    fn answer_wake(&mut self, space: SpaceId, waiter: Waiter, me: ActorRef<Self>) {
        let now = self.parts.clock.now();
        if self.stopping {
            return waiter.send(Err(RuntimeError::Stopping));
        }
        match self.spaces.get_mut(&space) {
            Some(State::Awake { family, used_at }) => {
                *used_at = now;
                waiter.send(Ok(family.ports().clone()));
            }
            Some(State::Resting { until, reason, .. }) if now < *until => {
                waiter.send(Err(RuntimeError::Unavailable(format!(
                    "{space} rests after repeated crashes: {reason}"
                ))));
            }
            Some(
                State::Waking { waiters, .. }
                | State::Sleeping(waiters)
                | State::Lent { waiters, .. }
                | State::Resting { closing: true, waiters, .. },
            ) => {
                if waiters.len() < WAITERS_MAX {
                    waiters.push(waiter);
                } else {
                    waiter.send(Err(RuntimeError::Busy { awake: self.awake() }));
                }
            }
            Some(State::Resting { .. }) | None => match self.make_room(&me) {
                Ok(()) => self.start_waking(&space, vec![waiter], me),
                Err(error) => waiter.send(Err(error)),
            },
        }
    }

    /// Wakes a few sleeping spaces whose time has come. They stay due until they have looked themselves. One whose
    /// reminders nobody could be shown sleeps on.
    fn rouse(&mut self, now: Timestamp, me: &ActorRef<Self>) {
        let waking = self.spaces.values().filter(|state| matches!(state, State::Waking { .. })).count();
        let (bells, wakes) = (&self.parts.bells, &self.parts.wakes);
        let of_use = |space: &SpaceId| bells.present(space) || wakes.retries(space, now);
        let due: Vec<SpaceId> = wakes
            .due(now)
            .into_iter()
            .filter(|space| !self.spaces.contains_key(space) && of_use(space))
            .take(ROUSED_MAX.saturating_sub(waking))
            .collect();
        for space in due {
            if self.stopping || self.make_room(me).is_err() {
                return;
            }
            self.start_waking(&space, Vec::new(), me.clone());
        }
    }

    /// Tells those who wait once no space is awake, waking or falling asleep.
    fn settle(&mut self) {
        if self.stopping
            && self.spaces.values().all(|state| matches!(state, State::Resting { closing: false, .. }))
        {
            for waiter in self.farewell.drain(..) {
                waiter.send(());
            }
        }
    }

    /// A space whose actors were given up rests; it may wake again once its file is closed.
    fn rest(&mut self, space: &SpaceId, reason: String, family: Arc<Family>, me: ActorRef<Self>) {
        tracing::error!(%space, reason, "space gave up after repeated crashes and rests");
        self.parts.mishaps.note(Some(space), format!("rests after repeated crashes: {reason}"));
        let times = self.broken.entry(space.clone()).or_insert(0);
        *times = times.saturating_add(1);
        let span = REST_FIRST.as_millis().saturating_mul(1 << (*times - 1).min(6)).min(REST_MAX.as_millis());
        let until = self.parts.clock.now() + Span::from_millis(span);
        let resting = State::Resting { until, reason, closing: true, waiters: Vec::new() };
        self.spaces.insert(space.clone(), resting);
        let space = space.clone();
        drop(tokio::spawn(async move {
            family.stop().await;
            drop(family);
            let _ = me.tell(Closed { space }).await;
        }));
    }

    /// Wakes a space again for those who came while its file was still open, unless all shall sleep.
    fn serve_late(&mut self, space: &SpaceId, waiters: Vec<Waiter>, me: ActorRef<Self>) {
        if self.stopping {
            for waiter in waiters {
                waiter.send(Err(RuntimeError::Stopping));
            }
        } else if !waiters.is_empty() {
            self.start_waking(space, waiters, me);
        }
    }
}

impl Message<Wake> for Directory {
    type Reply = DelegatedReply<Result<SpacePorts, RuntimeError>>;

    async fn handle(&mut self, Wake { space }: Wake, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let (delegated, waiter) = ctx.reply_sender();
        if let Some(State::Lent { wanted, .. }) = self.spaces.get(&space) {
            wanted.set();
        }
        if let Some(waiter) = waiter {
            self.answer_wake(space, waiter, ctx.actor_ref().clone());
        }
        delegated
    }
}

impl Message<Woken> for Directory {
    type Reply = ();

    async fn handle(&mut self, Woken { space, result }: Woken, ctx: &mut Context<Self, ()>) {
        let Some(State::Waking { waiters, broke }) = self.spaces.remove(&space) else { return };
        match (result, broke) {
            (Ok(family), None) => {
                for waiter in waiters {
                    waiter.send(Ok(family.ports().clone()));
                }
                self.spaces.insert(space.clone(), State::Awake { family, used_at: self.parts.clock.now() });
                self.tell(&space, EventKind::SpaceWoken);
                self.rouse(self.parts.clock.now(), ctx.actor_ref());
                if self.stopping {
                    self.start_sleeping(&space, ctx.actor_ref().clone());
                }
            }
            (Ok(family), Some(reason)) => {
                for waiter in waiters {
                    waiter.send(Err(RuntimeError::Unavailable(reason.clone())));
                }
                self.rest(&space, reason, family, ctx.actor_ref().clone());
            }
            (Err(error), _) => {
                tracing::warn!(%space, %error, "space could not be woken");
                self.parts.mishaps.note(Some(&space), format!("could not be woken: {error}"));
                for waiter in waiters {
                    waiter.send(Err(error.clone()));
                }
            }
        }
        self.settle();
    }
}

impl Message<Slept> for Directory {
    type Reply = ();

    async fn handle(&mut self, Slept { space }: Slept, ctx: &mut Context<Self, ()>) {
        let Some(State::Sleeping(waiters)) = self.spaces.remove(&space) else { return };
        self.broken.remove(&space);
        self.tell(&space, EventKind::SpaceAsleep);
        self.serve_late(&space, waiters, ctx.actor_ref().clone());
        // Its time may have come while it fell asleep.
        self.rouse(self.parts.clock.now(), ctx.actor_ref());
        self.settle();
    }
}

impl Message<Closed> for Directory {
    type Reply = ();

    async fn handle(&mut self, Closed { space }: Closed, ctx: &mut Context<Self, ()>) {
        if let Some(State::Resting { closing, waiters, .. }) = self.spaces.get_mut(&space) {
            *closing = false;
            let waiters = std::mem::take(waiters);
            self.tell(&space, EventKind::SpaceAsleep);
            self.serve_late(&space, waiters, ctx.actor_ref().clone());
        }
        self.settle();
    }
}

impl Message<Broke> for Directory {
    type Reply = ();

    async fn handle(&mut self, Broke { space, reason }: Broke, ctx: &mut Context<Self, ()>) {
        match self.spaces.get_mut(&space) {
            Some(State::Awake { family, .. }) => {
                let family = Arc::clone(family);
                self.rest(&space, reason, family, ctx.actor_ref().clone());
            }
            Some(State::Waking { broke, .. }) => *broke = Some(reason),
            // It stops already; what it had not acknowledged was not promised.
            Some(State::Sleeping(_) | State::Lent { .. } | State::Resting { .. }) | None => {}
        }
    }
}

impl Message<Tick> for Directory {
    type Reply = ();

    async fn handle(&mut self, Tick { now }: Tick, ctx: &mut Context<Self, ()>) {
        let idle = Span::from_seconds(i64::try_from(self.config.sleep_after_seconds).unwrap_or(i64::MAX));
        let mut tired = Vec::new();
        for (space, state) in &self.spaces {
            if let State::Awake { family, used_at } = state {
                if now.since(*used_at) >= idle {
                    tired.push(space.clone());
                } else {
                    family.tick(now);
                }
            }
        }
        for space in tired {
            self.start_sleeping(&space, ctx.actor_ref().clone());
        }
        self.rouse(now, ctx.actor_ref());
    }
}

impl Message<FinishTurns> for Directory {
    type Reply = DelegatedReply<()>;

    async fn handle(&mut self, _: FinishTurns, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let awake = self.spaces.values().filter_map(|state| match state {
            State::Awake { family, .. } => Some(Arc::clone(family)),
            _ => None,
        });
        let awake: Vec<Arc<Family>> = awake.collect();
        ctx.spawn(async move {
            let mut finishing = tokio::task::JoinSet::new();
            for family in awake {
                finishing.spawn(async move { family.finish_turns().await });
            }
            while finishing.join_next().await.is_some() {}
        })
    }
}

impl Message<SleepAll> for Directory {
    type Reply = DelegatedReply<()>;

    async fn handle(&mut self, _: SleepAll, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        self.stopping = true;
        let spaces: Vec<SpaceId> = self.spaces.keys().cloned().collect();
        for space in &spaces {
            if let Some(State::Lent { wanted, .. }) = self.spaces.get(space) {
                wanted.set();
            }
            self.start_sleeping(space, ctx.actor_ref().clone());
        }
        let (delegated, waiter) = ctx.reply_sender();
        self.farewell.extend(waiter);
        self.settle();
        delegated
    }
}

/// A space in a census, and its actors while it is awake.
pub(crate) struct Counted {
    pub(crate) health: SpaceHealth,
    pub(crate) family: Option<Arc<Family>>,
}

/// A census; the Directory never waits, so that each family is examined by who asked.
#[derive(kameo::Reply)]
pub(crate) struct Counting(pub(crate) Vec<Counted>);

impl Message<Census> for Directory {
    type Reply = Counting;

    async fn handle(&mut self, _: Census, _: &mut Context<Self, Counting>) -> Counting {
        let count = |(space, state): (&SpaceId, &State)| {
            let (state, used_at, family) = match state {
                State::Waking { .. } => ("waking".to_owned(), None, None),
                State::Awake { family, used_at } => {
                    ("awake".to_owned(), Some(*used_at), Some(Arc::clone(family)))
                }
                State::Sleeping(_) => ("falling asleep".to_owned(), None, None),
                State::Lent { .. } => ("asleep, being copied".to_owned(), None, None),
                State::Resting { reason, .. } => (format!("resting: {reason}"), None, None),
            };
            let health = SpaceHealth { space: space.clone(), state, used_at, actors: Vec::new() };
            Counted { health, family }
        };
        let mut counted: Vec<Counted> = self.spaces.iter().map(count).collect();
        counted.sort_by(|a, b| a.health.space.cmp(&b.health.space));
        Counting(counted)
    }
}

impl Message<TakeVitals> for Directory {
    type Reply = Vitals;

    async fn handle(&mut self, _: TakeVitals, _: &mut Context<Self, Vitals>) -> Vitals {
        let moving = |state: &&State| matches!(state, State::Waking { .. } | State::Sleeping(_));
        Vitals { in_flight: self.spaces.values().filter(moving).count(), ..Vitals::default() }
    }
}
