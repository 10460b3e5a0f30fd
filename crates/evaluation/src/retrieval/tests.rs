use std::path::{Path, PathBuf};

use bethink_cognition::Profile;
use serde_json::Value;

use super::{Evidence, Level, Mode, Retrieval, RetrievalReport, retrieval};
use crate::error::EvaluationError;
use crate::stage::EvaluationParts;
use crate::stage::hashed::parts as hashed_parts;

/// Turns `conversation session id time speaker: text` and questions `conversation id time evidence? text`, a line each.
struct Story<'a> {
    turns: &'a str,
    questions: &'a str,
}

const GARDEN: Story<'static> = Story {
    turns: "
        a a1 a1.1 2026-01-05T09:00:00Z Rosa: I planted seven tulips behind the shed.
        a a1 a1.2 2026-01-05T09:00:00Z Emil: My bicycle has a flat tyre.
        a a2 a2.1 2026-02-05T09:00:00 Rosa: The tulips behind the shed are red.
        b b1 b1.1 2026-01-05T09:00:00Z Nina: Our tulips are yellow.
        a a3 a3.1 2026-03-05 Emil: I sold my bicycle.
        ",
    questions: "
        a q1 2026-02-06T09:00:00 a1.1 Where are the tulips behind the shed?
        a q2 2026-03-06T09:00:00Z a3.1 Who sold the bicycle?
        b q3 2026-03-06T09:00:00Z b1.1 What colour are our tulips?
        ",
};

impl Story<'_> {
    fn write(&self, dir: &Path) {
        let lines = |text: &str, line: &dyn Fn(&str) -> Value| -> String {
            let lines = text.lines().map(str::trim).filter(|text| !text.is_empty());
            lines.map(|text| format!("{}\n", line(text))).collect()
        };
        let turn = |line: &str| {
            let parts: Vec<&str> = line.splitn(5, ' ').collect();
            let (speaker, text) = parts[4].split_once(": ").unwrap();
            serde_json::json!({
                "conv_id": parts[0], "session_id": parts[1], "turn_id": parts[2], "timestamp": parts[3],
                "speaker": speaker, "text": text,
            })
        };
        let question = |line: &str| {
            let parts: Vec<&str> = line.splitn(5, ' ').collect();
            serde_json::json!({
                "conv_id": parts[0], "question_id": parts[1], "asked_at": parts[2], "evidence": [parts[3]],
                "question": parts[4], "answerable": true,
            })
        };
        std::fs::write(dir.join("turns.jsonl"), lines(self.turns, &turn)).unwrap();
        std::fs::write(dir.join("questions.jsonl"), lines(self.questions, &question)).unwrap();
    }
}

fn asked(dir: &Path, mode: Mode) -> Retrieval {
    Retrieval {
        dir: dir.to_owned(),
        questions: PathBuf::from("questions.jsonl"),
        out: dir.join("results.jsonl"),
        level: Level::Turn,
        k: 100,
        mode,
    }
}

async fn run(
    story: &Story<'_>,
    adjust: impl FnOnce(&mut Retrieval),
    parts: impl FnOnce(EvaluationParts) -> EvaluationParts,
) -> Result<(RetrievalReport, Vec<Value>), EvaluationError> {
    let dir = tempfile::tempdir().unwrap();
    story.write(dir.path());
    let mut asked = asked(dir.path(), Mode::Ranking);
    adjust(&mut asked);
    let parts = parts(hashed_parts(dir.path().join("scratch")));
    let report = retrieval(&asked, &parts, &mut |_| {}).await?;
    let results = std::fs::read_to_string(&asked.out).unwrap();
    Ok((report, results.lines().map(|line| serde_json::from_str(line).unwrap()).collect()))
}

fn retrieved(result: &Value) -> Vec<&str> {
    result["retrieved"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_question_finds_what_its_own_conversation_said_by_then() {
    let (report, results) = run(&GARDEN, |_| (), |parts| parts).await.unwrap();
    assert_eq!((report.conversations, report.turns, report.traces, report.questions), (2, 5, 5, 3));
    assert_eq!(results[0]["question_id"], "q1");
    let first = retrieved(&results[0]);
    assert_eq!(first.len(), 3, "without a threshold all that was said by then: {first:?}");
    assert!(!first[..2].contains(&"a1.2"), "{first:?}");
    assert_eq!(retrieved(&results[1])[0], "a3.1");
    assert_eq!(retrieved(&results[2]), ["b1.1"]);
    let scores: Vec<f64> =
        results[0]["scores"].as_array().unwrap().iter().map(|score| score.as_f64().unwrap()).collect();
    assert!(scores.len() == 3 && scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    assert!(results[0]["signal"].as_f64().unwrap() > 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_named_once_at_their_best_turn() {
    let sessions = |asked: &mut Retrieval| (asked.level, asked.k) = (Level::Session, 2);
    let (_, results) = run(&GARDEN, sessions, |parts| parts).await.unwrap();
    let mut first = retrieved(&results[0]);
    first.sort_unstable();
    assert_eq!(first, ["a1", "a2"]);
    assert_eq!(retrieved(&results[1])[0], "a3");
}

#[tokio::test(flavor = "multi_thread")]
async fn live_recall_keeps_to_the_profile() {
    let live = |asked: &mut Retrieval| asked.mode = Mode::Live;
    let service = |parts: EvaluationParts| {
        let recipe = parts.recipe.clone();
        let with_service = move |data_dir| {
            let mut ingredients = recipe(data_dir)?;
            ingredients.store.memory.profile = Profile::Service;
            Ok(ingredients)
        };
        EvaluationParts { recipe: std::sync::Arc::new(with_service), ..parts }
    };
    let (report, results) = run(&GARDEN, live, service).await.unwrap();
    assert_eq!(report.profile, "service");
    assert_eq!(report.evidence, Evidence { turns: 3, faded: 2, later: 0 }, "a month and two are too long");
    assert!(retrieved(&results[2]).is_empty(), "it has faded: {results:?}");
    assert!(
        report.human().contains("2 (66.7 %) faded by the rules of profile service"),
        "{}",
        report.human()
    );
    let (report, results) = run(&GARDEN, |_| (), service).await.unwrap();
    assert_eq!((report.evidence.faded, retrieved(&results[2]).len()), (2, 1), "fading is off in ranking");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_twice_counts_as_both_turns() {
    let twice = Story {
        turns: "
            a a1 1 2026-01-05T09:00:00Z Rosa: Good morning, Emil!
            a a1 2 2026-01-05T09:05:00Z Rosa: Good morning, Emil!
            ",
        questions: "a q1 2026-01-06T09:00:00Z 2 Who said good morning to Emil?",
    };
    let (report, results) = run(&twice, |_| (), |parts| parts).await.unwrap();
    assert_eq!((report.turns, report.traces), (2, 1));
    assert_eq!(retrieved(&results[0]), ["1", "2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_said_before_anything_is_stored() {
    let unknown = Story { questions: "c q1 2026-03-06T09:00:00Z x Where?", ..GARDEN };
    let never = Story { questions: "a q1 yesterday x Where?", ..GARDEN };
    let nothing = Story { questions: "", ..GARDEN };
    for (story, says) in [
        (unknown, "questions.jsonl:1: no turn belongs to its `conv_id`"),
        (never, "questions.jsonl:1: `yesterday` is not a time; write it as 2026-03-14T08:15:00Z"),
        (nothing, "questions.jsonl holds no question"),
    ] {
        let error = run(&story, |_| (), |parts| parts).await.unwrap_err().to_string();
        assert!(error.ends_with(says), "{error}");
    }
    let error = run(&GARDEN, |asked| asked.k = 0, |parts| parts).await.unwrap_err().to_string();
    assert_eq!(error, "`k` is 0; it can be 1 to 100");
    let nowhere = |asked: &mut Retrieval| asked.out = asked.dir.join("none/results.jsonl");
    let error = run(&GARDEN, nowhere, |parts| parts).await.unwrap_err();
    assert!(matches!(error, EvaluationError::Results { .. }), "{error}");
}
