//! Configuration: one TOML file and the command line over it, checked before anything starts.
//!
//! Each crate keeps its own numbers beside what they tune; [`File`] puts them together under the names of the file.
//! What a file does not say has its default, and `config/bethink.toml` lists every key. An unknown key, a wrong type or
//! a value out of range is an error that names file, line and key.
//!
//! This is the only place that reads the environment.

mod environment;
mod error;
mod file;
mod load;
mod place;
mod start;

pub use environment::Environment;
pub use error::SettingsError;
pub use file::{
    AgentSection, EmbeddingProvider, EmbeddingSection, File, LanguageProvider, LanguageSection,
    MechanismsSection, MemorySection, PersonalitySection, UserSection,
};
pub use load::{Overrides, Settings};
pub use start::Meaning;
