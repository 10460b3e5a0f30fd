//! A space's file. Everything that knows the database is below this module.

pub(crate) mod commit;
pub(crate) mod copy;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod faulty;
pub(crate) mod load;
pub(crate) mod migrate;
pub(crate) mod open;
pub(crate) mod read;
pub(crate) mod rewrite;
pub(crate) mod sealed;
pub(crate) mod shadow;
pub(crate) mod slot;
pub(crate) mod switch;
pub(crate) mod tables;
#[cfg(test)]
mod tests;
