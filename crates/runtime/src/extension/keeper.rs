//! Who restarts an extension, and how it is stopped.

use std::future::Future;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use kameo::actor::{ActorRef, WeakActorRef};
use kameo::error::{ActorStopReason, Infallible};
use kameo::mailbox::{self, MailboxReceiver, Signal};
use kameo::prelude::{Actor, ActorId, Spawn};
use kameo::supervision::{RestartPolicy, SupervisionStrategy};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Extension;
use super::status::{Entry, ExtensionState};
use crate::ports::Ports;

/// Crashes that are forgiven while they come closer together than [`FORGIVING_QUIET`].
const CRASHES_MAX: u32 = 5;
/// Quiet time after which earlier crashes are forgiven; longer than the longest back-off.
const FORGIVING_QUIET: Duration = Duration::from_secs(60);
/// Wait before the first restart, doubled for each further one.
const BACK_OFF: Duration = Duration::from_millis(50);
/// How long the start of the process or of a space waits for an extension to have started.
const START_PATIENCE: Duration = Duration::from_secs(5);

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A running extension. Dropping it stops it without draining.
pub(crate) struct Running {
    entry: Arc<Entry>,
    ports: Option<Ports>,
    /// Set when it is to be stopped.
    over: CancellationToken,
    keeper: Option<ActorRef<Keeper>>,
    finish: Box<dyn Fn() -> Work + Send + Sync>,
}

/// One that could not be built: it rests, and is seen to.
pub(super) fn unlaunched(entry: &Arc<Entry>, reason: &str) -> Running {
    tracing::error!(extension = entry.name(), reason, "extension could not be built");
    entry.crashed(ExtensionState::Resting, reason);
    let nothing = || Box::pin(async {}) as Work;
    Running {
        entry: Arc::clone(entry),
        ports: None,
        over: CancellationToken::new(),
        keeper: None,
        finish: Box::new(nothing),
    }
}

/// Builds an extension under a keeper of its own, so that nobody waits while it backs off.
pub(super) async fn launch<E: Extension>(
    args: E::Args,
    capacity: usize,
    ports: Ports,
    entry: Arc<Entry>,
) -> Running {
    let over = ports.over().clone();
    let keeper = Keeper::spawn(KeeperArgs { entry: Arc::clone(&entry), over: over.clone() });
    let at_build = Arc::clone(&entry);
    let build = move || {
        at_build.built();
        args.clone()
    };
    let actor = E::supervise_with(&keeper, build)
        .restart_policy(RestartPolicy::Transient)
        .restart_limit(CRASHES_MAX, FORGIVING_QUIET)
        .spawn_with_mailbox(mailbox::bounded(capacity))
        .await;
    let counted = actor.downgrade();
    entry.counts(Box::new(move || counted.upgrade().map_or(0, |actor| waiting(&actor))));
    if tokio::time::timeout(START_PATIENCE, actor.wait_for_startup()).await.is_err() {
        tracing::warn!(extension = entry.name(), "extension takes long to start");
    }
    let finish = move || Box::pin(finish(actor.clone())) as Work;
    Running { entry, ports: Some(ports), over, keeper: Some(keeper), finish: Box::new(finish) }
}

fn waiting<A: Actor>(actor: &ActorRef<A>) -> usize {
    let mailbox = actor.mailbox_sender();
    mailbox.max_capacity().zip(mailbox.capacity()).map_or(0, |(most, free)| most - free)
}

/// Lets an extension do what it has accepted, then stops it.
async fn finish<E: Extension>(actor: ActorRef<E>) {
    if !actor.is_alive() {
        return;
    }
    actor.wait_for_startup().await;
    E::drain(&actor).await;
    let _ = actor.stop_gracefully().await;
    actor.wait_for_shutdown().await;
}

/// Drains extensions side by side, within a deadline.
pub(crate) async fn drain_all(extensions: &[Running], deadline: Duration) {
    let until = Instant::now() + deadline;
    // All hear the end of events at once; then each is waited for.
    extensions.iter().for_each(|running| running.over.cancel());
    let mut draining = tokio::task::JoinSet::new();
    for running in extensions {
        let (listening, finish) =
            (running.ports.as_ref().and_then(Ports::take_listening), (running.finish)());
        draining.spawn(async move {
            if let Some(listening) = listening {
                // It ends once what happened has been sent; it cannot fail but by a panic of the runtime.
                let _ = listening.await;
            }
            finish.await;
        });
    }
    let all = async { while draining.join_next().await.is_some() {} };
    if tokio::time::timeout_at(until, all).await.is_err() {
        let names: Vec<&str> = extensions.iter().map(|running| running.entry.name()).collect();
        tracing::warn!(?names, "not all extensions finished within the deadline");
    }
    for running in extensions {
        running.stop().await;
    }
}

impl Running {
    /// Stops it without waiting for what it does.
    pub(crate) async fn stop(&self) {
        self.over.cancel();
        if let Some(keeper) = &self.keeper {
            let _ = keeper.stop_gracefully().await;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.over.cancel();
    }
}

/// Restarts one extension, later each time.
pub(crate) struct Keeper {
    entry: Arc<Entry>,
    over: CancellationToken,
    crashes: u32,
    crashed_at: Option<Instant>,
}

#[derive(Clone)]
pub(crate) struct KeeperArgs {
    entry: Arc<Entry>,
    over: CancellationToken,
}

impl Actor for Keeper {
    type Args = KeeperArgs;
    type Error = Infallible;

    fn supervision_strategy() -> SupervisionStrategy {
        SupervisionStrategy::OneForOne
    }

    async fn on_start(KeeperArgs { entry, over }: KeeperArgs, _: ActorRef<Self>) -> Result<Self, Infallible> {
        Ok(Self { entry, over, crashes: 0, crashed_at: None })
    }

    /// Holds the news of a crash back for a while: the supervisor restarts as soon as it hears of it.
    async fn next(
        &mut self,
        _: WeakActorRef<Self>,
        mailbox: &mut MailboxReceiver<Self>,
    ) -> Result<Option<Signal<Self>>, Infallible> {
        let signal = mailbox.recv().await;
        if let Some(Signal::LinkDied { reason, .. }) = &signal
            && !reason.is_normal()
        {
            self.back_off(reason).await;
        }
        Ok(signal)
    }

    async fn on_link_died(
        &mut self,
        _: WeakActorRef<Self>,
        _: ActorId,
        reason: ActorStopReason,
    ) -> Result<ControlFlow<ActorStopReason>, Infallible> {
        if reason.is_normal() {
            self.entry.ended();
        } else {
            tracing::error!(extension = self.entry.name(), "extension rests after repeated crashes");
            self.entry.crashed(ExtensionState::Resting, &said(&reason));
        }
        Ok(ControlFlow::Continue(()))
    }
}

impl Keeper {
    async fn back_off(&mut self, reason: &ActorStopReason) {
        // What a panic says may quote what was remembered; it is for who asks, not for logs.
        tracing::warn!(extension = self.entry.name(), "extension crashed");
        self.entry.crashed(ExtensionState::Restarting, &said(reason));
        let now = Instant::now();
        let quiet = self.crashed_at.is_none_or(|at| now.duration_since(at) > FORGIVING_QUIET);
        self.crashes = if quiet { 0 } else { self.crashes + 1 };
        self.crashed_at = Some(now);
        let wait = BACK_OFF * (1 << self.crashes.min(CRASHES_MAX));
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            // Nobody waits for it any more but those who want its queue to be handled.
            () = self.over.cancelled() => {}
        }
    }
}

/// Why it stopped, in the words of its own error.
fn said(reason: &ActorStopReason) -> String {
    match reason {
        ActorStopReason::Panicked(error) => {
            error.with_str(str::to_owned).unwrap_or_else(|| format!("{error:?}"))
        }
        other => other.to_string(),
    }
}
