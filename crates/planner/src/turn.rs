//! One turn, from the message to the last event. Each step is a function.

mod commit;
mod course;
mod forgetting;
mod intending;

use std::borrow::Cow;
use std::sync::Arc;

use bethink_domain::{
    Cue, CueScope, Decision, Degraded, Intent, Knowing, Outcome, Plan, Purpose, RecallMode, SessionId,
    TurnEnd, TurnId,
};
use bethink_protocol::{
    Converse, ConverseError, Embed, Execute, ExecuteError, Recall, Survey, TurnEvent, Urgency, offload,
};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::accepting::accepts;
use crate::actor::PlannerArgs;
use crate::cue::{Strategy, depth, wants_embedding};
use crate::heard::{Heard, Need, hear};
use crate::intent::decide;
use crate::ports::{EMBED_WAIT, EXECUTE_WAIT, RECALL_WAIT, ask};
use crate::sessions::{Left, Offer};
use course::{Course, millis};

/// Longer messages (bytes) are read on another thread: a debug build takes up to a millisecond for each kilobyte.
const READ_HERE_BYTES: usize = 8 * 1024;
/// Words on their way from the Executor; the stream behind holds the rest, so that this only smooths the hand-over.
const WORDS_MAX: usize = 8;

/// A turn to run.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) turn: TurnId,
    pub(crate) message: Converse,
    pub(crate) events: mpsc::Sender<TurnEvent>,
    pub(crate) cancel: CancellationToken,
    /// What the turn before left: a correction takes back what its reply used, praise confirms it, and "yes" takes up
    /// what it offered.
    pub(crate) left: Left,
}

/// What the Planner keeps of a turn that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) session: SessionId,
    /// What it leaves for the next; none when there was no reply, so that the one before stays the last.
    pub(crate) left: Option<Left>,
}

/// Runs a turn. Its last event is returned, not sent.
pub(crate) async fn run(args: Arc<PlannerArgs>, job: Job) -> (Ended, TurnEvent) {
    let mut course = Course::new(&job);
    let answered = tokio::select! {
        // A reply that is complete at the moment of stopping stands.
        biased;
        answered = answer(&args, &job, &mut course) => answered,
        () = job.cancel.cancelled() => Err(ConverseError::Cancelled),
        () = job.events.closed() => Err(ConverseError::Cancelled),
    };
    let session = job.message.session;
    match answered {
        Ok(outcome) => {
            let used = outcome.used.clone();
            // A private turn is not spoken of afterwards: blame for it would be written.
            let blamed = if job.message.private { Vec::new() } else { used.clone() };
            let left = Left {
                used: blamed,
                offer: offer(&job, &course),
                proposal: forgetting::proposal(&job, &outcome),
                pending: course.pending.clone(),
                said: course.heard.as_ref().map(|heard| heard.text.clone()),
            };
            let durable = commit::complete(&args, &job, course, outcome).await;
            (Ended { session, left: Some(left) }, TurnEvent::Done { durable, used })
        }
        Err(error) => {
            // Whoever works for this turn still stops.
            job.cancel.cancel();
            let end = match &error {
                ConverseError::Cancelled => TurnEnd::Cancelled,
                error => TurnEnd::Failed(error.to_string()),
            };
            commit::record_failure(&args, &job, course, end).await;
            (Ended { session, left: None }, TurnEvent::Failed { error })
        }
    }
}

/// Reads, decides, recalls and has the reply written, noting in `course` how far it came.
async fn answer(args: &Arc<PlannerArgs>, job: &Job, course: &mut Course) -> Result<Outcome, ConverseError> {
    let mut heard = listen(args, job).await?;
    if let Some(proposal) = forgetting::confirmed(job) {
        return forgetting::carry_out(args, job, heard, proposal, course).await;
    }
    if let Some(offer) = taken_up(job) {
        return look_again(args, job, heard, offer.cue.clone(), course).await;
    }
    if !args.config.remembers {
        heard.need = Need::Nothing;
        course.degraded.push(Degraded::MemoryOff);
    }
    let keeps = args.config.remembers && !job.message.private;
    if keeps && intending::see_to(args, job, &heard, course).await {
        return reminders_alone(args, job, heard, course).await;
    }
    embed(args, &heard, course).await;
    let prototypes = match (&heard.ruled, &course.identity) {
        (None, Some(identity)) => args.prototypes.of(identity, &args.embed).await,
        _ => None,
    };
    course.decision = decide(&heard, prototypes, course.embedding.as_ref());
    course.purpose = heard.purpose;
    course.depth = depth(&heard, &course.decision, args.config.depth);
    if heard.also_intends && course.said.is_empty() {
        course.degraded.push(Degraded::NoReminder);
    }
    match heard.need {
        Need::Recollection => recall(args, job, &heard, course).await,
        Need::Overview => survey(args, job, course).await,
        Need::Nothing if args.config.remembers => forgetting::propose(args, job, &heard, course).await,
        Need::Nothing => {}
    }
    if args.config.remembers && heard.need != Need::Recollection {
        intending::due(args, job, &heard, course).await;
    }
    intending::tell_due(job, &course.kept, &course.recollection.reminders).await;
    let plan = Box::new(plan(args, job, &heard, course));
    course.heard = Some(heard);
    if course.said.is_empty() {
        return execute(args, job, plan, course).await;
    }
    let said = format!("{}\n", course.said.join("\n"));
    pass_on(job, TurnEvent::Text(said.clone())).await;
    let outcome = execute(args, job, plan, course).await?;
    Ok(Outcome { reply: said + &outcome.reply, ..outcome })
}

/// Answers a message that is about reminders and nothing else, in their own words.
async fn reminders_alone(
    args: &PlannerArgs,
    job: &Job,
    mut heard: Heard,
    course: &mut Course,
) -> Result<Outcome, ConverseError> {
    heard.stated.clear();
    course.decision = Decision { intent: Intent::Memory, rule: Cow::Borrowed("about reminders") };
    course.purpose = Purpose::Intention;
    intending::due(args, job, &heard, course).await;
    intending::tell_due(job, &course.kept, &course.recollection.reminders).await;
    course.heard = Some(heard);
    let reply = course.said.join("\n");
    pass_on(job, TurnEvent::Text(reply.clone())).await;
    Ok(Outcome { reply, ..Outcome::default() })
}

/// The offer of the turn before that this message accepts. What a private turn spoke of stays among private turns.
fn taken_up(job: &Job) -> Option<&Offer> {
    let open = |offer: &&Offer| job.message.private || !offer.private;
    job.left.offer.as_ref().filter(open).filter(|_| accepts(&job.message.message))
}

/// What a reply that found nothing living offered: to look among what has faded.
fn offer(job: &Job, course: &Course) -> Option<Offer> {
    let asked = matches!(course.purpose, Purpose::Question | Purpose::Request);
    let recollection = &course.recollection;
    let offered =
        asked && recollection.traces.is_empty() && recollection.feeling.knowing == Knowing::OnceKnown;
    let cue = course.cue.clone().filter(|_| offered)?;
    Some(Offer { cue, private: job.message.private })
}

/// Asks memory once more by the cue before, now among what has faded; what the answer uses is restored by being used.
async fn look_again(
    args: &PlannerArgs,
    job: &Job,
    mut heard: Heard,
    cue: Cue,
    course: &mut Course,
) -> Result<Outcome, ConverseError> {
    heard.stated.clear();
    course.decision = Decision { intent: Intent::Memory, rule: Cow::Borrowed("takes up an offer") };
    course.purpose = Purpose::Question;
    course.depth = cue.k;
    let cue = Cue { scope: CueScope::Faded, at: job.message.at, ..cue };
    ask_memory(args, job, cue, course).await;
    let plan = Box::new(plan(args, job, &heard, course));
    course.heard = Some(heard);
    execute(args, job, plan, course).await
}

async fn listen(args: &PlannerArgs, job: &Job) -> Result<Heard, ConverseError> {
    if job.message.message.len() <= READ_HERE_BYTES {
        return Ok(hear(&job.message.message));
    }
    let message = job.message.message.clone();
    let abandoned = |_| ConverseError::Unavailable("the message could not be read".to_owned());
    offload(&args.offload, move || hear(&message)).await.map_err(abandoned)
}

/// The turn's one embedding of the message.
async fn embed(args: &PlannerArgs, heard: &Heard, course: &mut Course) {
    if !wants_embedding(heard, args.config.depth) {
        return;
    }
    let begun = Instant::now();
    let request = Embed { texts: vec![heard.cue.clone()], urgency: Urgency::Turn };
    match ask(&args.embed, request, EMBED_WAIT).await {
        Ok(embedded) => {
            course.embedding = embedded.vectors.into_iter().next().flatten();
            course.identity = Some(embedded.identity);
        }
        Err(error) => {
            tracing::warn!(%error, "recalling by words alone");
            course.degraded.push(Degraded::WordsOnly);
        }
    }
    course.times.embed_ms = millis(begun);
}

/// The turn's one recall.
async fn recall(args: &PlannerArgs, job: &Job, heard: &Heard, course: &mut Course) {
    let strategy = Strategy::Planned(args.config.depth);
    if let Some(cue) = strategy.cue(heard, &course.decision, course.embedding.clone(), job.message.at) {
        ask_memory(args, job, cue, course).await;
    }
}

async fn ask_memory(args: &PlannerArgs, job: &Job, cue: Cue, course: &mut Course) {
    course.cue = Some(cue.clone());
    let mode = if job.message.private { RecallMode::Observe } else { RecallMode::Learn };
    let begun = Instant::now();
    match ask(&args.memory.recall, Recall { cue, mode }, RECALL_WAIT).await {
        Ok(recollection) => course.recollection = recollection,
        Err(error) => {
            tracing::warn!(%error, "answering without memory");
            course.degraded.push(Degraded::MemoryUnreachable(error.to_string()));
        }
    }
    course.times.recall_ms = millis(begun);
}

/// All that is known, in place of a recall.
async fn survey(args: &PlannerArgs, job: &Job, course: &mut Course) {
    let begun = Instant::now();
    let request = Survey { per_group: args.config.overview_per_group, at: job.message.at };
    match ask(&args.memory.survey, request, RECALL_WAIT).await {
        Ok(overview) => course.overview = Some(overview),
        Err(error) => {
            tracing::warn!(%error, "answering without memory");
            course.degraded.push(Degraded::MemoryUnreachable(error.to_string()));
        }
    }
    course.times.recall_ms = millis(begun);
}

fn plan(args: &PlannerArgs, job: &Job, heard: &Heard, course: &Course) -> Plan {
    Plan {
        turn: job.turn,
        agent: args.space.agent.clone(),
        session: job.message.session,
        at: job.message.at,
        message: heard.text.clone(),
        decision: course.decision.clone(),
        purpose: course.purpose,
        stated: heard.stated.iter().map(|stated| stated.text.clone()).collect(),
        masked: heard.masked.clone(),
        embedding: course.embedding.clone(),
        recollection: course.recollection.clone(),
        overview: course.overview.clone(),
        proposed: course.proposed.clone(),
        forgotten: None,
        private: job.message.private,
        degraded: course.degraded.clone(),
    }
}

/// Has the reply written, passing its words on as they come.
///
/// Words go through a channel of the turn's own: an Executor that is given up on can then say nothing after the
/// turn's last event, and can't keep its stream open.
async fn execute(
    args: &PlannerArgs,
    job: &Job,
    plan: Box<Plan>,
    course: &mut Course,
) -> Result<Outcome, ConverseError> {
    let begun = Instant::now();
    let (words, mut spoken) = mpsc::channel(WORDS_MAX);
    let request = Execute { plan, words, cancel: job.cancel.clone() };
    let asked = ask(&args.execute, request, EXECUTE_WAIT);
    tokio::pin!(asked);
    let outcome = loop {
        tokio::select! {
            biased;
            Some(event) = spoken.recv() => pass_on(job, event).await,
            outcome = &mut asked => break outcome,
        }
    };
    while let Ok(event) = spoken.try_recv() {
        pass_on(job, event).await;
    }
    course.times.execute_ms = millis(begun);
    outcome.map_err(|error| match error {
        ExecuteError::Cancelled => ConverseError::Cancelled,
        error => ConverseError::Execute(error),
    })
}

/// Passes words on; the end of a turn is for the Planner alone to tell. A reader that has gone is noticed elsewhere.
async fn pass_on(job: &Job, event: TurnEvent) {
    if matches!(event, TurnEvent::Text(_) | TurnEvent::Warning(_)) {
        let _ = job.events.send(event).await;
    }
}
