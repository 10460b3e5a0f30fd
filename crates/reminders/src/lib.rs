//! Prospective memory: intentions with a trigger, from a wish in words to their delivery.
//!
//! What becomes of a reminder is decided by functions from one state to the next (`transitions`); the actor asks memory,
//! tells the outside through [`Couriers`](bethink_protocol::Couriers) and keeps no truth of its own. A reminder is kept
//! in memory before it is promised, leased there before it is shown, and acknowledged there once it was seen: a crash at
//! any moment loses none, and whoever may have seen one before is told so.
//!
//! What is absent: ranking (memory shows what is due), words of a conversation (the Planner says them), and a timer (one
//! for the whole process strikes for whoever is next).

mod actor;
mod attend;
mod events;
mod look;
mod raising;
mod schedule;
mod shared;
mod telling;
mod transitions;

pub use actor::{Reminders, ports};
pub use events::same_event;
pub use shared::RemindersArgs;
