//! Language models behind one trait.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bethink_domain::{Plan, Recalled};
use bethink_protocol::{ToolCall, ToolSpec, ToolStep, TurnEvent};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What answers: its name, and how much it reads at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelIdentity {
    /// Name, such as `extractive`.
    pub name: Arc<str>,
    /// Tokens that prompt and reply may take together.
    pub context_tokens: usize,
    /// True for a language model; false for a responder that only says what memory holds.
    pub generative: bool,
    /// True when it can call tools.
    pub tools: bool,
}

/// Who said a line of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The user.
    User,
    /// The agent.
    Agent,
}

/// A line of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Who.
    pub role: Role,
    /// What.
    pub text: String,
}

/// What entered the prompt of recalled traces, in its order.
#[derive(Debug, Clone, PartialEq)]
pub struct Entered {
    /// The tag by which a reply can cite it, such as `m1`.
    pub tag: String,
    /// The trace.
    pub recalled: Recalled,
    /// When it was told, in words, such as `told yesterday at 08:15`.
    pub told: String,
}

/// All that a reply is made from, in the order in which it is sent: the parts that change least come first, so that
/// the caches of providers and local engines keep the prefix.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// Instructions, personality, tools.
    pub instructions: String,
    /// Earlier turns of the session, oldest first.
    pub conversation: Vec<Line>,
    /// One block: the date, recalled traces fenced as data, the feeling of knowing. Empty when there is none.
    pub context: String,
    /// The user's message.
    pub message: String,
    /// Tools that may be called in this step; none for models that can't, and in the last step of a turn.
    pub tools: Vec<ToolSpec>,
    /// Rounds of calls within this turn so far, oldest first.
    pub steps: Vec<ToolStep>,
    /// Tokens that the reply may take, at least 1: what the assembly of the prompt left free for it.
    pub reply_tokens_max: usize,
    /// The same for responders that do not read prose: the plan,
    pub plan: Arc<Plan>,
    /// the traces that entered the context,
    pub entered: Vec<Entered>,
    /// and the zone in which dates are said to the user.
    pub zone: jiff::tz::TimeZone,
}

impl Prompt {
    /// What the last message of a conversation holds: the context, and behind it the user's message.
    #[must_use]
    pub fn question(&self) -> String {
        if self.context.is_empty() {
            self.message.clone()
        } else {
            format!("{}\n\n{}", self.context, self.message)
        }
    }

    /// The whole prompt as one text, its parts in the order in which they are sent.
    #[must_use]
    pub fn text(&self) -> String {
        let lines = self.conversation.iter().map(|line| match line.role {
            Role::User => format!("User: {}", line.text),
            Role::Agent => format!("Agent: {}", line.text),
        });
        let parts = std::iter::once(self.instructions.clone())
            .chain(lines)
            .chain([self.context.clone(), format!("User: {}", self.message)])
            .chain(self.steps.iter().map(step_text));
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
    }
}

fn step_text(step: &ToolStep) -> String {
    let said = (!step.said.is_empty()).then(|| format!("Agent: {}", step.said));
    let calls = step.calls.iter().map(|call| format!("Call: {} {}", call.name, call.arguments));
    let answers = step.answers.iter().map(|answer| format!("Answer: {}", answer.content));
    said.into_iter().chain(calls).chain(answers).collect::<Vec<_>>().join("\n")
}

/// A finished reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// All its words, as they were streamed.
    pub text: String,
    /// Tags of traces that the responder itself says it used.
    pub cited: Vec<String>,
    /// Tools that it calls. With any, the turn goes on: it is asked again with their answers.
    pub calls: Vec<ToolCall>,
    /// Tokens that the model says it read; none when it does not say.
    pub prompt_tokens: Option<usize>,
    /// Tokens that the model says it wrote.
    pub reply_tokens: Option<usize>,
}

/// Why a model gave no reply, by what the caller can do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// No answer within the deadline: try again, allow more time, or choose another model.
    #[error("no answer within {seconds} seconds")]
    Timeout {
        /// The deadline.
        seconds: u64,
    },
    /// It answered with nothing.
    #[error("the answer was empty")]
    Empty,
    /// It calls tools again and again: ask otherwise, or choose another model.
    #[error("it went on calling tools and gave no answer")]
    OnlyCalls,
    /// It broke off.
    #[error("the answer broke off: {0}")]
    BrokeOff(String),
    /// It wants another key, or one at all: correct the configuration.
    #[error("{host} does not accept the key; {advice}")]
    Unauthorised {
        /// Who was asked.
        host: String,
        /// Where the key comes from, never the key itself.
        advice: String,
    },
    /// Too many requests or tokens for now: wait.
    #[error("{host} takes no more requests for now{}", .seconds.map(|s| format!("; try again in {s} seconds")).unwrap_or_default())]
    RateLimited {
        /// Who was asked.
        host: String,
        /// When it will again, as far as it says.
        seconds: Option<u64>,
    },
    /// Nobody answers there: start the server, or correct `base_url`.
    #[error("{host} can't be reached: {reason}")]
    Unreachable {
        /// Who was asked.
        host: String,
        /// What the system said.
        reason: String,
    },
    /// The prompt is longer than the model reads: set `context_tokens` under `[language]` to what it has.
    #[error(
        "the prompt is longer than the model reads; set `context_tokens` under [language] to what it really has"
    )]
    ContextTooLong,
    /// It refused, for a reason that it gave, or its configuration can't be used.
    #[error("{0}")]
    Refused(String),
    /// The turn was stopped.
    #[error("the turn was stopped")]
    Cancelled,
}

/// A future that a trait object returns.
pub type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Result<Reply, ModelError>> + Send + 'a>>;

/// Produces replies.
pub trait LanguageModel: Send + Sync + 'static {
    /// Its name and limits.
    fn identity(&self) -> ModelIdentity;

    /// Answers a prompt. Words are sent as [`TurnEvent::Text`] while they come; a closed channel or a set token
    /// ends the work with [`ModelError::Cancelled`].
    fn reply<'a>(
        &'a self,
        prompt: &'a Prompt,
        words: &'a mpsc::Sender<TurnEvent>,
        cancel: &'a CancellationToken,
    ) -> ReplyFuture<'a>;
}
