//! Tools: what a language model may call while it answers.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bethink_domain::{SessionId, SpaceId, Timestamp, TurnId};
use serde_json::Value;

/// What a model is told about a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Name by which it is called: lower-case letters, digits and `_`, at most 64 bytes.
    pub name: Arc<str>,
    /// What it does and when to call it, for the model.
    pub description: Arc<str>,
    /// JSON schema of its arguments, an object.
    pub parameters: Value,
}

/// A model's wish to call a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// By which the answer finds its call.
    pub id: String,
    /// Which tool, as the model said it.
    pub name: String,
    /// Arguments, as the model said them.
    pub arguments: Value,
}

/// What a tool answered, for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolAnswer {
    /// The call.
    pub id: String,
    /// The answer in words or JSON; for a call that failed, why.
    pub content: String,
}

/// One round of calls within a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolStep {
    /// What the model said before it called.
    pub said: String,
    /// The calls, in its order.
    pub calls: Vec<ToolCall>,
    /// Their answers, in the same order.
    pub answers: Vec<ToolAnswer>,
}

/// For whom a tool is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolContext {
    /// The agent and its user.
    pub space: SpaceId,
    /// The session.
    pub session: SessionId,
    /// The turn.
    pub turn: TurnId,
    /// When the turn began.
    pub at: Timestamp,
}

/// Why a tool gave no answer. The model is told, and may try otherwise; the turn goes on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The arguments do not fit: call again with others.
    #[error("the arguments do not fit: {0}")]
    Arguments(String),
    /// It failed.
    #[error("{0}")]
    Failed(String),
}

/// A future that a trait object returns.
pub type ToolFuture<'a> = Pin<Box<dyn Future<Output = Result<String, ToolError>> + Send + 'a>>;

/// Something that a language model may call while it answers. A call that takes longer than the turn is dropped.
pub trait Tool: Send + Sync + 'static {
    /// What the model is told about it.
    fn spec(&self) -> ToolSpec;

    /// Does it.
    ///
    /// # Errors
    /// Why it was not done, in words that help the model.
    fn call<'a>(&'a self, arguments: Value, context: &'a ToolContext) -> ToolFuture<'a>;
}
