//! A store on a temporary directory, an embedder made of hashed words, and ways to wait for neither.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bethink_clock::Entropy;
use bethink_domain::{
    Affect, AgentName, Cue, Decision, Draft, EmbedderIdentity, Exchange, Intent, Knowing, Origin, Purpose,
    RecallMode, Recollection, SessionId, Source, SpaceId, Span, Timestamp, TraceId, TraceKind, TurnEnd,
    TurnId, TurnRecord, TurnTimes, UnitVector, UserName,
};
use bethink_memory_store::{
    MemoryStore, MemoryStoreArgs, Snapshot, StoreConfig, StoreError, StoreSlot, append, ports, space_path,
};
use bethink_protocol::{
    CompleteTurn, Drain, Embed, EmbedError, EmbedPort, Embedded, EventBus, Job, MemoryError, MemoryPorts,
    Offload, Recall, Remember, Remembered, Urgency,
};
use kameo::Actor;
use kameo::actor::ActorRef;
use kameo::error::SendError;
use kameo::mailbox;
use kameo::message::{Context, Message};
use kameo::prelude::Spawn;
use tempfile::TempDir;
use tokio::sync::Semaphore;

/// Components of a hashed vector.
pub(crate) const DIMENSIONS: u16 = 64;

/// Runs jobs on the spot.
pub(crate) struct Inline;

impl Offload for Inline {
    fn run(&self, job: Job) {
        job();
    }
}

/// Runs no job at all, as a process that is killed.
pub(crate) struct Never;

impl Offload for Never {
    fn run(&self, _: Job) {}
}

/// Runs each job on a thread of its own, and counts them.
#[derive(Default)]
pub(crate) struct Threads(pub(crate) AtomicUsize);

impl Offload for Threads {
    fn run(&self, job: Job) {
        self.0.fetch_add(1, Ordering::SeqCst);
        std::thread::spawn(job);
    }
}

/// Gives vectors in which shared words mean a higher cosine. A text with BADVEC has none.
#[derive(Actor)]
pub(crate) struct HashedEmbedder {
    /// While set, every request fails.
    pub(crate) broken: Arc<AtomicBool>,
    /// Who it says that it is.
    pub(crate) identity: EmbedderIdentity,
    /// Moves take a permit for each of their requests.
    pub(crate) gate: Arc<Semaphore>,
}

impl Message<Embed> for HashedEmbedder {
    type Reply = Result<Embedded, EmbedError>;

    async fn handle(&mut self, request: Embed, _: &mut Context<Self, Self::Reply>) -> Self::Reply {
        if self.broken.load(Ordering::SeqCst) {
            return Err(EmbedError::Failed("out of order".to_owned()));
        }
        if request.urgency == Urgency::Migration {
            self.gate.acquire().await.expect("because nobody closes it").forget();
        }
        let vectors = request.texts.iter().map(|text| hashed_by(&self.identity.model, text)).collect();
        Ok(Embedded { vectors, identity: self.identity.clone() })
    }
}

/// See [`HashedEmbedder`].
pub(crate) fn hashed(text: &str) -> Option<UnitVector> {
    hashed_by("hashed", text)
}

/// The same by another model: other directions for the same words.
pub(crate) fn hashed_by(model: &str, text: &str) -> Option<UnitVector> {
    if text.contains("BADVEC") {
        return None;
    }
    let mut values = vec![0.01f32; usize::from(DIMENSIONS)];
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3) {
        let mut hasher = DefaultHasher::new();
        // What only a model of meaning knows to be the same word; one is blind to it.
        let word = if model == "blind" { word } else { word.trim_start_matches("zz") };
        word.hash(&mut hasher);
        if model != "hashed" {
            model.hash(&mut hasher);
        }
        values[(hasher.finish() % u64::from(DIMENSIONS)) as usize] += 1.0;
    }
    UnitVector::new(values).ok()
}

pub(crate) fn identity(model: &str) -> EmbedderIdentity {
    EmbedderIdentity { model: model.into(), dimensions: DIMENSIONS, revision: "1".into() }
}

pub(crate) fn space() -> SpaceId {
    SpaceId {
        agent: AgentName::new("bethink").expect("because it is a legal name"),
        user: UserName::new("me").expect("because it is a legal name"),
    }
}

/// Noon of some day, so many days after the first.
pub(crate) fn day(days: f64) -> Timestamp {
    Timestamp::from_millis(1_780_000_000_000) + Span::from_days(days)
}

/// A store and where it lives. Waking it again after [`World::sleep`] reads the same file.
pub(crate) struct World {
    pub(crate) dir: TempDir,
    pub(crate) config: StoreConfig,
    pub(crate) embedder_broken: Arc<AtomicBool>,
    /// None where no embedder is configured.
    pub(crate) embedder: Option<EmbedderIdentity>,
    pub(crate) commit: Arc<dyn Offload>,
    /// The embedder whose vectors a file holds can be had, where it is another.
    pub(crate) former: bool,
    /// Requests that moves may still make.
    pub(crate) gate: Arc<Semaphore>,
    pub(crate) scan: Arc<dyn Offload>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            dir: tempfile::tempdir().expect("because the system has a temporary directory"),
            config: StoreConfig::default(),
            embedder_broken: Arc::default(),
            embedder: Some(identity("hashed")),
            commit: Arc::new(Inline),
            former: true,
            gate: Arc::new(Semaphore::new(Semaphore::MAX_PERMITS / 2)),
            scan: Arc::new(Inline),
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        space_path(self.dir.path(), &space())
    }

    pub(crate) fn open(&self) -> Result<StoreSlot, StoreError> {
        open_at(&self.path(), self.embedder.as_ref())
    }

    /// Makes the file, with one statement in it.
    pub(crate) fn create(&self) {
        let slot = self.open().expect("because it is new");
        let empty = Arc::new(Snapshot::load(&slot, &self.config).expect("because it is new"));
        let remember = Remember { draft: draft("The file begins"), at: day(0.0) };
        append(&slot, &empty, vec![remember], Entropy::seeded(1), &self.config)
            .expect("because the disk has room");
        slot.retire();
    }

    /// Adds a statement while the space sleeps.
    pub(crate) fn add(&self, text: &str) -> TraceId {
        let slot = self.open().expect("because the file is sound");
        let before = Arc::new(Snapshot::load(&slot, &self.config).expect("because the file is sound"));
        let remember = Remember { draft: draft(text), at: day(1.0) };
        let mut appended = append(&slot, &before, vec![remember], Entropy::seeded(1), &self.config)
            .expect("because the disk has room");
        slot.retire();
        appended.results.remove(0).expect("because the text is legal").id
    }

    pub(crate) async fn wake(&self) -> Awake {
        let embedder = self.embedder.as_ref();
        let slot = StoreSlot::open_to_move(&self.path(), &space(), embedder, day(0.0), 1024 * 1024);
        self.wake_on(slot.expect("because the file is sound")).await
    }

    fn embedder(&self, identity: EmbedderIdentity) -> EmbedPort {
        let (broken, gate) = (Arc::clone(&self.embedder_broken), Arc::clone(&self.gate));
        HashedEmbedder::spawn(HashedEmbedder { broken, identity, gate }).reply_recipient()
    }

    pub(crate) async fn wake_on(&self, slot: StoreSlot) -> Awake {
        let configured = self.embedder.clone().unwrap_or_else(|| identity("hashed"));
        let former = slot.former().filter(|_| self.former).cloned();
        let args = MemoryStoreArgs {
            space: space(),
            slot: slot.clone(),
            embed: self.embedder(configured),
            former: former.map(|identity| self.embedder(identity)),
            senses: None,
            commit: Arc::clone(&self.commit),
            seal: Arc::new(Inline),
            scan: Arc::clone(&self.scan),
            events: EventBus::default(),
            entropy: Entropy::seeded(7),
            config: self.config,
        };
        let actor = MemoryStore::spawn_with_mailbox(args, mailbox::bounded(1_024));
        actor.wait_for_startup().await;
        Awake { memory: ports(&actor), actor, slot }
    }
}

pub(crate) fn open_at(path: &Path, embedder: Option<&EmbedderIdentity>) -> Result<StoreSlot, StoreError> {
    StoreSlot::open(path, &space(), embedder, day(0.0), 1024 * 1024)
}

/// A store that is awake.
pub(crate) struct Awake {
    pub(crate) memory: MemoryPorts,
    pub(crate) actor: ActorRef<MemoryStore>,
    pub(crate) slot: StoreSlot,
}

impl Awake {
    pub(crate) async fn sleep(self) {
        self.actor.ask(Drain).send().await.expect("because draining cannot fail");
        self.stop().await;
    }

    /// Stops without flushing.
    pub(crate) async fn stop(self) {
        self.actor.stop_gracefully().await.expect("because the actor runs");
        self.actor.wait_for_shutdown().await;
        self.slot.retire();
    }

    pub(crate) async fn remember(&self, text: &str, days: f64) -> Result<Remembered, MemoryError> {
        told(self.memory.remember.ask(Remember { draft: draft(text), at: day(days) }).send().await)
    }

    pub(crate) async fn recall(&self, text: &str, days: f64) -> Recollection {
        self.recall_as(RecallMode::Observe, cue(text, days)).await
    }

    pub(crate) async fn recall_as(&self, mode: RecallMode, cue: Cue) -> Recollection {
        self.memory.recall.ask(Recall { cue, mode }).send().await.expect("because recall cannot fail here")
    }
}

/// What the store itself answered.
pub(crate) fn told<T, M>(answer: Result<T, SendError<M, MemoryError>>) -> Result<T, MemoryError> {
    answer.map_err(|error| match error {
        SendError::HandlerError(error) => error,
        other => MemoryError::Unavailable(format!("not delivered: {}", std::any::type_name_of_val(&other))),
    })
}

pub(crate) fn cue(text: &str, days: f64) -> Cue {
    Cue { embedding: hashed(text), ..Cue::new(text, day(days)) }
}

pub(crate) fn draft(text: &str) -> Draft {
    Draft {
        kind: TraceKind::Semantic,
        text: text.to_owned(),
        speaker: None,
        source: Source::UserStatement,
        confidence: 1.0,
        lineage: vec![Origin::Given("remember".into())],
        affect: Affect::NEUTRAL,
        importance: 7.0,
        occurred_at: day(0.0),
        provisional: false,
        asked: true,
        embedding: None,
    }
}

/// An event that was told in a turn.
pub(crate) fn told_in(turn: TurnId, text: &str) -> Draft {
    Draft {
        kind: TraceKind::Episodic,
        lineage: vec![Origin::Turn(turn)],
        importance: 5.0,
        asked: false,
        provisional: false,
        ..draft(text)
    }
}

pub(crate) fn turn(id: TurnId, days: f64, message: &str, reply: &str) -> CompleteTurn {
    let session = SessionId::from_raw(1);
    CompleteTurn {
        exchange: Exchange { turn: id, session, at: day(days), message: message.into(), reply: reply.into() },
        stated: Vec::new(),
        used: Vec::new(),
        corrected: Vec::new(),
        praised: Vec::new(),
        record: TurnRecord {
            turn: id,
            session,
            at: day(days),
            decision: Decision { intent: Intent::Memory, rule: "test".into() },
            purpose: Purpose::Statement,
            depth: 8,
            knowing: Knowing::NeverKnown,
            recalled: Vec::new(),
            shown: Vec::new(),
            used: Vec::new(),
            encoded: Vec::new(),
            model: String::new(),
            sections: Vec::new(),
            reply_tokens: 0,
            tools: Vec::new(),
            times: TurnTimes::default(),
            end: TurnEnd::Done,
        },
    }
}

pub(crate) fn turn_id(number: u64) -> TurnId {
    TurnId::compose(day(0.0), number, number)
}

pub(crate) fn ids(recollection: &Recollection) -> Vec<TraceId> {
    recollection.traces.iter().map(|trace| trace.id).collect()
}
