//! The mechanisms of memory as pure functions of state, parameters, time and chance.

pub mod decay;
pub mod relevance;

pub use decay::{BaseStability, Decay, DecayConfig, Profile, Vitals};
pub use relevance::{CueProfile, CueText, Evidence, Heads, Quantised, Relevance, RelevanceConfig};
