//! Where blocking work goes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use bethink_protocol::{Job, Offload};

/// Jobs that may wait. One per awake space is in flight at most, so this is never reached while awake spaces are
/// bounded below it.
const WAITING_MAX: usize = 4_096;

/// Threads that commits share.
pub const COMMIT_THREADS: usize = 4;

/// How far behind others background work stands, of 19: it gets about a tenth of a core that others want too.
const NICENESS: i32 = 10;

/// A fixed number of threads with one bounded queue. They end when the pool is dropped and the queue is empty.
#[derive(Debug)]
pub struct ThreadPool {
    jobs: SyncSender<Job>,
}

impl ThreadPool {
    /// Starts `threads` threads called `name`.
    ///
    /// # Errors
    /// What the system says when it has no more threads.
    pub fn start(name: &str, threads: usize) -> std::io::Result<Self> {
        Self::with(name, threads, || ())
    }

    /// Starts threads that get the processor only when nobody else wants it much, where the system knows such a thing.
    ///
    /// # Errors
    /// As [`ThreadPool::start`].
    pub fn start_behind(name: &str, threads: usize) -> std::io::Result<Self> {
        // Where it is refused, the work is done all the same.
        Self::with(name, threads, || {
            let _ = rustix::process::nice(NICENESS);
        })
    }

    fn with(name: &str, threads: usize, first: fn()) -> std::io::Result<Self> {
        let (jobs, queue) = sync_channel::<Job>(WAITING_MAX);
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..threads.max(1) {
            let queue = Arc::clone(&queue);
            let run = move || {
                first();
                work(&queue);
            };
            std::thread::Builder::new().name(name.to_owned()).spawn(run)?;
        }
        Ok(Self { jobs })
    }
}

fn work(queue: &Mutex<Receiver<Job>>) {
    loop {
        // Held while waiting: the threads take turns at the queue, and the job runs after the lock is released.
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        if catch_unwind(AssertUnwindSafe(job)).is_err() {
            tracing::error!("background work panicked");
        }
    }
}

impl Offload for ThreadPool {
    fn run(&self, job: Job) {
        match self.jobs.try_send(job) {
            Ok(()) => {}
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                tracing::error!("background work dropped: the queue is full");
            }
        }
    }
}

/// Runs each job on a thread that tokio keeps for blocking work.
#[derive(Debug, Clone, Copy, Default)]
pub struct BlockingPool;

impl Offload for BlockingPool {
    fn run(&self, job: Job) {
        drop(tokio::task::spawn_blocking(job));
    }
}

/// Runs each job on the spot, for simulation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Inline;

impl Offload for Inline {
    fn run(&self, job: Job) {
        job();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bethink_protocol::offload;

    #[tokio::test]
    async fn a_panicking_job_leaves_the_pool_working() {
        let pool: Arc<dyn Offload> = Arc::new(ThreadPool::start("test", 1).unwrap());
        let lost: Result<(), _> = offload(&pool, || panic!("on purpose")).await;
        assert!(lost.is_err());
        assert_eq!(offload(&pool, || 7).await, Ok(7));
    }
}
