//! The Executor: makes the reply to a planned message.
//!
//! It puts the prompt together within the model's limits, keeps the few things that each session has in mind, calls
//! the model outside its mailbox, streams the words, and tells which of the shown traces the reply really used. It
//! asks no other actor.

mod actor;
mod attribution;
mod config;
mod persona;
mod prompt;
mod tags;
#[cfg(test)]
mod testing;
mod turn;
mod working_memory;

pub use actor::{Executor, ExecutorArgs};
pub use config::{ExecutorConfig, Shares};
