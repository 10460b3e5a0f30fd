//! Answers to greetings, thanks and farewells, and to "who are you?".

use bethink_text::{Language, words};

use super::phrases::{Phrase, variants};
use super::voice::Voice;
use crate::language::Prompt;

/// What is heard and what is said to it; where a message holds several, the first of this list decides.
const MANNERS: [(Phrase, Phrase); 10] = [
    (Phrase::HearNight, Phrase::GoodNight),
    (Phrase::HearBye, Phrase::Bye),
    (Phrase::HearThanks, Phrase::Thanks),
    (Phrase::HearAndYou, Phrase::AndYou),
    (Phrase::HearHowAreYou, Phrase::HowAreYou),
    (Phrase::HearMorning, Phrase::GoodMorning),
    (Phrase::HearEvening, Phrase::GoodEvening),
    (Phrase::HearSorry, Phrase::Sorry),
    (Phrase::HearGreeting, Phrase::Greeting),
    (Phrase::HearAside, Phrase::Aside),
];

/// Answers small talk in the language that it is in.
pub(super) fn small_talk(prompt: &Prompt, voice: Voice<'_>) -> String {
    let said = spaced(&prompt.message);
    for (heard, answer) in MANNERS {
        if let Some(language) = hears(&said, heard, voice.language) {
            return voice.in_language(language).say(answer, &[]);
        }
    }
    let wordless = said.trim().is_empty() && !prompt.message.trim().is_empty();
    voice.say(if wordless { Phrase::Aside } else { Phrase::Acknowledge }, &[])
}

/// The answer to whoever asks what they are talking to, or how it is called.
pub(super) fn about_agent(prompt: &Prompt, voice: &Voice<'_>) -> Option<String> {
    let asks = |phrase| says_little_but(&prompt.message, phrase, voice.language);
    if asks(Phrase::HearMyName) {
        return Some(voice.say(Phrase::MyName, &[("name", prompt.plan.agent.as_str())]));
    }
    asks(Phrase::HearAboutMe).then(|| voice.say(Phrase::AboutMe, &[]))
}

/// Whether a phrase stands in a message with few other words.
pub(super) fn says_little_but(message: &str, phrase: Phrase, language: Language) -> bool {
    const OTHER_WORDS_MAX: usize = 3;
    let said = spaced(message);
    let asked = variants(phrase, language).iter().map(|phrase| spaced(phrase));
    let asked = asked.filter(|phrase| said.contains(phrase.as_str())).max_by_key(String::len);
    let count = |text: &str| text.split_whitespace().count();
    asked.is_some_and(|phrase| {
        // "help" is a question of its own only when nothing else is said.
        let others = count(&said) - count(&phrase);
        if count(&phrase) == 1 { others == 0 } else { others <= OTHER_WORDS_MAX }
    })
}

/// Whether a phrase stands in a message, whatever else does.
pub(super) fn says(message: &str, phrase: Phrase, language: Language) -> bool {
    let said = spaced(message);
    variants(phrase, language).iter().any(|phrase| said.contains(&spaced(phrase)))
}

/// The language whose phrase stands in the message; the likeliest language first.
fn hears(said: &str, phrase: Phrase, likely: Language) -> Option<Language> {
    let languages = [likely].into_iter().chain(Language::KNOWN).filter(|l| *l != Language::Other);
    languages
        .into_iter()
        .find(|language| variants(phrase, *language).iter().any(|phrase| said.contains(&spaced(phrase))))
}

/// The words of a text, each between single spaces, so that only whole words match.
fn spaced(text: &str) -> String {
    let words: Vec<String> = words(text).into_iter().map(|word| word.text).collect();
    format!(" {} ", words.join(" "))
}
