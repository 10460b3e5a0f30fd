//! The Executor actor: holds what is in mind and hands each turn to a task.

#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bethink_domain::{Outcome, Personality, SessionId, SpaceId, Span, Timestamp};
use bethink_protocol::{
    Drain, EmbedPort, Execute, ExecuteError, LetGo, RecallPort, ReminderError, Schedule, Scheduled,
    TakeVitals, Tool, Vitals,
};
use bethink_providers::{LanguageModel, Prompt, Role};
use jiff::tz::TimeZone;
use kameo::actor::{Actor, ActorRef, ReplyRecipient, WeakActorRef};
use kameo::error::{ActorStopReason, PanicError};
use kameo::message::{Context, Message};
use kameo::reply::DelegatedReply;
use tokio_util::task::TaskTracker;

use crate::config::ExecutorConfig;
use crate::prompt::{Desk, InMind, assemble};
use crate::tools::{Calling, Habits, Toolbox};
use crate::turn::{Call, perform, report};
use crate::working_memory::{Exchanged, WorkingMemory};

/// What it takes to build an Executor, and to build it again after a crash.
#[derive(Clone)]
pub struct ExecutorArgs {
    /// For whom it answers.
    pub space: SpaceId,
    /// What answers.
    pub model: Arc<dyn LanguageModel>,
    /// Gives meanings to what a model asks memory by.
    pub embed: EmbedPort,
    /// Where a model's calls of memory go; they only look.
    pub recall: RecallPort,
    /// Where a model's wishes for reminders go.
    pub schedule: ReplyRecipient<Schedule, Scheduled, ReminderError>,
    /// Tools that the model may call beside the built-in ones.
    pub tools: Vec<Arc<dyn Tool>>,
    /// Names of the tools that this agent may call; every tool if none are named.
    pub allowed: Option<Vec<String>>,
    /// How it speaks, and how much it has in mind.
    pub personality: Personality,
    /// What this agent is told about itself, in place of the configured words.
    pub instructions: Option<String>,
    /// The user's zone, in which dates are said.
    pub zone: TimeZone,
    /// Numbers and words; checked.
    pub config: ExecutorConfig,
}

/// Produces replies. Its mailbox is free while a model works.
pub struct Executor {
    args: ExecutorArgs,
    toolbox: Arc<Toolbox>,
    mind: WorkingMemory,
    turns: TaskTracker,
    /// The user was told that the model lost part of a prompt.
    warned: Arc<AtomicBool>,
    draining: bool,
}

/// A turn was answered.
struct Absorb {
    session: SessionId,
    at: Timestamp,
    exchange: Exchanged,
}

/// What a model reads beside memories and what the user says.
fn read(prompt: &Prompt) -> Vec<String> {
    let replies = prompt.conversation.iter().filter(|line| line.role == Role::Agent);
    std::iter::once(&prompt.instructions).chain(replies.map(|line| &line.text)).cloned().collect()
}

impl ExecutorArgs {
    fn instructions(&self) -> &str {
        self.instructions.as_deref().unwrap_or(&self.config.instructions)
    }
}

impl Actor for Executor {
    type Args = ExecutorArgs;
    type Error = Infallible;

    async fn on_start(args: ExecutorArgs, _: ActorRef<Self>) -> Result<Self, Infallible> {
        let idle = Span::from_seconds(i64::from(args.config.session_idle_minutes) * 60);
        let mind = WorkingMemory::new(&args.personality, args.config.sessions_max, idle);
        let toolbox = Arc::new(Toolbox::new(&args));
        Ok(Self { args, toolbox, mind, turns: TaskTracker::new(), warned: Arc::default(), draining: false })
    }

    async fn on_panic(
        &mut self,
        _: WeakActorRef<Self>,
        error: PanicError,
    ) -> Result<ControlFlow<ActorStopReason>, Infallible> {
        // An error that nobody waited for is no reason to lose what is in mind.
        if error.is_panic() {
            Ok(ControlFlow::Break(ActorStopReason::Panicked(error)))
        } else {
            Ok(ControlFlow::Continue(()))
        }
    }
}

impl Message<Execute> for Executor {
    type Reply = DelegatedReply<Result<Outcome, ExecuteError>>;

    async fn handle(&mut self, execute: Execute, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        if self.draining {
            return ctx.spawn(async { Err(ExecuteError::Unavailable) });
        }
        let plan = Arc::new(*execute.plan);
        let mind = InMind {
            conversation: self.mind.conversation(plan.session, plan.at, plan.private),
            traces: self.mind.traces(plan.session),
        };
        let identity = self.args.model.identity();
        let offered = if identity.tools { self.toolbox.offered(&plan) } else { Vec::new() };
        let in_mind = mind.traces.clone();
        let desk = Desk {
            config: &self.args.config,
            instructions: self.args.instructions(),
            personality: &self.args.personality,
            zone: &self.args.zone,
            context_tokens: identity.context_tokens,
            tools: &offered,
        };
        let assembled = assemble(Arc::clone(&plan), mind, &desk);
        let habits = Habits { zone: self.args.zone.clone(), in_mind, read: read(&assembled.prompt) };
        let calling =
            Calling::new(Arc::clone(&self.toolbox), Arc::clone(&plan), habits, assembled.steps_budget);
        let call = Call {
            model: Arc::clone(&self.args.model),
            words: execute.words,
            cancel: execute.cancel,
            deadline: Duration::from_secs(self.args.config.deadline_seconds),
            warned: Arc::clone(&self.warned),
        };
        let (executor, in_flight) = (ctx.actor_ref().clone(), self.turns.token());
        ctx.spawn(async move {
            let _in_flight = in_flight;
            let outcome = match &plan.forgotten {
                Some(forgotten) => report(&call.words, assembled, forgotten).await?,
                None => perform(call, assembled, calling).await?,
            };
            let exchange = Exchanged {
                turn: plan.turn,
                message: plan.message.clone(),
                reply: outcome.reply.clone(),
                shown: outcome.shown.clone(),
                private: plan.private,
            };
            let absorb = Absorb { session: plan.session, at: plan.at, exchange };
            // Before the reply, so that the session's next turn finds it; an executor that is gone has no mind left.
            let _ = executor.tell(absorb).await;
            Ok(outcome)
        })
    }
}

impl Message<Absorb> for Executor {
    type Reply = ();

    async fn handle(&mut self, absorb: Absorb, _: &mut Context<Self, ()>) {
        self.mind.absorb(absorb.session, absorb.at, absorb.exchange);
    }
}

impl Message<LetGo> for Executor {
    type Reply = ();

    async fn handle(&mut self, forgotten: LetGo, _: &mut Context<Self, ()>) {
        self.mind.let_go(&forgotten.traces, &forgotten.turns);
    }
}

impl Message<TakeVitals> for Executor {
    type Reply = Vitals;

    async fn handle(&mut self, _: TakeVitals, _: &mut Context<Self, Vitals>) -> Vitals {
        Vitals { in_flight: self.turns.len(), ..Vitals::default() }
    }
}

impl Message<Drain> for Executor {
    type Reply = DelegatedReply<()>;

    async fn handle(&mut self, _: Drain, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        self.draining = true;
        self.turns.close();
        let turns = self.turns.clone();
        ctx.spawn(async move { turns.wait().await })
    }
}
