//! "Yes, please": taking up an offer of the last reply, or confirming what it asked about.

use std::sync::LazyLock;

use bethink_text::words;

/// Longer messages say something of their own.
const BYTES_MAX: usize = 80;

/// A phrase as its words.
type Phrase = Vec<String>;

/// The phrases that accept.
static ACCEPTING: LazyLock<Vec<Phrase>> = LazyLock::new(|| phrases(include_str!("../data/accepting.txt")));

/// The phrases that confirm, and those that may stand beside them.
static CONFIRMING: LazyLock<(Vec<Phrase>, Vec<Phrase>)> = LazyLock::new(|| {
    let (confirming, beside) =
        include_str!("../data/confirming.txt").split_once("\n= beside\n").unwrap_or_default();
    (phrases(confirming), phrases(beside))
});

/// Whether a message accepts an offer and says nothing else.
pub(crate) fn accepts(message: &str) -> bool {
    is_short_answer(message) && made_of(&spelt(message), &[&ACCEPTING]).is_some()
}

/// Whether a message confirms that something is deleted for ever, and says nothing else. Thanks alone do not.
pub(crate) fn confirms(message: &str) -> bool {
    let (confirming, beside) = &*CONFIRMING;
    is_short_answer(message) && made_of(&spelt(message), &[confirming, beside]).is_some_and(|first| first)
}

fn is_short_answer(message: &str) -> bool {
    message.len() <= BYTES_MAX && !message.contains(['?', '？'])
}

/// Whether words are phrases of some lists, end to end; and if so, whether one of the first list can be among them.
fn made_of(said: &[String], lists: &[&Vec<Phrase>]) -> Option<bool> {
    // From the start to each word: whether phrases alone lead there, without and with one of the first list.
    let mut reached = vec![(true, false)];
    for end in 1..=said.len() {
        let mut here = (false, false);
        for (place, list) in lists.iter().enumerate() {
            for phrase in list.iter().filter(|phrase| said[..end].ends_with(phrase)) {
                let (without, with) = reached[end - phrase.len()];
                here.0 |= without && place > 0;
                here.1 |= with || (without && place == 0);
            }
        }
        reached.push(here);
    }
    let (without, with) = *reached.last()?;
    (!said.is_empty() && (without || with)).then_some(with)
}

fn phrases(list: &str) -> Vec<Phrase> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines.map(spelt).filter(|phrase| !phrase.is_empty()).collect()
}

fn spelt(text: &str) -> Vec<String> {
    words(text).into_iter().map(|word| word.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_accepts_and_says_nothing_else_takes_up_an_offer() {
        for yes in [
            "yes",
            "Yes please!",
            "please do",
            "sure, go ahead",
            "Ok, look it up",
            "ja",
            "Ja, bitte schau nach.",
            "sí",
            "Sí, por favor",
            "oui",
            "Oui, s'il te plaît",
            "はい",
            "好的",
            "да",
            "yes, thank you",
        ] {
            assert!(accepts(yes), "{yes}");
        }
        for other in [
            "",
            "no",
            "no thanks",
            "yes, but my car is red",
            "ok?",
            "Look at my new car",
            "nein danke",
            "...",
            "maybe",
        ] {
            assert!(!accepts(other), "{other}");
        }
        assert!(!accepts("yes ".repeat(1_000).as_str()), "a long message is no answer");
    }

    #[test]
    fn only_a_clear_yes_deletes() {
        for yes in [
            "yes",
            "Yes, forget it.",
            "yes please",
            "Please delete them, thanks",
            "ja",
            "Ja, vergiss es!",
            "sí, bórralo por favor",
            "Oui, oublie-le",
            "はい",
        ] {
            assert!(confirms(yes), "{yes}");
        }
        for other in [
            "",
            "ok",
            "thanks",
            "please",
            "no",
            "no, forget it not",
            "yes?",
            "look it up",
            "yes, and my car too",
        ] {
            assert!(!confirms(other), "{other}");
        }
    }
}
