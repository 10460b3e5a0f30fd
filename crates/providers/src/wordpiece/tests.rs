use super::*;
use proptest::prelude::*;

fn check(text: &str, expected: &str) {
    let vocabulary: Vec<&str> = include_str!("../../model/vocab.txt").lines().collect();
    let found: Vec<&str> =
        WORD_PIECES.pieces(text).iter().map(|piece| vocabulary[usize::from(piece.id)]).collect();
    assert_eq!(found.join(" "), expected, "{text:?}");
}

#[test]
fn words_are_spelled_by_the_longest_pieces() {
    check("Where are my spectacles?", "where are my spectacle ##s ?");
    check("unaffable", "una ##ffa ##ble");
    check("don't", "don ' t");
}

#[test]
fn accents_case_and_controls_do_not_count() {
    check("CAFÉ\u{200b} naïve", "cafe naive");
    check("a\u{0}b\tc", "ab c");
}

#[test]
fn chinese_characters_stand_alone() {
    check("我在北京", "我 [UNK] 北 京");
}

#[test]
fn what_cannot_be_spelled_is_unknown() {
    check("🦀", "[UNK]");
    check(&"x".repeat(101), "[UNK]");
}

#[test]
fn text_cannot_speak_the_models_own_marks() {
    check("[MASK] [SEP]", "[ mask ] [ sep ]");
}

#[test]
fn nothing_has_no_pieces() {
    check("", "");
    check(" \n\t\u{3000}", "");
}

#[test]
fn the_marks_stand_where_the_model_expects_them() {
    for (mark, id) in [("[PAD]", PAD), ("[UNK]", UNKNOWN), ("[CLS]", BEGIN), ("[SEP]", END)] {
        assert_eq!(WORD_PIECES.starts.get(mark), Some(&id));
    }
}

proptest! {
    #[test]
    fn any_text_has_pieces_of_the_vocabulary(text in "\\PC{0,200}") {
        for piece in WORD_PIECES.pieces(&text) {
            prop_assert!(piece.id < 30_522);
        }
    }
}
