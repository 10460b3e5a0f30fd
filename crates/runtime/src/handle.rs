//! What the outside holds of a running Bethink.

use std::sync::Arc;
use std::time::Duration;

use bethink_clock::Clock;
use bethink_domain::{SpaceId, Timestamp, UnitVector};
use bethink_protocol::{Embed, EmbedPort, Tick, Urgency};
use kameo::actor::{ActorRef, ReplyRecipient};
use kameo::error::SendError;
use kameo::reply::ReplyError;

use crate::config::RuntimeConfig;
use crate::datadir::DataDir;
use crate::directory::{Census, Directory, SleepAll, SpaceHealth, Wake};
use crate::error::RuntimeError;
use crate::family::SpacePorts;
use crate::start::Root;
use crate::wakes::Wakes;

/// How long a door waits for a space to wake. A large space takes seconds.
const WAKE_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a recall outside a turn waits for its cue's vector before it goes by words alone.
const EMBED_TIMEOUT: Duration = Duration::from_secs(30);

/// Why a message got no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AskError<E> {
    /// The space is not there to answer.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// It answered that it can't.
    #[error("{0}")]
    Refused(E),
}

/// A running Bethink. Dropping it without [`Handle::shutdown`] loses nothing that was acknowledged.
pub struct Handle {
    pub(crate) root: ActorRef<Root>,
    pub(crate) directory: ActorRef<Directory>,
    pub(crate) embed: EmbedPort,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) config: RuntimeConfig,
    pub(crate) remembers: bool,
    pub(crate) data_dir: DataDir,
    pub(crate) wakes: Wakes,
    pub(crate) ticker: tokio::task::AbortHandle,
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
        self.clock.now()
    }

    /// Whether memory is switched on.
    #[must_use]
    pub fn remembers(&self) -> bool {
        self.remembers
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
        let reply = self.directory.ask(Wake { space: space.clone() }).reply_timeout(WAKE_TIMEOUT).await;
        reply.map_err(|error| match error {
            SendError::HandlerError(error) => error,
            SendError::Timeout(_) => RuntimeError::Unavailable(format!("{space} takes too long to wake")),
            _ => RuntimeError::Stopping,
        })
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
        let ports = self.space(space).await?;
        let again = match port(&ports).ask(message.clone()).await {
            Ok(reply) => return Ok(reply),
            Err(SendError::HandlerError(error)) => return Err(AskError::Refused(error)),
            // Not begun: it may be sent again. `ActorStopped` is not among these: the message may have been acted on.
            Err(SendError::ActorNotRunning(message) | SendError::ActorRestarting(message)) => message,
            Err(error) => return Err(lost(space, &error)),
        };
        let ports = self.space(space).await?;
        match port(&ports).ask(again).await {
            Ok(reply) => Ok(reply),
            Err(SendError::HandlerError(error)) => Err(AskError::Refused(error)),
            Err(error) => Err(lost(space, &error)),
        }
    }

    /// The meaning of a cue; none when the embedder can't say, so that words alone decide.
    pub async fn embed_cue(&self, cue: &str) -> Option<UnitVector> {
        let request = Embed { texts: vec![cue.to_owned()], urgency: Urgency::Turn };
        match tokio::time::timeout(EMBED_TIMEOUT, self.embed.ask(request)).await {
            Ok(Ok(embedded)) => embedded.vectors.into_iter().next().flatten(),
            Ok(Err(error)) => {
                tracing::warn!(%error, "cue could not be embedded");
                None
            }
            Err(_) => None,
        }
    }

    /// Where vectors come from.
    #[must_use]
    pub fn embed_port(&self) -> &EmbedPort {
        &self.embed
    }

    /// Strikes the timer now; for simulation and tests.
    pub async fn tick(&self) {
        let _ = self.directory.tell(Tick { now: self.clock.now() }).await;
    }

    /// Which spaces are awake, and in what state.
    pub async fn census(&self) -> Vec<SpaceHealth> {
        self.directory.ask(Census).await.unwrap_or_default()
    }

    /// Finishes turns in flight, commits, and puts every space to sleep, within the configured deadline.
    ///
    /// # Errors
    /// That the deadline passed; what was acknowledged is durable all the same.
    pub async fn shutdown(self: Arc<Self>) -> Result<(), RuntimeError> {
        self.ticker.abort();
        let asleep = tokio::time::timeout(self.config.shutdown(), self.directory.ask(SleepAll).send()).await;
        let _ = self.directory.stop_gracefully().await;
        let _ = self.root.stop_gracefully().await;
        self.wakes.close();
        match asleep {
            Ok(_) => Ok(()),
            Err(_) => {
                Err(RuntimeError::Unavailable("not everything was finished within the deadline".to_owned()))
            }
        }
    }
}

fn lost<M, E, F>(space: &SpaceId, error: &SendError<M, E>) -> AskError<F> {
    let reason = match error {
        SendError::Timeout(_) => "gave no answer in time",
        SendError::MailboxFull(_) => "has too many messages waiting",
        _ => "stopped before it answered; what it had not confirmed may not be stored",
    };
    AskError::Runtime(RuntimeError::Unavailable(format!("{space} {reason}")))
}
