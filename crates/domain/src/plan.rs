//! What the Planner hands to the Executor, and what comes back.

use crate::embedding::UnitVector;
use crate::id::{AgentName, SessionId, TraceId, TurnId};
use crate::intent::{Decision, Purpose};
use crate::recollection::{Overview, Recalled, Recollection};
use crate::time::Timestamp;
use crate::trace::Draft;
use crate::turn::ToolUse;

/// One turn, planned.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The turn.
    pub turn: TurnId,
    /// Who answers.
    pub agent: AgentName,
    /// The session that it belongs to.
    pub session: SessionId,
    /// When the message came.
    pub at: Timestamp,
    /// The user's message, secrets masked.
    pub message: String,
    /// Intent and the rule that decided it.
    pub decision: Decision,
    /// What kind of act the message is.
    pub purpose: Purpose,
    /// What will be remembered of the message once the turn succeeds.
    pub stated: Vec<String>,
    /// Kinds of secrets that were masked, such as `password`.
    pub masked: Vec<&'static str>,
    /// The message's meaning, computed once.
    pub embedding: Option<UnitVector>,
    /// What was recalled.
    pub recollection: Recollection,
    /// Set when the user asks for all that is known.
    pub overview: Option<Overview>,
    /// Traces near what the user wishes forgotten; they are asked about, and nothing is deleted yet.
    pub proposed: Vec<Recalled>,
    /// Set when the user has confirmed, and it was done.
    pub forgotten: Option<Forgotten>,
    /// Recalls, but writes nothing at all.
    pub private: bool,
    /// Parts of the plan that could not be done, to be said to the user.
    pub degraded: Vec<Degraded>,
}

/// What was deleted because the user confirmed it. It holds no words, so that a reply made of it says none of them again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forgotten {
    /// Traces that are gone, and those that rested on them alone.
    pub traces: usize,
    /// Turns of the transcript that were blanked.
    pub turns: usize,
    /// Why something was not deleted, if so.
    pub failed: Option<String>,
    /// Code of the language in which it was asked for, such as `de`: a "yes" alone does not tell.
    pub language: &'static str,
}

/// A part of a plan that could not be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Degraded {
    /// The embedder failed, so that memory was asked by words alone.
    WordsOnly,
    /// Memory did not answer, and why: that nothing was found means nothing.
    MemoryUnreachable(String),
    /// Memory is switched off in the configuration: nothing is looked up, and nothing is kept.
    MemoryOff,
    /// The message also asks for a reminder, and none could be made of it.
    NoReminder,
}

impl std::fmt::Display for Degraded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::WordsOnly => f.write_str("memory could be searched by words alone, not by meaning"),
            Self::MemoryUnreachable(why) => write!(f, "memory could not be asked: {why}"),
            Self::MemoryOff => {
                f.write_str("memory is switched off: nothing is looked up, and nothing is kept")
            }
            Self::NoReminder => f.write_str("no reminder was set: what of and when could not be read"),
        }
    }
}

/// A part of the prompt, in the order in which it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Section {
    /// Instructions, personality, tools: the stable prefix.
    Instructions,
    /// Earlier turns of the session.
    Conversation,
    /// The date and what was recalled, fenced.
    Context,
    /// The user's message.
    Message,
    /// What tools there are, and what they answered in this turn.
    Tools,
}

/// What a section of the prompt took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SectionUse {
    /// Which.
    pub section: Section,
    /// Tokens it may take.
    pub budget: usize,
    /// Tokens it took, estimated.
    pub tokens: usize,
}

/// What execution produced.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// The whole reply.
    pub reply: String,
    /// Traces that entered the prompt.
    pub shown: Vec<TraceId>,
    /// Traces that the reply really used.
    pub used: Vec<TraceId>,
    /// The model that answered.
    pub model: String,
    /// What each section took.
    pub sections: Vec<SectionUse>,
    /// Tokens of the reply, estimated where the model does not say.
    pub reply_tokens: usize,
    /// Tools that were called, in order.
    pub tools: Vec<ToolUse>,
    /// What the model asked to have remembered; stored with the turn, or not at all.
    pub noted: Vec<Draft>,
    /// Traces that the reply asks the user to have forgotten; the next message confirms it, or nothing happens.
    pub proposed: Vec<TraceId>,
}
