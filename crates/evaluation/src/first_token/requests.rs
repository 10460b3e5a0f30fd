//! What a server was sent, compared byte for byte.

use bethink_testkit::Seen;
use serde_json::Value;

/// The requests of a measurement, as the server saw them: each turn's, and after it that of the endpoint alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Requests {
    /// All of them.
    pub count: usize,
    /// Of them, those that warmed up and are left out of all below.
    pub warm_ups: usize,
    /// Turns that sent one.
    pub turns: usize,
    /// Of them, those after which the endpoint alone was sent the same bytes.
    pub same: usize,
    /// Requests of turns that followed one of the same conversation.
    pub consecutive: usize,
    /// Of them, those that began with all that stood before the last message of the one before, and offered the same
    /// tools.
    pub shared: usize,
    /// How much of what stood before the last message the next request kept, in bytes from its beginning: 0 to 1, the
    /// mean; 1 when nothing followed.
    pub kept: f64,
}

impl Requests {
    /// Compares the requests, oldest first, of which the first `warm_ups` are left out.
    pub(crate) fn of(seen: &[Seen], warm_ups: usize) -> Self {
        let measured = seen.get(warm_ups..).unwrap_or_default();
        let turns: Vec<&Seen> = measured.iter().step_by(2).collect();
        let same = measured.chunks(2).filter(|pair| matches!(pair, [a, b] if a.body == b.body)).count();
        let kept: Vec<f64> = turns.windows(2).map(|two| kept(two[0], two[1])).collect();
        let mean = if kept.is_empty() { 1.0 } else { kept.iter().sum::<f64>() / kept.len() as f64 };
        Self {
            count: seen.len(),
            warm_ups: warm_ups.min(seen.len()),
            turns: turns.len(),
            same,
            consecutive: kept.len(),
            shared: kept.iter().filter(|share| **share >= 1.0).count(),
            kept: mean,
        }
    }
}

/// How much of what stands before the last message of one request begins the next, 0 to 1. Nothing when the tools
/// differ: servers put them ahead of all messages.
fn kept(before: &Seen, after: &Seen) -> f64 {
    let (one, next) = (before.json(), after.json());
    let Some(prefix) = prefix(&before.body, &one).filter(|_| one["tools"] == next["tools"]) else {
        return 0.0;
    };
    let common = prefix.bytes().zip(after.body.bytes()).take_while(|(a, b)| a == b).count();
    common as f64 / prefix.len() as f64
}

/// A request's bytes up to its last message.
fn prefix<'a>(body: &'a str, json: &Value) -> Option<&'a str> {
    let last = json["messages"].as_array()?.last()?.to_string();
    body.rfind(&last).map(|place| &body[..place]).filter(|prefix| !prefix.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Requests, Seen};

    fn seen(messages: &[&str], tool: &str) -> Seen {
        let messages: Vec<_> = messages.iter().map(|text| json!({ "content": text })).collect();
        let body = json!({ "messages": messages, "tools": [tool] }).to_string();
        Seen { path: "/v1/chat/completions".to_owned(), headers: Vec::new(), body }
    }

    fn check(requests: &[(&[&str], &str)], expected: (usize, usize, usize)) {
        // Each turn's request, and the same again.
        let seen: Vec<Seen> = requests
            .iter()
            .flat_map(|(messages, tool)| [seen(messages, tool), seen(messages, tool)])
            .collect();
        let compared = Requests::of(&seen, 0);
        assert_eq!((compared.same, compared.consecutive, compared.shared), expected, "{compared:?}");
    }

    #[test]
    fn a_prefix_is_shared_up_to_the_last_message() {
        let first: (&[&str], &str) = (&["be kind", "context, question"], "t");
        check(&[first], (1, 0, 0));
        check(&[first, (&["be kind", "question", "answer", "another"], "t")], (2, 1, 1));
        check(&[first, (&["be cruel", "question", "answer", "another"], "t")], (2, 1, 0));
        check(&[first, (&["be kind", "question", "answer", "another"], "u")], (2, 1, 0));
    }
}
