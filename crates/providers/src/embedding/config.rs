//! What can be tuned about embedders.

use std::path::PathBuf;

use serde::Deserialize;

/// Where vectors of meaning come from, `[embedding]` in the configuration.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EmbeddingConfig {
    /// Which kind of embedder.
    pub provider: EmbeddingProvider,
    /// Of `folder`: where the model lies. Relative paths are relative to the configuration.
    pub path: Option<PathBuf>,
}

/// Embedders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbeddingProvider {
    /// The model compiled into the binary.
    #[default]
    Embedded,
    /// A model in a folder of this machine.
    Folder,
    /// None: recall goes by words alone.
    None,
}

impl EmbeddingConfig {
    /// What does not fit together: the key that is to be changed, and a sentence.
    #[must_use]
    pub fn faults(&self) -> Vec<(&'static str, String)> {
        let mut faults = Vec::new();
        if self.provider == EmbeddingProvider::Folder && self.path.is_none() {
            faults.push(("path", "it must say where the model lies".to_owned()));
        }
        faults
    }
}
