//! Plans and traces for tests.

use std::borrow::Cow;

use bethink_domain::{
    AgentName, Decision, Intent, Plan, Purpose, Recalled, Recollection, ScoreTerms, SessionId, Source,
    Timestamp, TraceId, TraceKind, TurnId,
};
use bethink_providers::Entered;

/// 2026-11-30T15:00:00Z.
pub(crate) const NOW_MS: i64 = 1_796_050_800_000;

pub(crate) fn recalled(id: u64, text: &str) -> Recalled {
    let at = Timestamp::from_millis(NOW_MS - 86_400_000);
    Recalled {
        id: TraceId::from_raw(id),
        kind: TraceKind::Episodic,
        text: text.into(),
        speaker: None,
        source: Source::UserStatement,
        confidence: 1.0,
        occurred_at: at,
        recorded_at: at,
        score: 0.7,
        relevance: 0.7,
        strength: 0.5,
        faded: false,
        faded_at: None,
        terms: ScoreTerms::default(),
    }
}

pub(crate) fn entered(id: u64, text: &str) -> Entered {
    Entered { tag: format!("m{id}"), recalled: recalled(id, text), told: String::new() }
}

/// A question that recalled these texts.
pub(crate) fn plan(turn: u64, message: &str, memories: &[&str]) -> Plan {
    let traces = memories.iter().enumerate().map(|(n, text)| recalled(n as u64 + 1, text)).collect();
    Plan {
        turn: TurnId::from_raw(turn),
        agent: AgentName::new("bethink").unwrap(),
        session: SessionId::from_raw(1),
        at: Timestamp::from_millis(NOW_MS),
        message: message.to_owned(),
        decision: Decision { intent: Intent::Memory, rule: Cow::Borrowed("test") },
        purpose: Purpose::Question,
        stated: Vec::new(),
        masked: Vec::new(),
        embedding: None,
        recollection: Recollection { traces, ..Recollection::none() },
        overview: None,
        proposed: Vec::new(),
        forgotten: None,
        private: false,
        degraded: Vec::new(),
    }
}
