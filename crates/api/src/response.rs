//! What comes back.

use serde::{Deserialize, Serialize};

use crate::backup::{Backup, BackupStatus, HoldingBackup};
use crate::embedder::EmbedderView;
use crate::examination::{DirectoryExamined, Examined};
use crate::progress::TurnProgress;
use crate::reminder::{Due, Question, Reminder};
use crate::request::SpaceName;
use crate::transfer::{ExportPage, Imported};

/// A response, by the request that it answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Response {
    /// A part of a reply, or its end.
    Turn(TurnProgress),
    /// A stored statement.
    Remembered(Remembered),
    /// An answer to a cue.
    Recollection(Recollection),
    /// A reminder that was kept or changed.
    Reminder(Reminder),
    /// What has to be said first.
    Question(Question),
    /// Reminders.
    Reminders {
        /// Soonest first.
        reminders: Vec<Reminder>,
        /// There are more.
        more: bool,
    },
    /// A reminder that is due.
    Due(Due),
    /// How many reminders an event has made due.
    Raised {
        /// So many.
        count: usize,
    },
    /// What was done, in words.
    Said {
        /// They.
        text: String,
    },
    /// A page of traces.
    Page(TracePage),
    /// One trace.
    Trace(Trace),
    /// How a turn was answered.
    TurnRecord(Turn),
    /// An overview.
    Overview {
        /// Groups by kind.
        groups: Vec<OverviewGroup>,
        /// All that could have been shown.
        total: usize,
    },
    /// What was or would be deleted.
    Forgotten(Forgotten),
    /// A page of an export.
    Export(ExportPage),
    /// What became of an imported trace.
    Imported(Imported),
    /// A backup.
    BackedUp(Backup),
    /// An examined space.
    Examined(Box<Examined>),
    /// The examined data directory.
    DirectoryExamined(DirectoryExamined),
    /// Figures.
    Figures(Figures),
    /// Whose vectors a memory holds.
    Embedder(EmbedderView),
    /// Spaces by name.
    Spaces {
        /// Sorted.
        spaces: Vec<SpaceName>,
    },
    /// How the process is.
    Status(Status),
    /// Nothing more to say.
    Ok,
}

/// A stored statement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Remembered {
    /// The trace that holds it.
    pub id: String,
    /// The text as stored.
    pub text: String,
    /// False when an equal trace gained evidence instead.
    pub new: bool,
    /// Kinds of secrets that were left out.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub masked: Vec<String>,
    /// False while its vector is still to be made.
    pub embedded: bool,
}

/// One recalled trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recalled {
    /// Its id.
    pub id: String,
    /// Kind of memory.
    pub kind: String,
    /// What is remembered.
    pub text: String,
    /// Ranking number inside this recollection.
    pub score: f32,
    /// Calibrated similarity, 0…1.
    pub relevance: f32,
    /// How alive it is, 0…1.
    pub strength: f32,
    /// When it happened.
    pub at: String,
    /// When it was stored.
    pub recorded_at: String,
    /// Where it comes from.
    pub source: String,
    /// It has faded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub faded: bool,
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faded_at: Option<String>,
    /// It is a reminder that is due; these come first, beyond the number that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<Due>,
}

/// An answer to a cue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recollection {
    /// By which use can be reported; null when only looking.
    pub recall_id: Option<String>,
    /// Best first.
    pub traces: Vec<Recalled>,
    /// `known`, `once_known` or `never_known`.
    pub feeling: String,
    /// When the nearest faded trace was stored.
    pub faded_at: Option<String>,
    /// Traces that came near but stayed below the threshold.
    pub below_threshold: usize,
    /// Traces looked through.
    pub considered: usize,
}

/// A trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// Its id.
    pub id: String,
    /// Kind of memory.
    pub kind: String,
    /// What is remembered.
    pub text: String,
    /// Who said it, when it was not the user about themselves.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub speaker: Option<String>,
    /// Where it comes from.
    pub source: String,
    /// How sure the source is, 0…1.
    pub confidence: f32,
    /// 1…10.
    pub importance: f32,
    /// When it happened.
    pub at: String,
    /// When it was stored.
    pub recorded_at: String,
    /// When it was last used in a reply.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub credited_at: Option<String>,
    /// Times used.
    pub uses: u32,
    /// Independent origins.
    pub evidence: u32,
    /// How alive it is, 0…1.
    pub strength: f32,
    /// Days after which retention is 1/e.
    pub stability_days: f32,
    /// Learned usefulness, 0…1.
    pub priority: f32,
    /// Out of ordinary recall.
    pub faded: bool,
    /// Why time alone cannot fade it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kept: Option<String>,
    /// Kept by the user's wish.
    pub pinned: bool,
    /// Waiting to be distilled.
    pub provisional: bool,
    /// Found by its words alone until its vector is made.
    pub embedded: bool,
    /// Changes to its text.
    pub revision: u32,
    /// Older changes, folded by quantity; only when one trace is shown.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub folded: Vec<FoldedChange>,
    /// What changed it since, oldest first; only when one trace is shown.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub history: Vec<HistoryEntry>,
}

/// Changes of one cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// When.
    pub at: String,
    /// Why, such as `turn 01j…`.
    pub cause: String,
    /// The mechanism that acted.
    pub mechanism: String,
    /// What changed.
    pub changes: Vec<Change>,
}

/// One changed number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// What.
    pub quantity: String,
    /// Before.
    pub before: f32,
    /// After.
    pub after: f32,
}

/// Older changes of one quantity, folded into one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoldedChange {
    /// What.
    pub quantity: String,
    /// Before the first.
    pub before: f32,
    /// After the last.
    pub after: f32,
    /// How many.
    pub times: u32,
    /// When the first was.
    pub since: String,
    /// Why the first was, such as `turn 01j…`.
    pub first_cause: String,
    /// When the last was.
    pub until: String,
    /// Why the last was.
    pub last_cause: String,
    /// The mechanisms that acted.
    pub mechanisms: Vec<String>,
}

/// A page of traces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TracePage {
    /// Newest first.
    pub traces: Vec<Trace>,
    /// There are more below the last.
    pub more: bool,
}

/// How a turn was answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Its id.
    pub turn: String,
    /// When the message came.
    pub at: String,
    /// The message; null when the turn was not answered.
    pub message: Option<String>,
    /// The reply.
    pub reply: Option<String>,
    /// Intent.
    pub intent: String,
    /// The rule that decided it.
    pub rule: String,
    /// What kind of act the message was.
    pub purpose: String,
    /// Most traces that could be recalled.
    pub depth: usize,
    /// State of knowledge.
    pub feeling: String,
    /// Recalled traces with every term of their scores.
    pub recalled: Vec<serde_json::Value>,
    /// Traces that entered the prompt.
    pub shown: Vec<String>,
    /// Traces that the reply used.
    pub used: Vec<String>,
    /// Traces that the turn encoded.
    pub encoded: Vec<String>,
    /// The model that answered.
    pub model: String,
    /// Sections of the prompt: name, budget and tokens.
    pub sections: Vec<serde_json::Value>,
    /// Tokens of the reply.
    pub reply_tokens: usize,
    /// Tools that the model called, in order.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub tools: Vec<ToolUse>,
    /// Milliseconds of embedding, recall and execution.
    pub ms: serde_json::Value,
    /// How it ended.
    pub end: String,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The round of calls, from 1.
    pub step: usize,
    /// The tool; `?` for one that there is not.
    pub name: String,
    /// It gave no answer.
    pub failed: bool,
    /// Traces that it was the first to show in this turn.
    pub shown: Vec<String>,
}

/// Traces of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OverviewGroup {
    /// Kind of memory.
    pub kind: String,
    /// The first of them.
    pub traces: Vec<Recalled>,
    /// How many more there are.
    pub more: usize,
}

/// What was or would be deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Forgotten {
    /// Ids and texts.
    pub traces: Vec<(String, String)>,
    /// Turns of the transcript that were or would be blanked.
    pub turns: Vec<String>,
    /// No query returns it any more.
    pub gone_from_memory: bool,
    /// The file no longer holds the bytes.
    pub gone_from_disk: bool,
    /// Since when it does not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gone_from_disk_at: Option<String>,
    /// Backups that still hold them.
    #[serde(default)]
    pub backups: Vec<HoldingBackup>,
}

/// How a process is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Version of the program.
    pub version: String,
    /// Its process id.
    pub pid: u32,
    /// Since when it runs.
    pub since: String,
    /// Where memory is kept.
    pub data_dir: String,
    /// Actors of the process.
    pub actors: Vec<ActorStatus>,
    /// Extensions, of the process and of spaces that are awake.
    pub extensions: Vec<ExtensionStatus>,
    /// Spaces that are awake, on the way there or back, or rest after crashes.
    pub spaces: Vec<SpaceStatus>,
    /// Backups by the clock, where they are configured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub backup: Option<BackupStatus>,
    /// Spaces that have a file; null when the directory can't be read.
    #[serde(default)]
    pub spaces_on_disk: Option<usize>,
    /// Most spaces that may be awake.
    #[serde(default)]
    pub awake_max: usize,
    /// What went wrong lately, newest first.
    pub errors: Vec<Mishap>,
}

/// How a space is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpaceStatus {
    /// The agent.
    pub agent: String,
    /// The user.
    pub user: String,
    /// `waking`, `awake`, `falling asleep`, or why it rests.
    pub state: String,
    /// When it was last asked for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub used_at: Option<String>,
    /// Its actors, while it is awake.
    pub actors: Vec<ActorStatus>,
}

/// How an extension is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExtensionStatus {
    /// Its name.
    pub name: String,
    /// The space that it lives with, as agent/user; none for one of the process.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub space: Option<String>,
    /// `running`, `restarting`, `resting` or `ended`.
    pub state: String,
    /// Messages that wait for it.
    pub waiting: usize,
    /// How often it was built again after a crash.
    pub restarts: u32,
    /// Why it crashed last.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub last_error: Option<String>,
}

/// How an actor is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActorStatus {
    /// What it is called.
    pub name: String,
    /// `well`, `silent` or `stopped`.
    pub state: String,
    /// Things that wait for it.
    pub waiting: usize,
    /// Things that it works on.
    pub in_flight: usize,
    /// How often it was built again after a crash.
    pub restarts: u32,
    /// What takes it long or is not as it should be, in words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub doing: Option<String>,
}

/// Something that went wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mishap {
    /// When it happened last.
    pub at: String,
    /// In which space, as agent/user.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub space: Option<String>,
    /// What happened.
    pub what: String,
    /// How often.
    pub times: u64,
}

/// Figures of a space.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Traces that are not forgotten.
    pub traces: usize,
    /// Of them, faded.
    pub faded: usize,
    /// Of them, without a vector yet.
    pub unembedded: usize,
    /// Turns in the transcript.
    pub turns: usize,
    /// Entries in the journal.
    pub journal_entries: u64,
    /// The embedder of the stored vectors.
    pub embedder: Option<String>,
    /// Something was forgotten, and freed pages of the file may still hold its bytes.
    #[serde(default)]
    pub scrub_pending: bool,
    /// When the file was last written anew after something was forgotten.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scrubbed_at: Option<String>,
}
