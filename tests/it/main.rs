//! End-to-end tests: the real binary, the whole runtime, and the rules of the code.

mod tidy;
