//! Turns, kept word for word, and the record of how each was answered.

use crate::id::{SessionId, TraceId, TurnId};
use crate::intent::{Decision, Purpose};
use crate::plan::SectionUse;
use crate::recollection::{Knowing, Recalled};
use crate::time::Timestamp;

/// A turn of the transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// Its id.
    pub turn: TurnId,
    /// Session.
    pub session: SessionId,
    /// When the message came.
    pub at: Timestamp,
    /// What the user said, secrets masked.
    pub message: String,
    /// What the agent answered, secrets masked.
    pub reply: String,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEnd {
    /// Answered and remembered.
    Done,
    /// Answered; the record could not be written.
    NotRemembered(String),
    /// Nothing was answered.
    Failed(String),
    /// Stopped by the user.
    Cancelled,
}

/// Milliseconds that parts of a turn took.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TurnTimes {
    /// Embedding the message.
    pub embed_ms: f32,
    /// Recall.
    pub recall_ms: f32,
    /// Execution, to the last word of the reply.
    pub execute_ms: f32,
}

/// One call of a tool within a turn, as its record keeps it. Arguments and answers hold words, and are not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUse {
    /// The round of calls, from 1.
    pub step: usize,
    /// The tool; [`ToolUse::UNKNOWN`] for one that there is not, since its name is made up of the model's own words.
    pub name: String,
    /// It gave no answer, and the model was told why.
    pub failed: bool,
    /// Traces that it was the first to show in this turn.
    pub shown: Vec<TraceId>,
}

impl ToolUse {
    /// Stands for the name of a tool that there is not.
    pub const UNKNOWN: &str = "?";
}

/// How a turn was planned and executed, so that a wrong answer can be traced to one or the other.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRecord {
    /// The turn.
    pub turn: TurnId,
    /// Session.
    pub session: SessionId,
    /// When the message came.
    pub at: Timestamp,
    /// Intent and the rule that decided it.
    pub decision: Decision,
    /// What kind of act the message was.
    pub purpose: Purpose,
    /// Most traces that could be recalled.
    pub depth: usize,
    /// State of knowledge.
    pub knowing: Knowing,
    /// Recalled traces with every term; texts are left out here and looked up by id when shown.
    pub recalled: Vec<Recalled>,
    /// Traces that entered the prompt.
    pub shown: Vec<TraceId>,
    /// Traces that the reply used.
    pub used: Vec<TraceId>,
    /// Traces that the turn encoded.
    pub encoded: Vec<TraceId>,
    /// The model that answered; empty when none did.
    pub model: String,
    /// What each section of the prompt took.
    pub sections: Vec<SectionUse>,
    /// Tokens of the reply.
    pub reply_tokens: usize,
    /// Tools that were called, in order.
    pub tools: Vec<ToolUse>,
    /// Time taken.
    pub times: TurnTimes,
    /// How it ended.
    pub end: TurnEnd,
}
