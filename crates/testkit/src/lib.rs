//! What tests and measurements of several crates share: a model server on loopback that does what a script says,
//! misbehaviour included.

mod dialect;
mod server;

pub use dialect::Dialect;
pub use server::{Act, ModelServer, Seen};
