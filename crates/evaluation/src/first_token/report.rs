//! Times to the first word as people and programs read them.

use std::time::Duration;

use serde_json::{Value, json};

use super::requests::Requests;
use crate::report::{rounded, table, times};
use crate::score::Times;

/// What Bethink may add to the first word in 99 of 100 turns, in milliseconds. Reported beside what is measured.
const TARGET_MS: f64 = 25.0;

/// How long the first word took through whole turns, and from the endpoint alone.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstTokenReport {
    /// The profile that was in force.
    pub profile: String,
    /// Who makes the vectors.
    pub embedder: String,
    /// Which model at which address; none for the scripted server.
    pub endpoint: Option<String>,
    /// What the scripted server waits before its first word.
    pub delay: Duration,
    /// Traces in the space at the start.
    pub traces: usize,
    /// Turns that were taken.
    pub turns: usize,
    /// Of them, those that could be compared: the model spoke at once, and called no tool first.
    pub pairs: usize,
    /// From a message to the first word of its reply, through a whole turn.
    pub turn: Times,
    /// Of it, until the provider was handed the prompt.
    pub before_request: Times,
    /// From the same request to the first word, with no Bethink around.
    pub bare: Times,
    /// What each turn took longer than the endpoint alone; less than 0 when it was faster.
    pub overhead: Times,
    /// What the scripted server was sent.
    pub requests: Option<Requests>,
}

impl FirstTokenReport {
    /// A table; ends with a line break.
    #[must_use]
    pub fn human(&self) -> String {
        let rows = [
            ("a turn, from the message to its first word", &self.turn),
            ("  of it, until the request is sent", &self.before_request),
            ("the endpoint alone, to its first word", &self.bare),
            ("the overhead, by pairs", &self.overhead),
        ];
        let endpoint = match &self.endpoint {
            Some(endpoint) => format!(
                "{endpoint}; asked second, the endpoint alone may find the prompt in its cache, which makes the \
                 overhead look larger"
            ),
            None => format!("scripted, on loopback, its first word after {} ms", self.delay.as_millis()),
        };
        let requests = self.requests.map(said).unwrap_or_default();
        format!(
            "{} of {} turns compared, in a space of {} traces; profile {}; embedder {}\n\
             endpoint: {endpoint}\n\
             the endpoint alone is the same provider sending the same request, in turns with Bethink, with no Bethink \
             around\n\n{}\n\n\
             target: an overhead of at most {TARGET_MS} ms (p99)\n{requests}",
            self.pairs,
            self.turns,
            self.traces,
            self.profile,
            self.embedder,
            table(&rows, 44),
        )
    }

    /// One object, times in milliseconds; `requests` is null unless the server is the scripted one.
    #[must_use]
    pub fn json(&self) -> Value {
        let requests = self.requests.map(|requests| {
            json!({
                "count": requests.count,
                "warm_ups": requests.warm_ups,
                "turns": requests.turns,
                "same_as_endpoint_alone": requests.same,
                "consecutive": requests.consecutive,
                "prefix_shared": requests.shared,
                "prefix_kept": rounded(requests.kept),
            })
        });
        json!({
            "profile": self.profile,
            "embedder": self.embedder,
            "endpoint": self.endpoint,
            "scripted_delay_ms": self.endpoint.is_none().then_some(self.delay.as_millis() as u64),
            "traces": self.traces,
            "turns": self.turns,
            "pairs": self.pairs,
            "turn": times(&self.turn),
            "before_request": times(&self.before_request),
            "endpoint_alone": times(&self.bare),
            "overhead": times(&self.overhead),
            "target_overhead_p99_ms": TARGET_MS,
            "requests": requests,
        })
    }
}

fn said(requests: Requests) -> String {
    let Requests { count, warm_ups, turns, same, consecutive, shared, kept } = requests;
    format!(
        "{count} requests, {warm_ups} of them to warm up; {same} of {turns} turns and the endpoint alone sent the same \
         bytes\n{shared} of {consecutive} consecutive requests of the conversation kept all up to the last message, byte \
         for byte; {:.0} % of it on average\n",
        100.0 * kept
    )
}
