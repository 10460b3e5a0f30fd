//! A life with every kind of record in it, for fixtures of what each version wrote, and all that can be seen of it.

use std::sync::atomic::Ordering;

use bethink_domain::{
    Draft, Intent, Origin, RecallMode, Recalled, ScoreTerms, Section, SectionUse, Source, ToolUse, TraceId,
    TraceKind, TurnEnd,
};
use bethink_protocol::{
    Correct, Credit, Edit, Forget, ListTraces, Measure, Pin, RecordTurn, Remember, ShowTrace, ShowTurn,
    TraceFilter, TurnRef,
};

use crate::harness::{Awake, World, cue, day, draft, ids, told, told_in, turn, turn_id};

/// Turns of the life.
const TURNS: u64 = 4;
const KETTLE: &str = "The kettle stands in the left cupboard";

/// Lives it on a space without a file; its file lies still afterwards.
pub(crate) async fn live(world: &World) {
    let awake = world.wake().await;
    let first = awake.remember(KETTLE, 0.0).await.expect("because there is room").id;
    let again = awake.remember("the kettle stands in the LEFT cupboard", 0.5).await;
    assert_eq!(again.expect("because there is room").id, first, "it is evidence");
    let long = format!("The long story begins here. {}", "And so it went on and on. ".repeat(100));
    let story = awake.remember(&long, 0.6).await.expect("because there is room").id;
    let derived = Draft {
        lineage: vec![Origin::Trace(first), Origin::Trace(story)],
        source: Source::Reflection,
        kind: TraceKind::Procedural,
        speaker: Some("Ada".to_owned()),
        ..draft("Tea is made on the left")
    };
    told(awake.memory.remember.ask(Remember { draft: derived, at: day(0.7) }).send().await)
        .expect("because there is room");
    converse(&awake, first).await;
    use_and_change(&awake, first).await;
    world.embedder_broken.store(true, Ordering::SeqCst);
    awake.remember("The dentist is called Okonkwo", 3.0).await.expect("because it is stored without");
    let gone =
        awake.remember("The code of the gate is KUMQUAT", 3.1).await.expect("because there is room").id;
    let forget = Forget { id: gone, at: day(3.2), rehearse: false };
    told(awake.memory.forget.ask(forget).send().await).expect("because it is there");
    // The clock goes back.
    awake.remember("The bus leaves at nine", 2.0).await.expect("because there is room");
    awake.sleep().await;
    world.embedder_broken.store(false, Ordering::SeqCst);
}

/// Turns: with a statement, with long texts, with tools and a past of its own, and one that failed.
async fn converse(awake: &Awake, shown: TraceId) {
    let complete = |turn| async move {
        told(awake.memory.complete_turn.ask(turn).send().await).expect("because there is room");
    };
    let mut told_turn = turn(turn_id(1), 1.0, "My sister Ines lives in Porto", "Noted.");
    told_turn.stated = vec![told_in(turn_id(1), "My sister Ines lives in Porto")];
    complete(told_turn).await;
    complete(turn(turn_id(2), 1.1, &"Why? ".repeat(400), &"Because. ".repeat(400))).await;
    let mut answered = turn(turn_id(3), 1.2, "Where is the kettle?", "In the left cupboard.");
    answered.used = vec![shown];
    answered.record.used = vec![shown];
    answered.record.shown = vec![shown];
    answered.record.decision.intent = Intent::General;
    answered.record.model = "made up".to_owned();
    answered.record.sections = vec![SectionUse { section: Section::Context, budget: 300, tokens: 12 }];
    answered.record.tools =
        vec![ToolUse { step: 1, name: "recall".to_owned(), failed: false, shown: vec![shown] }];
    answered.record.recalled = vec![Recalled {
        id: shown,
        kind: TraceKind::Semantic,
        text: KETTLE.into(),
        speaker: None,
        source: Source::UserStatement,
        confidence: 1.0,
        occurred_at: day(0.0),
        recorded_at: day(0.0),
        score: 0.9,
        relevance: 0.8,
        strength: 0.7,
        faded: false,
        faded_at: None,
        terms: ScoreTerms { cosine: 0.5, words: 0.5, coverage: 0.5, subject: 0.0, priority: 0.0 },
    }];
    complete(answered).await;
    let mut failed = turn(turn_id(4), 1.3, "Never answered", "").record;
    failed.end = TurnEnd::Failed("the model is away".to_owned());
    told(awake.memory.record_turn.ask(RecordTurn { record: failed }).send().await)
        .expect("because there is room");
}

/// A recall that is credited and found wrong, a pin, an edit.
async fn use_and_change(awake: &Awake, first: TraceId) {
    let found = awake.recall_as(RecallMode::Learn, cue(KETTLE, 1.5)).await;
    let recall = found.recall.expect("because the recall learns");
    let credit = Credit { recall, ids: vec![ids(&found)[0]], at: day(1.6) };
    told(awake.memory.credit.ask(credit).send().await).expect("because it was recalled");
    let correct = Correct { recall, ids: vec![ids(&found)[0]], at: day(1.7) };
    told(awake.memory.correct.ask(correct).send().await).expect("because it was recalled");
    told(awake.memory.pin.ask(Pin { id: first, pinned: true, at: day(1.8) }).send().await)
        .expect("because it is there");
    let bus = awake.remember("The bus leaves at eight", 1.9).await.expect("because there is room").id;
    let edit = Edit { id: bus, text: "The bus leaves at half past eight".to_owned(), at: day(2.5) };
    told(awake.memory.edit.ask(edit).send().await).expect("because it is there");
}

/// Everything that people can see of it, a line each.
pub(crate) async fn seen(awake: &Awake) -> Vec<String> {
    let at = day(5.0);
    let filter = TraceFilter { all: true, ..TraceFilter::default() };
    let list = ListTraces { filter, before: None, limit: 1_000, at };
    let page = told(awake.memory.list.ask(list).send().await).expect("because it only looks");
    let mut seen = Vec::new();
    for view in page.traces {
        let show = ShowTrace { id: view.trace.id, at };
        let shown = told(awake.memory.show.ask(show).send().await).expect("because it is there");
        seen.push(format!("{shown:?}"));
    }
    for number in 1..=TURNS {
        let show = ShowTurn { turn: TurnRef::Id(turn_id(number)) };
        let shown = told(awake.memory.show_turn.ask(show).send().await).expect("because it is there");
        seen.push(format!("{shown:?}"));
    }
    let figures = told(awake.memory.measure.ask(Measure { at }).send().await);
    seen.push(format!("{:?}", figures.expect("because it only looks")));
    seen
}
