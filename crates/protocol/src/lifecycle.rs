//! Time passing, and stopping.

use bethink_domain::Timestamp;
use kameo::actor::ReplyRecipient;

/// The process's one timer struck.
#[derive(Debug, Clone, Copy)]
pub struct Tick {
    /// The time now.
    pub now: Timestamp,
}

/// How busy are you? Answered at once by an actor that is well.
#[derive(Debug, Clone, Copy)]
pub struct TakeVitals;

/// How busy an actor is.
#[derive(Debug, Clone, PartialEq, Eq, Default, kameo::Reply)]
pub struct Vitals {
    /// Things that it has taken on and not begun.
    pub waiting: usize,
    /// Things that it works on.
    pub in_flight: usize,
    /// What takes long or is not as it should be, in words.
    pub doing: Option<String>,
}

/// Finish what was accepted and take nothing more; the reply means that all of it is flushed.
#[derive(Debug, Clone, Copy)]
pub struct Drain;

/// Where a [`Drain`] goes.
pub type DrainPort = ReplyRecipient<Drain, (), kameo::error::Infallible>;
