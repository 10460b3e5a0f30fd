//! One call of the model: relayed, bounded, and isolated from the actor.

use std::sync::Arc;
use std::time::Duration;

use bethink_domain::{Outcome, Purpose};
use bethink_protocol::{ExecuteError, TurnEvent};
use bethink_providers::{LanguageModel, ModelError, Prompt, Reply};
use tokio::sync::mpsc;
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::attribution::attribution;
use crate::prompt::{Assembled, estimate_tokens};
use crate::tags::{Stripper, cited};

/// Pieces that wait between the model and the reader; then the model waits too.
const PIECES_MAX: usize = 32;
/// Longest reply. No model is asked for more, so one that writes more is stuck.
const REPLY_BYTES_MAX: usize = 1 << 20;

/// How the call is made.
pub(crate) struct Call {
    pub(crate) model: Arc<dyn LanguageModel>,
    /// Where the words go.
    pub(crate) words: mpsc::Sender<TurnEvent>,
    pub(crate) cancel: CancellationToken,
    /// From the call to the last word.
    pub(crate) deadline: Duration,
}

/// Calls the model and streams what it says, without its citations.
///
/// # Errors
/// [`ExecuteError::Cancelled`] as soon as the token is set or nobody listens; [`ExecuteError::Model`] when the model
/// fails, panics, says nothing, or is not done within the deadline. Words may have been streamed by then.
pub(crate) async fn perform(call: Call, assembled: Assembled) -> Result<Outcome, ExecuteError> {
    let prompt = Arc::new(assembled.prompt);
    let relayed = tokio::time::timeout(call.deadline, relay(&call, Arc::clone(&prompt)));
    let (heard, reply) = tokio::select! {
        biased;
        () = call.cancel.cancelled() => return Err(ExecuteError::Cancelled),
        () = call.words.closed() => return Err(ExecuteError::Cancelled),
        relayed = relayed => {
            relayed.map_err(|_| failed(&ModelError::Timeout { seconds: call.deadline.as_secs() }))??
        }
    };
    let sent = assembled.sections.iter().map(|section| section.tokens).sum();
    warn_of_lost_prompt(&reply, sent);
    let identity = call.model.identity();
    let tags: Vec<String> = prompt.entered.iter().map(|entered| entered.tag.clone()).collect();
    let mut citations = cited(&heard.raw, &tags);
    citations.extend(reply.cited);
    let used = match prompt.plan.purpose {
        // Listing everything is taking stock, not use.
        Purpose::Overview => Vec::new(),
        // A responder that only quotes says itself what it quoted.
        _ if !identity.generative => attribution("", "", &prompt.entered, &citations),
        _ => attribution(&heard.shown, &prompt.message, &prompt.entered, &citations),
    };
    Ok(Outcome {
        shown: prompt.entered.iter().map(|entered| entered.recalled.id).collect(),
        used,
        model: identity.name.to_string(),
        sections: assembled.sections,
        reply_tokens: reply.reply_tokens.unwrap_or_else(|| estimate_tokens(&heard.raw)),
        reply: heard.shown,
        tools: Vec::new(),
        noted: Vec::new(),
        proposed: Vec::new(),
    })
}

/// Runs the model in a task of its own, so that its panic is an error here and its end is certain when this is
/// dropped.
async fn relay(call: &Call, prompt: Arc<Prompt>) -> Result<(Heard, Reply), ExecuteError> {
    let (pieces, mut incoming) = mpsc::channel(PIECES_MAX);
    let mut ear = Ear::new(&prompt, call.model.identity().generative);
    let (model, cancel) = (Arc::clone(&call.model), call.cancel.child_token());
    let _stop = cancel.clone().drop_guard();
    let work = tokio::spawn(async move { model.reply(&prompt, &pieces, &cancel).await });
    let mut work = AbortOnDropHandle::new(work);
    let ended = loop {
        tokio::select! {
            biased;
            Some(event) = incoming.recv() => ear.hear(event, &call.words).await?,
            ended = &mut work => break ended,
        }
    };
    incoming.close();
    while let Some(event) = incoming.recv().await {
        ear.hear(event, &call.words).await?;
    }
    let reply = ended.map_err(|error| abandoned(&error))?.map_err(|error| failed(&error))?;
    if ear.heard.raw.is_empty() {
        // A model that does not stream says everything at once.
        ear.hear(TurnEvent::Text(reply.text.clone()), &call.words).await?;
    }
    Ok((ear.finish(&call.words).await?, reply))
}

fn failed(error: &ModelError) -> ExecuteError {
    match error {
        ModelError::Cancelled => ExecuteError::Cancelled,
        other => ExecuteError::Model(other.to_string()),
    }
}

fn abandoned(error: &JoinError) -> ExecuteError {
    if error.is_panic() {
        tracing::error!("language model panicked");
        ExecuteError::Model("it crashed while answering".to_owned())
    } else {
        ExecuteError::Unavailable
    }
}

/// Local engines drop the start of a prompt that is longer than the context they were started with.
fn warn_of_lost_prompt(reply: &Reply, sent: usize) {
    if let Some(read) = reply.prompt_tokens.filter(|read| *read < sent / 2) {
        tracing::warn!(
            sent,
            read,
            "model read less than half of the prompt; set `context_tokens` under [language] to what it really has"
        );
    }
}

/// What was heard.
#[derive(Debug, Default)]
struct Heard {
    /// As the model said it.
    raw: String,
    /// As the user saw it.
    shown: String,
}

/// Listens to the model and passes on what the user is to see.
struct Ear {
    heard: Heard,
    /// None for a responder that quotes: its words stay as they are.
    stripper: Option<Stripper>,
}

impl Ear {
    fn new(prompt: &Prompt, generative: bool) -> Self {
        let tags: Vec<String> = prompt.entered.iter().map(|entered| entered.tag.clone()).collect();
        Self { heard: Heard::default(), stripper: generative.then(|| Stripper::new(&tags)) }
    }

    async fn hear(&mut self, event: TurnEvent, words: &mpsc::Sender<TurnEvent>) -> Result<(), ExecuteError> {
        // Only the Planner ends a turn.
        let TurnEvent::Text(piece) = event else { return Ok(()) };
        if self.heard.raw.len() + piece.len() > REPLY_BYTES_MAX {
            return Err(ExecuteError::Model(format!("the answer is longer than {REPLY_BYTES_MAX} bytes")));
        }
        self.heard.raw.push_str(&piece);
        let visible = match &mut self.stripper {
            Some(stripper) => stripper.push(&piece),
            None => piece,
        };
        self.show(visible, words).await
    }

    async fn finish(mut self, words: &mpsc::Sender<TurnEvent>) -> Result<Heard, ExecuteError> {
        let held_back = self.stripper.take().map(Stripper::finish).unwrap_or_default();
        self.show(held_back, words).await?;
        if self.heard.shown.trim().is_empty() {
            return Err(failed(&ModelError::Empty));
        }
        Ok(self.heard)
    }

    async fn show(&mut self, text: String, words: &mpsc::Sender<TurnEvent>) -> Result<(), ExecuteError> {
        if text.is_empty() {
            return Ok(());
        }
        self.heard.shown.push_str(&text);
        words.send(TurnEvent::Text(text)).await.map_err(|_| ExecuteError::Cancelled)
    }
}
