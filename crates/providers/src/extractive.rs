//! The default responder: offline, no language model, and honest about it.
//!
//! It answers from memory in the words in which things were told, says when, confirms what will be remembered, and
//! admits what it does not know. All its phrases are data (`data/replies`), one file a language.

mod dates;
mod overview;
mod phrases;
mod recalled;
mod small_talk;
#[cfg(test)]
mod tests;
mod topic;
mod voice;

use std::sync::Arc;

use bethink_domain::{Plan, Purpose};
use bethink_protocol::TurnEvent;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use unicode_segmentation::UnicodeSegmentation;

pub use dates::say_when;
use overview::overview;
use phrases::{Phrase, secret_name};
use recalled::{already_said, answer};
use small_talk::small_talk;
use voice::{Voice, capitalised};

use crate::language::{LanguageModel, ModelError, ModelIdentity, Prompt, Reply, ReplyFuture, Role};

/// It reads the plan, not the prompt; the limit bounds how many traces are put before it.
const CONTEXT_TOKENS: usize = 32_768;
/// Words are sent in pieces of about a line, so that a reader sees the reply grow.
const PIECE_CHARS: usize = 60;
/// Stated things listed in a confirmation.
const CONFIRMED_MAX: usize = 5;

/// Answers from memory alone, quoting it word for word.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extractive;

/// What is said, part by part, and the tags of the traces in it.
#[derive(Debug, Default, PartialEq)]
struct Spoken {
    parts: Vec<String>,
    cited: Vec<String>,
}

impl LanguageModel for Extractive {
    fn identity(&self) -> ModelIdentity {
        ModelIdentity { name: Arc::from("extractive"), context_tokens: CONTEXT_TOKENS, generative: false }
    }

    fn reply<'a>(
        &'a self,
        prompt: &'a Prompt,
        words: &'a mpsc::Sender<TurnEvent>,
        cancel: &'a CancellationToken,
    ) -> ReplyFuture<'a> {
        Box::pin(async move {
            let spoken = compose(prompt);
            let text = spoken.joined();
            for piece in pieces(&text) {
                let sent = words.send(TurnEvent::Text(piece.to_owned()));
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => return Err(ModelError::Cancelled),
                    sent = sent => sent.map_err(|_| ModelError::Cancelled)?,
                }
            }
            Ok(Reply { text, cited: spoken.cited, prompt_tokens: None, reply_tokens: None })
        })
    }
}

impl Spoken {
    fn only(parts: Vec<String>) -> Self {
        Self { parts, cited: Vec::new() }
    }

    /// Sentences follow each other; lists stand apart.
    fn joined(&self) -> String {
        let mut text = String::new();
        let mut block_before = false;
        for part in self.parts.iter().filter(|part| !part.is_empty()) {
            let block = part.contains('\n');
            if !text.is_empty() {
                text.push_str(if block || block_before { "\n\n" } else { " " });
            }
            text.push_str(part);
            block_before = block;
        }
        text
    }
}

fn compose(prompt: &Prompt) -> Spoken {
    let voice = Voice::of(prompt);
    let plan = &*prompt.plan;
    let mut spoken = Spoken::default();
    match plan.purpose {
        Purpose::SmallTalk => return Spoken::only(vec![small_talk(prompt, voice)]),
        Purpose::Overview if memory_out(plan) => {}
        Purpose::Overview => spoken.parts.push(overview(prompt, &voice)),
        Purpose::Statement | Purpose::StoreRequest => spoken.parts.push(heard(plan, &voice)),
        Purpose::Correction => spoken.parts.extend(corrected(prompt, &voice)),
        Purpose::Intention => spoken.parts.extend(intention(plan, &voice)),
        Purpose::Question | Purpose::Request => {
            spoken.parts.extend(confirmed(plan, &voice, Phrase::ConfirmQuote));
            if !memory_out(plan) {
                let answer = answer(prompt, &voice);
                spoken.parts.extend(answer.parts);
                spoken.cited = answer.cited;
            }
        }
    }
    spoken.parts.extend(masked(plan, &voice));
    spoken.parts.extend(degraded(plan, &voice));
    spoken.parts.extend(privacy(prompt, &voice));
    spoken
}

/// Confirms what will be remembered of a statement.
fn heard(plan: &Plan, voice: &Voice<'_>) -> String {
    if plan.private {
        return voice.say(Phrase::PrivateHeard, &[]);
    }
    let one = match plan.purpose {
        Purpose::StoreRequest => Phrase::Stored,
        _ => Phrase::Confirm,
    };
    confirmed(plan, voice, one).unwrap_or_else(|| voice.say(Phrase::NothingToKeep, &[]))
}

/// None when nothing will be remembered.
fn confirmed(plan: &Plan, voice: &Voice<'_>, one: Phrase) -> Option<String> {
    if plan.private {
        return None;
    }
    if let [only] = plan.stated.as_slice() {
        return Some(voice.say(one, &[("quote", &voice.quote(only))]));
    }
    let item = |text: &String| voice.say(Phrase::ConfirmItem, &[("quote", &voice.quote(text))]);
    let head = (!plan.stated.is_empty()).then(|| voice.say(Phrase::ConfirmMany, &[]))?;
    let rest = plan.stated.len().saturating_sub(CONFIRMED_MAX);
    let rest = (rest > 0).then(|| voice.say(Phrase::ConfirmMore, &[("count", &rest.to_string())]));
    let lines = std::iter::once(head).chain(plan.stated.iter().take(CONFIRMED_MAX).map(item)).chain(rest);
    Some(lines.collect::<Vec<_>>().join("\n"))
}

fn corrected(prompt: &Prompt, voice: &Voice<'_>) -> Vec<String> {
    if prompt.plan.private {
        return vec![voice.say(Phrase::PrivateHeard, &[])];
    }
    let answered = prompt.conversation.iter().any(|line| line.role == Role::Agent);
    let thanks = voice.say(if answered { Phrase::Corrected } else { Phrase::CorrectedFirst }, &[]);
    [Some(thanks), confirmed(&prompt.plan, voice, Phrase::ConfirmQuote)].into_iter().flatten().collect()
}

fn intention(plan: &Plan, voice: &Voice<'_>) -> Vec<String> {
    let confirmed = confirmed(plan, voice, Phrase::ConfirmQuote);
    confirmed.into_iter().chain([voice.say(cannot_remind(plan), &[])]).collect()
}

/// Names the kinds of secrets that were left out.
fn masked(plan: &Plan, voice: &Voice<'_>) -> Option<String> {
    let other = voice.say(Phrase::SecretOther, &[]);
    let mut names: Vec<&str> = Vec::new();
    for kind in &plan.masked {
        let name = secret_name(kind, voice.language).unwrap_or(&other);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let (last, others) = names.split_last().filter(|_| !plan.private)?;
    let list = match others {
        [] => (*last).to_owned(),
        _ => format!("{} {} {last}", others.join(", "), voice.say(Phrase::And, &[])),
    };
    Some(capitalised(&voice.say(Phrase::Masked, &[("secrets", &list)])))
}

/// Says what could not be done, in the user's language where it is one of the usual mishaps. A failed embedder matters
/// only where something was looked for.
fn degraded(plan: &Plan, voice: &Voice<'_>) -> Vec<String> {
    let searched = matches!(plan.purpose, Purpose::Question | Purpose::Request);
    let intends = plan.purpose == Purpose::Intention;
    let say = |note: &String| match Mishap::of(note) {
        Mishap::WordsOnly => searched.then(|| voice.say(Phrase::WordsOnly, &[])),
        Mishap::NoReminder => (!intends).then(|| voice.say(cannot_remind(plan), &[])),
        Mishap::MemoryOut | Mishap::Other => Some(sentence(note)),
    };
    plan.degraded.iter().filter_map(say).collect()
}

fn cannot_remind(plan: &Plan) -> Phrase {
    if plan.private { Phrase::CannotRemindPrivate } else { Phrase::CannotRemind }
}

/// Memory could not be asked, so that finding nothing means nothing.
fn memory_out(plan: &Plan) -> bool {
    plan.degraded.iter().any(|note| Mishap::of(note) == Mishap::MemoryOut)
}

/// What a note of the plan is about, by its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mishap {
    WordsOnly,
    NoReminder,
    MemoryOut,
    Other,
}

impl Mishap {
    fn of(note: &str) -> Self {
        let note = note.to_ascii_lowercase();
        if note.contains("embed") || note.contains("by words") {
            Self::WordsOnly
        } else if note.contains("remind") {
            Self::NoReminder
        } else if note.contains("my memory") {
            Self::MemoryOut
        } else {
            Self::Other
        }
    }
}

/// A note as a sentence.
fn sentence(note: &str) -> String {
    let note = capitalised(note.trim());
    if note.ends_with(['.', '!', '?', '…']) { note } else { format!("{note}.") }
}

/// Says that nothing is kept, once in what is left of the conversation; a statement is always answered so.
fn privacy(prompt: &Prompt, voice: &Voice<'_>) -> Option<String> {
    let said_already = matches!(
        prompt.plan.purpose,
        Purpose::Statement | Purpose::StoreRequest | Purpose::Correction | Purpose::Intention
    );
    let note = voice.say(Phrase::PrivateNote, &[]);
    (prompt.plan.private && !said_already && !already_said(prompt, &note)).then_some(note)
}

/// Cuts a text into pieces that end where a word ends.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut length) = (0, 0);
    for (at, word) in text.split_word_bound_indices() {
        length += word.graphemes(true).count();
        let end = at + word.len();
        if length >= PIECE_CHARS && end < text.len() {
            pieces.push(&text[start..end]);
            (start, length) = (end, 0);
        }
    }
    if start < text.len() {
        pieces.push(&text[start..]);
    }
    pieces
}
