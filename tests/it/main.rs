//! End-to-end tests: the real binary, the whole runtime, and the rules of the code.

#![expect(clippy::unwrap_used, reason = "a test that can't set its stage fails")]

mod backup;
mod bench;
mod binary;
mod cli;
mod config;
mod conversation;
mod crash;
mod demo;
mod doctor;
mod egress;
mod embedders;
mod faded;
mod files;
mod forgetting;
mod looking;
mod models;
mod own_binary;
mod reminders;
mod restoring;
mod serving;
mod storage;
mod tidy;
mod transfer;
mod worked_example;
