//! Reminders in a recall: those that are due come first, outside its number and its ranking.

use bethink_cognition::ProspectiveConfig;
use bethink_domain::{CueScope, DueReminder, Reminder, Timestamp, UnitVector};

use super::{Probe, RecallSettings, relevance, scan, stages};
use crate::snapshot::{Place, Snapshot};
use crate::tokens::Tokens;

/// Reminders whose time has come that are put in order; more than this many at once, and the soonest are told first
/// anyway.
const CONSIDERED_MAX: usize = 256;
/// Memories that come along with a reminder.
const RELATED_MAX: usize = 2;

/// What is due for a probe: by time, by event, and by the context that the probe comes near; the first `most`.
pub(super) fn collect(
    snapshot: &Snapshot,
    (tokens, meaning): (&Tokens, Option<&UnitVector>),
    at: Timestamp,
    config: &ProspectiveConfig,
) -> Vec<DueReminder> {
    let mut due = by_now(snapshot, at, config);
    let said = |stem: u64| tokens.terms.binary_search_by_key(&stem, |(stem, _)| *stem).is_ok();
    for (reminder, cue) in snapshot.reminders.contexts() {
        let meanings = meaning.zip(cue.meaning.as_ref());
        if reminder.listens(at) && config.comes_near(said, &cue.stems, meanings) {
            let near = Reminder { fired_at: Some(at), ..Reminder::clone(reminder) };
            due.extend(near.shown(at, config.late_after()));
        }
    }
    due.sort_by(DueReminder::order);
    due.truncate(config.shown_max);
    due
}

/// What is due by now, and leased by nobody.
fn by_now(snapshot: &Snapshot, now: Timestamp, config: &ProspectiveConfig) -> Vec<DueReminder> {
    let looked_at = snapshot.reminders.looked_at_by(now).take(CONSIDERED_MAX);
    let showable = looked_at.filter(|reminder| reminder.showable_since(now).is_some());
    showable.filter_map(|reminder| reminder.shown(now, config.late_after())).collect()
}

/// Gives reminders the memories that are about the same: near their words and tags.
pub(super) fn relate(
    snapshot: &Snapshot,
    due: &mut [DueReminder],
    at: Timestamp,
    settings: RecallSettings<'_>,
) {
    for reminder in due {
        let mut text = reminder.text.to_string();
        for tag in &reminder.tags {
            text.push(' ');
            text.push_str(tag);
        }
        let own = snapshot.find(reminder.id.reminder);
        let meaning = own.and_then(|place| snapshot.meaning(place));
        let probe = Probe {
            text: &text,
            tokens: Tokens::of(&text),
            vector: meaning.as_ref().map(crate::vector::CueVector::new),
            meaning: meaning.as_ref(),
            intent: None,
            k: RELATED_MAX,
            threshold: settings.threshold,
            scope: CueScope::Living,
            at,
        };
        let found = scan::scan(snapshot, &probe);
        let weighed = relevance::weigh(snapshot, &probe, found.candidates, settings);
        let (passed, _) = stages::threshold(weighed, probe.threshold);
        let (living, _) = stages::divide(passed, CueScope::Living);
        let ranked = stages::sort(stages::score(snapshot, living, at), snapshot);
        let other = |place: Place| own != Some(place) && !snapshot.is_reminder(place);
        let ranked = stages::dedupe(snapshot, ranked).into_iter().filter(|candidate| other(candidate.place));
        reminder.related =
            ranked.take(RELATED_MAX).map(|candidate| stages::present(snapshot, &candidate, at)).collect();
    }
}

/// Traces that ordinary recall leaves out: intentions that were called off or are held back, and those told as due.
pub(super) fn out_of_recall(snapshot: &Snapshot, due: &[DueReminder], place: Place) -> bool {
    if !snapshot.is_reminder(place) {
        return false;
    }
    let id = snapshot.id(place);
    let told = due.iter().any(|due| due.id.reminder == id);
    let quiet = |reminder: &Reminder| reminder.held || reminder.stage != bethink_domain::Stage::Open;
    told || snapshot.reminders.get(id).is_some_and(|reminder| quiet(reminder))
}
