//! Messages of prospective memory.

use std::collections::BTreeSet;

use bethink_domain::{Cause, DeliveryId, DueReminder, Reminder, Stage};
use bethink_protocol::{
    Due, LeaseReminders, LookAtReminders, Looked, MemoryError, PlaceMeanings, SeenReminders, StoreReminders,
};
use kameo::message::{Context, Message};

use super::MemoryStore;
use super::writing::Delegated;
use crate::apply::{Answer, Command};
use crate::recall::due_alone;
use crate::snapshot::Snapshot;

/// Reminders that one look shows; the others are seen by looking at one.
const SEEN_MAX: usize = 100_000;

impl Message<StoreReminders> for MemoryStore {
    type Reply = Delegated<Vec<Reminder>>;

    async fn handle(&mut self, store: StoreReminders, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let at = store.at;
        self.accept(Command::StoreReminders(Box::new(store)), at, ctx, |answer| match answer {
            Answer::Reminders(stored) => {
                Some(stored.into_iter().map(|reminder| Reminder::clone(&reminder)).collect())
            }
            _ => None,
        })
    }
}

impl Message<LeaseReminders> for MemoryStore {
    type Reply = Delegated<Vec<DeliveryId>>;

    async fn handle(&mut self, lease: LeaseReminders, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let LeaseReminders { at, shown, recall, pushed } = lease;
        let cause = recall.map_or(Cause::Command, Cause::Recall);
        self.accept(Command::LeaseReminders { at, cause, shown, pushed }, at, ctx, |answer| match answer {
            Answer::Leased(taken) => Some(taken),
            _ => None,
        })
    }
}

impl Message<LookAtReminders> for MemoryStore {
    type Reply = Delegated<SeenReminders>;

    async fn handle(&mut self, look: LookAtReminders, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        ctx.spawn(self.look(move |snapshot| seen(snapshot, &look)))
    }
}

impl Message<Due> for MemoryStore {
    type Reply = Delegated<Vec<DueReminder>>;

    async fn handle(&mut self, due: Due, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let config = self.args.config.prospective;
        let found = due_alone(&self.published.load_full(), due.at, due.said.as_deref(), &config);
        let (delegated, sender) = ctx.reply_sender();
        let Some(sender) = sender else { return delegated };
        if found.is_empty() || !due.lease {
            sender.send(Ok(found));
            return delegated;
        }
        self.lease_then(found.clone(), &due, ctx.actor_ref(), move |leased| {
            let mut found = found;
            sender.send(leased.map(|taken| {
                found.retain(|due| taken.contains(&due.id));
                found
            }));
        });
        delegated
    }
}

impl Message<PlaceMeanings> for MemoryStore {
    type Reply = ();

    async fn handle(&mut self, place: PlaceMeanings, _: &mut Context<Self, ()>) {
        self.published.rcu(|snapshot| {
            let mut next = Snapshot::clone(snapshot);
            next.reminders.set_meanings(&place.meanings);
            next
        });
    }
}

impl MemoryStore {
    /// Makes durable that reminders are being shown, then goes on: whoever shows them after that can tell a repeat.
    pub(super) fn lease_then(
        &mut self,
        shown: Vec<DueReminder>,
        &Due { at, pushed, .. }: &Due,
        me: &kameo::actor::ActorRef<Self>,
        then: impl FnOnce(Result<Vec<DeliveryId>, MemoryError>) + Send + 'static,
    ) {
        let taken = |answer| match answer {
            Answer::Leased(taken) => taken,
            _ => Vec::new(),
        };
        let reply = Box::new(move |answer: Result<Answer, MemoryError>| then(answer.map(taken)));
        self.seen_at = self.seen_at.max(at);
        let command = Command::LeaseReminders { at, cause: Cause::Command, shown, pushed };
        self.submit(super::Pending { command, reply }, me);
    }
}

fn seen(snapshot: &Snapshot, LookAtReminders { which, at }: &LookAtReminders) -> SeenReminders {
    let all = &snapshot.reminders;
    let open = |reminder: &&std::sync::Arc<Reminder>| reminder.stage == Stage::Open;
    let own = |reminder: &std::sync::Arc<Reminder>| Reminder::clone(reminder);
    let reminders: Vec<Reminder> = match which {
        Looked::Open => all.iter().filter(open).take(SEEN_MAX).map(own).collect(),
        Looked::All => all.iter().take(SEEN_MAX).map(own).collect(),
        Looked::One(id) => all.get(*id).map(own).into_iter().collect(),
        Looked::LookedAtBy(by) => all.looked_at_by(*by).take(SEEN_MAX).map(own).collect(),
        Looked::Event(event) => {
            let waits = |r: &&std::sync::Arc<Reminder>| open(r) && r.trigger.event.as_deref() == Some(event);
            all.iter().filter(waits).take(SEEN_MAX).map(own).collect()
        }
        Looked::Nothing => Vec::new(),
    };
    let events = all.iter().filter(open).filter(|r| r.fired_at.is_none());
    let events: BTreeSet<String> =
        events.filter_map(|r| r.trigger.event.as_deref().map(str::to_owned)).collect();
    SeenReminders {
        reminders,
        whereabouts: all.whereabouts(),
        next_look: all.next_look(),
        upcoming: all.upcoming(*at),
        events: events.into_iter().collect(),
        contexts: all.meaningless(64),
    }
}
