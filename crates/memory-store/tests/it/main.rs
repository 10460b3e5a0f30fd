//! The store through its actor, as its neighbours see it.

mod concurrency;
mod embedding;
mod files;
mod forgetting;
mod harness;
mod power;
mod stories;
mod story;
