//! Talking: a message in, a streamed reply out.

use bethink_domain::{DueReminder, Outcome, Plan, SessionId, Timestamp, TraceId, TurnId};
use kameo::actor::ReplyRecipient;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A message from the user.
#[derive(Debug, Clone)]
pub struct Converse {
    /// The session, as the door keeps it.
    pub session: SessionId,
    /// What the user wrote. Longer than the configured limit is refused.
    pub message: String,
    /// When it came.
    pub at: Timestamp,
    /// Recall, but write nothing at all.
    pub private: bool,
    /// IANA name of the zone that the message came with.
    pub zone: Option<String>,
}

/// Stop the turn: what has not begun to be committed is dropped.
#[derive(Debug, Clone, Copy)]
pub struct CancelTurn {
    /// Which.
    pub turn: TurnId,
}

/// What became of a turn on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Durable {
    /// Committed.
    Yes {
        /// Traces that it encoded.
        encoded: Vec<TraceId>,
    },
    /// Private: nothing was to be written.
    Private,
    /// The reply stands, but its record could not be written; nothing was credited.
    NotRemembered {
        /// Why.
        reason: String,
    },
}

/// A part of a streamed reply.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnEvent {
    /// More words of the reply.
    Text(String),
    /// Something that the user should see to; no part of the reply.
    Warning(String),
    /// Reminders that are due, before the reply. Whoever shows them acknowledges them, unless the turn is private.
    Due(Vec<DueReminder>),
    /// The last event of an answered turn.
    Done {
        /// Whether it will still be known tomorrow.
        durable: Durable,
        /// Traces that the reply used.
        used: Vec<TraceId>,
    },
    /// The last event of a turn that was not answered; nothing of it was remembered.
    Failed {
        /// What went wrong and what to do.
        error: ConverseError,
    },
}

/// A reply as it comes. Dropping it cancels the turn if the reply is not complete yet.
#[derive(Debug)]
pub struct TurnStream {
    /// The turn.
    pub turn: TurnId,
    /// Events; the last is [`TurnEvent::Done`] or [`TurnEvent::Failed`].
    pub events: mpsc::Receiver<TurnEvent>,
}

/// Why a message was not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConverseError {
    /// Too many messages wait: say it again later.
    #[error("this conversation has {waiting} messages waiting; try again when one is answered")]
    Busy {
        /// Turns that wait.
        waiting: usize,
    },
    /// The message is longer than the limit: shorten it.
    #[error("the message has {given} bytes; the limit is {limit}")]
    TooLong {
        /// Bytes given.
        given: usize,
        /// Most bytes.
        limit: usize,
    },
    /// The space is stopping or was put to sleep after repeated crashes.
    #[error("this conversation is not available: {0}")]
    Unavailable(String),
    /// The language model failed.
    #[error(transparent)]
    Execute(#[from] ExecuteError),
    /// Stopped by the user.
    #[error("the turn was stopped; nothing of it was remembered")]
    Cancelled,
}

/// Produce the reply to a plan.
#[derive(Debug, Clone)]
pub struct Execute {
    /// What to answer, and with what.
    pub plan: Box<Plan>,
    /// Where the words go as they come; bounded, so that a slow reader slows the model.
    pub words: mpsc::Sender<TurnEvent>,
    /// Set when the turn was stopped.
    pub cancel: CancellationToken,
}

/// Put out of mind what was forgotten: these traces, the exchanges for which one was shown, and these turns.
#[derive(Debug, Clone)]
pub struct LetGo {
    /// Traces that were deleted.
    pub traces: Vec<TraceId>,
    /// Turns that were blanked.
    pub turns: Vec<TurnId>,
}

/// Why there is no reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExecuteError {
    /// The model failed, hung beyond its deadline, or returned nothing.
    #[error("the language model failed: {0}")]
    Model(String),
    /// Stopped.
    #[error("the turn was stopped")]
    Cancelled,
    /// The executor is being restarted.
    #[error("the executor is not running")]
    Unavailable,
}

/// Where a [`Converse`] goes.
pub type ConversePort = ReplyRecipient<Converse, TurnStream, ConverseError>;
/// Where an [`Execute`] goes.
pub type ExecutePort = ReplyRecipient<Execute, Outcome, ExecuteError>;
