use std::path::Path;
use std::time::Duration;

use bethink_domain::Intent;

use super::{Answer, Judged, Score, Times};
use crate::benchmark::Benchmark;

/// Memories a, b and c, and queries as `relevant ids / intent`; then what came back for each as `ids / intent`.
fn check(story: &[(&str, &str)], figures: &str) {
    let told = ["a", "b", "c"].map(|id| {
        format!(r#"{{"kind":"memory","id":"{id}","text":"text {id}","at":"2026-03-01T08:00:00Z"}}"#)
    });
    let asked = story.iter().map(|(asked, _)| {
        let (ids, intent) = asked.split_once('/').unwrap();
        let ids: Vec<String> = ids.split_whitespace().map(|id| format!("\"{id}\"")).collect();
        let intent = if intent.is_empty() { "null".to_owned() } else { format!("\"{intent}\"") };
        format!(r#"{{"kind":"query","text":"q","relevant":[{}],"intent":{intent}}}"#, ids.join(","))
    });
    let lines: Vec<String> = told.into_iter().chain(asked).collect();
    let benchmark = Benchmark::parse(Path::new("b"), lines.join("\n").as_bytes()).unwrap();
    let judged: Vec<Judged> = story
        .iter()
        .enumerate()
        .map(|(query, (_, came))| Judged::new(&benchmark, query, answer(&benchmark, came)))
        .collect();
    let score = Score::of(&judged);
    let shown = |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{share:.2}"));
    let got = format!(
        "accuracy {:.2} none {} unanswerable {} irrelevant {:.2} intent {}",
        score.accuracy,
        shown(score.none_correct),
        shown(score.unanswerable_correct),
        score.irrelevant_per_query,
        shown(score.intent_accuracy),
    );
    assert_eq!(got, figures);
}

fn answer(benchmark: &Benchmark, came: &str) -> Answer {
    let (ids, intent) = came.split_once('/').unwrap();
    let place = |id: &str| benchmark.told.iter().position(|told| told.id == id).unwrap();
    Answer {
        found: ids.split_whitespace().map(|id| (place(id), 0.5)).collect(),
        decided: Intent::from_name(intent).map(|intent| (intent, "rule".to_owned())),
        spent: Duration::from_millis(2),
        embedding: None,
    }
}

#[test]
fn all_that_is_relevant_must_come_back() {
    check(
        &[("a b/memory", "a/memory"), ("a b/memory", "b c a/memory"), ("a/memory", "/memory")],
        "accuracy 0.33 none - unanswerable - irrelevant 0.33 intent 1.00",
    );
}

#[test]
fn nothing_must_come_back_where_nothing_is_relevant() {
    check(
        &[("/general", "/general"), ("/small_talk", "a b/general"), ("/memory", "c/memory")],
        "accuracy 0.33 none 0.50 unanswerable 0.00 irrelevant 1.00 intent 0.67",
    );
}

#[test]
fn without_labels_every_query_for_nothing_counts_alike_and_no_intent_does() {
    check(
        &[("/", "/memory"), ("/", "a/general"), ("a/", "a/memory")],
        "accuracy 0.67 none 0.50 unanswerable - irrelevant 0.33 intent -",
    );
}

#[test]
fn without_routing_there_is_no_intent_accuracy() {
    check(&[("a/memory", "a b c/")], "accuracy 1.00 none - unanswerable - irrelevant 2.00 intent -");
}

#[test]
fn percentiles_are_by_nearest_rank() {
    let ms = |list: &[u64]| Times::of(list.iter().map(|ms| Duration::from_millis(*ms)).collect());
    assert_eq!(ms(&[]), Times::default());
    assert_eq!(ms(&[4, 1, 3, 2]), Times { mean_ms: 2.5, p50_ms: 2.0, p99_ms: 4.0 });
    let many: Vec<u64> = (1..=200).rev().collect();
    assert_eq!(ms(&many), Times { mean_ms: 100.5, p50_ms: 100.0, p99_ms: 198.0 });
}
