//! Prospective memory: keeping reminders, and how far their delivery is.

use std::sync::Arc;

use bethink_domain::{
    Cause, Draft, DueReminder, Quantity, Reminder, Stage, Timestamp, TraceId, TraceKind, Trigger,
};
use bethink_protocol::{Deed, Edit, MemoryError, ReminderChange, StoreReminders};

use super::encode::{Statement, fresh_body, fresh_state};
use super::{Answer, Change, Refused, changed};
use crate::file::read::Past;
use crate::file::tables::Op;
use crate::masking;
use crate::tokens::{forgotten_hash, same_words};

/// Changes of one command: what one stroke of the timer finds at most.
const CHANGES_MAX: usize = 1_024;
/// Tags of one reminder, and bytes of each.
const TAGS_MAX: usize = 16;
const TAG_BYTES_MAX: usize = 128;

impl Change<'_> {
    /// Changes reminders; all of them, or none.
    pub(super) fn store_reminders(
        &mut self,
        store: &StoreReminders,
        past: &dyn Past,
    ) -> Result<Answer, Refused> {
        let mut statements = self.checked(&store.changes)?.into_iter();
        self.note_time(store.at);
        let mut stored = Vec::new();
        for change in &store.changes {
            match change {
                ReminderChange::New { reminder, .. } => {
                    let statement = statements.next().expect("because each new one was checked");
                    stored.push(self.schedule(statement, reminder, store.at, past)?);
                }
                ReminderChange::Put { reminder, reworded, deed } => {
                    stored.push(self.put_reminder(reminder, *reworded, *deed, store.at)?);
                }
                ReminderChange::Whereabouts(whereabouts) => {
                    let whereabouts = Arc::new(whereabouts.clone());
                    self.snapshot.reminders.set_whereabouts(whereabouts.clone());
                    self.ops.push(Op::Whereabouts(whereabouts));
                }
            }
        }
        Ok(Answer::Reminders(stored))
    }

    /// Refuses before anything is changed; gives what new ones say.
    fn checked<'d>(&self, changes: &'d [ReminderChange]) -> Result<Vec<Statement<'d>>, MemoryError> {
        if changes.len() > CHANGES_MAX {
            return Err(MemoryError::Invalid(format!("at most {CHANGES_MAX} reminders change at once")));
        }
        let mut statements = Vec::new();
        for change in changes {
            match change {
                ReminderChange::New { draft, .. } => statements.push(self.checked_new(draft)?),
                ReminderChange::Put { reminder, reworded, .. } => {
                    self.seen(reminder)?;
                    if *reworded {
                        self.checked_text(&reminder.text)?;
                    }
                }
                ReminderChange::Whereabouts(_) => {}
            }
        }
        let limit = self.rules.prospective.open_max;
        if !statements.is_empty() && self.snapshot.reminders.open() + statements.len() > limit {
            let full = format!("there are {limit} open reminders, which is the limit (prospective.open_max)");
            return Err(MemoryError::Invalid(full));
        }
        Ok(statements)
    }

    fn checked_new<'d>(&self, draft: &'d Draft) -> Result<Statement<'d>, MemoryError> {
        if draft.kind != TraceKind::Prospective {
            return Err(MemoryError::Invalid("a reminder is a prospective trace".to_owned()));
        }
        self.check(draft)
    }

    /// Refuses a change of what was changed since it was seen.
    fn seen(&self, reminder: &Reminder) -> Result<(), MemoryError> {
        let id = reminder.id;
        let stored = self.snapshot.reminders.get(id);
        let stored = stored.ok_or_else(|| MemoryError::NoSuch(format!("reminder {id}")))?;
        if stored.revision == reminder.revision {
            Ok(())
        } else {
            Err(MemoryError::Changed(format!("reminder {id}")))
        }
    }

    fn schedule(
        &mut self,
        statement: Statement<'_>,
        reminder: &Reminder,
        at: Timestamp,
        past: &dyn Past,
    ) -> Result<Arc<Reminder>, Refused> {
        let trigger = masked_trigger(&reminder.trigger);
        if let Some(known) = self.same_reminder(&statement.text, &trigger) {
            return Ok(known);
        }
        if statement.draft.asked && past.forgotten(&statement.text)? {
            self.ops.push(Op::ToldAgain(forgotten_hash(&statement.text)));
        }
        let id = self.next_id(at);
        let state = fresh_state(statement.draft, at);
        let mut body = fresh_body(statement.draft, &statement.text);
        body.tags = tags(&reminder.tags);
        let (text, tags) = (body.text.clone(), body.tags.clone());
        let (tokens, importance) = (statement.tokens, state.importance);
        self.put_new(id, state, body, tokens, statement.draft.embedding.as_ref());
        let kept =
            Reminder { id, revision: 0, text, tags, importance, trigger, created_at: at, ..reminder.clone() };
        let kept = self.keep(kept);
        let changes = vec![
            changed(id, Quantity::Encoded, 0.0, importance),
            changed(id, Quantity::Scheduled, 0.0, kept.occurrence as f32),
        ];
        self.journal(at, Cause::Command, "prospective", changes);
        Ok(kept)
    }

    /// An open reminder of the same words with the same trigger: to ask twice for the same is to ask once.
    fn same_reminder(&self, text: &str, trigger: &Trigger) -> Option<Arc<Reminder>> {
        let same =
            |r: &&Arc<Reminder>| r.stage == Stage::Open && r.trigger == *trigger && same_words(&r.text, text);
        self.snapshot.reminders.iter().find(same).cloned()
    }

    fn put_reminder(
        &mut self,
        reminder: &Reminder,
        reworded: bool,
        deed: Deed,
        at: Timestamp,
    ) -> Result<Arc<Reminder>, Refused> {
        let id = reminder.id;
        let Some(before) = self.snapshot.reminders.get(id).cloned() else {
            // Another change of the same command closed it: everything else was checked.
            return Err(MemoryError::NoSuch(format!("reminder {id}")).into());
        };
        if reworded {
            self.edit(&Edit { id, text: reminder.text.to_string(), at }, &[], None)?;
        }
        let place = self.living(id)?;
        let body = self.snapshot.body(place);
        let kept = Reminder {
            revision: before.revision.saturating_add(1),
            text: body.text.clone(),
            tags: body.tags.clone(),
            trigger: masked_trigger(&reminder.trigger),
            created_at: before.created_at,
            ..reminder.clone()
        };
        let kept = self.keep(kept);
        self.journal(at, Cause::Command, "prospective", vec![done(&before, &kept, deed)]);
        Ok(kept)
    }

    fn keep(&mut self, reminder: Reminder) -> Arc<Reminder> {
        let kept = Arc::new(reminder);
        self.snapshot.reminders.put(kept.clone());
        self.ops.push(Op::Reminder(kept.clone()));
        kept
    }

    /// Notes that somebody is shown reminders: until the lease ends, nobody else is. The answer names those that are theirs.
    pub(super) fn lease(
        &mut self,
        at: Timestamp,
        cause: Cause,
        shown: &[DueReminder],
        pushed: bool,
    ) -> Result<Answer, Refused> {
        let until = at + self.rules.prospective.lease();
        let (mut changes, mut taken) = (Vec::new(), Vec::new());
        for due in shown {
            let Some(before) = self.snapshot.reminders.get(due.id.reminder).cloned() else { continue };
            let lent = before.delivery.leased_until.is_some_and(|until| until > at);
            if before.stage != Stage::Open || before.occurrence != due.id.occurrence || before.held || lent {
                // Somebody else was quicker.
                continue;
            }
            let mut leased = Reminder::clone(&before);
            leased.revision = before.revision.saturating_add(1);
            leased.delivery.attempts = before.delivery.attempts.saturating_add(1);
            leased.delivery.leased_until = Some(until);
            leased.delivery.pushed = pushed;
            if !leased.trigger.by_time_alone() {
                leased.fired_at = before.fired_at.or(Some(at));
            }
            let over = leased.delivery.attempts >= self.rules.prospective.deliveries_max;
            if over {
                leased.stage = Stage::Expired;
            }
            let leased = self.keep(leased);
            let deed = if over { Deed::Expired } else { Deed::Delivered };
            changes.push(done(&before, &leased, deed));
            taken.push(due.id);
        }
        if !changes.is_empty() {
            self.note_time(at);
            self.journal(at, cause, "prospective", changes);
        }
        Ok(Answer::Leased(taken))
    }

    /// Lets a reminder say what its trace says now.
    pub(super) fn reword_reminder(&mut self, id: TraceId, text: &Arc<str>) {
        let Some(before) = self.snapshot.reminders.get(id) else { return };
        let reworded = Reminder { text: text.clone(), ..Reminder::clone(before) };
        self.snapshot.reminders.put(Arc::new(reworded));
    }
}

/// The change as the journal has it.
fn done(before: &Reminder, after: &Reminder, deed: Deed) -> bethink_domain::Change {
    let revisions = (before.revision as f32, after.revision as f32);
    let attempts = (before.delivery.attempts as f32, after.delivery.attempts as f32);
    let next = if after.stage == Stage::Open { after.occurrence as f32 } else { 0.0 };
    let seconds = after.next_look().map_or(0.0, |at| (at.as_millis() / 1_000) as f32);
    let (quantity, (from, to)) = match deed {
        Deed::Delivered => (Quantity::Delivered, attempts),
        Deed::Acknowledged => (Quantity::Acknowledged, (before.occurrence as f32, next)),
        Deed::Snoozed => (Quantity::Snoozed, (0.0, seconds)),
        Deed::Cancelled => (Quantity::Cancelled, (0.0, 1.0)),
        Deed::Fired => (Quantity::Fired, (0.0, 1.0)),
        Deed::Expired => (Quantity::Expired, attempts),
        Deed::Changed => (Quantity::Rescheduled, revisions),
        Deed::Moved => (Quantity::Moved, revisions),
        Deed::Released => (Quantity::Delivered, attempts),
        Deed::Held => (Quantity::Held, (f32::from(u8::from(before.held)), f32::from(u8::from(after.held)))),
    };
    changed(before.id, quantity, from, to)
}

/// What is written beside the words must not hold secrets either.
fn masked_trigger(trigger: &Trigger) -> Trigger {
    let masked = |text: &Option<Box<str>>| text.as_deref().map(|text| masking::masked(text).0.into());
    Trigger { when: trigger.when.clone(), event: masked(&trigger.event), context: masked(&trigger.context) }
}

fn tags(given: &[Box<str>]) -> Vec<Box<str>> {
    let mut tags: Vec<Box<str>> = Vec::new();
    for tag in given.iter().map(|tag| tag.trim()).filter(|tag| !tag.is_empty()) {
        let tag: Box<str> = masking::masked(&tag[..tag.floor_char_boundary(TAG_BYTES_MAX)]).0.into();
        if tags.len() < TAGS_MAX && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}
