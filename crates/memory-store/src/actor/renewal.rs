//! The renewal lane: the file is written anew aside, and the copy takes its place between two commits.
//!
//! It is done soon after something was forgotten, and when too much of the file is of no use. Recall reads from memory
//! meanwhile, and commits go on; a commit voids a copy that was begun before it. A space that never rests is renewed alone
//! in the end, so that its writers wait once.

use std::sync::Arc;

use bethink_domain::Timestamp;
use bethink_protocol::offload;
use kameo::actor::ActorRef;
use kameo::message::{Context, Message};

use super::MemoryStore;
use crate::error::StoreError;
use crate::file::rewrite::{self, Fill, Marks, Renewed, copy_beside, fill, take_place};
use crate::snapshot::Snapshot;

/// Copies that commits may void before writers are made to wait for one. A copy is begun at most once a tick after the
/// first, so that this is some minutes of uninterrupted writing.
const VOIDED_MAX: u32 = 6;
/// Files below this size are left as they are: a disk does not notice.
const COMPACT_FROM_BYTES: u64 = 4 << 20;
/// By how much a file must grow before it is measured again, as a factor in quarters.
const GROWTH_QUARTERS: u64 = 5;
/// Commits after which a file is measured again though it has not grown: they may have freed pages.
const COMMITS_BETWEEN: u64 = 4_096;

/// What is known of the file's freed pages, and what is done about them.
#[derive(Default)]
pub(super) struct Renewal {
    /// Something is under way aside.
    busy: bool,
    ready: Option<Renewed>,
    /// Too much of the file is of no use.
    compact: bool,
    voided: u32,
    /// A copy was voided; the next one is begun at the next tick.
    waits: bool,
    /// It failed, and is left for the next waking.
    failed: bool,
    /// Commits since the file was measured.
    commits: u64,
    /// Size of the file from which it is measured again.
    measure_from: u64,
    /// When the file was last written anew after something was forgotten.
    pub(super) scrubbed_at: Option<Timestamp>,
}

impl Renewal {
    pub(super) fn known(scrubbed_at: Option<Timestamp>) -> Self {
        Self { scrubbed_at, ..Self::default() }
    }

    pub(super) fn note_commit(&mut self) {
        self.commits += 1;
    }
}

/// Work aside ended.
struct Copied(Option<Result<Renewed, StoreError>>);

/// A copy took the place of the file, or (false) was voided.
struct Placed {
    outcome: Option<Result<bool, StoreError>>,
    marks: Marks,
    /// Size of the file before and after.
    bytes: [u64; 2],
}

/// The file was measured.
struct Measured(Option<Result<Option<Fill>, StoreError>>);

impl MemoryStore {
    fn marks(&self) -> Marks {
        let counters = self.published.load().counters;
        Marks { counters, scrubbed_at: counters.scrub_pending.then_some(self.seen_at.max(since(counters))) }
    }

    /// Begins the next step of writing the file anew, if it is to be and nothing else is in flight.
    pub(super) fn start_renewal(&mut self, me: &ActorRef<Self>) {
        let scrub = self.published.load().counters.scrub_pending;
        let renewal = &mut self.renewal;
        if renewal.busy || renewal.failed || self.in_flight.is_some() {
            return;
        }
        if let Some(renewed) = renewal.ready.take() {
            let (slot, epoch) = (self.args.slot.clone(), self.epoch);
            return self.place(me, move |_| take_place(&slot, epoch, &renewed));
        }
        let draining = self.draining.is_some();
        if !scrub && (!renewal.compact || draining) || renewal.waits && !draining {
            return;
        }
        if draining || renewal.voided >= VOIDED_MAX {
            let (slot, epoch) = (self.args.slot.clone(), self.epoch);
            return self.place(me, move |marks| rewrite::rewrite(&slot, epoch, marks).map(|()| true));
        }
        renewal.busy = true;
        let (slot, epoch, marks) = (self.args.slot.clone(), self.epoch, self.marks());
        let (port, me) = (Arc::clone(&self.args.scan), me.clone());
        tokio::spawn(async move {
            let outcome = offload(&port, move || copy_beside(&slot, epoch, &marks)).await.ok();
            let _ = me.tell(Copied(outcome)).send().await;
        });
    }

    /// Runs what replaces the file, as the one job in flight.
    fn place(
        &mut self,
        me: &ActorRef<Self>,
        job: impl FnOnce(&Marks) -> Result<bool, StoreError> + Send + 'static,
    ) {
        self.in_flight = Some(0);
        let (marks, slot) = (self.marks(), self.args.slot.clone());
        let (port, me) = (Arc::clone(&self.args.commit), me.clone());
        tokio::spawn(async move {
            let job = move || {
                let before = slot.file_bytes();
                (job(&marks), [before, slot.file_bytes()])
            };
            let (outcome, bytes) = offload(&port, job).await.ok().unzip();
            let _ = me.tell(Placed { outcome, marks, bytes: bytes.unwrap_or_default() }).send().await;
        });
    }

    /// Whether something is under way that must end before the space sleeps.
    pub(super) fn renewing(&self) -> bool {
        self.renewal.busy
    }

    /// Time has passed: what was voided is tried again, and the file is measured if enough has happened to it.
    pub(super) fn renew_on_tick(&mut self, me: &ActorRef<Self>) {
        let renewal = &mut self.renewal;
        renewal.waits = false;
        if renewal.commits == 0 || renewal.busy || self.draining.is_some() {
            return;
        }
        let again = renewal.commits >= COMMITS_BETWEEN;
        let from = if again { COMPACT_FROM_BYTES } else { renewal.measure_from.max(COMPACT_FROM_BYTES) };
        renewal.commits = if again { 0 } else { renewal.commits };
        renewal.busy = true;
        let (slot, port, me) = (self.args.slot.clone(), Arc::clone(&self.args.scan), me.clone());
        tokio::spawn(async move {
            let measure = move || if slot.file_bytes() < from { Ok(None) } else { fill(&slot) };
            let outcome = offload(&port, measure).await.ok();
            let _ = me.tell(Measured(outcome)).send().await;
        });
    }
}

/// The latest time that the space knows.
fn since(counters: crate::rows::Counters) -> Timestamp {
    Timestamp::from_millis(counters.clock_high_ms)
}

impl Message<Copied> for MemoryStore {
    type Reply = ();

    async fn handle(&mut self, Copied(outcome): Copied, ctx: &mut Context<Self, ()>) {
        self.renewal.busy = false;
        match outcome {
            Some(Ok(renewed)) => self.renewal.ready = Some(renewed),
            Some(Err(error)) => {
                tracing::warn!(space = %self.args.space, %error, "file could not be written anew");
                self.renewal.failed = true;
            }
            None => self.renewal.failed = true,
        }
        self.go_on(ctx.actor_ref());
    }
}

impl Message<Placed> for MemoryStore {
    type Reply = ();

    async fn handle(&mut self, placed: Placed, ctx: &mut Context<Self, ()>) {
        self.in_flight = None;
        match placed.outcome {
            Some(Ok(true)) => {
                let mut next = Snapshot::clone(&self.published.load_full());
                next.counters.scrub_pending &= placed.marks.scrubbed_at.is_none();
                self.published.store(Arc::new(next));
                let renewal = &mut self.renewal;
                renewal.scrubbed_at = placed.marks.scrubbed_at.or(renewal.scrubbed_at);
                (renewal.voided, renewal.compact) = (0, false);
                let [before, bytes] = placed.bytes;
                // Where a copy is hardly smaller, as with texts that fill their pages badly, it is not worth another soon.
                let gained = before.saturating_sub(bytes) * 4 >= before;
                let again = if gained { bytes / 4 * GROWTH_QUARTERS } else { bytes * 2 };
                self.renewal.measure_from = again;
                tracing::debug!(space = %self.args.space, bytes, "file was written anew");
            }
            Some(Ok(false)) => {
                self.renewal.voided += 1;
                self.renewal.waits = true;
            }
            Some(Err(error)) => {
                tracing::warn!(space = %self.args.space, %error, "file could not be written anew");
                // The file keeps the mark, so that the next waking tries again.
                self.renewal.failed = true;
            }
            None => self.renewal.failed = true,
        }
        self.go_on(ctx.actor_ref());
    }
}

impl Message<Measured> for MemoryStore {
    type Reply = ();

    async fn handle(&mut self, Measured(outcome): Measured, ctx: &mut Context<Self, ()>) {
        self.renewal.busy = false;
        if let Some(Ok(Some(fill))) = outcome {
            self.renewal.commits = 0;
            self.renewal.compact = fill.slack() > f64::from(self.rules.config.compact_above);
            self.renewal.measure_from = fill.file_bytes / 4 * GROWTH_QUARTERS;
        }
        self.go_on(ctx.actor_ref());
    }
}
