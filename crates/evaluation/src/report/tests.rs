use std::path::{Path, PathBuf};
use std::time::Duration;

use bethink_domain::Intent;

use super::{RecallReport, Side};
use crate::benchmark::Benchmark;
use crate::score::{Answer, Judged};

const CONTENT: &str = r#"
{"kind":"memory","id":"keys","text":"The keys are in the\thall.","at":"2026-03-01T08:00:00Z"}
{"kind":"memory","id":"tea","text":"I drink tea.","at":"2026-03-01T08:00:00Z"}
{"kind":"query","text":"Where are my keys?","relevant":["keys"],"intent":"memory"}
{"kind":"query","text":"What do I drink?","relevant":["tea"],"intent":"memory"}
{"kind":"query","text":"What is tea?","relevant":[],"intent":"general"}
"#;

/// Places with relevances, and the intent.
type Came<'a> = (&'a [(usize, f32)], Option<Intent>);

/// The baseline gives everything; the planner misses the keys, is right with the tea and something beside, and gives
/// nothing to the last.
fn report() -> RecallReport {
    let benchmark = Benchmark::parse(Path::new("b"), CONTENT.as_bytes()).unwrap();
    let side = |answers: [Came<'_>; 3]| {
        let judged = answers.into_iter().enumerate().map(|(query, (found, intent))| {
            let decided = intent.map(|intent| (intent, "phrase \"my\"".to_owned()));
            let spent = Duration::from_micros(1_500);
            let embedding = Some(Duration::from_millis(6));
            Judged::new(&benchmark, query, Answer { found: found.to_vec(), decided, spent, embedding })
        });
        Side::new(judged.collect())
    };
    RecallReport {
        profile: "lab".to_owned(),
        embedder: "hashed".to_owned(),
        files: vec![PathBuf::from("b")],
        memories: 2,
        baseline: side([(&[(0, 0.7), (1, 0.1)], None); 3]),
        planner: side([
            (&[], Some(Intent::Memory)),
            (&[(1, 0.8), (0, 0.31)], Some(Intent::Memory)),
            (&[], Some(Intent::Memory)),
        ]),
    }
}

#[test]
fn both_sides_stand_side_by_side_and_what_went_wrong_below() {
    assert_eq!(
        report().human(),
        "2 memories, 3 queries; profile lab; embedder hashed

                                              baseline   planner
retrieval accuracy                              66.7 %    66.7 %
off-topic and small talk given nothing           0.0 %   100.0 %
own past, but unknown, given nothing                 -         -
irrelevant memories per query                     1.33      0.33
intent accuracy                                      -    66.7 %
ms per query beyond embedding, mean               1.50      1.50
ms per query beyond embedding, p50 / p99     1.50/1.50 1.50/1.50
ms per embedding                                  6.00      6.00

The planner in detail (the baseline missed 1):

missed: 1
  Where are my keys?
    expected, absent: The keys are in the hall.
    intent memory by phrase \"my\"

right, with something irrelevant beside: 1
  What do I drink?
    expected, came: I drink tea.
    irrelevant, 0.310: The keys are in the hall.
    intent memory by phrase \"my\"

intent misread: 1
  What is tea?
    intent memory by phrase \"my\", should be general
"
    );
}

#[test]
fn programs_get_one_object_with_both_sides() {
    let json = report().json();
    assert_eq!(json["profile"], "lab");
    let figures = |side: &str, key: &str| json[side][key].clone();
    assert_eq!(figures("planner", "accuracy"), 0.6667);
    assert_eq!(figures("planner", "none_correct"), 1.0);
    assert_eq!(figures("planner", "irrelevant_per_query"), 0.3333);
    assert_eq!(figures("planner", "intent_accuracy"), 0.6667);
    assert_eq!(figures("planner", "ms_per_query"), 1.5);
    assert!(figures("baseline", "intent_accuracy").is_null());
    let miss = &json["planner"]["misses"][0];
    assert_eq!(miss["query"], "Where are my keys?");
    assert_eq!(miss["expected"][0], "The keys are in the\thall.");
    assert_eq!(miss["got"].as_array().map(Vec::len), Some(0));
    assert_eq!(miss["intent"]["rule"], "phrase \"my\"");
    assert_eq!(json["baseline"]["misses"][0]["got"][0]["relevant"], false);
    assert!(!json.to_string().contains('\n'), "one line");
}
