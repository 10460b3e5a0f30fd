//! One turn: the model is asked, calls tools, and is asked again, until it answers. Relayed, bounded, and isolated from
//! the actor.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bethink_domain::{Forgotten, Outcome, Purpose, Section, SectionUse, TraceId};
use bethink_protocol::{ExecuteError, TurnEvent};
use bethink_providers::{LanguageModel, ModelError, Prompt, Reply, say_forgotten, say_proposal};
use tokio::sync::mpsc;
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::attribution::attribution;
use crate::ear::{Ear, Heard};
use crate::prompt::{Assembled, estimate_tokens};
use crate::tags::cited;
use crate::tools::{Calling, Gathered};

/// Pieces that wait between the model and the reader; then the model waits too.
const PIECES_MAX: usize = 32;

/// How the model is asked.
pub(crate) struct Call {
    pub(crate) model: Arc<dyn LanguageModel>,
    /// Where the words go.
    pub(crate) words: mpsc::Sender<TurnEvent>,
    pub(crate) cancel: CancellationToken,
    /// From the first call of the model to its last word.
    pub(crate) deadline: Duration,
    /// That the model lost part of a prompt was said already.
    pub(crate) warned: Arc<AtomicBool>,
}

/// A turn that was answered.
struct Answered {
    heard: Heard,
    /// What of it are the model's own words, as the user saw them.
    said: String,
    prompt: Prompt,
    gathered: Gathered,
    /// What the reply asks the user to have forgotten.
    proposed: Vec<TraceId>,
    /// Tags that the model itself says it used.
    cited: Vec<String>,
    reply_tokens: usize,
    /// Tokens that were left for calls and answers.
    steps_left: usize,
}

/// Has the model answer, with the tools that it calls, and streams what it says, without its citations.
///
/// # Errors
/// [`ExecuteError::Cancelled`] as soon as the token is set or nobody listens; [`ExecuteError::Model`] when the model
/// fails, panics, says nothing, only calls tools, or is not done within the deadline. Words may have been streamed by
/// then; what its calls gathered is lost.
pub(crate) async fn perform(
    call: Call,
    assembled: Assembled,
    calling: Calling,
) -> Result<Outcome, ExecuteError> {
    let Assembled { prompt, mut sections, steps_budget } = assembled;
    let sent = sections.iter().map(|section| section.tokens).sum();
    let answered = tokio::time::timeout(call.deadline, converse(&call, prompt, calling, sent));
    let answered = tokio::select! {
        biased;
        () = call.cancel.cancelled() => return Err(ExecuteError::Cancelled),
        () = call.words.closed() => return Err(ExecuteError::Cancelled),
        answered = answered => {
            answered.map_err(|_| failed(&ModelError::Timeout { seconds: call.deadline.as_secs() }))??
        }
    };
    let tools = |section: &&mut SectionUse| section.section == Section::Tools;
    if let Some(tools) = sections.iter_mut().find(tools) {
        tools.tokens += steps_budget - answered.steps_left;
    }
    let identity = call.model.identity();
    let used = used(&answered, identity.generative);
    let Answered { heard, prompt, gathered, proposed, reply_tokens, .. } = answered;
    let mut shown: Vec<TraceId> = prompt.entered.iter().map(|entered| entered.recalled.id).collect();
    shown.extend(proposed.iter().filter(|id| !prompt.entered.iter().any(|one| one.recalled.id == **id)));
    Ok(Outcome {
        shown,
        used,
        model: identity.name.to_string(),
        sections,
        reply_tokens,
        reply: heard.shown,
        tools: gathered.tools,
        noted: gathered.noted,
        proposed,
    })
}

/// Says what was deleted in place of an answer: a model that fails or forgets to mention it must not hide it.
pub(crate) async fn report(
    words: &mpsc::Sender<TurnEvent>,
    assembled: Assembled,
    forgotten: &Forgotten,
) -> Result<Outcome, ExecuteError> {
    let reply = say_forgotten(&assembled.prompt, forgotten);
    words.send(TurnEvent::Text(reply.clone())).await.map_err(|_| ExecuteError::Cancelled)?;
    Ok(Outcome {
        reply_tokens: estimate_tokens(&reply),
        reply,
        shown: Vec::new(),
        used: Vec::new(),
        model: String::new(),
        sections: Vec::new(),
        tools: Vec::new(),
        noted: Vec::new(),
        proposed: Vec::new(),
    })
}

/// The traces that the reply used.
fn used(answered: &Answered, generative: bool) -> Vec<TraceId> {
    let prompt = &answered.prompt;
    let tags: Vec<String> = prompt.entered.iter().map(|entered| entered.tag.clone()).collect();
    let mut citations = cited(&answered.heard.raw, &tags);
    citations.extend(answered.cited.iter().cloned());
    let mut used = match prompt.plan.purpose {
        // Listing everything is taking stock, not use.
        Purpose::Overview => Vec::new(),
        // A responder that only quotes says itself what it quoted.
        _ if !generative => attribution("", "", &prompt.entered, &citations),
        _ => attribution(&answered.said, &prompt.message, &prompt.entered, &citations),
    };
    // Nothing gains by being named for deletion.
    used.retain(|id| !answered.proposed.contains(id));
    used
}

/// Asks the model until it answers without calling tools. The last time it is offered none, so that it has to.
async fn converse(
    call: &Call,
    mut prompt: Prompt,
    mut calling: Calling,
    sent: usize,
) -> Result<Answered, ExecuteError> {
    let mut ear = Ear::new(&call.words, call.model.identity().generative);
    let (mut cited, mut reply_tokens) = (Vec::new(), 0);
    loop {
        let reply = relay(call, Arc::new(prompt.clone()), &mut ear).await?;
        if prompt.steps.is_empty() {
            warn_of_lost_prompt(call, &reply, sent).await?;
        }
        reply_tokens += reply.reply_tokens.unwrap_or_else(|| estimate_tokens(ear.this_round()));
        cited.extend(reply.cited);
        if reply.calls.is_empty() {
            break;
        }
        if prompt.tools.is_empty() {
            // It calls what it was not offered. What it said beside is its answer.
            if ear.this_round().trim().is_empty() {
                return Err(failed(&ModelError::OnlyCalls));
            }
            break;
        }
        let said = ear.this_round().to_owned();
        calling.round(&mut prompt, &said, reply.calls).await;
    }
    let (steps_left, gathered) = (calling.left(), calling.gathered);
    let said = ear.shown().to_owned();
    if said.trim().is_empty() {
        return Err(failed(&ModelError::Empty));
    }
    let (proposed, texts) = proposed(&prompt, &gathered);
    if call.model.identity().generative {
        // In fixed words, so that the user sees all that a yes would delete.
        ear.add(say_proposal(&prompt, &texts).unwrap_or_default()).await?;
    }
    let heard = ear.heard();
    Ok(Answered { heard, said, prompt, gathered, proposed, cited, reply_tokens, steps_left })
}

/// What the user is asked to have forgotten: what was found for the message's own wish, and what tools proposed.
fn proposed<'a>(prompt: &'a Prompt, gathered: &Gathered) -> (Vec<TraceId>, Vec<&'a str>) {
    let wished = prompt.plan.proposed.iter();
    let named = prompt.entered.iter().map(|entered| &entered.recalled);
    let named = named.filter(|recalled| gathered.proposed.contains(&recalled.id));
    let (mut ids, mut texts) = (Vec::new(), Vec::new());
    for recalled in wished.chain(named) {
        if !ids.contains(&recalled.id) {
            ids.push(recalled.id);
            texts.push(&*recalled.text);
        }
    }
    (ids, texts)
}

/// Runs the model in a task of its own, so that its panic is an error here and its end is certain when this is
/// dropped.
async fn relay(call: &Call, prompt: Arc<Prompt>, ear: &mut Ear<'_>) -> Result<Reply, ExecuteError> {
    let (pieces, mut incoming) = mpsc::channel(PIECES_MAX);
    let tags: Vec<String> = prompt.entered.iter().map(|entered| entered.tag.clone()).collect();
    ear.begin(&tags);
    let (model, cancel) = (Arc::clone(&call.model), call.cancel.child_token());
    let _stop = cancel.clone().drop_guard();
    let work = tokio::spawn(async move { model.reply(&prompt, &pieces, &cancel).await });
    let mut work = AbortOnDropHandle::new(work);
    let ended = loop {
        tokio::select! {
            biased;
            Some(event) = incoming.recv() => ear.hear(event).await?,
            ended = &mut work => break ended,
        }
    };
    incoming.close();
    while let Some(event) = incoming.recv().await {
        ear.hear(event).await?;
    }
    let reply = ended.map_err(|error| abandoned(&error))?.map_err(|error| failed(&error))?;
    if ear.this_round().is_empty() {
        // A model that does not stream says everything at once.
        ear.hear(TurnEvent::Text(reply.text.clone())).await?;
    }
    ear.end().await?;
    Ok(reply)
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
///
/// Said once, since every turn would say it.
async fn warn_of_lost_prompt(call: &Call, reply: &Reply, sent: usize) -> Result<(), ExecuteError> {
    let Some(read) = reply.prompt_tokens.filter(|read| *read < sent / 2) else { return Ok(()) };
    if call.warned.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    let model = call.model.identity().name;
    tracing::warn!(sent, read, %model, "the model read less than half of the prompt");
    let warning = format!(
        "{model} read {read} tokens of a prompt of about {sent}, so that it may not know what was said; set \
         `context_tokens` under [language] to what it really has."
    );
    call.words.send(TurnEvent::Warning(warning)).await.map_err(|_| ExecuteError::Cancelled)
}
