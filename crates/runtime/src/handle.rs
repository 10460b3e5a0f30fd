//! What the outside holds of a running Bethink.

use std::sync::Arc;
use std::time::Duration;

use bethink_domain::{EmbedderIdentity, SpaceId, Timestamp, TraceId, TurnId, UnitVector};
use bethink_memory_store::{Holding, Manifest};
use bethink_protocol::{EmbedPort, Offload, Tick, offload};
use bethink_providers::Embedder;
use kameo::actor::{ActorRef, ReplyRecipient};
use kameo::reply::ReplyError;

use crate::backup::Backups;
use crate::bells::Bells;
use crate::config::RuntimeConfig;
use crate::datadir::DataDir;
use crate::directory::{Census, Counted, Directory, FinishTurns, SleepAll};
use crate::error::RuntimeError;
use crate::extension::{Board, ExtensionHealth, Running, drain_all};
use crate::family::SpacePorts;
use crate::health::{Builds, Health, SpaceHealth, examine};
use crate::mishaps::Mishaps;
use crate::pool::BlockingPool;
use crate::ports::{Access, AskError, Ports};
use crate::schedule::Schedule;
use crate::start::Root;
use crate::wakes::Wakes;

/// A running Bethink. Dropping it without [`Handle::shutdown`] loses nothing that was acknowledged.
pub struct Handle {
    pub(crate) root: ActorRef<Root>,
    pub(crate) directory: ActorRef<Directory>,
    pub(crate) access: Access,
    pub(crate) embedder: ActorRef<Embedder>,
    /// How often embedder and Directory were built.
    pub(crate) builds: [Builds; 2],
    pub(crate) config: RuntimeConfig,
    pub(crate) data_dir: DataDir,
    pub(crate) wakes: Wakes,
    pub(crate) bells: Bells,
    pub(crate) backups: Backups,
    /// The configured embedder, if it makes vectors.
    pub(crate) identity: Option<EmbedderIdentity>,
    pub(crate) blocking: Arc<dyn Offload>,
    /// Backups by the clock, and what ends them.
    pub(crate) schedule: Option<(Schedule, tokio::task::AbortHandle)>,
    /// Sees to what lies beside the spaces.
    pub(crate) beside: tokio::task::JoinHandle<()>,
    pub(crate) ticker: tokio::task::AbortHandle,
    pub(crate) extensions: Vec<Running>,
    pub(crate) board: Board,
    pub(crate) mishaps: Mishaps,
    pub(crate) started_at: Timestamp,
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handle").field("data_dir", &self.data_dir).finish_non_exhaustive()
    }
}

impl Handle {
    /// The time, by the runtime's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.access.clock.now()
    }

    /// How long shutdown waits for what was begun.
    #[must_use]
    pub fn patience(&self) -> Duration {
        self.config.shutdown()
    }

    /// Whether memory is switched on.
    #[must_use]
    pub fn remembers(&self) -> bool {
        self.access.remembers
    }

    /// The owned data directory.
    #[must_use]
    pub fn data_dir(&self) -> &DataDir {
        &self.data_dir
    }

    /// Wakes a space if need be and gives its ports. They go stale when the space falls asleep; [`Handle::ask`] renews
    /// them by itself.
    ///
    /// # Errors
    /// Why the space can't be woken.
    pub async fn space(&self, space: &SpaceId) -> Result<SpacePorts, RuntimeError> {
        self.access.space(space).await
    }

    /// Asks an actor of a space, waking it if need be. If it fell asleep or was restarted just now, asks once more.
    ///
    /// # Errors
    /// That the space is not there, or what the actor refused with.
    pub async fn ask<M, T, E>(
        &self,
        space: &SpaceId,
        port: fn(&SpacePorts) -> &ReplyRecipient<M, T, E>,
        message: M,
    ) -> Result<T, AskError<E>>
    where
        M: Clone + Send + 'static,
        T: Send + 'static,
        E: ReplyError,
    {
        self.access.ask(space, port, message).await
    }

    /// The meaning of a cue; none when the embedder can't say, so that words alone decide.
    pub async fn embed_cue(&self, cue: &str) -> Option<UnitVector> {
        self.access.embed_cue(cue).await
    }

    /// Where vectors come from.
    #[must_use]
    pub fn embed_port(&self) -> &EmbedPort {
        &self.access.embed
    }

    /// Strikes the timer now; for simulation and tests.
    pub async fn tick(&self) {
        let _ = self.directory.tell(Tick { now: self.access.clock.now() }).await;
    }

    /// Which spaces are awake, and in what state.
    pub async fn census(&self) -> Vec<SpaceHealth> {
        self.count().await.into_iter().map(|counted| counted.health).collect()
    }

    /// Most spaces that may be awake at once.
    #[must_use]
    pub fn awake_max(&self) -> usize {
        self.config.awake_max
    }

    /// The spaces that have a file. Wakes none.
    ///
    /// # Errors
    /// That the data directory can't be read.
    pub async fn spaces(&self) -> Result<Vec<SpaceId>, RuntimeError> {
        let dir = self.data_dir.path().to_owned();
        let blocking: Arc<dyn Offload> = Arc::new(BlockingPool);
        let found = offload(&blocking, move || bethink_memory_store::spaces_on_disk(&dir)).await;
        found.map_err(|_| RuntimeError::Stopping)?.map_err(|error| RuntimeError::Data(error.to_string()))
    }

    /// How the process is. An actor that does not answer within half a second is `silent`.
    pub async fn health(&self) -> Health {
        let [embedder, directory] = &self.builds;
        let (embedder, directory, counted) = tokio::join!(
            examine("embedder", &self.embedder, embedder),
            examine("directory", &self.directory, directory),
            self.count(),
        );
        let mut examined = tokio::task::JoinSet::new();
        for Counted { health, family } in counted {
            examined.spawn(async move {
                let actors = match family {
                    Some(family) => family.examine().await,
                    None => Vec::new(),
                };
                SpaceHealth { actors, ..health }
            });
        }
        let mut spaces = examined.join_all().await;
        spaces.sort_by(|a, b| a.space.cmp(&b.space));
        Health {
            started_at: self.started_at,
            actors: vec![directory, embedder],
            extensions: self.extensions(),
            spaces,
            backup: self.schedule.as_ref().map(|(schedule, _)| schedule.health()),
            mishaps: self.mishaps.newest(),
        }
    }

    /// Who can be shown reminders at their time.
    #[must_use]
    pub fn bells(&self) -> &Bells {
        &self.bells
    }

    /// Spaces, asleep or awake, in which a reminder waits for an event.
    #[must_use]
    pub fn waiting_for(&self, event: &str) -> Vec<SpaceId> {
        self.wakes.waiting_for(|name| bethink_reminders::same_event(name, event))
    }

    /// When something comes due next after now, in any space.
    #[must_use]
    pub fn next_due(&self) -> Option<Timestamp> {
        self.wakes.next(self.now())
    }

    /// Where mishaps are kept.
    #[must_use]
    pub fn mishaps(&self) -> &Mishaps {
        &self.mishaps
    }

    /// Copies every space into a new backup at an absolute path, while all of them are in use. Sleeping spaces go on
    /// sleeping. A space that can't be read is left out, and the manifest says so.
    ///
    /// # Errors
    /// [`RuntimeError::Setup`] when something is there already, [`RuntimeError::Unwritable`] when it can't be written,
    /// [`RuntimeError::Unavailable`] when another backup is being made.
    pub async fn backup(&self, target: &std::path::Path) -> Result<Manifest, RuntimeError> {
        self.backups.make(target, self.now()).await
    }

    /// Known backups that hold one of these traces or turns of a space.
    pub async fn backups_holding(
        &self,
        space: &SpaceId,
        traces: Vec<TraceId>,
        turns: Vec<TurnId>,
    ) -> Vec<Holding> {
        self.backups.holding(space, traces, turns).await
    }

    async fn count(&self) -> Vec<Counted> {
        self.directory.ask(Census).await.map(|counting| counting.0).unwrap_or_default()
    }

    /// How the extensions are: those of the process, and of the spaces that are awake.
    #[must_use]
    pub fn extensions(&self) -> Vec<ExtensionHealth> {
        self.board.health()
    }

    /// The ways in, as an extension has them.
    #[must_use]
    pub fn ports(&self) -> Ports {
        // What happens is heard until the end of the shutdown.
        Ports::new("library".into(), self.access.clone(), None, self.access.events.over().clone())
    }

    /// Finishes turns in flight, lets extensions do what they have accepted, commits, and puts every space to sleep, within the configured deadline.
    ///
    /// # Errors
    /// That the deadline passed; what was acknowledged is durable all the same.
    pub async fn shutdown(self: Arc<Self>) -> Result<(), RuntimeError> {
        self.ticker.abort();
        if let Some((_, ends)) = &self.schedule {
            // One that is being made stays incomplete, and the next one clears it away.
            ends.abort();
        }
        // Extensions hear of the last turns, and can still remember something; what they need of the time leaves enough
        // for the spaces to close.
        let half = self.config.shutdown() / 2;
        let _ = tokio::time::timeout(half, self.directory.ask(FinishTurns).send()).await;
        drain_all(&self.extensions, half).await;
        let asleep = tokio::time::timeout(self.config.shutdown(), self.directory.ask(SleepAll).send()).await;
        let _ = self.directory.stop_gracefully().await;
        let _ = self.root.stop_gracefully().await;
        self.wakes.close();
        self.access.events.close();
        while !self.beside.is_finished() {
            // It hears what was told before, which is quick; nobody else is left to be kept waiting.
            tokio::task::yield_now().await;
        }
        match asleep {
            Ok(_) => Ok(()),
            Err(_) => {
                Err(RuntimeError::Unavailable("not everything was finished within the deadline".to_owned()))
            }
        }
    }
}
