//! The sealing lane: segments are built aside, one at a time, and taken in between two commits.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bethink_protocol::offload;
use kameo::actor::ActorRef;
use kameo::message::{Context, Message};

use super::MemoryStore;
use crate::error::StoreError;
use crate::file::sealed;
use crate::index::{self, Built, Graph};
use crate::snapshot::Snapshot;

/// What is being built, and what waits to be taken in.
#[derive(Default)]
pub(super) struct SealLane {
    busy: bool,
    ready: VecDeque<Ready>,
    /// Taking one in failed; no more are built until the next waking.
    failed: bool,
    off: Arc<AtomicBool>,
    /// What is being built is of rows that lie elsewhere now.
    stale: bool,
}

impl SealLane {
    /// Begins anew, on rows that were read again and may lie elsewhere.
    pub(super) fn renew(&mut self) {
        self.call_off();
        self.off = Arc::default();
        self.stale = self.busy;
    }

    /// Pieces of work that are under way.
    pub(super) fn len(&self) -> usize {
        usize::from(self.busy) + self.ready.len()
    }

    /// Ends what is being built, which is lost; takes nothing more in.
    pub(super) fn call_off(&mut self) {
        self.off.store(true, Ordering::Relaxed);
        self.ready.clear();
    }
}

impl Drop for SealLane {
    fn drop(&mut self) {
        self.call_off();
    }
}

/// Something that was made from a state of the space.
struct Ready {
    made: Made,
    from: Arc<Snapshot>,
}

enum Made {
    Segment(Box<Built>),
    /// The graph of a segment was read, or there is none that fits.
    Graph(u64, Option<Graph>),
}

/// Work aside ended; none when it was called off or failed.
struct MadeAside(Option<Ready>);

/// What was ready was taken in, or could not be.
struct TakenIn(Option<Result<Arc<Snapshot>, StoreError>>);

impl MemoryStore {
    /// Begins the most urgent work on segments, if there is any and none is under way.
    pub(super) fn start_sealing(&mut self, me: &ActorRef<Self>) {
        let lane = &self.sealing;
        if lane.busy || lane.failed || !lane.ready.is_empty() || self.draining.is_some() {
            return;
        }
        let from = self.published.load_full();
        let waiting = from.segments().iter().find(|segment| segment.graph_waits).cloned();
        let sizes = self.rules.config.sizes();
        let (slot, off, base) = (self.args.slot.clone(), Arc::clone(&self.sealing.off), Arc::clone(&from));
        let job: Box<dyn FnOnce() -> Option<Made> + Send> = if let Some(segment) = waiting {
            Box::new(move || {
                let read = slot.with(|database| sealed::read_graph(slot.path(), database, &base, &segment));
                let graph = read.unwrap_or_else(|error| {
                    tracing::warn!(%error, "graph could not be read and is built anew");
                    None
                });
                Some(Made::Graph(segment.number, graph))
            })
        } else if let Some(plan) = index::next(&from, sizes).filter(|_| self.args.slot.writing()) {
            let number = from.last_segment + 1;
            Box::new(move || {
                let built = index::build(&base, &plan, number, sizes, &off)?;
                Some(Made::Segment(Box::new(built)))
            })
        } else {
            return;
        };
        self.sealing.busy = true;
        let (port, me) = (Arc::clone(&self.args.seal), me.clone());
        tokio::spawn(async move {
            let made = offload(&port, job).await.ok().flatten();
            let _ = me.tell(MadeAside(made.map(|made| Ready { made, from }))).send().await;
        });
    }

    /// Takes in what was made aside, if no commit is in flight.
    pub(super) fn start_install(&mut self, me: &ActorRef<Self>) {
        if self.in_flight.is_some() || self.draining.is_some() {
            return;
        }
        let Some(Ready { made, from }) = self.sealing.ready.pop_front() else { return };
        let (slot, epoch, base) = (self.args.slot.clone(), self.epoch, self.published.load_full());
        // The file was read anew meanwhile, as after moving to another embedder: it is of no use.
        if !base.same_places(&from) {
            return;
        }
        self.in_flight = Some(0);
        let (port, me) = (Arc::clone(&self.args.commit), me.clone());
        tokio::spawn(async move {
            let job = move || match made {
                Made::Segment(built) => sealed::install(&slot, epoch, &base, *built, &from),
                Made::Graph(number, graph) => {
                    let mut next = Snapshot::clone(&base);
                    next.put_graph(number, graph, &from);
                    Ok(Arc::new(next))
                }
            };
            let outcome = offload(&port, job).await.ok();
            let _ = me.tell(TakenIn(outcome)).send().await;
        });
    }
}

impl Message<MadeAside> for MemoryStore {
    type Reply = ();

    async fn handle(&mut self, MadeAside(ready): MadeAside, ctx: &mut Context<Self, ()>) {
        self.sealing.busy = false;
        if std::mem::take(&mut self.sealing.stale) {
            return self.go_on(ctx.actor_ref());
        }
        match ready {
            Some(ready) => self.sealing.ready.push_back(ready),
            None => self.sealing.failed = true,
        }
        self.go_on(ctx.actor_ref());
    }
}

impl Message<TakenIn> for MemoryStore {
    type Reply = ();

    async fn handle(&mut self, TakenIn(outcome): TakenIn, ctx: &mut Context<Self, ()>) {
        self.in_flight = None;
        match outcome {
            Some(Ok(snapshot)) => self.published.store(snapshot),
            Some(Err(error)) => {
                tracing::warn!(space = %self.args.space, %error, "segment could not be stored");
                self.sealing.failed = true;
            }
            None => self.sealing.failed = true,
        }
        self.go_on(ctx.actor_ref());
    }
}
