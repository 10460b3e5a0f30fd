//! What a measurement of retrieval says about itself; a scorer says the rest.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Evidence, Mode, Retrieval};
use crate::report::{put, rounded};
use crate::score::Times;

/// What was measured, and under which conditions.
#[derive(Debug, Clone, PartialEq)]
pub struct RetrievalReport {
    /// What was asked for.
    pub asked: Retrieval,
    /// The profile that was in force.
    pub profile: String,
    /// Who made the vectors.
    pub embedder: String,
    /// Conversations, each in a space of its own.
    pub conversations: usize,
    /// Turns that were said.
    pub turns: usize,
    /// Traces that hold them: what is said twice within a day is one trace.
    pub traces: usize,
    /// Turns that were stored without a vector.
    pub unembedded: usize,
    /// Questions that were asked.
    pub questions: usize,
    /// Of them, those for which something was retrieved.
    pub answered: usize,
    /// How much of the evidence had faded.
    pub evidence: Evidence,
    /// What a question took, embedding apart.
    pub planning: Times,
    /// What everything took.
    pub took: Duration,
}

impl RetrievalReport {
    /// A few lines for people; ends with a line break.
    #[must_use]
    pub fn human(&self) -> String {
        let Retrieval { out, level, k, mode, .. } = &self.asked;
        let how = match mode {
            Mode::Ranking => "ranking alone: threshold, depth and fading off",
            Mode::Live => "live: routing, depth, threshold and fading as configured",
        };
        let mut text = format!("{how}; {}s, at most {k}\n", level.name());
        put(&mut text, format_args!("profile {}; embedder {}\n", self.profile, self.embedder));
        put(
            &mut text,
            format_args!(
                "{} conversations, {} turns in {} traces, {} of them without a vector\n",
                self.conversations, self.turns, self.traces, self.unembedded
            ),
        );
        put(
            &mut text,
            format_args!("{} questions, {} of them given something\n", self.questions, self.answered),
        );
        let Evidence { turns, faded, later } = self.evidence;
        let share = 100.0 * faded as f64 / turns.max(1) as f64;
        let off = if *mode == Mode::Ranking { "; fading was off" } else { "" };
        put(
            &mut text,
            format_args!(
                "evidence: {turns} turns, {faded} ({share:.1} %) faded by the rules of profile {}{off}; {later} said \
                 only after the question\n",
                self.profile
            ),
        );
        let Times { mean_ms, p99_ms, .. } = self.planning;
        put(
            &mut text,
            format_args!(
                "{:.0} s in all; ms per question beyond embedding: mean {mean_ms:.2}, p99 {p99_ms:.2}\nresults are \
                 in {}\n",
                self.took.as_secs_f64(),
                out.display()
            ),
        );
        text
    }

    /// One object.
    #[must_use]
    pub fn json(&self) -> Value {
        let Retrieval { dir, questions, out, level, k, mode } = &self.asked;
        json!({
            "mode": mode.name(),
            "level": level.name(),
            "k": k,
            "profile": self.profile,
            "embedder": self.embedder,
            "dir": dir.display().to_string(),
            "questions_file": questions.display().to_string(),
            "out": out.display().to_string(),
            "conversations": self.conversations,
            "turns": self.turns,
            "traces": self.traces,
            "unembedded": self.unembedded,
            "questions": self.questions,
            "answered": self.answered,
            "evidence": {
                "turns": self.evidence.turns,
                "faded": self.evidence.faded,
                "later": self.evidence.later,
                "fading": *mode == Mode::Live,
            },
            "ms_per_question": rounded(self.planning.mean_ms),
            "ms_p99": rounded(self.planning.p99_ms),
            "seconds": rounded(self.took.as_secs_f64()),
        })
    }
}
