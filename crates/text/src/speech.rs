//! Speech: what each sentence of a message does, and what of it is worth remembering.

mod clauses;
mod foreign;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::phrases::Reading;
use crate::words::language::{Language, is_stop};
use crate::words::normalise;
use clauses::{Clause, clauses};

/// What a sentence does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SpeechAct {
    /// Asks, with or without a question mark; also asks for what was said earlier ("remind me what I said").
    Question,
    /// Asks the assistant to do something now.
    Request,
    /// Tells something about the user, others or the world, or how the assistant shall behave from now on.
    Statement,
    /// Says that the last answer was wrong; its text is what is right, if that is said.
    Correction,
    /// Asks to remember; its text is what to remember.
    StoreRequest,
    /// Asks to forget something that is remembered.
    ForgetRequest,
    /// Asks for something to be done later.
    Intention,
    /// Greets, thanks, agrees, announces what comes; also sentences without words.
    SmallTalk,
    /// Repeats what was said by the assistant, or is quoted or code.
    Quotation,
}

/// A sentence, or a clause of one where its clauses do different things.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Utterance {
    /// What it does.
    pub act: SpeechAct,
    /// What is said, on one line, without openers ("hi, …"); empty if it has no content of its own ("that's wrong").
    pub text: String,
    /// Where this text stands in the message, in bytes.
    pub span: Range<usize>,
}

/// Something that the user told, worth encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What was told, on one line.
    pub text: String,
    /// Where it stands in the message, in bytes.
    pub span: Range<usize>,
    /// How it was told: a statement, a correction, or a request to remember.
    pub act: SpeechAct,
}

/// What a message tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statements {
    /// At most [`STATEMENTS_MAX`], in order.
    pub items: Vec<Statement>,
    /// How many more statements the last item holds, joined, since there were too many.
    pub folded: usize,
}

/// A message of more statements is a document; its rest is kept in one piece. Each statement costs an embedding.
pub const STATEMENTS_MAX: usize = 32;

/// What each sentence of a message does, in order.
pub fn utterances(text: &str) -> Vec<Utterance> {
    utterances_with(text, Language::Other)
}

/// What each sentence of a message does; `hint` is its language where the text does not tell.
pub fn utterances_with(text: &str, hint: Language) -> Vec<Utterance> {
    utterances_of(text, &Reading::with_hint(text, hint))
}

/// What each sentence of a message does that has been read already.
pub fn utterances_of(text: &str, reading: &Reading) -> Vec<Utterance> {
    clauses(text, reading).into_iter().map(|clause| utterance(text, clause)).collect()
}

/// What a message tells: its statements, the content of its corrections, and what it asks to remember. Never
/// questions, requests, small talk, or quotations.
pub fn statements(text: &str) -> Statements {
    statements_of(text, &Reading::new(text))
}

/// What a message tells that has been read already.
pub fn statements_of(text: &str, reading: &Reading) -> Statements {
    let told = utterances_of(text, reading).into_iter().filter(|utterance| {
        let tells =
            matches!(utterance.act, SpeechAct::Statement | SpeechAct::Correction | SpeechAct::StoreRequest);
        tells && !utterance.text.is_empty()
    });
    let mut found = Statements::default();
    for Utterance { act, text, span } in told {
        if found.items.len() < STATEMENTS_MAX {
            found.items.push(Statement { text, span, act });
        } else if let Some(last) = found.items.last_mut() {
            last.text.push(' ');
            last.text.push_str(&text);
            last.span.end = span.end;
            found.folded += 1;
        }
    }
    found
}

fn utterance(text: &str, clause: Clause) -> Utterance {
    let Clause { act, span, cut } = clause;
    let said = one_line(&text[span.clone()]);
    let text = match act {
        // What follows "remember that" becomes a sentence.
        SpeechAct::StoreRequest | SpeechAct::Correction if cut => sentence(&said),
        SpeechAct::Statement if cut => capitalised(&said),
        _ => said,
    };
    Utterance { act, text, span }
}

fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

fn sentence(said: &str) -> String {
    let mut sentence = capitalised(said.trim_end_matches(['?', ',', ';', ' ']));
    if sentence.ends_with(char::is_alphanumeric) {
        sentence.push('.');
    }
    sentence
}

/// What was cut from the middle of a sentence with a capital first letter, if its first word is a common one of a
/// language: a command or code ("npm run build") stays as it is.
fn capitalised(said: &str) -> String {
    let first = said.split([' ', '\'', '’', ',']).next().unwrap_or_default();
    let common = Language::KNOWN.into_iter().any(|language| is_stop(&normalise(first), language));
    if !common || !first.chars().all(char::is_lowercase) {
        return said.to_owned();
    }
    let mut characters = said.chars();
    let head = characters.next().into_iter().flat_map(char::to_uppercase);
    head.chain(characters).collect()
}
