//! Answers from memory, in the words in which things were told.

use bethink_domain::{Intent, Knowing, Purpose, Recalled, Source};
use bethink_text::{Language, PhraseKind, Reading, words};

use super::Spoken;
use super::phrases::Phrase;
use super::small_talk::{about_agent, says};
use super::topic::topic;
use super::voice::{Voice, capitalised, plain};
use crate::language::{Entered, Prompt, Role};

/// Traces quoted in one answer; people do not read on.
const QUOTED_MAX: usize = 5;
/// A trace is quoted beside the best one when it is at least this share as relevant.
const NEAR_THE_BEST: f32 = 0.6;
/// Below this confidence a source is not simply believed.
const UNSURE_BELOW: f32 = 0.5;
/// Words of a message that is no sentence.
const BARE_WORDS_MAX: usize = 2;
/// Lines of a conversation of which nothing has gone out of mind.
const YOUNG_LINES_MAX: usize = 8;
/// Longest name of a speaker.
const SPEAKER_CHARS_MAX: usize = 60;

/// Answers a question or request.
pub(super) fn answer(prompt: &Prompt, voice: &Voice<'_>) -> Spoken {
    let quoted = worth_quoting(&prompt.entered);
    if quoted.is_empty() {
        return Spoken::only(nothing(prompt, voice));
    }
    let mut parts = Vec::new();
    if prompt.plan.decision.intent == Intent::Reasoning {
        parts.push(voice.say(Phrase::CannotReason, &[]));
    }
    match quoted.as_slice() {
        [only] => parts.push(sentence(&only.recalled, voice)),
        several => parts.push(list(several, voice)),
    }
    Spoken { parts, cited: quoted.iter().map(|entered| entered.tag.clone()).collect() }
}

/// The best traces, without those that say the same.
fn worth_quoting(entered: &[Entered]) -> Vec<&Entered> {
    let best = entered.iter().map(|e| e.recalled.relevance).fold(0.0, f32::max);
    let mut quoted: Vec<&Entered> = Vec::new();
    for candidate in entered.iter().filter(|e| e.recalled.relevance >= NEAR_THE_BEST * best) {
        let text = bethink_text::normalise(&candidate.recalled.text);
        if quoted.iter().all(|other| bethink_text::normalise(&other.recalled.text) != text) {
            quoted.push(candidate);
        }
    }
    quoted.truncate(QUOTED_MAX);
    quoted
}

fn sentence(recalled: &Recalled, voice: &Voice<'_>) -> String {
    let (when, quote) = (voice.when(recalled.recorded_at), voice.quote(&recalled.text));
    let speaker = recalled.speaker.as_deref().map(|name| plain(name, SPEAKER_CHARS_MAX));
    let phrase = match (recalled.source, &speaker) {
        (Source::UserStatement, None) => Phrase::Told,
        (Source::UserStatement | Source::Observation | Source::External, Some(_)) => Phrase::Said,
        (Source::Observation, None) => Phrase::Noticed,
        (Source::AgentInference | Source::Reflection, _) => Phrase::Concluded,
        (Source::ToolResult, _) => Phrase::LookedUp,
        (Source::External, None) => Phrase::Read,
    };
    let speaker = capitalised(speaker.as_deref().unwrap_or_default());
    let said = voice.say(phrase, &[("when", &when), ("quote", &quote), ("speaker", &speaker)]);
    if unsure(recalled) { format!("{said} {}", voice.say(Phrase::Unsure, &[])) } else { said }
}

fn unsure(recalled: &Recalled) -> bool {
    recalled.confidence < UNSURE_BELOW
}

fn list(quoted: &[&Entered], voice: &Voice<'_>) -> String {
    let all_told = quoted.iter().all(|entered| label(&entered.recalled, voice).is_none());
    let head = voice.say(if all_told { Phrase::ListTold } else { Phrase::ListMixed }, &[]);
    let items = quoted.iter().map(|entered| {
        let when = capitalised(&voice.when(entered.recalled.recorded_at));
        let quote = voice.quote(&entered.recalled.text);
        match label(&entered.recalled, voice) {
            None => voice.say(Phrase::ItemTold, &[("when", &when), ("quote", &quote)]),
            Some(label) => {
                voice.say(Phrase::ItemOther, &[("when", &when), ("quote", &quote), ("label", &label)])
            }
        }
    });
    std::iter::once(head).chain(items).collect::<Vec<_>>().join("\n")
}

/// Where a trace comes from, unless the user told it of themselves.
pub(super) fn label(recalled: &Recalled, voice: &Voice<'_>) -> Option<String> {
    let phrase = match recalled.source {
        Source::AgentInference | Source::Reflection => Phrase::LabelConcluded,
        Source::ToolResult => Phrase::LabelLookedUp,
        Source::UserStatement | Source::Observation | Source::External => match recalled.speaker.as_deref() {
            Some(name) => {
                return Some(voice.say(Phrase::LabelSaid, &[("speaker", &plain(name, SPEAKER_CHARS_MAX))]));
            }
            None if recalled.source == Source::UserStatement => return None,
            None if recalled.source == Source::Observation => Phrase::LabelNoticed,
            None => Phrase::LabelRead,
        },
    };
    Some(voice.say(phrase, &[]))
}

/// Admits not knowing, and says as much as is known about that.
fn nothing(prompt: &Prompt, voice: &Voice<'_>) -> Vec<String> {
    let plan = &prompt.plan;
    let feeling = &plan.recollection.feeling;
    if let (Knowing::OnceKnown, Some((_, at))) = (feeling.knowing, feeling.faded) {
        return vec![voice.say(Phrase::OnceKnown, &[("date", &voice.day(at))])];
    }
    if let Some(about) = about_agent(prompt, voice) {
        return vec![about];
    }
    if let Some(other) = beside_memory(prompt, voice) {
        return vec![voice.say(other, &[])];
    }
    if personal(prompt, voice.language) {
        let mut parts = vec![unknown(&prompt.message, voice)];
        parts.extend(near(feeling.below_threshold, voice).filter(|_| young(prompt)));
        return parts;
    }
    let phrase = if plan.purpose == Purpose::Request { Phrase::NoModelRequest } else { Phrase::NoModel };
    let hint = voice.say(Phrase::NoModelHint, &[]);
    let mut parts = vec![voice.say(phrase, &[])];
    parts.extend(Some(hint).filter(|hint| !already_said(prompt, hint)));
    parts
}

/// What is said where it would mislead to say that something was not told.
fn beside_memory(prompt: &Prompt, voice: &Voice<'_>) -> Option<Phrase> {
    if says(&prompt.message, Phrase::HearReminders, voice.language) {
        return Some(Phrase::NoReminders);
    }
    if !prompt.plan.stated.is_empty() {
        return Some(Phrase::NothingBeyond);
    }
    bare(&prompt.message).then_some(Phrase::TellMeMore)
}

/// Whether a message is a word or two that neither ask nor request: "peanuts", "42".
fn bare(message: &str) -> bool {
    let count = words(message).len();
    let reading = Reading::new(message);
    let asks = [PhraseKind::Question, PhraseKind::Request, PhraseKind::Memory, PhraseKind::Reasoning];
    (1..=BARE_WORDS_MAX).contains(&count)
        && !message.contains(['?', '？', '؟'])
        && !asks.into_iter().any(|kind| reading.has(kind))
}

/// Whether a question is about what only the user can have told. A guess from its meaning is not believed where English
/// would say "I" or "my", or name the topic.
fn personal(prompt: &Prompt, language: Language) -> bool {
    let message = &prompt.message;
    let believed = !matches!(language, Language::English | Language::Other)
        || Reading::new(message).has(PhraseKind::Memory)
        || topic(message, language).is_some();
    prompt.plan.decision.intent == Intent::Memory && believed
}

/// Whether the conversation is so short that all of it is in mind and that a hint in it would be seen, so that the hint
/// is given once.
fn young(prompt: &Prompt) -> bool {
    let hinted = |text: &str| text.contains("`relevance_threshold`");
    prompt.conversation.len() <= YOUNG_LINES_MAX && !prompt.conversation.iter().any(|line| hinted(&line.text))
}

fn unknown(message: &str, voice: &Voice<'_>) -> String {
    match topic(message, voice.language) {
        Some(topic) => voice.say(Phrase::NoneAbout, &[("topic", &topic)]),
        None => voice.say(Phrase::None, &[]),
    }
}

fn near(below_threshold: usize, voice: &Voice<'_>) -> Option<String> {
    match below_threshold {
        0 => None,
        1 => Some(voice.say(Phrase::NearOne, &[])),
        many => Some(voice.say(Phrase::NearMany, &[("count", &many.to_string())])),
    }
}

/// Whether a note was made before in what is left of the conversation: advice once is help, advice always is noise.
pub(super) fn already_said(prompt: &Prompt, note: &str) -> bool {
    // Notes may carry a count; what follows it is what matters.
    let words: String = note.chars().skip_while(|c| !c.is_whitespace()).collect();
    prompt.conversation.iter().any(|line| line.role == Role::Agent && line.text.contains(&words))
}
