//! Doors into a running Bethink.
//!
//! A [`Door`] takes requests and gives streams of responses. [`LocalDoor`] calls the runtime in this process;
//! [`SocketDoor`] talks to the process that owns the data; [`serve`] lets others in through the Unix socket, by way of a
//! `LocalDoor`. All of them speak the shapes of `bethink_api`, so a command does not know which it uses.

mod backup;
mod client;
mod courier;
mod doctor;
mod door;
mod embedder;
mod frames;
mod local;
mod reminders;
mod server;
mod status;
mod transfer;

pub use client::SocketDoor;
pub use courier::{OnDue, Posted};
pub use door::{Door, DoorFuture, Responses, closed};
pub use local::LocalDoor;
pub use server::{Server, open_socket, serve};
