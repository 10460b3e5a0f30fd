//! What a message says about reminders, before they are asked.

use bethink_protocol::{Act, Which};
use bethink_text::requests::{self, Command, Target, Whereabouts};
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
    let now = civil::date(2026, 1, 5).at(12, 0, 0, 0);
    Standpoint { now, locale: Locale::default(), default_time: civil::time(9, 0, 0, 0) }
}

/// What a message says about reminders, and whether it says nothing else.
pub(crate) fn intends(text: &str) -> Option<(Intends, bool)> {
    if text.len() > READ_BYTES_MAX {
        return None;
    }
    if let Some(request) = requests::request(text, &anywhere()) {
        let points = ["this", "that", "it", ""].contains(&request.what.trim().to_lowercase().as_str());
        return Some((Intends::Wish { points }, request.whole));
    }
    if let Some(command) = requests::command(text) {
        let which = |target: Target| match target {
            Target::That => Which::LastShown,
            Target::Named(words) => Which::Named(words),
        };
        let act = match command {
            Command::List => return Some((Intends::List, true)),
            Command::Done(target) => Intends::Act(which(target), Act::Done),
            Command::Snooze(target, until) => Intends::Act(which(target), Act::Snooze(until)),
            Command::Cancel(target) => Intends::Act(which(target), Act::Cancel),
            Command::Move(target, when) => {
                Intends::Act(which(target), Act::Change { when: Some(when), text: None })
            }
        };
        return Some((act, true));
    }
    let Whereabouts { zone, until } = requests::whereabouts(text)?;
    Some((Intends::Zone { zone, until }, false))
}

/// Whether a message may answer what was missing for a reminder: a time, a zone.
pub(crate) fn answers(text: &str) -> bool {
    text.len() <= ANSWER_BYTES_MAX
        && (times::read(text, &anywhere()).is_some()
            || times::read(&format!("at {text}"), &anywhere()).is_some()
            || zone_named(text.trim()).is_some())
}
