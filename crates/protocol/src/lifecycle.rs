//! Time passing, and stopping.

use bethink_domain::Timestamp;
use kameo::actor::ReplyRecipient;

/// The process's one timer struck.
#[derive(Debug, Clone, Copy)]
pub struct Tick {
    /// The time now.
    pub now: Timestamp,
}

/// Finish what was accepted and take nothing more; the reply means that all of it is flushed.
#[derive(Debug, Clone, Copy)]
pub struct Drain;

/// Where a [`Drain`] goes.
pub type DrainPort = ReplyRecipient<Drain, (), kameo::error::Infallible>;
