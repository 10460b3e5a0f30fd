//! Prospective memory: scheduling, delivering, acknowledging.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use bethink_domain::{
    DeliveryId, Draft, DueReminder, RecallId, Reminder, Source, SpaceId, Timestamp, TraceId, TurnId,
    UnitVector, Whereabouts,
};
use kameo::actor::{Recipient, ReplyRecipient};

use crate::memory::MemoryError;

/// What somebody wishes to be reminded of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// In their own words ("remind me to check the build in ten minutes").
    Utterance {
        /// The words.
        text: String,
        /// What they answered when they were asked back ("9am").
        answer: Option<String>,
    },
    /// In parts, as a form, a tool or a command line gives them.
    Parts {
        /// What to remind of.
        text: String,
        /// A time in words ("tomorrow at nine") or as ISO 8601.
        at: Option<String>,
        /// A length of time ("30m", "two hours").
        within: Option<String>,
        /// A recurrence ("weekday at 8:30"), or an RRULE.
        every: Option<String>,
        /// The name of an event.
        event: Option<String>,
        /// A cue for the conversation to come near.
        context: Option<String>,
        /// What they answered when they were asked back.
        answer: Option<String>,
    },
}

/// Keep a reminder.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// What is wished.
    pub wish: Wish,
    /// What "this" stands for in it, if it was said before.
    pub referent: Option<String>,
    /// What it is about, beyond what is said.
    pub tags: Vec<String>,
    /// IANA name of the zone that the request came with.
    pub zone: Option<String>,
    /// Who wishes it.
    pub source: Source,
    /// The turn in which it was said.
    pub turn: Option<TurnId>,
    /// The time now.
    pub at: Timestamp,
}

/// What became of a [`Schedule`].
#[derive(Debug, Clone, PartialEq)]
pub enum Scheduled {
    /// It is kept, and durable.
    Kept(Box<Told>),
    /// Something has to be said first.
    Asks(Question),
}

/// A reminder with what is said of it, in the user's zone.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// As kept.
    pub reminder: Reminder,
    /// When it comes, absolutely and with the zone, such as `Wednesday 2 December 2026 at 09:00 (Europe/Oslo)`.
    pub when: String,
    /// What a reply says of it, a sentence or two.
    pub said: String,
    /// It was there already, word for word and with the same trigger.
    pub known: bool,
}

/// Why a reminder can't be kept yet, in words that ask for what is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What is missing, for programs: `time`, `zone`, `what`, `ambiguous`, `past`, `impossible` or `which`.
    pub kind: &'static str,
    /// The question.
    pub said: String,
    /// Readings to choose from, absolutely.
    pub options: Vec<String>,
}

/// Which reminder is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// By its id.
    Id(TraceId),
    /// One occurrence of it; a later one is left alone.
    Delivery(DeliveryId),
    /// By words of it.
    Named(String),
    /// The one that was shown last.
    LastShown,
}

/// What to do with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// It was seen to: the occurrence is over.
    Done,
    /// It was shown, by this door, to somebody.
    Acknowledge {
        /// Such as `chat`, `webhook`, `on_due`.
        door: &'static str,
    },
    /// Show it again then, in words ("an hour", "tomorrow at nine").
    Snooze(String),
    /// Call it off, with all its occurrences.
    Cancel,
    /// Give it another time, other words, or both.
    Change {
        /// In words, as in [`Wish::Parts`].
        when: Option<String>,
        /// Other words.
        text: Option<String>,
    },
    /// Hold it back, or let it go again.
    Hold(bool),
}

/// Do something with a reminder.
#[derive(Debug, Clone)]
pub struct Attend {
    /// Which.
    pub which: Which,
    /// What.
    pub act: Act,
    /// IANA name of the zone that the request came with.
    pub zone: Option<String>,
    /// The time now.
    pub at: Timestamp,
}

/// What became of an [`Attend`].
#[derive(Debug, Clone, PartialEq)]
pub enum Attended {
    /// It is done, and durable.
    Done(Box<Told>),
    /// Something has to be said first.
    Asks(Question),
}

/// Something happened outside that reminders may wait for.
#[derive(Debug, Clone)]
pub struct Raise {
    /// Its name, such as `deploy.finished`.
    pub event: String,
    /// The time now.
    pub at: Timestamp,
}

/// The user told where they are.
#[derive(Debug, Clone)]
pub struct SetZone {
    /// IANA name.
    pub zone: String,
    /// In words, until when; for good without.
    pub until: Option<String>,
    /// The time now.
    pub at: Timestamp,
}

/// List reminders.
#[derive(Debug, Clone)]
pub struct ListReminders {
    /// Closed ones too.
    pub all: bool,
    /// With one of these tags alone; all of them if empty.
    pub tags: Vec<String>,
    /// IANA name of the zone that the request came with.
    pub zone: Option<String>,
    /// Most of them, 1…1000.
    pub limit: usize,
    /// The time now.
    pub at: Timestamp,
}

/// Reminders in the order in which they come due; those without a time last.
#[derive(Debug, Clone, PartialEq)]
pub struct Reminders {
    /// They.
    pub reminders: Vec<Told>,
    /// There are more.
    pub more: bool,
}

/// What is due now, for a turn that recalls nothing.
#[derive(Debug, Clone)]
pub struct Due {
    /// What was said, for the contexts that it comes near by its words.
    pub said: Option<String>,
    /// The time now.
    pub at: Timestamp,
    /// Lease what is shown, as a recall that learns does.
    pub lease: bool,
    /// It is for a door of this process to push, so that the lease ends with the process.
    pub pushed: bool,
}

/// Why nothing came of it, by what the caller can do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReminderError {
    /// There is none: look at the list.
    #[error("there is no {0}")]
    NoSuch(String),
    /// What was given can't be read, or goes beyond a limit: give something else.
    #[error("{0}")]
    Invalid(String),
    /// Memory could not do its part.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// Stopping or being restarted: try again.
    #[error("reminders are not available: {0}")]
    Unavailable(String),
}

/// Look whether something is due that somebody can be shown, as at the start and when somebody comes who can.
#[derive(Debug, Clone)]
pub struct Look {
    /// The time now.
    pub at: Timestamp,
}

/// The ports of one Reminders actor.
#[derive(Debug, Clone)]
pub struct ReminderPorts {
    /// Keep.
    pub schedule: ReplyRecipient<Schedule, Scheduled, ReminderError>,
    /// Do something with one.
    pub attend: ReplyRecipient<Attend, Attended, ReminderError>,
    /// Tell what happened; how many reminders it made due.
    pub raise: ReplyRecipient<Raise, usize, ReminderError>,
    /// Tell where the user is; what is said of it.
    pub set_zone: ReplyRecipient<SetZone, String, ReminderError>,
    /// List.
    pub list: ReplyRecipient<ListReminders, Reminders, ReminderError>,
    /// Look whether something is due.
    pub look: ReplyRecipient<Look, (), ReminderError>,
}

/// Change reminders, in one commit. Nothing is changed where one of them is not what was seen.
#[derive(Debug, Clone)]
pub struct StoreReminders {
    /// What to change.
    pub changes: Vec<ReminderChange>,
    /// When.
    pub at: Timestamp,
}

/// One change.
#[derive(Debug, Clone)]
pub enum ReminderChange {
    /// A new one: the trace that holds its words, and the reminder, whose id and words are not looked at.
    New {
        /// The trace.
        draft: Box<Draft>,
        /// The reminder.
        reminder: Box<Reminder>,
    },
    /// Another state of one that is there. Its words are looked at only where they are to change.
    Put {
        /// The reminder as it is to be; `revision` is the one that was seen.
        reminder: Box<Reminder>,
        /// Its words are to change too.
        reworded: bool,
        /// What is done, for the journal.
        deed: Deed,
    },
    /// Where the user is.
    Whereabouts(Whereabouts),
}

/// What is done with a reminder, as the journal names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Deed {
    /// Shown, and leased.
    Delivered,
    /// Seen to.
    Acknowledged,
    /// Put off.
    Snoozed,
    /// Called off.
    Cancelled,
    /// Its event or context came.
    Fired,
    /// Never acknowledged.
    Expired,
    /// Changed.
    Changed,
    /// Its instant was computed anew.
    Moved,
    /// Whoever was to be shown it did not take it.
    Released,
    /// Held back, or let go.
    Held,
}

/// Look at the stored reminders.
#[derive(Debug, Clone)]
pub struct LookAtReminders {
    /// Which.
    pub which: Looked,
    /// The time now.
    pub at: Timestamp,
}

/// Which reminders are looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Looked {
    /// Every one that is open.
    Open,
    /// Closed ones too.
    All,
    /// One.
    One(TraceId),
    /// Open ones that a timer must look at by a time.
    LookedAtBy(Timestamp),
    /// Open ones that wait for an event.
    Event(String),
    /// None; only what is told beside them.
    Nothing,
}

/// What was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenReminders {
    /// They, by id.
    pub reminders: Vec<Reminder>,
    /// Where the user is, as far as they told.
    pub whereabouts: Whereabouts,
    /// When a timer must look next; a time that is past where something is due and not acknowledged.
    pub next_look: Option<Timestamp>,
    /// When a timer must look for the first time after now.
    pub upcoming: Option<Timestamp>,
    /// Events that open ones wait for.
    pub events: Vec<String>,
    /// Contexts whose meaning is still to be made, at most a batch of them.
    pub contexts: Vec<(TraceId, String)>,
}

/// Meanings of contexts, by the embedder that makes cues. They are not stored.
#[derive(Debug, Clone)]
pub struct PlaceMeanings {
    /// Of which reminders.
    pub meanings: Vec<(TraceId, UnitVector)>,
}

/// Note durably that reminders are being shown; until the lease ends, nobody else is shown them.
#[derive(Debug, Clone)]
pub struct LeaseReminders {
    /// They.
    pub shown: Vec<DueReminder>,
    /// The recall that showed them, if one did.
    pub recall: Option<RecallId>,
    /// They are being pushed by a door of this process, and the lease ends with it.
    pub pushed: bool,
    /// When.
    pub at: Timestamp,
}

/// The doors of the store that reminders need.
#[derive(Debug, Clone)]
pub struct ReminderStorePorts {
    /// Change. The reply is what is there now, in the order of the changes.
    pub store: ReplyRecipient<StoreReminders, Vec<Reminder>, MemoryError>,
    /// Look.
    pub look: ReplyRecipient<LookAtReminders, SeenReminders, MemoryError>,
    /// Note that they are being shown; those that nobody else is shown already are given.
    pub lease: ReplyRecipient<LeaseReminders, Vec<DeliveryId>, MemoryError>,
    /// What is due now.
    pub due: ReplyRecipient<Due, Vec<DueReminder>, MemoryError>,
    /// Give contexts their meanings.
    pub place_meanings: Recipient<PlaceMeanings>,
}

/// A reminder on its way to somebody.
#[derive(Debug, Clone, PartialEq)]
pub struct Parcel {
    /// Whose.
    pub space: SpaceId,
    /// What.
    pub due: DueReminder,
    /// When it was due, in words and in the user's zone.
    pub when: String,
    /// When it is handed over.
    pub at: Timestamp,
}

/// Nobody took a reminder, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotTaken(pub String);

/// Whoever can show a reminder at its time: open conversations, commands, webhooks.
pub trait Couriers: Send + Sync + fmt::Debug {
    /// Whether this process stays in the background, so that what comes due is told at its time.
    fn stay(&self) -> bool;

    /// Whether somebody is there to be shown reminders of a space.
    fn present(&self, space: &SpaceId) -> bool;

    /// Shows it to one of them, and to the next where that fails; the answer names the door that took it. Whoever took
    /// it is never shown it twice by the same call.
    fn deliver<'a>(
        &'a self,
        parcel: &'a Parcel,
    ) -> Pin<Box<dyn Future<Output = Result<&'static str, NotTaken>> + Send + 'a>>;
}

/// When a space must be looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Upcoming {
    /// By when, in whatever process; past where something is due that nobody took.
    pub by: Option<Timestamp>,
    /// When this process looks next: `by`, or later where looking earlier is of no use.
    pub strike: Option<Timestamp>,
    /// Events that it waits for.
    pub events: Vec<String>,
}

/// Keeps when a space must wake, across restarts.
pub trait NextLook: Send + Sync + fmt::Debug {
    /// Makes durable that the space must be looked at by then or earlier, and which events it waits for beyond those
    /// known. Called before the commit that needs it.
    fn lower<'a>(
        &'a self,
        space: &'a SpaceId,
        by: Option<Timestamp>,
        event: Option<&'a str>,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

    /// Says how it really is, once that is known.
    fn set<'a>(&'a self, space: &'a SpaceId, next: Upcoming)
    -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;
}
