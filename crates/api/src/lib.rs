//! The shapes that leave the process: what the Unix socket carries and `--json` prints.
//!
//! One version for all of them. Fields are added, never renamed or removed within a version. Domain types know nothing
//! of this; `convert` is the only way across.

mod backup;
mod convert;
mod embedder;
mod examination;
mod fault;
mod frame;
mod progress;
mod reminder;
mod request;
mod response;
mod time;
mod transfer;

pub use backup::{Backup, BackupStatus, HoldingBackup, LeftOut};
pub use convert::{recalled, recollection, remembered, trace, turn};
pub use embedder::{EmbedderView, MigrationView, ParityView, embedder_named};
pub use examination::{DirectoryExamined, Examined, Finding, Found, TableSize};
pub use fault::{Fault, FaultKind};
pub use frame::{Answer, ClientFrame, FRAME_BYTES_MAX, ServerFrame, VERSION};
pub use progress::TurnProgress;
pub use reminder::{Due, Question, Reminder, due, question, told};
pub use request::{Request, SpaceName};
pub use response::{
    ActorStatus, Change, ExtensionStatus, Figures, FoldedChange, Forgotten, HistoryEntry, Mishap,
    OverviewGroup, Recalled, Recollection, Remembered, Response, SpaceStatus, Status, ToolUse, Trace,
    TracePage, Turn,
};
pub use time::{TimeFault, from_rfc3339, rfc3339};
pub use transfer::{
    EXPORT_VERSION, ExportLine, ExportPage, ExportedTrace, ExportedTurn, ImportFault, Imported,
};
