//! What the responder can say, as data: a file per language, several variants a phrase.

use std::collections::HashMap;
use std::sync::LazyLock;

use bethink_text::{Language, stem_hash};

macro_rules! phrases {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// A phrase of the data files.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Phrase { $($variant),+ }

        impl Phrase {
            #[cfg(test)]
            pub(super) const ALL: &[Self] = &[$(Self::$variant),+];

            /// Its section in the data files.
            pub(super) fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

phrases! {
    Quote = "quote",
    Confirm = "confirm",
    ConfirmQuote = "confirm_quote",
    ConfirmMany = "confirm_many",
    ConfirmItem = "confirm_item",
    ConfirmMore = "confirm_more",
    Stored = "stored",
    NothingToKeep = "nothing_to_keep",
    PrivateHeard = "private_heard",
    JustTold = "just_told",
    JustToldKept = "just_told_kept",
    NothingBeyond = "nothing_beyond",
    TellMeMore = "tell_me_more",
    MemoryOff = "memory_off",
    MemoryOffHeard = "memory_off_heard",
    MemoryOut = "memory_out",
    PrivateNote = "private_note",
    Masked = "masked",
    Corrected = "corrected",
    CorrectedFirst = "corrected_first",
    NotForgotten = "not_forgotten",
    Propose = "propose",
    ProposeYes = "propose_yes",
    ForgottenNone = "forgotten_none",
    ForgottenOne = "forgotten_one",
    ForgottenMany = "forgotten_many",
    ForgottenTurns = "forgotten_turns",
    ForgottenDisk = "forgotten_disk",
    ForgottenNot = "forgotten_not",
    CannotRemind = "cannot_remind",
    CannotRemindPrivate = "cannot_remind_private",
    CannotRemindOff = "cannot_remind_off",
    NoReminders = "no_reminders",
    Told = "told",
    Said = "said",
    Noticed = "noticed",
    Concluded = "concluded",
    LookedUp = "looked_up",
    Read = "read",
    Unsure = "unsure",
    ListTold = "list_told",
    ListMixed = "list_mixed",
    ItemTold = "item_told",
    ItemOther = "item_other",
    LabelSaid = "label_said",
    LabelNoticed = "label_noticed",
    LabelConcluded = "label_concluded",
    LabelLookedUp = "label_looked_up",
    LabelRead = "label_read",
    CannotReason = "cannot_reason",
    NoneAbout = "none_about",
    None = "none",
    OnceKnown = "once_known",
    NearOne = "near_one",
    NearMany = "near_many",
    NoModel = "no_model",
    NoModelRequest = "no_model_request",
    NoModelHint = "no_model_hint",
    AboutMe = "about_me",
    MyName = "my_name",
    Overview = "overview",
    OverviewEmpty = "overview_empty",
    KindSemantic = "kind_semantic",
    KindEpisodic = "kind_episodic",
    KindProcedural = "kind_procedural",
    KindRelational = "kind_relational",
    KindProspective = "kind_prospective",
    OverviewItem = "overview_item",
    OverviewMore = "overview_more",
    WordsOnly = "words_only",
    Greeting = "greeting",
    GoodMorning = "good_morning",
    GoodEvening = "good_evening",
    GoodNight = "good_night",
    Thanks = "thanks",
    Bye = "bye",
    HowAreYou = "how_are_you",
    Sorry = "sorry",
    Acknowledge = "acknowledge",
    Aside = "aside",
    AndYou = "and_you",
    Today = "today",
    Yesterday = "yesterday",
    OnDate = "on_date",
    OnDateYear = "on_date_year",
    SomeTime = "some_time",
    BareToday = "bare_today",
    BareYesterday = "bare_yesterday",
    BareDate = "bare_date",
    BareDateYear = "bare_date_year",
    BareSomeTime = "bare_some_time",
    FirstDay = "first_day",
    Months = "months",
    SecretOther = "secret_other",
    And = "and",
    HearNight = "hear_night",
    HearBye = "hear_bye",
    HearThanks = "hear_thanks",
    HearHowAreYou = "hear_how_are_you",
    HearMorning = "hear_morning",
    HearEvening = "hear_evening",
    HearGreeting = "hear_greeting",
    HearSorry = "hear_sorry",
    HearAboutMe = "hear_about_me",
    HearMyName = "hear_my_name",
    HearReminders = "hear_reminders",
    HearRhetorical = "hear_rhetorical",
    HearAside = "hear_aside",
    HearAndYou = "hear_and_you",
}

/// Every variant of a phrase in a language; in English where the language has no data. `NoneAbout` alone is missing
/// where the language's grammar would bend the topic.
pub(super) fn variants(phrase: Phrase, language: Language) -> &'static [&'static str] {
    section(phrase.name(), language).unwrap_or_default()
}

/// How a kind of secret is named in a sentence; none for a kind that the data do not know.
pub(super) fn secret_name(kind: &str, language: Language) -> Option<&'static str> {
    let name: String =
        kind.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    section(&format!("secret_{name}"), language).and_then(|names| names.first().copied())
}

/// The variant that `seed` chooses, with the blanks filled in.
pub(super) fn fill(phrase: Phrase, language: Language, seed: u64, blanks: &[(&str, &str)]) -> String {
    let variants = variants(phrase, language);
    // Each phrase of one reply is drawn apart, so that replies do not come in fixed pairs.
    let draw = seed.wrapping_add(stem_hash(phrase.name())).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    let choice = draw.checked_rem(variants.len() as u64).unwrap_or_default() as usize;
    variants.get(choice).map(|template| filled(template, blanks)).unwrap_or_default()
}

/// Fills blanks in one pass, so that what is filled in is never itself read as a template.
fn filled(template: &str, blanks: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len() + 64);
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let after = &rest[open + 1..];
        let Some(close) = after.find('}') else { break };
        out.push_str(&rest[..open]);
        let value = blanks.iter().find(|(name, _)| *name == &after[..close]);
        out.push_str(value.map_or("", |(_, value)| value));
        rest = &after[close + 1..];
    }
    out.push_str(rest);
    out
}

type Sections = HashMap<&'static str, Vec<&'static str>>;

const DATA: [(Language, &str); 4] = [
    (Language::English, include_str!("../../data/replies/en.txt")),
    (Language::German, include_str!("../../data/replies/de.txt")),
    (Language::Spanish, include_str!("../../data/replies/es.txt")),
    (Language::French, include_str!("../../data/replies/fr.txt")),
];

static TABLES: LazyLock<HashMap<Language, Sections>> =
    LazyLock::new(|| DATA.into_iter().map(|(language, data)| (language, parse(data))).collect());

fn section(name: &str, language: Language) -> Option<&'static [&'static str]> {
    let own = TABLES.get(&language).or_else(|| TABLES.get(&Language::English));
    own.and_then(|sections| sections.get(name)).map(Vec::as_slice)
}

fn parse(data: &'static str) -> Sections {
    let mut sections = Sections::new();
    let mut current = "";
    for line in data.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        match line.strip_prefix("= ") {
            Some(name) => current = name.trim(),
            None => sections.entry(current).or_default().push(line),
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn blanks(template: &str) -> BTreeSet<&str> {
        template.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect()
    }

    #[test]
    fn every_language_has_every_phrase_with_the_blanks_of_the_english_one() {
        for phrase in Phrase::ALL.iter().copied() {
            let english: BTreeSet<&str> =
                variants(phrase, Language::English).iter().flat_map(|v| blanks(v)).collect();
            for language in Language::KNOWN {
                let own = variants(phrase, language);
                // Other languages would have to bend the topic.
                let optional = phrase == Phrase::NoneAbout && language != Language::English;
                assert!(optional || !own.is_empty(), "{} lacks {}", language.code(), phrase.name());
                for variant in own {
                    let extra: Vec<_> = blanks(variant).difference(&english).copied().collect();
                    assert!(extra.is_empty(), "{} {variant:?} has {extra:?}", language.code());
                }
            }
        }
    }

    #[test]
    fn no_section_is_left_unused() {
        for (language, data) in DATA {
            for name in parse(data).into_keys().filter(|name| !name.starts_with("secret_")) {
                let known = Phrase::ALL.iter().any(|phrase| phrase.name() == name);
                assert!(known, "{}: {name}", language.code());
            }
        }
    }

    #[test]
    fn what_is_filled_in_is_never_read_as_a_template() {
        let text = filled("{a} and {b} and {c", &[("a", "{b}"), ("b", "x")]);
        assert_eq!(text, "{b} and x and {c");
    }

    #[test]
    fn there_are_twelve_months_in_every_language() {
        for language in Language::KNOWN {
            assert_eq!(variants(Phrase::Months, language).len(), 12, "{}", language.code());
        }
    }
}
