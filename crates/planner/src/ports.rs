//! Asking through ports, each under a deadline, with one error whatever stands behind.

use std::time::Duration;

use bethink_protocol::{EmbedError, ExecuteError, MemoryError, ReminderError};
use kameo::actor::ReplyRecipient;
use kameo::error::SendError;
use kameo::reply::ReplyError;

/// For one embedding: behind a running batch it takes a second, over HTTP with one retry a few. Longer, and words
/// alone serve the user better than waiting.
pub(crate) const EMBED_WAIT: Duration = Duration::from_secs(10);
/// For a batch of prototypes: 256 sentences, 2 s on one core of the machines of today; a slow one has a tenth of that.
pub(crate) const PROTOTYPES_WAIT: Duration = Duration::from_secs(30);
/// For a recall or a survey, which take milliseconds from a snapshot; room for an actor that is being rebuilt.
pub(crate) const RECALL_WAIT: Duration = Duration::from_secs(10);
/// For a reply. Beyond every deadline that an Executor sets itself, so that its own error comes first.
pub(crate) const EXECUTE_WAIT: Duration = Duration::from_secs(15 * 60);
/// For a commit: a slow disk takes a second for an fsync, a full queue some of them.
pub(crate) const COMMIT_WAIT: Duration = Duration::from_secs(30);
/// For the last event of a turn to be taken by a reader that is behind.
pub(crate) const LAST_EVENT_WAIT: Duration = Duration::from_secs(60);

/// An error that can also say that no answer came.
pub(crate) trait NoAnswer {
    /// Nobody answered, and why.
    fn no_answer(why: &'static str) -> Self;
}

impl NoAnswer for MemoryError {
    fn no_answer(why: &'static str) -> Self {
        Self::Unavailable(why.to_owned())
    }
}

impl NoAnswer for ReminderError {
    fn no_answer(why: &'static str) -> Self {
        Self::Unavailable(why.to_owned())
    }
}

impl NoAnswer for EmbedError {
    fn no_answer(why: &'static str) -> Self {
        if why == LATE { Self::Failed(why.to_owned()) } else { Self::Unavailable }
    }
}

impl NoAnswer for ExecuteError {
    fn no_answer(why: &'static str) -> Self {
        if why == LATE { Self::Model(why.to_owned()) } else { Self::Unavailable }
    }
}

const LATE: &str = "no answer in time";

/// Asks and waits at most `wait` for the answer.
pub(crate) async fn ask<M, T, E>(port: &ReplyRecipient<M, T, E>, message: M, wait: Duration) -> Result<T, E>
where
    M: Send + 'static,
    T: Send + 'static,
    E: ReplyError + NoAnswer,
{
    match tokio::time::timeout(wait, port.ask(message).send()).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(SendError::HandlerError(error))) => Err(error),
        Ok(Err(SendError::ActorStopped)) => Err(E::no_answer("it stopped before it answered")),
        Ok(Err(SendError::ActorRestarting(_))) => Err(E::no_answer("it is being restarted")),
        Ok(Err(SendError::ActorNotRunning(_))) => Err(E::no_answer("it is not running")),
        Ok(Err(SendError::MailboxFull(_) | SendError::Timeout(_))) | Err(_) => Err(E::no_answer(LATE)),
    }
}
