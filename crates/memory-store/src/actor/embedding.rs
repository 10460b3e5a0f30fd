//! Vectors for what is stored: asked for before the commit, and again later where none came.

use std::collections::HashMap;
use std::time::Duration;

use bethink_domain::{EmbedderIdentity, Span, Timestamp, TraceId, UnitVector};
use bethink_protocol::{Embed, EmbedPort, Urgency};
use kameo::actor::ActorRef;
use kameo::message::{Context, Message};

use super::{MemoryStore, Pending};
use crate::apply::Command;
use crate::snapshot::{Place, Snapshot};

/// Texts of one request, as many as the Embedder takes.
const TEXTS_MAX: usize = 256;
/// Texts of one later attempt: a turn that comes meanwhile does not wait long behind it.
const RETRY_TEXTS_MAX: usize = 32;
/// Attempts at one text before it is left without a vector until the next waking.
const ATTEMPTS_MAX: u8 = 5;
/// Wait after the first failed attempt; it doubles up to the longest.
const RETRY_FIRST: Span = Span::from_seconds(30);
/// Longest wait between attempts.
const RETRY_LONGEST: Span = Span::from_seconds(3_600);

/// Commands that wait for vectors.
#[derive(Default)]
pub(super) struct EmbedLane {
    waiting: Vec<Pending>,
    in_flight: usize,
}

impl EmbedLane {
    /// Commands in the lane.
    pub(super) fn len(&self) -> usize {
        self.waiting.len() + self.in_flight
    }
}

/// When vectors that did not come are asked for again.
#[derive(Default)]
pub(super) struct Retry {
    in_flight: bool,
    failures: u32,
    not_before: Option<Timestamp>,
    attempts: HashMap<TraceId, u8>,
}

/// Longest wait for the meaning of a cue, while a person waits for the answer; then it goes by words alone.
const CUE_PATIENCE: Duration = Duration::from_secs(5);

/// Commands got the vectors that could be made.
struct Prepared {
    ready: Vec<Pending>,
}

/// A later attempt ended.
struct Retried {
    /// Whose vectors they are.
    generation: u16,
    /// Which texts, by id and key, and what came; nothing when the Embedder failed.
    asked: Vec<(TraceId, u64)>,
    vectors: Option<Vec<Option<UnitVector>>>,
}

impl MemoryStore {
    /// Lines a command up for its vectors.
    pub(super) fn embed_first(&mut self, pending: Pending, me: &ActorRef<Self>) {
        self.embedding.waiting.push(pending);
        self.start_embedding(me);
    }

    fn start_embedding(&mut self, me: &ActorRef<Self>) {
        if self.embedding.in_flight > 0 || self.embedding.waiting.is_empty() {
            return;
        }
        let mut texts = 0;
        let fits = |pending: &&Pending| {
            texts += pending.command.texts().count();
            texts <= TEXTS_MAX
        };
        let count = self.embedding.waiting.iter().take_while(fits).count().max(1);
        let mut batch: Vec<Pending> = self.embedding.waiting.drain(..count).collect();
        self.embedding.in_flight = batch.len();
        let (ask, me) = (self.ask(Urgency::Import), me.clone());
        tokio::spawn(async move {
            // Masked before anything leaves the process.
            batch.iter_mut().for_each(|pending| pending.command.mask());
            let texts: Vec<String> = batch.iter().flat_map(|pending| pending.command.to_embed()).collect();
            let mut vectors = match ask.vectors(texts).await {
                Some(vectors) => vectors.into_iter(),
                None => Vec::new().into_iter(),
            };
            for pending in &mut batch {
                pending.command.take_vectors(&mut vectors);
            }
            let _ = me.tell(Prepared { ready: batch }).send().await;
        });
    }

    /// Asks for vectors of traces that have none, unless it is too early for that.
    pub(super) fn retry_embedding(&mut self, me: &ActorRef<Self>) {
        let early = self.retry.not_before.is_some_and(|at| self.seen_at < at);
        // Nobody else asks for these vectors, so what cannot be stored is not made.
        let useless = self.args.slot.embedder().is_none() || !self.args.slot.writable();
        if self.retry.in_flight || early || self.draining.is_some() || useless {
            return;
        }
        let snapshot = self.published.load_full();
        let generation = snapshot.embedder().map_or(1, |embedder| embedder.generation);
        let ask =
            if snapshot.foreign { self.former_ask(Urgency::Import) } else { Some(self.ask(Urgency::Import)) };
        let Some(ask) = ask else { return };
        let waiting = unembedded(&snapshot, &self.retry.attempts);
        if waiting.is_empty() {
            return;
        }
        self.retry.in_flight = true;
        let asked: Vec<(TraceId, u64)> =
            waiting.iter().map(|p| (snapshot.id(*p), snapshot.block(*p).key(p.row))).collect();
        let texts: Vec<String> = waiting
            .iter()
            .map(|place| {
                let body = snapshot.body(*place);
                named(body.speaker.as_deref(), &body.text)
            })
            .collect();
        let me = me.clone();
        tokio::spawn(async move {
            let vectors = ask.vectors(texts).await;
            let _ = me.tell(Retried { generation, asked, vectors }).send().await;
        });
    }

    /// How the configured embedder is asked.
    pub(super) fn ask(&self, urgency: Urgency) -> Ask {
        Ask {
            port: self.args.embed.clone(),
            identity: self.args.slot.embedder().cloned(),
            urgency,
            patience: Duration::from_millis(self.rules.config.embed_timeout_ms),
        }
    }

    /// How the embedder is asked whose vectors the file holds, where that is another one and can be had.
    pub(super) fn former_ask(&self, urgency: Urgency) -> Option<Ask> {
        let identity = self.published.load().embedder().map(|embedder| embedder.identity.clone());
        let port = self.args.former.clone()?;
        Some(Ask { port, identity, ..self.ask(urgency) })
    }
}

/// How vectors are asked for.
pub(super) struct Ask {
    port: EmbedPort,
    identity: Option<EmbedderIdentity>,
    urgency: Urgency,
    patience: Duration,
}

impl Ask {
    /// The meaning of a cue, if it comes soon.
    pub(super) async fn meaning(self, cue: &str) -> Option<UnitVector> {
        let patience = self.patience.min(CUE_PATIENCE);
        Self { patience, ..self }.vectors(vec![cue.to_owned()]).await?.pop().flatten()
    }

    /// A vector for each text where one could be made; none at all when the Embedder failed, was too slow, or is
    /// another than the one that is meant.
    pub(super) async fn vectors(self, texts: Vec<String>) -> Option<Vec<Option<UnitVector>>> {
        let count = texts.len();
        let mut vectors = Vec::with_capacity(count);
        for chunk in texts.chunks(TEXTS_MAX) {
            let asked = self.port.ask(Embed { texts: chunk.to_vec(), urgency: self.urgency }).send();
            match tokio::time::timeout(self.patience, asked).await {
                Ok(Ok(embedded)) if Some(&embedded.identity) == self.identity.as_ref() => {
                    vectors.extend(embedded.vectors);
                }
                Ok(Ok(embedded)) => {
                    tracing::warn!(model = %embedded.identity.model, "vectors of another embedder are not stored");
                    return None;
                }
                Ok(Err(error)) => {
                    tracing::warn!(%error, "no vectors for what is stored");
                    return None;
                }
                Err(_) => {
                    tracing::warn!("no vectors in time for what is stored");
                    return None;
                }
            }
        }
        (vectors.len() == count).then_some(vectors)
    }
}

/// The newest traces without a vector that are worth another attempt.
fn unembedded(snapshot: &Snapshot, attempts: &HashMap<TraceId, u8>) -> Vec<Place> {
    if snapshot.unembedded() == 0 {
        return Vec::new();
    }
    let waits = |place: &Place| {
        let given_up = attempts.get(&snapshot.id(*place)).is_some_and(|n| *n >= ATTEMPTS_MAX);
        !snapshot.block(*place).embedded(place.row) && !given_up
    };
    snapshot.places().rev().filter(waits).take(RETRY_TEXTS_MAX).collect()
}

/// The text that is embedded: it names its speaker where that is not the user.
pub(crate) fn named(speaker: Option<&str>, text: &str) -> String {
    speaker.map_or_else(|| text.to_owned(), |speaker| format!("{speaker}: {text}"))
}

impl Message<Prepared> for MemoryStore {
    type Reply = ();

    async fn handle(&mut self, prepared: Prepared, ctx: &mut Context<Self, ()>) {
        self.embedding.in_flight = 0;
        self.queue.extend(prepared.ready);
        self.start_embedding(ctx.actor_ref());
        self.go_on(ctx.actor_ref());
    }
}

impl Message<Retried> for MemoryStore {
    type Reply = ();

    async fn handle(&mut self, retried: Retried, ctx: &mut Context<Self, ()>) {
        self.retry.in_flight = false;
        let Some(vectors) = retried.vectors else {
            let doubled = RETRY_FIRST.as_millis().saturating_mul(1 << self.retry.failures.min(10));
            let wait = Span::from_millis(doubled.min(RETRY_LONGEST.as_millis()));
            self.retry.failures += 1;
            self.retry.not_before = Some(self.seen_at + wait);
            return;
        };
        self.retry.failures = 0;
        self.retry.not_before = None;
        let mut made = Vec::new();
        for ((id, key), vector) in retried.asked.into_iter().zip(vectors) {
            match vector {
                Some(vector) => made.push((id, key, vector)),
                None => *self.retry.attempts.entry(id).or_default() += 1,
            }
        }
        if made.is_empty() {
            return self.retry_embedding(ctx.actor_ref());
        }
        // Nobody waits for it: if the commit fails, the vectors are asked for again.
        let (at, generation) = (self.seen_at, retried.generation);
        let command = Command::Embed { at, generation, vectors: made };
        self.queue.push_back(Pending { command, reply: Box::new(|_| ()) });
        self.start_commit(ctx.actor_ref());
    }
}
