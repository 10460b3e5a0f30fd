//! Which model answers for which agent, and where its key comes from.

use std::collections::HashMap;
use std::sync::Arc;

use bethink_clock::Entropy;
use bethink_providers::{ApiKey, Extractive, LanguageConfig, LanguageModel, LanguageProvider, RemoteModel};
use bethink_runtime::RuntimeError;

use crate::load::Settings;

/// The default model, and those of agents by name.
pub(crate) type Models = (Arc<dyn LanguageModel>, HashMap<String, Arc<dyn LanguageModel>>);

impl Settings {
    /// What is configured to answer for an agent.
    #[must_use]
    pub fn language_of(&self, agent: &str) -> &LanguageConfig {
        let own = self.file.agents.iter().find(|section| section.name == agent);
        own.and_then(|section| section.language.as_ref()).unwrap_or(&self.file.language)
    }

    /// The model of `[language]`, and those of agents that have their own.
    pub(crate) fn models(&self, entropy: Entropy) -> Result<Models, RuntimeError> {
        let own =
            self.file.agents.iter().filter_map(|section| Some((&section.name, section.language.as_ref()?)));
        let own = own.map(|(name, config)| Ok((name.clone(), self.model(config, entropy)?)));
        Ok((self.model(&self.file.language, entropy)?, own.collect::<Result<_, RuntimeError>>()?))
    }

    fn model(
        &self,
        config: &LanguageConfig,
        entropy: Entropy,
    ) -> Result<Arc<dyn LanguageModel>, RuntimeError> {
        if config.provider == LanguageProvider::Extractive {
            return Ok(Arc::new(Extractive));
        }
        let key = match (config.key_variable(), &config.api_key_file) {
            (Some(name), _) => ApiKey::of_variable(name, self.named.get(name)),
            (None, Some(path)) => ApiKey::of_file(path),
            (None, None) => ApiKey::NotConfigured,
        };
        let model = RemoteModel::new(config.clone(), key, entropy)
            .map_err(|error| RuntimeError::Unavailable(format!("the language model: {error}")))?;
        Ok(Arc::new(model))
    }
}
