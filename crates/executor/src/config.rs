//! What can be tuned.

use bethink_domain::Bounded;
use serde::Deserialize;

/// Numbers and words of the Executor, `[executor]` in the configuration.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExecutorConfig {
    /// What the agent is told about itself, ahead of everything else. Rules on memories and tags follow it always.
    pub instructions: String,
    /// Tokens of the model's context that are kept free for the reply, at least 1. At most half of a small context
    /// is taken for it. 1,024 is a page of text.
    pub reply_reserve_tokens: usize,
    /// Seconds from the call of the model to its last word, with the tools that it calls, 1 to 3,600. A local model on a slow machine needs two
    /// minutes for a long answer.
    pub deadline_seconds: u64,
    /// Rounds of tool calls within one turn, 0 to 16; 0 offers no tools. A look, a second look and a note take three.
    pub tool_steps_max: usize,
    /// Seconds that one call of a tool may take, 1 to 600. The turn's own deadline stands beside it.
    pub tool_seconds: u64,
    /// Longest answer of a tool in bytes, 256 to 1,048,576; what is longer is cut. A page is some 3 KB.
    pub tool_answer_bytes_max: usize,
    /// How the rest of the context is shared out.
    pub shares: Shares,
    /// Sessions whose working memory is kept, 1 to 10,000; the longest unused one goes first. One takes some 30 KB.
    pub sessions_max: usize,
    /// Minutes without a turn after which a session's working memory is dropped, at least 1.
    pub session_idle_minutes: u32,
}

/// Shares of the prompt, as weights: only their proportions matter. What a section leaves unused flows on to the
/// message, the instructions, the context and the conversation, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Shares {
    /// Instructions and personality, 0 to 100.
    pub instructions: u8,
    /// Earlier turns, 0 to 100.
    pub conversation: u8,
    /// The date and recalled traces, 0 to 100. The largest: recalling is what the agent is for.
    pub context: u8,
    /// The user's message, 0 to 100.
    pub message: u8,
}

impl ExecutorConfig {
    /// The numbers, and what they may be.
    #[must_use]
    pub fn bounds(&self) -> Vec<Bounded> {
        let Shares { instructions, conversation, context, message } = self.shares;
        vec![
            Bounded::new("reply_reserve_tokens", self.reply_reserve_tokens as f64, 1.0, f64::INFINITY),
            Bounded::new("deadline_seconds", self.deadline_seconds as f64, 1.0, 3_600.0),
            Bounded::new("tool_steps_max", self.tool_steps_max as f64, 0.0, 16.0),
            Bounded::new("tool_seconds", self.tool_seconds as f64, 1.0, 600.0),
            Bounded::new("tool_answer_bytes_max", self.tool_answer_bytes_max as f64, 256.0, 1_048_576.0),
            Bounded::new("sessions_max", self.sessions_max as f64, 1.0, 10_000.0),
            Bounded::new("session_idle_minutes", f64::from(self.session_idle_minutes), 1.0, f64::INFINITY),
            Bounded::new("shares.instructions", f64::from(instructions), 0.0, 100.0),
            Bounded::new("shares.conversation", f64::from(conversation), 0.0, 100.0),
            Bounded::new("shares.context", f64::from(context), 0.0, 100.0),
            Bounded::new("shares.message", f64::from(message), 0.0, 100.0),
        ]
    }
}

impl Default for ExecutorConfig {
    fn default() -> Self {
        Self {
            instructions: "You are a companion that remembers. Rely on your memories before general knowledge, say \
                           when something was told where that matters, and admit it when you have no memory of what \
                           is asked. Be brief and kind."
                .to_owned(),
            reply_reserve_tokens: 1_024,
            deadline_seconds: 120,
            tool_steps_max: 4,
            tool_seconds: 30,
            tool_answer_bytes_max: 16_384,
            shares: Shares::default(),
            sessions_max: 64,
            session_idle_minutes: 30,
        }
    }
}

impl Shares {
    /// True when nothing is given a share, so that no prompt could be made.
    #[must_use]
    pub fn are_none(self) -> bool {
        self.weights().iter().all(|share| *share == 0)
    }

    /// The weights in the order of the sections.
    pub(crate) fn weights(self) -> [usize; 4] {
        [self.instructions, self.conversation, self.context, self.message].map(usize::from)
    }
}

impl Default for Shares {
    fn default() -> Self {
        Self { instructions: 15, conversation: 25, context: 40, message: 20 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_keys_and_impossible_numbers_are_refused() {
        assert_eq!(toml::from_str::<ExecutorConfig>("").unwrap(), ExecutorConfig::default());
        assert!(ExecutorConfig::default().bounds().iter().all(Bounded::holds));
        assert!(toml::from_str::<ExecutorConfig>("deadline = 3").is_err());
        assert!(toml::from_str::<ExecutorConfig>("[shares]\nmemory = 3").is_err());
        let check = |text: &str, refused: &str| {
            let config = toml::from_str::<ExecutorConfig>(text).unwrap();
            let outside = config.bounds().into_iter().filter(|number| !number.holds());
            assert_eq!(outside.map(|number| number.key).collect::<Vec<_>>(), [refused], "{text}");
        };
        check("deadline_seconds = 0", "deadline_seconds");
        check("reply_reserve_tokens = 0", "reply_reserve_tokens");
        check("tool_steps_max = 17", "tool_steps_max");
        check("tool_seconds = 0", "tool_seconds");
        check("tool_answer_bytes_max = 1", "tool_answer_bytes_max");
        check("sessions_max = 0", "sessions_max");
        check("session_idle_minutes = 0", "session_idle_minutes");
        check("shares = { context = 101 }", "shares.context");
        let none = Shares { instructions: 0, conversation: 0, context: 0, message: 0 };
        assert!(none.are_none() && !Shares::default().are_none());
    }
}
