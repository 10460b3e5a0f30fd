//! Stand-in.
use jiff::civil;
/// Stand-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recurrence;
impl Recurrence {
    /// Stand-in.
    #[must_use]
    pub fn to_rrule(&self) -> String {
        String::new()
    }
    /// Stand-in.
    pub fn parse_rrule(_: &str) -> Result<Self, String> {
        Ok(Self)
    }
    /// Stand-in.
    #[must_use]
    pub fn next_after(&self, _: civil::DateTime, _: civil::DateTime) -> Option<civil::DateTime> {
        None
    }
}
