//! What is said about reminders that are there, and about where somebody is.

use std::sync::LazyLock;

use regex::Regex;

use super::{POLITE, pattern, plain};
use crate::times::place_at_start;

/// Which reminder is spoken of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The one that was shown last.
    That,
    /// By words of it.
    Named(String),
}

/// What is to be done with a reminder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// It was seen to.
    Done(Target),
    /// Show it again then, in words.
    Snooze(Target, String),
    /// Call it off.
    Cancel(Target),
    /// Another time, in words.
    Move(Target, String),
    /// Show them.
    List,
}

/// Where the user says they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whereabouts {
    /// IANA name.
    pub zone: String,
    /// Until when, in words.
    pub until: Option<String>,
}

/// What a message says about reminders that are there, if that is what it is about.
#[must_use]
pub fn command(text: &str) -> Option<Command> {
    if text.len() > 400 {
        return None;
    }
    let text = plain(text);
    let body = text.trim().trim_end_matches(['.', '!', '?']).to_lowercase();
    let body = POLITE.find(&body).map_or(body.as_str(), |found| &body[found.end()..]).trim();
    if LIST.is_match(body) {
        return Some(Command::List);
    }
    if let Some(found) = SNOOZE.captures(body) {
        let when = found.name("when").map(|m| m.as_str().trim().to_owned())?;
        return Some(Command::Snooze(target(found.name("what").map(|m| m.as_str())), when));
    }
    if let Some(found) = CANCEL.captures(body).filter(|_| body.contains("reminder")) {
        return Some(Command::Cancel(target(found.name("what").map(|m| m.as_str()))));
    }
    if let Some(found) = MOVE.captures(body) {
        let when = found.name("when").map(|m| m.as_str().trim().to_owned())?;
        return Some(Command::Move(target(found.name("what").map(|m| m.as_str())), when));
    }
    if let Some(found) = DONE.captures(body) {
        return Some(Command::Done(target(found.name("what").map(|m| m.as_str()))));
    }
    None
}

static LIST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:(?:show|list|give|tell|read) (?:me )?(?:all )?(?:of )?(?:my |the )?(?:open |pending )?reminders|what(?:'s| are| is)? (?:all )?(?:on )?(?:my |the )?(?:open |pending )?reminders(?: (?:are there|do i have|have i set|list))?|what reminders (?:do i have|are there|have i set|did i set).*|(?:do i have|are there) any (?:open |pending )?reminders|my reminders|(?:what|which) (?:do i have to|did i ask you to) remind.*)$",
    )
});
static SNOOZE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:(?:snooze|postpone|delay|put off)(?: (?P<what>that|it|this|.+?))??(?: reminder)?(?: (?:for|by|until|till|to))?|remind me (?:of (?:that|it) )?again|later:?) (?P<when>(?:in |at |on |until )?(?:\d|an?\b|half|one|two|three|four|five|six|ten|fifteen|twenty|thirty|tomorrow|tonight|next|monday|tuesday|wednesday|thursday|friday|saturday|sunday|noon|this).*)$",
    )
});
static CANCEL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:cancel|delete|remove|drop|call off|never ?mind|forget about|stop) (?:(?:that|this|the last|it|my last) reminder|(?:(?:the |my )?reminders? (?:about|for|to|of) |the |my )(?P<what>.+?)(?: reminder)?)$",
    )
});
static MOVE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:move|change|reschedule|shift|set) (?:(?:the |my )?(?P<what>.+?) reminder|(?:that|this|the last) reminder) (?:to|for|until) (?P<when>.+)$",
    )
});
static DONE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:(?:i )?(?:did|have done|already did|'ve done) (?:it|that)(?: already)?|(?:it's|that's|it is|that is|all) done|done(?: (?:with )?(?:it|that))?|mark (?:that|it|the reminder) (?:as )?done|(?:mark )?(?:the |my )(?P<what>.+?) reminder (?:as |is )done)$",
    )
});

fn target(words: Option<&str>) -> Target {
    let words = words.unwrap_or_default().trim();
    let words = words.strip_prefix("the ").or(words.strip_prefix("my ")).unwrap_or(words);
    if ["", "that", "it", "this", "last"].contains(&words) {
        Target::That
    } else {
        Target::Named(words.to_owned())
    }
}

/// Where the user says they are, where a message says that.
#[must_use]
pub fn whereabouts(text: &str) -> Option<Whereabouts> {
    static SAID: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^(?:my (?:time ?)?zone is|i(?:'m| am) (?:now |currently |staying |back )*(?:in|on|at)|i live in|i(?:'ve| have) moved to|i(?:'ll| will) be in|we(?:'re| are) (?:now |currently )*in|set my time ?zone to|use) (?:the )?",
        )
    });
    if text.len() > 200 {
        return None;
    }
    let text = plain(text);
    let body = text.trim().trim_end_matches(['.', '!']);
    let found = SAID.find(body)?;
    let rest = &body[found.end()..];
    let (zone, end) = place_at_start(rest)?;
    let after = rest[end..].trim();
    static UNTIL: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"(?i)^(?:time ?)?(?:zone )?[, ]*(?:now )?(?:(?:until|till|through|for)\s+(?P<until>.+))?$")
    });
    let until = UNTIL.captures(after)?;
    // "I'll be in Tokyo" tells of later; with an end it tells of now as well.
    let until = until.name("until").map(|until| until.as_str().trim().to_owned());
    let later = body.to_lowercase().starts_with("i'll be") || body.to_lowercase().starts_with("i will be");
    (!later).then_some(Whereabouts { zone, until })
}
