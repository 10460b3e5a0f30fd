//! What a cosine means depends on the embedder.

use bethink_domain::EmbedderIdentity;

/// Puts an embedder's cosines on the scale that the weights were fitted on. Monotone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// Mean cosine of two texts that have nothing to do with each other, −1 to below 1.
    pub unrelated: f32,
}

/// Mean cosine of unrelated texts on the scale of the weights, the embedded model's.
const FITTED: f32 = 0.10;
/// The same for families of embedders, by the start of a model's name. From experience, and coarse: the first that fits.
const FAMILIES: &[(&str, f32)] = &[
    ("text-embedding-ada", 0.70),
    ("text-embedding-3", 0.12),
    ("multilingual-e5", 0.75),
    ("e5", 0.70),
    ("bge-m3", 0.35),
    ("bge", 0.45),
    ("gte", 0.70),
    ("nomic-embed", 0.45),
    ("mxbai-embed", 0.35),
    ("snowflake-arctic", 0.25),
];

impl Calibration {
    /// The calibration of an embedder; that of the embedded model for one that is not known.
    #[must_use]
    pub fn of(identity: &EmbedderIdentity) -> Self {
        let name = identity.model.to_ascii_lowercase();
        let name = name.rsplit('/').next().unwrap_or_default();
        let known = FAMILIES.iter().find(|(family, _)| name.starts_with(family));
        Self { unrelated: known.map_or(FITTED, |(_, unrelated)| *unrelated) }
    }

    /// A cosine on the scale of the weights: what is unrelated comes to lie where it lies there, and 1 stays 1.
    pub(super) fn apply(self, cosine: f32) -> f32 {
        1.0 - (1.0 - cosine) * (1.0 - FITTED) / (1.0 - self.unrelated).max(0.05)
    }
}

impl Default for Calibration {
    fn default() -> Self {
        Self { unrelated: FITTED }
    }
}
