//! What a program holds of a running Bethink.

use std::sync::{Arc, Mutex, PoisonError};

use bethink_domain::{
    AgentName, Cue, Draft, DueReminder, RecallMode, Recollection, SessionId, SpaceId, TraceId, TurnId,
    UserName,
};
use bethink_protocol::{ConverseError, Durable, Events, ForgetReceipt, Remembered, TurnEvent, TurnStream};
use bethink_runtime::{ExtensionHealth, Ports, SpaceHealth};
use futures_util::Stream;

use crate::error::Error;

/// What lets other processes in, for as long as it is kept.
pub(crate) type Guard = Box<dyn Send + Sync>;

/// A running Bethink, and one conversation with it. Clones are the same conversation; [`Handle::with`] begins another
/// one.
#[derive(Clone)]
pub struct Handle {
    shared: Arc<Shared>,
    space: SpaceId,
    session: SessionId,
}

struct Shared {
    runtime: Arc<bethink_runtime::Handle>,
    ports: Ports,
    guard: Mutex<Option<Guard>>,
    entropy: bethink_clock::Entropy,
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handle").field("space", &self.space).field("session", &self.session).finish()
    }
}

/// How a running Bethink is.
#[derive(Debug, Clone, PartialEq)]
pub struct Health {
    /// Spaces that are awake, on the way there or back, or rest after crashes.
    pub spaces: Vec<SpaceHealth>,
    /// Extensions of the process, and of the spaces that are awake.
    pub extensions: Vec<ExtensionHealth>,
}

/// A finished reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The turn.
    pub turn: TurnId,
    /// All its words.
    pub text: String,
    /// Whether the turn will still be known tomorrow, and which traces it encoded.
    pub durable: Durable,
    /// Traces that the reply used.
    pub used: Vec<TraceId>,
    /// Reminders that came due before it. Whoever shows them says so with [`Attend`](bethink_protocol::Attend); else they
    /// come again.
    pub due: Vec<DueReminder>,
}

impl Handle {
    pub(crate) fn new(
        runtime: bethink_runtime::Handle,
        space: SpaceId,
        entropy: bethink_clock::Entropy,
        open: impl FnOnce(Arc<bethink_runtime::Handle>) -> Result<Option<Guard>, Error>,
    ) -> Result<Self, Error> {
        let (ports, runtime) = (runtime.ports(), Arc::new(runtime));
        let guard = Mutex::new(open(Arc::clone(&runtime))?);
        let session = session(&ports, entropy, &space, 0);
        Ok(Self { shared: Arc::new(Shared { runtime, ports, guard, entropy }), space, session })
    }

    /// A new conversation, as this agent with this user.
    ///
    /// # Errors
    /// A name that nobody can have.
    pub fn with(&self, agent: &str, user: &str) -> Result<Self, Error> {
        let space = SpaceId { agent: AgentName::new(agent)?, user: UserName::new(user)? };
        let session = session(&self.shared.ports, self.shared.entropy, &space, self.session.raw());
        Ok(Self { shared: Arc::clone(&self.shared), space, session })
    }

    /// Whose memory it is.
    #[must_use]
    pub fn space(&self) -> &SpaceId {
        &self.space
    }

    /// Says something, and gives the reply as it comes.
    ///
    /// # Errors
    /// Why the message is not answered.
    pub async fn converse(&self, message: impl Into<String>) -> Result<Words, Error> {
        let stream = self.ports().converse(&self.space, self.session, message).await?;
        Ok(Words { stream, said: String::new(), due: Vec::new(), end: None })
    }

    /// Says something, and gives the whole reply once it is remembered.
    ///
    /// # Errors
    /// Why the message was not answered.
    pub async fn ask(&self, message: impl Into<String>) -> Result<Reply, Error> {
        self.converse(message).await?.whole().await
    }

    /// Looks up what memory holds about a cue, the best first. Changes nothing.
    ///
    /// # Errors
    /// That the space is not there, or what memory refused with.
    pub async fn recall(&self, cue: impl Into<String>) -> Result<Recollection, Error> {
        self.recall_by(Cue::new(cue, self.ports().now()), RecallMode::Observe).await
    }

    /// As [`Handle::recall`], by a cue with everything that it can say.
    ///
    /// # Errors
    /// That the space is not there, or what memory refused with.
    pub async fn recall_by(&self, cue: Cue, mode: RecallMode) -> Result<Recollection, Error> {
        Ok(self.ports().recall(&self.space, cue, mode).await?)
    }

    /// Remembers a statement. The answer means that it is on disk and findable.
    ///
    /// # Errors
    /// That the space is not there, or what memory refused with.
    pub async fn remember(&self, text: impl Into<String>) -> Result<Remembered, Error> {
        let draft = Draft::asked(text, self.ports().now());
        Ok(self.ports().remember(&self.space, draft).await?)
    }

    /// Deletes a trace for ever, with what rests on it alone.
    ///
    /// # Errors
    /// That the space is not there, or what memory refused with.
    pub async fn forget(&self, id: TraceId) -> Result<ForgetReceipt, Error> {
        Ok(self.ports().forget(&self.space, id).await?)
    }

    /// What happens from now on, in every space, until the shutdown. Nobody waits for this listener; one that is too slow
    /// is told how many events it missed.
    #[must_use]
    pub fn events(&self) -> Events {
        self.ports().events()
    }

    /// How it is. Wakes no space.
    pub async fn health(&self) -> Health {
        let spaces = self.shared.runtime.census().await;
        Health { spaces, extensions: self.shared.runtime.extensions() }
    }

    /// The ways in as an extension has them, for every message that there is.
    #[must_use]
    pub fn ports(&self) -> &Ports {
        &self.shared.ports
    }

    /// Finishes what was begun and closes everything, for all clones. The data directory is free once the last of them is
    /// dropped.
    ///
    /// # Errors
    /// That not everything was finished within the configured time; what was acknowledged is durable all the same.
    pub async fn shutdown(self) -> Result<(), Error> {
        // Others are turned away first.
        drop(self.shared.guard.lock().unwrap_or_else(PoisonError::into_inner).take());
        Ok(Arc::clone(&self.shared.runtime).shutdown().await?)
    }
}

fn session(ports: &Ports, entropy: bethink_clock::Entropy, space: &SpaceId, before: u64) -> SessionId {
    let now = ports.now();
    let chance = entropy.draw(space, "session", now.as_millis().unsigned_abs(), before);
    SessionId::compose(now, chance, before)
}

/// A reply as it comes. Dropping it before its end stops the turn.
#[derive(Debug)]
pub struct Words {
    stream: TurnStream,
    said: String,
    due: Vec<DueReminder>,
    end: Option<Result<Reply, ConverseError>>,
}

impl Words {
    /// The turn.
    #[must_use]
    pub fn turn(&self) -> TurnId {
        self.stream.turn
    }

    /// More words; none once the reply is complete, and remembered unless [`Words::whole`] says otherwise.
    ///
    /// # Errors
    /// Why the message was not answered.
    pub async fn next(&mut self) -> Result<Option<String>, Error> {
        if let Some(end) = &self.end {
            return end.as_ref().map(|_| None).map_err(|error| Error::Converse(error.clone()));
        }
        let mut event = self.stream.events.recv().await;
        // A warning is in the log too, and neither is a part of the reply.
        while let Some(TurnEvent::Warning(_) | TurnEvent::Due(_)) = &event {
            if let Some(TurnEvent::Due(due)) = event {
                self.due.extend(due);
            }
            event = self.stream.events.recv().await;
        }
        let end = match event {
            Some(TurnEvent::Warning(_) | TurnEvent::Due(_)) | None => {
                Err(ConverseError::Unavailable("the turn broke off".to_owned()))
            }
            Some(TurnEvent::Text(text)) => {
                self.said.push_str(&text);
                return Ok(Some(text));
            }
            Some(TurnEvent::Done { durable, used }) => {
                let text = std::mem::take(&mut self.said);
                let due = std::mem::take(&mut self.due);
                Ok(Reply { turn: self.stream.turn, text, durable, used, due })
            }
            Some(TurnEvent::Failed { error }) => Err(error),
        };
        let failed = end.as_ref().err().cloned();
        self.end = Some(end);
        failed.map_or(Ok(None), |error| Err(Error::Converse(error)))
    }

    /// The whole reply, including the words that were taken already.
    ///
    /// # Errors
    /// Why the message was not answered.
    pub async fn whole(mut self) -> Result<Reply, Error> {
        while self.next().await?.is_some() {}
        match self.end {
            Some(end) => Ok(end?),
            None => Err(Error::Converse(ConverseError::Unavailable("the turn broke off".to_owned()))),
        }
    }

    /// The same as a stream of words.
    pub fn into_stream(self) -> impl Stream<Item = Result<String, Error>> + Send + Unpin + 'static {
        Box::pin(futures_util::stream::unfold(Some(self), |words| async {
            let mut words = words?;
            match words.next().await {
                Ok(Some(text)) => Some((Ok(text), Some(words))),
                Ok(None) => None,
                Err(error) => Some((Err(error), None)),
            }
        }))
    }
}
