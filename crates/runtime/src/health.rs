//! How the process is: its actors, its spaces, and what went wrong lately.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bethink_domain::{SpaceId, Timestamp};
use bethink_protocol::{TakeVitals, Vitals};
use kameo::Actor;
use kameo::actor::ActorRef;
use kameo::message::Message;

use crate::extension::ExtensionHealth;
use crate::mishaps::Mishap;
use crate::schedule::BackupHealth;

/// How long an actor may take to say how it is. One that is well answers in microseconds.
const VITALS_WAIT: Duration = Duration::from_millis(500);

/// How a process is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// Since when it runs.
    pub started_at: Timestamp,
    /// Actors of the process.
    pub actors: Vec<ActorHealth>,
    /// Extensions, of the process and of spaces that are awake.
    pub extensions: Vec<ExtensionHealth>,
    /// Spaces that are awake, on the way there or back, or rest after crashes; by name.
    pub spaces: Vec<SpaceHealth>,
    /// Backups by the clock, where they are configured.
    pub backup: Option<BackupHealth>,
    /// What went wrong lately, newest first.
    pub mishaps: Vec<Mishap>,
}

/// How a space is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpaceHealth {
    /// Which.
    pub space: SpaceId,
    /// `waking`, `awake`, `falling asleep`, or why it rests.
    pub state: String,
    /// When it was last asked for, while awake.
    pub used_at: Option<Timestamp>,
    /// Its actors, while awake.
    pub actors: Vec<ActorHealth>,
}

/// How an actor is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActorHealth {
    /// What it is called.
    pub name: String,
    /// `well`, `silent` when it does not say how it is, or `stopped`.
    pub state: &'static str,
    /// Messages and things that wait for it.
    pub waiting: usize,
    /// Things that it works on.
    pub in_flight: usize,
    /// How often it was built again after a crash.
    pub restarts: u32,
    /// What takes it long or is not as it should be, in words.
    pub doing: Option<String>,
}

/// How often an actor was built. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Builds(Arc<AtomicU32>);

impl Builds {
    pub(crate) fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn restarts(&self) -> u32 {
        self.0.load(Ordering::Relaxed).saturating_sub(1)
    }
}

/// Asks an actor how it is.
pub(crate) async fn examine<A>(name: &str, actor: &ActorRef<A>, builds: &Builds) -> ActorHealth
where
    A: Actor + Message<TakeVitals, Reply = Vitals>,
{
    let mailbox = actor.mailbox_sender();
    let queued = mailbox.max_capacity().zip(mailbox.capacity()).map_or(0, |(max, free)| max - free);
    let health = |state, vitals: Vitals| ActorHealth {
        name: name.to_owned(),
        state,
        waiting: queued + vitals.waiting,
        in_flight: vitals.in_flight,
        restarts: builds.restarts(),
        doing: vitals.doing,
    };
    let idle = Vitals::default();
    if !actor.is_alive() {
        return health("stopped", idle);
    }
    match tokio::time::timeout(VITALS_WAIT, actor.ask(TakeVitals).send()).await {
        Ok(Ok(vitals)) => health("well", vitals),
        Ok(Err(_)) | Err(_) => health("silent", idle),
    }
}
