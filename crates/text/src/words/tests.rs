use proptest::prelude::*;

use super::language::Language;
use super::terms::{content_words, stem_hash, terms, terms_in};
use super::{normalise, unaccented, words};

fn texts(text: &str) -> Vec<String> {
    words(text).into_iter().map(|word| word.text).collect()
}

fn check(cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(texts(text), *expected, "words of {text:?}");
    }
}

#[test]
fn contractions_are_one_word_and_elisions_two() {
    check(&[
        ("Don't panic!", &["don't", "panic"]),
        ("I’m fine, what's up?", &["i'm", "fine", "what's", "up"]),
        ("don´t, don`t, don′t", &["don't", "don't", "don't"]),
        ("À l’école, j'ai d'accord", &["à", "l'", "école", "j'", "ai", "d'", "accord"]),
        ("Qu'est-ce que c'est?", &["qu'", "est", "ce", "que", "c'", "est"]),
        ("aujourd'hui O'Brien", &["aujourd'hui", "o'brien"]),
        ("the dogs' bowls 'quoted'", &["the", "dogs", "bowls", "quoted"]),
    ]);
}

#[test]
fn numbers_codes_and_addresses_stay_whole() {
    check(&[
        ("SR-2023-052 and SR-2023-053.", &["sr-2023-052", "and", "sr-2023-053"]),
        ("v1.10 is newer than v1.1", &["v1.10", "is", "newer", "than", "v1.1"]),
        ("(KL1021), eu-west-3; 3.2 GB", &["kl1021", "eu-west-3", "3.2", "gb"]),
        (
            "ana.b@example.com, see https://a.example/x?y=1.",
            &["ana.b@example.com", "see", "https://a.example/x?y=1"],
        ),
        ("at 10:30 on 14/03/2025 for $1,000", &["at", "10:30", "on", "14/03/2025", "for", "1,000"]),
        ("a 3-year-old in C# and c++", &["a", "3", "year", "old", "in", "c#", "and", "c"]),
        ("e-mail, well-known and/or x-ray", &["e-mail", "well", "known", "and", "or", "x-ray"]),
        ("main.rs file_2.txt", &["main.rs", "file_2.txt"]),
        ("ＫＬ１０２１ ﬁne", &["kl1021", "fine"]),
    ]);
}

#[test]
fn scripts_without_spaces_come_as_pairs_of_characters() {
    check(&[
        ("我对花生过敏。", &["我对", "对花", "花生", "生过", "过敏"]),
        ("猫", &["猫"]),
        ("ピーナッツ", &["ピー", "ーナ", "ナッ", "ッツ"]),
        ("iPhone手机2台", &["iphone", "手机", "2", "台"]),
        ("땅콩", &["땅콩"]),
        ("แพ้ถั่ว", &["แพ้", "พ้ถั่", "ถั่ว"]),
    ]);
}

#[test]
fn words_of_other_scripts_are_found() {
    check(&[
        ("Где мои ключи?", &["где", "мои", "ключи"]),
        ("أين مفاتيحي؟", &["أين", "مفاتيحي"]),
        ("मेरी चाबियाँ क्षि", &["मेरी", "चाबियाँ", "क्षि"]),
        ("😀 👨‍👩‍👧 !!! — …", &[]),
        ("", &[]),
        ("\0\u{0}\u{feff}", &[]),
        ("soft\u{ad}hyphen zero\u{200b}width", &["softhyphen", "zerowidth"]),
    ]);
}

#[test]
fn languages_are_told_apart_on_short_texts() {
    use Language::{English, French, German, Other, Spanish};
    let cases = [
        ("Where are my spectacles?", English),
        ("My reading glasses are on the bedside table.", English),
        ("The lift in block C is out of order", English),
        ("what's up", English),
        ("thanks", English),
        ("Wo habe ich meine Schlüssel hingelegt?", German),
        ("Ich nehme jeden Morgen eine Tablette.", German),
        ("danke schön", German),
        ("Was weißt du über mich?", German),
        ("¿Dónde puse mis llaves?", Spanish),
        ("Mi bicicleta es verde", Spanish),
        ("muchas gracias", Spanish),
        ("Où ai-je mis mes clés ?", French),
        ("Mon vélo est vert", French),
        ("merci beaucoup", French),
        ("La mia bicicletta è verde e molto bella", Other),
        ("Ik woon in een klein huis", Other),
        ("A minha bicicleta é verde e muito bonita", Other),
        ("我在北京工作", Other),
        ("Где мои ключи", Other),
        ("KL1021", Other),
        ("", Other),
    ];
    for (text, expected) in cases {
        assert_eq!(Language::detect(text), expected, "language of {text:?}");
    }
}

#[test]
fn a_hint_decides_where_the_text_does_not_tell() {
    assert_eq!(Language::detect_with("Oslo", Language::German), Language::German);
    assert_eq!(Language::detect_with("Where is it?", Language::German), Language::English);
}

#[test]
fn inflected_forms_share_a_stem() {
    use Language::{English, French, German, Other, Spanish};
    let cases = [
        (English, "tablets", "tablet"),
        (English, "running", "runs"),
        (English, "dog's", "dogs"),
        (Other, "bones", "bone"),
        (German, "Hunden", "Hund"),
        (German, "Katzen", "Katze"),
        (Spanish, "bicicletas", "bicicleta"),
        (French, "écoles", "ecole"),
        (Other, "ключи", "ключ"),
    ];
    for (language, one, other) in cases {
        let stem = |word| terms_in(word, language).remove(0).stem;
        assert_eq!(stem(one), stem(other), "{one} and {other} in {language:?}");
    }
}

#[test]
fn codes_that_differ_have_stems_that_differ() {
    let codes = terms(
        "SR-2023-052 SR-2023-053 v1.1 v1.10 v11.0 KL1021 KL1012 eu-west-3 eu-west-1 a@b.example a@c.example",
    );
    let mut hashes: Vec<u64> = codes.iter().map(|term| stem_hash(&term.stem)).collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), 11);
}

#[test]
fn content_words_leave_out_stop_words() {
    let cases: [(&str, &[&str]); 4] = [
        ("I don't know where I put my keys, what's up with that?", &["know", "put", "keys"]),
        ("Wo habe ich meine Schlüssel?", &["schlüssel"]),
        ("¿Dónde están mis llaves?", &["llaves"]),
        ("Où sont les clés de l'école ?", &["clés", "école"]),
    ];
    for (text, expected) in cases {
        let found: Vec<String> = content_words(text).into_iter().map(|term| term.surface).collect();
        assert_eq!(found, expected, "content of {text:?}");
    }
}

#[test]
fn hashes_stay_what_they_are() {
    assert_eq!(stem_hash(""), 0xcbf2_9ce4_8422_2325);
    assert_eq!(stem_hash("a"), 0xaf63_dc4c_8601_ec8c);
}

#[test]
fn accents_go_and_other_scripts_stay() {
    assert_eq!(unaccented("königstraße"), "konigstrasse");
    assert_eq!(unaccented("œuvre"), "oeuvre");
    assert_eq!(unaccented("밥"), "밥");
    assert_eq!(unaccented("क्षि"), "क्षि");
}

#[test]
fn long_texts_take_linear_time() {
    for unit in
        ["word, don't ", "花", "ก", "a", "a-", "1.", "'", "l'", "é", "e\u{301}", "://", "@", "한", "👨‍👩‍👧"]
    {
        let text = unit.repeat(1_000_000 / unit.len());
        assert!(terms(&text).len() <= text.len(), "{unit}");
    }
}

#[test]
fn mixed_clusters_never_break() {
    for n in 0..600 {
        let text = format!("{}{}", "a".repeat(n), "固😀é👨‍👩‍👧क्षि".repeat(3));
        assert_spans(&text);
    }
}

fn assert_spans(text: &str) {
    let mut start = 0;
    for word in words(text) {
        assert_eq!(normalise(&text[word.span.clone()]), word.text);
        assert!(word.span.start >= start && word.span.end > word.span.start);
        start = word.span.start;
    }
    let covered: Vec<_> = words(text).into_iter().map(|word| word.span).collect();
    for (at, c) in text.char_indices() {
        let inside = covered.partition_point(|span| span.start <= at);
        let near = &covered[inside.saturating_sub(2)..inside];
        assert!(
            !c.is_alphanumeric() || near.iter().any(|span| span.contains(&at)),
            "{c:?} of {text:?} is in no word"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn words_cover_all_letters_and_digits(text in "\\PC{0,60}|[a-c1'’.,:/@#+ 花ก한é-]{0,40}") {
        assert_spans(&text);
        terms(&text);
    }

    #[test]
    fn terms_take_any_text(text in any::<String>()) {
        for language in Language::KNOWN {
            terms_in(&text, language);
        }
    }

    #[test]
    fn stems_take_any_word(word in "[a-zäöüßéèêçñáíóúœа-я']{1,24}") {
        for language in Language::KNOWN {
            terms_in(&word, language);
        }
    }
}
