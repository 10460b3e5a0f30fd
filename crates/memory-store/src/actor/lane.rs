//! The commit lane: one job in flight; what arrives meanwhile shares the next.

use std::sync::Arc;

use bethink_protocol::{MemoryError, offload};
use kameo::actor::ActorRef;
use kameo::message::{Context, Message};

use super::{MemoryStore, Reply};
use crate::apply::{Answer, Command};
use crate::error::StoreError;
use crate::file::commit::{Committed, commit};

/// Recall notes that wait for a commit at most; the oldest are dropped, which only means that they cannot be credited.
const EFFECTS_MAX: usize = 1_024;

/// The commit in flight ended, and whoever waited for it was told.
struct CommitEnded {
    /// None when the job was abandoned.
    outcome: Option<Result<(), StoreError>>,
    effects: Vec<Command>,
}

/// Those who wait for a commit. They hear of it also when its job is dropped or panics.
struct Waiting(Vec<Reply>);

impl Waiting {
    fn hear(mut self, answers: impl Iterator<Item = Result<Answer, MemoryError>>) {
        self.0.drain(..).zip(answers).for_each(|(reply, answer)| reply(answer));
    }

    fn fail(mut self, error: &MemoryError) {
        self.0.drain(..).for_each(|reply| reply(Err(error.clone())));
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let abandoned = || MemoryError::Unavailable("the commit was abandoned".to_owned());
        self.0.drain(..).for_each(|reply| reply(Err(abandoned())));
    }
}

impl MemoryStore {
    /// Starts a commit of all that is queued, unless one is in flight.
    pub(super) fn start_commit(&mut self, me: &ActorRef<Self>) {
        let flushing = self.draining.is_some() && !self.effects.is_empty();
        if self.in_flight.is_some() || (self.queue.is_empty() && !flushing) {
            return;
        }
        let effects: Vec<Command> = self.effects.drain(..).collect();
        let (commands, replies): (Vec<Command>, Vec<Reply>) =
            self.queue.drain(..).map(|pending| (pending.command, pending.reply)).unzip();
        self.in_flight = Some(replies.len());
        let (waiting, published) = (Waiting(replies), Arc::clone(&self.published));
        let listeners = self.args.events.clone();
        let (slot, epoch, rules) = (self.args.slot.clone(), self.epoch, Arc::clone(&self.rules));
        let (base, port, me) = (self.published.load_full(), Arc::clone(&self.args.commit), me.clone());
        let noted = effects.len();
        let kept = effects.clone();
        tokio::spawn(async move {
            // Whoever waits is told by the thread that commits: two hops less, which is as long as half a commit.
            let job = move || {
                let batch: Vec<Command> = effects.into_iter().chain(commands).collect();
                match commit(&slot, epoch, &base, &batch, &rules) {
                    Ok(Committed { snapshot, answers, events }) => {
                        // Published before anybody hears of it, so that the very next recall finds it.
                        published.store(snapshot);
                        // Told before the answers, so that who asks next finds the listeners at work.
                        events.into_iter().for_each(|event| listeners.tell(event));
                        waiting.hear(answers.into_iter().skip(noted));
                        Ok(())
                    }
                    Err(error) => {
                        waiting.fail(&error.told());
                        Err(error)
                    }
                }
            };
            let outcome = offload(&port, job).await.ok();
            // The actor is gone only when nobody waits for these replies any more.
            let _ = me.tell(CommitEnded { outcome, effects: kept }).send().await;
        });
    }

    /// Does what comes next: the next commit, or, when draining, the last things and the reply.
    pub(super) fn go_on(&mut self, me: &ActorRef<Self>) {
        self.start_install(me);
        self.start_examining(me);
        self.start_commit(me);
        self.start_sealing(me);
        if self.embedding.len() == 0 {
            self.start_renewal(me);
        }
        if self.draining.is_none() || self.in_flight.is_some() || self.embedding.len() > 0 {
            return;
        }
        if !self.renewing() {
            for waiting in self.draining.get_or_insert_default().drain(..) {
                waiting.send(());
            }
        }
    }

    /// Keeps what a recall left behind for the next commit.
    pub(super) fn note_effect(&mut self, effect: Command) {
        if self.effects.len() >= EFFECTS_MAX {
            self.effects.pop_front();
        }
        self.effects.push_back(effect);
    }
}

impl Message<CommitEnded> for MemoryStore {
    type Reply = ();

    async fn handle(&mut self, ended: CommitEnded, ctx: &mut Context<Self, ()>) {
        self.in_flight = None;
        match ended.outcome {
            Some(Ok(())) => {
                self.renewal.note_commit();
                self.retry_embedding(ctx.actor_ref());
                self.go_on_moving(ctx.actor_ref());
                return self.go_on(ctx.actor_ref());
            }
            Some(Err(error)) => tracing::warn!(space = %self.args.space, %error, "commit failed"),
            None => tracing::warn!(space = %self.args.space, "commit was abandoned"),
        }
        if self.draining.is_none() {
            ended.effects.into_iter().for_each(|effect| self.note_effect(effect));
        }
        self.go_on(ctx.actor_ref());
    }
}
