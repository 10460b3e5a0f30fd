//! What went wrong, and whether asking again can help.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};

use super::secret::ApiKey;
use crate::language::ModelError;

/// Characters of what a server says that are passed on.
const SAID_CHARS_MAX: usize = 200;
/// The first pause before asking again; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause that nobody asked for.
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// A failed attempt.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: ModelError,
    pub(super) again: Again,
}

/// Whether to ask again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// It would end the same way, or say something twice.
    No,
    /// After a pause, as long as the server wants if it says so.
    After(Option<Duration>),
}

impl Failure {
    pub(super) fn last(error: ModelError) -> Self {
        Self { error, again: Again::No }
    }

    pub(super) fn passing(error: ModelError) -> Self {
        Self { error, again: Again::After(None) }
    }

    /// How long to wait before attempt `attempt` + 1, with `chance` from 0 to 1 so that many callers do not come back
    /// at once; none when asking again is no use.
    pub(super) fn pause(&self, attempt: u32, chance: f64) -> Option<Duration> {
        match self.again {
            Again::No => None,
            Again::After(None) => {
                let pause = FIRST_PAUSE.saturating_mul(1 << attempt.min(16)).min(LONGEST_PAUSE);
                Some(pause.mul_f64(0.5 + chance))
            }
            // Never sooner than asked for.
            Again::After(Some(wanted)) => Some(wanted + FIRST_PAUSE.mul_f64(chance)),
        }
    }
}

/// Who was asked, for what is said about failures.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) host: &'a str,
    pub(super) model: &'a str,
    pub(super) key: &'a ApiKey,
    /// The deadline of the whole call.
    pub(super) seconds: u64,
    /// The section of the configuration that says whom to ask.
    pub(super) section: &'static str,
}

impl Asked<'_> {
    /// An answer that is no success.
    pub(super) fn status(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Failure {
        let host = self.host.to_owned();
        let said = self.said(body);
        match status.as_u16() {
            401 | 403 => Failure::last(ModelError::Unauthorised { host, advice: self.key.advice() }),
            429 => {
                let wait = retry_after(headers);
                let seconds = wait.map(|wait| wait.as_secs());
                Failure { error: ModelError::RateLimited { host, seconds }, again: Again::After(wait) }
            }
            408 | 500..=599 => Failure {
                error: ModelError::Refused(format!("{host} failed with {status}{said}")),
                again: Again::After(retry_after(headers)),
            },
            300..=399 => Failure::last(ModelError::Refused(format!(
                "{host} sends to another address ({status}); set `base_url` under [{}] to it",
                self.section
            ))),
            404 => Failure::last(ModelError::Refused(format!(
                "{host} knows no model `{}` at this `base_url`{said}",
                self.model
            ))),
            413 => Failure::last(ModelError::ContextTooLong),
            _ if body.contains("does not support tools") => Failure::last(ModelError::Refused(format!(
                "`{}` can't call tools; set `tools = false` under [language]",
                self.model
            ))),
            _ if is_too_long(body) => Failure::last(ModelError::ContextTooLong),
            _ => Failure::last(ModelError::Refused(format!("{host} refused with {status}{said}"))),
        }
    }

    /// An error that a server told in the middle of its answer.
    pub(super) fn told(&self, body: &str) -> Failure {
        if is_too_long(body) {
            return Failure::last(ModelError::ContextTooLong);
        }
        let error = ModelError::BrokeOff(format!("{} failed{}", self.host, self.said(body)));
        if ["overloaded", "rate_limit", "server_error", "api_error"].iter().any(|kind| body.contains(kind)) {
            Failure::passing(error)
        } else {
            Failure::last(error)
        }
    }

    /// The connection failed.
    pub(super) fn transport(&self, error: &reqwest::Error) -> Failure {
        let reason = self.key.without(&innermost(error));
        if error.is_connect() {
            let reason = if error.is_timeout() { "it does not answer".to_owned() } else { reason };
            return Failure::passing(ModelError::Unreachable { host: self.host.to_owned(), reason });
        }
        if error.is_timeout() {
            return Failure::last(ModelError::Timeout { seconds: self.seconds });
        }
        Failure::passing(ModelError::BrokeOff(format!("the connection to {} ended ({reason})", self.host)))
    }

    /// The message within what a server said, short, on one line and without the key; empty when there is none.
    fn said(&self, body: &str) -> String {
        let parsed: Option<serde_json::Value> = serde_json::from_str(body).ok();
        let message = parsed.as_ref().and_then(|value| {
            let places = ["/error/message", "/message", "/error", "/detail"];
            places.iter().find_map(|place| value.pointer(place).and_then(serde_json::Value::as_str))
        });
        let message = self.key.without(message.unwrap_or_default());
        let line: String =
            message.split(|c: char| c.is_whitespace() || c.is_control()).collect::<Vec<_>>().join(" ");
        let short: String = line.trim().chars().take(SAID_CHARS_MAX).collect();
        if short.is_empty() { short } else { format!(": {short}") }
    }
}

/// Seconds from now; a date is left aside, since clocks differ.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds: f64 = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    (0.0..86_400.0).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

/// Servers say it in many ways.
fn is_too_long(body: &str) -> bool {
    let body = body.to_lowercase();
    [
        "context_length",
        "context length",
        "context size",
        "maximum context",
        "prompt is too long",
        "context window",
    ]
    .iter()
    .any(|words| body.contains(words))
}

/// The cause that says most: the outer ones repeat the address.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote::secret::Secret;

    #[test]
    fn pauses_grow_and_are_never_shorter_than_asked_for() {
        let passing = Failure::passing(ModelError::Empty);
        let pauses: Vec<u128> =
            (0..6).map(|attempt| passing.pause(attempt, 0.5).unwrap().as_millis()).collect();
        assert_eq!(pauses, [500, 1_000, 2_000, 4_000, 8_000, 8_000]);
        let range =
            (passing.pause(0, 0.0).unwrap().as_millis(), passing.pause(0, 0.999).unwrap().as_millis());
        assert_eq!(range, (250, 749));
        let asked = Failure { error: ModelError::Empty, again: Again::After(Some(Duration::from_secs(7))) };
        assert!(asked.pause(0, 0.0).unwrap() >= Duration::from_secs(7));
        assert_eq!(Failure::last(ModelError::Empty).pause(0, 0.5), None);
    }

    #[test]
    fn what_a_server_says_is_cut_and_holds_no_key() {
        let key = ApiKey::Known { from: "it comes from a test".to_owned(), key: Secret::new("sk-KUMQUAT") };
        let asked =
            Asked { host: "models.example.org:443", model: "m", key: &key, seconds: 1, section: "language" };
        let status = |code: u16, body: &str| {
            asked.status(StatusCode::from_u16(code).unwrap(), &HeaderMap::new(), body).error.to_string()
        };
        let check = |error: String, part: &str| {
            assert!(error.contains(part) && !error.contains("KUMQUAT"), "{part:?}: {error}");
            assert!(error.len() < 400 && !error.contains('\n'), "{error}");
        };
        check(status(401, "key sk-KUMQUAT is wrong"), "does not accept the key; it comes from a test");
        check(status(500, r#"{"error":{"message":"no\nluck with sk-KUMQUAT"}}"#), "failed with 500");
        check(status(500, &format!(r#"{{"message":"{}"}}"#, "x".repeat(9_999))), "xxx");
        check(status(404, r#"{"error":"model 'm' not found"}"#), "knows no model `m`");
        check(status(400, r#"{"error":{"code":"context_length_exceeded"}}"#), "context_tokens");
        check(status(307, ""), "`base_url`");
        check(status(400, r#"{"error":"m does not support tools"}"#), "`tools = false`");
        check(status(418, "<html>teapot</html>"), "refused with 418");
    }
}
