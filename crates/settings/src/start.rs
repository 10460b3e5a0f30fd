//! From settings to a running Bethink.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use bethink_clock::{Entropy, SystemClock};
use bethink_domain::{Senses, SpaceId};
use bethink_memory_store::{MigrationConfig, StoreConfig};
use bethink_planner::PlannerConfig;
use bethink_providers::{
    ApiKey, EmbeddedSenses, EmbeddingConfig, EmbeddingError, EmbeddingModel, EmbeddingProvider,
    LanguageModel, MiniLm, NoEmbedder, OnChange, RemoteEmbedder, Webhook,
};
use bethink_runtime::{DataDir, FormerEmbedders, Handle, Ingredients, Persona, RuntimeError, start};
use bethink_text::times::Locale;

use crate::load::Settings;

/// An embedder, and its table of word senses where it has one.
pub type Meaning = (Arc<dyn EmbeddingModel>, Option<Arc<dyn Senses>>);

/// Parts of a program's own in place of the configured ones.
#[derive(Default)]
pub struct Replaced {
    /// What answers.
    pub language: Option<Arc<dyn LanguageModel>>,
    /// Where meanings come from.
    pub embedding: Option<Arc<dyn EmbeddingModel>>,
}

impl Settings {
    /// The configured embedder, and its table of word senses where it has one.
    ///
    /// # Errors
    /// [`RuntimeError::Model`] when the model can't be loaded.
    pub fn embedder(&self) -> Result<Meaning, RuntimeError> {
        self.embedder_of(&self.file.embedding).map_err(|error| RuntimeError::Model(error.to_string()))
    }

    /// The embedders whose vectors memories may still hold: the embedded one, and the one configured as the previous.
    #[must_use]
    pub fn formers(&self) -> FormerEmbedders {
        let settings = self.clone();
        Arc::new(move |identity| {
            let configured = settings.file.embedding.previous.config();
            let embedded = EmbeddingConfig::default();
            let config = if *identity == MiniLm::embedded() { Some(embedded) } else { configured };
            let made = config.map(|config| settings.embedder_of(&config)).transpose();
            made.map(|made| made.map(|(model, _)| model)).map_err(|error| error.to_string())
        })
    }

    /// Where `serve` posts reminders that come due.
    ///
    /// # Errors
    /// [`RuntimeError::Setup`] when an address can't be used, or a secret is named and not there.
    pub fn webhooks(&self) -> Result<Vec<Webhook>, RuntimeError> {
        let made = self.file.prospective.webhooks.iter().map(|section| {
            let secret = match &section.secret_env {
                None => None,
                Some(name) => Some(self.named.get(name).ok_or_else(|| {
                    RuntimeError::Setup(format!(
                        "the environment has no variable `{name}`, which `secret_env` of a webhook names"
                    ))
                })?),
            };
            Webhook::new(&section.url, secret).map_err(|error| RuntimeError::Setup(error.to_string()))
        });
        made.collect()
    }

    fn embedder_of(&self, embedding: &EmbeddingConfig) -> Result<Meaning, EmbeddingError> {
        match embedding.provider {
            EmbeddingProvider::Embedded => {
                let model = MiniLm::load()?;
                Ok((Arc::new(model), Some(Arc::new(EmbeddedSenses))))
            }
            EmbeddingProvider::Folder => {
                let model = MiniLm::open(embedding.path.as_deref().unwrap_or(Path::new(".")))?;
                Ok((Arc::new(model), None))
            }
            EmbeddingProvider::Openai => {
                let key = match (embedding.key_variable(), &embedding.api_key_file) {
                    (Some(name), _) => ApiKey::of_variable(name, self.named.get(name)),
                    (None, Some(path)) => ApiKey::of_file(path),
                    (None, None) => ApiKey::NotConfigured,
                };
                let model = RemoteEmbedder::new(embedding.clone(), key, Entropy::system());
                Ok((Arc::new(model?), None))
            }
            EmbeddingProvider::None => Ok((Arc::new(NoEmbedder), None)),
        }
    }

    /// The store's numbers.
    #[must_use]
    pub fn store(&self) -> StoreConfig {
        StoreConfig {
            memory: self.memory.store(),
            decay: self.file.mechanisms.decay,
            relevance: self.memory.relevance,
            prospective: self.file.prospective.numbers(),
            migration: MigrationConfig {
                by_itself: self.file.embedding.on_change == OnChange::Migrate,
                parity_min: self.file.embedding.parity_min,
            },
        }
    }

    /// The Planner's numbers, with those that stand under `[memory]`.
    #[must_use]
    pub fn planner(&self) -> PlannerConfig {
        let memory = &self.file.memory;
        PlannerConfig { depth: memory.depth, remembers: memory.enabled, ..self.file.planner.clone() }
    }

    /// What the runtime on an owned data directory is made of: the system's clock and chance, and the configured parts.
    ///
    /// # Errors
    /// [`RuntimeError::Model`] when the embedder can't be loaded.
    pub fn ingredients(&self, data_dir: DataDir) -> Result<Ingredients, RuntimeError> {
        self.ingredients_with(data_dir, Replaced::default())
    }

    /// The same with parts of a program's own in place of the configured ones.
    ///
    /// # Errors
    /// [`RuntimeError::Model`] when the embedder can't be loaded.
    pub fn ingredients_with(
        &self,
        data_dir: DataDir,
        replaced: Replaced,
    ) -> Result<Ingredients, RuntimeError> {
        let (embedding, senses) = match replaced.embedding {
            Some(embedding) => (embedding, None),
            None => self.embedder()?,
        };
        let entropy = Entropy::system();
        let (configured, own) = self.models(entropy)?;
        Ok(Ingredients {
            data_dir,
            clock: Arc::new(SystemClock),
            entropy,
            embedding,
            formers: self.formers(),
            moves: self.file.embedding.on_change != OnChange::Refuse,
            senses,
            tools: Vec::new(),
            language: replaced.language.unwrap_or(configured),
            zone: self.zone.clone(),
            zone_name: self.file.user.timezone.clone(),
            locale: self.file.user.locale.as_deref().and_then(Locale::from_tag).unwrap_or_default(),
            persona: self.persona(own),
            spaces: self.file.spaces.clone(),
            store: self.store(),
            planner: self.planner(),
            executor: self.file.executor.clone(),
            extensions: bethink_runtime::Extensions::default(),
            backup: self.file.backup.clone(),
        })
    }

    /// Starts the runtime on an owned data directory. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// What the runtime could not do.
    pub async fn start(&self, data_dir: DataDir) -> Result<Handle, RuntimeError> {
        start(self.ingredients(data_dir)?).await
    }

    fn persona(
        &self,
        models: HashMap<String, Arc<dyn LanguageModel>>,
    ) -> Arc<dyn Fn(&SpaceId) -> Persona + Send + Sync> {
        let (agents, own) = (self.file.agents.clone(), self.file.personality);
        Arc::new(move |space| {
            let section = agents.iter().find(|section| section.name == space.agent.as_str());
            Persona {
                personality: section.and_then(|section| section.personality).unwrap_or(own).traits(),
                instructions: section.and_then(|section| section.instructions.clone()),
                tools: section.and_then(|section| section.tools.clone()),
                language: models.get(space.agent.as_str()).cloned(),
            }
        })
    }
}
