//! A trace as the store holds it: what rarely changes apart from the numbers that do.

use std::sync::Arc;

use bethink_cognition::Vitals;
use bethink_domain::{Affect, Evidence, Origin, Source, Stability, Timestamp, Trace, TraceId, TraceKind};

/// What a trace says and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TraceBody {
    pub(crate) text: Arc<str>,
    pub(crate) speaker: Option<Arc<str>>,
    pub(crate) lineage: Vec<Origin>,
    pub(crate) entities: Vec<Box<str>>,
    pub(crate) tags: Vec<Box<str>>,
    pub(crate) affect: Affect,
    pub(crate) valid_from: Option<Timestamp>,
    pub(crate) valid_to: Option<Timestamp>,
}

impl TraceBody {
    /// What is left of a forgotten trace until the file is read again.
    pub(crate) fn forgotten() -> Self {
        Self {
            text: "".into(),
            speaker: None,
            lineage: Vec::new(),
            entities: Vec::new(),
            tags: Vec::new(),
            affect: Affect::NEUTRAL,
            valid_from: None,
            valid_to: None,
        }
    }
}

/// The numbers of a trace, which credit, suppression and cycles change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TraceState {
    pub(crate) kind: TraceKind,
    pub(crate) source: Source,
    pub(crate) confidence: f32,
    pub(crate) importance: f32,
    pub(crate) weight: f32,
    pub(crate) stability: Stability,
    pub(crate) priority: f32,
    pub(crate) occurred_at: Timestamp,
    pub(crate) recorded_at: Timestamp,
    pub(crate) credited_at: Option<Timestamp>,
    pub(crate) evidence: Evidence,
    /// Counts edits and pins, from 0.
    pub(crate) revision: u32,
    pub(crate) pinned: bool,
    pub(crate) flashbulb: bool,
    pub(crate) provisional: bool,
    pub(crate) asked: bool,
    pub(crate) superseded_by: Option<TraceId>,
    pub(crate) distilled_into: Option<TraceId>,
}

impl TraceState {
    /// What stands where a forgotten trace stood.
    pub(crate) fn forgotten() -> Self {
        Self {
            kind: TraceKind::Prospective,
            source: Source::External,
            confidence: 0.0,
            importance: 1.0,
            weight: 1.0,
            stability: Stability::FRESH,
            priority: 0.0,
            occurred_at: Timestamp::default(),
            recorded_at: Timestamp::default(),
            credited_at: None,
            evidence: Evidence(0),
            revision: 0,
            pinned: false,
            flashbulb: false,
            provisional: false,
            asked: false,
            superseded_by: None,
            distilled_into: None,
        }
    }

    /// Whether another trace stands in its place.
    pub(crate) fn replaced(&self) -> bool {
        self.superseded_by.is_some() || self.distilled_into.is_some()
    }

    pub(crate) fn vitals(&self) -> Vitals {
        Vitals {
            kind: self.kind,
            source: self.source,
            importance: self.importance,
            weight: self.weight,
            stability: self.stability,
            recorded_at: self.recorded_at,
            credited_at: self.credited_at,
            pinned: self.pinned,
            flashbulb: self.flashbulb,
            asked: self.asked,
            provisional: self.provisional,
        }
    }

    /// The whole trace, for people.
    pub(crate) fn with(&self, id: TraceId, body: &TraceBody, embedded: bool) -> Trace {
        Trace {
            id,
            revision: self.revision,
            kind: self.kind,
            text: body.text.clone(),
            speaker: body.speaker.clone(),
            source: self.source,
            confidence: self.confidence,
            lineage: body.lineage.clone(),
            evidence: self.evidence,
            entities: body.entities.clone(),
            tags: body.tags.clone(),
            affect: body.affect,
            importance: self.importance,
            occurred_at: self.occurred_at,
            recorded_at: self.recorded_at,
            valid_from: body.valid_from,
            valid_to: body.valid_to,
            superseded_by: self.superseded_by,
            distilled_into: self.distilled_into,
            weight: self.weight,
            stability: self.stability,
            credited_at: self.credited_at,
            priority: self.priority,
            pinned: self.pinned,
            flashbulb: self.flashbulb,
            provisional: self.provisional,
            asked: self.asked,
            embedded,
        }
    }
}

/// A recall that may still be credited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecallRow {
    pub(crate) at: Timestamp,
    pub(crate) shown: Vec<TraceId>,
    pub(crate) credited: Vec<TraceId>,
    pub(crate) corrected: Vec<TraceId>,
}

/// The oldest entry of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JournalHead {
    pub(crate) first: u64,
    pub(crate) at: Timestamp,
}

/// Numbers of the whole space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counters {
    /// Last ids issued or seen; new ones are above them.
    pub(crate) last_trace: u64,
    pub(crate) last_turn: u64,
    /// Last sequence number of the journal.
    pub(crate) journal: u64,
    /// Turns in the transcript.
    pub(crate) turns: u64,
    /// The latest time that any command told, in milliseconds since 1970.
    pub(crate) clock_high_ms: i64,
    /// How far the clock was found to have gone back, at most.
    pub(crate) clock_back_ms: i64,
    /// The clock is behind now, and the journal says so already.
    pub(crate) clock_behind: bool,
    /// Rows up to this id are in sealed blocks; 0 while there are none.
    pub(crate) sealed_upto: u64,
    /// Something was forgotten and its bytes may still lie in freed pages.
    pub(crate) scrub_pending: bool,
}

impl Counters {
    /// Whether what cannot be told from the tables differs; only then are counters written.
    pub(crate) fn must_follow(&self, written: &Self) -> bool {
        let own = |c: &Self| (c.clock_back_ms, c.clock_behind, c.sealed_upto, c.scrub_pending);
        own(self) != own(written)
    }
}
