//! The one trait that every command goes through.

use std::future::Future;
use std::pin::Pin;

use bethink_api::{Fault, FaultKind, Request, Response, SpaceName};
use tokio::sync::mpsc;

/// Parts of an answer; the last ends the stream. A conversation has many, everything else one.
pub type Responses = mpsc::Receiver<Result<Response, Fault>>;

/// A future that a door returns.
pub type DoorFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A way in.
pub trait Door: Send + Sync {
    /// Sends a request; its answer comes as a stream. Dropping the stream of a conversation stops the turn.
    ///
    /// # Errors
    /// A [`Fault`] when the request could not even be sent.
    fn call(&self, space: SpaceName, request: Request) -> DoorFuture<'_, Result<Responses, Fault>>;

    /// Sends a request that has one response.
    ///
    /// # Errors
    /// The [`Fault`] that it was answered with, or that the door was closed before an answer came.
    fn ask(&self, space: SpaceName, request: Request) -> DoorFuture<'_, Result<Response, Fault>> {
        Box::pin(async move {
            let mut responses = self.call(space, request).await?;
            responses.recv().await.unwrap_or_else(|| Err(closed()))
        })
    }
}

/// The other side went away.
#[must_use]
pub fn closed() -> Fault {
    Fault::new(
        FaultKind::Gone,
        "the process that owns the memory ended before it answered; what it had not confirmed may not be stored",
    )
}
