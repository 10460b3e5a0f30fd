//! A stage on which a Planner plays with scripted partners that log what they are asked.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use bethink_clock::Entropy;
use bethink_domain::{
    AgentName, CueScope, Draft, DueReminder, EmbedderIdentity, Examination, Feeling, Intent, Knowing,
    Outcome, Overview, RecallId, RecallMode, Recalled, Recollection, ScoreTerms, SessionId, Source, SpaceId,
    Timestamp, TraceId, TraceKind, TraceView, TurnEnd, TurnRecord, UnitVector, UserName,
};
use bethink_planner::{Planner, PlannerArgs, PlannerConfig, PrototypeShelf, prototype_sentences};
use bethink_protocol::{
    CancelMigration, CompleteTurn, Completed, Converse, ConverseError, Correct, Credit, Edit, Embed,
    EmbedError, Embedded, EmbedderFigures, Examine, Execute, ExecuteError, ExportTraces, ExportTurns,
    ExportedTraces, ExportedTurns, Forget, ForgetReceipt, Import, Imported, Job, LetGo, ListTraces, Measure,
    MemoryError, MemoryPorts, Migrate, Offload, Page, Pin, Recall, RecordTurn, Remember, Remembered,
    ShowEmbedder, ShowTrace, ShowTurn, StoreFigures, Survey, TurnEvent, TurnStream,
};
use kameo::prelude::*;
use tokio::sync::Semaphore;

/// 2026-11-30T16:00:00Z.
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_796_054_400_000);

/// What the executor does with one plan.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// Streams these words, then says that it used these traces.
    Say(&'static str, Vec<u64>),
    /// Asks whether to forget these traces.
    Propose(Vec<u64>),
    /// Says "Noted." and wants this kept.
    Note(&'static str),
    /// Waits for [`Stage::release`], then says "done".
    Wait,
    /// Fails.
    Fail(&'static str),
    /// Never answers, cancelled or not.
    Hang,
    /// Panics.
    Panic,
    /// Streams this many words, one event each.
    Flood(usize),
}

/// What memory does with the next commits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Script {
    pub(crate) acts: VecDeque<Act>,
    pub(crate) commits: VecDeque<MemoryError>,
    pub(crate) recall_fails: bool,
    pub(crate) embed_fails: bool,
    pub(crate) recalled: Vec<u64>,
    /// Traces that only a look among what has faded finds.
    pub(crate) faded: Vec<u64>,
    pub(crate) records: Vec<TurnRecord>,
    pub(crate) turns: Vec<CompleteTurn>,
    /// Reminders that are due.
    pub(crate) due: Vec<DueReminder>,
}

#[derive(Clone)]
pub(crate) struct Backstage {
    pub(crate) script: Arc<Mutex<Script>>,
    log: Arc<Mutex<Vec<String>>>,
    gate: Arc<Semaphore>,
}

impl Backstage {
    pub(crate) fn log(&self, line: impl Into<String>) {
        self.log.lock().unwrap().push(line.into());
    }
}

/// A Planner among scripted partners.
pub(crate) struct Stage {
    back: Backstage,
    pub(crate) planner: ActorRef<Planner>,
}

pub(crate) struct Partner(pub(crate) Backstage);

impl Actor for Partner {
    type Args = Backstage;
    type Error = kameo::error::Infallible;

    async fn on_start(back: Backstage, _: ActorRef<Self>) -> Result<Self, Self::Error> {
        Ok(Self(back))
    }
}

/// Runs long work at once.
struct OnTheSpot;

impl Offload for OnTheSpot {
    fn run(&self, job: Job) {
        job();
    }
}

/// Lets the actor start, then breaks the turn that needs it.
#[derive(Default)]
struct Broken(AtomicBool);

impl Offload for Broken {
    fn run(&self, job: Job) {
        assert!(!self.0.swap(true, Ordering::SeqCst), "offload is broken on purpose");
        job();
    }
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::with(Script::default(), PlannerConfig::default(), true).await
    }

    /// A stage whose executor plays these acts, and then says "Fine.".
    pub(crate) async fn playing(acts: Vec<Act>) -> Self {
        Self::with(Script { acts: acts.into(), ..Script::default() }, PlannerConfig::default(), true).await
    }

    pub(crate) async fn with(script: Script, config: PlannerConfig, sound: bool) -> Self {
        let back = Backstage {
            script: Arc::new(Mutex::new(script)),
            log: Arc::default(),
            gate: Arc::new(Semaphore::new(0)),
        };
        let partner = || Partner::spawn(back.clone());
        let offload: Arc<dyn Offload> = if sound { Arc::new(OnTheSpot) } else { Arc::new(Broken::default()) };
        let args = PlannerArgs {
            space: SpaceId { agent: AgentName::new("bethink").unwrap(), user: UserName::new("me").unwrap() },
            embed: partner().reply_recipient(),
            memory: ports(&partner()),
            due: partner().reply_recipient(),
            reminders: crate::reminding::ports(&partner()),
            execute: partner().reply_recipient(),
            let_go: partner().recipient(),
            offload,
            entropy: Entropy::seeded(1),
            prototypes: PrototypeShelf::new(),
            config,
        };
        let planner = Planner::spawn(args);
        planner.wait_for_startup().await;
        Self { back, planner }
    }

    pub(crate) async fn converse(&self, message: &str, private: bool) -> Result<TurnStream, ConverseError> {
        let session = SessionId::from_raw(7);
        let ask = Converse { session, message: message.to_owned(), at: NOW, private, zone: None };
        self.planner.ask(ask).await.map_err(|error| match error {
            SendError::HandlerError(error) => error,
            other => panic!("the planner did not answer: {other:?}"),
        })
    }

    /// Says something and reads the reply to its last event.
    pub(crate) async fn say(&self, message: &str) -> (String, TurnEvent) {
        hear_out(self.converse(message, false).await.unwrap()).await
    }

    pub(crate) async fn whisper(&self, message: &str) -> (String, TurnEvent) {
        hear_out(self.converse(message, true).await.unwrap()).await
    }

    /// Lets one waiting act go on.
    pub(crate) fn release(&self) {
        self.back.gate.add_permits(1);
    }

    /// What was asked of the partners since the last look.
    pub(crate) fn log(&self) -> Vec<String> {
        std::mem::take(&mut self.back.log.lock().unwrap())
    }

    pub(crate) fn script(&self) -> std::sync::MutexGuard<'_, Script> {
        self.back.script.lock().unwrap()
    }
}

/// Reads a stream to its end: the words, and the last event.
pub(crate) async fn hear_out(mut stream: TurnStream) -> (String, TurnEvent) {
    let mut words = String::new();
    let mut last = None;
    while let Some(event) = stream.events.recv().await {
        assert!(last.is_none(), "nothing may follow {last:?}, but {event:?} did");
        match event {
            TurnEvent::Text(more) => words.push_str(&more),
            event => last = Some(event),
        }
    }
    (words, last.expect("because every stream has a last event"))
}

/// Lets every task run until all of them wait. Time stands still.
pub(crate) async fn settle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

fn ports(memory: &ActorRef<Partner>) -> MemoryPorts {
    MemoryPorts {
        recall: memory.clone().reply_recipient(),
        remember: memory.clone().reply_recipient(),
        complete_turn: memory.clone().reply_recipient(),
        record_turn: memory.clone().reply_recipient(),
        credit: memory.clone().reply_recipient(),
        correct: memory.clone().reply_recipient(),
        forget: memory.clone().reply_recipient(),
        pin: memory.clone().reply_recipient(),
        edit: memory.clone().reply_recipient(),
        list: memory.clone().reply_recipient(),
        show: memory.clone().reply_recipient(),
        show_turn: memory.clone().reply_recipient(),
        survey: memory.clone().reply_recipient(),
        export: memory.clone().reply_recipient(),
        export_turns: memory.clone().reply_recipient(),
        import: memory.clone().reply_recipient(),
        examine: memory.clone().reply_recipient(),
        measure: memory.clone().reply_recipient(),
        migrate: memory.clone().reply_recipient(),
        cancel_migration: memory.clone().reply_recipient(),
        show_embedder: memory.clone().reply_recipient(),
    }
}

impl Message<Embed> for Partner {
    type Reply = Result<Embedded, EmbedError>;

    async fn handle(&mut self, embed: Embed, _: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let prototypes =
            embed.texts.iter().all(|text| prototype_sentences().iter().any(|(_, known)| known == text));
        let what = if prototypes { "prototypes".to_owned() } else { embed.texts.join(" | ") };
        self.0.log(format!("embed {what}"));
        if self.0.script.lock().unwrap().embed_fails {
            return Err(EmbedError::Failed("no model".to_owned()));
        }
        let identity = EmbedderIdentity { model: "test".into(), dimensions: 3, revision: "1".into() };
        Ok(Embedded { vectors: embed.texts.iter().map(|text| Some(meaning(text))).collect(), identity })
    }
}

/// Prototypes point along the axis of their class, everything else along the first.
fn meaning(text: &str) -> UnitVector {
    let known = prototype_sentences().iter().find(|(_, sentence)| sentence == text);
    let axis = match known.map(|(intent, _)| *intent) {
        Some(Intent::Reasoning) => vec![0.0, 1.0, 0.0],
        Some(Intent::General) => vec![0.0, 0.0, 1.0],
        _ => vec![1.0, 0.0, 0.0],
    };
    UnitVector::new(axis).unwrap()
}

impl Message<Recall> for Partner {
    type Reply = Result<Recollection, MemoryError>;

    async fn handle(
        &mut self,
        Recall { cue, mode }: Recall,
        _: &mut Context<Self, Self::Reply>,
    ) -> Self::Reply {
        let intent = cue.intent.map_or("none", Intent::name);
        let vector = if cue.embedding.is_some() { "" } else { " without meaning" };
        let scope = match cue.scope {
            CueScope::Faded => " among the faded",
            CueScope::All => " among all",
            CueScope::Living => "",
        };
        self.0.log(format!("recall {mode:?} {intent} k={}{vector}{scope}: {}", cue.k, cue.text));
        let script = self.0.script.lock().unwrap();
        if script.recall_fails {
            return Err(MemoryError::Damaged("a page is torn".to_owned()));
        }
        let recall = (mode == RecallMode::Learn).then(|| RecallId::from_raw(1));
        let found = if cue.scope == CueScope::Faded { &script.faded } else { &script.recalled };
        let traces: Vec<Recalled> = found.iter().map(|id| recalled(*id)).collect();
        let knowing = match (script.recalled.is_empty(), script.faded.is_empty()) {
            (false, _) => Knowing::Known,
            (true, false) => Knowing::OnceKnown,
            (true, true) => Knowing::NeverKnown,
        };
        Ok(Recollection {
            reminders: Vec::new(),
            recall,
            traces,
            feeling: Feeling { knowing, faded: None, below_threshold: 0, considered: 3 },
        })
    }
}

fn recalled(id: u64) -> Recalled {
    Recalled {
        id: TraceId::from_raw(id),
        kind: TraceKind::Episodic,
        text: "a secret of the heart".into(),
        speaker: Some("Clara".into()),
        source: Source::UserStatement,
        confidence: 1.0,
        occurred_at: NOW,
        recorded_at: NOW,
        score: 0.7,
        relevance: 0.6,
        strength: 0.5,
        faded: false,
        faded_at: None,
        terms: ScoreTerms { cosine: 0.6, ..ScoreTerms::default() },
    }
}

impl Message<Execute> for Partner {
    type Reply = DelegatedReply<Result<Outcome, ExecuteError>>;

    async fn handle(&mut self, execute: Execute, ctx: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let plan = &execute.plan;
        let notes: String = plan.degraded.iter().map(|note| format!(" ({note})")).collect();
        let forgotten =
            plan.forgotten.as_ref().map(|done| format!(" forgotten={}", done.traces)).unwrap_or_default();
        let proposed = match plan.proposed.len() {
            0 => forgotten,
            count => format!(" proposed={count}"),
        };
        let overview = if plan.overview.is_some() { " overview" } else { "" };
        self.0.log(format!(
            "execute {}{overview}{proposed} recalled={} {}{notes}",
            plan.purpose.name(),
            plan.recollection.traces.len(),
            plan.message
        ));
        let act = self.0.script.lock().unwrap().acts.pop_front().unwrap_or(Act::Say("Fine.", vec![]));
        if matches!(act, Act::Panic) {
            panic!("the executor breaks on purpose");
        }
        let back = self.0.clone();
        ctx.spawn(async move { perform(act, &execute, &back).await })
    }
}

async fn perform(act: Act, execute: &Execute, back: &Backstage) -> Result<Outcome, ExecuteError> {
    let say = |text: &str| TurnEvent::Text(text.to_owned());
    let noted = match &act {
        Act::Note(text) => vec![Draft { provisional: false, ..Draft::asked(*text, NOW) }],
        _ => Vec::new(),
    };
    let proposed = match &act {
        Act::Propose(ids) => ids.iter().map(|id| TraceId::from_raw(*id)).collect(),
        _ => Vec::new(),
    };
    let (reply, used) = match act {
        Act::Say(words, used) => (words, used),
        Act::Note(_) => ("Noted.", vec![]),
        Act::Propose(_) => ("Shall I?", vec![]),
        Act::Wait => {
            let waited = tokio::select! {
                permit = back.gate.acquire() => permit.map(|permit| permit.forget()).is_ok(),
                () = execute.cancel.cancelled() => false,
            };
            if !waited {
                back.log("executor saw the cancel");
                return Err(ExecuteError::Cancelled);
            }
            ("done", vec![])
        }
        Act::Fail(why) => {
            let _ = execute.words.send(say("Well, ")).await;
            return Err(ExecuteError::Model(why.to_owned()));
        }
        Act::Flood(count) => {
            for _ in 0..count {
                let _ = execute.words.send(say("word ")).await;
            }
            ("end", vec![])
        }
        Act::Hang | Act::Panic => std::future::pending().await,
    };
    let _ = execute.words.send(say(reply)).await;
    let used: Vec<TraceId> = used.into_iter().map(TraceId::from_raw).collect();
    Ok(Outcome {
        reply: reply.to_owned(),
        shown: used.clone(),
        used,
        model: "scripted".to_owned(),
        sections: Vec::new(),
        reply_tokens: 2,
        tools: Vec::new(),
        noted,
        proposed,
    })
}

impl Message<Forget> for Partner {
    type Reply = Result<ForgetReceipt, MemoryError>;

    async fn handle(&mut self, forget: Forget, _: &mut Context<Self, Self::Reply>) -> Self::Reply {
        self.0.log(format!("forget {}", forget.id.raw()));
        assert!(!forget.rehearse);
        if forget.id.raw() == 99 {
            return Err(MemoryError::NoSuch("trace".to_owned()));
        }
        let traces = vec![(forget.id, "gone".to_owned())];
        Ok(ForgetReceipt { traces, turns: Vec::new(), gone_from_memory: true, gone_from_disk: false })
    }
}

impl Message<LetGo> for Partner {
    type Reply = ();

    async fn handle(&mut self, forgotten: LetGo, _: &mut Context<Self, ()>) {
        let ids: Vec<String> = forgotten.traces.iter().map(|id| id.raw().to_string()).collect();
        self.0.log(format!("let go {}", ids.join(",")));
    }
}

impl Message<CompleteTurn> for Partner {
    type Reply = Result<Completed, MemoryError>;

    async fn handle(&mut self, turn: CompleteTurn, _: &mut Context<Self, Self::Reply>) -> Self::Reply {
        let stated: Vec<String> = turn
            .stated
            .iter()
            .map(|draft| {
                let kind = draft.kind.name();
                let bare = if draft.embedding.is_some() { "" } else { " without meaning" };
                format!("{kind}{bare}: {}", draft.text)
            })
            .collect();
        let ids = |ids: &[TraceId]| ids.iter().map(|id| id.raw().to_string()).collect::<Vec<_>>().join(",");
        let mut line = format!("complete [{}]", stated.join(" | "));
        for (name, list) in [("used", &turn.used), ("corrected", &turn.corrected), ("praised", &turn.praised)]
        {
            if !list.is_empty() {
                line.push_str(&format!(" {name}={}", ids(list)));
            }
        }
        self.0.log(line);
        let mut script = self.0.script.lock().unwrap();
        script.turns.push(turn.clone());
        if let Some(error) = script.commits.pop_front() {
            return Err(error);
        }
        let encoded = (0..turn.stated.len() as u64).map(|n| TraceId::from_raw(100 + n)).collect();
        Ok(Completed { encoded })
    }
}

impl Message<RecordTurn> for Partner {
    type Reply = Result<(), MemoryError>;

    async fn handle(
        &mut self,
        RecordTurn { record }: RecordTurn,
        _: &mut Context<Self, Self::Reply>,
    ) -> Self::Reply {
        let end = match &record.end {
            TurnEnd::Done => "done".to_owned(),
            TurnEnd::NotRemembered(why) => format!("not remembered: {why}"),
            TurnEnd::Failed(why) => format!("failed: {why}"),
            TurnEnd::Cancelled => "cancelled".to_owned(),
        };
        self.0.log(format!("record {end}"));
        self.0.script.lock().unwrap().records.push(record);
        Ok(())
    }
}

impl Message<Survey> for Partner {
    type Reply = Result<Overview, MemoryError>;

    async fn handle(&mut self, survey: Survey, _: &mut Context<Self, Self::Reply>) -> Self::Reply {
        self.0.log(format!("survey per_group={}", survey.per_group));
        Ok(Overview { groups: Vec::new(), total: 3 })
    }
}

/// What a Planner has no business to ask.
macro_rules! never_asked {
    ($error:expr => $fault:ty; $($message:ty => $reply:ty),* $(,)?) => {$(
        impl Message<$message> for Partner {
            type Reply = Result<$reply, $fault>;

            async fn handle(&mut self, _: $message, _: &mut Context<Self, Self::Reply>) -> Self::Reply {
                self.0.log(concat!("unexpected ", stringify!($message)));
                Err($error)
            }
        }
    )*};
}
pub(crate) use never_asked;

never_asked! {
    MemoryError::Busy => MemoryError;
    Remember => Remembered, Credit => (), Correct => (), Pin => (), Edit => Remembered,
    ListTraces => Page, ShowTrace => TraceView, ShowTurn => (TurnRecord, Option<bethink_domain::Exchange>),
    Measure => StoreFigures, ExportTraces => ExportedTraces, ExportTurns => ExportedTurns, Import => Imported, Examine => Examination,
    Migrate => (), CancelMigration => (), ShowEmbedder => EmbedderFigures,
}
