//! Looking what is due: what time did meanwhile is settled, and what somebody can be shown is shown.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bethink_domain::{DeliveryId, DueReminder, Reminder, Span, Timestamp};
use bethink_protocol::{
    Deed, Embed, LeaseReminders, Looked, Parcel, PlaceMeanings, ReminderChange, ReminderError, Upcoming,
    Urgency,
};

use crate::shared::{Shared, memory};
use crate::transitions::{acknowledged, backoff, released, settled};

/// Reminders that one commit settles.
const BATCH: usize = 512;
/// Reminders that one look delivers; the next look goes on at once.
const DELIVERED_MAX: usize = 256;

impl Shared {
    /// Looks once; where another look is under way, after it. The first look settles what time did, and shows nothing.
    pub(crate) async fn look(self: Arc<Self>, now: Timestamp) -> Result<(), ReminderError> {
        // The semaphore is never closed.
        let one = self.looking.acquire().await;
        let first = !self.begun.load(Ordering::SeqCst);
        self.settle(now, first).await?;
        self.begun.store(true, Ordering::SeqCst);
        // Whoever shows what is due says so through the space, which lets nobody in before its first look is over.
        if !first {
            self.deliver(now).await?;
        }
        drop(one);
        self.refresh(now).await?;
        self.mean(now).await
    }

    /// Notes when to look next. Called after every change.
    pub(crate) async fn refresh(&self, now: Timestamp) -> Result<(), ReminderError> {
        let _one = self.noting.acquire().await;
        let seen = self.see(Looked::Nothing, now).await?;
        let (_, retry) = self.failed(now);
        let overdue = seen.next_look.is_some_and(|at| at <= now) && self.waits(now).await?;
        // What came due by a change is told by the next stroke of the timer.
        let soon = overdue.then(|| now + Span::from_millis(1));
        let strike = [seen.upcoming, retry, soon].into_iter().flatten().min();
        self.set_strike(strike);
        let next = Upcoming { by: seen.next_look, strike, events: seen.events };
        self.args.next_look.set(&self.args.space, next).await;
        Ok(())
    }

    /// Whether something is due that somebody can be shown.
    async fn waits(&self, now: Timestamp) -> Result<bool, ReminderError> {
        if !self.args.couriers.present(&self.args.space) {
            return Ok(false);
        }
        let seen = self.see(Looked::LookedAtBy(now), now).await?;
        let (failed, _) = self.failed(now);
        let waits = |r: &Reminder| r.showable_since(now).is_some() && !failed.contains(&r.delivery_id());
        Ok(seen.reminders.iter().any(waits))
    }

    /// Brings what is stored up to now; at the start, every open reminder.
    async fn settle(&self, now: Timestamp, at_start: bool) -> Result<(), ReminderError> {
        let which = if at_start { Looked::Open } else { Looked::LookedAtBy(now) };
        let seen = self.see(which, now).await?;
        let manner = self.manner(&seen.whereabouts, None, now);
        let changes: Vec<ReminderChange> = seen
            .reminders
            .iter()
            .filter_map(|reminder| settled(reminder, now, &manner.zones, at_start))
            .map(|(reminder, deed)| ReminderChange::Put {
                reminder: Box::new(reminder),
                reworded: false,
                deed,
            })
            .collect();
        for batch in changes.chunks(BATCH) {
            if let Err(error) = self.store(batch.to_vec(), now).await {
                // Somebody changed one of them: what is left is settled when it is looked at next.
                tracing::debug!(space = %self.args.space, %error, "some reminders were not settled");
            }
        }
        Ok(())
    }

    async fn deliver(&self, now: Timestamp) -> Result<(), ReminderError> {
        if !self.args.couriers.present(&self.args.space) {
            return Ok(());
        }
        let seen = self.see(Looked::LookedAtBy(now), now).await?;
        let manner = self.manner(&seen.whereabouts, None, now);
        let (failed, _) = self.failed(now);
        let late_after = self.args.config.late_after();
        let showable = |reminder: &&Reminder| {
            reminder.showable_since(now).is_some() && !failed.contains(&reminder.delivery_id())
        };
        let mut due: Vec<DueReminder> = seen
            .reminders
            .iter()
            .filter(showable)
            .filter_map(|reminder| reminder.shown(now, late_after))
            .collect();
        due.sort_by(DueReminder::order);
        due.truncate(DELIVERED_MAX);
        for due in due {
            let parcel = Parcel { space: self.args.space.clone(), when: manner.due(&due), due, at: now };
            self.hand_over(&parcel, now).await?;
        }
        Ok(())
    }

    /// Leases one, has it shown, and acknowledges it, or lets it go.
    async fn hand_over(&self, parcel: &Parcel, now: Timestamp) -> Result<(), ReminderError> {
        let id = parcel.due.id;
        // Durable before it is shown: whoever shows it after a crash knows that this may have been seen.
        let lease = LeaseReminders { shown: vec![parcel.due.clone()], recall: None, pushed: true, at: now };
        let taken = self.args.store.lease.ask(lease).await.map_err(memory)?;
        if !taken.contains(&id) {
            // A recall was quicker, or it was seen to meanwhile.
            return Ok(());
        }
        self.set_last(id.reminder, now);
        match self.args.couriers.deliver(parcel).await {
            Ok(door) => {
                tracing::info!(space = %self.args.space, %id, door, "reminder delivered");
                self.acknowledge(id, now).await.map(drop)
            }
            Err(refused) => {
                let reminder = self.change(id.reminder, now, Deed::Released, |reminder| {
                    (reminder.delivery_id() == id && reminder.delivery.pushed).then(|| released(reminder))
                });
                let attempts = reminder.await?.map_or(1, |reminder| reminder.delivery.attempts);
                tracing::warn!(space = %self.args.space, %id, reason = refused.0, "a reminder was taken by nobody");
                self.set_failed(id, now + backoff(attempts));
                Ok(())
            }
        }
    }

    /// Acknowledges an occurrence; none when it was over before.
    pub(crate) async fn acknowledge(
        &self,
        id: DeliveryId,
        now: Timestamp,
    ) -> Result<Option<Reminder>, ReminderError> {
        let seen = self.see(Looked::Nothing, now).await?;
        let zones = self.manner(&seen.whereabouts, None, now).zones;
        self.change(id.reminder, now, Deed::Acknowledged, |reminder| {
            let open = reminder.stage == bethink_domain::Stage::Open;
            (open && reminder.delivery_id() == id).then(|| acknowledged(reminder, now, &zones))
        })
        .await
    }

    /// Gives contexts that have none their meaning. Without it words alone decide.
    pub(crate) async fn mean(&self, now: Timestamp) -> Result<(), ReminderError> {
        let contexts = self.see(Looked::Nothing, now).await?.contexts;
        if contexts.is_empty() {
            return Ok(());
        }
        let (ids, texts): (Vec<_>, Vec<_>) = contexts.into_iter().unzip();
        let Ok(embedded) = self.args.embed.ask(Embed { texts, urgency: Urgency::Import }).await else {
            return Ok(());
        };
        let meanings = ids.into_iter().zip(embedded.vectors).filter_map(|(id, meaning)| Some((id, meaning?)));
        let place = PlaceMeanings { meanings: meanings.collect() };
        // A store that is not there has no contexts either.
        let _ = self.args.store.place_meanings.tell(place).await;
        Ok(())
    }
}
