//! The mechanisms of memory as pure functions of state, parameters, time and chance.

pub mod decay;

pub use decay::{BaseStability, Decay, DecayConfig, Profile, Vitals};
