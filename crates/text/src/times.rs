//! Stand-in.
use jiff::civil;
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Locale {
    pub day_first: bool,
    pub week_starts: civil::Weekday,
    pub twelve_hour: bool,
}
impl Locale {
    pub fn from_tag(_: &str) -> Option<Self> {
        None
    }
}
impl Default for Locale {
    fn default() -> Self {
        Self { day_first: true, week_starts: civil::Weekday::Monday, twelve_hour: false }
    }
}
#[derive(Debug, Clone, Copy)]
pub struct Standpoint {
    pub now: civil::DateTime,
    pub locale: Locale,
}
#[derive(Debug, Clone)]
pub struct Moment {
    pub date: civil::Date,
    pub time: Option<civil::Time>,
    pub zone: Option<String>,
    pub hour_guessed: bool,
}
#[derive(Debug, Clone, Copy)]
pub struct Length {
    pub months: i64,
    pub days: i64,
    pub seconds: i64,
}
#[derive(Debug, Clone)]
pub struct Repetition;
#[derive(Debug, Clone)]
pub struct Doubt {
    pub why: DoubtKind,
    pub options: Vec<Moment>,
}
#[derive(Debug, Clone, Copy)]
pub enum DoubtKind {
    Past,
}
#[derive(Debug, Clone)]
pub enum Reading {
    At(Moment),
    After(Length),
    Every(Repetition),
    Unclear(Doubt),
}
pub fn read(_: &str, _: &Standpoint) -> Option<Reading> {
    None
}
