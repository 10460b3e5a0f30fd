//! Questions beside statements: what a message tells may answer what it asks.

use std::collections::HashSet;

use bethink_domain::{Plan, Purpose};
use bethink_text::{Language, PhraseKind, Reading, SpeechAct, content_words, utterances};

use super::phrases::Phrase;
use super::small_talk::says_little_but;
use crate::language::Prompt;

/// What a message is answered as. A question that only points at what the message tells ("Can you believe it? …") asks
/// nothing: such a message tells.
pub(super) fn answered_as(prompt: &Prompt, language: Language) -> Purpose {
    let plan = &*prompt.plan;
    // "Can you believe it?" has the form of a request.
    let asks = matches!(plan.purpose, Purpose::Question | Purpose::Request);
    let tells = asks && !plan.stated.is_empty() && prompt.entered.is_empty();
    let rhetorical = |question: &String| {
        says_little_but(question, Phrase::HearRhetorical, language) || content_words(question).is_empty()
    };
    let nothing_asked = tells && questions(&plan.message).iter().all(rhetorical);
    if nothing_asked { Purpose::Statement } else { plan.purpose }
}

/// The stated thing that holds every content word of what the same message asks.
pub(super) fn told_just_now(plan: &Plan) -> Option<&String> {
    if plan.stated.is_empty() {
        return None;
    }
    let questions = questions(&plan.message);
    let asked: HashSet<String> = questions.iter().flat_map(|question| subject_matter(question)).collect();
    let holds_all = |text: &&String| {
        let told: HashSet<String> = content_words(text).into_iter().map(|term| term.stem).collect();
        asked.is_subset(&told)
    };
    plan.stated.iter().find(holds_all).filter(|_| !asked.is_empty())
}

fn questions(message: &str) -> Vec<String> {
    let asks = |act| matches!(act, SpeechAct::Question | SpeechAct::Request);
    utterances(message).into_iter().filter(|said| asks(said.act)).map(|said| said.text).collect()
}

/// The stems of a question without the words that make it one ("what's").
fn subject_matter(question: &str) -> Vec<String> {
    let reading = Reading::new(question);
    let frame: HashSet<&str> = reading
        .all(PhraseKind::Question)
        .flat_map(|found| &reading.words()[found.span.clone()])
        .map(|word| word.text.as_str())
        .collect();
    let of_frame = |surface: &str| frame.contains(surface) || surface.contains('\'');
    let terms = content_words(question).into_iter().filter(|term| !of_frame(&term.surface));
    terms.map(|term| term.stem).collect()
}
