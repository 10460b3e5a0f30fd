//! What can be tuned about embedders.

use std::path::PathBuf;
use std::time::Duration;

use bethink_domain::Bounded;
use serde::Deserialize;

use crate::remote::Receiver;

/// Components of the vectors of models that are in wide use.
const KNOWN: [(&str, u16); 3] =
    [("text-embedding-3-small", 1_536), ("text-embedding-3-large", 3_072), ("text-embedding-ada-002", 1_536)];

/// Where vectors of meaning come from, `[embedding]` in the configuration.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EmbeddingConfig {
    /// Which kind of embedder.
    pub provider: EmbeddingProvider,
    /// Of `folder`: where the model lies. Relative paths are relative to the configuration.
    pub path: Option<PathBuf>,
    /// Of `openai`: the model's name, as its server knows it.
    pub model: String,
    /// Of `openai`: where the server is, such as `http://127.0.0.1:8080/v1`. OpenAI's own address if absent.
    pub base_url: Option<String>,
    /// Of `openai`: environment variable that holds the key. `OPENAI_API_KEY` at OpenAI's own address if absent.
    pub api_key_env: Option<String>,
    /// Of `openai`: file that holds the key and nothing else.
    pub api_key_file: Option<PathBuf>,
    /// Of `openai`: components of the model's vectors, 1 to 16,384. Needed for all models but OpenAI's own.
    pub dimensions: Option<u16>,
    /// Texts in one request, 1 to 2,048. Some servers take one alone.
    pub texts_max: usize,
    /// Seconds for one text or batch with all its retries, 1 to 600. A turn that waits longer goes by words alone.
    pub timeout_seconds: u64,
    /// Further attempts when a server is busy, fails or can't be reached, 0 to 10.
    pub retries_max: u32,
    /// What becomes of a memory whose vectors are another embedder's.
    pub on_change: OnChange,
    /// Least share of what the old vectors found, 0 to 1, that the new ones must find too before they take over. Half: below
    /// it the two hardly agree on what a question is about, and somebody should look before the old ones go.
    pub parity_min: f32,
    /// The embedder that was configured before, so that its vectors can serve until the new ones do. The embedded one is
    /// always at hand.
    pub previous: PreviousEmbedder,
}

/// What becomes of a memory whose vectors are another embedder's than the configured one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnChange {
    /// It moves by itself, in the background.
    #[default]
    Migrate,
    /// It goes on as it is, and moves when it is told to.
    Wait,
    /// It is refused, with both names.
    Refuse,
}

/// An embedder that makes no new vectors, but only the meanings of cues for those that are there.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PreviousEmbedder {
    /// Which kind of embedder; none if absent.
    pub provider: Option<EmbeddingProvider>,
    /// As the key of the same name under `[embedding]`.
    pub path: Option<PathBuf>,
    /// As the key of the same name under `[embedding]`.
    pub model: Option<String>,
    /// As the key of the same name under `[embedding]`.
    pub base_url: Option<String>,
    /// As the key of the same name under `[embedding]`.
    pub api_key_env: Option<String>,
    /// As the key of the same name under `[embedding]`.
    pub api_key_file: Option<PathBuf>,
    /// As the key of the same name under `[embedding]`.
    pub dimensions: Option<u16>,
}

impl PreviousEmbedder {
    /// The numbers, and what they may be.
    #[must_use]
    pub fn bounds(&self) -> Vec<Bounded> {
        vec![Bounded::new("dimensions", self.dimensions.map_or(1.0, f64::from), 1.0, 16_384.0)]
    }

    /// It as an embedder's configuration; none where none is given.
    #[must_use]
    pub fn config(&self) -> Option<EmbeddingConfig> {
        Some(EmbeddingConfig {
            provider: self.provider?,
            path: self.path.clone(),
            model: self.model.clone().unwrap_or_default(),
            base_url: self.base_url.clone(),
            api_key_env: self.api_key_env.clone(),
            api_key_file: self.api_key_file.clone(),
            dimensions: self.dimensions,
            ..EmbeddingConfig::default()
        })
    }
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
    /// Any server that speaks OpenAI's embeddings.
    Openai,
    /// None: recall goes by words alone.
    None,
}

impl Default for EmbeddingConfig {
    fn default() -> Self {
        Self {
            provider: EmbeddingProvider::Embedded,
            path: None,
            model: String::new(),
            base_url: None,
            api_key_env: None,
            api_key_file: None,
            dimensions: None,
            texts_max: 64,
            timeout_seconds: 15,
            retries_max: 2,
            on_change: OnChange::default(),
            parity_min: 0.5,
            previous: PreviousEmbedder::default(),
        }
    }
}

impl EmbeddingConfig {
    /// OpenAI's own address.
    pub(crate) const OWN_URL: &str = "https://api.openai.com/v1";

    /// The numbers, and what they may be.
    #[must_use]
    pub fn bounds(&self) -> Vec<Bounded> {
        vec![
            Bounded::new("dimensions", self.dimensions.map_or(1.0, f64::from), 1.0, 16_384.0),
            Bounded::new("texts_max", self.texts_max as f64, 1.0, 2_048.0),
            Bounded::new("timeout_seconds", self.timeout_seconds as f64, 1.0, 600.0),
            Bounded::new("retries_max", f64::from(self.retries_max), 0.0, 10.0),
            Bounded::new("parity_min", f64::from(self.parity_min), 0.0, 1.0),
        ]
    }

    /// What does not fit together: the key that is to be changed, and a sentence.
    #[must_use]
    pub fn faults(&self) -> Vec<(&'static str, String)> {
        let mut faults = Vec::new();
        match self.provider {
            EmbeddingProvider::Folder if self.path.is_none() => {
                faults.push(("path", "it must say where the model lies".to_owned()));
            }
            EmbeddingProvider::Openai => {
                if self.model.trim().is_empty() {
                    faults.push(("model", "it must name a model that the server knows".to_owned()));
                } else if self.components().is_none() {
                    let said = format!("it must say how many components a vector of `{}` has", self.model);
                    faults.push(("dimensions", said));
                }
                if let Err(why) = crate::remote::address(self.url()) {
                    faults.push(("base_url", format!("it {why}")));
                }
                if self.api_key_env.is_some() && self.api_key_file.is_some() {
                    faults.push(("api_key_file", "one of it and `api_key_env` must go".to_owned()));
                }
            }
            _ => {}
        }
        faults
    }

    /// Where requests go.
    pub(crate) fn url(&self) -> &str {
        self.base_url.as_deref().unwrap_or(Self::OWN_URL)
    }

    /// Components of a vector, where they are known.
    pub(crate) fn components(&self) -> Option<u16> {
        let known = KNOWN.iter().find(|(model, _)| *model == self.model).map(|(_, components)| *components);
        self.dimensions.or(known)
    }

    /// Who is sent texts; none when they stay in this process.
    #[must_use]
    pub fn receiver(&self) -> Option<Receiver> {
        let address = crate::remote::address(self.url()).ok();
        let address = address.filter(|_| self.provider == EmbeddingProvider::Openai)?;
        Some(Receiver { host: address.host, local: address.local, encrypted: address.encrypted })
    }

    /// The environment variable that holds the key, if one does.
    #[must_use]
    pub fn key_variable(&self) -> Option<&str> {
        let own = self.base_url.is_none() && self.api_key_file.is_none();
        self.api_key_env.as_deref().or(own.then_some("OPENAI_API_KEY"))
    }

    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_together_names_its_key() {
        let check = |text: &str, keys: &[&str]| {
            let config: EmbeddingConfig = serde_json::from_str(text).unwrap();
            assert!(config.bounds().iter().all(Bounded::holds), "{text}");
            let faults: Vec<&str> = config.faults().iter().map(|(key, _)| *key).collect();
            assert_eq!(faults, keys, "{text}");
        };
        check("{}", &[]);
        check(r#"{"provider":"folder"}"#, &["path"]);
        check(r#"{"provider":"openai"}"#, &["model"]);
        check(r#"{"provider":"openai","model":"text-embedding-3-small"}"#, &[]);
        check(r#"{"provider":"openai","model":"mine"}"#, &["dimensions"]);
        check(r#"{"provider":"openai","model":"mine","dimensions":384,"base_url":"ftp://x"}"#, &["base_url"]);
        check(
            r#"{"provider":"openai","model":"mine","dimensions":384,"api_key_env":"A","api_key_file":"b"}"#,
            &["api_key_file"],
        );
    }
}
