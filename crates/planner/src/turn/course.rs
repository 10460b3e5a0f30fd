//! How far a turn has come, from which its record is made however it ends.

use std::borrow::Cow;
use std::sync::Arc;

use bethink_domain::{
    Cue, Decision, Degraded, EmbedderIdentity, Intent, Knowing, Outcome, Overview, Purpose, Recalled,
    Recollection, SessionId, Timestamp, TraceId, TurnEnd, TurnId, TurnRecord, TurnTimes, UnitVector,
};
use tokio::time::Instant;

use super::Job;
use crate::heard::Heard;
use crate::sessions::Pending;

/// What a turn has found out so far.
#[derive(Debug)]
pub(super) struct Course {
    turn: TurnId,
    session: SessionId,
    at: Timestamp,
    pub(super) heard: Option<Heard>,
    pub(super) embedding: Option<UnitVector>,
    pub(super) identity: Option<EmbedderIdentity>,
    pub(super) decision: Decision,
    pub(super) purpose: Purpose,
    pub(super) depth: usize,
    pub(super) recollection: Recollection,
    pub(super) overview: Option<Overview>,
    /// What the user is to be asked to have forgotten.
    pub(super) proposed: Vec<Recalled>,
    pub(super) degraded: Vec<Degraded>,
    /// What is said of reminders, before the rest of the reply.
    pub(super) said: Vec<String>,
    /// Reminders that were kept.
    pub(super) kept: Vec<TraceId>,
    /// What is missing for a reminder was asked.
    pub(super) pending: Option<Pending>,
    /// What memory was asked by.
    pub(super) cue: Option<Cue>,
    pub(super) times: TurnTimes,
}

impl Course {
    pub(super) fn new(job: &Job) -> Self {
        Self {
            turn: job.turn,
            session: job.message.session,
            at: job.message.at,
            heard: None,
            embedding: None,
            identity: None,
            decision: Decision { intent: Intent::General, rule: Cow::Borrowed("not decided") },
            purpose: Purpose::Statement,
            depth: 0,
            recollection: Recollection::none(),
            overview: None,
            proposed: Vec::new(),
            degraded: Vec::new(),
            said: Vec::new(),
            kept: Vec::new(),
            pending: None,
            cue: None,
            times: TurnTimes::default(),
        }
    }

    /// The turn's record. What it encoded is added by the store, which issues the ids.
    pub(super) fn record(&self, outcome: Option<&Outcome>, end: TurnEnd) -> TurnRecord {
        TurnRecord {
            turn: self.turn,
            session: self.session,
            at: self.at,
            decision: self.decision.clone(),
            purpose: self.purpose,
            depth: self.depth,
            knowing: self.knowing(),
            recalled: self.recollection.traces.iter().map(without_words).collect(),
            shown: outcome.map(|outcome| outcome.shown.clone()).unwrap_or_default(),
            used: outcome.map(|outcome| outcome.used.clone()).unwrap_or_default(),
            encoded: Vec::new(),
            model: outcome.map(|outcome| outcome.model.clone()).unwrap_or_default(),
            sections: outcome.map(|outcome| outcome.sections.clone()).unwrap_or_default(),
            reply_tokens: outcome.map_or(0, |outcome| outcome.reply_tokens),
            tools: outcome.map(|outcome| outcome.tools.clone()).unwrap_or_default(),
            times: self.times,
            end,
        }
    }

    fn knowing(&self) -> Knowing {
        match &self.overview {
            Some(overview) if overview.total > 0 => Knowing::Known,
            _ => self.recollection.feeling.knowing,
        }
    }
}

/// A recalled trace as records keep it: texts live once, with the trace, so that erasing it erases them.
fn without_words(recalled: &Recalled) -> Recalled {
    Recalled { text: Arc::from(""), speaker: None, ..recalled.clone() }
}

/// Milliseconds since an instant.
pub(super) fn millis(begun: Instant) -> f32 {
    begun.elapsed().as_secs_f32() * 1_000.0
}
