//! Wishes to be reminded, and what is said about reminders: what of, when, on which event, near which topic.
//!
//! A wish is an imperative at the beginning of a sentence, or after a time that begins it ("every weekday at 8:30 remind
//! me to …"). Asking to be told again what was said ("remind me what …") wishes nothing. What is wished is taken word for
//! word: a time inside it ("the 9am slot") stays where it is, and is no trigger where another one was said.

mod commands;

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::sentences::sentences;
use crate::times::{self, Reading, Standpoint};

pub use commands::{Command, Target, Whereabouts, command, whereabouts};

/// Longest text in which a wish is looked for, in bytes.
const TEXT_BYTES_MAX: usize = 16 * 1024;
/// Sentences of it that are looked at.
const SENTENCES_MAX: usize = 64;

/// A wish to be reminded.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// What of, word for word; a word that points ("this") or nothing where it must be found elsewhere.
    pub what: String,
    /// When; with an event or a context, not before then.
    pub when: Option<Reading>,
    /// The event that is waited for, in the user's words ("the deployment completes") or by its name (`deploy.finished`).
    pub event: Option<String>,
    /// What the conversation has to come near.
    pub context: Option<String>,
    /// Tags that were said with "#".
    pub about: Vec<String>,
    /// The message says nothing else.
    pub whole: bool,
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("because the pattern is written here, and a test builds it")
}

/// What may stand before a wish.
static POLITE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:hey|hi|hello|ok|okay|oh|and|also|then|so|well|bethink|please|pls|kindly|just)\b[\s,!]*|(?:can|could|will|would) you (?:please |kindly )?|i(?:'d| would) like you to |i (?:want|need) you to |do )+",
    )
});

/// The head of a wish. What follows it is the task.
static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?ix)^(?:
            (?:remind|ping|nudge|alert|notify|prompt)\ (?:me|us)(?:\ (?:again|once|later))?
          | wake\ (?:me|us)(?:\ up)?
          | (?:set|create|add|make|schedule|give\ me|i\ (?:want|need)|i'd\ like)\ (?:me\ )?(?:an?|the|another|up\ an?)?\ ?(?:\w+\ )?(?:reminder|alarm|timer|alert)(?:\ for\ (?:me|us)\b)?
          | (?:do\ not|don't|dont|never)\ let\ me\ forget
          | (?:make\ sure|see\ to\ it)(?:\ that)?\ i\ (?:don't\ forget|do\ not\ forget|remember)
          | (?:flag|mark|save|keep)\ (?:this|that|it)\ for\ (?:a\ )?follow[\ -]?up
          | follow\ up\ (?:with\ me\ )?(?:on|about)\ (?:this|that|it)
          | follow\ up\ with\ me
          | tell\ me\ (?:again\ )?(?:to)
        )\b",
    )
});

/// A head after which nothing is wished: a question for what was said, or a sentence about reminding.
static NO_WISH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\s*[-–—,:]*\s*(?:what|who|whom|whose|which|where|why|how|if|whether|when (?:was|is|did|do|does|are|were|will|we|you|he|she|they|it)\b)",
    )
});

/// Imperatives that a time before them makes a wish: "at 9 tomorrow send me the summary".
static IMPERATIVE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:please )?(?:send|tell|give|show|read|turn|switch|call|text|email|start|stop|open|close|play|ask|check|run|order|book|buy)\b",
    )
});

/// Clauses that wait for a topic.
static CONTEXT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:(?:when|whenever|as soon as|once|if|(?:the )?next time(?: that)?|every time)\s+)(?:i|we|you|somebody|someone|anyone)(?:'re| are|'m| am)?\s+(?:next |ever |again )?(?:mention(?:s|ing)?|talk(?:s|ing)? about|speak(?:s|ing)? (?:about|of)|discuss(?:es|ing)?|bring(?:s|ing)? up|say(?:s|ing)?|ask(?:s|ing)? about|chat(?:ting)? about|think(?:ing)? about)\s+",
    )
});

/// Clauses that wait for something to happen.
static EVENT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:when|once|as soon as|after|if|whenever|on)\s+"));

/// The name of an event as it is raised.
static EVENT_NAME: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)+$"));

static TAG: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:^|\s)#([\p{L}\p{N}_-]{1,64})"));

/// The wish of a message, if it has one.
#[must_use]
pub fn request(text: &str, standpoint: &Standpoint) -> Option<Request> {
    let bound = text.floor_char_boundary(TEXT_BYTES_MAX);
    let text = &plain(&text[..bound]);
    let spans: Vec<Range<usize>> = sentences(text).into_iter().take(SENTENCES_MAX).collect();
    let found = spans
        .iter()
        .enumerate()
        .find_map(|(at, span)| Some((at, wish(text[span.clone()].trim(), standpoint)?)));
    let (at, mut request) = found?;
    // A list of points that follows belongs to it; another sentence says something else.
    request.whole = spans.len() == 1
        || spans.iter().enumerate().all(|(n, span)| n == at || text[span.clone()].trim().len() < 3);
    Some(request)
}

/// A wish whose head goes without saying, as a form or a command line gives it: "1830 call Ann", "feed the cats tomorrow".
#[must_use]
pub fn bare_request(text: &str, standpoint: &Standpoint) -> Request {
    let bound = text.floor_char_boundary(TEXT_BYTES_MAX);
    let text = led(&plain(&text[..bound]));
    request(&text, standpoint).unwrap_or_else(|| parts(text.trim(), standpoint))
}

/// At the very beginning, digits are a time of day.
fn led(text: &str) -> String {
    if LEADING_DIGITS.is_match(text) { format!("at {text}") } else { text.to_owned() }
}

static LEADING_DIGITS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:[01]?\d|2[0-3])(?:[.]?[0-5]\d)\s+\p{L}"));

fn plain(text: &str) -> String {
    text.replace(['’', 'ʼ'], "'").replace(['“', '”'], "\"").replace('\u{a0}', " ")
}

fn wish(sentence: &str, standpoint: &Standpoint) -> Option<Request> {
    let body = POLITE.find(sentence).map_or(sentence, |found| &sentence[found.end()..]);
    let body = &led(body);
    if let Some(head) = HEAD.find(body) {
        let rest = &body[head.end()..];
        return headed(head.as_str(), rest, sentence, standpoint);
    }
    // A trigger may stand before the head: "on the last Friday of each month remind me to …".
    let (lead, after) = leading(body, standpoint)?;
    let after = after.trim_start_matches([',', ' ', ':', '-']);
    let after = POLITE.find(after).map_or(after, |found| &after[found.end()..]);
    let mut request = match HEAD.find(after) {
        Some(head) => headed(head.as_str(), &after[head.end()..], sentence, standpoint)?,
        None if IMPERATIVE.is_match(after) && lead.when.is_some() && !sentence.trim_end().ends_with('?') => {
            Request { what: task(after), ..empty() }
        }
        None => return None,
    };
    // Said first, it is the trigger; a time in the task then belongs to the task.
    if lead.when.is_some() {
        request.when = lead.when;
    }
    request.event = lead.event.or(request.event);
    request.context = lead.context.or(request.context);
    Some(request)
}

fn empty() -> Request {
    Request { what: String::new(), when: None, event: None, context: None, about: Vec::new(), whole: true }
}

/// A time, an event or a topic at the beginning of a sentence, and what follows it.
fn leading<'t>(body: &'t str, standpoint: &Standpoint) -> Option<(Request, &'t str)> {
    if let Some(found) = CONTEXT.find(body).filter(|found| found.start() == 0) {
        let rest = &body[found.end()..];
        let cut = find_head(rest).or_else(|| rest.find([',', ';']))?;
        let (context, bound) = rest[..cut].split_once([',', ';']).unwrap_or((&rest[..cut], ""));
        let mut request = Request { context: Some(trimmed(context)), ..empty() };
        not_before(&mut bound.to_owned(), &mut request, standpoint);
        return Some((request, &rest[cut..]));
    }
    if let Some(found) = EVENT.find(body).filter(|found| found.start() == 0 && !no_event(found.as_str())) {
        let rest = &body[found.end()..];
        let cut = rest.find([',', ';']).or_else(|| find_head(rest))?;
        let event = trimmed(&rest[..cut]);
        if event.contains(' ') && times::read(&event, standpoint).is_none() {
            return Some((Request { event: Some(event), ..empty() }, &rest[cut..]));
        }
    }
    let (span, reading) =
        times::find(body, standpoint).into_iter().next().filter(|(span, _)| span.start == 0)?;
    Some((Request { when: Some(reading), ..empty() }, &body[span.end..]))
}

/// Words that lead to times and conditions more often than to events.
fn no_event(lead: &str) -> bool {
    ["on", "if"].contains(&lead.trim().to_lowercase().as_str())
}

fn find_head(text: &str) -> Option<usize> {
    text.char_indices().filter(|(_, letter)| *letter == ' ').map(|(at, _)| at + 1).find(|at| {
        let rest = &text[*at..];
        let rest = POLITE.find(rest).map_or(rest, |found| &rest[found.end()..]);
        HEAD.is_match(rest)
    })
}

/// What follows a head.
fn headed(head: &str, rest: &str, sentence: &str, standpoint: &Standpoint) -> Option<Request> {
    let lower = head.to_lowercase();
    if NO_WISH.is_match(rest) {
        return None;
    }
    let points = lower.starts_with("flag")
        || lower.starts_with("mark")
        || lower.starts_with("save")
        || lower.starts_with("keep")
        || lower.starts_with("follow up");
    let named = lower.contains("alarm") || lower.contains("timer") || lower.starts_with("wake");
    let mut request = parts(rest, standpoint);
    if request.what.is_empty() && points {
        "this".clone_into(&mut request.what);
    }
    if request.what.is_empty() && named {
        let name = if lower.contains("timer") {
            "timer"
        } else if lower.contains("alarm") {
            "alarm"
        } else {
            "wake up"
        };
        name.clone_into(&mut request.what);
    }
    let triggered = request.when.is_some() || request.event.is_some() || request.context.is_some();
    // "Remind me about …" without a time, and "remind me of …", look back.
    let back = Regex::is_match(&ABOUT, rest);
    let asks = sentence.trim_end().ends_with('?') && !POLITE_QUESTION.is_match(sentence);
    if !triggered && (back || asks || (request.what.is_empty() && !points)) || asks && back {
        return None;
    }
    if (lower.starts_with("alert")
        || lower.starts_with("notify")
        || lower.starts_with("ping")
        || lower.starts_with("tell"))
        && request.what.is_empty()
    {
        request.what = request.event.clone().or_else(|| request.context.clone()).unwrap_or_default();
    }
    Some(request)
}

static ABOUT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^\s*(?:about|of)\b"));
static POLITE_QUESTION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^(?:\w+[ ,]+)?(?:can|could|will|would) you\b"));

/// Splits what follows a head into the task and its triggers.
fn parts(rest: &str, standpoint: &Standpoint) -> Request {
    let mut request = empty();
    let mut text = rest.trim().trim_end_matches(['.', '!', '?']).to_owned();
    request.about = TAG.captures_iter(&text).map(|tag| tag[1].to_owned()).take(16).collect();
    text = TAG.replace_all(&text, "").into_owned();
    take_context(&mut text, &mut request, standpoint);
    take_event(&mut text, &mut request, standpoint);
    if request.when.is_none() {
        take_time(&mut text, &mut request, standpoint);
    }
    request.what = task(&text);
    request
}

/// A clause ends at a comma, or where the task begins with "to".
fn clause_end(rest: &str, initial: bool) -> usize {
    let comma = rest.find([',', ';']);
    let task = if initial { rest.find(" to ") } else { None };
    [comma, task].into_iter().flatten().min().unwrap_or(rest.len())
}

fn take_context(text: &mut String, request: &mut Request, standpoint: &Standpoint) {
    let Some(found) = CONTEXT.find(text) else { return };
    let rest = &text[found.end()..];
    let end = clause_end(rest, text[..found.start()].trim().is_empty());
    let mut context = rest[..end].to_owned();
    let mut left = rest[end..].trim_start_matches([',', ';']).to_owned();
    // "…, after Friday" is the time before which it stays quiet.
    not_before(&mut left, request, standpoint);
    not_before(&mut context, request, standpoint);
    request.context = Some(trimmed(&context));
    *text = format!("{} {left}", &text[..found.start()]);
}

/// Takes "after Friday", "from Monday on", "not before May" away from a clause.
fn not_before(text: &mut String, request: &mut Request, standpoint: &Standpoint) {
    static BOUND: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)(?:^|[\s,])(?:(?:but )?(?:only )?(?:not before|not until|after|from|starting|once it's past))\s+",
        )
    });
    let Some(found) = BOUND.find(text) else { return };
    let rest = &text[found.end()..];
    let Some((span, reading)) =
        times::find(rest, standpoint).into_iter().next().filter(|(span, _)| span.start == 0)
    else {
        return;
    };
    request.when = Some(after_day(reading, found.as_str()));
    let left = format!("{} {}", &text[..found.start()], rest[span.end..].trim_start_matches(" on"));
    *text = left;
}

/// After a day is the day after it, from its beginning.
fn after_day(reading: Reading, lead: &str) -> Reading {
    match reading {
        Reading::At(mut moment) if moment.time.is_none() && lead.to_lowercase().contains("after") => {
            moment.date = moment.date.tomorrow().unwrap_or(moment.date);
            moment.time = Some(jiff::civil::Time::midnight());
            Reading::At(moment)
        }
        Reading::At(mut moment) if moment.time.is_none() => {
            moment.time = Some(jiff::civil::Time::midnight());
            Reading::At(moment)
        }
        other => other,
    }
}

fn take_event(text: &mut String, request: &mut Request, standpoint: &Standpoint) {
    for found in EVENT.find_iter(&text.clone()) {
        let initial = text[..found.start()].trim().is_empty();
        let rest = &text[found.end()..];
        let end = clause_end(rest, initial);
        let clause = trimmed(&rest[..end]);
        let lead = found.as_str().trim().to_lowercase();
        let exact = EVENT_NAME.is_match(clause.split_whitespace().next().unwrap_or_default());
        let name = clause.split_whitespace().next().unwrap_or_default().to_owned();
        if exact {
            request.event = Some(name.clone());
            let after = rest.trim_start().get(name.len()..).unwrap_or_default().to_owned();
            *text = format!("{} {after}", &text[..found.start()]);
            return;
        }
        let timed = times::find(rest, standpoint).first().is_some_and(|(span, _)| span.start == 0);
        // "after" and "on" lead to times and to places more often than to events.
        if timed
            || lead == "on"
            || lead == "if"
            || clause.split_whitespace().count() < 2
            || lead == "after" && !HAPPENS.is_match(&clause)
        {
            continue;
        }
        request.event = Some(clause);
        *text = format!("{} {}", &text[..found.start()], &rest[end..]);
        return;
    }
}

static HAPPENS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:finish(?:es|ed)?|completes?d?|ends?|is (?:done|over|ready|finished|complete)|fails?|starts?|arrives?|lands?|closes?)\b",
    )
});

/// The time that was said first or last; one in the middle where there is no other, which then stays in the task too.
fn take_time(text: &mut String, request: &mut Request, standpoint: &Standpoint) {
    let found = times::find(text, standpoint);
    let before = |span: &Range<usize>| {
        let lead = text[..span.start].trim().to_lowercase();
        ["", "for", "about it", "this", "that", "it", "again"].contains(&lead.as_str())
    };
    let after = |span: &Range<usize>| text[span.end..].trim().trim_matches(['.', ',', '!', '?']).is_empty();
    let first = found.iter().find(|(span, _)| before(span));
    let last = found.iter().rev().find(|(span, _)| after(span));
    if let Some((span, reading)) = first.or(last).cloned() {
        let head = text[..span.start].trim_end().trim_end_matches(',');
        let head = head.strip_suffix(" for").unwrap_or(head);
        let head = if head.eq_ignore_ascii_case("for") { "" } else { head };
        *text = format!("{head} {}", text[span.end..].trim_start_matches([',', ' ']));
        request.when = Some(reading);
        return;
    }
    if let [(_, reading)] = found.as_slice() {
        request.when = Some(reading.clone());
    }
}

/// The task without the words that lead to it.
fn task(text: &str) -> String {
    static LEAD: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"(?i)^(?:[\s,:;-]|(?:to|that|about|of|for me|please|and|also)\b(?:\s+(?:to|that)\b)?)+")
    });
    let text = text.trim();
    let text = LEAD.find(text).map_or(text, |found| &text[found.end()..]);
    trimmed(text)
}

fn trimmed(text: &str) -> String {
    let text = text.trim().trim_end_matches(['.', ',', ';', '!', '?']).trim();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
