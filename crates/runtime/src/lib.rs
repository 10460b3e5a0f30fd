//! Composition and supervision: what runs, who restarts whom, who owns the data.
//!
//! [`start`] builds the process's actors from [`Ingredients`] and gives a [`Handle`]. Spaces are woken by the first
//! message for them. Only this crate knows which actor stands behind which port.

mod backup;
mod bells;
mod beside;
mod config;
mod datadir;
mod directory;
mod doctor;
mod error;
mod extension;
mod family;
mod former;
mod handle;
mod health;
mod mishaps;
mod pool;
mod ports;
mod restore;
mod schedule;
mod start;
mod wakes;

pub use bells::{Bells, Courier, Delivering, Handed};
pub use beside::TYPED_LINES;
pub use bethink_memory_store::{Holding, LeftOut, Manifest, Present, Restore, SpaceCopy, SpaceRestore};
pub use config::RuntimeConfig;
pub use datadir::{DataDir, make_private_dir};
pub use doctor::Mend;
pub use error::RuntimeError;
pub use extension::{
    EXTENSION_MAILBOX, EXTENSION_MAILBOX_MAX, Extension, ExtensionFault, ExtensionHealth, ExtensionKinds,
    ExtensionSpec, ExtensionState, Extensions, Scope,
};
pub use family::{Persona, SpacePorts};
pub use former::{FormerEmbedders, no_former_embedders};
pub use handle::Handle;
pub use health::{ActorHealth, Health, SpaceHealth};
pub use mishaps::{Mishap, Mishaps};
pub use pool::{BlockingPool, COMMIT_THREADS, Inline, ThreadPool};
pub use ports::{AskError, Ports};
pub use schedule::{BackupConfig, BackupHealth};
pub use start::{Ingredients, start};
