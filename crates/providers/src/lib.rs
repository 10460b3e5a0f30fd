//! Language models and embedders behind traits, and the Embedder actor.

mod language;

pub use language::{Entered, LanguageModel, Line, ModelError, ModelIdentity, Prompt, Reply, ReplyFuture, Role};
