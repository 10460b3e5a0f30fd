//! Configuration: one TOML file, the environment over it, the command line over both, checked before anything starts.
//!
//! Each crate keeps its own numbers beside what they tune; [`File`] puts them together under the names of the file.
//! What nobody sets has its default, and `config/bethink.toml` lists every key: it is read as the catalogue of keys.
//! An unknown key, a wrong type or a value out of range is a [`Mistake`] that names place, key, what is allowed, and what
//! may have been meant; all of them are found at once.
//!
//! To add a key: a field with its default in the struct, a row in its `bounds()` if it is a number, a line with a comment
//! in `config/bethink.toml`; then `bethink config reference > docs/configuration.md`. The tests say what is missing.
//!
//! This is the only place that reads the environment.

mod allowed;
mod catalogue;
mod egress;
mod environment;
mod error;
mod extensions;
mod file;
mod language;
mod layers;
mod load;
mod log;
mod nearest;
mod place;
mod reference;
mod show;
mod start;
mod written;

pub use egress::Flow;
pub use environment::{Environment, Variables};
pub use error::{Mistake, Origin, SettingsError};
pub use file::{
    AgentSection, ExtensionSection, File, MechanismsSection, MemorySection, PersonalitySection, UserSection,
};
pub use load::{Overrides, Registered, Settings};
pub use log::{LogFormat, LogLevel, LogSection, Quiet};
pub use reference::reference;
pub use show::Shown;
pub use start::{Meaning, Replaced};
