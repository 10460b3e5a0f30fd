//! Language models and embedders behind traits, and the Embedder actor.

mod embedder;
mod embedding;
mod extractive;
mod hashed;
mod language;
mod minilm;
mod no_embedder;
mod remote;
mod scripted;
mod webhook;
mod word_senses;
mod wordpiece;

pub use embedder::{Embedder, EmbedderArgs};
pub use embedding::{
    Effort, EmbeddingConfig, EmbeddingError, EmbeddingModel, EmbeddingProvider, OnChange, PreviousEmbedder,
};
pub use extractive::{Extractive, say_forgotten, say_proposal, say_when};
pub use hashed::{HashedEmbedder, HashedFault};
pub use language::{
    Entered, LanguageModel, Line, ModelError, ModelIdentity, Prompt, Reply, ReplyFuture, Role,
};
pub use minilm::MiniLm;
pub use no_embedder::NoEmbedder;
pub use remote::{ApiKey, LanguageConfig, LanguageProvider, Receiver, RemoteEmbedder, RemoteModel, Secret};
pub use scripted::{Act, Scripted};
pub use webhook::{Webhook, WebhookError};
pub use word_senses::EmbeddedSenses;
