//! Work that must leave an actor's thread.

use std::sync::Arc;

use tokio::sync::oneshot;

/// A piece of blocking work.
pub type Job = Box<dyn FnOnce() + Send + 'static>;

/// Runs blocking work elsewhere: a pool of threads in production, on the spot in simulation, so that a seed replays
/// exactly.
pub trait Offload: Send + Sync + 'static {
    /// Takes a job; must not block. A job that can never run is dropped, which its waiter sees as [`OffloadError`].
    fn run(&self, job: Job);
}

/// The job was dropped before it finished, as at shutdown, or it panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("background work was abandoned")]
pub struct OffloadError;

/// Runs `work` through a port and waits for what it returns.
///
/// # Errors
/// [`OffloadError`] when the job was dropped or panicked.
pub async fn offload<T: Send + 'static>(
    port: &Arc<dyn Offload>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, OffloadError> {
    let (reply, result) = oneshot::channel();
    port.run(Box::new(move || {
        // The waiter may have gone; then nobody needs the result.
        let _ = reply.send(work());
    }));
    result.await.map_err(|_| OffloadError)
}
