//! What happens outside: events, and where the user is.

use std::sync::Arc;

use bethink_domain::Whereabouts;
use bethink_protocol::{Deed, Looked, Raise, ReminderChange, ReminderError, SetZone};
use jiff::tz::TimeZone;

use crate::events::event_key;
use crate::schedule::Later;
use crate::shared::Shared;
use crate::transitions::{fired, settled};

impl Shared {
    /// Makes due what waits for an event; how many reminders that were.
    pub(crate) async fn raise(self: Arc<Self>, raise: Raise) -> Result<usize, ReminderError> {
        let Raise { event, at } = raise;
        let key = event_key(&event);
        let seen = self.see(Looked::Nothing, at).await?;
        let mut count = 0;
        for name in seen.events.into_iter().filter(|name| event_key(name) == key) {
            for reminder in self.see(Looked::Event(name), at).await?.reminders {
                let fire = |r: &bethink_domain::Reminder| r.listens(at).then(|| fired(r, at));
                count += usize::from(self.change(reminder.id, at, Deed::Fired, fire).await?.is_some());
            }
        }
        self.look(at).await?;
        Ok(count)
    }

    /// Keeps where the user is, and moves what goes by their wall clock.
    pub(crate) async fn set_zone(&self, set: SetZone) -> Result<String, ReminderError> {
        let SetZone { zone, until, at } = set;
        TimeZone::get(&zone).map_err(|_| {
            ReminderError::Invalid(format!("`{zone}` is no time zone; write it as Europe/Oslo"))
        })?;
        let seen = self.see(Looked::Open, at).await?;
        let there = Whereabouts { home: Some(zone.clone().into()), away: None };
        let whereabouts = match until {
            None => there,
            Some(until) => match self.later(&until, &self.manner(&there, None, at), at) {
                Ok(Later { at: until, .. }) => {
                    Whereabouts { away: Some((zone.clone().into(), until)), ..seen.whereabouts }
                }
                Err(question) => return Err(ReminderError::Invalid(question.said)),
            },
        };
        let away = whereabouts.away.as_ref().map(|(_, until)| *until);
        let manner = self.manner(&whereabouts, None, at);
        let mut changes = vec![ReminderChange::Whereabouts(whereabouts)];
        for reminder in &seen.reminders {
            let moved = settled(reminder, at, &manner.zones, false);
            changes.extend(moved.map(|(reminder, deed)| ReminderChange::Put {
                reminder: Box::new(reminder),
                reworded: false,
                deed,
            }));
        }
        let soonest = changes.iter().filter_map(|change| match change {
            ReminderChange::Put { reminder, .. } => reminder.next_look(),
            _ => None,
        });
        self.args.next_look.lower(&self.args.space, soonest.min(), None).await;
        let moved = changes.len() - 1;
        self.store(changes, at).await?;
        self.refresh(at).await?;
        let until = away.map(|until| format!(" until {}", manner.time(until))).unwrap_or_default();
        let moves = match moved {
            0 => String::new(),
            1 => " One reminder moved with you.".to_owned(),
            several => format!(" {several} reminders moved with you."),
        };
        Ok(format!("I go by the time of {zone}{until}.{moves}"))
    }
}
