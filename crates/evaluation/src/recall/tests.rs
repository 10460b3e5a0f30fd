use std::path::PathBuf;

use super::recall;
use crate::overhead::{Load, overhead};
use crate::report::RecallReport;
use crate::stage::hashed::parts;

/// A benchmark from lines `id: text` for memories and `text -> ids` for queries; `@day` before a line says when.
fn benchmark(story: &str) -> String {
    let line = |line: &str| {
        let (at, line) = match line.strip_prefix('@').and_then(|line| line.split_once(' ')) {
            Some((day, line)) => (format!(r#""at":"2026-03-{day}T08:00:00Z","#), line),
            None => (String::new(), line),
        };
        if let Some((text, ids)) = line.split_once(" ->") {
            let ids: Vec<String> = ids.split_whitespace().map(|id| format!("\"{id}\"")).collect();
            return format!(r#"{{{at}"kind":"query","text":"{text}","relevant":[{}]}}"#, ids.join(","));
        }
        let (id, text) = line.split_once(": ").unwrap();
        let at = if at.is_empty() { r#""at":"2026-03-01T08:00:00Z","#.to_owned() } else { at };
        format!(r#"{{{at}"kind":"memory","id":"{id}","text":"{text}"}}"#)
    };
    let lines: Vec<String> = story.lines().map(str::trim).filter(|l| !l.is_empty()).map(line).collect();
    lines.join("\n")
}

/// Runs benchmarks in one measurement; `misses` are the queries that the planner got wrong.
async fn check(stories: &[&str], misses: &[&str]) -> RecallReport {
    let dir = tempfile::tempdir().unwrap();
    let scratch = dir.path().join("scratch");
    let paths: Vec<PathBuf> = stories
        .iter()
        .enumerate()
        .map(|(number, story)| {
            let path = dir.path().join(format!("{number}.jsonl"));
            std::fs::write(&path, benchmark(story)).unwrap();
            path
        })
        .collect();
    let report = recall(&paths, &parts(scratch.clone()), &mut |_| {}).await.unwrap();
    let missed: Vec<&str> =
        report.planner.judged.iter().filter(|one| !one.correct).map(|one| one.query.as_str()).collect();
    assert_eq!(missed, misses, "{}", report.human());
    assert_eq!(std::fs::read_dir(scratch).unwrap().count(), 0, "nothing is left behind");
    report
}

#[tokio::test(flavor = "multi_thread")]
async fn the_planner_gives_nothing_to_small_talk_and_the_baseline_something() {
    let report = check(
        &["
        tablet: I take my blood pressure tablet every morning after breakfast.
        glasses: My reading glasses are on the bedside table.
        Where are my reading glasses? -> glasses
        ok thanks ->
        Where is my yacht? -> tablet
        "],
        &["Where is my yacht?"],
    )
    .await;
    assert_eq!(report.profile, "assistant");
    assert_eq!(
        (report.planner.score.none_correct, report.baseline.score.none_correct),
        (Some(1.0), Some(0.0))
    );
    assert!(
        report.baseline.judged.iter().all(|one| one.got.len() == 2),
        "of two memories the baseline gives both"
    );
    assert!(report.baseline.score.intent_accuracy.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_finds_what_is_told_by_its_time() {
    check(
        &["
        @03 late: My spare bicycle key hangs behind the garage door.
        @02 Where does my spare bicycle key hang? ->
        @03 Where does my spare bicycle key hang? -> late
        Where does my spare bicycle key hang, tell me? -> late
        "],
        &[],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_file_has_a_space_of_its_own_and_figures_are_over_all() {
    let report = check(
        &[
            "
            glasses: My reading glasses are on the bedside table.
            Where are my reading glasses? -> glasses
            ",
            "
            other: I am allergic to shellfish.
            Where are my reading glasses? ->
            ",
        ],
        &[],
    )
    .await;
    assert_eq!((report.memories, report.planner.judged.len()), (2, 2));
    assert!((report.planner.score.accuracy - 1.0).abs() < 1e-9);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_memory_told_twice_counts_under_both_ids() {
    check(
        &["
        first: My reading glasses are on the bedside table.
        @02 second: My reading glasses are on the bedside table.
        Where are my reading glasses? -> first second
        Are my reading glasses on the table? -> second
        "],
        &[],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_benchmark_is_refused_before_anything_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let scratch = dir.path().join("scratch");
    let error = recall(&[dir.path().join("none")], &parts(scratch.clone()), &mut |_| {}).await.unwrap_err();
    assert!(error.to_string().contains("none: "), "{error}");
    assert!(!scratch.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn costs_are_measured_beside_those_of_the_machine() {
    let dir = tempfile::tempdir().unwrap();
    let parts = parts(dir.path().to_owned());
    let load = Load { traces: 50, hashed: true };
    let report = overhead(load, &parts, &mut |_| {}).await.unwrap();
    for times in [report.planning, report.wake_up, report.remembering, report.fsync, report.embedding] {
        assert!(times.p50_ms > 0.0 && times.p50_ms <= times.p99_ms, "{times:?}");
    }
    assert_eq!((report.traces, report.json()["profile"].as_str()), (50, Some("assistant")));
    let error = overhead(Load { traces: 0, ..load }, &parts, &mut |_| {}).await.unwrap_err();
    assert_eq!(error.to_string(), "`traces` is 0; it can be 1 to 100000");
}
