//! The `bethink` binary.
fn main() {}
