//! Doing something with a reminder: by its id, by its words, or by "that".

use bethink_domain::{Reminder, Stage, Timestamp, TraceId};
use bethink_protocol::{Act, Attend, Attended, Deed, Looked, ReminderError, SeenReminders, Which};
use bethink_text::content_words;

use crate::schedule::Later;
use crate::shared::Shared;
use crate::telling::question;
use crate::transitions::{acknowledged, cancelled, snoozed};

impl Shared {
    pub(crate) async fn attend(&self, attend: Attend) -> Result<Attended, ReminderError> {
        let Attend { which, act, zone, at } = attend;
        let seen = self.see(Looked::Nothing, at).await?;
        let manner = self.manner(&seen.whereabouts, zone.as_deref(), at);
        let reminder = match self.find(&which, at).await? {
            Ok(reminder) => reminder,
            Err(question) => return Ok(Attended::Asks(question)),
        };
        let id = reminder.id;
        let occurrence = match &which {
            Which::Delivery(delivery) => Some(*delivery),
            _ => None,
        };
        let same = |r: &Reminder| occurrence.is_none_or(|delivery| delivery == r.delivery_id());
        let open = |r: &Reminder| r.stage == Stage::Open && same(r);
        let (changed, said) = match act {
            Act::Done => {
                let done = |r: &Reminder| open(r).then(|| acknowledged(r, at, &manner.zones));
                (self.change(id, at, Deed::Acknowledged, done).await?, "Done")
            }
            Act::Acknowledge { door } => {
                tracing::info!(space = %self.args.space, %id, door, "reminder acknowledged");
                let done = |r: &Reminder| open(r).then(|| acknowledged(r, at, &manner.zones));
                (self.change(id, at, Deed::Acknowledged, done).await?, "Acknowledged")
            }
            Act::Cancel => {
                let cancel = |r: &Reminder| (r.stage == Stage::Open).then(|| cancelled(r));
                (self.change(id, at, Deed::Cancelled, cancel).await?, "Cancelled")
            }
            Act::Hold(hold) => {
                let held = |r: &Reminder| (r.held != hold).then(|| Reminder { held: hold, ..r.clone() });
                (self.change(id, at, Deed::Held, held).await?, if hold { "Held back" } else { "Let go" })
            }
            Act::Snooze(until) => match self.later(&until, &manner, at) {
                Ok(Later { at: until, wall }) => {
                    let snooze = |r: &Reminder| Some(snoozed(r, until, wall));
                    (self.change(id, at, Deed::Snoozed, snooze).await?, "I'll remind you again")
                }
                Err(question) => return Ok(Attended::Asks(question)),
            },
            Act::Change { when, text } => {
                let trigger = match when.map(|when| self.retime(&when, &manner, at)).transpose() {
                    Ok(trigger) => trigger,
                    Err(question) => return Ok(Attended::Asks(question)),
                };
                let edit =
                    |r: &Reminder| Some(self.edited(r, trigger.as_ref(), text.as_deref(), &manner, at));
                (self.change(id, at, Deed::Changed, edit).await?, "Changed")
            }
        };
        self.set_last(id, at);
        self.refresh(at).await?;
        let reminder = changed.unwrap_or(reminder);
        Ok(Attended::Done(Box::new(manner.changed(reminder, said))))
    }

    /// The reminder that is meant, or a question which.
    async fn find(
        &self,
        which: &Which,
        at: Timestamp,
    ) -> Result<Result<Reminder, bethink_protocol::Question>, ReminderError> {
        match which {
            Which::Id(id) => self.one(*id, at).await.map(Ok),
            Which::Delivery(delivery) => self.one(delivery.reminder, at).await.map(Ok),
            Which::LastShown => {
                let seen = self.see(Looked::Open, at).await?;
                let lease = self.args.config.lease();
                let shown = last_shown(&seen).map(|(id, until)| (id, until - lease));
                match shown.into_iter().chain(self.last()).max_by_key(|(_, at)| *at) {
                    Some((id, _)) => self.one(id, at).await.map(Ok),
                    None => match <[Reminder; 1]>::try_from(seen.reminders) {
                        Ok([only]) => Ok(Ok(only)),
                        Err(several) if several.is_empty() => {
                            Err(ReminderError::NoSuch("open reminder".to_owned()))
                        }
                        Err(several) => Ok(Err(which_of(&several))),
                    },
                }
            }
            Which::Named(words) => {
                let seen = self.see(Looked::Open, at).await?;
                let found = named(&seen, words);
                match <[Reminder; 1]>::try_from(found) {
                    Ok([only]) => Ok(Ok(only)),
                    Err(none) if none.is_empty() => {
                        Err(ReminderError::NoSuch(format!("open reminder about “{words}”")))
                    }
                    Err(several) => Ok(Err(which_of(&several))),
                }
            }
        }
    }

    async fn one(&self, id: TraceId, at: Timestamp) -> Result<Reminder, ReminderError> {
        let seen = self.see(Looked::One(id), at).await?;
        let missing = || ReminderError::NoSuch(format!("reminder {id}"));
        seen.reminders.into_iter().next().ok_or_else(missing)
    }
}

/// The one that was shown last and not acknowledged, and until when it is lent.
fn last_shown(seen: &SeenReminders) -> Option<(TraceId, Timestamp)> {
    let shown = seen.reminders.iter().filter_map(|r| Some((r.id, r.delivery.leased_until?)));
    shown.max_by_key(|(_, until)| *until)
}

/// Open reminders whose words and tags hold every content word, or the most of them.
fn named(seen: &SeenReminders, words: &str) -> Vec<Reminder> {
    let wanted = content_stems(words);
    let share = |reminder: &Reminder| {
        let tags = reminder.tags.iter().map(|tag| &**tag).collect::<Vec<_>>().join(" ");
        let held = content_stems(&format!("{} {tags}", reminder.text));
        wanted.iter().filter(|stem| held.contains(stem)).count()
    };
    let best = seen.reminders.iter().map(share).max().unwrap_or(0);
    if best == 0 {
        return Vec::new();
    }
    seen.reminders.iter().filter(|reminder| share(reminder) == best).cloned().collect()
}

fn which_of(several: &[Reminder]) -> bethink_protocol::Question {
    let options = several.iter().take(8).map(|r| format!("{}: “{}”", r.id, r.text)).collect();
    let mut asked = question("which", "Which reminder do you mean?");
    asked.options = options;
    asked
}

fn content_stems(text: &str) -> Vec<String> {
    content_words(text).into_iter().map(|term| term.stem.to_string()).collect()
}
