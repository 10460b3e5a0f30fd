//! Keeping the journal as short as what is remembered: entries that are old enough are folded, a record a trace.

use std::collections::BTreeMap;

use bethink_domain::{Folded, JournalEntry, Span, TraceId};

use super::Change;
use crate::error::StoreError;
use crate::file::read::Past;
use crate::file::tables::Op;
use crate::rows::JournalHead;

/// Entries that one command folds at most: more than any command makes, so that the journal shrinks to its days however
/// far behind it is, and few enough that the commit stays short.
const ENTRIES_MAX: usize = 16;

impl Change<'_> {
    /// Folds the oldest entries of the journal where they are older than is configured. Only with a command that changes
    /// something, so that an idle hour writes nothing. What is forgotten leaves nothing behind.
    pub(super) fn fold_journal(&mut self, past: &dyn Past) -> Result<(), StoreError> {
        let made = self.ops.iter().find_map(|op| match op {
            Op::Journal(entry) => Some((entry.sequence, entry.at)),
            _ => None,
        });
        let Some((sequence, at)) = made else { return Ok(()) };
        let newest = JournalHead { first: sequence, at };
        let head = *self.snapshot.journal_head.get_or_insert(newest);
        let before = at - Span::from_days(f64::from(self.rules.config.journal_days));
        if head.at >= before {
            return Ok(());
        }
        let entries = past.journal_from(head.first, ENTRIES_MAX + 1)?;
        let old = entries.iter().take(ENTRIES_MAX).take_while(|entry| entry.at < before).count();
        let (old, rest) = entries.split_at(old);
        let Some(last) = old.last() else { return Ok(()) };
        self.fold(old, past)?;
        self.ops.push(Op::DropJournalBelow(last.sequence + 1));
        let head = rest.first().map_or(newest, |entry| JournalHead { first: entry.sequence, at: entry.at });
        self.snapshot.journal_head = Some(head);
        Ok(())
    }

    fn fold(&mut self, entries: &[JournalEntry], past: &dyn Past) -> Result<(), StoreError> {
        let mut touched: BTreeMap<TraceId, Vec<Folded>> = BTreeMap::new();
        for entry in entries {
            for change in entry.changes.iter().filter(|change| self.snapshot.find(change.trace).is_some()) {
                let folds = match touched.entry(change.trace) {
                    std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
                    std::collections::btree_map::Entry::Vacant(new) => new.insert(past.folded(change.trace)?),
                };
                match folds.iter_mut().find(|fold| fold.quantity == change.quantity) {
                    Some(fold) => fold.take(entry, change),
                    None => folds.push(Folded::of(entry, change)),
                }
            }
        }
        self.ops.extend(touched.into_iter().map(|(trace, folds)| Op::Folded(trace, folds)));
        Ok(())
    }
}
