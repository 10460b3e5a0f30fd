//! Which intent a message has: rules on its words, and prototypes where no rule fires.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use bethink_domain::{Decision, Intent, UnitVector};
use bethink_text::{PhraseKind, PhraseMatch, Reading};

use crate::heard::Heard;
use crate::prototypes::Prototypes;

/// Decides the intent of a message.
///
/// A rule always wins; only without one do prototypes choose among memory, reasoning and general by the message's
/// embedding. Without an embedding or prototypes what no rule decides is general.
#[must_use]
pub fn decide(heard: &Heard, prototypes: Option<&Prototypes>, embedding: Option<&UnitVector>) -> Decision {
    if let Some(ruled) = &heard.ruled {
        return ruled.clone();
    }
    let nearest = prototypes.zip(embedding).and_then(|(prototypes, meaning)| prototypes.nearest(meaning));
    match nearest {
        Some((intent, closeness)) => {
            Decision { intent, rule: Cow::Owned(format!("prototype {closeness:.2}")) }
        }
        None => Decision { intent: Intent::General, rule: Cow::Borrowed("no rule") },
    }
}

/// The intent that words alone decide, in the fixed order memory, reasoning, small talk.
///
/// Small talk is tested first, which contradicts no priority: it holds only when every word belongs to it, and then
/// "my" in "thanks my friend" is part of a greeting.
pub(crate) fn ruled(reading: &Reading) -> Option<Decision> {
    if reading.answers() {
        // What "yes" is about, the conversation knows. It is no greeting, and yet nothing to recall by.
        return Some(Decision { intent: Intent::General, rule: Cow::Borrowed("answers, names nothing") });
    }
    if reading.small_talk() {
        return Some(Decision { intent: Intent::SmallTalk, rule: Cow::Borrowed("small talk throughout") });
    }
    [(PhraseKind::Memory, Intent::Memory), (PhraseKind::Reasoning, Intent::Reasoning)]
        .into_iter()
        .find_map(|(kind, intent)| reading.first(kind).map(|found| by_phrase(intent, "phrase", found)))
}

/// A decision by a phrase of a list, named without the marks of the list.
pub(crate) fn by_phrase(intent: Intent, what: &str, found: &PhraseMatch) -> Decision {
    let phrase = found.phrase.trim_start_matches(['!', '^']).trim_end_matches('$');
    Decision { intent, rule: Cow::Owned(format!("{what} \"{phrase}\"")) }
}
