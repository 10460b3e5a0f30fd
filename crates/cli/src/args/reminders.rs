//! Arguments of `remind` and `reminders`.

use clap::{Args, Subcommand};

/// What to remind of, and when.
#[derive(Debug, Args)]
pub(crate) struct RemindArguments {
    /// What of
    pub(crate) text: String,
    /// When, such as 'tomorrow at 9' or 2026-12-24T18:00
    #[arg(long, value_name = "TIME", conflicts_with_all = ["within", "every"])]
    pub(crate) at: Option<String>,
    /// After how long, such as 30m or 'two hours'
    #[arg(long = "in", value_name = "LENGTH", conflicts_with = "every")]
    pub(crate) within: Option<String>,
    /// How often, such as 'weekday at 8:30' or FREQ=WEEKLY;BYDAY=MO
    #[arg(long, value_name = "RECURRENCE")]
    pub(crate) every: Option<String>,
    /// When this event is raised, such as deploy.finished
    #[arg(long, value_name = "EVENT")]
    pub(crate) when: Option<String>,
    /// When the conversation comes near this, such as 'the budget'
    #[arg(long, value_name = "TOPIC")]
    pub(crate) about: Option<String>,
    /// What it is about; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RemindersCommand {
    /// It was seen to; a recurring one comes again at its next time
    Done {
        /// Id, or words of it
        #[arg(required = true)]
        which: Vec<String>,
    },
    /// Be reminded again then
    Snooze {
        /// Id, or words of it
        #[arg(required = true)]
        which: Vec<String>,
        /// When or after how long, such as 'an hour' or 'tomorrow at 9'
        #[arg(long, value_name = "TIME")]
        until: String,
    },
    /// Call it off
    Cancel {
        /// Id, or words of it
        #[arg(required = true)]
        which: Vec<String>,
    },
    /// Give it another time, other words, or both
    Edit {
        /// Id, or words of it
        #[arg(required = true)]
        which: Vec<String>,
        /// Another time
        #[arg(long, value_name = "TIME")]
        when: Option<String>,
        /// Other words
        #[arg(long)]
        text: Option<String>,
    },
    /// Hold it back until it is released; it is not lost
    Hold {
        /// Id, or words of it
        #[arg(required = true)]
        which: Vec<String>,
    },
    /// Let go of one that was held back
    Release {
        /// Id, or words of it
        #[arg(required = true)]
        which: Vec<String>,
    },
    /// Say in which time zone you are; reminders by the wall clock move with you
    Zone {
        /// IANA name, such as Asia/Tokyo
        zone: String,
        /// Until when, such as friday [default: for good]
        #[arg(long, value_name = "TIME")]
        until: Option<String>,
    },
}
