//! Asking and telling memory.

use bethink_domain::{
    Cue, Draft, EmbedderIdentity, Exchange, Overview, RecallId, RecallMode, Recollection, Span, Timestamp,
    TraceId, TraceKind, TraceView, TurnId, TurnRecord,
};
use kameo::actor::ReplyRecipient;

use crate::migration::{CancelMigration, EmbedderFigures, Migrate, ShowEmbedder};
use crate::transfer::{ExportTraces, ExportTurns, ExportedTraces, ExportedTurns, Import, Imported};

/// Recall by a cue.
#[derive(Debug, Clone)]
pub struct Recall {
    /// The question.
    pub cue: Cue,
    /// Whether recall may change memory.
    pub mode: RecallMode,
}

/// Store a trace. The reply means that it is committed to disk and findable.
#[derive(Debug, Clone)]
pub struct Remember {
    /// What. The store masks secrets, and asks the Embedder where the draft has no vector.
    pub draft: Draft,
    /// When it is told.
    pub at: Timestamp,
}

/// What became of a [`Remember`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remembered {
    /// The trace: a new one, or the one that says the same already.
    pub id: TraceId,
    /// The text as stored, secrets masked.
    pub text: String,
    /// False when an equal trace gained evidence instead.
    pub new: bool,
    /// Kinds of secrets that were masked.
    pub masked: Vec<&'static str>,
    /// False when no vector could be made yet; it is found by its words, and the vector follows.
    pub embedded: bool,
}

/// A turn was answered: keep it. One commit; a second one with the same turn id changes nothing and repeats the reply.
#[derive(Debug, Clone)]
pub struct CompleteTurn {
    /// Message and reply, for the transcript.
    pub exchange: Exchange,
    /// What the user stated, to be stored as provisional traces, or as asked ones.
    pub stated: Vec<Draft>,
    /// Traces to credit, because the reply used them.
    pub used: Vec<TraceId>,
    /// Traces of the turn before that this message says were wrong.
    pub corrected: Vec<TraceId>,
    /// Traces of the turn before that this message praises: one step of priority up, uses and clock left alone.
    pub praised: Vec<TraceId>,
    /// How the turn was answered.
    pub record: TurnRecord,
}

/// What a [`CompleteTurn`] stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completed {
    /// Traces that now hold what was stated, in its order.
    pub encoded: Vec<TraceId>,
}

/// A turn was not answered: keep only the record of how.
#[derive(Debug, Clone)]
pub struct RecordTurn {
    /// The record.
    pub record: TurnRecord,
}

/// Recalled traces were really used. Idempotent per (recall, trace).
#[derive(Debug, Clone)]
pub struct Credit {
    /// The recall that returned them.
    pub recall: RecallId,
    /// Which.
    pub ids: Vec<TraceId>,
    /// When.
    pub at: Timestamp,
}

/// Recalled traces were used and wrong: takes 0.2 off their priority. Idempotent per (recall, trace).
#[derive(Debug, Clone)]
pub struct Correct {
    /// The recall that returned them.
    pub recall: RecallId,
    /// Which.
    pub ids: Vec<TraceId>,
    /// When.
    pub at: Timestamp,
}

/// Delete for ever.
#[derive(Debug, Clone)]
pub struct Forget {
    /// Which trace.
    pub id: TraceId,
    /// When.
    pub at: Timestamp,
    /// Say what would go, and delete nothing.
    pub rehearse: bool,
}

/// What a [`Forget`] deleted, or would delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgetReceipt {
    /// The trace and those that rest on it alone, with their texts.
    pub traces: Vec<(TraceId, String)>,
    /// Turns of the transcript in which its text, or a reply that showed it, was blanked.
    pub turns: Vec<TurnId>,
    /// True once no query can return it.
    pub gone_from_memory: bool,
    /// True once the file no longer holds the bytes; freed pages keep them until the file is rewritten.
    pub gone_from_disk: bool,
}

/// Keep a trace, or stop keeping it.
#[derive(Debug, Clone)]
pub struct Pin {
    /// Which.
    pub id: TraceId,
    /// Kept or not.
    pub pinned: bool,
    /// When.
    pub at: Timestamp,
}

/// Replace the text of a trace; its age counts from now.
#[derive(Debug, Clone)]
pub struct Edit {
    /// Which.
    pub id: TraceId,
    /// The new text.
    pub text: String,
    /// When.
    pub at: Timestamp,
}

/// Which traces a list holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TraceFilter {
    /// Of this kind alone.
    pub kind: Option<TraceKind>,
    /// Recorded at or after.
    pub since: Option<Timestamp>,
    /// Faded ones alone.
    pub faded: bool,
    /// Faded and superseded ones too.
    pub all: bool,
}

/// List traces, newest first.
#[derive(Debug, Clone)]
pub struct ListTraces {
    /// Which.
    pub filter: TraceFilter,
    /// Continue below this id: the last one of the page before.
    pub before: Option<TraceId>,
    /// Most traces of the page, 1…1000.
    pub limit: usize,
    /// The time now.
    pub at: Timestamp,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Newest first.
    pub traces: Vec<TraceView>,
    /// True when there are more below the last.
    pub more: bool,
}

/// Show one trace with its history.
#[derive(Debug, Clone)]
pub struct ShowTrace {
    /// Which.
    pub id: TraceId,
    /// The time now.
    pub at: Timestamp,
}

/// Which turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnRef {
    /// The newest.
    Last,
    /// This one.
    Id(TurnId),
}

/// Show how a turn was answered.
#[derive(Debug, Clone)]
pub struct ShowTurn {
    /// Which.
    pub turn: TurnRef,
}

/// Give an overview of what is known about the user.
#[derive(Debug, Clone)]
pub struct Survey {
    /// Most traces shown of each kind.
    pub per_group: usize,
    /// The time now.
    pub at: Timestamp,
}

/// Measure the store.
#[derive(Debug, Clone)]
pub struct Measure {
    /// The time now.
    pub at: Timestamp,
}

/// Figures of a store.
#[derive(Debug, Clone, PartialEq)]
pub struct StoreFigures {
    /// Traces that are not forgotten.
    pub traces: usize,
    /// Of them, faded now.
    pub faded: usize,
    /// Of them, without a vector yet.
    pub unembedded: usize,
    /// Turns in the transcript.
    pub turns: usize,
    /// Entries in the journal, without those that are folded.
    pub journal_entries: u64,
    /// The embedder whose vectors are stored.
    pub embedder: Option<EmbedderIdentity>,
    /// Something was forgotten, and freed pages of the file may still hold its bytes.
    pub scrub_pending: bool,
    /// When the file was last written anew after something was forgotten.
    pub scrubbed_at: Option<Timestamp>,
    /// How far the clock was found to have gone back, at most.
    pub clock_back: Span,
}

/// What memory could not do, by what the caller can do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// There is no such trace or turn.
    #[error("there is no {0}")]
    NoSuch(String),
    /// The recall is unknown or older than a day.
    #[error("recall {0} is unknown, or older than a day")]
    NoSuchRecall(RecallId),
    /// The text is empty, or too long.
    #[error("{0}")]
    Invalid(String),
    /// It was changed since it was looked at: look again.
    #[error("{0} was changed meanwhile")]
    Changed(String),
    /// Too much waits to be written: try again later.
    #[error("memory has too much waiting to be written")]
    Busy,
    /// The disk is full or cannot be written: free space, then try again. Nothing was changed.
    #[error("memory could not be written: {0}")]
    Unwritable(String),
    /// The file is damaged.
    #[error("memory is damaged: {0}")]
    Damaged(String),
    /// Stopping, asleep or being restarted: try again.
    #[error("memory is not available: {0}")]
    Unavailable(String),
}

/// Where a [`Recall`] goes.
pub type RecallPort = ReplyRecipient<Recall, Recollection, MemoryError>;

/// The ports of one MemoryStore.
#[derive(Debug, Clone)]
pub struct MemoryPorts {
    /// Recall.
    pub recall: RecallPort,
    /// Store.
    pub remember: ReplyRecipient<Remember, Remembered, MemoryError>,
    /// Keep an answered turn.
    pub complete_turn: ReplyRecipient<CompleteTurn, Completed, MemoryError>,
    /// Keep the record of a turn that was not answered.
    pub record_turn: ReplyRecipient<RecordTurn, (), MemoryError>,
    /// Report use.
    pub credit: ReplyRecipient<Credit, (), MemoryError>,
    /// Report wrong use.
    pub correct: ReplyRecipient<Correct, (), MemoryError>,
    /// Delete.
    pub forget: ReplyRecipient<Forget, ForgetReceipt, MemoryError>,
    /// Keep.
    pub pin: ReplyRecipient<Pin, (), MemoryError>,
    /// Replace a text.
    pub edit: ReplyRecipient<Edit, Remembered, MemoryError>,
    /// List.
    pub list: ReplyRecipient<ListTraces, Page, MemoryError>,
    /// Show one.
    pub show: ReplyRecipient<ShowTrace, TraceView, MemoryError>,
    /// Show how a turn was answered.
    pub show_turn: ReplyRecipient<ShowTurn, (TurnRecord, Option<Exchange>), MemoryError>,
    /// Overview.
    pub survey: ReplyRecipient<Survey, Overview, MemoryError>,
    /// Take traces out.
    pub export: ReplyRecipient<ExportTraces, ExportedTraces, MemoryError>,
    /// Take turns out.
    pub export_turns: ReplyRecipient<ExportTurns, ExportedTurns, MemoryError>,
    /// Take a trace in.
    pub import: ReplyRecipient<Import, Imported, MemoryError>,
    /// Look whether all is sound.
    pub examine: ReplyRecipient<crate::Examine, bethink_domain::Examination, MemoryError>,
    /// Figures.
    pub measure: ReplyRecipient<Measure, StoreFigures, MemoryError>,
    /// Move to another embedder.
    pub migrate: ReplyRecipient<Migrate, (), MemoryError>,
    /// Call that off.
    pub cancel_migration: ReplyRecipient<CancelMigration, (), MemoryError>,
    /// Whose vectors serve.
    pub show_embedder: ReplyRecipient<ShowEmbedder, EmbedderFigures, MemoryError>,
}
