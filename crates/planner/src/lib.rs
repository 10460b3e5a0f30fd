//! The Planner: first to receive every message.
//!
//! It reads a message, decides what it needs of memory, asks memory once, has the Executor answer, and has the turn
//! kept once the answer is complete. The decisions are pure functions of the words and one embedding ([`hear`],
//! [`decide`], [`Strategy::cue`], [`drafts`]); the actor around them only asks and waits.
//!
//! What is absent: the Planner writes no words of a reply, calls no model, and holds no memory of its own but what the
//! last reply of a session used or offered.

mod accepting;
mod actor;
mod config;
mod cue;
mod heard;
mod intends;
mod intent;
mod lane;
mod ports;
mod prototypes;
mod sessions;
mod stated;
mod turn;

pub use actor::{Planner, PlannerArgs};
pub use config::{Depths, PlannerConfig};
pub use cue::Strategy;
pub use heard::{Heard, Need, hear};
pub use intent::decide;
pub use prototypes::{PrototypeShelf, Prototypes, prototype_sentences};
pub use stated::{Stated, drafts};
