//! Which memories are relevant to a cue, and how relevant.
//!
//! A sentence vector tells how near two texts lie, which is not yet whether one answers the other: "My mother's birthday
//! is on 9 November" is very near to "When is my wife's birthday?". So relevance is a sum of a few kinds of evidence, each
//! with a weight of its own ([`RelevanceConfig`]): nearness; whether the trace tells what is asked for ([`Heads`]); whom
//! both speak of; whether the kind of answer sought is there; how well words are covered by meaning; whether memory is
//! asked at all.
//!
//! English cues are read that closely. In other languages with Latin letters vectors and shared words decide, and in
//! other scripts shared words alone, since the embedded model cannot read them.
//!
//! Pure: no IO, no clock, no chance. A cue is read once, candidates only where they could matter.

mod calibration;
mod config;
mod coverage;
mod heads;
mod lists;
mod people;
mod plainly;
mod reading;
mod sought;
mod words;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use bethink_domain::{Intent, Senses, UnitVector};
use bethink_text::Language;

pub use calibration::Calibration;
pub use config::RelevanceConfig;
use coverage::{ContentWord, coverage};
use heads::Asked;
pub use heads::{Heads, Quantised};
use people::{Aliases, Relation};
use plainly::Plainly;
use reading::{Token, foreign_script, tokens};
use sought::Answers;

/// Relevance at the line: the point below which context does more harm than good.
const AT_LINE: f32 = 0.30;
/// Part of what is asked that counts as told when the cue asks nothing, is read by no heads, or meets a trace without a
/// vector.
const UNTOLD: f32 = 0.35;
/// Cosine from which on two texts say the same, whatever else speaks against it, up to the one that makes it certain.
const SAME_TEXT: (f32, f32) = (0.85, 0.98);
/// Candidates that are read word by word; others lie too far behind.
const READ_MAX: usize = 32;
/// How far below the line a trace may lie at best and still be read: what is missing then shows only in how surely
/// nothing is known.
const READ_BELOW_LINE: f32 = 2.0;
/// How far below the line a trace may lie at best and still have its words compared.
const COVERED_BELOW_LINE: f32 = 0.5;
/// Other Latin languages: the cosine between unrelated texts, which the English model puts near each other.
const FOREIGN_BACKGROUND: f32 = 0.57;
/// How far above the line a trace lies at least that answers a question in the question's own words.
const PLAINLY_ABOVE_LINE: f32 = 0.2;
/// Weight of shared words where the vectors say less than in English, and the share at which they say nothing.
const WORDS_BESIDE_MEANING: (f32, f32) = (4.0, 0.5);
/// The same where words alone decide.
const WORDS_ALONE: (f32, f32) = (6.0, 0.4);

/// Share of the cue's words at which words neither raise nor lower a trace's place: what is recalled holds a third of
/// them. Any share gives the same order; this one keeps ranks away from both ends of their scale, where strength and
/// usefulness would outweigh them.
const WORDS_USUAL: f32 = 0.3;

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub struct CueText<'a> {
    /// The message.
    pub text: &'a str,
    /// Its meaning; without it words decide.
    pub meaning: Option<&'a UnitVector>,
    /// Its intent, where it is known; a cue of unknown intent is asked of memory.
    pub intent: Option<Intent>,
}

/// A trace that may be relevant.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// What is remembered.
    pub text: &'a str,
    /// Cosine to the cue, −1…1; none when either has no vector.
    pub cosine: Option<f32>,
    /// Its vector, for telling what it is about.
    pub vector: Option<Quantised<'a>>,
    /// Share of the cue's words that it holds, weighted by how rare they are, 0…1.
    pub words: f32,
    /// It is the cue, word for word.
    pub verbatim: bool,
}

/// How relevant a trace is, and why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relevance {
    /// 0…1; 0.30 is the point below which context does more harm than good.
    pub relevance: f32,
    /// The order among those that are relevant enough, 0…1: relevance and shared words.
    pub rank: f32,
    /// How well the cue's words are covered by meaning, 0…1.
    pub coverage: f32,
    /// What the relevance lost because the trace speaks of someone else, 0…1.
    pub subject: f32,
}

/// A cue, read once.
pub struct CueProfile<'a> {
    senses: Option<&'a dyn Senses>,
    heads: Option<&'a Heads>,
    manner: Manner,
    calibration: Calibration,
    tokens: Vec<Token>,
    content: Vec<ContentWord>,
    asks: bool,
    sought: Answers,
    asked: Option<Asked>,
    impersonal: f32,
    personal: bool,
    user_is_subject: bool,
    relations: BTreeSet<Relation>,
    plainly: Option<Plainly>,
}

/// How closely a cue can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    English,
    /// Latin letters: vectors say a little.
    Foreign,
    /// Words alone.
    Words,
}

/// Whom the cue speaks of, once the candidates told who is who.
struct Wanted {
    aliases: Aliases,
    known: BTreeSet<String>,
    names: BTreeSet<String>,
    relations: BTreeSet<Relation>,
}

/// Whom a candidate speaks of.
struct Present<'t> {
    names: BTreeSet<&'t str>,
    /// Named as such, or by a name that belongs to one.
    relations: BTreeSet<Relation>,
}

/// A candidate's sum of weights and what it is made of.
#[derive(Clone, Copy)]
struct Weighed {
    sum: f32,
    coverage: f32,
    subject: f32,
}

impl<'a> CueProfile<'a> {
    /// Reads a cue. `heads` are those of the embedder that made the vectors ([`Heads::of`]).
    #[must_use]
    pub fn new(cue: CueText<'_>, heads: Option<&'a Heads>, senses: Option<&'a dyn Senses>) -> Self {
        let tokens = tokens(cue.text);
        let manner = Manner::of(&cue);
        let asks = sought::asks(cue.text, &tokens);
        let read = heads.zip(cue.meaning).filter(|_| asks);
        let asked = read.and_then(|(heads, meaning)| heads.asked(meaning));
        let content = coverage::content(cue.text, senses);
        Self {
            plainly: match manner {
                Manner::English if asks => Plainly::asked(cue.text, &tokens, content.is_empty()),
                Manner::Words => Plainly::asked_in_foreign_script(cue.text),
                Manner::English | Manner::Foreign => None,
            },
            senses,
            heads,
            manner,
            calibration: Calibration::default(),
            content,
            sought: if asks { sought::sought(&tokens) } else { Answers::default() },
            asked,
            // An intent that was read off a vector of a script that the model can't read says nothing.
            impersonal: if manner == Manner::Words { 0.0 } else { impersonal(&cue, heads, asks) },
            personal: !asks || people::user_is_there(&tokens),
            user_is_subject: people::user_is_subject(&tokens),
            relations: people::relations(&tokens),
            asks,
            tokens,
        }
    }

    /// The same, for vectors of an embedder with cosines of another scale.
    #[must_use]
    pub fn calibrated(self, calibration: Calibration) -> Self {
        Self { calibration, ..self }
    }

    /// Weighs all candidates of one recall together; one result for each, in their order.
    #[must_use]
    pub fn weigh(&self, candidates: &[Evidence<'_>], config: &RelevanceConfig) -> Vec<Relevance> {
        let mut weighed: Vec<Weighed> = candidates.iter().map(|c| self.unread(c, config)).collect();
        if self.manner == Manner::English {
            self.read(candidates, &mut weighed, config);
        }
        let best = weighed.iter().map(|w| w.sum).fold(f32::NEG_INFINITY, f32::max);
        weighed
            .iter()
            .zip(candidates)
            .map(|(w, candidate)| present(*w, candidate, self.nearness(candidate), best, config))
            .collect()
    }

    /// What a candidate reaches before its words are read. For English, reading adds coverage at most.
    fn unread(&self, candidate: &Evidence<'_>, config: &RelevanceConfig) -> Weighed {
        let by_words = |(weight, middle): (f32, f32)| config.line + weight * (candidate.words - middle);
        let sum = match (self.nearness(candidate), self.manner) {
            (Some(cosine), Manner::English) => self.meaning(cosine, candidate, config),
            (Some(cosine), _) => {
                by_words(WORDS_BESIDE_MEANING) + config.meaning * (cosine - FOREIGN_BACKGROUND)
                    - config.impersonal * self.impersonal
            }
            (None, _) => by_words(WORDS_ALONE) - config.impersonal * self.impersonal,
        };
        let coverage = if self.manner == Manner::English { 0.0 } else { candidate.words };
        let plainly = self.manner == Manner::Words && candidate.words > 0.0 && self.plainly(candidate, &[]);
        let sum = if plainly { sum.max(config.line + PLAINLY_ABOVE_LINE) } else { sum };
        Weighed { sum, coverage, subject: 0.0 }
    }

    /// The cosine on the scale of the weights, where the vectors mean something.
    fn nearness(&self, candidate: &Evidence<'_>) -> Option<f32> {
        candidate.cosine.filter(|_| self.manner != Manner::Words).map(|cosine| self.calibration.apply(cosine))
    }

    /// What vectors say.
    fn meaning(&self, cosine: f32, candidate: &Evidence<'_>, config: &RelevanceConfig) -> f32 {
        config.meaning * cosine + config.aspect * self.told(candidate) - config.impersonal * self.impersonal
            + if self.personal { config.personal } else { 0.0 }
    }

    /// How much of what is asked a candidate tells, 0…1, all of "everything about" taken for granted.
    fn told(&self, candidate: &Evidence<'_>) -> f32 {
        match (self.heads, &self.asked, candidate.vector) {
            (Some(heads), Some(asked), Some(vector)) => (heads.told(asked, vector) + asked.overview).min(1.0),
            _ => UNTOLD,
        }
    }

    /// Reads the most promising candidates and takes off what speaks against them.
    fn read(&self, candidates: &[Evidence<'_>], weighed: &mut [Weighed], config: &RelevanceConfig) {
        let least = config.line - config.coverage - READ_BELOW_LINE;
        let mut promising: Vec<usize> = (0..weighed.len()).filter(|i| weighed[*i].sum >= least).collect();
        promising.sort_by(|a, b| weighed[*b].sum.total_cmp(&weighed[*a].sum).then(a.cmp(b)));
        promising.truncate(READ_MAX);
        let read: Vec<(usize, Vec<Token>)> =
            promising.into_iter().map(|i| (i, tokens(candidates[i].text))).collect();
        let wanted = self.wanted(read.iter().map(|(_, tokens)| tokens.as_slice()));
        for (i, tokens) in &read {
            let candidate = &candidates[*i];
            let present = wanted.present(tokens);
            let (lost, gained) = self.people(&wanted, &present, tokens, config);
            let missing = self.sought.missing_from(sought::told(candidate.text, tokens)) as f32;
            let weighed = &mut weighed[*i];
            weighed.sum += gained - lost - config.unanswered * missing;
            weighed.subject = 1.0 - (-lost).exp();
            let plainly = lost == 0.0 && missing == 0.0;
            if plainly && self.plainly(candidate, tokens) {
                weighed.sum = weighed.sum.max(config.line + PLAINLY_ABOVE_LINE);
            }
            // Comparing words costs most and adds little.
            if weighed.sum + config.coverage >= config.line - COVERED_BELOW_LINE {
                weighed.coverage = coverage(&self.content, candidate.text, &present.relations, self.senses);
            }
            let untold = self.asked.as_ref().map_or(0.0, |asked| asked.overview * (1.0 - weighed.coverage));
            weighed.sum += config.coverage * weighed.coverage - config.aspect * untold;
        }
    }

    /// Whether a candidate answers in the cue's own words.
    fn plainly(&self, candidate: &Evidence<'_>, tokens: &[Token]) -> bool {
        self.plainly.as_ref().is_some_and(|asked| asked.told(candidate.text, tokens))
    }

    /// Whom the cue speaks of, as the candidates tell who is who.
    fn wanted<'t>(&self, read: impl Iterator<Item = &'t [Token]>) -> Wanted {
        let (mut aliases, mut known) = (Aliases::new(), BTreeSet::new());
        for tokens in read {
            people::learn_aliases(tokens, &mut aliases);
            known.extend(people::names(tokens));
        }
        let named = |token: &&Token| {
            people::name_like(token)
                && (token.inside || (known.contains(&token.low) && !sought::opens_question(&token.low)))
        };
        let names: BTreeSet<String> =
            self.tokens.iter().filter(named).map(|token| token.low.clone()).collect();
        let by_name: BTreeSet<Relation> =
            names.iter().filter_map(|name| aliases.get(name)).flatten().copied().collect();
        let relations = self.relations.difference(&by_name).copied().collect();
        Wanted { aliases, known, names, relations }
    }

    /// What a candidate loses for speaking of somebody else, and gains for speaking of those who are asked after.
    fn people(
        &self,
        wanted: &Wanted,
        present: &Present<'_>,
        tokens: &[Token],
        config: &RelevanceConfig,
    ) -> (f32, f32) {
        let related = &present.relations;
        let user_is_subject = people::user_is_subject(tokens);
        let meant = |name: &String| {
            let there = tokens.iter().any(|token| token.low == *name);
            // "My son fell" speaks of Leo when nobody else is named and Leo is the son.
            let by_relation = wanted.aliases.get(name).is_some_and(|own| !own.is_disjoint(related))
                && !present.names.iter().any(|other| wanted.aliases.contains_key(*other));
            there || by_relation
        };
        let unnamed = wanted.names.iter().filter(|name| !meant(name)).count();
        let unrelated = wanted.relations.iter().filter(|relation| !people::among(relation, related)).count();
        let conflict = unrelated > 0 && (!related.is_empty() || user_is_subject);
        let about_user =
            self.personal && self.user_is_subject && wanted.names.is_empty() && wanted.relations.is_empty();
        let other = about_user && !self.sought.seek_person() && !related.is_empty() && !user_is_subject;
        let spoken_of = unnamed + unrelated == 0 && !(wanted.names.is_empty() && self.relations.is_empty());
        let asked_alone = spoken_of && coverage::people_alone(&self.content, &wanted.names);
        let lost = config.stranger * (unnamed + unrelated).min(2) as f32
            + if conflict { config.conflict } else { 0.0 }
            + if other { config.other_subject } else { 0.0 };
        (lost, if asked_alone { config.person } else { 0.0 })
    }
}

impl Wanted {
    fn present<'t>(&self, tokens: &'t [Token]) -> Present<'t> {
        let is_name = |t: &&Token| people::name_like(t) && (t.inside || self.known.contains(&t.low));
        let names: BTreeSet<&str> = tokens.iter().filter(is_name).map(|t| t.low.as_str()).collect();
        let mut relations = people::relations(tokens);
        relations.extend(names.iter().filter_map(|name| self.aliases.get(*name)).flatten());
        Present { names, relations }
    }
}

impl std::fmt::Debug for CueProfile<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CueProfile")
            .field("manner", &self.manner)
            .field("asks", &self.asks)
            .finish_non_exhaustive()
    }
}

impl Manner {
    fn of(cue: &CueText<'_>) -> Self {
        if cue.meaning.is_none() || foreign_script(cue.text) {
            return Self::Words;
        }
        match Language::detect(cue.text) {
            Language::English => Self::English,
            // Too short to tell: a name, a code, a few English words.
            Language::Other if cue.text.is_ascii() => Self::English,
            _ => Self::Foreign,
        }
    }
}

/// Probability that a cue asks nothing of memory. What the rules found to be about memory is; what asks nothing is a
/// topic or a statement, and looks into memory unless somebody judged otherwise.
fn impersonal(cue: &CueText<'_>, heads: Option<&Heads>, asks: bool) -> f32 {
    match cue.intent {
        Some(Intent::Memory) => return 0.0,
        None if !asks => return 0.0,
        _ => {}
    }
    let guessed = heads.zip(cue.meaning).and_then(|(heads, meaning)| heads.impersonal(meaning));
    guessed.unwrap_or(if cue.intent.is_some() { 1.0 } else { 0.0 })
}

/// Pushes a candidate back that lies far behind the best, and puts its sum on the scale from 0 to 1.
fn present(
    weighed: Weighed,
    candidate: &Evidence<'_>,
    nearness: Option<f32>,
    best: f32,
    config: &RelevanceConfig,
) -> Relevance {
    let behind = (best - config.spread - weighed.sum).max(0.0);
    let scaled = |sum: f32| {
        let at_line = (AT_LINE / (1.0 - AT_LINE)).ln();
        1.0 / (1.0 + (-(config.steepness * (sum - config.line) + at_line)).exp())
    };
    let same = (nearness.unwrap_or(0.0) - SAME_TEXT.0) / (SAME_TEXT.1 - SAME_TEXT.0);
    let floor = if candidate.verbatim { 1.0 } else { same.clamp(0.0, 1.0) };
    Relevance {
        relevance: scaled(weighed.sum - config.inhibition * behind).max(floor),
        rank: scaled(weighed.sum + config.words * (candidate.words - WORDS_USUAL)).max(floor),
        coverage: weighed.coverage.clamp(0.0, 1.0),
        subject: weighed.subject.clamp(0.0, 1.0),
    }
}
