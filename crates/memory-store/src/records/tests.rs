//! The bytes of formats 1 and 2, so that no change of a type changes what is on disk.

use std::sync::Arc;

use bethink_domain::{
    Affect, AgentName, Cause, Change, Decision, EmbedderIdentity, Evidence, Exchange, Intent, JournalEntry,
    Knowing, Origin, Purpose, Quantity, Recalled, ScoreTerms, Section, SectionUse, SessionId, Source,
    SpaceId, Stability, Timestamp, ToolUse, TraceId, TraceKind, TurnEnd, TurnId, TurnRecord, TurnTimes,
    UserName,
};

use super::*;
use crate::rows::{Counters, RecallRow, TraceBody, TraceState};
use crate::tokens::Tokens;
use crate::vector::QuantisedVector;

/// Compares a record with its content, version first, written as hexadecimal digits: sealed, as it is written, and bare,
/// as format 1 had it.
#[track_caller]
fn check<T: PartialEq + std::fmt::Debug>(
    bytes: &[u8],
    golden: &str,
    decode: impl Fn(&[u8]) -> Result<T, RecordFault>,
    record: &T,
) {
    let bare = unhex(golden);
    assert_eq!(decode(&bare).as_ref(), Ok(record), "as format 1 had it");
    assert_eq!(hex(bytes), hex(&sealed(&bare)));
    assert_eq!(decode(bytes).as_ref(), Ok(record));
    for place in 0..bytes.len() {
        let mut damaged = bytes.to_vec();
        damaged[place] ^= 0x10;
        assert!(decode(&damaged).is_err(), "byte {place} may not change unseen");
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(digits: &str) -> Vec<u8> {
    let digits: String = digits.split_whitespace().collect();
    (0..digits.len()).step_by(2).map(|n| u8::from_str_radix(&digits[n..n + 2], 16).unwrap()).collect()
}

/// A record with its mark and checksum, made bit by bit.
fn sealed(bare: &[u8]) -> Vec<u8> {
    let mut bytes = bare.to_vec();
    bytes[0] |= 0x80;
    let bit = |crc: u32| (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
    let byte = |crc: u32, byte: &u8| (0..8).fold(crc ^ u32::from(*byte), |crc, _| bit(crc));
    let crc = !bytes.iter().fold(u32::MAX, byte);
    bytes.extend(crc.to_le_bytes());
    bytes
}

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms)
}

fn body() -> TraceBody {
    TraceBody {
        text: "tea at 5".into(),
        speaker: Some("Ada".into()),
        lineage: vec![
            Origin::Turn(TurnId::from_raw(7)),
            Origin::Trace(TraceId::from_raw(300)),
            Origin::Given("import".into()),
        ],
        entities: vec!["Ada".into()],
        tags: vec!["home".into()],
        affect: Affect::new(-0.5, 0.25, 1.0),
        valid_from: Some(at(-1)),
        valid_to: None,
    }
}

fn state() -> TraceState {
    TraceState {
        kind: TraceKind::Relational,
        source: Source::External,
        confidence: 0.5,
        importance: 7.0,
        weight: 1.0,
        stability: Stability { uses: 2, suppression: 0.88, source: 0.95, schema: 1.1 },
        priority: 0.25,
        occurred_at: at(1_000),
        recorded_at: at(2_000),
        credited_at: Some(at(3_000)),
        evidence: Evidence(2),
        revision: 1,
        pinned: true,
        flashbulb: false,
        provisional: true,
        asked: true,
        superseded_by: None,
        distilled_into: Some(TraceId::from_raw(9)),
    }
}

#[test]
fn bodies() {
    let tokens = Tokens { key: 1, length: 3, terms: vec![(2, 1), (300, 2)] };
    let body = body();
    let (bytes, bulky) = encode_body(&body, &tokens);
    assert_eq!(bulky, None);
    check(
        &bytes,
        "0100087465612061742035010341646103000701ac020206696d706f727401034164610104686f6d \
         65000000bf0000803e0000803f010100010103020201ac0202",
        |bytes| decode_body(bytes, || None),
        &(body, tokens),
    );
}

#[test]
fn long_texts_lie_apart() {
    let long = "word ".repeat(1_000);
    let body = TraceBody { text: long.as_str().into(), ..body() };
    let (bytes, bulky) = encode_body(&body, &Tokens::of(&long));
    assert_eq!(bulky, Some(long.as_str()));
    assert!(bytes.len() < 1_900);
    let read =
        |apart: Option<&str>| decode_body(&bytes, || apart.map(str::to_owned)).map(|(body, _)| body.text);
    assert_eq!(read(Some(&long)), Ok(Arc::from(long.as_str())));
    assert_eq!(read(None), Err(RecordFault::Garbled { what: "text of a trace" }));
    let other = long.replacen("word", "sword", 1);
    assert_eq!(read(Some(&other)), Err(RecordFault::Checksum { what: "text of a trace" }));
}

#[test]
fn words_of_another_tokeniser_are_read_again() {
    let (mut bytes, _) = encode_body(&body(), &Tokens { key: 1, length: 0, terms: Vec::new() });
    bytes.truncate(bytes.len() - 4);
    bytes[0] = 1;
    // The version of the tokeniser stands before key, length and the empty list.
    let place = bytes.len() - 4;
    bytes[place] = 99;
    let read = decode_body(&sealed(&bytes), || None).map(|(_, tokens)| tokens);
    assert_eq!(read, Ok(Tokens::of("tea at 5")));
}

#[test]
fn states() {
    check(
        &encode_state(&state()),
        "0104050d0000003f0000e0400000803f02ae47613f3333733fcdcc8c3f0000803ed00fa01f01f02e \
         0201000109",
        decode_state,
        &state(),
    );
}

#[test]
fn vectors() {
    let vector = QuantisedVector { scale: 0.5, values: [1, -1, 127, -127].into() };
    check(&encode_vector(3, &vector), "01 0300 0000003f 01ff7f81", decode_vector, &(3, vector));
    assert!(decode_vector(&[1, 0, 0, 0, 0, 0, 0, 1]).is_err(), "a scale of nothing");
}

#[test]
fn exchanges() {
    let exchange = Exchange {
        turn: TurnId::from_raw(5),
        session: SessionId::from_raw(6),
        at: at(-2),
        message: "hi".into(),
        reply: "r".repeat(800),
    };
    let (bytes, bulky) = encode_exchange(&exchange);
    assert_eq!(bulky, [None, Some(exchange.reply.as_str())]);
    let text = |which| (which == 1).then(|| exchange.reply.clone());
    let decode = |bytes: &[u8]| decode_exchange(exchange.turn, bytes, text);
    check(&bytes, "01 06 03 00 02 6869 02 cc848f8208", decode, &exchange);
    assert_eq!(decode(&unhex("01 06 03 00 02 6869 01")), Ok(exchange.clone()), "as format 1 had it");
}

fn turn() -> TurnRecord {
    TurnRecord {
        turn: TurnId::from_raw(5),
        session: SessionId::from_raw(6),
        at: at(1_000),
        decision: Decision { intent: Intent::General, rule: "r".into() },
        purpose: Purpose::Overview,
        depth: 4,
        knowing: Knowing::OnceKnown,
        recalled: vec![Recalled {
            id: TraceId::from_raw(300),
            kind: TraceKind::Semantic,
            text: "".into(),
            speaker: None,
            source: Source::Reflection,
            confidence: 1.0,
            occurred_at: at(1),
            recorded_at: at(2),
            score: 0.5,
            relevance: 0.5,
            strength: 0.5,
            faded: true,
            faded_at: None,
            terms: ScoreTerms { cosine: 0.5, words: 0.5, coverage: 0.5, subject: 0.5, priority: 0.5 },
        }],
        shown: vec![TraceId::from_raw(300)],
        used: Vec::new(),
        encoded: vec![TraceId::from_raw(301)],
        model: "m".into(),
        sections: vec![SectionUse { section: Section::Message, budget: 300, tokens: 2 }],
        reply_tokens: 9,
        tools: Vec::new(),
        times: TurnTimes { embed_ms: 1.0, recall_ms: 2.0, execute_ms: 4.0 },
        end: TurnEnd::NotRemembered("full".into()),
    }
}

#[test]
fn turns() {
    let decode = |bytes: &[u8]| decode_turn(turn().turn, bytes);
    check(&encode_turn(&turn()), &format!("02{TURN_1}00"), decode, &turn());
    let called = |name: &str, failed, shown: &[u64]| ToolUse {
        step: 1,
        name: name.to_owned(),
        failed,
        shown: shown.iter().map(|raw| TraceId::from_raw(*raw)).collect(),
    };
    let tools = vec![called("recall", false, &[300]), called(ToolUse::UNKNOWN, true, &[])];
    let record = TurnRecord { tools, ..turn() };
    let golden = format!("02{TURN_1}02 01 06726563616c6c 00 01ac02  01 013f 01 00");
    check(&encode_turn(&record), &golden, decode, &record);
}

/// What versions 1 and 2 of a turn's record share, after the version.
const TURN_1: &str = "06d00f03017206040101ac0201040000803f02040000003f0000003f0000003f010000003f0000 \
     003f0000003f0000003f0000003f01ac020001ad02016d0103ac0202090000803f00000040000080 \
     40010466756c6c";

#[test]
fn turns_of_version_1_are_read_for_ever() {
    assert_eq!(decode_turn(turn().turn, &unhex(&format!("01{TURN_1}"))), Ok(turn()));
}

#[test]
fn every_word_of_a_turn_has_a_code() {
    use bethink_domain::Purpose as P;
    let all =
        [P::Question, P::Request, P::Statement, P::StoreRequest, P::Correction, P::Intention, P::Overview];
    for purpose in all.into_iter().chain([P::SmallTalk]) {
        for intent in ["memory", "reasoning", "small_talk", "general"] {
            let intent = Intent::from_name(intent).expect("because it is an intent's name");
            let decision = Decision { intent, rule: "r".into() };
            let record = TurnRecord { purpose, decision, ..turn() };
            assert_eq!(decode_turn(record.turn, &encode_turn(&record)), Ok(record));
        }
    }
}

#[test]
fn ledgers() {
    let space = SpaceId {
        agent: AgentName::new("a").expect("because it is a legal name"),
        user: UserName::new("b").expect("because it is a legal name"),
    };
    let meta = Meta { space, created_at: at(64) };
    check(&encode_meta(&meta), "01 0161 0162 8001", decode_meta, &meta);

    let identity = EmbedderIdentity { model: "m".into(), dimensions: 384, revision: "r".into() };
    let embedder = EmbedderRecord { identity, generation: 1 };
    check(&encode_embedder(&embedder), "01 016d 8003 0172 01", decode_embedder, &embedder);

    let counters = Counters {
        last_trace: 300,
        last_turn: 2,
        journal: 3,
        turns: 4,
        clock_high_ms: 5,
        clock_back_ms: 6,
        clock_behind: true,
        sealed_upto: 0,
        scrub_pending: true,
    };
    check(&encode_counters(&counters), "01 ac02 02 03 04 0a 0c 01 00 01", decode_counters, &counters);

    let ids = |list: &[u64]| list.iter().map(|raw| TraceId::from_raw(*raw)).collect();
    let recall = RecallRow { at: at(1), shown: ids(&[1, 300]), credited: ids(&[1]), corrected: Vec::new() };
    check(&encode_recall(&recall), "01 02 02 01 ac02 01 01 00", decode_recall, &recall);
}

#[test]
fn journals() {
    let change = |quantity| Change { trace: TraceId::from_raw(300), quantity, before: 0.5, after: 1.0 };
    let entry = JournalEntry {
        sequence: 4,
        at: at(1),
        cause: Cause::Turn(TurnId::from_raw(5)),
        mechanism: "credit",
        changes: vec![change(Quantity::Uses)],
    };
    let decode = |bytes: &[u8]| decode_journal(4, bytes);
    check(&encode_journal(&entry), "01 02 00 05 02 01 ac02 03 0000003f 0000803f", decode, &entry);
    for mechanism in [
        "encoding",
        "evidence",
        "credit",
        "correction",
        "embedding",
        "pin",
        "edit",
        "forgetting",
        "clock",
        "praise",
    ] {
        let entry = JournalEntry { mechanism, ..entry.clone() };
        assert_eq!(decode_journal(4, &encode_journal(&entry)), Ok(entry));
    }
}

fn bytes_of_state() -> usize {
    encode_state(&state()).len() - 4
}

#[test]
fn other_versions_and_cut_records_are_refused() {
    let version = RecordFault::Version { what: "trace state", version: 2 };
    assert_eq!(decode_state(&[2, 0, 0]), Err(version.clone()));
    assert_eq!(decode_state(&sealed(&[2, 0, 0])), Err(version));
    let bare = &encode_state(&state())[..bytes_of_state()];
    let bare = [&[1], &bare[1..]].concat();
    for len in 0..bare.len() {
        assert!(decode_state(&bare[..len]).is_err(), "cut to {len}");
    }
    let bytes = encode_state(&state());
    for len in 0..bytes.len() {
        assert!(decode_state(&bytes[..len]).is_err(), "cut to {len}");
    }
}
