//! A small run, and what is made of it.

use super::*;
use crate::stage::hashed;

fn small(measures: Vec<Measure>) -> Bench {
    Bench {
        measures,
        sizes: vec![150],
        keep: None,
        against: None,
        against_max: 0,
        statements: 20,
        resident_of: None,
        day: "2026-12-01".to_owned(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_small_run_measures_and_shows_what_was_asked_for() {
    let scratch = tempfile::tempdir().unwrap();
    let parts = hashed::parts(scratch.path().to_owned());
    let asked =
        small(vec![Measure::Recall, Measure::Turn, Measure::Wake, Measure::Import, Measure::Consolidate]);
    let report = bench(&asked, &parts, &mut |_| ()).await.unwrap();
    let size = &report.sizes[0];
    let recall = size.recall.unwrap();
    assert!(recall.recall_at_10 > 0.95, "a scan of bytes finds what a scan of floats does: {recall:?}");
    assert!(recall.first > 0.5, "most questions are answered by their statement: {recall:?}");
    assert!(size.wake.is_some() && size.turn.is_some() && size.remember.is_none(), "{size:?}");
    let file = size.file.unwrap();
    assert!(file.bytes > file.payload && file.payload > 150 * 384, "{file:?}");
    assert_eq!(report.import.unwrap().statements, 20);
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "nothing is left");

    let json = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<BenchReport>(&json).unwrap().sizes.len(), 1);
    for text in [report.human(), report.page(None)] {
        for expected in ["recall, p50 / p99 ms", "a whole turn", "Importing 20 statements", "consolidation"] {
            assert!(text.contains(expected), "{expected} is not in {text}");
        }
        assert!(!text.contains("a durable statement, p50"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn statements_are_timed_and_a_kept_space_is_used_again() {
    let scratch = tempfile::tempdir().unwrap();
    let parts = hashed::parts(scratch.path().to_owned());
    let keep = scratch.path().join("kept");
    let asked = Bench { keep: Some(keep.clone()), ..small(vec![Measure::Remember]) };
    let report = bench(&asked, &parts, &mut |_| ()).await.unwrap();
    let remember = report.sizes[0].remember.unwrap();
    assert!(remember.statements_per_second > 0.0 && remember.one.p50_ms > 0.0, "{remember:?}");
    let again = Bench { measures: vec![Measure::Memory], ..asked };
    let report = bench(&again, &parts, &mut |_| ()).await.unwrap();
    assert_eq!(report.sizes[0].file.unwrap().built_seconds, None, "it was kept");
    assert_eq!(report.not_measured.len(), 1, "{:?}", report.not_measured);
}

#[tokio::test]
async fn a_size_out_of_range_is_refused() {
    let parts = hashed::parts(std::env::temp_dir());
    let asked = Bench { sizes: vec![7], ..small(Vec::new()) };
    let refused = bench(&asked, &parts, &mut |_| ()).await.unwrap_err();
    assert_eq!(refused.to_string(), "`sizes` is 7; it can be 100 to 2000000");
}

#[test]
fn plots_are_drawn_of_two_sizes_and_more() {
    let times = |p50_ms, p99_ms| Times { mean_ms: p50_ms, p50_ms, p99_ms };
    let size = |traces, p50: f64| SizeFigures {
        traces,
        wake: Some(times(p50, 2.0 * p50)),
        others: vec![OtherFigures {
            name: "a list & a loop".to_owned(),
            recall: times(9.0, 10.0),
            recall_at_10: 1.0,
            first: 1.0,
            one: None,
            statements_per_second: None,
            open_ms: 3.0,
            resident: 1,
            file: None,
        }],
        ..SizeFigures::default()
    };
    let report = BenchReport {
        v: BENCH_VERSION,
        program: "0.1.0".to_owned(),
        day: "2026-12-01".to_owned(),
        machine: Machine::default(),
        append: Times::default(),
        sizes: vec![size(1_000, 1.5), size(100_000, 140.0)],
        import: None,
        not_measured: Vec::new(),
    };
    let drawn = plots(&report);
    let names: Vec<&str> = drawn.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names, ["recall", "wake", "memory"]);
    let svg = &drawn[1].2;
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{svg}");
    for expected in ["100,000", "a list &amp; a loop", "Bethink, p50"] {
        assert!(svg.contains(expected), "{expected} is not in {svg}");
    }
    let page = report.page(Some("benchmarks"));
    assert!(page.contains("](benchmarks/wake.svg)"), "{page}");
}
