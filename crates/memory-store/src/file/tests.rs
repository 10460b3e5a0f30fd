//! Whatever was done, the snapshot in memory is the one that the file gives back.

use std::sync::Arc;

use bethink_clock::Entropy;
use bethink_domain::{
    Affect, AgentName, Decision, Draft, EmbedderIdentity, Exchange, Intent, Knowing, Origin, Purpose,
    RecallId, SessionId, Source, SpaceId, Span, Timestamp, Trace, TraceId, TraceKind, TurnEnd, TurnId,
    TurnRecord, TurnTimes, UnitVector, UserName,
};
use bethink_protocol::{CompleteTurn, Correct, Credit, Edit, Forget, Pin, Remember};
use proptest::prelude::*;

use super::commit::commit;
use super::slot::StoreSlot;
use crate::apply::{Command, Rules};
use crate::config::StoreConfig;
use crate::rows::{Counters, JournalHead, RecallRow};
use crate::snapshot::Snapshot;

/// A step of a made-up life; numbers choose among what is there.
#[derive(Debug, Clone)]
enum Step {
    Remember(u8, bool),
    Derive(u8, u8),
    Turn(u8, Vec<u8>),
    Note(u8, Vec<u8>),
    Credit(u8, u8),
    Correct(u8, u8),
    Forget(u8, bool),
    Pin(u8, bool),
    Edit(u8, u8),
    Embed(u8),
    Back,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let few = || proptest::collection::vec(any::<u8>(), 0..4);
    let step = prop_oneof![
        4 => (0..12u8, any::<bool>()).prop_map(|(text, vector)| Step::Remember(text, vector)),
        1 => (0..12u8, any::<u8>()).prop_map(|(text, from)| Step::Derive(text, from)),
        2 => (any::<u8>(), few()).prop_map(|(turn, used)| Step::Turn(turn, used)),
        2 => (0..6u8, few()).prop_map(|(recall, shown)| Step::Note(recall, shown)),
        2 => (0..6u8, any::<u8>()).prop_map(|(recall, of)| Step::Credit(recall, of)),
        1 => (0..6u8, any::<u8>()).prop_map(|(recall, of)| Step::Correct(recall, of)),
        2 => (any::<u8>(), any::<bool>()).prop_map(|(of, rehearse)| Step::Forget(of, rehearse)),
        1 => (any::<u8>(), any::<bool>()).prop_map(|(of, pinned)| Step::Pin(of, pinned)),
        1 => (any::<u8>(), 0..12u8).prop_map(|(of, text)| Step::Edit(of, text)),
        1 => any::<u8>().prop_map(Step::Embed),
        1 => Just(Step::Back),
    ];
    proptest::collection::vec(step, 1..60)
}

fn at(minute: usize) -> Timestamp {
    Timestamp::from_millis(1_780_000_000_000) + Span::from_seconds(60 * minute as i64)
}

fn text(number: u8) -> String {
    // The last ones are too long to lie in their record.
    let length = if number > 9 { 400 } else { 1 };
    format!("Thing {number} {}", "lies on the shelf ".repeat(length))
}

fn vector(number: u8) -> Option<UnitVector> {
    UnitVector::new((0..8).map(|k| f32::from(number) - 3.0 * k as f32 + 0.5).collect()).ok()
}

fn draft(number: u8, embedding: Option<UnitVector>, lineage: Vec<Origin>) -> Draft {
    Draft {
        kind: TraceKind::ALL[usize::from(number) % 2],
        text: text(number),
        speaker: (number == 3).then(|| "Ada".to_owned()),
        source: Source::UserStatement,
        confidence: 0.9,
        lineage,
        affect: Affect::new(0.5, 0.5, 0.0),
        importance: 5.0,
        occurred_at: at(0),
        provisional: number.is_multiple_of(2),
        asked: false,
        embedding,
    }
}

fn turn(number: u8, minute: usize, used: Vec<TraceId>) -> CompleteTurn {
    let (id, session) = (TurnId::from_raw(u64::from(number) + 1), SessionId::from_raw(1));
    CompleteTurn {
        exchange: Exchange { turn: id, session, at: at(minute), message: text(number % 12), reply: text(3) },
        stated: vec![draft(number % 12, None, vec![Origin::Turn(id)])],
        corrected: used.iter().copied().take(1).collect(),
        praised: used.iter().copied().skip(1).collect(),
        used,
        record: TurnRecord {
            turn: id,
            session,
            at: at(minute),
            decision: Decision { intent: Intent::Memory, rule: "made up".into() },
            purpose: Purpose::Statement,
            depth: 8,
            knowing: Knowing::Known,
            recalled: Vec::new(),
            shown: Vec::new(),
            used: Vec::new(),
            encoded: Vec::new(),
            model: String::new(),
            sections: Vec::new(),
            reply_tokens: 1,
            tools: Vec::new(),
            times: TurnTimes::default(),
            end: TurnEnd::Done,
        },
    }
}

fn command(step: Step, snapshot: &Snapshot, minute: usize) -> Command {
    let ids: Vec<TraceId> = snapshot.places().map(|place| snapshot.id(place)).collect();
    let pick = |n: u8| ids.get(usize::from(n) % ids.len().max(1)).copied().unwrap_or(TraceId::from_raw(1));
    let picks = |list: Vec<u8>| list.into_iter().map(pick).collect::<Vec<_>>();
    let remember =
        |draft: Draft| Command::Remember { remember: Remember { draft, at: at(minute) }, masked: Vec::new() };
    let recall = |number: u8| RecallId::from_raw(u64::from(number) + 1);
    match step {
        Step::Remember(n, with) => remember(draft(n, vector(n).filter(|_| with), Vec::new())),
        Step::Derive(n, from) => remember(draft(n, None, vec![Origin::Trace(pick(from))])),
        Step::Turn(n, used) => Command::CompleteTurn(Box::new(turn(n, minute, picks(used)))),
        Step::Note(n, shown) => {
            Command::NoteRecall { recall: recall(n), at: at(minute), shown: picks(shown) }
        }
        Step::Credit(n, of) => {
            Command::Credit(Credit { recall: recall(n), ids: vec![pick(of)], at: at(minute) })
        }
        Step::Correct(n, of) => {
            Command::Correct(Correct { recall: recall(n), ids: vec![pick(of)], at: at(minute) })
        }
        Step::Forget(of, rehearse) => Command::Forget(Forget { id: pick(of), at: at(minute), rehearse }),
        Step::Pin(of, pinned) => Command::Pin(Pin { id: pick(of), pinned, at: at(minute) }),
        Step::Edit(of, n) => Command::Edit {
            edit: Edit { id: pick(of), text: text(n), at: at(minute) },
            masked: Vec::new(),
            embedding: vector(n).filter(|_| n.is_multiple_of(3)),
        },
        Step::Embed(of) => {
            let key = snapshot.find(pick(of)).map_or(0, |place| snapshot.block(place).key(place.row));
            Command::Embed {
                at: at(minute),
                generation: 1,
                vectors: vector(of).into_iter().map(|v| (pick(of), key, v)).collect(),
            }
        }
        Step::Back => remember(Draft { occurred_at: at(0), ..draft(11, None, Vec::new()) }),
    }
}

/// Everything that a snapshot holds.
type Picture =
    (Vec<(Trace, u64, Vec<i8>, Timestamp)>, Vec<(RecallId, RecallRow)>, Counters, Option<JournalHead>);

fn picture(snapshot: &Snapshot) -> Picture {
    let trace = |place: crate::snapshot::Place| {
        let block = snapshot.block(place);
        let vector = block.vector(place.row).map_or(Vec::new(), |(values, _)| values.to_vec());
        (snapshot.trace_at(place), block.key(place.row), vector, block.fades_at(place.row))
    };
    // The time of what left no row, such as a repeated turn, is not kept.
    let counters = Counters { clock_high_ms: 0, ..snapshot.counters };
    let recalls = snapshot.recalls.iter().cloned().collect();
    (snapshot.places().map(trace).collect(), recalls, counters, snapshot.journal_head)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn the_file_gives_back_what_was_in_memory(steps in steps(), batch in 1usize..6) {
        let dir = tempfile::tempdir().expect("because the system has a temporary directory");
        let space = SpaceId {
            agent: AgentName::new("a").expect("because it is a legal name"),
            user: UserName::new("b").expect("because it is a legal name"),
        };
        let identity = EmbedderIdentity { model: "made up".into(), dimensions: 8, revision: "1".into() };
        let slot = StoreSlot::open(&dir.path().join("b.redb"), &space, Some(&identity), at(0), 1 << 20)
            .expect("because it is new");
        let mut config = StoreConfig::default();
        // Every minute of this life is folded as soon as it is over.
        config.memory.journal_days = 0;
        let rules = Rules {
            config: config.memory,
            prospective: config.prospective,
            entropy: Entropy::seeded(3),
            space,
            embedder: Some(identity),
        };
        let mut snapshot = Arc::new(Snapshot::load(&slot, &config).expect("because it is new"));
        for (number, steps) in steps.chunks(batch).enumerate() {
            let minute = |n: usize, step: &Step| if matches!(step, Step::Back) { 0 } else { 100 * number + n };
            let commands: Vec<Command> = steps
                .iter()
                .enumerate()
                .map(|(n, step)| command(step.clone(), &snapshot, minute(n, step)))
                .collect();
            let committed = commit(&slot, slot.epoch(), &snapshot, &commands, &rules);
            snapshot = committed.expect("because the disk has room").snapshot;
        }
        let read = Snapshot::load(&slot, &config).expect("because it was written");
        prop_assert_eq!(picture(&read), picture(&snapshot));
    }
}
