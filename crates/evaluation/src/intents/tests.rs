use std::path::Path;

use crate::stage::hashed::parts as hashed_parts;

use super::{IntentsReport, intents};

async fn measured(lines: &[&str]) -> Result<(IntentsReport, Vec<String>), String> {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (dir.path().join("utterances.jsonl"), dir.path().join("decided.jsonl"));
    std::fs::write(&file, lines.join("\n")).unwrap();
    let parts = hashed_parts(dir.path().join("scratch"));
    let report = intents(&file, Some(&out), &parts, &mut |_| {}).await;
    let report = report.map_err(|error| named(&error.to_string(), dir.path()))?;
    let decided = std::fs::read_to_string(out).unwrap().lines().map(str::to_owned).collect();
    Ok((report, decided))
}

/// A message without the directory, which differs in every run.
fn named(message: &str, dir: &Path) -> String {
    message.replace(&format!("{}/", dir.display()), "")
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_are_those_of_the_confusion() {
    let (report, decided) = measured(&[
        r#"{"id":1,"text":"hi there","label4":"small_talk"}"#,
        r#"{"id":2,"text":"ok thanks","label4":"small_talk"}"#,
        "",
        r#"{"id":3,"text":"Where did I park?","label4":"memory","split":"val"}"#,
        r#"{"id":"four","text":"good morning","label4":"general"}"#,
    ])
    .await
    .unwrap();
    let json = report.json();
    assert_eq!((json["accuracy"].as_f64(), json["macro_f1"].as_f64()), (Some(0.75), Some(0.6)), "{json}");
    let small_talk = &json["classes"]["small_talk"];
    assert_eq!((small_talk["precision"].as_f64(), small_talk["recall"].as_f64()), (Some(0.6667), Some(1.0)));
    assert_eq!(json["classes"]["general"]["told"]["small_talk"], 1);
    assert!(json["classes"]["reasoning"]["precision"].is_null(), "nothing was taken for it");
    assert!(report.human().contains("accuracy 75.0 %, macro-F1 60.0 %"), "{}", report.human());
    assert_eq!(decided.len(), 4);
    assert!(decided[3].starts_with(r#"{"id":"four","text":"good morning","label":"small_talk","rule":"#));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_line_is_named() {
    let good = r#"{"text":"hi","label4":"small_talk"}"#;
    for (line, says) in [
        (
            r#"{"text":"hi","label4":"chat"}"#,
            "utterances.jsonl:2: `chat` is no intent; there are memory, reasoning, general and small_talk",
        ),
        (r#"{"text":"hi"}"#, "utterances.jsonl:2: not a line of the benchmark: missing field `label4`"),
        ("hi", "utterances.jsonl:2: not a line of the benchmark: expected value"),
    ] {
        let error = measured(&[good, line, good]).await.unwrap_err();
        assert!(error.starts_with(says), "{error}");
    }
    assert!(measured(&[""]).await.unwrap_err().starts_with("utterances.jsonl holds no utterance"));
}
