//! Asking before something is forgotten, and saying what is gone. Any responder's reply has these words, since a model
//! could leave out what a yes would delete.

use bethink_domain::Forgotten;
use bethink_text::Language;

use super::phrases::Phrase;
use super::voice::{Voice, plain};
use crate::language::Prompt;

/// Longest reason given for what was not deleted.
const REASON_CHARS_MAX: usize = 200;

/// Asks whether to delete these texts for ever, each word for word; none where there are none.
#[must_use]
pub fn say_proposal(prompt: &Prompt, texts: &[&str]) -> Option<String> {
    let voice = Voice::of(prompt);
    let item = |text: &&str| voice.say(Phrase::ConfirmItem, &[("quote", &voice.quote(text))]);
    let head = (!texts.is_empty()).then(|| voice.say(Phrase::Propose, &[]))?;
    let lines = std::iter::once(head).chain(texts.iter().map(item));
    Some(lines.chain([voice.say(Phrase::ProposeYes, &[])]).collect::<Vec<_>>().join("\n"))
}

/// The receipt of what was deleted. It repeats none of it, since it stands in the transcript.
#[must_use]
pub fn say_forgotten(prompt: &Prompt, forgotten: &Forgotten) -> String {
    let asked_in = Language::from_code(forgotten.language);
    let voice = Voice::of(prompt).in_language(Language::detect_with(&prompt.message, asked_in));
    let mut parts = Vec::new();
    match (forgotten.traces, &forgotten.failed) {
        (0, Some(_)) => {}
        (0, None) => parts.push(voice.say(Phrase::ForgottenNone, &[])),
        (1, _) => parts.push(voice.say(Phrase::ForgottenOne, &[])),
        (count, _) => parts.push(voice.say(Phrase::ForgottenMany, &[("count", &count.to_string())])),
    }
    if forgotten.turns > 0 {
        parts.push(voice.say(Phrase::ForgottenTurns, &[("count", &forgotten.turns.to_string())]));
    }
    if forgotten.traces > 0 {
        parts.push(voice.say(Phrase::ForgottenDisk, &[]));
    }
    if let Some(why) = &forgotten.failed {
        let why = plain(why.trim().trim_end_matches('.'), REASON_CHARS_MAX);
        parts.push(voice.say(Phrase::ForgottenNot, &[("why", &why)]));
    }
    parts.join(" ")
}
