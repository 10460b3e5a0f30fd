//! The Executor: makes the reply to a planned message.
//!
//! It puts the prompt together within the model's limits, keeps the few things that each session has in mind, calls
//! the model outside its mailbox, streams the words, and tells which of the shown traces the reply really used. A
//! model may call tools meanwhile; those that ask memory only look, and what they would change is handed back in the
//! outcome.

mod actor;
mod attribution;
mod config;
mod ear;
mod persona;
mod prompt;
mod stems;
mod tags;
#[cfg(test)]
mod testing;
mod tools;
mod turn;
mod working_memory;

pub use actor::{Executor, ExecutorArgs};
pub use config::{ExecutorConfig, Shares};
pub use tools::{ToolFault, check_tools};
