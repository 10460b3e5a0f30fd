//! A runtime of its own for each measurement, in a directory that goes with it.

#[cfg(test)]
pub(crate) mod hashed;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bethink_clock::{Entropy, SimulatedClock};
use bethink_domain::{
    AgentName, Draft, EmbedderIdentity, Recollection, SessionId, SpaceId, Span, Timestamp, TraceId,
    UnitVector, UserName,
};
use bethink_planner::{PlannerConfig, PrototypeShelf, hear};
use bethink_protocol::{
    Converse, Durable, Embed, EmbedPort, Embedded, MemoryPorts, Recall, Remember, Remembered, TurnEvent,
    Urgency,
};
use bethink_runtime::{AskError, DataDir, Handle, Ingredients, RuntimeError, start};
use kameo::actor::ReplyRecipient;
use kameo::error::SendError;
use kameo::reply::ReplyError;
use tempfile::TempDir;
use tokio::time::Instant;

use crate::error::EvaluationError;

/// Longest wait for any one answer. A commit on a slow disk behind others takes seconds.
const ANSWER_WAIT: Duration = Duration::from_secs(60);
/// Between two looks whether anything is still being done.
const QUIET_EVERY: Duration = Duration::from_millis(20);
/// Looks in a row that must find nothing.
const QUIET_LOOKS: usize = 3;
/// Looks after which it is given up: an hour.
const QUIET_LOOKS_MAX: usize = 180_000;
/// Chance is the same in every run.
const SEED: u64 = 1;

/// What actors are made of under the configuration in force, over a directory that they own.
pub type Recipe = Arc<dyn Fn(DataDir) -> Result<Ingredients, RuntimeError> + Send + Sync>;

/// What it takes to measure under the configuration in force.
#[derive(Clone)]
pub struct EvaluationParts {
    /// What the actors are made of. Clock and chance are replaced by simulated ones.
    pub recipe: Recipe,
    /// Where directories for measurements are made, each removed at its end. What is measured of a disk is measured
    /// of this one.
    pub scratch: PathBuf,
}

/// A running runtime in a temporary directory.
pub(crate) struct Stage {
    /// The time, which stands still unless it is set.
    pub(crate) clock: SimulatedClock,
    pub(crate) planner: PlannerConfig,
    pub(crate) profile: &'static str,
    pub(crate) prototypes: PrototypeShelf,
    pub(crate) handle: Arc<Handle>,
    root: PathBuf,
    /// Set where the directory goes with the measurement.
    dir: Option<TempDir>,
}

/// A turn that was heard to its end.
pub(crate) struct Said {
    /// When the message was sent.
    pub(crate) begun: Instant,
    /// From then to the first word of the reply, if there was one.
    pub(crate) first: Option<Duration>,
    /// The last event.
    pub(crate) last: Option<TurnEvent>,
}

impl Stage {
    /// Starts the actors at a time.
    pub(crate) async fn open(parts: &EvaluationParts, at: Timestamp) -> Result<Self, EvaluationError> {
        Self::open_with(parts, at, |_| ()).await
    }

    /// The same, with what the configuration says changed by `adjust`.
    pub(crate) async fn open_with(
        parts: &EvaluationParts,
        at: Timestamp,
        adjust: impl FnOnce(&mut Ingredients),
    ) -> Result<Self, EvaluationError> {
        let path = &parts.scratch;
        let scratch = |error: std::io::Error| EvaluationError::Scratch {
            path: path.clone(),
            reason: error.to_string(),
        };
        std::fs::create_dir_all(path).map_err(scratch)?;
        let dir = tempfile::Builder::new().prefix("bethink-eval-").tempdir_in(path).map_err(scratch)?;
        let root = dir.path().to_owned();
        let stage = Self::open_over(parts, at, root, adjust).await?;
        Ok(Self { dir: Some(dir), ..stage })
    }

    /// The same over a directory that stays, with whatever memory it holds under `data`.
    pub(crate) async fn open_over(
        parts: &EvaluationParts,
        at: Timestamp,
        root: PathBuf,
        adjust: impl FnOnce(&mut Ingredients),
    ) -> Result<Self, EvaluationError> {
        // The data directory lies inside, so that what is measured beside it stays out of it.
        let data = DataDir::claim(&root.join("data"), Some(&root))?;
        let clock = SimulatedClock::new(at);
        let mut ingredients = Ingredients {
            clock: Arc::new(clock.clone()),
            entropy: Entropy::seeded(SEED),
            ..(parts.recipe)(data)?
        };
        adjust(&mut ingredients);
        let planner = ingredients.planner.clone();
        let profile = ingredients.store.memory.profile.name();
        let handle = Arc::new(start(ingredients).await?);
        Ok(Self { clock, planner, profile, prototypes: PrototypeShelf::new(), handle, root, dir: None })
    }

    /// The directory that goes with the measurement.
    pub(crate) fn path(&self) -> PathBuf {
        self.root.clone()
    }

    pub(crate) fn embed_port(&self) -> &EmbedPort {
        self.handle.embed_port()
    }

    /// Has everything made that a process makes once, on its first message: prototypes and phrase lists. That takes
    /// 0.1 s and more, and is no message's own time.
    pub(crate) async fn warm_up(&self, embedder: &EmbedderIdentity) {
        drop(hear("What did I tell you?"));
        self.prototypes.of(embedder, self.embed_port()).await;
    }

    /// Puts all spaces to sleep, so that no more than one need be awake: a day passes.
    pub(crate) async fn rest(&self) {
        // A space that has just been woken is noted as used at the time at which that is noted: let it be before.
        self.handle.census().await;
        self.clock.set(self.handle.now() + Span::from_days(1.0));
        self.handle.tick().await;
    }

    /// Strikes the timer.
    pub(crate) async fn tick(&self) {
        self.handle.tick().await;
    }

    /// Says something in a space, and waits for the end of the turn. True when it is durable.
    pub(crate) async fn say(
        &self,
        space: &SpaceId,
        session: SessionId,
        message: &str,
    ) -> Result<bool, EvaluationError> {
        match tokio::time::timeout(ANSWER_WAIT, self.hear_out(space, session, message)).await {
            Ok(Some(Said { last, .. })) => {
                Ok(matches!(last, Some(TurnEvent::Done { durable: Durable::Yes { .. }, .. })))
            }
            Ok(None) | Err(_) => Err(EvaluationError::NoAnswer("the planner")),
        }
    }

    /// Says something in a space, and hears the turn to its end. None when it could not be said.
    pub(crate) async fn hear_out(&self, space: &SpaceId, session: SessionId, message: &str) -> Option<Said> {
        let message = Converse {
            session,
            message: message.to_owned(),
            at: self.handle.now(),
            private: false,
            zone: None,
        };
        let begun = Instant::now();
        let mut stream = self.handle.ask(space, |ports| &ports.converse, message).await.ok()?;
        let (mut first, mut last) = (None, None);
        while let Some(event) = stream.events.recv().await {
            if matches!(event, TurnEvent::Text(_)) {
                first.get_or_insert_with(|| begun.elapsed());
            }
            last = Some(event);
        }
        Some(Said { begun, first, last })
    }

    /// Waits until every space sleeps.
    pub(crate) async fn asleep(&self) -> Result<(), EvaluationError> {
        let settled = async {
            while !self.handle.census().await.is_empty() {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(ANSWER_WAIT, settled).await.map_err(|_| EvaluationError::NoAnswer("a space"))
    }

    /// The ports of a space, woken if it sleeps.
    pub(crate) async fn memory(&self, space: &SpaceId) -> Result<MemoryPorts, EvaluationError> {
        Ok(self.handle.space(space).await?.memory)
    }

    /// Recalls in a space, woken if it sleeps.
    pub(crate) async fn recall(
        &self,
        space: &SpaceId,
        recall: Recall,
    ) -> Result<Recollection, EvaluationError> {
        self.handle.ask(space, |ports| &ports.memory.recall, recall).await.map_err(|error| match error {
            AskError::Runtime(error) => error.into(),
            AskError::Refused(error) => error.into(),
        })
    }

    /// Waits until no actor has anything to do any more, in the background either; an hour at most.
    pub(crate) async fn quiet(&self) {
        let mut calm = 0;
        for _ in 0..QUIET_LOOKS_MAX {
            let health = self.handle.health().await;
            let spaces = health.spaces.iter().flat_map(|space| &space.actors);
            let busy = spaces.chain(&health.actors).any(|actor| actor.waiting + actor.in_flight > 0);
            calm = if busy { 0 } else { calm + 1 };
            if calm == QUIET_LOOKS {
                return;
            }
            tokio::time::sleep(QUIET_EVERY).await;
        }
    }

    /// The ports of a fresh space.
    pub(crate) async fn space(&self, name: &str) -> Result<MemoryPorts, EvaluationError> {
        Ok(self.handle.space(&space_named(name)).await?.memory)
    }

    /// Embeds texts, one request for all of them.
    pub(crate) async fn embed(
        &self,
        texts: Vec<String>,
        urgency: Urgency,
    ) -> Result<Embedded, EvaluationError> {
        ask(self.embed_port(), Embed { texts, urgency }, "the embedder").await
    }

    /// Who makes the vectors.
    pub(crate) async fn embedder(&self) -> Result<EmbedderIdentity, EvaluationError> {
        Ok(self.embed(vec!["hello".to_owned()], Urgency::Turn).await?.identity)
    }

    /// Stops the actors and removes the directory.
    pub(crate) async fn close(self) -> Result<(), EvaluationError> {
        let path = self.path();
        self.handle.shutdown().await?;
        let Some(dir) = self.dir else { return Ok(()) };
        dir.close().map_err(|error| EvaluationError::Scratch { path, reason: error.to_string() })
    }
}

/// The name of a space that no user has.
pub(crate) fn space_named(name: &str) -> SpaceId {
    SpaceId {
        agent: AgentName::new("evaluation").expect("because the name is short and printable"),
        user: UserName::new(name).expect("because callers give short and printable names"),
    }
}

/// Stores a statement as the `remember` command does; the reply means that it is durable.
pub(crate) async fn remember(
    memory: &MemoryPorts,
    text: &str,
    at: Timestamp,
    embedding: Option<UnitVector>,
) -> Result<TraceId, EvaluationError> {
    let draft = Draft { embedding, ..Draft::asked(text, at) };
    let Remembered { id, .. } = ask(&memory.remember, Remember { draft, at }, "memory").await?;
    Ok(id)
}

/// Asks through a port under a deadline.
pub(crate) async fn ask<M, T, E>(
    port: &ReplyRecipient<M, T, E>,
    message: M,
    whom: &'static str,
) -> Result<T, EvaluationError>
where
    M: Send + 'static,
    T: Send + 'static,
    E: ReplyError,
    EvaluationError: From<E>,
{
    match tokio::time::timeout(ANSWER_WAIT, port.ask(message).send()).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(SendError::HandlerError(error))) => Err(error.into()),
        Ok(Err(_)) | Err(_) => Err(EvaluationError::NoAnswer(whom)),
    }
}

/// An embedder's name and revision, as figures name it.
pub(crate) fn named(embedder: &EmbedderIdentity) -> String {
    format!("{} ({} dimensions, revision {})", embedder.model, embedder.dimensions, embedder.revision)
}
