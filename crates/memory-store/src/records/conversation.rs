//! Records of the transcript and of how turns were answered.

use std::borrow::Cow;

use bethink_domain::{
    Decision, Exchange, Intent, Knowing, Purpose, Recalled, ScoreTerms, Section, SectionUse, SessionId,
    Timestamp, ToolUse, TraceId, TurnEnd, TurnId, TurnRecord, TurnTimes,
};
use serde::{Deserialize, Serialize};

use super::trace::{KindV1, SourceV1};
use super::{INLINE_BYTES_MAX, RecordFault, StoredText, decode, encode, read, unseal};

#[derive(Serialize, Deserialize)]
struct ExchangeV1 {
    session: u64,
    at_ms: i64,
    message: StoredText,
    reply: StoredText,
}

/// Bytes of the record, and message and reply where they are bulky.
pub(crate) fn encode_exchange(exchange: &Exchange) -> (Vec<u8>, [Option<&str>; 2]) {
    let (message, bulky_message) = StoredText::split(&exchange.message, INLINE_BYTES_MAX / 2);
    let (reply, bulky_reply) = StoredText::split(&exchange.reply, INLINE_BYTES_MAX / 2);
    let record =
        ExchangeV1 { session: exchange.session.raw(), at_ms: exchange.at.as_millis(), message, reply };
    (encode(1, &record), [bulky_message, bulky_reply])
}

/// Reads an exchange; `bulky` finds message (0) or reply (1) where they lie apart.
pub(crate) fn decode_exchange(
    turn: TurnId,
    bytes: &[u8],
    bulky: impl Fn(usize) -> Option<String>,
) -> Result<Exchange, RecordFault> {
    let record: ExchangeV1 = decode("turn of the transcript", bytes)?;
    let text = |stored: StoredText, which| stored.join("text of a turn", || bulky(which));
    Ok(Exchange {
        turn,
        session: SessionId::from_raw(record.session),
        at: Timestamp::from_millis(record.at_ms),
        message: text(record.message, 0)?,
        reply: text(record.reply, 1)?,
    })
}

#[derive(Serialize, Deserialize)]
struct TurnV1 {
    session: u64,
    at_ms: i64,
    intent: u8,
    rule: String,
    purpose: u8,
    depth: u32,
    knowing: u8,
    recalled: Vec<RecalledV1>,
    shown: Vec<u64>,
    used: Vec<u64>,
    encoded: Vec<u64>,
    model: String,
    sections: Vec<(u8, u32, u32)>,
    reply_tokens: u32,
    times_ms: [f32; 3],
    end: EndV1,
}

#[derive(Serialize, Deserialize)]
struct RecalledV1 {
    id: u64,
    kind: KindV1,
    source: SourceV1,
    confidence: f32,
    occurred_ms: i64,
    recorded_ms: i64,
    score: f32,
    relevance: f32,
    strength: f32,
    faded: bool,
    terms: [f32; 5],
}

#[derive(Serialize, Deserialize)]
enum EndV1 {
    Done,
    NotRemembered(String),
    Failed(String),
    Cancelled,
}

/// What version 2 appends.
#[derive(Serialize, Deserialize)]
struct TurnV2 {
    first: TurnV1,
    tools: Vec<ToolV2>,
}

#[derive(Serialize, Deserialize)]
struct ToolV2 {
    step: u32,
    name: String,
    failed: bool,
    shown: Vec<u64>,
}

/// Codes of plain enums: the place in these lists. New members are appended.
const INTENTS: [Intent; 4] = [Intent::Memory, Intent::Reasoning, Intent::SmallTalk, Intent::General];
const PURPOSES: [Purpose; 9] = [
    Purpose::Question,
    Purpose::Request,
    Purpose::Statement,
    Purpose::StoreRequest,
    Purpose::Correction,
    Purpose::Intention,
    Purpose::Overview,
    Purpose::SmallTalk,
    Purpose::ForgetRequest,
];
const KNOWINGS: [Knowing; 3] = [Knowing::Known, Knowing::OnceKnown, Knowing::NeverKnown];
const SECTIONS: [Section; 5] =
    [Section::Instructions, Section::Conversation, Section::Context, Section::Message, Section::Tools];

fn code<T: PartialEq>(list: &[T], value: &T) -> u8 {
    // What is in no list is written as a code that reading refuses; a test holds the lists complete.
    list.iter().position(|known| known == value).map_or(u8::MAX, |place| place as u8)
}

fn uncode<T: Copy>(list: &[T], code: u8) -> Result<T, RecordFault> {
    list.get(usize::from(code)).copied().ok_or(RecordFault::Garbled { what: "turn record" })
}

fn raws(ids: &[TraceId]) -> Vec<u64> {
    ids.iter().map(|id| id.raw()).collect()
}

fn ids(raws: Vec<u64>) -> Vec<TraceId> {
    raws.into_iter().map(TraceId::from_raw).collect()
}

pub(crate) fn encode_turn(turn: &TurnRecord) -> Vec<u8> {
    let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let section = |s: &SectionUse| (code(&SECTIONS, &s.section), small(s.budget), small(s.tokens));
    let first = TurnV1 {
        session: turn.session.raw(),
        at_ms: turn.at.as_millis(),
        intent: code(&INTENTS, &turn.decision.intent),
        rule: turn.decision.rule.to_string(),
        purpose: code(&PURPOSES, &turn.purpose),
        depth: small(turn.depth),
        knowing: code(&KNOWINGS, &turn.knowing),
        recalled: turn.recalled.iter().map(stored_recalled).collect(),
        shown: raws(&turn.shown),
        used: raws(&turn.used),
        encoded: raws(&turn.encoded),
        model: turn.model.clone(),
        sections: turn.sections.iter().map(section).collect(),
        reply_tokens: small(turn.reply_tokens),
        times_ms: [turn.times.embed_ms, turn.times.recall_ms, turn.times.execute_ms],
        end: match &turn.end {
            TurnEnd::Done => EndV1::Done,
            TurnEnd::NotRemembered(why) => EndV1::NotRemembered(why.clone()),
            TurnEnd::Failed(why) => EndV1::Failed(why.clone()),
            TurnEnd::Cancelled => EndV1::Cancelled,
        },
    };
    let tool = |tool: &ToolUse| ToolV2 {
        step: small(tool.step),
        name: tool.name.clone(),
        failed: tool.failed,
        shown: raws(&tool.shown),
    };
    encode(2, &TurnV2 { first, tools: turn.tools.iter().map(tool).collect() })
}

pub(crate) fn decode_turn(turn: TurnId, bytes: &[u8]) -> Result<TurnRecord, RecordFault> {
    let what = "turn record";
    let TurnV2 { first: record, tools } = match unseal(what, bytes)? {
        (2, content) => read(what, content)?,
        (1, content) => TurnV2 { first: read(what, content)?, tools: Vec::new() },
        (version, _) => return Err(RecordFault::Version { what, version }),
    };
    let section = |(section, budget, tokens): (u8, u32, u32)| {
        let section = uncode(&SECTIONS, section)?;
        Ok(SectionUse { section, budget: budget as usize, tokens: tokens as usize })
    };
    let [embed_ms, recall_ms, execute_ms] = record.times_ms;
    Ok(TurnRecord {
        turn,
        session: SessionId::from_raw(record.session),
        at: Timestamp::from_millis(record.at_ms),
        decision: Decision { intent: uncode(&INTENTS, record.intent)?, rule: Cow::Owned(record.rule) },
        purpose: uncode(&PURPOSES, record.purpose)?,
        depth: record.depth as usize,
        knowing: uncode(&KNOWINGS, record.knowing)?,
        recalled: record.recalled.into_iter().map(read_recalled).collect(),
        shown: ids(record.shown),
        used: ids(record.used),
        encoded: ids(record.encoded),
        model: record.model,
        sections: record.sections.into_iter().map(section).collect::<Result<_, _>>()?,
        reply_tokens: record.reply_tokens as usize,
        tools: tools.into_iter().map(read_tool).collect(),
        times: TurnTimes { embed_ms, recall_ms, execute_ms },
        end: match record.end {
            EndV1::Done => TurnEnd::Done,
            EndV1::NotRemembered(why) => TurnEnd::NotRemembered(why),
            EndV1::Failed(why) => TurnEnd::Failed(why),
            EndV1::Cancelled => TurnEnd::Cancelled,
        },
    })
}

fn read_tool(tool: ToolV2) -> ToolUse {
    ToolUse { step: tool.step as usize, name: tool.name, failed: tool.failed, shown: ids(tool.shown) }
}

fn stored_recalled(recalled: &Recalled) -> RecalledV1 {
    let t = recalled.terms;
    RecalledV1 {
        id: recalled.id.raw(),
        kind: recalled.kind.into(),
        source: recalled.source.into(),
        confidence: recalled.confidence,
        occurred_ms: recalled.occurred_at.as_millis(),
        recorded_ms: recalled.recorded_at.as_millis(),
        score: recalled.score,
        relevance: recalled.relevance,
        strength: recalled.strength,
        faded: recalled.faded,
        terms: [t.cosine, t.words, t.coverage, t.subject, t.priority],
    }
}

fn read_recalled(record: RecalledV1) -> Recalled {
    let [cosine, words, coverage, subject, priority] = record.terms;
    Recalled {
        id: TraceId::from_raw(record.id),
        kind: record.kind.into(),
        // Texts lie in one place only, so that forgetting them there forgets them everywhere.
        text: "".into(),
        speaker: None,
        source: record.source.into(),
        confidence: record.confidence,
        occurred_at: Timestamp::from_millis(record.occurred_ms),
        recorded_at: Timestamp::from_millis(record.recorded_ms),
        score: record.score,
        relevance: record.relevance,
        strength: record.strength,
        faded: record.faded,
        faded_at: None,
        terms: ScoreTerms { cosine, words, coverage, subject, priority },
    }
}
