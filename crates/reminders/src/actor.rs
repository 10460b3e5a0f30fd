//! The Reminders actor: takes messages in and starts a task for each.

use std::ops::ControlFlow;
use std::sync::Arc;

use bethink_domain::{Reminder, Stage};
use bethink_protocol::{
    Attend, Attended, Drain, ListReminders, Look, Looked, Raise, ReminderError, ReminderPorts,
    Reminders as Listed, Schedule, Scheduled, SetZone, TakeVitals, Tick, Vitals,
};
use kameo::actor::{Actor, ActorRef, WeakActorRef};
use kameo::error::{ActorStopReason, Infallible, PanicError};
use kameo::message::{Context, Message};
use kameo::reply::DelegatedReply;

use crate::shared::{RemindersArgs, Shared};

/// Most reminders that one list holds.
const LISTED_MAX: usize = 1_000;

/// Prospective memory of one space: what is wished is kept, and told when its time has come.
pub struct Reminders {
    shared: Arc<Shared>,
}

type Delegated<T> = DelegatedReply<Result<T, ReminderError>>;

impl Actor for Reminders {
    type Args = RemindersArgs;
    type Error = Infallible;

    async fn on_start(args: RemindersArgs, _: ActorRef<Self>) -> Result<Self, Infallible> {
        Ok(Self { shared: Arc::new(Shared::new(args)) })
    }

    async fn on_panic(
        &mut self,
        _: WeakActorRef<Self>,
        error: PanicError,
    ) -> Result<ControlFlow<ActorStopReason>, Infallible> {
        if error.is_panic() {
            return Ok(ControlFlow::Break(ActorStopReason::Panicked(error)));
        }
        tracing::debug!("a told message was refused");
        Ok(ControlFlow::Continue(()))
    }
}

impl Message<Schedule> for Reminders {
    type Reply = Delegated<Scheduled>;

    async fn handle(&mut self, schedule: Schedule, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let shared = Arc::clone(&self.shared);
        ctx.spawn(async move { shared.schedule(schedule).await })
    }
}

impl Message<Attend> for Reminders {
    type Reply = Delegated<Attended>;

    async fn handle(&mut self, attend: Attend, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let shared = Arc::clone(&self.shared);
        ctx.spawn(async move { shared.attend(attend).await })
    }
}

impl Message<Raise> for Reminders {
    type Reply = Delegated<usize>;

    async fn handle(&mut self, raise: Raise, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let shared = Arc::clone(&self.shared);
        ctx.spawn(async move { shared.raise(raise).await })
    }
}

impl Message<SetZone> for Reminders {
    type Reply = Delegated<String>;

    async fn handle(&mut self, set: SetZone, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let shared = Arc::clone(&self.shared);
        ctx.spawn(async move { shared.set_zone(set).await })
    }
}

impl Message<ListReminders> for Reminders {
    type Reply = Delegated<Listed>;

    async fn handle(&mut self, list: ListReminders, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let shared = Arc::clone(&self.shared);
        ctx.spawn(async move { shared.list(list).await })
    }
}

impl Message<Look> for Reminders {
    type Reply = Delegated<()>;

    async fn handle(&mut self, Look { at }: Look, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        ctx.spawn(Arc::clone(&self.shared).look(at))
    }
}

impl Message<Tick> for Reminders {
    type Reply = ();

    async fn handle(&mut self, Tick { now }: Tick, _: &mut Context<Self, ()>) {
        if self.shared.strike().is_none_or(|strike| strike > now) {
            return;
        }
        // Until the look is over, further strokes find nothing to strike for.
        self.shared.set_strike(None);
        let shared = Arc::clone(&self.shared);
        drop(tokio::spawn(async move {
            if let Err(error) = Arc::clone(&shared).look(now).await {
                tracing::warn!(space = %shared.args.space, %error, "reminders could not be looked at");
                shared.set_strike(Some(now));
            }
        }));
    }
}

impl Message<Drain> for Reminders {
    type Reply = DelegatedReply<()>;

    async fn handle(&mut self, _: Drain, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let shared = Arc::clone(&self.shared);
        // What is being shown is acknowledged before memory closes.
        ctx.spawn(async move { drop(shared.looking.acquire().await) })
    }
}

impl Message<TakeVitals> for Reminders {
    type Reply = Vitals;

    async fn handle(&mut self, _: TakeVitals, _: &mut Context<Self, Vitals>) -> Vitals {
        let in_flight = usize::from(self.shared.looking.available_permits() == 0);
        Vitals { waiting: 0, in_flight, doing: None }
    }
}

/// The ports of a space's reminders.
#[must_use]
pub fn ports(reminders: &ActorRef<Reminders>) -> ReminderPorts {
    ReminderPorts {
        schedule: reminders.clone().reply_recipient(),
        attend: reminders.clone().reply_recipient(),
        raise: reminders.clone().reply_recipient(),
        set_zone: reminders.clone().reply_recipient(),
        list: reminders.clone().reply_recipient(),
        look: reminders.clone().reply_recipient(),
    }
}

impl Shared {
    async fn list(&self, list: ListReminders) -> Result<Listed, ReminderError> {
        let ListReminders { all, tags, zone, limit, at } = list;
        let seen = self.see(if all { Looked::All } else { Looked::Open }, at).await?;
        let manner = self.manner(&seen.whereabouts, zone.as_deref(), at);
        let tagged =
            |r: &Reminder| tags.is_empty() || tags.iter().any(|tag| r.tags.iter().any(|own| **own == **tag));
        let mut reminders: Vec<Reminder> = seen.reminders.into_iter().filter(tagged).collect();
        let order = |r: &Reminder| (r.stage != Stage::Open, r.due_at.is_none(), r.due_at, r.id);
        reminders.sort_by_key(order);
        let limit = limit.clamp(1, LISTED_MAX);
        let more = reminders.len() > limit;
        reminders.truncate(limit);
        let reminders = reminders.into_iter().map(|reminder| manner.listed(reminder)).collect();
        Ok(Listed { reminders, more })
    }
}
