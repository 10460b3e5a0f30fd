//! What a message states, as drafts of traces.

use bethink_domain::{Affect, Draft, Origin, Source, Timestamp, TraceKind, TurnId};
use bethink_text::{SpeechAct, Statement};

/// Importance (1…10) of what is said in passing, until affect and novelty are weighed.
const IMPORTANCE_SAID: f32 = 5.0;
/// Importance of what the user asks to be remembered.
const IMPORTANCE_ASKED: f32 = 7.0;

/// One thing that a message states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    /// What is remembered of it, secrets masked.
    pub text: String,
    /// The user asked for it to be remembered.
    pub asked: bool,
}

impl From<Statement> for Stated {
    fn from(statement: Statement) -> Self {
        Self { asked: statement.act == SpeechAct::StoreRequest, text: statement.text }
    }
}

/// Drafts of what a turn stated.
///
/// What is said in passing becomes a provisional episodic trace, which the pipeline later distils; what was asked to be
/// remembered is a fact at once. Vectors are missing: they are made once the reply has been streamed.
#[must_use]
pub fn drafts(stated: &[Stated], turn: TurnId, at: Timestamp) -> Vec<Draft> {
    let draft = |stated: &Stated| Draft {
        kind: if stated.asked { TraceKind::Semantic } else { TraceKind::Episodic },
        text: stated.text.clone(),
        speaker: None,
        source: Source::UserStatement,
        confidence: 1.0,
        lineage: vec![Origin::Turn(turn)],
        affect: Affect::NEUTRAL,
        importance: if stated.asked { IMPORTANCE_ASKED } else { IMPORTANCE_SAID },
        occurred_at: at,
        provisional: !stated.asked,
        asked: stated.asked,
        embedding: None,
    };
    stated.iter().map(draft).collect()
}
