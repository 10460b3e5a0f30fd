//! The typed messages between actors and the ports that carry them.
//!
//! An actor holds ports, never another actor; only `runtime` knows who stands behind a port. A message that can fail is
//! an `ask` with a typed error; a `tell` cannot fail. Awaited sends form no cycle:
//!
//! | message | from → to | reply |
//! |---|---|---|
//! | [`Converse`] | door → Planner | [`TurnStream`]: the reply, streamed; its last event follows the commit |
//! | [`CancelTurn`] | door → Planner | – |
//! | [`Recall`] | Planner, doors, and tools in the Executor (they only look) → MemoryStore | `Recollection` |
//! | [`Execute`] | Planner → Executor | `Outcome`; words go to the stream meanwhile |
//! | [`CompleteTurn`] | Planner → MemoryStore, after success | [`Completed`]: ids, durable |
//! | [`RecordTurn`] | Planner → MemoryStore, after failure | done |
//! | [`Credit`], [`Correct`] | doors, Planner → MemoryStore | done |
//! | [`Remember`], [`Forget`], [`Pin`], [`Edit`] | doors, and for a confirmed `Forget` the Planner → MemoryStore | durable id or receipt |
//! | [`LetGo`] | doors, Planner → Executor, after a `Forget` | – |
//! | [`ListTraces`], [`ShowTrace`], [`ShowTurn`], [`Survey`], [`Measure`] | doors, Planner → MemoryStore | what is asked, from a snapshot |
//! | [`ExportTraces`], [`ExportTurns`] | doors → MemoryStore | pages, oldest first |
//! | [`Import`] | doors → MemoryStore | [`Imported`]: durable, or known, or forgotten |
//! | [`Examine`] | doors → MemoryStore | `Examination`, of one moment between two commits |
//! | [`Migrate`], [`CancelMigration`], [`ShowEmbedder`] | doors → MemoryStore | done, or whose vectors serve |
//! | [`Embed`] | MemoryStore, Planner, tools in the Executor → Embedder | unit vectors |
//! | [`Schedule`], [`Attend`], [`Raise`], [`SetZone`], [`ListReminders`] | doors, Planner, tools → Reminders | a reminder and what is said of it, or a question |
//! | [`StoreReminders`], [`LeaseReminders`], [`LookAtReminders`] | Reminders → MemoryStore | durable, or what is there |
//! | [`Due`] | Planner, for small talk → MemoryStore | reminders that are due |
//! | [`PlaceMeanings`] | Reminders → MemoryStore | – |
//! | [`Tick`] | ticker → Directory → MemoryStore, Reminders | – |
//! | [`Drain`] | Space → each | flushed |
//! | [`Heard`] | [`EventBus`]: MemoryStore, Directory → whoever listens; nobody waits for a listener | – |
//! | [`TakeVitals`] | handle → each | [`Vitals`] |
//!
//! Reminders asks MemoryStore and the Embedder. MemoryStore asks only the Embedder, the Embedder asks nobody, the Executor asks these two while a model calls tools,
//! and the Planner asks all three.

pub mod conversation;
pub mod embedding;
pub mod events;
pub mod examination;
pub mod lifecycle;
pub mod memory;
pub mod migration;
pub mod offload;
pub mod reminders;
pub mod tools;
pub mod transfer;

pub use conversation::{
    CancelTurn, Converse, ConverseError, ConversePort, Durable, Execute, ExecuteError, ExecutePort, LetGo,
    TurnEvent, TurnStream,
};
pub use embedding::{Embed, EmbedError, EmbedPort, Embedded, Urgency};
pub use events::{EVENTS_MAX, EventBus, Events, Heard, Missed};
pub use examination::Examine;
pub use lifecycle::{Drain, DrainPort, TakeVitals, Tick, Vitals};
pub use memory::{
    CompleteTurn, Completed, Correct, Credit, Edit, Forget, ForgetReceipt, ListTraces, Measure, MemoryError,
    MemoryPorts, Page, Pin, Recall, RecallPort, RecordTurn, Remember, Remembered, ShowTrace, ShowTurn,
    StoreFigures, Survey, TraceFilter, TurnRef,
};
pub use migration::{CancelMigration, EmbedderFigures, Migrate, ShowEmbedder};
pub use offload::{Job, Offload, OffloadError, offload};
pub use reminders::{
    Act, Attend, Attended, Couriers, Deed, Due, LeaseReminders, ListReminders, Look, LookAtReminders, Looked,
    NextLook, NotTaken, Parcel, PlaceMeanings, Question, Raise, ReminderChange, ReminderError, ReminderPorts,
    ReminderStorePorts, Reminders, Schedule, Scheduled, SeenReminders, SetZone, StoreReminders, Told,
    Upcoming, Which, Wish,
};
pub use tools::{Tool, ToolAnswer, ToolCall, ToolContext, ToolError, ToolFuture, ToolSpec, ToolStep};
pub use transfer::{ExportTraces, ExportTurns, ExportedTraces, ExportedTurns, Import, Imported};
