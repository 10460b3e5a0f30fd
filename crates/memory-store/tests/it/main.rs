//! The store through its actor, as its neighbours see it.

mod backup;
mod concurrency;
mod doctor;
mod embedding;
mod files;
mod fixture;
mod forgetting;
mod harness;
mod journal;
mod life;
mod looking;
mod migrating;
mod moving;
mod power;
mod recall;
mod renewing;
mod sealing;
mod segments;
mod stories;
mod story;
