//! Embedders behind HTTP.

#[cfg(test)]
mod tests;

use std::sync::{Mutex, OnceLock, PoisonError};

use bethink_clock::Entropy;
use bethink_domain::{EmbedderIdentity, UnitVector, VectorFault};
use reqwest::Client;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, sleep, timeout};

use super::config::LanguageProvider;
use super::failure::{Asked, Failure};
use super::http::{self, Address};
use super::secret::ApiKey;
use crate::embedding::{Effort, EmbeddingConfig, EmbeddingError, EmbeddingModel};
use crate::language::ModelError;

/// Bytes of a text that are sent. A token has one byte at least, and the models in use read 8,192 tokens at most.
const TEXT_BYTES_MAX: usize = 8_000;
/// Bytes of a component in an answer, written out with all its digits, and of what stands around all.
const COMPONENT_BYTES_MAX: usize = 40;
const AROUND_BYTES_MAX: usize = 65_536;

/// An embedder that speaks OpenAI's `/embeddings`.
///
/// Who made a vector is told by the model's name and its components, not by the host: the same model at another address
/// makes the same vectors.
pub struct RemoteEmbedder {
    config: EmbeddingConfig,
    dimensions: u16,
    address: Address,
    key: ApiKey,
    entropy: Entropy,
    client: OnceLock<Result<Client, String>>,
    /// Calls block a thread that belongs to no runtime. None once this is dropped.
    runtime: Mutex<Option<Runtime>>,
}

impl RemoteEmbedder {
    /// An embedder as configured. Nothing is sent and nothing connected yet.
    ///
    /// # Errors
    /// [`EmbeddingError::Load`] with the key that is wrong, for a configuration that can't be used.
    pub fn new(config: EmbeddingConfig, key: ApiKey, entropy: Entropy) -> Result<Self, EmbeddingError> {
        let wrong = |why: String| EmbeddingError::Load(why);
        if let Some((key, fault)) = config.faults().into_iter().next() {
            return Err(wrong(format!("`embedding.{key}`: {fault}")));
        }
        let address =
            http::address(config.url()).map_err(|why| wrong(format!("`embedding.base_url` {why}")))?;
        let dimensions = config.components().unwrap_or_default();
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| wrong(format!("no connection can be made: {error}")))?;
        let (client, runtime) = (OnceLock::new(), Mutex::new(Some(runtime)));
        Ok(Self { config, dimensions, address, key, entropy, client, runtime })
    }

    fn asked(&self) -> Asked<'_> {
        let EmbeddingConfig { model, timeout_seconds, .. } = &self.config;
        let (host, key) = (&self.address.host, &self.key);
        Asked { host, model, key, seconds: *timeout_seconds, section: "embedding" }
    }

    /// Asks until there is an answer, or no hope of one.
    async fn persist(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        if let ApiKey::Missing { advice } = &self.key {
            let (host, advice) = (self.address.host.clone(), advice.clone());
            return Err(ModelError::Unauthorised { host, advice });
        }
        let until = Instant::now() + self.config.timeout();
        for attempt in 0.. {
            let failure = match self.attempt(texts).await {
                Ok(vectors) => return Ok(vectors),
                Err(failure) => failure,
            };
            let cause = texts.first().map_or(0, |text| text.len() as u64);
            let chance = self.entropy.fraction_of("embed", cause, u64::from(attempt));
            let pause = failure.pause(attempt, chance).filter(|_| attempt < self.config.retries_max);
            let Some(pause) = pause.filter(|pause| Instant::now() + *pause < until) else {
                return Err(failure.error);
            };
            sleep(pause).await;
        }
        Err(ModelError::Empty)
    }

    /// One request and its answer.
    async fn attempt(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Failure> {
        let refused = |why: String| Failure::last(ModelError::Refused(why));
        let wait = self.config.timeout();
        let made =
            || http::client(&self.address, http::headers(LanguageProvider::Openai, &self.key)?, wait, wait);
        let client = self.client.get_or_init(made).as_ref().map_err(|why| refused(why.clone()))?;
        let mut asked = json!({ "model": self.config.model, "input": texts });
        // Only these can be told how long their vectors are to be; other servers refuse to be told.
        if self.config.dimensions.is_some() && self.config.model.starts_with("text-embedding-3") {
            asked["dimensions"] = self.dimensions.into();
        }
        let request = client.post(format!("{}/embeddings", self.address.url)).json(&asked);
        let mut response = request.send().await.map_err(|error| self.asked().transport(&error))?;
        let most = texts.len() * usize::from(self.dimensions) * COMPONENT_BYTES_MAX + AROUND_BYTES_MAX;
        let mut body = Vec::new();
        while let Some(part) = response.chunk().await.map_err(|error| self.asked().transport(&error))? {
            if body.len() + part.len() > most {
                return Err(refused(format!("{} sends more than {most} bytes", self.address.host)));
            }
            body.extend_from_slice(&part);
        }
        if !response.status().is_success() {
            let said = String::from_utf8_lossy(&body);
            return Err(self.asked().status(response.status(), response.headers(), &said));
        }
        vectors(&body, texts.len(), usize::from(self.dimensions))
            .map_err(|why| refused(format!("{} {why}", self.address.host)))
    }

    fn batch(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let failed = |error: ModelError| EmbeddingError::Inference(error.to_string());
        let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(runtime) = runtime.as_ref() else { return Err(failed(ModelError::Cancelled)) };
        let seconds = self.config.timeout_seconds;
        let answered = runtime.block_on(async { timeout(self.config.timeout(), self.persist(texts)).await });
        answered.unwrap_or(Err(ModelError::Timeout { seconds })).map_err(failed)
    }
}

impl Drop for RemoteEmbedder {
    fn drop(&mut self) {
        // Waiting for it is forbidden where this may be dropped.
        let runtime = self.runtime.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        runtime.into_iter().for_each(Runtime::shutdown_background);
    }
}

impl EmbeddingModel for RemoteEmbedder {
    fn identity(&self) -> EmbedderIdentity {
        let model = self.config.model.as_str().into();
        EmbedderIdentity { model, dimensions: self.dimensions, revision: "remote".into() }
    }

    /// A text is cut to its first 8,000 bytes. One that is blank has no vector, and is not sent.
    fn embed(
        &self,
        texts: &[&str],
        _: Effort,
    ) -> Result<Vec<Result<UnitVector, VectorFault>>, EmbeddingError> {
        let mut found: Vec<Result<UnitVector, VectorFault>> = vec![Err(VectorFault::Empty); texts.len()];
        let spoken: Vec<usize> = (0..texts.len()).filter(|at| !texts[*at].trim().is_empty()).collect();
        for places in spoken.chunks(self.config.texts_max.max(1)) {
            let cut = |at: &usize| &texts[*at][..texts[*at].floor_char_boundary(TEXT_BYTES_MAX)];
            let vectors = self.batch(&places.iter().map(cut).collect::<Vec<_>>())?;
            for (at, vector) in places.iter().zip(vectors) {
                found[*at] = UnitVector::new(vector);
            }
        }
        Ok(found)
    }
}

/// The vectors of an answer in the order of the texts, or what is wrong with it.
fn vectors(body: &[u8], texts: usize, dimensions: usize) -> Result<Vec<Vec<f32>>, String> {
    let odd = || "answers in another form than OpenAI's".to_owned();
    let mixed = || "does not say which vector is whose".to_owned();
    let answer: Value = serde_json::from_slice(body).map_err(|_| odd())?;
    let items = answer["data"].as_array().ok_or_else(odd)?;
    if items.len() != texts {
        return Err(format!("gave {} vectors for {texts} texts", items.len()));
    }
    let mut found = vec![None; texts];
    for (place, item) in items.iter().enumerate() {
        let index = item["index"].as_u64().map_or(Some(place), |index| usize::try_from(index).ok());
        let slot = index.and_then(|index| found.get_mut(index)).filter(|slot| slot.is_none());
        let slot = slot.ok_or_else(mixed)?;
        let values = item["embedding"].as_array().ok_or_else(odd)?;
        if values.len() != dimensions {
            let given = values.len();
            return Err(format!("gave a vector of {given} components, but {dimensions} are configured"));
        }
        let values: Option<Vec<f32>> =
            values.iter().map(|value| value.as_f64().map(|value| value as f32)).collect();
        let values = values.filter(|values| values.iter().all(|value| value.is_finite()));
        *slot = Some(values.ok_or("gave a vector with a component that is no number")?);
    }
    found.into_iter().collect::<Option<Vec<_>>>().ok_or_else(mixed)
}
