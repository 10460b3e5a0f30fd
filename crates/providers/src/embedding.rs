//! Embedding models behind one trait.

mod config;

pub use config::{EmbeddingConfig, EmbeddingProvider, OnChange, PreviousEmbedder};

use bethink_domain::{EmbedderIdentity, UnitVector, VectorFault};

/// How much of the machine an embedding may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// One core: the rest is left to what the person is doing.
    Modest,
    /// Two cores, for work in bulk.
    Full,
}

/// Why a model embedded nothing at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddingError {
    /// The model can't be used: this build or its files are damaged.
    #[error("the embedding model could not be loaded: {0}")]
    Load(String),
    /// It failed on these texts: go on without vectors, and try again later.
    #[error("the embedding model failed: {0}")]
    Inference(String),
}

/// Turns texts into vectors of meaning. Calls block: they belong on an offload thread.
pub trait EmbeddingModel: Send + Sync + 'static {
    /// Who makes the vectors. Never changes.
    fn identity(&self) -> EmbedderIdentity;

    /// A vector for each text, in order, or why this text has none. Texts may have any length and are shortened for
    /// embedding only.
    ///
    /// # Errors
    /// [`EmbeddingError::Inference`] when no text could be embedded.
    fn embed(
        &self,
        texts: &[&str],
        effort: Effort,
    ) -> Result<Vec<Result<UnitVector, VectorFault>>, EmbeddingError>;
}
