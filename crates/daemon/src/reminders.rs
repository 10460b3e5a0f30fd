//! Reminders through the door of this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bethink_api::{self as api, Fault, FaultKind, Request, Response};
use bethink_domain::{DeliveryId, Source, SpaceId, TraceId};
use bethink_protocol::{
    Act, Attend, Attended, ListReminders, Look, Raise, ReminderError, Schedule, Scheduled, SetZone, Which,
    Wish,
};
use bethink_runtime::AskError;
use tokio::sync::{mpsc, oneshot};

use crate::door::Responses;
use crate::local::{LocalDoor, running};

/// Reminders on their way to one client.
const DUE_MAX: usize = 16;
/// Most reminders that one list holds.
const PAGE_MAX: usize = 1_000;

/// Reminders that are being shown to clients of this door, and who waits to hear that they were. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Handed(Arc<Mutex<Waiting>>);

/// Who waits to hear that an occurrence of a space was shown.
type Waiting = HashMap<(SpaceId, DeliveryId), oneshot::Sender<()>>;

impl Handed {
    fn put(&self, space: &SpaceId, id: DeliveryId, taken: oneshot::Sender<()>) {
        let mut handed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        handed.retain(|_, taken| !taken.is_closed());
        handed.insert((space.clone(), id), taken);
    }

    fn take(&self, space: &SpaceId, id: DeliveryId) -> Option<oneshot::Sender<()>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&(space.clone(), id))
    }
}

impl LocalDoor {
    /// Reminders of a space as they come due.
    pub(crate) async fn listen(&self, space: SpaceId) -> Result<Responses, Fault> {
        let full = || Fault::new(FaultKind::Busy, "too many conversations listen for reminders");
        let mut coming = self.handle.bells().listen(&space).ok_or_else(full)?;
        let (sender, responses) = mpsc::channel(DUE_MAX);
        let (door, owner) = (self.clone(), space.clone());
        drop(tokio::spawn(async move {
            let mut shown = Vec::new();
            loop {
                let handed = tokio::select! {
                    handed = coming.recv() => handed,
                    // Whoever listened is gone, and is handed nothing more.
                    () = sender.closed() => None,
                };
                let Some(handed) = handed else { break };
                let id = handed.parcel.due.id;
                shown.push(id);
                door.handed.put(&owner, id, handed.taken);
                let mut due = api::due(&handed.parcel.due);
                due.when = Some(handed.parcel.when);
                if sender.send(Ok(Response::Due(due))).await.is_err() {
                    break;
                }
            }
            // What it did not acknowledge goes to somebody else.
            shown.into_iter().for_each(|id| drop(door.handed.take(&owner, id)));
        }));
        // What is overdue comes at once. The look goes on by itself: it waits for what is handed out to be shown.
        let door = self.clone();
        drop(tokio::spawn(async move {
            let look = Look { at: door.now() };
            if let Err(error) = door.handle.ask(&space, |ports| &ports.reminders.look, look).await {
                tracing::warn!(%space, %error, "reminders could not be looked at");
            }
        }));
        Ok(responses)
    }

    pub(crate) async fn reminders(&self, space: &SpaceId, request: Request) -> Result<Response, Fault> {
        match request {
            remind @ Request::Remind { .. } => self.remind(space, remind).await,
            Request::Reminders { all, tags, limit, zone } => {
                if !(1..=PAGE_MAX).contains(&limit) {
                    let message = format!("the limit is {limit}; it can be 1 to {PAGE_MAX}");
                    return Err(Fault::new(FaultKind::Usage, message));
                }
                let list = ListReminders { all, tags, zone, limit, at: self.now() };
                let found = self.handle.ask(space, |ports| &ports.reminders.list, list).await;
                let found = found.map_err(reminding)?;
                let reminders = found.reminders.iter().map(api::told).collect();
                Ok(Response::Reminders { reminders, more: found.more })
            }
            Request::Attend { which, act, when, text, zone } => {
                let which = named(which);
                let act = act_named(&act, when, text)?;
                let attend = Attend { which: which.clone(), act, zone, at: self.now() };
                let done = self.handle.ask(space, |ports| &ports.reminders.attend, attend).await;
                // Whoever handed it out hears of it when it is durable.
                if let Which::Delivery(id) = which
                    && let Some(taken) = self.handed.take(space, id)
                {
                    let _ = taken.send(());
                }
                Ok(match done.map_err(reminding)? {
                    Attended::Done(told) => Response::Reminder(api::told(&told)),
                    Attended::Asks(question) => Response::Question(api::question(&question)),
                })
            }
            Request::Raise { event, everywhere } => {
                let raise = Raise { event: event.clone(), at: self.now() };
                let mut count = 0;
                let spaces = if everywhere { self.handle.waiting_for(&event) } else { vec![space.clone()] };
                for space in spaces {
                    let raised = self.handle.ask(&space, |ports| &ports.reminders.raise, raise.clone()).await;
                    count += raised.map_err(reminding)?;
                }
                Ok(Response::Raised { count })
            }
            Request::Look => {
                let look = Look { at: self.now() };
                let looked = self.handle.ask(space, |ports| &ports.reminders.look, look).await;
                looked.map_err(reminding)?;
                Ok(Response::Ok)
            }
            Request::SetZone { zone, until } => {
                let set = SetZone { zone, until, at: self.now() };
                let said = self.handle.ask(space, |ports| &ports.reminders.set_zone, set).await;
                Ok(Response::Said { text: said.map_err(reminding)? })
            }
            _ => Err(Fault::new(FaultKind::Usage, "that is not about reminders")),
        }
    }

    async fn remind(&self, space: &SpaceId, request: Request) -> Result<Response, Fault> {
        let Request::Remind { text, at, within, every, event, context, tags, zone, answer } = request else {
            return Err(Fault::new(FaultKind::Usage, "not a wish to be reminded"));
        };
        if !self.handle.remembers() {
            let message =
                "memory is switched off (`enabled` under `[memory]`), so that no reminder can be kept";
            return Err(Fault::new(FaultKind::Usage, message));
        }
        let parts = [&at, &within, &every, &event, &context].iter().any(|part| part.is_some());
        let wish = if parts {
            Wish::Parts { text, at, within, every, event, context, answer }
        } else {
            Wish::Utterance { text, answer }
        };
        let schedule = Schedule {
            wish,
            referent: None,
            tags,
            zone,
            source: Source::UserStatement,
            turn: None,
            at: self.now(),
        };
        let kept = self.handle.ask(space, |ports| &ports.reminders.schedule, schedule).await;
        Ok(match kept.map_err(reminding)? {
            Scheduled::Kept(told) => Response::Reminder(api::told(&told)),
            Scheduled::Asks(question) => Response::Question(api::question(&question)),
        })
    }
}

fn named(which: Option<String>) -> Which {
    let Some(which) = which.map(|which| which.trim().to_owned()).filter(|which| !which.is_empty()) else {
        return Which::LastShown;
    };
    if let Ok(id) = which.parse::<TraceId>() {
        return Which::Id(id);
    }
    which.parse::<DeliveryId>().map_or(Which::Named(which), Which::Delivery)
}

fn act_named(act: &str, when: Option<String>, text: Option<String>) -> Result<Act, Fault> {
    let usage = |message: String| Fault::new(FaultKind::Usage, message);
    Ok(match act {
        "done" => Act::Done,
        "acknowledge" => Act::Acknowledge { door: "client" },
        "snooze" => Act::Snooze(when.ok_or_else(|| usage("until when?".to_owned()))?),
        "cancel" => Act::Cancel,
        "change" if when.is_none() && text.is_none() => {
            return Err(usage("say what is to change: the time, the words, or both".to_owned()));
        }
        "change" => Act::Change { when, text },
        "hold" => Act::Hold(true),
        "release" => Act::Hold(false),
        other => return Err(usage(format!("`{other}` is nothing that can be done with a reminder"))),
    })
}

fn reminding(error: AskError<ReminderError>) -> Fault {
    match error {
        AskError::Runtime(error) => running(error),
        AskError::Refused(ReminderError::Memory(error)) => {
            crate::local::remembering(AskError::Refused(error))
        }
        AskError::Refused(ReminderError::NoSuch(what)) => {
            Fault::new(FaultKind::NoSuchId, format!("there is no {what}"))
        }
        AskError::Refused(ReminderError::Invalid(why)) => Fault::new(FaultKind::Usage, why),
        AskError::Refused(error) => Fault::new(FaultKind::Failed, error.to_string()),
    }
}
