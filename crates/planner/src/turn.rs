//! One turn, from the message to the last event. Each step is a function.

mod commit;
mod course;

use std::sync::Arc;

use bethink_domain::{Outcome, Plan, RecallMode, SessionId, TraceId, TurnEnd, TurnId};
use bethink_protocol::{
    Converse, ConverseError, Embed, Execute, ExecuteError, Recall, Survey, TurnEvent, Urgency, offload,
};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::actor::PlannerArgs;
use crate::cue::{Strategy, depth, wants_embedding};
use crate::heard::{Heard, Need, hear};
use crate::intent::decide;
use crate::ports::{EMBED_WAIT, EXECUTE_WAIT, RECALL_WAIT, ask};
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
    /// What the reply before used: a correction takes it back, praise confirms it.
    pub(crate) blamed: Vec<TraceId>,
}

/// What the Planner keeps of a turn that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) session: SessionId,
    /// What the reply used; none when there was no reply, so that the one before stays the last.
    pub(crate) used: Option<Vec<TraceId>>,
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
            let durable = commit::complete(&args, &job, course, outcome).await;
            // A private turn is not spoken of afterwards: blame for it would be written.
            let noted = if job.message.private { Vec::new() } else { used.clone() };
            (Ended { session, used: Some(noted) }, TurnEvent::Done { durable, used })
        }
        Err(error) => {
            // Whoever works for this turn still stops.
            job.cancel.cancel();
            let end = match &error {
                ConverseError::Cancelled => TurnEnd::Cancelled,
                error => TurnEnd::Failed(error.to_string()),
            };
            commit::record_failure(&args, &job, course, end).await;
            (Ended { session, used: None }, TurnEvent::Failed { error })
        }
    }
}

/// Reads, decides, recalls and has the reply written, noting in `course` how far it came.
async fn answer(args: &PlannerArgs, job: &Job, course: &mut Course) -> Result<Outcome, ConverseError> {
    let mut heard = listen(args, job).await?;
    if !args.config.remembers && heard.need != Need::Nothing {
        heard.need = Need::Nothing;
        course.degraded.push("I could not look into my memory: it is switched off".to_owned());
    }
    embed(args, &heard, course).await;
    let prototypes = match (&heard.ruled, &course.identity) {
        (None, Some(identity)) => args.prototypes.of(identity, &args.embed).await,
        _ => None,
    };
    course.decision = decide(&heard, prototypes, course.embedding.as_ref());
    course.purpose = heard.purpose;
    course.depth = depth(&heard, &course.decision, args.config.depth);
    if heard.also_intends {
        course.degraded.push("I can't remind you yet, so no reminder was set".to_owned());
    }
    match heard.need {
        Need::Recollection => recall(args, job, &heard, course).await,
        Need::Overview => survey(args, job, course).await,
        Need::Nothing => {}
    }
    let plan = Box::new(plan(job, &heard, course));
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
            course.degraded.push(format!("I looked by words alone, because {error}"));
        }
    }
    course.times.embed_ms = millis(begun);
}

/// The turn's one recall.
async fn recall(args: &PlannerArgs, job: &Job, heard: &Heard, course: &mut Course) {
    let strategy = Strategy::Planned(args.config.depth);
    let Some(cue) = strategy.cue(heard, &course.decision, course.embedding.clone(), job.message.at) else {
        return;
    };
    let mode = if job.message.private { RecallMode::Observe } else { RecallMode::Learn };
    let begun = Instant::now();
    match ask(&args.memory.recall, Recall { cue, mode }, RECALL_WAIT).await {
        Ok(recollection) => course.recollection = recollection,
        Err(error) => {
            tracing::warn!(%error, "answering without memory");
            course.degraded.push(format!("I could not look into my memory: {error}"));
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
            course.degraded.push(format!("I could not look into my memory: {error}"));
        }
    }
    course.times.recall_ms = millis(begun);
}

fn plan(job: &Job, heard: &Heard, course: &Course) -> Plan {
    Plan {
        turn: job.turn,
        session: job.message.session,
        at: job.message.at,
        message: heard.text.clone(),
        decision: course.decision.clone(),
        purpose: heard.purpose,
        stated: heard.stated.iter().map(|stated| stated.text.clone()).collect(),
        masked: heard.masked.clone(),
        embedding: course.embedding.clone(),
        recollection: course.recollection.clone(),
        overview: course.overview.clone(),
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
    if matches!(event, TurnEvent::Text(_)) {
        let _ = job.events.send(event).await;
    }
}
