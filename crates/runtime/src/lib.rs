//! Composition and supervision: what runs, who restarts whom, who owns the data.
//!
//! [`start`] builds the process's actors from [`Ingredients`] and gives a [`Handle`]. Spaces are woken by the first
//! message for them. Only this crate knows which actor stands behind which port.

mod config;
mod datadir;
mod directory;
mod error;
mod family;
mod handle;
mod pool;
mod start;
mod wakes;

pub use config::RuntimeConfig;
pub use datadir::{DataDir, make_private_dir};
pub use directory::SpaceHealth;
pub use error::RuntimeError;
pub use family::{Persona, SpacePorts};
pub use handle::{AskError, Handle};
pub use pool::{BlockingPool, COMMIT_THREADS, Inline, ThreadPool};
pub use start::{Ingredients, start};
