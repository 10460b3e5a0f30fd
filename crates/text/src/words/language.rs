//! Which language a text is in, told from its most common words and its accents.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{Word, unaccented, words};

/// The languages whose words, stems and phrases are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// English.
    English,
    /// German.
    German,
    /// Spanish.
    Spanish,
    /// French.
    French,
    /// Any other language, or a text too short to tell.
    Other,
}

impl Language {
    /// The languages that have data of their own.
    pub const KNOWN: [Language; 4] =
        [Language::English, Language::German, Language::Spanish, Language::French];

    /// The language that a text seems to be in.
    pub fn detect(text: &str) -> Self {
        Self::detect_with(text, Language::Other)
    }

    /// The language that a text seems to be in, and `hint` where the text does not tell.
    pub fn detect_with(text: &str, hint: Language) -> Self {
        Self::of_words(&words(sample(text)), hint)
    }

    /// Two letters of ISO 639-1, or "und" for [`Language::Other`].
    pub fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::German => "de",
            Language::Spanish => "es",
            Language::French => "fr",
            Language::Other => "und",
        }
    }

    /// The language of an ISO 639-1 code; anything unknown is [`Language::Other`].
    pub fn from_code(code: &str) -> Self {
        let known = Self::KNOWN.into_iter().find(|language| code.eq_ignore_ascii_case(language.code()));
        known.unwrap_or(Language::Other)
    }

    pub(crate) fn of_words(words: &[Word], hint: Language) -> Self {
        let mut votes = Votes::default();
        words.iter().take(SAMPLE_WORDS).for_each(|word| votes.count(&word.text));
        votes.winner(hint)
    }
}

/// More of a text does not change the answer.
const SAMPLE_WORDS: usize = 400;
const SAMPLE_BYTES: usize = 16_384;
/// Votes of other languages that share words with the known ones (Italian, Portuguese, Dutch …).
const OTHERS: usize = 4;

/// Votes for each of [`Language::KNOWN`], then for the others.
#[derive(Default)]
struct Votes {
    of: [f32; 5],
    other_script: usize,
    words: usize,
}

impl Votes {
    fn count(&mut self, word: &str) {
        self.words += 1;
        if word.chars().any(|c| c.is_alphabetic() && u32::from(c) > 0x24f) {
            self.other_script += 1;
            return;
        }
        let plain = unaccented(word);
        let base = plain.split('\'').next().unwrap_or_default();
        if let Some(languages) = MARKS.get(plain.as_ref()).or(MARKS.get(base)) {
            let known: Vec<usize> = (0..5).filter(|n| languages & (1 << n) != 0).collect();
            // A word of one language says much, a word of three hardly anything.
            let vote = [2.0, 1.0, 0.5, 0.25, 0.1][known.len().clamp(1, 5) - 1];
            known.into_iter().for_each(|n| self.of[n] += vote);
        }
        if !word.is_ascii() {
            word.chars().for_each(|c| self.count_accent(c));
        }
        if word.ends_with("n't") || word.ends_with("'re") || word.ends_with("'ve") || word.ends_with("'ll") {
            self.of[0] += 2.0;
        }
    }

    fn count_accent(&mut self, c: char) {
        const ACCENTS: [(&str, usize, f32); 6] = [
            ("ß", 1, 4.0),
            ("äöü", 1, 2.0),
            ("ñáíóú", 2, 2.0),
            ("èêàçùûîôœ", 3, 2.0),
            ("é", 3, 1.0),
            ("ãõåøłąęščžőűāēīž", OTHERS, 3.0),
        ];
        for (letters, language, vote) in ACCENTS {
            if letters.contains(c) {
                self.of[language] += vote;
            }
        }
        if c == 'é' {
            self.of[2] += 1.0;
        }
    }

    fn winner(&self, hint: Language) -> Language {
        if self.other_script * 2 > self.words {
            return Language::Other;
        }
        let best = self.of.iter().copied().fold(0.0, f32::max);
        let mut leaders = (0..5).filter(|n| best > 0.0 && self.of[*n] >= best);
        match (leaders.next(), leaders.next()) {
            (Some(OTHERS), _) => Language::Other,
            (Some(only), None) => Language::KNOWN[only],
            _ => hint,
        }
    }
}

/// Whether a word is too common in a language to say anything. In [`Language::Other`]: in two of the known ones.
pub(crate) fn is_stop(word: &str, language: Language) -> bool {
    let word =
        word.strip_suffix("'s").or(word.strip_suffix('\'')).filter(|rest| !rest.is_empty()).unwrap_or(word);
    let Some(languages) = STOPS.get(unaccented(word).as_ref()) else { return false };
    match Language::KNOWN.iter().position(|known| *known == language) {
        Some(n) => languages & (1 << n) != 0,
        None => languages.count_ones() > 1,
    }
}

fn sample(text: &str) -> &str {
    &text[..text.floor_char_boundary(SAMPLE_BYTES)]
}

const STOP_DATA: [&str; 4] = [
    include_str!("../../data/en/stop.txt"),
    include_str!("../../data/de/stop.txt"),
    include_str!("../../data/es/stop.txt"),
    include_str!("../../data/fr/stop.txt"),
];
const MARK_DATA: [&str; 5] = [
    include_str!("../../data/en/common.txt"),
    include_str!("../../data/de/common.txt"),
    include_str!("../../data/es/common.txt"),
    include_str!("../../data/fr/common.txt"),
    include_str!("../../data/other/common.txt"),
];

/// Stop words, without accents, with a bit for each language of [`Language::KNOWN`].
static STOPS: LazyLock<HashMap<String, u8>> = LazyLock::new(|| {
    let mut stops = HashMap::new();
    STOP_DATA.iter().enumerate().for_each(|(n, data)| add(&mut stops, n, data));
    stops
});

/// Words that tell a language: its stop words and other common ones.
static MARKS: LazyLock<HashMap<String, u8>> = LazyLock::new(|| {
    let mut marks = STOPS.clone();
    MARK_DATA.iter().enumerate().for_each(|(n, data)| add(&mut marks, n, data));
    marks
});

fn add(lists: &mut HashMap<String, u8>, language: usize, data: &str) {
    let lines = data.lines().filter(|line| !line.starts_with('#'));
    for word in lines.flat_map(words) {
        *lists.entry(unaccented(&word.text).into_owned()).or_default() |= 1 << language;
    }
}
