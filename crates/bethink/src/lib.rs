//! Bethink as a library: an agent that remembers, in your own program.
