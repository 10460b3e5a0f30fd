use std::path::Path;

use bethink_domain::Intent;

use super::Benchmark;

fn parse(content: &[u8]) -> Result<Benchmark, String> {
    Benchmark::parse(Path::new("b.jsonl"), content).map_err(|error| error.to_string())
}

const TEA: &str = r#"{"kind":"memory","id":"tea","text":"I drink tea.","at":"2026-03-01T08:00:00Z"}"#;

#[test]
fn lines_may_come_in_any_order_and_leave_out_what_has_a_default() {
    let content = format!(
        "\u{feff}{}\r\n\n{TEA}\n{}\n{}",
        r#"{"kind":"query","text":"What do I drink?","relevant":["tea","tea",7],"intent":"memory","note":1}"#,
        r#"{"kind":"memory","id":7,"text":"I drink no coffee.","at":"2026-03-02T08:00:00+01:00"}"#,
        r#"{"kind":"query","text":"hi","relevant":[],"intent":null,"at":"2026-03-01T09:00:00Z"}"#,
    );
    let benchmark = parse(content.as_bytes()).unwrap();
    let ids: Vec<&str> = benchmark.told.iter().map(|told| told.id.as_str()).collect();
    assert_eq!(ids, ["tea", "7"]);
    let [drink, greeting] = &benchmark.queries[..] else { panic!("two queries") };
    assert_eq!((drink.relevant.as_slice(), drink.intent), (&[0, 1][..], Some(Intent::Memory)));
    assert_eq!(drink.at, benchmark.told[1].at, "asked when the newest memory is told");
    assert_eq!((greeting.relevant.len(), greeting.intent), (0, None));
    assert!(greeting.at < drink.at);
}

#[test]
fn a_wrong_line_is_named_with_what_is_wrong() {
    let ask = r#"{"kind":"query","text":"q","relevant":[]}"#;
    let cases: [(&[&str], &str); 14] = [
        (&[TEA, "tea"], "b.jsonl:2: not a line of the benchmark: expected ident, column 2"),
        (
            &["[1]"],
            "b.jsonl:1: not a line of the benchmark: invalid type: integer `1`, expected a string, column 2",
        ),
        (
            &[TEA, "", r#"{"kind":"mem"}"#],
            "b.jsonl:3: `mem` is no kind of line; there are `memory` and `query`",
        ),
        (&["{}"], "b.jsonl:1: a line needs the field `kind`"),
        (&[r#"{"kind":"memory","text":"t"}"#], "b.jsonl:1: a memory needs the field `id`"),
        (&[r#"{"kind":"memory","id":"a"}"#], "b.jsonl:1: a memory needs the field `text`"),
        (&[r#"{"kind":"memory","id":"a","text":"t"}"#], "b.jsonl:1: a memory needs the field `at`"),
        (&[r#"{"kind":"query","text":"q"}"#], "b.jsonl:1: a query needs the field `relevant`"),
        (&[r#"{"kind":"query","relevant":[]}"#], "b.jsonl:1: a query needs the field `text`"),
        (&[TEA, TEA], "b.jsonl:2: the id `tea` is already that of line 1"),
        (&[r#"{"kind":"query","text":"q","relevant":["x"]}"#, TEA], "b.jsonl:1: no memory has the id `x`"),
        (
            &[r#"{"kind":"query","text":"q","relevant":[],"intent":"chat"}"#],
            "b.jsonl:1: `chat` is no intent; there are memory, reasoning, general and small_talk",
        ),
        (
            &[r#"{"kind":"query","text":"q","relevant":[],"at":"noon"}"#],
            "b.jsonl:1: `noon` is not a time; write it as 2026-03-14T08:15:00Z",
        ),
        (
            &[ask],
            "b.jsonl:1: a query without `at` is asked when the newest memory is told, and there is none",
        ),
    ];
    for (lines, message) in cases {
        assert_eq!(parse(lines.join("\n").as_bytes()).unwrap_err(), message);
    }
}

#[test]
fn what_is_no_benchmark_is_refused() {
    let nothing_asked =
        r#"b.jsonl holds no query; a query is a line such as {"kind":"query","text":…,"relevant":[…]}"#;
    for content in ["", "\n\n", TEA] {
        assert_eq!(parse(content.as_bytes()).unwrap_err(), nothing_asked);
    }
    assert_eq!(parse(b"\n\xFF\xFE").unwrap_err(), "b.jsonl:2: not UTF-8");
    let blank = r#"{"kind":"memory","id":"a","text":" ","at":"2026-03-01T08:00:00Z"}"#;
    assert_eq!(parse(blank.as_bytes()).unwrap_err(), "b.jsonl:1: a memory of nothing can't be stored");
    let absent = Benchmark::read(Path::new("no/such.jsonl")).unwrap_err().to_string();
    assert!(absent.starts_with("no/such.jsonl: "), "{absent}");
}
