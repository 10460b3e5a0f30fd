//! What can be tuned.

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
    /// Seconds from the call of the model to its last word, 1 to 3,600. A local model on a slow machine needs two
    /// minutes for a long answer.
    pub deadline_seconds: u64,
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

/// Why a configuration cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ExecutorFault {
    /// A number lies outside its range: correct this key.
    #[error("{key} must be {range}")]
    OutOfRange {
        /// The key below `[executor]`.
        key: &'static str,
        /// What it may be.
        range: &'static str,
    },
}

impl ExecutorConfig {
    /// Checks every range.
    ///
    /// # Errors
    /// An [`ExecutorFault`] that names the first key outside its range.
    pub fn check(&self) -> Result<(), ExecutorFault> {
        let shares = self.shares.weights();
        let rules = [
            (self.reply_reserve_tokens >= 1, "reply_reserve_tokens", "at least 1"),
            ((1..=3_600).contains(&self.deadline_seconds), "deadline_seconds", "1 to 3600"),
            ((1..=10_000).contains(&self.sessions_max), "sessions_max", "1 to 10000"),
            (self.session_idle_minutes >= 1, "session_idle_minutes", "at least 1"),
            (shares.iter().all(|share| *share <= 100), "shares", "0 to 100 each"),
            (shares.iter().any(|share| *share > 0), "shares", "above 0 for at least one section"),
        ];
        match rules.into_iter().find(|(holds, ..)| !holds) {
            Some((_, key, range)) => Err(ExecutorFault::OutOfRange { key, range }),
            None => Ok(()),
        }
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
            shares: Shares::default(),
            sessions_max: 64,
            session_idle_minutes: 30,
        }
    }
}

impl Shares {
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
        assert_eq!(ExecutorConfig::default().check(), Ok(()));
        assert!(toml::from_str::<ExecutorConfig>("deadline = 3").is_err());
        assert!(toml::from_str::<ExecutorConfig>("[shares]\nmemory = 3").is_err());
        let check = |text: &str, refused: &str| {
            let ExecutorFault::OutOfRange { key, .. } =
                toml::from_str::<ExecutorConfig>(text).unwrap().check().unwrap_err();
            assert_eq!(key, refused, "{text}");
        };
        check("deadline_seconds = 0", "deadline_seconds");
        check("reply_reserve_tokens = 0", "reply_reserve_tokens");
        check("sessions_max = 0", "sessions_max");
        check("session_idle_minutes = 0", "session_idle_minutes");
        check("shares = { instructions = 0, conversation = 0, context = 0, message = 0 }", "shares");
        check("shares = { context = 101 }", "shares");
    }
}
