//! The bench, from the command line to the page that it writes.

use serde_json::Value;

use crate::binary::Home;

#[test]
fn a_bench_tells_figures_as_a_table_as_json_and_as_a_page() {
    let home = Home::new();
    let (out, page) = (home.path().join("bench.json"), home.path().join("benchmarks.md"));
    let scratch = home.path().join("scratch");
    let [out, page, scratch] = [&out, &page, &scratch].map(|path| path.to_str().unwrap().to_owned());
    let quiet = ["--set", "embedding.provider=none"];
    let what = ["bench", "memory", "wake", "--sizes", "150,0.2k"];
    let ran = home.run(&[&quiet[..], &what].concat(), "");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("`0.2k` is no count"), "{ran:?}");

    let what =
        ["--json", "bench", "memory", "wake", "--sizes", "200,150", "--out", &out, "--scratch", &scratch];
    let objects = home.ok(&[&quiet[..], &what].concat(), "").objects();
    let sizes: Vec<&Value> =
        objects[0]["sizes"].as_array().unwrap().iter().map(|size| &size["traces"]).collect();
    assert_eq!(sizes, [&Value::from(150), &Value::from(200)], "smallest first");
    let first = &objects[0]["sizes"][0];
    assert!(first["wake"]["p50_ms"].as_f64().unwrap() > 0.0, "{first}");
    assert!(first["memory"]["awake"].as_u64() > first["memory"]["before"].as_u64(), "{first}");
    assert!(first["recall"].is_null(), "what was not asked for is absent: {first}");
    assert!(!home.data().exists(), "nothing of the user's is opened");
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0, "nothing is left");

    let plots = home.path().join("plots");
    let draw = ["bench", "--from", &out, "--write", &page, "--plots", plots.to_str().unwrap()];
    let table = home.ok(&draw, "").out;
    assert!(table.contains("asleep to first answer"), "{table}");
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.contains("](plots/wake.svg)") && text.contains("| memories | 150 | 200 |"), "{text}");
    assert!(std::fs::read_to_string(plots.join("wake.svg")).unwrap().starts_with("<svg"));
}
