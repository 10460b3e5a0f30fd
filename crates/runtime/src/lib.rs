//! Composition and supervision.
mod config;
mod datadir;
mod error;
mod pool;
pub use config::RuntimeConfig;
pub use datadir::{DataDir, make_private_dir};
pub use error::RuntimeError;
pub use pool::{BlockingPool, COMMIT_THREADS, Inline, ThreadPool};
