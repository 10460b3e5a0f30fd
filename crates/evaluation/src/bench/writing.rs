//! Durable statements and turns, and what they have written.

use std::sync::Arc;
use std::time::Duration;

use bethink_domain::{SessionId, Span};
use bethink_protocol::{Durable, MemoryPorts, TurnEvent};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::against::Other;
use super::figures::{RememberFigures, TurnFigures};
use super::machine::{Appender, written};
use super::made::{Maker, asked};
use super::spaces::{NOW, owner, statement};
use crate::error::EvaluationError;
use crate::progress::{Meter, Watch};
use crate::score::Times;
use crate::stage::{Stage, ask};

/// Statements of one client, each in turn with a plain append.
const ONE: usize = 300;
/// Statements whose written bytes are counted, without appends between them.
const COUNTED: usize = 100;
/// Clients at once.
pub(super) const CLIENTS: usize = 64;
/// Statements of each.
pub(super) const EACH: usize = 50;
/// Statements in turn with those of others.
const TURN: usize = 50;
/// Turns.
const TURNS: usize = 120;

/// Who stores statements with their vectors, and which comes next.
pub(super) struct Client<'c> {
    memory: &'c MemoryPorts,
    maker: &'c Arc<Maker>,
    next: u64,
}

impl<'c> Client<'c> {
    /// Statements are numbered from `first`.
    pub(super) fn new(memory: &'c MemoryPorts, maker: &'c Arc<Maker>, first: u64) -> Self {
        Self { memory, maker, next: first }
    }

    async fn one(&mut self) -> Result<Duration, EvaluationError> {
        let remember = statement(self.maker, self.next, NOW);
        self.next += 1;
        let begun = Instant::now();
        ask(&self.memory.remember, remember, "memory").await?;
        Ok(begun.elapsed())
    }

    /// One client in turn with plain appends, then many.
    pub(super) async fn remember(
        mut self,
        stage: &Stage,
        others: &mut [Other],
        watch: Watch<'_>,
    ) -> Result<RememberFigures, EvaluationError> {
        let mut appender = Appender::new(&stage.path())?;
        let mut meter = Meter::start("storing", ONE);
        let (mut one, mut appends) = (Vec::new(), Vec::new());
        for done in 1..=ONE {
            one.push(self.one().await?);
            appends.push(appender.append()?);
            if done % TURN == 0 {
                for other in &mut *others {
                    other.write(1, TURN).await?;
                }
            }
            meter.reached(done, watch);
        }
        drop(appender);

        let before = written();
        for _ in 0..COUNTED {
            self.one().await?;
        }
        let bytes_per_statement = spent(before, COUNTED);

        let (before, begun) = (written(), Instant::now());
        many(self.memory, self.next, self.maker).await?;
        let statements_per_second = (CLIENTS * EACH) as f64 / begun.elapsed().as_secs_f64();
        let shared_bytes_per_statement = spent(before, CLIENTS * EACH);
        for other in &mut *others {
            other.write(CLIENTS, EACH).await?;
        }
        let (idle_hour_bytes, sleep_bytes) = idle_hour(stage).await?;
        Ok(RememberFigures {
            one: Times::of(one),
            append: Times::of(appends),
            clients: CLIENTS,
            statements_per_second,
            bytes_per_statement,
            shared_bytes_per_statement,
            idle_hour_bytes,
            sleep_bytes,
        })
    }
}

fn spent(before: Option<u64>, things: usize) -> Option<f64> {
    Some(written()?.saturating_sub(before?) as f64 / things as f64)
}

/// Clients that each store one statement after the other.
async fn many(memory: &MemoryPorts, first: u64, maker: &Arc<Maker>) -> Result<(), EvaluationError> {
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS as u64 {
        let (memory, maker) = (memory.clone(), Arc::clone(maker));
        clients.spawn(async move {
            for n in 0..EACH as u64 {
                let remember = statement(&maker, first + client * EACH as u64 + n, NOW);
                ask(&memory.remember, remember, "memory").await?;
            }
            Ok::<(), EvaluationError>(())
        });
    }
    while let Some(done) = clients.join_next().await {
        done.map_err(|_| EvaluationError::NoAnswer("a client"))??;
    }
    Ok(())
}

/// Bytes written while an hour passes in which nobody says anything, once what was begun has ended: half of it awake, half
/// asleep; and those that falling asleep in between took.
async fn idle_hour(stage: &Stage) -> Result<(Option<u64>, Option<u64>), EvaluationError> {
    stage.quiet().await;
    let begun = written();
    pass_half_an_hour(stage).await;
    let tired = written();
    stage.rest().await;
    stage.asleep().await?;
    let asleep = written();
    pass_half_an_hour(stage).await;
    let difference = |to: Option<u64>, from: Option<u64>| Some(to?.saturating_sub(from?));
    let (awake, sleeping) = (difference(tired, begun), difference(written(), asleep));
    Ok((awake.zip(sleeping).map(|(awake, sleeping)| awake + sleeping), difference(asleep, tired)))
}

/// A little less than that, so that a space that is awake stays awake.
async fn pass_half_an_hour(stage: &Stage) {
    for _ in 0..59 {
        stage.clock.advance(Span::from_seconds(30));
        stage.tick().await;
    }
    stage.quiet().await;
}

/// Whole turns: a statement, then a question about something that is there.
pub(super) async fn turns(
    stage: &Stage,
    traces: usize,
    maker: &Maker,
    watch: Watch<'_>,
) -> Result<TurnFigures, EvaluationError> {
    let space = owner();
    let session = SessionId::from_raw(1);
    for message in ["hello", "What did I tell you?"] {
        stage.hear_out(&space, session, message).await;
    }
    let mut meter = Meter::start("turns", TURNS);
    let (before, mut times) = (written(), Vec::new());
    for turn in 0..TURNS {
        let message = match turn % 2 {
            0 => maker.statement(traces as u64 + 2_000_000_000 + turn as u64),
            _ => maker.question(asked(turn, traces)),
        };
        let said = stage.hear_out(&space, session, &message).await;
        let said = said.ok_or(EvaluationError::NoAnswer("the planner"))?;
        let durable = matches!(said.last, Some(TurnEvent::Done { durable: Durable::Yes { .. }, .. }));
        if !durable {
            return Err(EvaluationError::NoAnswer("a turn that was to be remembered"));
        }
        times.push(said.begun.elapsed());
        stage.clock.advance(Span::from_seconds(20));
        meter.reached(turn + 1, watch);
    }
    Ok(TurnFigures { times: Times::of(times), bytes_per_turn: spent(before, TURNS) })
}
