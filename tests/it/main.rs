//! End-to-end tests: the real binary, the whole runtime, and the rules of the code.

mod binary;
mod cli;
mod conversation;
mod crash;
mod demo;
mod files;
mod tidy;
mod worked_example;
