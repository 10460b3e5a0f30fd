//! Lending the file of a sleeping space, so that it can be copied without waking the space.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bethink_domain::SpaceId;
use bethink_memory_store::StoreSlot;
use kameo::actor::ActorRef;
use kameo::message::{Context, Message};

use super::{Directory, State};

/// Asks for the file of a space.
pub(crate) struct Lend {
    pub(crate) space: SpaceId,
}

/// Puts a space to sleep, if it is awake.
pub(crate) struct PutToSleep {
    pub(crate) space: SpaceId,
}

impl Message<PutToSleep> for Directory {
    type Reply = ();

    async fn handle(&mut self, PutToSleep { space }: PutToSleep, ctx: &mut Context<Self, ()>) {
        self.start_sleeping(&space, ctx.actor_ref().clone());
    }
}

/// A loan has ended.
pub(crate) struct Returned {
    pub(crate) space: SpaceId,
}

/// How a space's file can be read.
#[derive(kameo::Reply)]
pub(crate) enum Lent {
    /// The space is awake; its file is read beside its actors.
    Awake(StoreSlot),
    /// It sleeps, and does so until the loan ends.
    Asleep(Loan),
    /// It is about to wake or to sleep; ask again soon.
    NotNow,
    /// Bethink is stopping.
    Stopping,
}

/// A sleeping space that stays asleep until this is dropped. Give it back soon when it is [wanted](Wanted::is).
pub(crate) struct Loan {
    pub(crate) space: SpaceId,
    pub(crate) wanted: Wanted,
    pub(crate) directory: ActorRef<Directory>,
}

/// Whether somebody waits for a space that is lent. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wanted(Arc<AtomicBool>);

impl Wanted {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        let (directory, space) = (self.directory.clone(), self.space.clone());
        // Outside of the runtime nobody is left who waits for it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            drop(runtime.spawn(async move { drop(directory.tell(Returned { space }).await) }));
        }
    }
}

impl Message<Lend> for Directory {
    type Reply = Lent;

    async fn handle(&mut self, Lend { space }: Lend, ctx: &mut Context<Self, Lent>) -> Lent {
        if self.stopping {
            return Lent::Stopping;
        }
        match self.spaces.get(&space) {
            Some(State::Awake { family, .. }) => Lent::Awake(family.slot().clone()),
            None | Some(State::Resting { closing: false, .. }) => {
                let (wanted, directory) = (Wanted::default(), ctx.actor_ref().clone());
                let lent = State::Lent { waiters: Vec::new(), wanted: wanted.clone() };
                self.spaces.insert(space.clone(), lent);
                Lent::Asleep(Loan { space, wanted, directory })
            }
            // A space that rests after crashes can be read once its file is closed.
            Some(_) => Lent::NotNow,
        }
    }
}

impl Message<Returned> for Directory {
    type Reply = ();

    async fn handle(&mut self, Returned { space }: Returned, ctx: &mut Context<Self, ()>) {
        let Some(State::Lent { waiters, .. }) = self.spaces.remove(&space) else { return };
        self.serve_late(&space, waiters, ctx.actor_ref().clone());
        self.settle();
    }
}
