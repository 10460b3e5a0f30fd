use super::*;
use proptest::prelude::*;

fn similarity(left: &str, right: &str) -> f32 {
    let sense = |word| EmbeddedSenses.sense(word).expect("because the word can be spelled");
    sense(left).similarity(&sense(right))
}

#[test]
fn words_of_like_meaning_are_nearer_than_others() {
    for (word, near, far) in [
        ("spectacles", "glasses", "yacht"),
        ("medicine", "tablet", "photosynthesis"),
        ("doctor", "physician", "ceiling"),
        ("sister", "sibling", "engine"),
        ("refrigerators", "fridge", "poetry"),
    ] {
        let (near_to, far_from) = (similarity(word, near), similarity(word, far));
        assert!(near_to > far_from + 0.1, "{word}: {near} {near_to}, {far} {far_from}");
    }
}

#[test]
fn case_and_accents_do_not_change_a_sense() {
    assert!(similarity("Café", "cafe") > 0.999);
}

#[test]
fn a_word_is_itself() {
    for word in ["glasses", "photosynthesising", "mother-in-law"] {
        assert!(similarity(word, word) > 0.999, "{word}");
    }
}

#[test]
fn what_cannot_be_spelled_has_no_sense() {
    for word in ["", " ", "—", "🦀", "ქართული"] {
        assert_eq!(EmbeddedSenses.sense(word), None, "{word:?}");
    }
}

#[test]
fn the_table_says_what_it_holds() {
    let number = |at: usize| u32::from_le_bytes([TABLE[at], TABLE[at + 1], TABLE[at + 2], TABLE[at + 3]]);
    assert_eq!(&TABLE[..8], b"SENSES1\0");
    assert_eq!((number(8) as usize, number(12) as usize), (ENTRIES, DIMENSIONS));
}

proptest! {
    #[test]
    fn similarity_stays_within_its_range(left in "\\PC{1,12}", right in "[a-z]{1,12}") {
        if let (Some(left), Some(right)) = (EmbeddedSenses.sense(&left), EmbeddedSenses.sense(&right)) {
            prop_assert!((-1.001..=1.001).contains(&left.similarity(&right)));
        }
    }
}
