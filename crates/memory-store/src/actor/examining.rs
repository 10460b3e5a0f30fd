//! Examining memory while it is in use.

use std::collections::VecDeque;
use std::sync::Arc;

use bethink_domain::Examination;
use bethink_protocol::{Examine, MemoryError, offload};
use kameo::actor::ActorRef;
use kameo::message::{Context, Message};
use kameo::reply::{DelegatedReply, ReplySender};

use super::MemoryStore;
use crate::doctor::{Checkup, Held, examine_held};
use crate::error::StoreError;

/// Who asked, and what.
pub(super) struct Asked {
    examine: Examine,
    sender: ReplySender<Result<Examination, MemoryError>>,
}

/// Examinations that wait for a moment without a commit.
pub(super) type Waiting = VecDeque<Asked>;

/// Examinations that may wait; each is a person's command, and more of them are a runaway script.
const WAITING_MAX: usize = 16;

/// A moment of file and memory is held.
struct Begun {
    asked: Asked,
    /// None when the job was abandoned.
    held: Option<Result<Held, StoreError>>,
}

impl Message<Examine> for MemoryStore {
    type Reply = DelegatedReply<Result<Examination, MemoryError>>;

    async fn handle(&mut self, examine: Examine, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let (delegated, sender) = ctx.reply_sender();
        let Some(sender) = sender else { return delegated };
        if self.examining.len() >= WAITING_MAX {
            sender.send(Err(MemoryError::Busy));
        } else {
            self.examining.push_back(Asked { examine, sender });
            self.start_examining(ctx.actor_ref());
        }
        delegated
    }
}

impl MemoryStore {
    /// Holds file and memory of one moment, which they agree on only while no commit is in flight. That takes
    /// microseconds; what follows is in nobody's way.
    pub(super) fn start_examining(&mut self, me: &ActorRef<Self>) {
        if self.in_flight.is_some() {
            return;
        }
        let Some(asked) = self.examining.pop_front() else { return };
        self.in_flight = Some(0);
        let (slot, snapshot) = (self.args.slot.clone(), self.published.load_full());
        let (port, me) = (Arc::clone(&self.args.commit), me.clone());
        tokio::spawn(async move {
            let held = offload(&port, move || Held::of(&slot, Some(snapshot))).await.ok();
            // The actor is gone only when nobody waits for this any more.
            let _ = me.tell(Begun { asked, held }).send().await;
        });
    }
}

impl Message<Begun> for MemoryStore {
    type Reply = ();

    async fn handle(&mut self, begun: Begun, ctx: &mut Context<Self, ()>) {
        self.in_flight = None;
        let Asked { examine, sender } = begun.asked;
        let slot = self.args.slot.clone();
        let checkup = Checkup {
            at: examine.at,
            deep: examine.deep,
            repair: false,
            migrate: false,
            configured: slot.embedder().cloned(),
        };
        let port = Arc::clone(&self.args.scan);
        tokio::spawn(async move {
            let abandoned = || MemoryError::Unavailable("the examination was abandoned".to_owned());
            let examined = match begun.held {
                Some(Ok(held)) => offload(&port, move || examine_held(&slot, &held, &checkup))
                    .await
                    .map_err(|_| abandoned()),
                Some(Err(error)) => Err(error.told()),
                None => Err(abandoned()),
            };
            sender.send(examined);
        });
        self.go_on(ctx.actor_ref());
    }
}
