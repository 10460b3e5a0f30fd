//! What the words of a message say, before anything is asked of memory.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use bethink_domain::{Decision, Intent, Purpose};
use bethink_text::{
    PhraseKind, PhraseMatch, Reading, SpeechAct, Utterance, content_words, normalise, statements_of,
    utterances_of,
};

use crate::intent::{by_phrase, ruled};
use crate::stated::Stated;
use bethink_text::mask_secrets;

/// Above this length (bytes) a cue is made of a message's questions alone: in a pasted document they would drown,
/// since an embedder reads only the start.
const CUE_BYTES_WHOLE: usize = 2_000;

/// Words that carry a conversation on and name nothing: "more", "example".
static CARRYING_ON: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("../data/carrying_on.txt").lines();
    lines.filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect()
});

/// What a message needs of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Nothing: neither an embedding nor a recall.
    Nothing,
    /// What is relevant to it.
    Recollection,
    /// All that is known about the user.
    Overview,
}

/// A message, understood as far as its words go.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// The message, secrets masked. Nothing else of it is embedded, recalled by, sent or written.
    pub text: String,
    /// Kinds of secrets that were masked, each once.
    pub masked: Vec<&'static str>,
    /// The intent, where a rule decides it.
    pub ruled: Option<Decision>,
    /// What kind of act it is. Of several, the one that a reply must not miss.
    pub purpose: Purpose,
    /// What it needs of memory.
    pub need: Need,
    /// What memory is asked by: the message without greetings and thanks.
    pub cue: String,
    /// What it states, in its order.
    pub stated: Vec<Stated>,
    /// What it wishes forgotten, in its own words.
    pub forgets: Option<String>,
    /// It asks, besides its purpose, to be reminded of something.
    pub also_intends: bool,
    /// It says that the last reply was good.
    pub praises: bool,
    /// It says that the last reply was wrong.
    pub corrects: bool,
}

/// Reads a message. Takes time linear in its length and accepts any text.
#[must_use]
pub fn hear(message: &str) -> Heard {
    let masked = mask_secrets(message);
    let text = masked.text;
    let reading = Reading::new(&text);
    let acts = utterances_of(&text, &reading);
    let has = |act: SpeechAct| acts.iter().any(|utterance| utterance.act == act);
    let purpose = purpose(&reading, &acts);
    let follows_up = purpose != Purpose::SmallTalk && follows_up(&reading, &text);
    let mut kinds: Vec<&'static str> = masked.found.iter().map(|kind| kind.name()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    Heard {
        masked: kinds,
        ruled: decided(&reading, purpose, follows_up),
        purpose,
        need: need(purpose, follows_up),
        cue: cue(&text, &acts),
        stated: statements_of(&text, &reading).items.into_iter().map(Stated::from).collect(),
        forgets: acts.iter().find(|u| u.act == SpeechAct::ForgetRequest).map(|u| u.text.clone()),
        also_intends: purpose != Purpose::Intention && has(SpeechAct::Intention),
        praises: praises(&reading, &acts),
        corrects: has(SpeechAct::Correction),
        text,
    }
}

/// Of several acts the one whose miss would cost the user most: a question unanswered, then a correction unheard.
/// What is stated is kept whatever the purpose.
fn purpose(reading: &Reading, acts: &[Utterance]) -> Purpose {
    if reading.small_talk() {
        return Purpose::SmallTalk;
    }
    let forgets = |utterance: &Utterance| utterance.act == SpeechAct::ForgetRequest;
    if acts.iter().any(forgets) {
        return Purpose::ForgetRequest;
    }
    if reading.has(PhraseKind::Overview) {
        return Purpose::Overview;
    }
    [
        (SpeechAct::Question, Purpose::Question),
        (SpeechAct::Correction, Purpose::Correction),
        (SpeechAct::Intention, Purpose::Intention),
        (SpeechAct::Request, Purpose::Request),
        (SpeechAct::StoreRequest, Purpose::StoreRequest),
        (SpeechAct::Statement, Purpose::Statement),
        (SpeechAct::Quotation, Purpose::Statement),
    ]
    .into_iter()
    .find(|(act, _)| acts.iter().any(|utterance| utterance.act == *act))
    .map_or(Purpose::SmallTalk, |(_, purpose)| purpose)
}

fn need(purpose: Purpose, follows_up: bool) -> Need {
    match purpose {
        Purpose::SmallTalk | Purpose::Intention | Purpose::ForgetRequest => Need::Nothing,
        Purpose::Overview => Need::Overview,
        _ if follows_up => Need::Nothing,
        Purpose::Question
        | Purpose::Request
        | Purpose::Statement
        | Purpose::StoreRequest
        | Purpose::Correction => Need::Recollection,
    }
}

fn decided(reading: &Reading, purpose: Purpose, follows_up: bool) -> Option<Decision> {
    if let (Purpose::Overview, Some(found)) = (purpose, reading.first(PhraseKind::Overview)) {
        return Some(by_phrase(Intent::Memory, "overview", found));
    }
    let by = |intent, rule| Some(Decision { intent, rule: Cow::Borrowed(rule) });
    match (ruled(reading), purpose) {
        (Some(decision), _) => Some(decision),
        // The user's own future.
        (None, Purpose::ForgetRequest) => by(Intent::Memory, "forget request"),
        (None, Purpose::Intention) => by(Intent::Memory, "intention"),
        // Only reached when every act is a greeting, though not every word is on the list.
        (None, Purpose::SmallTalk) => by(Intent::SmallTalk, "small talk throughout"),
        (None, _) if follows_up => by(Intent::General, "follows up, names nothing"),
        (None, _) => None,
    }
}

/// True when a message names nothing of its own ("What are they?"): it is about the conversation, and whatever memory
/// holds would be unrelated. A word about the user themselves is a name for this purpose.
fn follows_up(reading: &Reading, text: &str) -> bool {
    if reading.has(PhraseKind::Memory) || reading.has(PhraseKind::Reasoning) {
        return false;
    }
    let lead = [PhraseKind::Request, PhraseKind::Preamble, PhraseKind::Opener, PhraseKind::Question];
    let leads: HashSet<&str> = lead
        .into_iter()
        .flat_map(|kind| reading.all(kind))
        .flat_map(|found| &reading.words()[found.span.clone()])
        .map(|word| word.text.as_str())
        .collect();
    content_words(text)
        .iter()
        .all(|term| leads.contains(term.surface.as_str()) || CARRYING_ON.contains(term.surface.as_str()))
}

/// True when the last reply is praised: a praising phrase that is not part of something told or asked ("she said that
/// it is perfect").
fn praises(reading: &Reading, acts: &[Utterance]) -> bool {
    let says_more = |at: usize| {
        acts.iter().any(|utterance| utterance.act != SpeechAct::SmallTalk && utterance.span.contains(&at))
    };
    let begins = |found: &PhraseMatch| reading.words().get(found.span.start).map(|word| word.span.start);
    reading.all(PhraseKind::Praise).filter_map(begins).any(|at| !says_more(at))
}

/// What memory is asked by.
fn cue(text: &str, acts: &[Utterance]) -> String {
    let join = |keep: &dyn Fn(SpeechAct) -> bool| {
        let kept: Vec<&str> = acts.iter().filter(|u| keep(u.act)).map(|u| u.text.trim()).collect();
        kept.join(" ")
    };
    let asked = |act| matches!(act, SpeechAct::Question | SpeechAct::Request);
    let long = text.len() > CUE_BYTES_WHOLE;
    let cue = if long && acts.iter().any(|u| asked(u.act)) {
        join(&asked)
    } else {
        join(&|act| act != SpeechAct::SmallTalk)
    };
    if normalise(&cue).trim().is_empty() { text.trim().to_owned() } else { cue }
}
