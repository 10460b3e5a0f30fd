//! What extensions and library users reach Bethink by.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bethink_clock::Clock;
use bethink_domain::{
    Cue, Draft, RecallMode, Recollection, SessionId, SpaceId, Timestamp, TraceId, UnitVector,
};
use bethink_protocol::{
    Converse, ConverseError, Embed, EmbedError, EmbedPort, Embedded, EventBus, Events, Forget, ForgetReceipt,
    Heard, LetGo, MemoryError, Raise, Recall, Remember, Remembered, ReminderError, TurnStream, Urgency,
};
use kameo::actor::{ActorRef, ReplyRecipient, WeakActorRef};
use kameo::error::SendError;
use kameo::message::Message;
use kameo::prelude::Actor;
use kameo::reply::ReplyError;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::directory::{Directory, Wake};
use crate::error::RuntimeError;
use crate::family::SpacePorts;

/// How long a caller waits for a space to wake. A large space takes seconds.
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

/// What it takes to reach every space of a runtime. Does not keep it running.
#[derive(Clone)]
pub(crate) struct Access {
    pub(crate) directory: WeakActorRef<Directory>,
    pub(crate) embed: EmbedPort,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) events: EventBus,
    /// Memory is switched on.
    pub(crate) remembers: bool,
}

impl Access {
    pub(crate) async fn space(&self, space: &SpaceId) -> Result<SpacePorts, RuntimeError> {
        let directory = self.directory.upgrade().ok_or(RuntimeError::Stopping)?;
        let reply = directory.ask(Wake { space: space.clone() }).reply_timeout(WAKE_TIMEOUT).await;
        reply.map_err(|error| match error {
            SendError::HandlerError(error) => error,
            SendError::Timeout(_) => RuntimeError::Unavailable(format!("{space} takes too long to wake")),
            _ => RuntimeError::Stopping,
        })
    }

    pub(crate) async fn ask<M, T, E>(
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
        once(space, port(&ports), again).await
    }

    pub(crate) async fn embed_cue(&self, cue: &str) -> Option<UnitVector> {
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
}

async fn once<M, T, E>(space: &SpaceId, port: &ReplyRecipient<M, T, E>, message: M) -> Result<T, AskError<E>>
where
    M: Send + 'static,
    T: Send + 'static,
    E: ReplyError,
{
    match port.ask(message).await {
        Ok(reply) => Ok(reply),
        Err(SendError::HandlerError(error)) => Err(AskError::Refused(error)),
        Err(error) => Err(lost(space, &error)),
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

/// The ways into Bethink for an extension, or for a program that uses it as a library. Clones are the same ports.
///
/// Every call is bounded by the limits of the actor that answers. None of those actors ever waits for an extension, so an
/// extension may await these calls in its handlers; only a turn that calls a tool of the same extension must not be
/// waited for there (spawn a task for that).
#[derive(Clone)]
pub struct Ports {
    inner: Arc<Inner>,
}

struct Inner {
    name: Arc<str>,
    access: Access,
    /// The space with which it lives.
    home: Option<(SpaceId, SpacePorts)>,
    /// Set when it shall come to an end.
    over: CancellationToken,
    listening: Mutex<Option<JoinHandle<()>>>,
}

impl std::fmt::Debug for Ports {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ports").field("name", &self.inner.name).field("home", &self.home()).finish()
    }
}

impl Ports {
    pub(crate) fn new(
        name: Arc<str>,
        access: Access,
        home: Option<(SpaceId, SpacePorts)>,
        over: CancellationToken,
    ) -> Self {
        Self { inner: Arc::new(Inner { name, access, home, over, listening: Mutex::default() }) }
    }

    /// Whose ports these are: the extension's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The space that the extension lives with; none when it lives with the process.
    #[must_use]
    pub fn home(&self) -> Option<&SpaceId> {
        self.inner.home.as_ref().map(|(space, _)| space)
    }

    /// The time, by the runtime's clock. Take it from here, so that tests can set it.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.inner.access.clock.now()
    }

    /// Recalls by a cue; its meaning is added where it has none. [`RecallMode::Observe`] changes nothing in memory.
    ///
    /// # Errors
    /// That the space is not there, or what memory refused with.
    pub async fn recall(
        &self,
        space: &SpaceId,
        mut cue: Cue,
        mode: RecallMode,
    ) -> Result<Recollection, AskError<MemoryError>> {
        self.switched_on()?;
        if cue.embedding.is_none() {
            cue.embedding = self.inner.access.embed_cue(&cue.text).await;
        }
        self.ask(space, |ports| &ports.memory.recall, Recall { cue, mode }).await
    }

    /// Remembers something. The answer means that it is on disk and findable. Secrets in it are masked.
    ///
    /// # Errors
    /// That the space is not there, or what memory refused with.
    pub async fn remember(&self, space: &SpaceId, draft: Draft) -> Result<Remembered, AskError<MemoryError>> {
        self.switched_on()?;
        self.ask(space, |ports| &ports.memory.remember, Remember { draft, at: self.now() }).await
    }

    /// Deletes a trace for ever, with what rests on it alone. Only because a person asked.
    ///
    /// # Errors
    /// That the space is not there, or what memory refused with.
    pub async fn forget(&self, space: &SpaceId, id: TraceId) -> Result<ForgetReceipt, AskError<MemoryError>> {
        let forget = Forget { id, at: self.now(), rehearse: false };
        let receipt = self.ask(space, |ports| &ports.memory.forget, forget).await?;
        let traces = receipt.traces.iter().map(|(id, _)| *id).collect();
        let ports = self.at(space).await?;
        // An executor that is not running has nothing in mind.
        let _ = ports.let_go.tell(LetGo { traces, turns: receipt.turns.clone() }).await;
        Ok(receipt)
    }

    /// Says something to the agent, and gives its reply as it comes.
    ///
    /// # Errors
    /// That the space is not there, or why the message is not answered.
    pub async fn converse(
        &self,
        space: &SpaceId,
        session: SessionId,
        message: impl Into<String>,
    ) -> Result<TurnStream, AskError<ConverseError>> {
        let message =
            Converse { session, message: message.into(), at: self.now(), private: false, zone: None };
        self.ask(space, |ports| &ports.converse, message).await
    }

    /// Tells that something happened that reminders of a space may wait for, such as `deploy.finished`; how many it made due.
    ///
    /// # Errors
    /// That the space is not there, or why its reminders could not be changed.
    pub async fn raise(&self, space: &SpaceId, event: &str) -> Result<usize, AskError<ReminderError>> {
        let raise = Raise { event: event.to_owned(), at: self.now() };
        self.ask(space, |ports| &ports.reminders.raise, raise).await
    }

    /// Turns texts into vectors of meaning, behind the turns that wait for theirs.
    ///
    /// # Errors
    /// Why no vectors came.
    pub async fn embed(&self, texts: Vec<String>) -> Result<Embedded, EmbedError> {
        let request = Embed { texts, urgency: Urgency::Import };
        match self.inner.access.embed.ask(request).await {
            Ok(embedded) => Ok(embedded),
            Err(SendError::HandlerError(error)) => Err(error),
            Err(_) => Err(EmbedError::Unavailable),
        }
    }

    /// Asks an actor of a space through the port that `port` chooses, waking the space if need be.
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
        match self.own(space) {
            Some(ports) => once(space, port(ports), message).await,
            None => self.inner.access.ask(space, port, message).await,
        }
    }

    /// What happens from now on, until the extension shall come to an end. Follow it in a task of your own; an actor
    /// has it easier with [`Ports::listen`].
    #[must_use]
    pub fn events(&self) -> Events {
        self.inner.access.events.listen_until(&self.inner.over)
    }

    /// Sends what happens to an actor, an event at a time; call it in `on_start`. It goes on over restarts of the actor:
    /// only the event over which it crashed is lost. An actor that is too slow hears how many events it missed. The second
    /// call changes nothing.
    pub fn listen<A: Actor + Message<Heard>>(&self, actor: &ActorRef<A>) {
        let mut listening = self.inner.listening.lock().unwrap_or_else(PoisonError::into_inner);
        if listening.as_ref().is_some_and(|task| !task.is_finished()) {
            return;
        }
        let (mut events, actor) = (self.events(), actor.clone());
        *listening = Some(tokio::spawn(async move {
            // What is sent to an actor that still starts can be lost.
            actor.wait_for_startup().await;
            while let Some(heard) = events.next().await {
                // Asked, not told, so that the events that wait stay out of the mailbox: a crash would take them, and they
                // would be in the way of other messages.
                match actor.ask(heard).send().await {
                    Ok(_) => {}
                    Err(SendError::ActorNotRunning(_)) => return,
                    Err(_) if !actor.is_alive() => return,
                    Err(_) => tracing::warn!("an extension could not handle an event"),
                }
            }
        }));
    }

    pub(crate) fn over(&self) -> &CancellationToken {
        &self.inner.over
    }

    /// The task that sends what happens, if there is one.
    pub(crate) fn take_listening(&self) -> Option<JoinHandle<()>> {
        self.inner.listening.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// What belongs to the space that it lives with is asked directly: when the space falls asleep, its extensions may
    /// still finish what they have begun.
    fn own(&self, space: &SpaceId) -> Option<&SpacePorts> {
        self.inner.home.as_ref().filter(|(home, _)| home == space).map(|(_, ports)| ports)
    }

    async fn at(&self, space: &SpaceId) -> Result<SpacePorts, RuntimeError> {
        match self.own(space) {
            Some(ports) => Ok(ports.clone()),
            None => self.inner.access.space(space).await,
        }
    }

    fn switched_on(&self) -> Result<(), AskError<MemoryError>> {
        if self.inner.access.remembers {
            return Ok(());
        }
        Err(AskError::Refused(MemoryError::Invalid(
            "memory is switched off (`enabled` under `[memory]`)".to_owned(),
        )))
    }
}
