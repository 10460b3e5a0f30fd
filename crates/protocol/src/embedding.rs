//! Asking for vectors of meaning.

use bethink_domain::{EmbedderIdentity, UnitVector};
use kameo::actor::ReplyRecipient;

/// Who waits; a queue serves the first of these first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Urgency {
    /// A person waits for a reply.
    Turn,
    /// A reminder is due.
    Reminder,
    /// Statements are being stored.
    Import,
    /// A space is moved to another embedder.
    Migration,
}

/// Turn texts into vectors.
#[derive(Debug, Clone)]
pub struct Embed {
    /// Texts, at most 256; each of any length, shortened for embedding only.
    pub texts: Vec<String>,
    /// Who waits.
    pub urgency: Urgency,
}

/// Vectors, one for each text in order.
#[derive(Debug, Clone)]
pub struct Embedded {
    /// A text for which the model gave no usable vector has none; the others are not affected.
    pub vectors: Vec<Option<UnitVector>>,
    /// Who made them.
    pub identity: EmbedderIdentity,
}

/// Why no vectors came.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// The queue is full: wait and ask again.
    #[error("the embedder has too much to do")]
    Busy,
    /// More texts than one request may hold: split it.
    #[error("{given} texts are too many for one request; the limit is {limit}")]
    TooMany {
        /// Texts given.
        given: usize,
        /// Most texts.
        limit: usize,
    },
    /// The model failed: go on without vectors, and try again later.
    #[error("the embedder failed: {0}")]
    Failed(String),
    /// It is stopping or being restarted: go on without vectors.
    #[error("the embedder is not running")]
    Unavailable,
}

/// Where an [`Embed`] goes.
pub type EmbedPort = ReplyRecipient<Embed, Embedded, EmbedError>;
