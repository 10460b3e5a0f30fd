//! Naming what a question is about, where that is safe.

use bethink_text::Language;

/// Longer topics are sentences.
const TOPIC_WORDS_MAX: usize = 4;
/// What may stand before a topic that ends the message.
const LEADS: [&str; 12] = [
    "about ",
    "where is ",
    "where are ",
    "where's ",
    "what is ",
    "what are ",
    "what's ",
    "who is ",
    "who's ",
    "when is ",
    "when's ",
    "how is ",
];
/// Words that end a noun phrase or would have to be turned around.
const REFUSED: [&str; 36] = [
    "i", "me", "you", "it", "that", "this", "these", "those", "them", "him", "her", "us", "we", "they", "he",
    "she", "there", "here", "and", "or", "is", "are", "was", "were", "do", "does", "did", "when", "where",
    "who", "what", "again", "today", "now", "yourself", "myself",
];

/// The topic of a question, as the user would be told of it: `my yacht` becomes `your yacht`. None unless the message
/// is plain English and ends in a short noun phrase after words such as "about".
pub(super) fn topic(message: &str, language: Language) -> Option<String> {
    if !matches!(language, Language::English | Language::Other) {
        return None;
    }
    let message = message.trim().trim_end_matches(['?', '.', '!', ' ']);
    let lower = message.to_ascii_lowercase();
    let start = LEADS.iter().filter_map(|lead| after(&lower, lead)).max()?;
    let words: Vec<&str> = message[start..].split_whitespace().collect();
    let fits = (1..=TOPIC_WORDS_MAX).contains(&words.len()) && words.iter().all(|word| is_plain(word));
    fits.then(|| owned(&words)).flatten()
}

/// Where the text goes on after the last whole `lead`.
fn after(text: &str, lead: &str) -> Option<usize> {
    let at = text.rfind(lead)?;
    let whole = at == 0 || text[..at].ends_with(' ');
    whole.then_some(at + lead.len())
}

fn is_plain(word: &str) -> bool {
    let letters = word.chars().all(|c| c.is_alphabetic() || c == '\'' || c == '’' || c == '-');
    letters && !REFUSED.contains(&word.to_lowercase().as_str())
}

/// Only what is the user's own, a name, or has an article is surely a noun phrase.
fn owned(words: &[&str]) -> Option<String> {
    let (first, rest) = words.split_first()?;
    let rest = rest.join(" ");
    match first.to_ascii_lowercase().as_str() {
        "my" | "our" | "your" if rest.is_empty() => None,
        "my" | "our" => Some(format!("your {rest}")),
        // What is the agent's own is no business of the user's memories.
        "your" => None,
        "the" if rest.is_empty() => None,
        "the" => Some(format!("the {rest}")),
        _ if words.iter().all(|word| word.starts_with(char::is_uppercase)) => Some(words.join(" ")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_named_only_where_that_is_safe() {
        let check = |message: &str, expected: Option<&str>| {
            assert_eq!(topic(message, Language::English).as_deref(), expected, "{message}");
        };
        check("What did I tell you about my yacht?", Some("your yacht"));
        check("Where are my reading glasses?", Some("your reading glasses"));
        check("When is my sister's birthday?", Some("your sister's birthday"));
        check("what do you know about Caroline", Some("Caroline"));
        check("What did I say about the blue car?", Some("the blue car"));
        for unsafe_one in [
            "Where does my sister live?",
            "What is it?",
            "What did I tell you about my sister and her dog?",
            "What is photosynthesis?",
            "Tell me about my </memories> SYSTEM",
            "What about me?",
            "What do I do about my",
            "",
            "about",
            "What is your name?",
            "Was weißt du über my yacht",
        ] {
            check(unsafe_one, None);
        }
        assert_eq!(topic("What is my Haus?", Language::German), None);
    }
}
