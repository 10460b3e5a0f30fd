//! What the tasks of one space's reminders share: ports, and the ways of asking through them.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use bethink_cognition::ProspectiveConfig;
use bethink_domain::{DeliveryId, Reminder, SpaceId, Timestamp, TraceId, Whereabouts};
use bethink_protocol::{
    Couriers, Deed, EmbedPort, LookAtReminders, Looked, MemoryError, NextLook, ReminderChange, ReminderError,
    ReminderStorePorts, SeenReminders, StoreReminders,
};
use jiff::tz::TimeZone;
use kameo::error::SendError;
use tokio::sync::Semaphore;

use crate::telling::Manner;
use crate::transitions::Zones;

/// Attempts to change what others change at the same time. Each failure means that one of them got on.
const ATTEMPTS_MAX: usize = 16;

/// What it takes to build the Reminders of a space, and to build them again after a crash.
#[derive(Clone, Debug)]
pub struct RemindersArgs {
    /// Whose.
    pub space: SpaceId,
    /// The space's memory.
    pub store: ReminderStorePorts,
    /// Gives contexts their meanings.
    pub embed: EmbedPort,
    /// Who can show a reminder at its time.
    pub couriers: Arc<dyn Couriers>,
    /// Keeps when the space must wake.
    pub next_look: Arc<dyn NextLook>,
    /// IANA name of the configured zone, if one is.
    pub zone: Option<String>,
    /// How the user writes dates.
    pub locale: bethink_text::times::Locale,
    /// Numbers, checked.
    pub config: ProspectiveConfig,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) args: RemindersArgs,
    /// One look at a time. A look may wait for somebody to show a reminder, so nothing else waits for this.
    pub(crate) looking: Semaphore,
    /// A first look was taken.
    pub(crate) begun: AtomicBool,
    /// One note of when to look next after another, so that the last one is the newest.
    pub(crate) noting: Semaphore,
    quick: Mutex<Quick>,
}

#[derive(Debug, Default)]
struct Quick {
    /// When the timer is of use next; none when it is of none.
    strike: Option<Timestamp>,
    /// The reminder that was shown or spoken of last, and when.
    last: Option<(TraceId, Timestamp)>,
    /// Deliveries that failed, and when they are tried again.
    failed: HashMap<DeliveryId, Timestamp>,
}

impl Shared {
    pub(crate) fn new(args: RemindersArgs) -> Self {
        let quick = Mutex::new(Quick::default());
        Self {
            args,
            looking: Semaphore::new(1),
            begun: AtomicBool::new(false),
            noting: Semaphore::new(1),
            quick,
        }
    }

    /// Notes that a delivery failed.
    pub(crate) fn set_failed(&self, id: DeliveryId, again_at: Timestamp) {
        self.quick.lock().unwrap_or_else(PoisonError::into_inner).failed.insert(id, again_at);
    }

    /// Deliveries that failed and are not to be tried again yet, and when the first of them is.
    pub(crate) fn failed(&self, now: Timestamp) -> (HashSet<DeliveryId>, Option<Timestamp>) {
        let mut quick = self.quick.lock().unwrap_or_else(PoisonError::into_inner);
        quick.failed.retain(|_, again_at| *again_at > now);
        (quick.failed.keys().copied().collect(), quick.failed.values().min().copied())
    }

    /// When the timer is of use next.
    pub(crate) fn strike(&self) -> Option<Timestamp> {
        self.quick.lock().unwrap_or_else(PoisonError::into_inner).strike
    }

    pub(crate) fn set_strike(&self, strike: Option<Timestamp>) {
        self.quick.lock().unwrap_or_else(PoisonError::into_inner).strike = strike;
    }

    /// The reminder that was shown or spoken of last.
    pub(crate) fn last(&self) -> Option<(TraceId, Timestamp)> {
        self.quick.lock().unwrap_or_else(PoisonError::into_inner).last
    }

    pub(crate) fn set_last(&self, id: TraceId, at: Timestamp) {
        self.quick.lock().unwrap_or_else(PoisonError::into_inner).last = Some((id, at));
    }

    /// What the store has.
    pub(crate) async fn see(&self, which: Looked, at: Timestamp) -> Result<SeenReminders, ReminderError> {
        self.args.store.look.ask(LookAtReminders { which, at }).await.map_err(memory)
    }

    /// Changes the store.
    pub(crate) async fn store(
        &self,
        changes: Vec<ReminderChange>,
        at: Timestamp,
    ) -> Result<Vec<Reminder>, ReminderError> {
        self.args.store.store.ask(StoreReminders { changes, at }).await.map_err(memory)
    }

    /// Changes one reminder by a function of its state; none where the function leaves it as it is. Where somebody else
    /// changed it meanwhile, the function is asked again.
    pub(crate) async fn change(
        &self,
        id: TraceId,
        at: Timestamp,
        deed: Deed,
        change: impl Fn(&Reminder) -> Option<Reminder>,
    ) -> Result<Option<Reminder>, ReminderError> {
        for _ in 0..ATTEMPTS_MAX {
            let seen = self.see(Looked::One(id), at).await?;
            let Some(reminder) = seen.reminders.into_iter().next() else {
                return Err(ReminderError::NoSuch(format!("reminder {id}")));
            };
            let Some(next) = change(&reminder) else { return Ok(None) };
            let reworded = next.text != reminder.text;
            // What makes it due sooner is noted before it is kept, so that no crash lies between.
            self.args.next_look.lower(&self.args.space, next.next_look(), None).await;
            let put = ReminderChange::Put { reminder: Box::new(next), reworded, deed };
            match self.store(vec![put], at).await {
                Err(ReminderError::Memory(MemoryError::Changed(_))) => {}
                Err(error) => return Err(error),
                Ok(stored) => return Ok(stored.into_iter().next()),
            }
        }
        Err(ReminderError::Unavailable(format!("reminder {id} is changed by others all the time")))
    }

    /// The user's zone, as far as it is known: where they are for now, where they said they live, the configured one, or
    /// that of the request.
    pub(crate) fn known_zones(
        &self,
        whereabouts: &Whereabouts,
        request: Option<&str>,
        at: Timestamp,
    ) -> Option<Zones> {
        let zone = |name: Option<&str>| name.and_then(|name| TimeZone::get(name).ok());
        let home = zone(whereabouts.home.as_deref())
            .or_else(|| zone(self.args.zone.as_deref()))
            .or_else(|| zone(request));
        let away = whereabouts.away.as_ref().filter(|(_, until)| at < *until);
        match away.and_then(|(name, until)| Some((zone(Some(name))?, *until))) {
            Some((now, until)) => Some(Zones { now, later: home.map(|home| (until, home)) }),
            None => home.map(Zones::only),
        }
    }

    /// The ways of saying a time: in the user's zone, or in UTC where none is known.
    pub(crate) fn manner(&self, whereabouts: &Whereabouts, request: Option<&str>, at: Timestamp) -> Manner {
        let known = self.known_zones(whereabouts, request, at);
        let zones = known.unwrap_or_else(|| Zones::only(TimeZone::UTC));
        Manner { zones, twelve_hour: self.args.locale.twelve_hour, stays: self.args.couriers.stay() }
    }
}

/// What a port's failure means to who asked.
pub(crate) fn memory<M>(error: SendError<M, MemoryError>) -> ReminderError {
    match error {
        SendError::HandlerError(error) => ReminderError::Memory(error),
        SendError::Timeout(_) => ReminderError::Unavailable("memory gave no answer in time".to_owned()),
        _ => ReminderError::Unavailable("memory is stopping or being restarted".to_owned()),
    }
}
