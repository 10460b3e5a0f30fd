//! One turn in flight, a few behind it, in the order in which they came.

use std::collections::VecDeque;

use bethink_domain::TurnId;
use tokio_util::sync::CancellationToken;

/// A turn that can be waited for, stopped, or abandoned by whoever listens.
pub(crate) trait Waiting {
    /// Its id.
    fn turn(&self) -> TurnId;
    /// What stops it.
    fn cancel(&self) -> &CancellationToken;
    /// True when nobody listens any more.
    fn abandoned(&self) -> bool;
}

/// The order of turns.
///
/// Invariant: nothing waits while nothing runs.
#[derive(Debug)]
pub(crate) struct Lane<T> {
    running: Option<(TurnId, CancellationToken)>,
    waiting: VecDeque<T>,
    waiting_max: usize,
}

/// What became of a turn that was offered.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Offered<T> {
    /// Nothing runs: start it.
    Start(T),
    /// It waits behind so many others.
    Waits,
    /// So many wait already.
    Full(usize),
}

impl<T: Waiting> Lane<T> {
    pub(crate) fn new(waiting_max: usize) -> Self {
        Self { running: None, waiting: VecDeque::new(), waiting_max }
    }

    /// Takes a turn in, unless too many wait.
    pub(crate) fn offer(&mut self, job: T) -> Offered<T> {
        if self.running.is_none() {
            return Offered::Start(self.begin(job));
        }
        self.waiting.retain(|job| !job.abandoned());
        if self.waiting.len() >= self.waiting_max {
            return Offered::Full(self.waiting.len());
        }
        self.waiting.push_back(job);
        Offered::Waits
    }

    /// The turn in flight has ended: gives the next one to start. Another turn's end changes nothing.
    pub(crate) fn ended(&mut self, turn: TurnId) -> Option<T> {
        if self.running.as_ref().is_none_or(|(running, _)| *running != turn) {
            return None;
        }
        self.running = None;
        self.waiting.retain(|job| !job.abandoned());
        let next = self.waiting.pop_front()?;
        Some(self.begin(next))
    }

    /// Stops a turn: signals the one in flight, gives back one that waits.
    pub(crate) fn stop(&mut self, turn: TurnId) -> Option<T> {
        if let Some((running, cancel)) = &self.running
            && *running == turn
        {
            cancel.cancel();
            return None;
        }
        let place = self.waiting.iter().position(|job| job.turn() == turn)?;
        self.waiting.remove(place)
    }

    /// Turns that wait, and whether one runs.
    pub(crate) fn load(&self) -> (usize, bool) {
        (self.waiting.len(), self.running.is_some())
    }

    /// True when nothing runs, and so nothing waits.
    pub(crate) fn idle(&self) -> bool {
        self.running.is_none()
    }

    fn begin(&mut self, job: T) -> T {
        self.running = Some((job.turn(), job.cancel().clone()));
        job
    }
}
