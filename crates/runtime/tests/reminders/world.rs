//! A process on a simulated clock, and a door that is handed reminders.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use bethink_clock::{Clock, Entropy, SimulatedClock};
use bethink_domain::{
    AgentName, Cue, Personality, RecallMode, Recollection, Source, SpaceId, Timestamp, UserName,
};
use bethink_protocol::{
    Act, Attend, Attended, Converse, ListReminders, Look, NotTaken, Parcel, Recall, ReminderError, Schedule,
    Scheduled, TurnEvent, Which, Wish,
};
use bethink_providers::{Extractive, HashedEmbedder};
use bethink_runtime::{
    AskError, Courier, DataDir, Delivering, Handle, Ingredients, Persona, RuntimeConfig, start,
};

/// Tuesday 1 December 2026, 08:00 in UTC.
pub(crate) const MORNING: &str = "2026-12-01T08:00:00Z";

pub(crate) fn at(text: &str) -> Timestamp {
    Timestamp::from_millis(text.parse::<jiff::Timestamp>().unwrap().as_millisecond())
}

pub(crate) fn space(user: &str) -> SpaceId {
    SpaceId { agent: AgentName::new("bethink").unwrap(), user: UserName::new(user).unwrap() }
}

pub(crate) struct World {
    pub(crate) clock: SimulatedClock,
    pub(crate) handle: Option<Arc<Handle>>,
    pub(crate) zone: Option<&'static str>,
    pub(crate) dir: tempfile::TempDir,
}

impl World {
    pub(crate) async fn new(zone: Option<&'static str>) -> Self {
        let clock = SimulatedClock::new(at(MORNING));
        let dir = tempfile::tempdir().unwrap();
        let handle = Some(Self::started(&dir, &clock, zone).await);
        Self { clock, handle, zone, dir }
    }

    pub(crate) async fn started(
        dir: &tempfile::TempDir,
        clock: &SimulatedClock,
        zone: Option<&str>,
    ) -> Arc<Handle> {
        let handle = start(Ingredients {
            data_dir: DataDir::claim(&dir.path().join("data"), None).unwrap(),
            clock: Arc::new(clock.clone()),
            entropy: Entropy::seeded(1),
            embedding: Arc::new(HashedEmbedder::default()),
            formers: bethink_runtime::no_former_embedders(),
            moves: false,
            senses: None,
            language: Arc::new(Extractive),
            tools: Vec::new(),
            zone: jiff::tz::TimeZone::UTC,
            zone_name: zone.map(str::to_owned),
            locale: bethink_text::times::Locale::from_tag("en-GB").unwrap(),
            persona: Arc::new(|_| Persona { personality: Personality::NEUTRAL, ..Persona::default() }),
            spaces: RuntimeConfig::default(),
            store: bethink_memory_store::StoreConfig::default(),
            planner: bethink_planner::PlannerConfig::default(),
            executor: bethink_executor::ExecutorConfig::default(),
            extensions: bethink_runtime::Extensions::default(),
            backup: bethink_runtime::BackupConfig::default(),
        });
        Arc::new(handle.await.unwrap())
    }

    /// The process ends, and another begins.
    pub(crate) async fn restart(&mut self) {
        let Some(handle) = self.handle.take() else { return };
        Arc::clone(&handle).shutdown().await.unwrap();
        // The claim on the data ends with the last of the old process.
        drop(handle);
        self.handle = Some(Self::started(&self.dir, &self.clock, self.zone).await);
    }

    pub(crate) fn handle(&self) -> &Arc<Handle> {
        self.handle.as_ref().expect("because a process runs")
    }

    pub(crate) async fn end(self) {
        Arc::clone(self.handle()).shutdown().await.unwrap();
    }

    pub(crate) async fn schedule(
        &self,
        user: &str,
        wish: Wish,
    ) -> Result<Scheduled, AskError<ReminderError>> {
        let schedule = Schedule {
            wish,
            referent: None,
            tags: Vec::new(),
            zone: None,
            source: Source::UserStatement,
            turn: None,
            at: self.clock.now(),
        };
        self.handle().ask(&space(user), |ports| &ports.reminders.schedule, schedule).await
    }

    /// Wishes in words; what is said of it, or asked.
    pub(crate) async fn wish(&self, text: &str) -> String {
        let wish = Wish::Utterance { text: text.to_owned(), answer: None };
        match self.schedule("ada", wish).await.unwrap() {
            Scheduled::Kept(told) => told.when,
            Scheduled::Asks(question) => format!("{}? {}", question.kind, question.said),
        }
    }

    pub(crate) async fn recall_of(&self, user: &str, cue: &str, mode: RecallMode) -> Recollection {
        let message = Recall { cue: Cue::new(cue, self.clock.now()), mode };
        self.handle().ask(&space(user), |ports| &ports.memory.recall, message).await.unwrap()
    }

    /// What a recall shows of reminders, with their marks.
    pub(crate) async fn due(&self, cue: &str, mode: RecallMode) -> Vec<String> {
        let found = self.recall_of("ada", cue, mode).await;
        found.reminders.iter().map(marked).collect()
    }

    pub(crate) async fn attend(&self, which: Which, act: Act) -> String {
        let attend = Attend { which, act, zone: None, at: self.clock.now() };
        match self.handle().ask(&space("ada"), |ports| &ports.reminders.attend, attend).await {
            Ok(Attended::Done(told)) => told.said,
            Ok(Attended::Asks(question)) => format!("{}?", question.kind),
            Err(error) => format!("{error}"),
        }
    }

    pub(crate) async fn list(&self) -> Vec<String> {
        let list =
            ListReminders { all: true, tags: Vec::new(), zone: None, limit: 100, at: self.clock.now() };
        let found = self.handle().ask(&space("ada"), |ports| &ports.reminders.list, list).await.unwrap();
        found
            .reminders
            .iter()
            .map(|told| format!("{} {}", told.reminder.text, told.reminder.stage.name()))
            .collect()
    }

    /// Says something; reminders that came before the reply, and the reply.
    pub(crate) async fn say(&self, message: &str) -> (Vec<String>, String) {
        let message = Converse {
            session: bethink_domain::SessionId::from_raw(1),
            message: message.to_owned(),
            at: self.clock.now(),
            private: false,
            zone: None,
        };
        let mut stream = self.handle().ask(&space("ada"), |ports| &ports.converse, message).await.unwrap();
        let (mut due, mut reply) = (Vec::new(), String::new());
        while let Some(event) = stream.events.recv().await {
            match event {
                TurnEvent::Due(reminders) => due.extend(reminders.iter().map(marked)),
                TurnEvent::Text(text) => reply.push_str(&text),
                TurnEvent::Failed { error } => panic!("{error}"),
                TurnEvent::Done { .. } | TurnEvent::Warning(_) => {}
            }
        }
        (due, reply)
    }

    pub(crate) fn go_to(&self, time: &str) {
        self.clock.set(at(time));
    }

    /// Looks what is due, as a stroke of the timer does, and waits until it is delivered.
    pub(crate) async fn look(&self) {
        let look = Look { at: self.clock.now() };
        self.handle().ask(&space("ada"), |ports| &ports.reminders.look, look).await.unwrap();
    }
}

pub(crate) fn marked(due: &bethink_domain::DueReminder) -> String {
    let mut text = due.text.to_string();
    for (mark, word) in [(due.late, " (late)"), (due.again, " (again)")] {
        if mark {
            text.push_str(word);
        }
    }
    if due.missed > 0 {
        text.push_str(&format!(" (missed {})", due.missed));
    }
    text
}

/// A door that keeps what it is handed, and fails as often as it is told to.
#[derive(Debug, Default)]
pub(crate) struct Letterbox {
    pub(crate) taken: Mutex<Vec<(String, String)>>,
    pub(crate) failures: AtomicU32,
}

impl Letterbox {
    pub(crate) fn texts(&self) -> Vec<String> {
        std::mem::take(&mut *self.taken.lock().unwrap()).into_iter().map(|(_, text)| text).collect()
    }
}

impl Letterbox {
    /// What comes next, waited for.
    pub(crate) async fn next(&self) -> Vec<String> {
        let told = async {
            loop {
                let texts = self.texts();
                if !texts.is_empty() {
                    return texts;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(20), told).await.expect("because it is told")
    }
}

impl Courier for Letterbox {
    fn door(&self) -> &'static str {
        "letterbox"
    }

    fn deliver<'a>(&'a self, parcel: &'a Parcel) -> Delivering<'a> {
        Box::pin(async move {
            let fails =
                self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            self.taken.lock().unwrap().push((parcel.due.id.to_string(), marked(&parcel.due)));
            if fails.is_ok() { Err(NotTaken("out of order".to_owned())) } else { Ok(()) }
        })
    }
}

pub(crate) fn letterbox(world: &World) -> Arc<Letterbox> {
    let door = Arc::new(Letterbox::default());
    world.handle().bells().add(door.clone());
    door
}
