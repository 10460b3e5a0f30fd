//! The door of this process: from shapes to messages and back.

use std::sync::Arc;

use bethink_api::{self as api, Fault, FaultKind, Request, Response, SpaceName, TurnProgress};
use bethink_domain::{
    AgentName, Cue, CueScope, Draft, RecallId, RecallMode, SessionId, SpaceId, Timestamp, TraceId, TraceKind,
    TurnId, UserName,
};
use bethink_protocol as protocol;
use bethink_protocol::{ConverseError, Durable, MemoryError, TurnEvent};
use bethink_runtime::{AskError, Handle, Mend, RuntimeError};
use tokio::sync::mpsc;

use crate::backup::{backup, holding_shape};
use crate::doctor::{examine, examine_directory};
use crate::door::{Door, DoorFuture, Responses};
use crate::reminders::Handed;
use crate::status::status;

/// Most traces that one page of a list holds.
const PAGE_MAX: usize = 1_000;
/// Parts of a reply that wait for a slow reader before the model waits too.
const PARTS_MAX: usize = 64;

/// A door onto the runtime of this process.
#[derive(Debug, Clone)]
pub struct LocalDoor {
    pub(crate) handle: Arc<Handle>,
    /// Reminders that are being shown through this door.
    pub(crate) handed: Handed,
}

impl LocalDoor {
    /// A door onto a runtime.
    #[must_use]
    pub fn new(handle: Arc<Handle>) -> Self {
        Self { handle, handed: Handed::default() }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.handle.now()
    }
}

impl Door for LocalDoor {
    fn call(&self, space: SpaceName, request: Request) -> DoorFuture<'_, Result<Responses, Fault>> {
        Box::pin(async move {
            let space = space_id(&space)?;
            if let Request::Converse { session, message, private, zone } = request {
                let said = Said { message, private, zone };
                return self.converse(space, &session, said).await;
            }
            if let Request::Listen = request {
                return self.listen(space).await;
            }
            let response = self.answer(&space, request).await;
            let (sender, responses) = mpsc::channel(1);
            // The channel holds one and its receiver is in hand.
            let _ = sender.try_send(response);
            Ok(responses)
        })
    }
}

impl LocalDoor {
    async fn converse(
        &self,
        space: SpaceId,
        session: &str,
        Said { message, private, zone }: Said,
    ) -> Result<Responses, Fault> {
        let session: SessionId = parse(session)?;
        let message = protocol::Converse { session, message, at: self.now(), private, zone };
        let stream = self.handle.ask(&space, |ports| &ports.converse, message).await.map_err(conversing)?;
        let (sender, responses) = mpsc::channel(PARTS_MAX);
        let mishaps = self.handle.mishaps().clone();
        drop(tokio::spawn(relay(stream, sender, move |what| mishaps.note(Some(&space), what))));
        Ok(responses)
    }

    async fn answer(&self, space: &SpaceId, request: Request) -> Result<Response, Fault> {
        match request {
            Request::Converse { .. } | Request::Listen => {
                Err(Fault::new(FaultKind::Usage, "this is streamed"))
            }
            Request::Cancel { turn } => self.cancel(space, &turn).await,
            Request::Hello => Ok(Response::Ok),
            about @ (Request::Remind { .. }
            | Request::Reminders { .. }
            | Request::Attend { .. }
            | Request::Raise { .. }
            | Request::Look
            | Request::SetZone { .. }) => self.reminders(space, about).await,
            Request::Remember { .. }
            | Request::Edit { .. }
            | Request::Recall { .. }
            | Request::Import { .. }
                if !self.handle.remembers() =>
            {
                Err(Fault::new(FaultKind::Usage, "memory is switched off (`enabled` under `[memory]`)"))
            }
            Request::Remember { text, at } => self.remember(space, text, at).await,
            Request::Recall { cue, k, threshold, learn, faded } => {
                self.recall(space, cue, RecallOptions { k, threshold, learn, faded }).await
            }
            Request::Used { recall, ids, helpful } => self.used(space, &recall, &ids, helpful).await,
            list @ Request::List { .. } => self.list(space, list).await,
            Request::Show { id } => {
                let message = protocol::ShowTrace { id: parse(&id)?, at: self.now() };
                let view = self.memory(space, |ports| &ports.memory.show, message).await?;
                Ok(Response::Trace(api::trace(&view)))
            }
            Request::ShowTurn { turn } => self.show_turn(space, turn).await,
            Request::Survey { per_group } => {
                let message = protocol::Survey { per_group: per_group.min(PAGE_MAX), at: self.now() };
                let overview = self.memory(space, |ports| &ports.memory.survey, message).await?;
                Ok(Response::from(&overview))
            }
            Request::Edit { id, text } => {
                let message = protocol::Edit { id: parse(&id)?, text, at: self.now() };
                let done = self.memory(space, |ports| &ports.memory.edit, message).await?;
                Ok(Response::Remembered(api::remembered(&done)))
            }
            Request::Pin { id, pinned } => {
                let message = protocol::Pin { id: parse(&id)?, pinned, at: self.now() };
                self.memory(space, |ports| &ports.memory.pin, message).await?;
                Ok(Response::Ok)
            }
            Request::Forget { id, rehearse } => self.forget(space, &id, rehearse).await,
            transfer @ (Request::Export { .. } | Request::ExportTurns { .. } | Request::Import { .. }) => {
                self.transfer(space, transfer).await
            }
            Request::Backup { dir } => backup(&self.handle, &dir).await,
            Request::Examine { deep, repair, migrate } => {
                examine(&self.handle, space, deep, Mend { repair, migrate }).await
            }
            Request::ExamineDirectory { repair } => examine_directory(&self.handle, repair).await,
            Request::Measure => self.measure(space).await,
            about @ (Request::Embedder | Request::Migrate { .. } | Request::CancelMigration) => {
                self.embedder(space, about).await
            }
            Request::Spaces => self.spaces().await,
            Request::Status => Ok(Response::Status(status(&self.handle).await)),
        }
    }

    async fn cancel(&self, space: &SpaceId, turn: &str) -> Result<Response, Fault> {
        let turn: TurnId = parse(turn)?;
        let ports = self.handle.space(space).await.map_err(running)?;
        // A full mailbox or a stopped planner means that there is no such turn to stop any more.
        let _ = ports.cancel.tell(protocol::CancelTurn { turn }).await;
        Ok(Response::Ok)
    }

    async fn spaces(&self) -> Result<Response, Fault> {
        let spaces = self.handle.spaces().await.map_err(running)?;
        let named =
            |space: SpaceId| SpaceName { agent: space.agent.to_string(), user: space.user.to_string() };
        Ok(Response::Spaces { spaces: spaces.into_iter().map(named).collect() })
    }

    async fn show_turn(&self, space: &SpaceId, turn: Option<String>) -> Result<Response, Fault> {
        let turn = match turn {
            Some(id) => protocol::TurnRef::Id(parse(&id)?),
            None => protocol::TurnRef::Last,
        };
        let message = protocol::ShowTurn { turn };
        let (record, exchange) = self.memory(space, |ports| &ports.memory.show_turn, message).await?;
        Ok(Response::TurnRecord(api::turn(&record, exchange.as_ref())))
    }

    async fn remember(&self, space: &SpaceId, text: String, at: Option<String>) -> Result<Response, Fault> {
        let at = match at {
            Some(text) => time(&text)?,
            None => self.now(),
        };
        let message = protocol::Remember { draft: Draft::asked(text, at), at };
        let done = self.memory(space, |ports| &ports.memory.remember, message).await?;
        Ok(Response::Remembered(api::remembered(&done)))
    }

    async fn recall(&self, space: &SpaceId, cue: String, options: RecallOptions) -> Result<Response, Fault> {
        let RecallOptions { k, threshold, learn, faded } = options;
        if !(1..=Cue::K_MAX).contains(&k) {
            return Err(Fault::new(FaultKind::Usage, format!("k is {k}; it can be 1 to {}", Cue::K_MAX)));
        }
        if threshold.is_some_and(|t| !(0.0..=1.0).contains(&t)) {
            return Err(Fault::new(FaultKind::Usage, "the threshold can be 0 to 1"));
        }
        let embedding = self.handle.embed_cue(&cue).await;
        let scope = if faded { CueScope::Faded } else { CueScope::Living };
        let cue = Cue { k, threshold, scope, embedding, ..Cue::new(cue, self.now()) };
        let mode = if learn { RecallMode::Learn } else { RecallMode::Observe };
        let found = self.memory(space, |ports| &ports.memory.recall, protocol::Recall { cue, mode }).await?;
        Ok(Response::Recollection(api::recollection(&found)))
    }

    async fn used(
        &self,
        space: &SpaceId,
        recall: &str,
        ids: &[String],
        helpful: bool,
    ) -> Result<Response, Fault> {
        let recall: RecallId = parse(recall)?;
        let ids = ids.iter().map(|id| parse(id)).collect::<Result<Vec<TraceId>, Fault>>()?;
        let at = self.now();
        if helpful {
            self.memory(space, |ports| &ports.memory.credit, protocol::Credit { recall, ids, at }).await?;
        } else {
            self.memory(space, |ports| &ports.memory.correct, protocol::Correct { recall, ids, at }).await?;
        }
        Ok(Response::Ok)
    }

    async fn list(&self, space: &SpaceId, request: Request) -> Result<Response, Fault> {
        let Request::List { kind, since, faded, all, before, limit } = request else {
            return Err(Fault::new(FaultKind::Usage, "not a list"));
        };
        if !(1..=PAGE_MAX).contains(&limit) {
            return Err(Fault::new(
                FaultKind::Usage,
                format!("the limit is {limit}; it can be 1 to {PAGE_MAX}"),
            ));
        }
        let filter = protocol::TraceFilter {
            kind: kind.as_deref().map(kind_named).transpose()?,
            since: since.as_deref().map(time).transpose()?,
            faded,
            all,
        };
        let before = before.as_deref().map(parse).transpose()?;
        let message = protocol::ListTraces { filter, before, limit, at: self.now() };
        let page = self.memory(space, |ports| &ports.memory.list, message).await?;
        let traces = page.traces.iter().map(api::trace).collect();
        Ok(Response::Page(api::TracePage { traces, more: page.more }))
    }

    async fn forget(&self, space: &SpaceId, id: &str, rehearse: bool) -> Result<Response, Fault> {
        let message = protocol::Forget { id: parse(id)?, at: self.now(), rehearse };
        let receipt = self.memory(space, |ports| &ports.memory.forget, message).await?;
        if !rehearse {
            let traces = receipt.traces.iter().map(|(id, _)| *id).collect();
            let let_go = protocol::LetGo { traces, turns: receipt.turns.clone() };
            let ports = self.handle.space(space).await.map_err(running)?;
            // An executor that is not running has nothing in mind.
            let _ = ports.let_go.tell(let_go).await;
        }
        let ids = receipt.traces.iter().map(|(id, _)| *id).collect();
        let holding = self.handle.backups_holding(space, ids, receipt.turns.clone()).await;
        Ok(Response::Forgotten(api::Forgotten {
            gone_from_disk_at: None,
            backups: holding.into_iter().map(holding_shape).collect(),
            traces: receipt.traces.into_iter().map(|(id, text)| (id.to_string(), text)).collect(),
            turns: receipt.turns.iter().map(ToString::to_string).collect(),
            gone_from_memory: receipt.gone_from_memory,
            gone_from_disk: receipt.gone_from_disk,
        }))
    }

    async fn measure(&self, space: &SpaceId) -> Result<Response, Fault> {
        let message = protocol::Measure { at: self.now() };
        let figures = self.memory(space, |ports| &ports.memory.measure, message).await?;
        Ok(Response::Figures(api::Figures {
            traces: figures.traces,
            faded: figures.faded,
            unembedded: figures.unembedded,
            turns: figures.turns,
            journal_entries: figures.journal_entries,
            embedder: figures.embedder.as_ref().map(api::embedder_named),
            scrub_pending: figures.scrub_pending,
            scrubbed_at: figures.scrubbed_at.map(api::rfc3339),
        }))
    }

    pub(crate) async fn memory<M, T>(
        &self,
        space: &SpaceId,
        port: fn(&bethink_runtime::SpacePorts) -> &kameo::actor::ReplyRecipient<M, T, MemoryError>,
        message: M,
    ) -> Result<T, Fault>
    where
        M: Clone + Send + 'static,
        T: Send + 'static,
    {
        self.handle.ask(space, port, message).await.map_err(remembering)
    }
}

/// What is said in a turn.
struct Said {
    message: String,
    private: bool,
    zone: Option<String>,
}

struct RecallOptions {
    k: usize,
    threshold: Option<f32>,
    learn: bool,
    faded: bool,
}

/// Passes a reply on; when nobody reads any more, dropping the stream stops the turn.
async fn relay(
    mut stream: protocol::TurnStream,
    sender: mpsc::Sender<Result<Response, Fault>>,
    mishap: impl Fn(String),
) {
    let began = TurnProgress::Began { turn: stream.turn.to_string() };
    if sender.send(Ok(Response::Turn(began))).await.is_err() {
        return;
    }
    while let Some(event) = stream.events.recv().await {
        let part = match event {
            TurnEvent::Due(reminders) => {
                for due in &reminders {
                    let shown = Response::Turn(TurnProgress::Due(api::due(due)));
                    if sender.send(Ok(shown)).await.is_err() {
                        return;
                    }
                }
                continue;
            }
            TurnEvent::Warning(text) => Ok(Response::Turn(TurnProgress::Warning { text })),
            TurnEvent::Text(text) => Ok(Response::Turn(TurnProgress::Text { text })),
            TurnEvent::Done { durable, used } => {
                if let Durable::NotRemembered { reason } = &durable {
                    mishap(format!("a turn was not remembered: {reason}"));
                }
                Ok(Response::Turn(ended(durable, &used)))
            }
            TurnEvent::Failed { error } => {
                if !matches!(error, ConverseError::Cancelled) {
                    mishap(format!("a turn failed: {error}"));
                }
                Err(converse_fault(&error))
            }
        };
        if sender.send(part).await.is_err() {
            return;
        }
    }
}

fn ended(durable: Durable, used: &[TraceId]) -> TurnProgress {
    let used = used.iter().map(ToString::to_string).collect();
    let (yes, private, not_remembered, encoded) = match durable {
        Durable::Yes { encoded } => (true, false, None, encoded),
        Durable::Private => (false, true, None, Vec::new()),
        Durable::NotRemembered { reason } => (false, false, Some(reason), Vec::new()),
    };
    let encoded = encoded.iter().map(ToString::to_string).collect();
    TurnProgress::Ended { durable: yes, private, not_remembered, encoded, used }
}

fn space_id(name: &SpaceName) -> Result<SpaceId, Fault> {
    let usage = |what: &str, error: bethink_domain::NameFault| {
        Fault::new(FaultKind::Usage, format!("{what}: {error}"))
    };
    Ok(SpaceId {
        agent: AgentName::new(&name.agent).map_err(|error| usage("agent", error))?,
        user: UserName::new(&name.user).map_err(|error| usage("user", error))?,
    })
}

pub(crate) fn parse<T: std::str::FromStr<Err = bethink_domain::IdFault>>(text: &str) -> Result<T, Fault> {
    text.parse().map_err(|error: bethink_domain::IdFault| Fault::new(FaultKind::NoSuchId, error.to_string()))
}

fn time(text: &str) -> Result<Timestamp, Fault> {
    api::from_rfc3339(text).map_err(|error| Fault::new(FaultKind::Usage, error.to_string()))
}

fn kind_named(name: &str) -> Result<TraceKind, Fault> {
    TraceKind::from_name(name).ok_or_else(|| {
        let known = TraceKind::ALL.map(TraceKind::name).join(", ");
        Fault::new(FaultKind::Usage, format!("`{name}` is no kind of memory; there are {known}"))
    })
}

pub(crate) fn running(error: RuntimeError) -> Fault {
    let kind = match &error {
        RuntimeError::InUse { .. } | RuntimeError::Data(_) => FaultKind::Data,
        RuntimeError::Unwritable { .. } => FaultKind::Unwritable,
        RuntimeError::Busy { .. } => FaultKind::Busy,
        RuntimeError::Model(_) => FaultKind::Model,
        RuntimeError::Setup(_) => FaultKind::Usage,
        _ => FaultKind::Failed,
    };
    Fault::new(kind, error.to_string())
}

pub(crate) fn remembering(error: AskError<MemoryError>) -> Fault {
    let error = match error {
        AskError::Runtime(error) => return running(error),
        AskError::Refused(error) => error,
    };
    let kind = match &error {
        MemoryError::NoSuch(_) | MemoryError::NoSuchRecall(_) => FaultKind::NoSuchId,
        MemoryError::Invalid(_) => FaultKind::Usage,
        MemoryError::Busy => FaultKind::Busy,
        MemoryError::Unwritable(_) => FaultKind::Unwritable,
        MemoryError::Damaged(_) => FaultKind::Data,
        _ => FaultKind::Failed,
    };
    Fault::new(kind, error.to_string())
}

fn conversing(error: AskError<ConverseError>) -> Fault {
    match error {
        AskError::Runtime(error) => running(error),
        AskError::Refused(error) => converse_fault(&error),
    }
}

fn converse_fault(error: &ConverseError) -> Fault {
    let kind = match error {
        ConverseError::Busy { .. } => FaultKind::Busy,
        ConverseError::TooLong { .. } => FaultKind::Usage,
        ConverseError::Execute(_) => FaultKind::Model,
        ConverseError::Cancelled => FaultKind::Interrupted,
        _ => FaultKind::Failed,
    };
    Fault::new(kind, error.to_string())
}
