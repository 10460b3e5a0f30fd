//! Records of a trace: body, state, vector, tokens.

use bethink_domain::{Affect, Evidence, Origin, Source, Stability, Timestamp, TraceId, TraceKind, TurnId};
use serde::{Deserialize, Serialize};

use super::{INLINE_BYTES_MAX, RecordFault, StoredText, decode, encode, seal, unseal};
use crate::rows::{TraceBody, TraceState};
use crate::tokens::Tokens;
use crate::vector::QuantisedVector;

#[derive(Serialize, Deserialize)]
pub(super) enum KindV1 {
    Episodic,
    Semantic,
    Procedural,
    Prospective,
    Relational,
}

impl From<TraceKind> for KindV1 {
    fn from(kind: TraceKind) -> Self {
        match kind {
            TraceKind::Episodic => Self::Episodic,
            TraceKind::Semantic => Self::Semantic,
            TraceKind::Procedural => Self::Procedural,
            TraceKind::Prospective => Self::Prospective,
            TraceKind::Relational => Self::Relational,
        }
    }
}

impl From<KindV1> for TraceKind {
    fn from(kind: KindV1) -> Self {
        match kind {
            KindV1::Episodic => Self::Episodic,
            KindV1::Semantic => Self::Semantic,
            KindV1::Procedural => Self::Procedural,
            KindV1::Prospective => Self::Prospective,
            KindV1::Relational => Self::Relational,
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) enum SourceV1 {
    UserStatement,
    ToolResult,
    Observation,
    AgentInference,
    Reflection,
    External,
}

impl From<Source> for SourceV1 {
    fn from(source: Source) -> Self {
        match source {
            Source::UserStatement => Self::UserStatement,
            Source::ToolResult => Self::ToolResult,
            Source::Observation => Self::Observation,
            Source::AgentInference => Self::AgentInference,
            Source::Reflection => Self::Reflection,
            Source::External => Self::External,
        }
    }
}

impl From<SourceV1> for Source {
    fn from(source: SourceV1) -> Self {
        match source {
            SourceV1::UserStatement => Self::UserStatement,
            SourceV1::ToolResult => Self::ToolResult,
            SourceV1::Observation => Self::Observation,
            SourceV1::AgentInference => Self::AgentInference,
            SourceV1::Reflection => Self::Reflection,
            SourceV1::External => Self::External,
        }
    }
}

#[derive(Serialize, Deserialize)]
enum OriginV1 {
    Turn(u64),
    Trace(u64),
    Given(String),
}

#[derive(Serialize, Deserialize)]
struct BodyV1 {
    text: StoredText,
    speaker: Option<String>,
    lineage: Vec<OriginV1>,
    entities: Vec<String>,
    tags: Vec<String>,
    affect: [f32; 3],
    valid_from_ms: Option<i64>,
    valid_to_ms: Option<i64>,
    words: WordsV1,
}

/// Hashes of the text's words, so that waking need not read words again.
#[derive(Serialize, Deserialize)]
struct WordsV1 {
    tokeniser: u32,
    key: u64,
    length: u32,
    terms: Vec<(u64, u8)>,
}

/// Bytes that a word takes in its record, at most.
const WORD_BYTES: usize = 11;

/// Bytes of the record, and the text where it is bulky.
pub(crate) fn encode_body<'b>(body: &'b TraceBody, tokens: &Tokens) -> (Vec<u8>, Option<&'b str>) {
    let room = INLINE_BYTES_MAX.saturating_sub(WORD_BYTES * tokens.terms.len());
    let (text, bulky) = StoredText::split(&body.text, room);
    let strings = |list: &[Box<str>]| list.iter().map(|s| s.to_string()).collect();
    let origin = |origin: &Origin| match origin {
        Origin::Turn(turn) => OriginV1::Turn(turn.raw()),
        Origin::Trace(trace) => OriginV1::Trace(trace.raw()),
        Origin::Given(name) => OriginV1::Given(name.to_string()),
    };
    let record = BodyV1 {
        text,
        speaker: body.speaker.as_deref().map(str::to_owned),
        lineage: body.lineage.iter().map(origin).collect(),
        entities: strings(&body.entities),
        tags: strings(&body.tags),
        affect: [body.affect.valence(), body.affect.arousal(), body.affect.dominance()],
        valid_from_ms: body.valid_from.map(Timestamp::as_millis),
        valid_to_ms: body.valid_to.map(Timestamp::as_millis),
        words: WordsV1 {
            tokeniser: Tokens::VERSION,
            key: tokens.key,
            length: tokens.length,
            terms: tokens.terms.clone(),
        },
    };
    (encode(1, &record), bulky)
}

/// Reads a body and its words; `bulky` finds its text where it lies apart.
pub(crate) fn decode_body(
    bytes: &[u8],
    bulky: impl FnOnce() -> Option<String>,
) -> Result<(TraceBody, Tokens), RecordFault> {
    let record: BodyV1 = decode("trace", bytes)?;
    let text = record.text.join("text of a trace", bulky)?;
    let boxed = |list: Vec<String>| list.into_iter().map(String::into_boxed_str).collect();
    let origin = |origin| match origin {
        OriginV1::Turn(raw) => Origin::Turn(TurnId::from_raw(raw)),
        OriginV1::Trace(raw) => Origin::Trace(TraceId::from_raw(raw)),
        OriginV1::Given(name) => Origin::Given(name.into()),
    };
    let [valence, arousal, dominance] = record.affect;
    let words = record.words;
    // Words that another version of the tokeniser read are read again.
    let tokens = if words.tokeniser == Tokens::VERSION {
        Tokens { key: words.key, length: words.length, terms: words.terms }
    } else {
        Tokens::of(&text)
    };
    let body = TraceBody {
        text: text.into(),
        speaker: record.speaker.map(Into::into),
        lineage: record.lineage.into_iter().map(origin).collect(),
        entities: boxed(record.entities),
        tags: boxed(record.tags),
        affect: Affect::new(valence, arousal, dominance),
        valid_from: record.valid_from_ms.map(Timestamp::from_millis),
        valid_to: record.valid_to_ms.map(Timestamp::from_millis),
    };
    Ok((body, tokens))
}

const PINNED: u8 = 1;
const FLASHBULB: u8 = 2;
const PROVISIONAL: u8 = 4;
const ASKED: u8 = 8;

#[derive(Serialize, Deserialize)]
struct StateV1 {
    kind: KindV1,
    source: SourceV1,
    flags: u8,
    confidence: f32,
    importance: f32,
    weight: f32,
    uses: u32,
    suppression: f32,
    source_factor: f32,
    schema_factor: f32,
    priority: f32,
    occurred_ms: i64,
    recorded_ms: i64,
    credited_ms: Option<i64>,
    evidence: u32,
    revision: u32,
    superseded_by: Option<u64>,
    distilled_into: Option<u64>,
}

pub(crate) fn encode_state(state: &TraceState) -> Vec<u8> {
    let flag = |set: bool, bit: u8| if set { bit } else { 0 };
    let flags = flag(state.pinned, PINNED)
        | flag(state.flashbulb, FLASHBULB)
        | flag(state.provisional, PROVISIONAL)
        | flag(state.asked, ASKED);
    let record = StateV1 {
        kind: state.kind.into(),
        source: state.source.into(),
        flags,
        confidence: state.confidence,
        importance: state.importance,
        weight: state.weight,
        uses: state.stability.uses,
        suppression: state.stability.suppression,
        source_factor: state.stability.source,
        schema_factor: state.stability.schema,
        priority: state.priority,
        occurred_ms: state.occurred_at.as_millis(),
        recorded_ms: state.recorded_at.as_millis(),
        credited_ms: state.credited_at.map(Timestamp::as_millis),
        evidence: state.evidence.0,
        revision: state.revision,
        superseded_by: state.superseded_by.map(TraceId::raw),
        distilled_into: state.distilled_into.map(TraceId::raw),
    };
    encode(1, &record)
}

pub(crate) fn decode_state(bytes: &[u8]) -> Result<TraceState, RecordFault> {
    let record: StateV1 = decode("trace state", bytes)?;
    Ok(TraceState {
        kind: record.kind.into(),
        source: record.source.into(),
        confidence: record.confidence,
        importance: record.importance,
        weight: record.weight,
        stability: Stability {
            uses: record.uses,
            suppression: record.suppression,
            source: record.source_factor,
            schema: record.schema_factor,
        },
        priority: record.priority,
        occurred_at: Timestamp::from_millis(record.occurred_ms),
        recorded_at: Timestamp::from_millis(record.recorded_ms),
        credited_at: record.credited_ms.map(Timestamp::from_millis),
        evidence: Evidence(record.evidence),
        revision: record.revision,
        pinned: record.flags & PINNED != 0,
        flashbulb: record.flags & FLASHBULB != 0,
        provisional: record.flags & PROVISIONAL != 0,
        asked: record.flags & ASKED != 0,
        superseded_by: record.superseded_by.map(TraceId::from_raw),
        distilled_into: record.distilled_into.map(TraceId::from_raw),
    })
}

/// A vector: version 1, generation of the embedder, scale, a byte a component.
pub(crate) fn encode_vector(generation: u16, vector: &QuantisedVector) -> Vec<u8> {
    let mut bytes = vec![1];
    bytes.extend_from_slice(&generation.to_le_bytes());
    bytes.extend_from_slice(&vector.scale.to_le_bytes());
    bytes.extend(vector.values.iter().map(|v| v.cast_unsigned()));
    seal(bytes)
}

pub(crate) fn decode_vector(bytes: &[u8]) -> Result<(u16, QuantisedVector), RecordFault> {
    let garbled = RecordFault::Garbled { what: "vector" };
    match unseal("vector", bytes)? {
        (1, [g0, g1, s0, s1, s2, s3, values @ ..]) => {
            let scale = f32::from_le_bytes([*s0, *s1, *s2, *s3]);
            if !scale.is_finite() || scale <= 0.0 || values.contains(&0x80) {
                return Err(garbled);
            }
            let values = values.iter().map(|v| v.cast_signed()).collect();
            Ok((u16::from_le_bytes([*g0, *g1]), QuantisedVector { scale, values }))
        }
        (1, _) => Err(garbled),
        (version, _) => Err(RecordFault::Version { what: "vector", version }),
    }
}
