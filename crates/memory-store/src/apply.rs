//! Commands as pure functions: a snapshot and a command give the next snapshot, changes to the tables, and an answer.
//!
//! A command checks everything before its first change, so that a refused one has changed nothing.

mod credit;
mod drafts;
mod encode;
mod fold;
mod forget;
mod import;
mod migrate;
mod reminders;
mod revise;
mod turn;

pub(crate) use encode::check_text;
pub(crate) use forget::BLANK;
pub(crate) use import::known;
pub(crate) use migrate::Step;

use std::sync::Arc;

use bethink_clock::Entropy;
use bethink_domain::{
    Cause, DeliveryId, DueReminder, EmbedderIdentity, JournalEntry, Quantity, RecallId, Reminder, SpaceId,
    Timestamp, TraceId, UnitVector,
};
use bethink_protocol::{
    CompleteTurn, Completed, Correct, Credit, Edit, Forget, ForgetReceipt, Import, Imported, MemoryError,
    Pin, RecordTurn, Remember, Remembered, StoreReminders,
};

use bethink_cognition::ProspectiveConfig;

use crate::config::MemoryConfig;
use crate::error::StoreError;
use crate::file::read::Past;
use crate::file::tables::Op;
use crate::rows::RecallRow;
use crate::snapshot::{Place, Snapshot};

/// Milliseconds by which a clock may differ between two callers without having gone back.
const CLOCK_SLACK_MS: i64 = 1_000;

/// Something that changes a space.
#[derive(Debug, Clone)]
pub(crate) enum Command {
    Remember {
        remember: Remember,
        masked: Vec<&'static str>,
    },
    CompleteTurn(Box<CompleteTurn>),
    RecordTurn(Box<RecordTurn>),
    Credit(Credit),
    Correct(Correct),
    Forget(Forget),
    Pin(Pin),
    Edit {
        edit: Edit,
        masked: Vec<&'static str>,
        embedding: Option<UnitVector>,
    },
    Import {
        import: Import,
        masked: Vec<&'static str>,
    },
    /// Vectors that were made after their traces, by the embedder of a generation: id, key of the text, vector.
    Embed {
        at: Timestamp,
        generation: u16,
        vectors: Vec<(TraceId, u64, UnitVector)>,
    },
    /// A step of a move to another embedder.
    Migrate {
        at: Timestamp,
        step: Step,
    },
    StoreReminders(Box<StoreReminders>),
    /// Reminders that a recall has shown.
    LeaseReminders {
        at: Timestamp,
        cause: Cause,
        shown: Vec<DueReminder>,
        /// By a door of this process, which ends the lease.
        pushed: bool,
    },
    /// A recall that may be credited.
    NoteRecall {
        recall: RecallId,
        at: Timestamp,
        shown: Vec<TraceId>,
    },
}

/// What a command answers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Remembered(Remembered),
    Completed(Completed),
    Forgotten(ForgetReceipt),
    Imported(Imported),
    Reminders(Vec<Arc<Reminder>>),
    Leased(Vec<DeliveryId>),
    Done,
}

/// What commands are carried out by.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    pub(crate) config: MemoryConfig,
    pub(crate) prospective: ProspectiveConfig,
    pub(crate) entropy: Entropy,
    pub(crate) space: SpaceId,
    /// The configured embedder, whose vectors commands bring.
    pub(crate) embedder: Option<EmbedderIdentity>,
}

/// Why a command was not carried out.
#[derive(Debug)]
enum Refused {
    /// It cannot be; others can.
    Told(MemoryError),
    /// The file failed; the whole batch fails.
    File(StoreError),
}

impl From<MemoryError> for Refused {
    fn from(error: MemoryError) -> Self {
        Self::Told(error)
    }
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        Self::File(error)
    }
}

/// A change in progress.
pub(crate) struct Change<'a> {
    snapshot: &'a mut Snapshot,
    rules: &'a Rules,
    ops: Vec<Op>,
}

impl<'a> Change<'a> {
    pub(crate) fn new(snapshot: &'a mut Snapshot, rules: &'a Rules) -> Self {
        Self { snapshot, rules, ops: Vec::new() }
    }

    pub(crate) fn into_ops(self) -> Vec<Op> {
        self.ops
    }

    /// Carries out one command.
    pub(crate) fn apply(
        &mut self,
        command: &Command,
        past: &dyn Past,
    ) -> Result<Result<Answer, MemoryError>, StoreError> {
        let answer = match command {
            Command::Remember { remember, masked } => self.remember(remember, masked, past),
            Command::CompleteTurn(turn) => self.complete_turn(turn, past),
            Command::RecordTurn(turn) => self.record_turn(turn, past),
            Command::Credit(credit) => self.credit_recall(credit),
            Command::Correct(correct) => self.correct_recall(correct),
            Command::Forget(forget) => self.forget(forget, past),
            Command::Pin(pin) => self.pin(pin),
            Command::Edit { edit, masked, embedding } => self.edit(edit, masked, embedding.as_ref()),
            Command::Import { import, masked } => self.import(import, masked, past),
            Command::Embed { at, generation, vectors } => self.embed(*at, *generation, vectors),
            Command::Migrate { at, step } => self.migrate(*at, step, past),
            Command::StoreReminders(store) => self.store_reminders(store, past),
            Command::LeaseReminders { at, cause, shown, pushed } => self.lease(*at, *cause, shown, *pushed),
            Command::NoteRecall { recall, at, shown } => self.note_recall(*recall, *at, shown),
        };
        match answer {
            Ok(answer) => {
                self.fold_journal(past)?;
                Ok(Ok(answer))
            }
            Err(Refused::Told(error)) => Ok(Err(error)),
            Err(Refused::File(error)) => Err(error),
        }
    }

    /// Takes note of the time that a command tells. A clock that went back is journalled once; ids go on growing, and
    /// what is recorded keeps the time that it was told.
    fn note_time(&mut self, at: Timestamp) {
        let counters = &mut self.snapshot.counters;
        let behind_ms = counters.clock_high_ms.saturating_sub(at.as_millis());
        if behind_ms <= CLOCK_SLACK_MS {
            counters.clock_high_ms = counters.clock_high_ms.max(at.as_millis());
            counters.clock_behind = false;
            return;
        }
        counters.clock_back_ms = counters.clock_back_ms.max(behind_ms);
        if !counters.clock_behind {
            counters.clock_behind = true;
            self.journal(at, Cause::Clock, "clock", Vec::new());
        }
    }

    fn journal(
        &mut self,
        at: Timestamp,
        cause: Cause,
        mechanism: &'static str,
        changes: Vec<bethink_domain::Change>,
    ) {
        self.snapshot.counters.journal += 1;
        let sequence = self.snapshot.counters.journal;
        self.ops.push(Op::Journal(JournalEntry { sequence, at, cause, mechanism, changes }));
    }

    fn living(&self, id: TraceId) -> Result<Place, Refused> {
        self.snapshot.find(id).ok_or_else(|| MemoryError::NoSuch(format!("trace {id}")).into())
    }

    fn note_recall(&mut self, recall: RecallId, at: Timestamp, shown: &[TraceId]) -> Result<Answer, Refused> {
        let row = RecallRow { at, shown: shown.to_vec(), credited: Vec::new(), corrected: Vec::new() };
        self.snapshot.recalls.put(recall, row.clone());
        self.ops.push(Op::Recall(recall, row));
        if let Some(below) = self.snapshot.recalls.expire(at - credit::CREDITABLE) {
            self.ops.push(Op::DropRecallsBelow(below));
        }
        Ok(Answer::Done)
    }
}

/// One number that changed.
fn changed(trace: TraceId, quantity: Quantity, before: f32, after: f32) -> bethink_domain::Change {
    bethink_domain::Change { trace, quantity, before, after }
}
