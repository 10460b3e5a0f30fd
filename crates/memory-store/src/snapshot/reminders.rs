//! Reminders of a space, in trees that snapshots share: changing one of many copies a path, not the map.

use std::ops::Bound;
use std::sync::Arc;

use bethink_domain::{Reminder, Stage, Timestamp, TraceId, UnitVector, Whereabouts};
use rpds::{RedBlackTreeMapSync, RedBlackTreeSetSync};

use crate::tokens::Tokens;

/// What a reminder's context is found by.
#[derive(Debug)]
pub(crate) struct ContextCue {
    /// Hashes of its stems.
    pub(crate) stems: Vec<u64>,
    /// Its meaning by the embedder that makes cues; made anew in each process, and never stored.
    pub(crate) meaning: Option<UnitVector>,
}

/// Every reminder of a space.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reminders {
    all: RedBlackTreeMapSync<TraceId, Arc<Reminder>>,
    /// Those that a timer must look at, by when.
    looks: RedBlackTreeSetSync<(Timestamp, TraceId)>,
    /// Open ones that wait for a context.
    contexts: RedBlackTreeMapSync<TraceId, Arc<ContextCue>>,
    /// Open ones.
    open: usize,
    whereabouts: Option<Arc<Whereabouts>>,
}

impl Reminders {
    /// Adds or replaces one.
    pub(crate) fn put(&mut self, reminder: Arc<Reminder>) {
        let id = reminder.id;
        let before = self.all.get(&id).cloned();
        if let Some(before) = &before {
            self.unlist(before);
        }
        if let Some(at) = reminder.next_look() {
            self.looks.insert_mut((at, id));
        }
        self.open += usize::from(reminder.stage == Stage::Open);
        self.list_context(before.as_deref(), &reminder);
        self.all.insert_mut(id, reminder);
    }

    fn list_context(&mut self, before: Option<&Reminder>, reminder: &Reminder) {
        let waits = reminder.stage == Stage::Open && !reminder.held && reminder.fired_at.is_none();
        let context = reminder.trigger.context.as_deref().filter(|_| waits);
        let Some(context) = context else {
            self.contexts.remove_mut(&reminder.id);
            return;
        };
        let same = before.is_some_and(|before| before.trigger.context.as_deref() == Some(context));
        if !(same && self.contexts.contains_key(&reminder.id)) {
            let stems = Tokens::of(context).terms.into_iter().map(|(stem, _)| stem).collect();
            self.contexts.insert_mut(reminder.id, Arc::new(ContextCue { stems, meaning: None }));
        }
    }

    /// Drops one, with all that tells of it.
    pub(crate) fn remove(&mut self, id: TraceId) {
        let Some(before) = self.all.get(&id).cloned() else { return };
        self.unlist(&before);
        self.contexts.remove_mut(&id);
        self.all.remove_mut(&id);
    }

    fn unlist(&mut self, reminder: &Reminder) {
        if let Some(at) = reminder.next_look() {
            self.looks.remove_mut(&(at, reminder.id));
        }
        self.open -= usize::from(reminder.stage == Stage::Open);
    }

    /// Gives contexts their meanings.
    pub(crate) fn set_meanings(&mut self, meanings: &[(TraceId, UnitVector)]) {
        for (id, meaning) in meanings {
            let Some(cue) = self.contexts.get(id) else { continue };
            let cue = ContextCue { stems: cue.stems.clone(), meaning: Some(meaning.clone()) };
            self.contexts.insert_mut(*id, Arc::new(cue));
        }
    }

    /// Texts of contexts without a meaning.
    pub(crate) fn meaningless(&self, most: usize) -> Vec<(TraceId, String)> {
        let lacking = self.contexts.iter().filter(|(_, cue)| cue.meaning.is_none());
        let text =
            |id: &TraceId| self.all.get(id).and_then(|r| r.trigger.context.as_deref()).map(str::to_owned);
        lacking.filter_map(|(id, _)| Some((*id, text(id)?))).take(most).collect()
    }

    pub(crate) fn get(&self, id: TraceId) -> Option<&Arc<Reminder>> {
        self.all.get(&id)
    }

    /// How many are open.
    pub(crate) fn open(&self) -> usize {
        self.open
    }

    /// Every one, by id.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Reminder>> {
        self.all.values()
    }

    /// Those that a timer must look at by a time, soonest first.
    pub(crate) fn looked_at_by(&self, by: Timestamp) -> impl Iterator<Item = &Arc<Reminder>> {
        let end = (by, TraceId::from_raw(u64::MAX));
        self.looks.range(..=end).filter_map(|(_, id)| self.all.get(id))
    }

    /// When a timer must look next.
    pub(crate) fn next_look(&self) -> Option<Timestamp> {
        self.looks.first().map(|(at, _)| *at)
    }

    /// When a timer must look for the first time after now.
    pub(crate) fn upcoming(&self, now: Timestamp) -> Option<Timestamp> {
        let begin = Bound::Excluded((now, TraceId::from_raw(u64::MAX)));
        self.looks.range((begin, Bound::Unbounded)).next().map(|(at, _)| *at)
    }

    /// Open ones that wait for a context, with what it is found by.
    pub(crate) fn contexts(&self) -> impl Iterator<Item = (&Arc<Reminder>, &Arc<ContextCue>)> {
        self.contexts.iter().filter_map(|(id, cue)| Some((self.all.get(id)?, cue)))
    }

    pub(crate) fn whereabouts(&self) -> Whereabouts {
        self.whereabouts.as_deref().cloned().unwrap_or(Whereabouts::UNKNOWN)
    }

    pub(crate) fn set_whereabouts(&mut self, whereabouts: Arc<Whereabouts>) {
        self.whereabouts = Some(whereabouts);
    }
}

impl PartialEq for Reminders {
    fn eq(&self, other: &Self) -> bool {
        self.all == other.all && self.whereabouts == other.whereabouts
    }
}
