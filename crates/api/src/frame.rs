//! Frames of the socket: one JSON object a line, each way.

use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::request::{Request, SpaceName};
use crate::response::Response;

/// Version of all shapes. A server refuses other versions by name.
pub const VERSION: u32 = 1;

/// Longest line that either side reads: a message of the largest size, escaped, with room for the frame.
pub const FRAME_BYTES_MAX: usize = 8 << 20;

/// What a client sends.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientFrame {
    /// [`VERSION`].
    pub v: u32,
    /// Chosen by the client; answers carry it.
    pub id: u64,
    /// Whose memory.
    pub space: SpaceName,
    /// What is asked.
    pub request: Request,
}

/// What a server sends.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ServerFrame {
    /// The request that it answers.
    pub id: u64,
    /// The answer, or a part of it.
    pub answer: Answer,
}

/// An answer. `Part` is followed by more; the others are the last.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// A part of a streamed reply.
    Part(Response),
    /// The whole, or the last part.
    Done(Response),
    /// It failed.
    Fault(Fault),
}
