//! Pure work on text: no IO, no clock, no randomness. Everything here takes a `&str` and gives values.
//!
//! All functions accept any Unicode text, never panic, never cut inside a character, and take time linear in
//! the length of the text. Spans are byte ranges of the text that was given, always on character boundaries.
//!
//! ```text
//! words     normalise(text) -> String                  NFKC, lower case, one form of apostrophe and quote
//!           words(text) -> Vec<Word { text, span }>    segmentation in every script; CJK, Thai … as pairs
//!           Language::{English, German, Spanish, French, Other}
//!               ::detect(text), ::detect_with(text, hint), .code(), ::from_code("de")
//!           terms(text), terms_in(text, language) -> Vec<Term { surface, stem, stop }>
//!           content_words(text) -> Vec<Term>           the terms that are no stop words
//!           stem_hash(stem) -> u64                     stable over releases, for postings on disk
//! sentences sentences(text) -> Vec<Range<usize>>
//! phrases   Reading::new(text), ::with_hint(text, language)
//!               .first(kind) -> Option<&PhraseMatch { kind, phrase, span: of words }>
//!               .all(kind), .has(kind), .small_talk(), .words(), .language()
//!           is_small_talk(text) -> bool
//! speech    utterances(text), utterances_of(text, &reading) -> Vec<Utterance { act, text, span }>
//!           statements(text), statements_of(text, &reading) -> Statements { items, folded }
//! secrets   mask_secrets(text) -> Masked { text, found: Vec<SecretKind> }
//! fence     fence_text(text) -> String                 one line that can neither open nor close a fence
//!           preview(text, chars_max) -> String         cut between grapheme clusters, "…" counted
//! say       say_date(then, now) -> String              "today", "yesterday", "on 3 March", "on 3 March 2025"
//!           say_ago(then, now) -> String               "just now", "5 minutes ago", "3 weeks ago"
//! entities  names(text, known) -> Vec<String>          capitalised names
//! ```

pub(crate) mod entities;
pub(crate) mod fence;
pub(crate) mod phrases;
pub mod requests;
pub(crate) mod say;
pub(crate) mod secrets;
pub(crate) mod sentences;
pub(crate) mod speech;
pub mod times;
pub(crate) mod words;

pub use entities::names;
pub use fence::{fence_text, preview};
pub use phrases::{PhraseKind, PhraseMatch, Reading, is_small_talk};
pub use say::{say_ago, say_date};
pub use secrets::{Masked, SecretKind, mask_secrets};
pub use sentences::sentences;
pub use speech::{
    STATEMENTS_MAX, SpeechAct, Statement, Statements, Utterance, statements, statements_of, utterances,
    utterances_of, utterances_with,
};
pub use times::zone_named;
pub use words::language::Language;
pub use words::terms::{Term, content_words, stem_hash, terms, terms_in};
pub use words::{Word, normalise, words};
