use std::sync::LazyLock;

use super::*;

static MODEL: LazyLock<MiniLm> = LazyLock::new(|| MiniLm::load().expect("because it was compiled in"));

fn embed(texts: &[&str]) -> Vec<UnitVector> {
    let vectors = MODEL.embed(texts, Effort::Modest).expect("because the model runs");
    vectors.into_iter().map(|vector| vector.expect("because the text has words")).collect()
}

#[test]
fn meaning_is_nearer_than_words() {
    for (question, answer, unrelated) in [
        (
            "Where are my spectacles?",
            "My reading glasses are on the bedside table.",
            "I take my blood pressure tablet every morning after breakfast.",
        ),
        (
            "When do I take my medicine?",
            "I take my blood pressure tablet every morning after breakfast.",
            "When do I take my sister to the airport?",
        ),
    ] {
        let [question, answer, unrelated] = &embed(&[question, answer, unrelated])[..] else {
            panic!("a vector for each text")
        };
        let (near, far) = (question.cosine(answer), question.cosine(unrelated));
        assert!(near > 0.40 && near > far + 0.05, "{near} {far}");
    }
}

#[test]
fn company_does_not_change_a_vector() {
    let long = "word ".repeat(200);
    let alone = embed(&["Where are my spectacles?"]);
    let together = embed(&[&long, "ok", "Where are my spectacles?", &"a much longer text ".repeat(400)]);
    assert!(alone[0].cosine(&together[2]) > 0.9999);
    let both = MODEL.embed(&["Where are my spectacles?"], Effort::Full).unwrap();
    assert!(alone[0].cosine(both[0].as_ref().unwrap()) > 0.9999);
}

#[test]
fn a_text_without_known_words_has_no_vector_and_spoils_no_other() {
    let vectors = MODEL.embed(&["", "tea", "🦀", " \n"], Effort::Modest).unwrap();
    let usable: Vec<bool> = vectors.iter().map(Result::is_ok).collect();
    assert_eq!(usable, [false, true, false, false]);
    assert_eq!(MODEL.embed(&[], Effort::Modest), Ok(vec![]));
}

#[test]
fn a_long_text_is_near_to_its_end_too() {
    let filler = "The committee met again and talked about the budget of the town hall. ".repeat(30);
    let text = format!("{filler} My reading glasses are on the bedside table. They lie next to the lamp.");
    let [with, without, question] = &embed(&[&text, &filler, "Where are my reading glasses?"])[..] else {
        panic!("a vector for each text")
    };
    let (with, without) = (with.cosine(question), without.cosine(question));
    assert!(with > without + 0.02, "{with} {without}");
}

#[test]
fn the_identity_names_the_weights() {
    let identity = MODEL.identity();
    assert_eq!((&*identity.model, identity.dimensions), ("all-MiniLM-L6-v2-int8", 384));
    let checksums = include_str!("../../model/CHECKSUMS.sha256");
    let weights = checksums.lines().find(|line| line.ends_with(WEIGHTS)).unwrap();
    assert!(weights.starts_with(&*identity.revision));
}
