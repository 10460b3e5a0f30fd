//! An embedder that makes no vectors.

use bethink_domain::{EmbedderIdentity, UnitVector, VectorFault};

use crate::embedding::{Effort, EmbeddingError, EmbeddingModel};

/// Gives no text a vector, so that recall goes by words alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEmbedder;

impl EmbeddingModel for NoEmbedder {
    fn identity(&self) -> EmbedderIdentity {
        EmbedderIdentity { model: "none".into(), dimensions: 0, revision: "0".into() }
    }

    fn embed(
        &self,
        texts: &[&str],
        _: Effort,
    ) -> Result<Vec<Result<UnitVector, VectorFault>>, EmbeddingError> {
        Ok(texts.iter().map(|_| Err(VectorFault::Empty)).collect())
    }
}
