//! The default responder: offline, no language model, and honest about it.
//!
//! It answers from memory in the words in which things were told, says when, confirms what will be remembered, and
//! admits what it does not know. All its phrases are data (`data/replies`), one file a language.

mod dates;
mod forgetting;
mod overview;
mod phrases;
mod recalled;
mod small_talk;
mod stated;
#[cfg(test)]
mod tests;
mod topic;
mod voice;

use std::sync::Arc;

use bethink_domain::{Degraded, Plan, Purpose};
use bethink_protocol::TurnEvent;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use unicode_segmentation::UnicodeSegmentation;

pub use dates::say_when;
pub use forgetting::{say_forgotten, say_proposal};
use overview::overview;
use phrases::{Phrase, secret_name};
use recalled::{already_said, answer};
use small_talk::{about_agent, small_talk};
use stated::{answered_as, told_just_now};
use voice::{Voice, capitalised, plain};

use crate::language::{LanguageModel, ModelError, ModelIdentity, Prompt, Reply, ReplyFuture, Role};

/// It reads the plan, not the prompt; the limit bounds how many traces are put before it.
const CONTEXT_TOKENS: usize = 32_768;
/// Words are sent in pieces of about a line, so that a reader sees the reply grow.
const PIECE_CHARS: usize = 60;
/// Stated things listed in a confirmation.
const CONFIRMED_MAX: usize = 5;
/// Longest reason given for what failed.
const REASON_CHARS_MAX: usize = 200;

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
        ModelIdentity {
            name: Arc::from("extractive"),
            context_tokens: CONTEXT_TOKENS,
            generative: false,
            tools: false,
        }
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
            Ok(Reply {
                text,
                cited: spoken.cited,
                calls: Vec::new(),
                prompt_tokens: None,
                reply_tokens: None,
            })
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
    let purpose = answered_as(prompt, voice.language);
    let mut spoken = Spoken::default();
    match purpose {
        Purpose::SmallTalk => return Spoken::only(vec![small_talk(prompt, voice)]),
        Purpose::Overview if memory_out(plan) => {}
        Purpose::Overview => spoken.parts.push(overview(prompt, &voice)),
        Purpose::Statement | Purpose::StoreRequest => spoken.parts.push(heard(plan, purpose, &voice)),
        Purpose::Correction => spoken.parts.extend(corrected(prompt, &voice)),
        Purpose::Intention => spoken.parts.extend(intention(plan, &voice)),
        Purpose::ForgetRequest => spoken.parts.extend(unforgotten(prompt, &voice)),
        Purpose::Question | Purpose::Request => spoken = asked(prompt, &voice),
    }
    spoken.parts.extend(masked(plan, &voice));
    spoken.parts.extend(degraded(plan, purpose, &voice));
    spoken.parts.extend(privacy(prompt, purpose, &voice));
    spoken
}

/// Confirms what a message tells beside asking, and answers from memory, or from what was just told.
fn asked(prompt: &Prompt, voice: &Voice<'_>) -> Spoken {
    let plan = &*prompt.plan;
    let just_told = told_just_now(plan);
    let mut parts = Vec::new();
    match (just_told, plan.stated.as_slice()) {
        (Some(told), [_]) if !plan.private => {
            parts.push(voice.say(Phrase::JustToldKept, &[("quote", &voice.quote(told))]));
        }
        (told, _) => {
            parts.extend(confirmed(plan, voice, Phrase::ConfirmQuote));
            parts.extend(told.map(|told| voice.say(Phrase::JustTold, &[("quote", &voice.quote(told))])));
        }
    }
    if memory_out(plan) {
        parts.extend(about_agent(prompt, voice));
        return Spoken::only(parts);
    }
    if prompt.entered.is_empty() && just_told.is_some() {
        return Spoken::only(parts);
    }
    let mut answer = answer(prompt, voice);
    answer.parts.splice(0..0, parts);
    answer
}

/// Confirms what will be remembered of a statement.
fn heard(plan: &Plan, purpose: Purpose, voice: &Voice<'_>) -> String {
    if plan.private {
        return voice.say(unkept(plan), &[]);
    }
    let one = match purpose {
        Purpose::StoreRequest => Phrase::Stored,
        _ => Phrase::Confirm,
    };
    confirmed(plan, voice, one).unwrap_or_else(|| voice.say(Phrase::NothingToKeep, &[]))
}

/// Why nothing is kept.
fn unkept(plan: &Plan) -> Phrase {
    if memory_off(plan) { Phrase::MemoryOffHeard } else { Phrase::PrivateHeard }
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
        return vec![voice.say(unkept(&prompt.plan), &[])];
    }
    let answered = prompt.conversation.iter().any(|line| line.role == Role::Agent);
    let thanks = voice.say(if answered { Phrase::Corrected } else { Phrase::CorrectedFirst }, &[]);
    [Some(thanks), confirmed(&prompt.plan, voice, Phrase::ConfirmQuote)].into_iter().flatten().collect()
}

fn intention(plan: &Plan, voice: &Voice<'_>) -> Vec<String> {
    let confirmed = confirmed(plan, voice, Phrase::ConfirmQuote);
    confirmed.into_iter().chain([voice.say(cannot_remind(plan), &[])]).collect()
}

/// Nothing is deleted by a wish: the user is asked whether what was found is meant, or chooses.
fn unforgotten(prompt: &Prompt, voice: &Voice<'_>) -> Vec<String> {
    let plan = &*prompt.plan;
    let texts: Vec<&str> = plan.proposed.iter().map(|recalled| &*recalled.text).collect();
    let answer = say_proposal(prompt, &texts).unwrap_or_else(|| voice.say(Phrase::NotForgotten, &[]));
    confirmed(plan, voice, Phrase::ConfirmQuote).into_iter().chain([answer]).collect()
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

/// Says what could not be done. A failed embedder matters only where something was looked for, and that memory is
/// switched off is said by the answer to a statement.
fn degraded(plan: &Plan, purpose: Purpose, voice: &Voice<'_>) -> Vec<String> {
    let searched = matches!(purpose, Purpose::Question | Purpose::Request);
    let say = |degraded: &Degraded| match degraded {
        Degraded::WordsOnly => searched.then(|| voice.say(Phrase::WordsOnly, &[])),
        Degraded::NoReminder => (purpose != Purpose::Intention).then(|| voice.say(cannot_remind(plan), &[])),
        Degraded::MemoryOff => {
            (searched || purpose == Purpose::Overview).then(|| voice.say(Phrase::MemoryOff, &[]))
        }
        Degraded::MemoryUnreachable(why) => {
            let why = plain(why.trim().trim_end_matches('.'), REASON_CHARS_MAX);
            Some(voice.say(Phrase::MemoryOut, &[("why", &why)]))
        }
    };
    plan.degraded.iter().filter_map(say).collect()
}

fn cannot_remind(plan: &Plan) -> Phrase {
    match (memory_off(plan), plan.private) {
        (true, _) => Phrase::CannotRemindOff,
        (false, true) => Phrase::CannotRemindPrivate,
        (false, false) => Phrase::CannotRemind,
    }
}

/// Memory was not asked or did not answer, so that finding nothing means nothing.
fn memory_out(plan: &Plan) -> bool {
    memory_off(plan) || plan.degraded.iter().any(|one| matches!(one, Degraded::MemoryUnreachable(_)))
}

fn memory_off(plan: &Plan) -> bool {
    plan.degraded.contains(&Degraded::MemoryOff)
}

/// Says that nothing is kept, once in what is left of the conversation; a statement is always answered so.
fn privacy(prompt: &Prompt, purpose: Purpose, voice: &Voice<'_>) -> Option<String> {
    let said_already = matches!(
        purpose,
        Purpose::Statement | Purpose::StoreRequest | Purpose::Correction | Purpose::Intention
    );
    let note = voice.say(Phrase::PrivateNote, &[]);
    let private = prompt.plan.private && !memory_off(&prompt.plan);
    (private && !said_already && !already_said(prompt, &note)).then_some(note)
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
