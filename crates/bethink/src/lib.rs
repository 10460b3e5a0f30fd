//! Bethink as a library: an agent that remembers, in your own program.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), bethink::Error> {
//! # let home = bethink::testing::Home::new();
//! let bethink = bethink::Runtime::builder()
//!     .data_dir(home.path())
//! #   .embedder(bethink::testing::HashedEmbedder::default())
//!     .start()
//!     .await?;
//! bethink.remember("My reading glasses are on the bedside table.").await?;
//! let reply = bethink.ask("Where are my glasses?").await?;
//! assert!(reply.text.contains("bedside table"));
//! bethink.shutdown().await?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Runtime::builder`] takes the settings and whatever is to be added: actors of your own ([`Extension`]), tools
//! ([`Tool`]), providers of language models and embedders. `start` gives a [`Handle`]. Nothing is global: no signal handler and
//! no subscriber of logs is installed, and two runtimes fit in one process as long as each has a data directory of its
//! own. [`testing`] has what a test of an extension needs.
//!
//! A program that should have all of `bethink`'s commands hands its builder to the command line's library instead of
//! starting it. `docs/extending.md` walks through an extension from beginning to end.

mod builder;
mod error;
mod handle;
pub mod testing;
mod tool_actor;

pub use builder::{Builder, Runtime};
pub use error::Error;
pub use handle::{Handle, Health, Reply, Words};
pub use tool_actor::{CallTool, ToolActor};

/// The actors' framework; extensions are written in it.
pub use kameo;

/// The vocabulary: spaces, traces, cues, events.
pub use bethink_domain as domain;
/// The messages between actors.
pub use bethink_protocol as protocol;
/// Language models and embedders behind traits.
pub use bethink_providers as providers;
/// The runtime below the handle: ports, health, data directory.
pub use bethink_runtime as runtime;
/// The configuration.
pub use bethink_settings as settings;

pub use bethink_domain::{AgentName, Event, EventKind, SpaceId, TraceId, UserName};
pub use bethink_protocol::{
    Drain, Events, Heard, Missed, Tool, ToolContext, ToolError, ToolFuture, ToolSpec,
};
pub use bethink_providers::{EmbeddingModel, LanguageModel};
pub use bethink_runtime::{Extension, ExtensionHealth, ExtensionState, Ports, Scope, SpaceHealth};
pub use bethink_settings::Settings;
