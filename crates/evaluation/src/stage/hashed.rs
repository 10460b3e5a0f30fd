//! What tests measure with.

use std::path::PathBuf;
use std::sync::Arc;

use bethink_clock::{Entropy, SystemClock};
use bethink_executor::ExecutorConfig;
use bethink_memory_store::StoreConfig;
use bethink_planner::PlannerConfig;
use bethink_providers::{Extractive, HashedEmbedder};
use bethink_runtime::{Ingredients, Persona, RuntimeConfig};
use jiff::tz::TimeZone;

use super::EvaluationParts;

/// Parts whose embedder knows words and no meaning.
pub(crate) fn parts(scratch: PathBuf) -> EvaluationParts {
    let recipe = |data_dir| {
        Ok(Ingredients {
            data_dir,
            clock: Arc::new(SystemClock),
            entropy: Entropy::seeded(1),
            embedding: Arc::new(HashedEmbedder::default()),
            formers: bethink_runtime::no_former_embedders(),
            moves: false,
            senses: None,
            language: Arc::new(Extractive),
            tools: Vec::new(),
            zone: TimeZone::UTC,
            zone_name: None,
            locale: bethink_text::times::Locale::default(),
            persona: Arc::new(|_| Persona::default()),
            spaces: RuntimeConfig::default(),
            store: StoreConfig::default(),
            planner: PlannerConfig::default(),
            executor: ExecutorConfig::default(),
            extensions: bethink_runtime::Extensions::default(),
            backup: bethink_runtime::BackupConfig::default(),
        })
    };
    EvaluationParts { recipe: Arc::new(recipe), scratch }
}
