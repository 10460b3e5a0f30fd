use proptest::prelude::*;

use super::names;

fn check(cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(names(text, |_| false), *expected, "names in {text:?}");
    }
}

#[test]
fn names_are_capital_words_within_a_sentence() {
    check(&[
        ("My friend Oskar hates football", &["Oskar"]),
        ("I met Ana Lopez in Oslo. The weather was bad.", &["Ana Lopez", "Oslo"]),
        ("Leo is nice. I like Leo's dog.", &["Leo"]),
        ("Ana Lopez called", &["Ana Lopez"]),
        ("Photosynthesis is hard", &[]),
        ("I'm from Berlin, Paris and Rome", &["Berlin", "Paris", "Rome"]),
        ("Mi amiga Lucía vive en Madrid", &["Lucía", "Madrid"]),
        ("Mon ami Luc habite à Lyon", &["Luc", "Lyon"]),
        ("Mein Hund heißt Rex", &["Rex"]),
        ("我在北京工作", &[]),
        ("", &[]),
    ]);
}

#[test]
fn a_known_name_may_begin_a_sentence() {
    assert_eq!(names("Rex is sick", |name| name == "Rex"), ["Rex"]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_has_its_names(text in any::<String>()) {
        for name in names(&text, |_| true) {
            prop_assert!(text.contains(&name));
        }
    }
}
