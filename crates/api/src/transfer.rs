//! Lines of an export, which an import reads again.
//!
//! A file begins with an [`ExportLine::Export`], and every line carries its version. Fields that a line leaves out have
//! the values of something that a person asked to have remembered, so that `{"text":"…"}` is a line too.

use bethink_domain as domain;
use bethink_domain::{Affect, Evidence, Origin, Source, Stability, TraceId, TraceKind};
use serde::{Deserialize, Serialize};

use crate::time::{TimeFault, from_rfc3339, rfc3339};

/// Version of the lines of an export. An import refuses lines of a newer one.
pub const EXPORT_VERSION: u32 = 1;

/// One line of an export.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum ExportLine {
    /// What follows, and whose it is.
    Export {
        /// [`EXPORT_VERSION`].
        v: u32,
        /// The agent.
        agent: String,
        /// The user.
        user: String,
        /// When it was made.
        at: String,
    },
    /// A trace.
    Trace(Box<ExportedTrace>),
    /// A turn of the transcript.
    Turn(ExportedTurn),
}

/// A trace with all that is known about it but its vector, which is made again from its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExportedTrace {
    /// [`EXPORT_VERSION`].
    pub v: u32,
    /// Its id in the space that it comes from; it gets another where it goes.
    pub id: Option<String>,
    /// Kind of memory.
    pub kind: String,
    /// What is remembered.
    pub text: String,
    /// Who said it; none when the user speaks of themselves.
    pub speaker: Option<String>,
    /// Where it comes from.
    pub source: String,
    /// How sure the source is, 0…1.
    pub confidence: f32,
    /// 1…10.
    pub importance: f32,
    /// When it happened; when it is imported, unless given.
    pub at: Option<String>,
    /// When it was stored; when it happened, unless given.
    pub recorded_at: Option<String>,
    /// When it was last used in a reply.
    pub credited_at: Option<String>,
    /// Times used.
    pub uses: u32,
    /// Suppression by competitors, 0.1…1.
    pub suppression: f32,
    /// What its stability keeps after loss of confidence in its source, 0…1.
    pub source_factor: f32,
    /// Fit with a schema, 1…1.1.
    pub schema_factor: f32,
    /// Encoding weight.
    pub weight: f32,
    /// Learned usefulness, 0…1.
    pub priority: f32,
    /// Independent origins.
    pub evidence: u32,
    /// Valence, arousal and dominance.
    pub affect: [f32; 3],
    /// Names in it.
    pub entities: Vec<String>,
    /// Labels given to it.
    pub tags: Vec<String>,
    /// What it was made from, such as `turn 01j…` or `given remember`.
    pub lineage: Vec<String>,
    /// Since when it holds.
    pub valid_from: Option<String>,
    /// Until when it held.
    pub valid_to: Option<String>,
    /// Kept by the user's wish.
    pub pinned: bool,
    /// Burnt in by strong feeling.
    pub flashbulb: bool,
    /// Waiting to be distilled.
    pub provisional: bool,
    /// Stored on explicit request.
    pub asked: bool,
    /// The trace that made it untrue, or that says it better. An import leaves such a trace out.
    pub replaced_by: Option<String>,
}

impl Default for ExportedTrace {
    fn default() -> Self {
        Self {
            v: EXPORT_VERSION,
            id: None,
            kind: TraceKind::Semantic.name().to_owned(),
            text: String::new(),
            speaker: None,
            source: Source::UserStatement.name().to_owned(),
            confidence: 1.0,
            importance: 7.0,
            at: None,
            recorded_at: None,
            credited_at: None,
            uses: 0,
            suppression: 1.0,
            source_factor: 1.0,
            schema_factor: 1.0,
            weight: 1.0,
            priority: 0.0,
            evidence: 1,
            affect: [0.0; 3],
            entities: Vec::new(),
            tags: Vec::new(),
            lineage: Vec::new(),
            valid_from: None,
            valid_to: None,
            pinned: false,
            flashbulb: false,
            provisional: false,
            asked: true,
            replaced_by: None,
        }
    }
}

/// A turn of the transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExportedTurn {
    /// [`EXPORT_VERSION`].
    pub v: u32,
    /// Its id.
    pub turn: String,
    /// Its session.
    pub session: String,
    /// When the message came.
    pub at: String,
    /// What the user said.
    pub message: String,
    /// What the agent answered.
    pub reply: String,
}

/// A page of an export.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExportPage {
    /// Oldest first.
    pub lines: Vec<ExportLine>,
    /// There are more.
    pub more: bool,
}

/// What became of an imported trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fate", rename_all = "snake_case")]
pub enum Imported {
    /// It is there now, on disk.
    Stored {
        /// Its id.
        id: String,
        /// Kinds of secrets that were left out.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        masked: Vec<String>,
        /// False while its vector is still to be made.
        embedded: bool,
    },
    /// It was there before.
    Known {
        /// Its id.
        id: String,
    },
    /// A person had it forgotten.
    Forgotten,
    /// Another trace stands in its place.
    Replaced,
}

/// Why a line of an export is no trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportFault {
    /// Made by a newer program.
    #[error("it has version {0}; this program reads {EXPORT_VERSION}")]
    Newer(u32),
    /// A word that stands for nothing.
    #[error("`{word}` is no {what}")]
    Unknown {
        /// What it should be.
        what: &'static str,
        /// The word.
        word: String,
    },
    /// Not a time.
    #[error(transparent)]
    Time(#[from] TimeFault),
}

impl From<&domain::Trace> for ExportedTrace {
    fn from(trace: &domain::Trace) -> Self {
        let texts = |list: &[Box<str>]| list.iter().map(ToString::to_string).collect();
        let Stability { uses, suppression, source, schema } = trace.stability;
        Self {
            v: EXPORT_VERSION,
            id: Some(trace.id.to_string()),
            kind: trace.kind.name().to_owned(),
            text: trace.text.to_string(),
            speaker: trace.speaker.as_deref().map(ToOwned::to_owned),
            source: trace.source.name().to_owned(),
            confidence: trace.confidence,
            importance: trace.importance,
            at: Some(rfc3339(trace.occurred_at)),
            recorded_at: Some(rfc3339(trace.recorded_at)),
            credited_at: trace.credited_at.map(rfc3339),
            uses,
            suppression,
            source_factor: source,
            schema_factor: schema,
            weight: trace.weight,
            priority: trace.priority,
            evidence: trace.evidence.0,
            affect: [trace.affect.valence(), trace.affect.arousal(), trace.affect.dominance()],
            entities: texts(&trace.entities),
            tags: texts(&trace.tags),
            lineage: trace.lineage.iter().map(origin).collect(),
            valid_from: trace.valid_from.map(rfc3339),
            valid_to: trace.valid_to.map(rfc3339),
            pinned: trace.pinned,
            flashbulb: trace.flashbulb,
            provisional: trace.provisional,
            asked: trace.asked,
            replaced_by: trace.superseded_by.or(trace.distilled_into).map(|id| id.to_string()),
        }
    }
}

impl ExportedTrace {
    /// A statement of which nothing but its words is known, as a person asks to have it remembered.
    #[must_use]
    pub fn plain(text: impl Into<String>, at: Option<String>) -> Self {
        Self { text: text.into(), at, ..Self::default() }
    }

    /// The trace that the line tells of, for a space that it is imported into at `now`. Its id stands for none.
    ///
    /// # Errors
    /// An [`ImportFault`] when the line is of a newer version, or a word of it stands for nothing.
    pub fn trace(&self, now: domain::Timestamp) -> Result<domain::Trace, ImportFault> {
        if self.v > EXPORT_VERSION {
            return Err(ImportFault::Newer(self.v));
        }
        let unknown = |what, word: &str| ImportFault::Unknown { what, word: word.to_owned() };
        let time = |text: &Option<String>| text.as_deref().map(from_rfc3339).transpose();
        let texts = |list: &[String]| list.iter().map(|text| text.as_str().into()).collect();
        let occurred_at = time(&self.at)?.unwrap_or(now);
        let [valence, arousal, dominance] = self.affect;
        Ok(domain::Trace {
            id: TraceId::from_raw(0),
            revision: 0,
            kind: TraceKind::from_name(&self.kind).ok_or_else(|| unknown("kind of memory", &self.kind))?,
            text: self.text.as_str().into(),
            speaker: self.speaker.as_deref().map(Into::into),
            source: Source::from_name(&self.source).ok_or_else(|| unknown("source", &self.source))?,
            confidence: self.confidence,
            lineage: self.lineage.iter().filter_map(|text| given(text)).collect(),
            evidence: Evidence(self.evidence),
            entities: texts(&self.entities),
            tags: texts(&self.tags),
            affect: Affect::new(valence, arousal, dominance),
            importance: self.importance,
            occurred_at,
            recorded_at: time(&self.recorded_at)?.unwrap_or(occurred_at),
            valid_from: time(&self.valid_from)?,
            valid_to: time(&self.valid_to)?,
            superseded_by: None,
            distilled_into: None,
            weight: self.weight,
            stability: Stability {
                uses: self.uses,
                suppression: self.suppression,
                source: self.source_factor,
                schema: self.schema_factor,
            },
            credited_at: time(&self.credited_at)?,
            priority: self.priority,
            pinned: self.pinned,
            flashbulb: self.flashbulb,
            provisional: self.provisional,
            asked: self.asked,
            embedded: false,
        })
    }
}

impl From<&domain::Exchange> for ExportedTurn {
    fn from(exchange: &domain::Exchange) -> Self {
        Self {
            v: EXPORT_VERSION,
            turn: exchange.turn.to_string(),
            session: exchange.session.to_string(),
            at: rfc3339(exchange.at),
            message: exchange.message.clone(),
            reply: exchange.reply.clone(),
        }
    }
}

impl From<bethink_protocol::Imported> for Imported {
    fn from(imported: bethink_protocol::Imported) -> Self {
        use bethink_protocol::Imported as Done;
        match imported {
            Done::Stored { id, masked, embedded } => Self::Stored {
                id: id.to_string(),
                masked: masked.into_iter().map(ToOwned::to_owned).collect(),
                embedded,
            },
            Done::Known { id } => Self::Known { id: id.to_string() },
            Done::Forgotten => Self::Forgotten,
        }
    }
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Turn(turn) => format!("turn {turn}"),
        Origin::Trace(trace) => format!("trace {trace}"),
        Origin::Given(name) => format!("given {name}"),
    }
}

/// An origin that means something in another space too.
fn given(text: &str) -> Option<Origin> {
    text.strip_prefix("given ").map(|name| Origin::Given(name.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_text_alone_is_a_statement() {
        let line: ExportedTrace = serde_json::from_str(r#"{"text":"My boat is red."}"#).expect("a line");
        let now = domain::Timestamp::from_millis(1_772_439_300_000);
        let trace = line.trace(now).expect("because all but the text has a default");
        assert_eq!((&*trace.text, trace.kind, trace.asked), ("My boat is red.", TraceKind::Semantic, true));
        assert_eq!((trace.occurred_at, trace.recorded_at), (now, now));
        assert_eq!(line, ExportedTrace::plain("My boat is red.", None));
    }

    #[test]
    fn what_a_line_says_survives_it() {
        let mut line = ExportedTrace::plain("Ida sings.", Some("2026-03-01T08:00:00Z".to_owned()));
        line.recorded_at = Some("2026-03-02T08:00:00Z".to_owned());
        line.kind = "episodic".to_owned();
        line.source = "external".to_owned();
        line.affect = [0.5, 0.25, -0.5];
        line.tags = vec!["music".to_owned()];
        line.lineage = vec!["given notes".to_owned()];
        line.pinned = true;
        let trace = line.trace(domain::Timestamp::from_millis(0)).expect("a sound line");
        let again = ExportedTrace { id: None, ..ExportedTrace::from(&trace) };
        assert_eq!(again, line);
    }

    #[test]
    fn a_line_that_cannot_be_understood_is_refused() {
        let plain = || ExportedTrace::plain("x", None);
        let check = |line: ExportedTrace, expected: &str| {
            let fault = line.trace(domain::Timestamp::from_millis(0)).expect_err("it is refused");
            assert_eq!(fault.to_string(), expected);
        };
        check(ExportedTrace { v: 2, ..plain() }, "it has version 2; this program reads 1");
        check(ExportedTrace { kind: "rumour".into(), ..plain() }, "`rumour` is no kind of memory");
        check(ExportedTrace { source: "cloud".into(), ..plain() }, "`cloud` is no source");
    }
}
