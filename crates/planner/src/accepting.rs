//! "Yes, please": taking up an offer of the last reply.

use std::sync::LazyLock;

use bethink_text::words;

/// Longer messages say something of their own.
const BYTES_MAX: usize = 80;

/// The words of each accepting phrase.
static PHRASES: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let lines = include_str!("../data/accepting.txt").lines();
    lines.filter(|line| !line.starts_with('#')).map(spelt).filter(|phrase| !phrase.is_empty()).collect()
});

/// Whether a message accepts an offer and says nothing else.
pub(crate) fn accepts(message: &str) -> bool {
    if message.len() > BYTES_MAX || message.contains(['?', '？']) {
        return false;
    }
    let said = spelt(message);
    // From the start to each word: whether phrases alone lead there.
    let mut reached = vec![true];
    for end in 1..=said.len() {
        let ends_here = |phrase: &Vec<String>| said[..end].ends_with(phrase) && reached[end - phrase.len()];
        reached.push(PHRASES.iter().any(ends_here));
    }
    !said.is_empty() && reached.last() == Some(&true)
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
}
