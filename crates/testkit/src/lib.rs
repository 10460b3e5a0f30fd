//! What tests of several crates share; a dev-dependency alone.
