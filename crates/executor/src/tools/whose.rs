//! Whose words a text is that a model wants remembered: the user's of this turn, memory's or the instructions' again,
//! or the model's own.

use std::collections::HashSet;

use bethink_text::{Language, sentences, words};

use crate::stems::content_stems;

/// Share of a text's content words, in hundredths, that one thing shown must hold for the text to be its echo.
const ECHO_OF_ONE: usize = 60;
/// The same for all that was shown together. Much was shown, and much of it by chance.
const ECHO_OF_ALL: usize = 90;

/// Whose words a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// Whole sentences of the user's message, or a thing that it states.
    User,
    /// What was shown to the model, told again.
    Echo,
    /// The model's.
    Model,
}

/// Tells whose words a text is. `stated` is what the message was found to state; `shown` is what the model read beside
/// it: memories, instructions, and its own earlier replies.
pub(super) fn whose(text: &str, message: &str, stated: &[String], shown: &[&str]) -> Whose {
    if is_said(text, message, stated) {
        Whose::User
    } else if is_echo(text, stated, shown) {
        Whose::Echo
    } else {
        Whose::Model
    }
}

/// True when the words of a text are those of one or more whole sentences of the message in a row, or of something that
/// it states. A part of a sentence will not do: "like fish" stands in "I do not like fish". Neither will a question.
fn is_said(text: &str, message: &str, stated: &[String]) -> bool {
    let wanted = spelt(text);
    if wanted.is_empty() {
        return false;
    }
    if stated.iter().any(|stated| spelt(stated) == wanted) {
        return true;
    }
    let told: Vec<Vec<String>> = sentences(message)
        .into_iter()
        .map(|span| &message[span])
        .filter(|sentence| !sentence.trim_end().ends_with(['?', '？']))
        .map(spelt)
        .collect();
    (0..told.len()).any(|first| {
        let mut run = Vec::new();
        told[first..].iter().any(|sentence| {
            run.extend(sentence.iter().cloned());
            run == wanted
        })
    })
}

/// True when most of what a text says was shown, and was not told in this turn. What the user asks about counts as
/// shown where memory answers it: asking tells nothing.
fn is_echo(text: &str, stated: &[String], shown: &[&str]) -> bool {
    let language = Language::detect(text);
    let content = content_stems(text, language);
    let told: HashSet<String> = stated.iter().flat_map(|text| content_stems(text, language)).collect();
    let held = |stems: &HashSet<String>| {
        content.iter().filter(|stem| stems.contains(*stem) && !told.contains(*stem)).count()
    };
    let least = |share: usize| (content.len() * share).div_ceil(100).max(1);
    let mut all = HashSet::new();
    for text in shown {
        let stems = content_stems(text, language);
        if held(&stems) >= least(ECHO_OF_ONE) {
            return true;
        }
        all.extend(stems);
    }
    held(&all) >= least(ECHO_OF_ALL)
}

fn spelt(text: &str) -> Vec<String> {
    words(text).into_iter().map(|word| word.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, message: &str, expected: Whose) {
        let stated: Vec<String> =
            bethink_text::statements(message).items.into_iter().map(|stated| stated.text).collect();
        let shown = [
            "My sister Ana lives in Oslo.",
            "I am allergic to walnuts.",
            "Never mention the colour purple to anybody.",
        ];
        assert_eq!(whose(text, message, &stated, &shown), expected, "{text:?} of {message:?}, {stated:?}");
    }

    #[test]
    fn whole_sentences_of_this_turn_are_the_users_own() {
        check("I like jazz.", "I like jazz. What should I hear?", Whose::User);
        check("i like JAZZ", "I like jazz. What should I hear?", Whose::User);
        check("I like jazz. I play the drums", "Hello! I like jazz. I play the drums.", Whose::User);
        check("My bike is green.", "Please remember that my bike is green.", Whose::User);
        check("Ich mag Tee.", "Ich mag Tee. Was magst du?", Whose::User);
        // Said again, it is the user's, whatever was shown.
        check("My sister Ana lives in Oslo.", "My sister Ana lives in Oslo.", Whose::User);
    }

    #[test]
    fn parts_of_sentences_and_questions_are_not() {
        check("like fish", "I do not like fish.", Whose::Model);
        check("I like fish", "Nobody believes that I like fish.", Whose::Model);
        check("The user enjoys jazz concerts", "I like jazz.", Whose::Model);
        check("Do I like fish", "Do I like fish?", Whose::Model);
        check("", "I like jazz.", Whose::Model);
    }

    #[test]
    fn what_memory_or_instructions_said_is_an_echo() {
        check("My sister Ana lives in Oslo.", "Where does Ana live?", Whose::Echo);
        check("The user's sister Ana lives in Oslo", "Where does Ana live?", Whose::Echo);
        check("Ana, who lives in Oslo, is allergic to walnuts", "Tell me about Ana.", Whose::Echo);
        check("Never mention purple", "Hello", Whose::Echo);
        check("The user is planning a trip to Oslo in May", "I fly in May.", Whose::Model);
        check("Ana moved to Bergen", "Ana moved to Bergen last week.", Whose::Model);
    }
}
