//! A language model that says what a test tells it to.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::{Arc, Mutex, PoisonError};

use bethink_protocol::{ToolCall, TurnEvent};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::language::{LanguageModel, ModelError, ModelIdentity, Prompt, Reply, ReplyFuture};

/// What a [`Scripted`] model does with one prompt.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Streams these pieces and finishes.
    Say(Vec<String>),
    /// Finishes with this text without streaming any of it.
    SayAtOnce(String),
    /// Finishes with nothing.
    SayNothing,
    /// Streams the whole prompt back.
    Echo,
    /// Streams this, then breaks off.
    BreakOff(String),
    /// Fails at once.
    Fail(ModelError),
    /// Streams this, then waits until it is cancelled.
    Hang(String),
    /// Waits for ever, deaf to cancelling.
    HangDeaf,
    /// Panics.
    Panic,
    /// Calls tools.
    Call(Vec<ToolCall>),
    /// Streams this, then calls tools.
    SayAndCall(String, Vec<ToolCall>),
}

impl Act {
    /// Says one text in one piece.
    #[must_use]
    pub fn say(text: &str) -> Self {
        Self::Say(vec![text.to_owned()])
    }

    /// Calls one tool.
    #[must_use]
    pub fn call(name: &str, arguments: serde_json::Value) -> Self {
        Self::Call(vec![ToolCall { id: String::new(), name: name.to_owned(), arguments }])
    }
}

type Chooser = Box<dyn FnMut(&Prompt) -> Act + Send>;

/// A language model for tests: plays a script and keeps the prompts that it saw.
pub struct Scripted {
    identity: ModelIdentity,
    choose: Mutex<Chooser>,
    seen: Mutex<Vec<Prompt>>,
}

impl Scripted {
    /// Plays the acts one a prompt, and the last one again ever after.
    #[must_use]
    pub fn playing(acts: impl IntoIterator<Item = Act>) -> Self {
        let mut acts: VecDeque<Act> = acts.into_iter().collect();
        Self::choosing(move |_| {
            let next = if acts.len() > 1 { acts.pop_front() } else { acts.front().cloned() };
            next.unwrap_or(Act::SayNothing)
        })
    }

    /// Chooses what to do by looking at the prompt.
    #[must_use]
    pub fn choosing(choose: impl FnMut(&Prompt) -> Act + Send + 'static) -> Self {
        let identity = ModelIdentity {
            name: Arc::from("scripted"),
            context_tokens: 8_192,
            generative: true,
            tools: true,
        };
        Self { identity, choose: Mutex::new(Box::new(choose)), seen: Mutex::new(Vec::new()) }
    }

    /// The same model under other limits.
    #[must_use]
    pub fn with_context_tokens(mut self, tokens: usize) -> Self {
        self.identity.context_tokens = tokens;
        self
    }

    /// The same model, which can't call tools.
    #[must_use]
    pub fn without_tools(mut self) -> Self {
        self.identity.tools = false;
        self
    }

    /// The prompts so far, oldest first.
    #[must_use]
    pub fn prompts(&self) -> Vec<Prompt> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn next_act(&self, prompt: &Prompt) -> Act {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(prompt.clone());
        (self.choose.lock().unwrap_or_else(PoisonError::into_inner))(prompt)
    }
}

impl LanguageModel for Scripted {
    fn identity(&self) -> ModelIdentity {
        self.identity.clone()
    }

    fn reply<'a>(
        &'a self,
        prompt: &'a Prompt,
        words: &'a mpsc::Sender<TurnEvent>,
        cancel: &'a CancellationToken,
    ) -> ReplyFuture<'a> {
        Box::pin(async move {
            match self.next_act(prompt) {
                Act::Say(pieces) => speak(pieces, words).await,
                Act::Echo => speak(vec![prompt.text()], words).await,
                Act::SayAtOnce(text) => Ok(finished(text)),
                Act::SayNothing => Ok(finished(String::new())),
                Act::BreakOff(text) => {
                    speak(vec![text], words).await?;
                    Err(ModelError::BrokeOff("the connection was closed".to_owned()))
                }
                Act::Fail(error) => Err(error),
                Act::Hang(text) => {
                    speak(vec![text], words).await?;
                    cancel.cancelled().await;
                    Err(ModelError::Cancelled)
                }
                Act::HangDeaf => pending().await,
                Act::Panic => panic!("the script says so"),
                Act::Call(calls) => Ok(Reply { calls, ..finished(String::new()) }),
                Act::SayAndCall(text, calls) => {
                    let said = speak(vec![text], words).await?;
                    Ok(Reply { calls, ..said })
                }
            }
        })
    }
}

async fn speak(pieces: Vec<String>, words: &mpsc::Sender<TurnEvent>) -> Result<Reply, ModelError> {
    for piece in &pieces {
        words.send(TurnEvent::Text(piece.clone())).await.map_err(|_| ModelError::Cancelled)?;
    }
    Ok(finished(pieces.concat()))
}

fn finished(text: String) -> Reply {
    Reply { text, cited: Vec::new(), calls: Vec::new(), prompt_tokens: None, reply_tokens: None }
}
