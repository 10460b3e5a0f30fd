//! Messages that look at memory.

use std::sync::Arc;

use bethink_domain::{
    DeliveryId, Exchange, Overview, RecallId, RecallMode, Recollection, Timestamp, TraceId, TraceView,
    TurnRecord,
};
use bethink_protocol::{
    LeaseReminders, ListTraces, Measure, MemoryError, Offload, Page, Recall, ShowTrace, ShowTurn,
    StoreFigures, Survey, TurnRef, Urgency, offload,
};
use kameo::actor::ActorRef;
use kameo::error::SendError;
use kameo::message::{Context, Message};
use kameo::reply::DelegatedReply;

use super::MemoryStore;
use crate::apply::Command;
use crate::file::read;
use crate::recall::{ROWS_ON_TASK_MAX, RecallSettings, recall};
use crate::snapshot::Snapshot;
use crate::view;

type Delegated<T> = DelegatedReply<Result<T, MemoryError>>;

/// A recall that may be credited was answered.
struct Noted {
    recall: RecallId,
    at: Timestamp,
    shown: Vec<TraceId>,
}

impl MemoryStore {
    fn next_recall(&mut self, at: Timestamp) -> RecallId {
        let chance = self.rules.entropy.draw(&self.rules.space, "recall id", self.last_recall, 0);
        let id = RecallId::compose(at, chance, self.last_recall);
        self.last_recall = id.raw();
        id
    }

    pub(super) fn look<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Snapshot) -> T + Send + 'static,
    ) -> impl Future<Output = Result<T, MemoryError>> + Send + 'static {
        let (snapshot, port) = (self.published.load_full(), Arc::clone(&self.args.scan));
        off(port, move || work(&snapshot))
    }
}

async fn off<T: Send + 'static>(
    port: Arc<dyn Offload>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, MemoryError> {
    let abandoned = || MemoryError::Unavailable("the work was abandoned".to_owned());
    offload(&port, work).await.map_err(|_| abandoned())
}

impl Message<Recall> for MemoryStore {
    type Reply = Delegated<Recollection>;

    async fn handle(&mut self, request: Recall, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let at = request.cue.at;
        let id = (request.mode == RecallMode::Learn).then(|| self.next_recall(at));
        let snapshot = self.published.load_full();
        let (senses, port, me) =
            (self.args.senses.clone(), Arc::clone(&self.args.scan), ctx.actor_ref().clone());
        let threshold = self.rules.config.relevance_threshold;
        let (relevance, prospective) = (self.args.config.relevance, self.args.config.prospective);
        let former = snapshot.foreign.then(|| self.former_ask(Urgency::Turn));
        ctx.spawn(async move {
            let mut request = request;
            if let Some(former) = former {
                // The cue's meaning is the configured embedder's, and must not meet another's vectors.
                request.cue.embedding = match former {
                    Some(ask) => ask.meaning(&request.cue.text).await,
                    None => None,
                };
            }
            let long = snapshot.len() > ROWS_ON_TASK_MAX;
            let work = move || {
                recall(
                    &snapshot,
                    &request.cue,
                    RecallSettings { threshold, relevance, senses: senses.as_deref(), prospective },
                )
            };
            let mut recollection = if long { off(port, work).await? } else { work() };
            if let Some(recall) = id {
                recollection.recall = Some(recall);
                let shown = recollection.traces.iter().map(|trace| trace.id).collect();
                // Told before the answer, so that a credit that follows it finds the recall.
                let _ = me.tell(Noted { recall, at, shown }).send().await;
                if !recollection.reminders.is_empty() {
                    // Durable before it is shown: after a crash, what was shown is known to have been.
                    let shown = recollection.reminders.clone();
                    let lent = LeaseReminders { shown, recall: Some(recall), pushed: false, at };
                    let taken = lease(&me, lent).await?;
                    recollection.reminders.retain(|due| taken.contains(&due.id));
                }
            }
            Ok(recollection)
        })
    }
}

/// Reminders that can't be leased are not shown: they stay due.
async fn lease(me: &ActorRef<MemoryStore>, lease: LeaseReminders) -> Result<Vec<DeliveryId>, MemoryError> {
    me.ask(lease).send().await.map_err(|error| match error {
        SendError::HandlerError(error) => error,
        _ => MemoryError::Unavailable("the store stopped meanwhile".to_owned()),
    })
}

impl Message<Noted> for MemoryStore {
    type Reply = ();

    async fn handle(&mut self, Noted { recall, at, shown }: Noted, _: &mut Context<Self, ()>) {
        self.note_effect(Command::NoteRecall { recall, at, shown });
    }
}

impl Message<ListTraces> for MemoryStore {
    type Reply = Delegated<Page>;

    async fn handle(&mut self, request: ListTraces, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        ctx.spawn(self.look(move |snapshot| view::list(snapshot, &request)))
    }
}

impl Message<Survey> for MemoryStore {
    type Reply = Delegated<Overview>;

    async fn handle(&mut self, survey: Survey, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        ctx.spawn(self.look(move |snapshot| view::survey(snapshot, survey.per_group, survey.at)))
    }
}

impl Message<Measure> for MemoryStore {
    type Reply = Delegated<StoreFigures>;

    async fn handle(&mut self, measure: Measure, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let scrubbed_at = self.renewal.scrubbed_at;
        ctx.spawn(
            self.look(move |snapshot| StoreFigures { scrubbed_at, ..view::measure(snapshot, measure.at) }),
        )
    }
}

impl Message<ShowTrace> for MemoryStore {
    type Reply = Delegated<TraceView>;

    async fn handle(&mut self, show: ShowTrace, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let slot = self.args.slot.clone();
        let work = self.look(move |snapshot| {
            let place =
                snapshot.find(show.id).ok_or_else(|| MemoryError::NoSuch(format!("trace {}", show.id)))?;
            let mut seen = view::view(snapshot, place, show.at);
            let history = slot.with(|database| read::history(slot.path(), database, show.id));
            (seen.folded, seen.history) = history.map_err(|error| error.told())?;
            Ok(seen)
        });
        ctx.spawn(async move { work.await? })
    }
}

impl Message<ShowTurn> for MemoryStore {
    type Reply = Delegated<(TurnRecord, Option<Exchange>)>;

    async fn handle(&mut self, show: ShowTurn, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let slot = self.args.slot.clone();
        let (turn, name) = match show.turn {
            TurnRef::Last => (None, "turn yet".to_owned()),
            TurnRef::Id(id) => (Some(id), format!("turn {id}")),
        };
        let work = self.look(move |snapshot| {
            let found = slot.with(|database| read::show_turn(slot.path(), database, turn));
            let found = found.map_err(|error| error.told())?;
            let (mut record, exchange) = found.ok_or(MemoryError::NoSuch(name))?;
            for recalled in &mut record.recalled {
                let Some(place) = snapshot.find(recalled.id) else { continue };
                let body = snapshot.body(place);
                (recalled.text, recalled.speaker) = (body.text.clone(), body.speaker.clone());
            }
            Ok((record, exchange))
        });
        ctx.spawn(async move { work.await? })
    }
}
