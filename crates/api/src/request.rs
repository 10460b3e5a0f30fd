//! What can be asked through every door.

use serde::{Deserialize, Serialize};

use crate::transfer::ExportedTrace;

/// Whose memory about whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpaceName {
    /// The agent.
    pub agent: String,
    /// The user.
    pub user: String,
}

/// A request. Times are RFC 3339; an absent time means now.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Is anybody there? Answered at once, without waking a space.
    Hello,
    /// Say something; the reply is streamed.
    Converse {
        /// Session id, as the client keeps it.
        session: String,
        /// What the user says.
        message: String,
        /// Recall, but write nothing.
        #[serde(default)]
        private: bool,
        /// IANA name of the user's zone, where the client knows it.
        #[serde(default)]
        zone: Option<String>,
    },
    /// Stop a turn.
    Cancel {
        /// Its id.
        turn: String,
    },
    /// Store a statement.
    Remember {
        /// The statement.
        text: String,
        /// When it happened and was told; now unless given.
        #[serde(default)]
        at: Option<String>,
    },
    /// Recall by a cue.
    Recall {
        /// The cue.
        cue: String,
        /// At most so many, 1…100.
        k: usize,
        /// Relevance below which nothing is returned, 0…1; the configured one unless given.
        #[serde(default)]
        threshold: Option<f32>,
        /// Let recall change memory.
        #[serde(default)]
        learn: bool,
        /// Look through faded traces alone.
        #[serde(default)]
        faded: bool,
    },
    /// Report that recalled traces were used.
    Used {
        /// The recall.
        recall: String,
        /// Which traces.
        ids: Vec<String>,
        /// False when they were wrong.
        helpful: bool,
    },
    /// Keep a reminder. With nothing but a text, when and what of are read from its words.
    Remind {
        /// What of.
        text: String,
        /// When: words, or RFC 3339.
        #[serde(default)]
        at: Option<String>,
        /// After how long.
        #[serde(default)]
        within: Option<String>,
        /// How often: words, or a rule of RFC 5545.
        #[serde(default)]
        every: Option<String>,
        /// On which event.
        #[serde(default)]
        event: Option<String>,
        /// Near which topic of the conversation.
        #[serde(default)]
        context: Option<String>,
        /// What it is about.
        #[serde(default)]
        tags: Vec<String>,
        /// IANA name of the user's zone, where the client knows it.
        #[serde(default)]
        zone: Option<String>,
        /// What was said when something was asked back ("9am").
        #[serde(default)]
        answer: Option<String>,
    },
    /// List reminders, soonest first.
    Reminders {
        /// Closed ones too.
        #[serde(default)]
        all: bool,
        /// With one of these tags alone.
        #[serde(default)]
        tags: Vec<String>,
        /// Most of them, 1…1000.
        limit: usize,
        /// As above.
        #[serde(default)]
        zone: Option<String>,
    },
    /// Do something with a reminder: the one that was shown last, unless another is named.
    Attend {
        /// Id of a reminder or of one delivery of it, or words of it.
        #[serde(default)]
        which: Option<String>,
        /// `done`, `acknowledge`, `snooze`, `cancel`, `change`, `hold` or `release`.
        act: String,
        /// For `snooze` and `change`: when, in words.
        #[serde(default)]
        when: Option<String>,
        /// For `change`: other words.
        #[serde(default)]
        text: Option<String>,
        /// As above.
        #[serde(default)]
        zone: Option<String>,
    },
    /// Tell that something happened that reminders may wait for.
    Raise {
        /// Its name, such as `deploy.finished`.
        event: String,
        /// In every space that waits for it.
        #[serde(default)]
        everywhere: bool,
    },
    /// Tell where the user is.
    SetZone {
        /// IANA name.
        zone: String,
        /// Until when, in words; for good unless given.
        #[serde(default)]
        until: Option<String>,
    },
    /// Be given the space's reminders as they come due, until the request is dropped. Each is acknowledged with
    /// [`Request::Attend`] once it was shown.
    Listen,
    /// Have those who listen shown what is due. Answered once they were.
    Look,
    /// List traces, newest first.
    List {
        /// Of this kind alone.
        #[serde(default)]
        kind: Option<String>,
        /// Recorded at or after.
        #[serde(default)]
        since: Option<String>,
        /// Faded ones alone.
        #[serde(default)]
        faded: bool,
        /// Faded and superseded ones too.
        #[serde(default)]
        all: bool,
        /// Continue below this id.
        #[serde(default)]
        before: Option<String>,
        /// Most traces, 1…1000.
        limit: usize,
    },
    /// Show a trace and what changed it.
    Show {
        /// Which.
        id: String,
    },
    /// Show how a turn was answered.
    ShowTurn {
        /// Which; the newest unless given.
        #[serde(default)]
        turn: Option<String>,
    },
    /// What is known about the user.
    Survey {
        /// Most traces of each kind.
        per_group: usize,
    },
    /// Replace the text of a trace.
    Edit {
        /// Which.
        id: String,
        /// The new text.
        text: String,
    },
    /// Keep a trace, or stop keeping it.
    Pin {
        /// Which.
        id: String,
        /// Kept or not.
        pinned: bool,
    },
    /// Delete a trace for ever.
    Forget {
        /// Which.
        id: String,
        /// Only say what would go.
        #[serde(default)]
        rehearse: bool,
    },
    /// Take traces out as they are stored, oldest first.
    Export {
        /// Continue above this id.
        #[serde(default)]
        after: Option<String>,
        /// Most traces, 1…1000.
        limit: usize,
    },
    /// Take turns of the transcript out, oldest first.
    ExportTurns {
        /// Continue above this id.
        #[serde(default)]
        after: Option<String>,
        /// Most turns, 1…1000.
        limit: usize,
    },
    /// Take a trace in, unless it is there already or was forgotten.
    Import {
        /// The trace.
        trace: Box<ExportedTrace>,
        /// Take what was forgotten too.
        #[serde(default)]
        revive: bool,
    },
    /// Copy all spaces, whosever they are, into a new backup. Wakes no space.
    Backup {
        /// Absolute path of a directory that is absent or empty.
        dir: String,
    },
    /// Look whether the space is sound. Changes nothing unless it is to be mended.
    Examine {
        /// Look into texts, vectors and memory too.
        #[serde(default)]
        deep: bool,
        /// Make anew what is derived and wrong.
        #[serde(default)]
        repair: bool,
        /// Bring a file of an earlier format to the newest.
        #[serde(default)]
        migrate: bool,
    },
    /// Look what lies around the spaces, whosever they are. Wakes no space.
    ExamineDirectory {
        /// Put it in order.
        #[serde(default)]
        repair: bool,
    },
    /// Figures of the space.
    Measure,
    /// Whose vectors the space holds.
    Embedder,
    /// Move the space to the configured embedder, in the background.
    Migrate {
        /// Switch however much recall by the new vectors differs.
        #[serde(default)]
        anyway: bool,
    },
    /// Call a move off.
    CancelMigration,
    /// The spaces that have a file. Wakes none.
    Spaces,
    /// How the process is. Wakes no space.
    Status,
}
