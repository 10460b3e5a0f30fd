//! Vectors are made up here; what real ones give is measured by `bethink eval recall`.

use bethink_domain::EmbedderIdentity;
use proptest::prelude::*;

use super::people::{learn_aliases, names, relations};
use super::*;

fn unit(seed: f32) -> UnitVector {
    let values = (0..384u16).map(|i| (f32::from(i) * seed + 1.0).sin()).collect();
    UnitVector::new(values).expect("because a sine is not zero everywhere")
}

fn evidence(text: &str, cosine: f32) -> Evidence<'_> {
    Evidence { text, cosine: Some(cosine), vector: None, words: 0.5, verbatim: false }
}

fn weigh(cue: &str, candidates: &[Evidence<'_>]) -> Vec<Relevance> {
    let meaning = unit(0.37);
    let cue = CueText { text: cue, meaning: Some(&meaning), intent: Some(Intent::Memory) };
    CueProfile::new(cue, None, None).weigh(candidates, &RelevanceConfig::default())
}

#[test]
fn of_two_equally_near_traces_the_one_that_answers_is_more_relevant() {
    let check = |cue: &str, better: &str, worse: &str| {
        let alone = |text| weigh(cue, &[evidence(text, 0.55)])[0].relevance;
        assert!(alone(better) > alone(worse), "{cue}: {better} > {worse}");
    };
    check(
        "When is my wife's birthday?",
        "My wife's birthday is on 3 May.",
        "My mother's birthday is on 3 May.",
    );
    check("What is my sister allergic to?", "My sister is allergic to nuts.", "I am allergic to nuts.");
    check("What am I allergic to?", "I am allergic to nuts.", "My sister Clara is allergic to nuts.");
    check("Does Hanne drink coffee?", "Hanne drinks tea, never coffee.", "I have stopped drinking coffee.");
    check("What does the course cost?", "The course costs 40 euros.", "The course is about pottery.");
    check("When does Freya dance?", "Freya dances on Mondays.", "Freya dances very well.");
    check("Who has my drill?", "My friend Yusuf borrowed the drill.", "The drill is new.");
}

#[test]
fn who_is_who_is_learnt_from_the_traces_beside() {
    let texts =
        ["My brother Jonas lives in Bergen.", "Jonas turns forty in May.", "Henrik turns forty in May."];
    let all = texts.map(|text| evidence(text, 0.5));
    let found = weigh("How old is my brother?", &all);
    assert!(found[1].relevance > found[2].relevance, "{found:?}");
    assert_eq!(found[1].subject, 0.0);
    assert!(found[2].subject > 0.5);
}

#[test]
fn what_lies_far_behind_the_best_is_pushed_back_and_keeps_its_place() {
    let near = [evidence("The tent is in the attic.", 0.7), evidence("The ladder is in the attic.", 0.42)];
    let together = weigh("Where is the tent?", &near);
    let alone = weigh("Where is the tent?", &near[1..]);
    assert!(together[1].relevance < alone[0].relevance);
    assert!(together[0].rank > together[1].rank && together[0].relevance > together[1].relevance);
}

#[test]
fn a_text_recalls_itself_for_certain() {
    let same = Evidence { verbatim: true, ..evidence("The tent is in the attic.", 0.2) };
    assert_eq!(weigh("the tent is in the attic", &[same])[0].relevance, 1.0);
    assert_eq!(
        weigh("the tent's in the attic", &[evidence("The tent is in the attic.", 0.99)])[0].relevance,
        1.0
    );
}

#[test]
fn where_vectors_say_nothing_words_decide() {
    let check = |cue: &str, trace: &str, cosine: Option<f32>, words: f32, recalled: bool| {
        let meaning = unit(0.37);
        let cue_text = CueText { text: cue, meaning: cosine.map(|_| &meaning), intent: None };
        let candidate = Evidence { text: trace, cosine, vector: None, words, verbatim: false };
        let found = CueProfile::new(cue_text, None, None).weigh(&[candidate], &RelevanceConfig::default())[0];
        assert_eq!(found.relevance >= 0.30, recalled, "{cue} {trace}: {found:?}");
    };
    check("我的游艇在哪里？", "我的眼镜在床头柜上。", Some(0.76), 0.15, false);
    check("我的眼镜在哪里？", "我的眼镜在床头柜上。", Some(0.72), 0.6, true);
    check("Wo ist meine Lesebrille?", "Meine Lesebrille liegt auf dem Nachttisch.", Some(0.82), 1.0, true);
    check("Wo ist meine Yacht?", "Meine Lesebrille liegt auf dem Nachttisch.", Some(0.5), 0.0, false);
    check("Where is my passport?", "My passport is in the desk.", None, 1.0, true);
    check("Where is my yacht?", "My passport is in the desk.", None, 0.0, false);
}

#[test]
fn a_question_is_answered_by_a_trace_that_holds_all_its_words() {
    let check = |cue: &str, trace: &str, cosine: f32, words: f32, recalled: bool| {
        let meaning = unit(0.37);
        let cue_text = CueText { text: cue, meaning: Some(&meaning), intent: None };
        let candidate = Evidence { text: trace, cosine: Some(cosine), vector: None, words, verbatim: false };
        let found = CueProfile::new(cue_text, None, None).weigh(&[candidate], &RelevanceConfig::default())[0];
        assert_eq!(found.relevance >= 0.30, recalled, "{cue} {trace}: {found:?}");
    };
    check("What do I like?", "I like tea.", 0.25, 0.5, true);
    check("What do I like?", "My sister likes tea.", 0.25, 0.5, false);
    check("What do I need to buy?", "I need to buy a gift for Sara", 0.25, 0.5, true);
    check("What do I need to buy?", "I buy bread on Fridays.", 0.25, 0.5, false);
    check("When do I need to pay?", "I need to pay Sara.", 0.25, 0.5, false);
    check("What's my name?", "I'm Dana.", 0.2, 0.0, true);
    check("What am I called?", "My name is Dana.", 0.2, 0.0, true);
    check("What's my name?", "I'm tired.", 0.2, 0.0, false);
    check("What's my dog's name?", "I'm Dana.", 0.2, 0.0, false);
    check("我对什么过敏？", "我对花生过敏", 0.7, 0.3, true);
    check("我对什么过敏？", "我对花生有兴趣", 0.7, 0.2, false);
}

#[test]
fn a_question_that_asks_nothing_of_memory_needs_more() {
    let meaning = unit(0.37);
    let relevance = |intent| {
        let cue = CueText { text: "How is glass made?", meaning: Some(&meaning), intent: Some(intent) };
        let candidates = [evidence("I make stained glass on Fridays.", 0.5)];
        CueProfile::new(cue, None, None).weigh(&candidates, &RelevanceConfig::default())[0].relevance
    };
    assert!(relevance(Intent::Memory) > relevance(Intent::General));
}

#[test]
fn people_are_found_by_relation_and_by_name() {
    let check = |text: &str, wanted_relations: &[&str], wanted_names: &[&str]| {
        let tokens = tokens(text);
        assert_eq!(relations(&tokens).into_iter().collect::<Vec<_>>(), wanted_relations, "{text}");
        assert_eq!(names(&tokens).into_iter().collect::<Vec<_>>(), wanted_names, "{text}");
    };
    check("My mum's sister Ines called.", &["mother", "sister"], &["ines"]);
    check("my mother-in-law Ruth is here", &["mother-in-law"], &["ruth"]);
    check("We call the baby Ottilie if it's a girl.", &[], &["ottilie"]);
    check("On Monday Dr Lund saw me in May.", &[], &["lund"]);
    check("The GP gave me 75 mg.", &[], &[]);
    check("", &[], &[]);
}

#[test]
fn relations_are_tied_to_names() {
    let check = |text: &str, wanted: &[(&str, &str)]| {
        let mut aliases = Aliases::new();
        learn_aliases(&tokens(text), &mut aliases);
        let found: Vec<(&str, &str)> = aliases
            .iter()
            .flat_map(|(name, own)| own.iter().map(|relation| (name.as_str(), *relation)))
            .collect();
        assert_eq!(found, wanted, "{text}");
    };
    check("My little sister Clara moves.", &[("clara", "sister")]);
    check("Freya, our daughter, starts school.", &[("freya", "daughter")]);
    check("My neighbour Mrs Adeyemi waters the plants.", &[("adeyemi", "neighbour")]);
    check("My son is called Mateo.", &[("mateo", "son")]);
    check("My brother-in-law Stefan drives.", &[("stefan", "brother-in-law")]);
    check("My", &[]);
    check("my best", &[]);
}

#[test]
fn words_are_read_as_they_were_written() {
    let lows = |text| tokens(text).into_iter().map(|token| token.low).collect::<Vec<_>>();
    assert_eq!(lows("Dad’s isn't the O'Neill's"), ["dad", "isn't", "the", "o'neill"]);
    assert_eq!(lows("'quoted' YK17 VND, 7:12"), ["quoted", "yk17", "vnd", "7", "12"]);
    assert_eq!(lows(&"é".repeat(2000)).len(), 1);
}

#[test]
fn heads_belong_to_the_embedder_that_they_were_learnt_for() {
    let identity = |model: &str| EmbedderIdentity {
        model: model.into(),
        dimensions: 384,
        revision: "0d3125c50a5d".into(),
    };
    let heads = Heads::of(&identity("all-MiniLM-L6-v2-int8")).expect("because the file was made for it");
    assert!(Heads::of(&identity("another")).is_none());
    let (_, probability) = heads.intent(&unit(0.37)).expect("because the sizes match");
    assert!((1.0 / 3.0..=1.0).contains(&probability));
    let small = UnitVector::new(vec![1.0]).expect("because it has a direction");
    assert!(heads.intent(&small).is_none());
}

#[test]
fn an_embedder_that_puts_everything_near_recalls_no_more() {
    let identity =
        |model: &str| EmbedderIdentity { model: model.into(), dimensions: 384, revision: "1".into() };
    let meaning = unit(0.37);
    let relevance = |model: &str, cosine| {
        let cue = CueText { text: "Where is the tent?", meaning: Some(&meaning), intent: None };
        let profile = CueProfile::new(cue, None, None).calibrated(Calibration::of(&identity(model)));
        profile.weigh(&[evidence("The tent is in the attic.", cosine)], &RelevanceConfig::default())[0]
            .relevance
    };
    let check = |model: &str, unrelated: f32| {
        let difference = relevance(model, unrelated) - relevance("all-MiniLM-L6-v2-int8", 0.10);
        assert!(difference.abs() < 0.01, "{model} {difference}");
        assert_eq!(relevance(model, 1.0), 1.0);
    };
    check("text-embedding-ada-002", 0.70);
    check("intfloat/e5-small-v2", 0.70);
    check("something-new", 0.10);
}

#[test]
fn settings_out_of_range_are_named() {
    let outside = |config: RelevanceConfig| {
        let numbers = config.bounds().into_iter().filter(|number| !number.holds());
        numbers.map(|number| number.key).collect::<Vec<_>>()
    };
    assert_eq!(outside(RelevanceConfig::default()), [""; 0]);
    let wrong = RelevanceConfig { meaning: f32::NAN, steepness: 0.0, ..RelevanceConfig::default() };
    assert_eq!(outside(wrong), ["meaning", "steepness"]);
}

proptest! {
    #[test]
    fn relevance_is_a_share_and_rises_with_nearness(
        cue in "\\PC{0,60}", trace in "\\PC{0,60}", low in -1.0f32..1.0, more in 0.0f32..1.0, words in 0.0f32..1.0,
    ) {
        let meaning = unit(0.37);
        let high = (low + more).min(1.0);
        let at = |cosine| {
            let cue = CueText { text: &cue, meaning: Some(&meaning), intent: None };
            let candidate = Evidence { text: &trace, cosine: Some(cosine), vector: None, words, verbatim: false };
            CueProfile::new(cue, None, None).weigh(&[candidate], &RelevanceConfig::default())[0]
        };
        let (near, far) = (at(high), at(low));
        prop_assert!((0.0..=1.0).contains(&near.relevance) && (0.0..=1.0).contains(&near.rank));
        prop_assert!((0.0..=1.0).contains(&near.coverage) && (0.0..=1.0).contains(&near.subject));
        // Reading a trace can take off more than a hair of nearness adds, never more than it takes where it matters.
        prop_assert!(near.relevance >= far.relevance || near.relevance < 0.30);
    }

    #[test]
    fn pushing_back_changes_no_order(cosines in proptest::collection::vec(-1.0f32..1.0, 1..12)) {
        let candidates: Vec<Evidence<'_>> = cosines.iter().map(|cosine| evidence("It rains.", *cosine)).collect();
        let found = weigh("Does it rain?", &candidates);
        for (a, x) in found.iter().zip(&cosines) {
            for (b, y) in found.iter().zip(&cosines) {
                prop_assert!(x <= y || a.relevance >= b.relevance);
            }
        }
    }
}
