use proptest::prelude::*;

use super::sentences;

fn check(text: &str, expected: &[&str]) {
    let found: Vec<&str> = sentences(text).into_iter().map(|span| &text[span]).collect();
    assert_eq!(found, expected, "sentences of {text:?}");
}

#[test]
fn sentences_end_where_a_reader_says() {
    let cases: [(&str, &[&str]); 18] = [
        ("My name is Ana. What's the capital of Peru?", &["My name is Ana.", "What's the capital of Peru?"]),
        ("Dr. Gray lives in St. Albans. He is kind.", &["Dr. Gray lives in St. Albans.", "He is kind."]),
        ("It costs 3.50 e.g. on Mondays!", &["It costs 3.50 e.g. on Mondays!"]),
        ("See https://a.example/b.c?d=e. Then go.", &["See https://a.example/b.c?d=e.", "Then go."]),
        (
            "The lift in block C is out. Block C. The end",
            &["The lift in block C is out.", "Block C. The end"],
        ),
        ("John F. Kennedy spoke. J. R. wrote.", &["John F. Kennedy spoke.", "J. R. wrote."]),
        ("So do I. Me too", &["So do I.", "Me too"]),
        ("No. That's wrong.", &["No.", "That's wrong."]),
        ("Really?! \"Yes.\" Good", &["Really?!", "\"Yes.\"", "Good"]),
        ("Well... it rains... Now it stops.", &["Well... it rains...", "Now it stops."]),
        ("我叫安娜。你叫什么？好！", &["我叫安娜。", "你叫什么？", "好！"]),
        ("Am 3. März fahre ich. Ich komme am 5. Mai.", &["Am 3. März fahre ich.", "Ich komme am 5. Mai."]),
        ("1. buy milk\n2. My bike is green", &["1. buy milk", "2. My bike is green"]),
        ("a line that\nis wrapped\n\nAnother", &["a line that\nis wrapped", "Another"]),
        (
            "see:\n```\nlet x = 1. Y\n\nlet z\n```\nDone.",
            &["see:", "```\nlet x = 1. Y\n\nlet z\n```", "Done."],
        ),
        ("one\u{2028}Two\r\nThree", &["one", "Two", "Three"]),
        ("", &[]),
        (" \n\t ", &[]),
    ];
    for (text, expected) in cases {
        check(text, expected);
    }
}

#[test]
fn long_texts_take_linear_time() {
    for unit in [".", "a. ", "A. ", "?\n", "\n", "```\n", "。", "a\n", "\""] {
        let text = unit.repeat(1_000_000 / unit.len());
        assert!(sentences(&text).len() <= text.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sentences_hold_all_that_is_visible(text in "[a-zA-Z1.!?…。？`\"'\n\r ]{0,60}|\\PC{0,40}") {
        let spans = sentences(&text);
        let kept: String = spans.iter().map(|span| &text[span.clone()]).collect();
        let visible = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        prop_assert_eq!(visible(&kept), visible(&text));
        prop_assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start));
    }
}
