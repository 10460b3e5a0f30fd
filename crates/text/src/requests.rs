//! Stand-in.
use crate::times::{Reading, Standpoint};
#[derive(Debug, Clone)]
pub struct Request {
    pub what: String,
    pub when: Option<Reading>,
    pub event: Option<String>,
    pub context: Option<String>,
    pub about: Vec<String>,
}
pub fn request(_: &str, _: &Standpoint) -> Option<Request> {
    None
}
