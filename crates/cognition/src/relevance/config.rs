//! The numbers of relevance.

use bethink_domain::Bounded;
use serde::Deserialize;

/// Parameters of relevance.
///
/// All weights are in one unit, the logit: 1 more multiplies the odds of being relevant by e. They were fitted on
/// labelled questions and rounded (`docs/decisions/0001-relevance.md`).
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RelevanceConfig {
    /// Weight of the cosine between cue and trace, 0 to 40. Most of what is known comes from it.
    pub meaning: f32,
    /// Weight of telling what is asked for, 0 to 10: where somebody lives is no answer to how old they are.
    pub aspect: f32,
    /// Weight of the cue's words being covered by meaning, 0 to 10. Small: near misses share words too.
    pub coverage: f32,
    /// What is lost for each person or name of the cue that the trace does not speak of, 0 to 10; two at most count.
    pub stranger: f32,
    /// What is lost when the trace speaks of somebody else than the relation that the cue names, 0 to 10. Nearly a veto:
    /// a mother's birthday is no answer to a wife's.
    pub conflict: f32,
    /// What is gained when the cue asks after persons and nothing else, and the trace speaks of them, 0 to 10: "Who is my
    /// manager?" lies near nothing.
    pub person: f32,
    /// What is lost when the cue is about the user and the trace about somebody else, 0 to 10. Small: "my" is often
    /// in both.
    pub other_subject: f32,
    /// What is lost for each kind of answer that is sought and missing (a time, a place, a price), 0 to 10.
    pub unanswered: f32,
    /// What a cue loses that asks nothing of memory, times the probability of that, 0 to 10.
    pub impersonal: f32,
    /// What a cue gains that speaks of the user, 0 to 10.
    pub personal: f32,
    /// Sum of weights at which relevance is 0.30, the point below which context does more harm than good, −20 to 20.
    pub line: f32,
    /// How fast relevance rises with the sum of weights, 0.05 to 5. At 0.6, a good match has 0.6 to 0.9.
    pub steepness: f32,
    /// How far behind the best a trace may lie before it is pushed back further, 0 to 20: what is much less relevant
    /// than the best one is seldom wanted beside it.
    pub spread: f32,
    /// How strongly it is pushed back, 0 to 10; 0 switches that off. The order never changes.
    pub inhibition: f32,
    /// Weight of shared words in the order of traces, 0 to 20. They tell which of many is meant far better than
    /// whether any is: in a long conversation, where hundreds of turns lie near a question, the order is best from 12
    /// up and hardly changes beyond 14.
    pub words: f32,
}

impl Default for RelevanceConfig {
    fn default() -> Self {
        Self {
            meaning: 12.5,
            aspect: 3.0,
            coverage: 1.0,
            stranger: 1.5,
            conflict: 4.0,
            person: 1.5,
            other_subject: 0.7,
            unanswered: 2.0,
            impersonal: 1.5,
            personal: 1.5,
            line: 7.4,
            steepness: 0.6,
            spread: 1.5,
            inhibition: 1.0,
            words: 14.0,
        }
    }
}

impl RelevanceConfig {
    /// The numbers, and what they may be.
    #[must_use]
    pub fn bounds(&self) -> Vec<Bounded> {
        vec![
            Bounded::new("meaning", f64::from(self.meaning), 0.0, 40.0),
            Bounded::new("aspect", f64::from(self.aspect), 0.0, 10.0),
            Bounded::new("coverage", f64::from(self.coverage), 0.0, 10.0),
            Bounded::new("stranger", f64::from(self.stranger), 0.0, 10.0),
            Bounded::new("conflict", f64::from(self.conflict), 0.0, 10.0),
            Bounded::new("person", f64::from(self.person), 0.0, 10.0),
            Bounded::new("other_subject", f64::from(self.other_subject), 0.0, 10.0),
            Bounded::new("unanswered", f64::from(self.unanswered), 0.0, 10.0),
            Bounded::new("impersonal", f64::from(self.impersonal), 0.0, 10.0),
            Bounded::new("personal", f64::from(self.personal), 0.0, 10.0),
            Bounded::new("line", f64::from(self.line), -20.0, 20.0),
            Bounded::new("steepness", f64::from(self.steepness), 0.05, 5.0),
            Bounded::new("spread", f64::from(self.spread), 0.0, 20.0),
            Bounded::new("inhibition", f64::from(self.inhibition), 0.0, 10.0),
            Bounded::new("words", f64::from(self.words), 0.0, 20.0),
        ]
    }
}
