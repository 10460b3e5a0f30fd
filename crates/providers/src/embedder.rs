//! The Embedder: one queue before the model, so that one inference runs at a time and a person waits for nobody else's
//! work.

mod queue;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use bethink_domain::{UnitVector, VectorFault};
use bethink_protocol::{Drain, Embed, EmbedError, Embedded, Offload, TakeVitals, Urgency, Vitals, offload};
use kameo::prelude::*;
use kameo::reply::{DelegatedReply, ReplySender};
use tracing::warn;

use crate::embedding::{Effort, EmbeddingModel};
use queue::{Batch, Finished, Queue};

/// Texts that one request may hold: what the protocol promises.
const REQUEST_TEXTS_MAX: usize = 256;

/// What an asker gets.
type Answer = Result<Embedded, EmbedError>;
/// Where it goes; none when the request was told and nobody waits.
type Asker = Option<ReplySender<Answer>>;

/// What it takes to build an embedder, and to build it again after a crash.
#[derive(Clone)]
pub struct EmbedderArgs {
    /// The model.
    pub model: Arc<dyn EmbeddingModel>,
    /// Where inference runs, off the actor's thread.
    pub offload: Arc<dyn Offload>,
}

/// Answers [`Embed`]: the most urgent first, in the order of asking among equals, in batches small enough that a
/// turn waits for at most one of them. A fault of one text costs that text its vector; a failed run costs the
/// requests in it.
pub struct Embedder {
    args: EmbedderArgs,
    queue: Queue<Asker>,
    /// A batch is with the model.
    running: bool,
    /// Who waits for the queue to be empty. Nothing more is taken once somebody does.
    draining: Vec<Option<ReplySender<()>>>,
}

impl Actor for Embedder {
    type Args = EmbedderArgs;
    type Error = kameo::error::Infallible;

    async fn on_start(args: EmbedderArgs, _: ActorRef<Self>) -> Result<Self, Self::Error> {
        Ok(Self { args, queue: Queue::default(), running: false, draining: Vec::new() })
    }
}

impl Message<Embed> for Embedder {
    type Reply = DelegatedReply<Answer>;

    async fn handle(&mut self, embed: Embed, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let given = embed.texts.len();
        if given > REQUEST_TEXTS_MAX {
            return ctx.reply(Err(EmbedError::TooMany { given, limit: REQUEST_TEXTS_MAX }));
        }
        if !self.draining.is_empty() {
            return ctx.reply(Err(EmbedError::Unavailable));
        }
        if given == 0 {
            return ctx.reply(Ok(Embedded { vectors: Vec::new(), identity: self.args.model.identity() }));
        }
        if !self.queue.has_room(&embed) {
            return ctx.reply(Err(EmbedError::Busy));
        }
        let (delegated, asker) = ctx.reply_sender();
        self.queue.push(embed, asker);
        self.run_next(ctx);
        delegated
    }
}

impl Message<TakeVitals> for Embedder {
    type Reply = Vitals;

    async fn handle(&mut self, _: TakeVitals, _: &mut Context<Self, Vitals>) -> Vitals {
        Vitals { waiting: self.queue.len(), in_flight: usize::from(self.running), doing: None }
    }
}

/// A batch came back from the model.
struct Ran {
    batch: Batch<Asker>,
    outcome: Result<Vec<Option<UnitVector>>, EmbedError>,
}

impl Message<Ran> for Embedder {
    type Reply = ();

    async fn handle(&mut self, ran: Ran, ctx: &mut Context<Self, ()>) {
        self.running = false;
        for Finished { asker, outcome } in self.queue.finish(ran.batch, ran.outcome) {
            let identity = self.args.model.identity();
            if let Some(asker) = asker {
                asker.send(outcome.map(|vectors| Embedded { vectors, identity }));
            }
        }
        self.run_next(ctx);
        if !self.running {
            self.draining.drain(..).flatten().for_each(|waiting| waiting.send(()));
        }
    }
}

impl Message<Drain> for Embedder {
    type Reply = DelegatedReply<()>;

    async fn handle(&mut self, _: Drain, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let (delegated, waiting) = ctx.reply_sender();
        self.draining.push(waiting);
        if !self.running {
            self.draining.drain(..).flatten().for_each(|waiting| waiting.send(()));
        }
        delegated
    }
}

impl Embedder {
    /// Gives the model its next batch unless it has one.
    fn run_next<R: Reply>(&mut self, ctx: &Context<Self, R>) {
        if self.running {
            return;
        }
        let Some((batch, texts)) = self.queue.next_batch() else { return };
        self.running = true;
        let effort = effort(batch.urgency);
        let EmbedderArgs { model, offload: port } = self.args.clone();
        ctx.pipe(async move {
            let outcome = offload(&port, move || run(&*model, &texts, effort)).await;
            let outcome = outcome.unwrap_or_else(|error| Err(EmbedError::Failed(error.to_string())));
            Ran { batch, outcome }
        });
    }
}

/// Imports and migrations may take a second core; a turn leaves it to the rest of the turn.
fn effort(urgency: Urgency) -> Effort {
    match urgency {
        Urgency::Turn | Urgency::Reminder => Effort::Modest,
        Urgency::Import | Urgency::Migration => Effort::Full,
    }
}

fn run(
    model: &dyn EmbeddingModel,
    texts: &[String],
    effort: Effort,
) -> Result<Vec<Option<UnitVector>>, EmbedError> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = model.embed(&texts, effort).map_err(|error| EmbedError::Failed(error.to_string()))?;
    if vectors.len() != texts.len() {
        let message = format!("{} vectors for {} texts", vectors.len(), texts.len());
        return Err(EmbedError::Failed(message));
    }
    let dimensions = usize::from(model.identity().dimensions);
    // An embedder that makes no vectors has nothing to warn of.
    let missed = |fault: &VectorFault| {
        if dimensions > 0 {
            warn!(%fault, "text without a vector");
        }
    };
    let usable = vectors.into_iter().map(|vector| {
        let vector = vector.inspect_err(missed).ok()?;
        let fits = vector.as_slice().len() == dimensions;
        if !fits {
            warn!(found = vector.as_slice().len(), dimensions, "vector of another size dropped");
        }
        fits.then_some(vector)
    });
    Ok(usable.collect())
}
