//! The mechanisms of memory as pure functions of state, parameters, time and chance.

pub mod decay;
pub mod prospective;
pub mod relevance;

pub use decay::{BaseStability, Decay, DecayConfig, Profile, Vitals};
pub use prospective::ProspectiveConfig;
pub use relevance::{
    Calibration, CueProfile, CueText, Evidence, Heads, Quantised, Relevance, RelevanceConfig,
};

/// Sentences of known intent, as TOML: a list for each of `memory`, `reasoning` and `general`. [`Heads`] are learnt from
/// them; meanings of other embedders are compared with them one by one.
pub const INTENT_SENTENCES: &str = include_str!("../data/intents.toml");
