//! The mechanisms of memory as pure functions of state, parameters, time and chance.
