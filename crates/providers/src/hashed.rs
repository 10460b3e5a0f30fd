//! An embedding model for tests: no weights, no meaning, the same vector for the same words.

use bethink_domain::{EmbedderIdentity, UnitVector, VectorFault};
use bethink_text::content_words;

use crate::embedding::{Effort, EmbeddingError, EmbeddingModel};

/// What a [`HashedEmbedder`] does wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HashedFault {
    /// It yields NaN, which becomes no vector for this text.
    NotFinite,
    /// It yields zeros, which become no vector for this text.
    Zero,
    /// It fails, and with it the whole request.
    Error,
}

/// Hashes the stems of the content words of a text: shared words mean a higher cosine, texts that share none are
/// nearly at right angles. Deterministic on every machine.
#[derive(Debug, Clone)]
pub struct HashedEmbedder {
    dimensions: u16,
    revision: String,
    faults: Vec<(String, HashedFault)>,
}

impl Default for HashedEmbedder {
    fn default() -> Self {
        Self { dimensions: 384, revision: "1".to_owned(), faults: Vec::new() }
    }
}

impl HashedEmbedder {
    /// Components of its vectors, at least 1; 384 unless told.
    #[must_use]
    pub fn with_dimensions(mut self, dimensions: u16) -> Self {
        self.dimensions = dimensions.max(1);
        self
    }

    /// Another revision: another identity, and other vectors for the same texts.
    #[must_use]
    pub fn with_revision(mut self, revision: &str) -> Self {
        revision.clone_into(&mut self.revision);
        self
    }

    /// Does something wrong with every text that contains `marker`.
    #[must_use]
    pub fn with_fault(mut self, marker: &str, fault: HashedFault) -> Self {
        self.faults.push((marker.to_owned(), fault));
        self
    }

    fn values(&self, text: &str) -> Result<Vec<f32>, EmbeddingError> {
        let fault = self.faults.iter().find(|(marker, _)| text.contains(marker)).map(|(_, fault)| *fault);
        let mut values = vec![0.0; usize::from(self.dimensions)];
        match fault {
            Some(HashedFault::Error) => return Err(EmbeddingError::Inference("told to fail".to_owned())),
            Some(HashedFault::NotFinite) => values.fill(f32::NAN),
            Some(HashedFault::Zero) => {}
            None => {
                let stems: Vec<String> = content_words(text).into_iter().map(|term| term.stem).collect();
                // A text of stop words alone, or of no words, is hashed as it stands.
                let parts = if stems.is_empty() { vec![text.to_owned()] } else { stems };
                parts.iter().for_each(|part| self.add(part, &mut values));
            }
        }
        Ok(values)
    }

    /// Adds a part's own direction: one sign for each component.
    fn add(&self, part: &str, values: &mut [f32]) {
        let mut state = fnv(&self.revision) ^ fnv(part);
        for value in values {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            *value += if mixed >> 63 == 0 { 1.0 } else { -1.0 };
        }
    }
}

impl EmbeddingModel for HashedEmbedder {
    fn identity(&self) -> EmbedderIdentity {
        EmbedderIdentity {
            model: "hashed".into(),
            dimensions: self.dimensions,
            revision: self.revision.as_str().into(),
        }
    }

    fn embed(
        &self,
        texts: &[&str],
        _effort: Effort,
    ) -> Result<Vec<Result<UnitVector, VectorFault>>, EmbeddingError> {
        texts.iter().map(|text| self.values(text).map(UnitVector::new)).collect()
    }
}

/// FNV-1a, which is the same on every machine and in every release.
fn fnv(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embed(model: &HashedEmbedder, texts: &[&str]) -> Vec<Result<UnitVector, VectorFault>> {
        model.embed(texts, Effort::Modest).unwrap()
    }

    #[test]
    fn shared_words_mean_a_higher_cosine() {
        let vectors = embed(
            &HashedEmbedder::default(),
            &["My glasses are on the table", "Where is my glass table?", "A yacht at sea"],
        );
        let [question, near, far] = &vectors[..] else { panic!("a vector for each text") };
        let cosine =
            |other: &Result<UnitVector, _>| question.as_ref().unwrap().cosine(other.as_ref().unwrap());
        assert!(cosine(near) > 0.6 && cosine(far).abs() < 0.3, "{} {}", cosine(near), cosine(far));
    }

    #[test]
    fn marked_texts_get_no_vector_and_spoil_no_other() {
        let model = HashedEmbedder::default()
            .with_fault("NAN", HashedFault::NotFinite)
            .with_fault("ZERO", HashedFault::Zero)
            .with_fault("ERROR", HashedFault::Error);
        let vectors = embed(&model, &["tea NAN", "tea", "tea ZERO"]);
        assert_eq!(vectors[0], Err(VectorFault::NotFinite));
        assert!(vectors[1].is_ok());
        assert_eq!(vectors[2], Err(VectorFault::Zero));
        assert!(model.embed(&["tea ERROR", "tea"], Effort::Modest).is_err());
    }

    #[test]
    fn another_revision_gives_other_vectors() {
        let one = embed(&HashedEmbedder::default(), &["tea"]).remove(0).unwrap();
        let other = embed(&HashedEmbedder::default().with_revision("2"), &["tea"]).remove(0).unwrap();
        assert!(one.cosine(&other).abs() < 0.3);
    }
}
