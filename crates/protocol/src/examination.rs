//! Asking whether memory is sound.

/// Look whether a space's file and its memory in use are sound and agree. Changes nothing.
#[derive(Debug, Clone)]
pub struct Examine {
    /// Look into texts, vectors and memory too.
    pub deep: bool,
    /// The time now.
    pub at: bethink_domain::Timestamp,
}
