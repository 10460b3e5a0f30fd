//! What a message says about reminders, before they are asked.

use bethink_protocol::{Act, Which};
use bethink_text::requests;
use bethink_text::times::{self, Locale, Standpoint};
use bethink_text::zone_named;
use jiff::civil;

/// Longer messages wish no reminder: they are documents.
const READ_BYTES_MAX: usize = 4 * 1024;
/// Longer messages answer no "what time?".
const ANSWER_BYTES_MAX: usize = 200;

/// What a message says about reminders.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Intends {
    /// It wishes one.
    Wish {
        /// What is wished is named by a word that points elsewhere ("flag this").
        points: bool,
    },
    /// Something is to be done with one.
    Act(Which, Act),
    /// They are asked for.
    List,
    /// It tells where the user is.
    Zone {
        /// IANA name.
        zone: String,
        /// Until when, in words.
        until: Option<String>,
    },
}

/// A wall clock for telling what a message is about; what it means is read by the user's own.
fn anywhere() -> Standpoint {
    Standpoint { now: civil::date(2026, 1, 5).at(12, 0, 0, 0), locale: Locale::default() }
}

/// What a message says about reminders, and whether it says nothing else.
pub(crate) fn intends(text: &str) -> Option<(Intends, bool)> {
    if text.len() > READ_BYTES_MAX {
        return None;
    }
    let request = requests::request(text, &anywhere())?;
    let points = ["this", "that", "it", ""].contains(&request.what.trim().to_lowercase().as_str());
    Some((Intends::Wish { points }, true))
}

/// Whether a message may answer what was missing for a reminder: a time, a zone.
pub(crate) fn answers(text: &str) -> bool {
    text.len() <= ANSWER_BYTES_MAX
        && (times::read(text, &anywhere()).is_some() || zone_named(text.trim()).is_some())
}
