use bethink_domain::{Intent, Purpose, UnitVector};
use proptest::prelude::*;

use super::decide;
use crate::config::Depths;
use crate::cue::depth;
use crate::heard::hear;
use crate::prototypes::{Prototypes, prototype_sentences};

/// Every line: message | intent and what decided it | purpose | depth | what is stored, `+` before what was asked for.
/// `open` leaves the intent to the prototypes. Depth is that of the intent, or 0 where memory is not asked.
fn check(table: &str) {
    let mut wrong = Vec::new();
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (message, expected) = line.split_once('|').expect("because every line has a message");
        let expected: Vec<&str> = expected.split('|').map(str::trim).collect();
        let found = row(message.trim());
        if found != expected {
            wrong.push(format!("{message}|\n  expected {expected:?}\n  found    {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} lines are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn row(message: &str) -> Vec<String> {
    let heard = hear(message);
    let decision = decide(&heard, None, None);
    let by = match &heard.ruled {
        None => "open".to_owned(),
        Some(_) if heard.purpose == Purpose::Intention => decision.intent.name().to_owned(),
        Some(_) => {
            let word = decision.rule.split([' ', '"', ',']).next().unwrap_or_default();
            format!("{} {word}", decision.intent.name())
        }
    };
    let mark = |asked| if asked { "+" } else { "" };
    let stated: Vec<String> = heard.stated.iter().map(|s| format!("{}{}", mark(s.asked), s.text)).collect();
    let depth = depth(&heard, &decision, Depths::default());
    vec![by, heard.purpose.name().to_owned(), depth.to_string(), stated.join(" & ")]
}

#[test]
fn questions_about_the_user_are_memory() {
    check(
        "
        When do I take my medicine? | memory phrase | question | 8 |
        Where are my spectacles? | memory phrase | question | 8 |
        What did I tell you about my sister? | memory phrase | question | 8 |
        Where did I keep my keys? | memory phrase | question | 8 |
        What did I tell you about my yacht? | memory phrase | question | 8 |
        Do you remember my dog's name? | memory phrase | question | 8 |
        Remember when we met? | memory phrase | question | 8 |
        What did we discuss last time? | memory phrase | question | 8 |
        Compare what we discussed last time | memory phrase | request | 8 |
        What car do I drive? | memory phrase | question | 8 |
        Who am I? | memory overview | overview | 0 |
        Why don't I drink coffee? | memory phrase | question | 8 |
        Am I allergic to anything? | memory phrase | question | 8 |
        How do I get to my office? | memory phrase | question | 8 |
        What is my blood type? | memory phrase | question | 8 |
        Have I told you about the boat? | memory phrase | question | 8 |
        Where is our spare key? | memory phrase | question | 8 |
        where do i live | memory phrase | question | 8 |
        WHERE DO I LIVE? | memory phrase | question | 8 |
        ",
    );
}

#[test]
fn reminding_of_the_past_is_memory_and_of_the_future_an_intention() {
    check(
        "
        Remind me what I said about the boat. | memory phrase | question | 8 |
        Remind me — what was that thing that helps with stress? | memory phrase | question | 8 |
        Remind me who borrowed the drill. | memory phrase | question | 8 |
        Remind me to call mum tomorrow at 9. | memory | intention | 0 |
        Please remind me to water the plants. | memory | intention | 0 |
        Remind me at 09:05 to stretch | memory | intention | 0 |
        Alert me when the parcel arrives. | memory | intention | 0 |
        At 9 tomorrow send me the summary | memory | intention | 0 |
        ",
    );
}

#[test]
fn words_are_matched_whole() {
    check(
        "
        Is it reasonable to pay ten pounds for tea? | open | question | 4 |
        What is a reasonable price for a cup of tea in London? | open | question | 4 |
        Who invented the myriad ways of cooking eggs? | open | question | 4 |
        What is an incomparable talent? | open | question | 4 |
        What does a miner earn? | open | question | 4 |
        Why is India in the monsoon belt? | open | question | 4 |
        What is hiking? | open | question | 4 |
        ",
    );
}

#[test]
fn analysis_is_reasoning_unless_it_is_about_the_user() {
    check(
        "
        What are the pros and cons of nuclear power? | reasoning phrase | question | 6 |
        Compare these two options: renting and buying. | reasoning phrase | request | 6 |
        Analyse the causes of the First World War. | reasoning phrase | request | 6 |
        What is the difference between a crocodile and an alligator? | reasoning phrase | question | 6 |
        Evaluate the argument that museums should return looted artefacts. | reasoning phrase | request | 6 |
        Compare my two job offers. | memory phrase | request | 8 |
        Compare hydrogen and battery buses for city transport. | reasoning phrase | request | 6 |
        ",
    );
}

#[test]
fn small_talk_is_small_talk_only_throughout() {
    check(
        "
        hi | small_talk small | small_talk | 0 |
        ok thanks | small_talk small | small_talk | 0 |
        Good morning! | small_talk small | small_talk | 0 |
        bye, see you | small_talk small | small_talk | 0 |
        great, thank you so much | small_talk small | small_talk | 0 |
        hi there | small_talk small | small_talk | 0 |
        Thanks, my friend! | small_talk small | small_talk | 0 |
        oh my god | small_talk small | small_talk | 0 |
        I see | small_talk small | small_talk | 0 |
        yes, got it | small_talk small | small_talk | 0 |
        haha | small_talk small | small_talk | 0 |
        How are you? | small_talk small | small_talk | 0 |
        👍 | small_talk small | small_talk | 0 |
        ?! | small_talk small | small_talk | 0 |
        … | small_talk small | small_talk | 0 |
        Thanks, can you explain gravity? | open | request | 4 |
        Hi, what is photosynthesis? | open | question | 4 |
        Hello! Where are my keys? | memory phrase | question | 8 |
        ",
    );
    assert_eq!(row(""), ["small_talk small", "small_talk", "0", ""]);
    assert_eq!(row(" \t\n\0 "), ["small_talk small", "small_talk", "0", ""]);
}

#[test]
fn a_bare_answer_is_no_small_talk_and_recalls_nothing() {
    check(
        "
        yes | general answers | small_talk | 0 |
        Yup, that's true. | general answers | small_talk | 0 |
        no, not really | general answers | small_talk | 0 |
        perhaps | general answers | small_talk | 0 |
        You're right. | general answers | small_talk | 0 |
        Das stimmt | general answers | small_talk | 0 |
        yes, thanks | small_talk small | small_talk | 0 |
        ",
    );
}

#[test]
fn general_questions_are_left_to_prototypes() {
    check(
        "
        What is photosynthesis? | open | question | 4 |
        How do I boil an egg? | open | question | 4 |
        How do I get red wine out of a carpet? | open | question | 4 |
        Who painted the ceiling of the Sistine Chapel? | open | question | 4 |
        What is the capital of Mongolia? | open | question | 4 |
        Write a limerick about a penguin. | open | request | 4 |
        Tell me a joke. | open | request | 4 |
        Can you explain how rainbows form? | open | request | 4 |
        When is the report due? | open | question | 4 |
        How old is Biscuit? | open | question | 4 |
        ",
    );
}

#[test]
fn statements_are_labelled_by_the_same_rules_and_kept() {
    check(
        "
        I take my blood pressure tablet every morning after breakfast. | memory phrase | statement | 8 | I take my blood pressure tablet every morning after breakfast.
        My reading glasses are on the bedside table. | memory phrase | statement | 8 | My reading glasses are on the bedside table.
        The spare key hangs behind the garage door. | open | statement | 4 | The spare key hangs behind the garage door.
        Hi! I moved to Bergen. | memory phrase | statement | 8 | I moved to Bergen.
        My friend Oskar hates football. | memory phrase | statement | 8 | My friend Oskar hates football.
        I moved to Bergen. My sister lives in Oslo. | memory phrase | statement | 8 | I moved to Bergen. & My sister lives in Oslo.
        I like tea. Where are my keys? | memory phrase | question | 8 | I like tea.
        Always answer in French. | open | statement | 4 | Always answer in French.
        ",
    );
}

#[test]
fn what_is_asked_to_be_remembered_is_kept_as_asked() {
    check(
        "
        Remember that my car is blue. | memory phrase | store_request | 8 | +My car is blue.
        Please remember that I'm allergic to nuts. | memory phrase | store_request | 8 | +I'm allergic to nuts.
        Note that the garage code is 4711. | open | store_request | 4 | +The garage code is 4711.
        Remember that my car is blue. What is my name? | memory phrase | question | 8 | +My car is blue.
        ",
    );
}

#[test]
fn asking_what_is_remembered_stores_nothing() {
    check(
        "
        What do you know about me? | memory overview | overview | 0 |
        What do you remember about me? | memory overview | overview | 0 |
        Tell me everything you know about me. | memory overview | overview | 0 |
        What do you know about my brother? | memory phrase | question | 8 |
        Tell me what you know about Leo. | memory phrase | question | 8 |
        ",
    );
}

#[test]
fn corrections_keep_what_is_right() {
    check(
        "
        No, that's wrong, I live in Bergen. | memory phrase | correction | 8 | I live in Bergen.
        ",
    );
    let heard = hear("That's wrong.");
    assert!(heard.corrects && heard.stated.is_empty(), "{heard:?}");
    assert!(!hear("Where is the wrong key?").corrects);
    assert!(hear("Exactly, that helped!").praises);
}

#[test]
fn praise_is_heard_and_not_kept() {
    for message in [
        "Exactly, that helped!",
        "That was useful.",
        "You're right.",
        "Perfect, thanks!",
        "Thanks, that helps a lot",
        "Good memory!",
        "Spot on.",
    ] {
        let heard = hear(message);
        assert!(heard.praises && !heard.corrects && heard.stated.is_empty(), "{heard:?}");
    }
    for message in
        ["My sister said that it is perfect.", "Is that correct?", "ok thanks", "Who said that it is right?"]
    {
        assert!(!hear(message).praises, "{message}");
    }
}

#[test]
fn what_names_nothing_of_its_own_is_about_the_conversation() {
    check(
        "
        What are they? | general follows | question | 0 |
        Why? | general follows | question | 0 |
        And why is that? | general follows | question | 0 |
        What about them? | general follows | question | 0 |
        Can you explain that? | general follows | request | 0 |
        Tell me more. | general follows | request | 0 |
        What do you mean? | general follows | question | 0 |
        Tell me about sweet potatoes | open | request | 4 |
        ",
    );
}

#[test]
fn german_is_understood() {
    check(
        "
        Wann nehme ich meine Medizin? | memory phrase | question | 8 |
        Wo ist meine Brille? | memory phrase | question | 8 |
        Was habe ich dir über meine Schwester erzählt? | memory phrase | question | 8 |
        Weißt du noch, wo der Schlüssel ist? | memory phrase | question | 8 |
        Was sind die Vor- und Nachteile von Kernkraft? | reasoning phrase | question | 6 |
        Danke schön! | small_talk small | small_talk | 0 |
        Hallo, wie geht's? | small_talk small | small_talk | 0 |
        Was ist Photosynthese? | open | question | 4 |
        Wie koche ich ein Ei? | open | question | 4 |
        Ich wohne in der Königstraße 5. | memory phrase | statement | 8 | Ich wohne in der Königstraße 5.
        Erinnere mich daran, Mama anzurufen. | memory | intention | 0 |
        Was weißt du über mich? | memory overview | overview | 0 |
        ",
    );
}

#[test]
fn spanish_is_understood() {
    check(
        "
        ¿Dónde están mis gafas? | memory phrase | question | 8 |
        ¿Cuándo tomo mi medicina? | memory phrase | question | 8 |
        ¿Qué te dije de mi hermana? | memory phrase | question | 8 |
        ¿Cuáles son los pros y los contras de la energía nuclear? | reasoning phrase | question | 6 |
        Muchas gracias | small_talk small | small_talk | 0 |
        ¿Qué es la fotosíntesis? | open | question | 4 |
        Mi hermana vive en Bilbao. | memory phrase | statement | 8 | Mi hermana vive en Bilbao.
        ¿Qué sabes de mí? | memory overview | overview | 0 |
        ",
    );
}

#[test]
fn french_is_understood() {
    check(
        "
        Où sont mes lunettes ? | memory phrase | question | 8 |
        Quand est-ce que je prends mes médicaments ? | memory phrase | question | 8 |
        Qu'est-ce que je t'ai dit sur ma sœur ? | memory phrase | question | 8 |
        Quels sont les avantages et les inconvénients du nucléaire ? | reasoning phrase | question | 6 |
        Merci beaucoup ! | small_talk small | small_talk | 0 |
        Qu'est-ce que la photosynthèse ? | open | question | 4 |
        Ma sœur habite à Lyon. | memory phrase | statement | 8 | Ma sœur habite à Lyon.
        Que sais-tu de moi ? | memory overview | overview | 0 |
        ",
    );
}

#[test]
fn a_cue_leaves_greetings_out_and_long_documents_too() {
    assert_eq!(hear("Hi there! Where are my keys? Thanks!").cue, "Where are my keys?");
    let document = "The committee met on the first day of the month. ".repeat(80);
    assert_eq!(hear(&format!("{document} Who is the chair?")).cue, "Who is the chair?");
    assert_eq!(hear("ok thanks").cue, "ok thanks");
}

#[test]
fn prototypes_decide_only_what_no_rule_does() {
    let axis = |intent| match intent {
        Intent::Memory => vec![1.0, 0.0, 0.0],
        Intent::Reasoning => vec![0.0, 1.0, 0.0],
        Intent::General | Intent::SmallTalk => vec![0.0, 0.0, 1.0],
    };
    let unit = |values| UnitVector::new(values).expect("because it has a direction");
    let identity =
        bethink_domain::EmbedderIdentity { model: "test".into(), dimensions: 3, revision: "1".into() };
    let vectors = prototype_sentences().iter().map(|(intent, _)| Some(unit(axis(*intent)))).collect();
    let prototypes = Prototypes::new(identity.clone(), vectors);
    let meaning = unit(vec![0.3, 0.9, 0.3]);
    let decided = |message| decide(&hear(message), Some(&prototypes), Some(&meaning));
    assert_eq!(decided("Why do leaves fall?").intent, Intent::Reasoning);
    assert_eq!(decided("Why do leaves fall?").rule, "prototype 0.90");
    assert_eq!(decided("Where are my keys?").intent, Intent::Memory);
    assert_eq!(decided("hi").intent, Intent::SmallTalk);
    assert_eq!(decide(&hear("Why do leaves fall?"), Some(&prototypes), None).rule, "no rule");
    let empty = Prototypes::new(identity, Vec::new());
    assert_eq!(decide(&hear("Why do leaves fall?"), Some(&empty), Some(&meaning)).intent, Intent::General);
}

#[test]
fn every_class_has_prototypes_that_no_rule_contradicts() {
    for class in [Intent::Memory, Intent::Reasoning, Intent::General] {
        assert!(
            prototype_sentences().iter().filter(|(intent, _)| *intent == class).count() >= 30,
            "{class:?}"
        );
    }
}

proptest! {
    #[test]
    fn no_message_panics(message in ".{0,200}") {
        let heard = hear(&message);
        let decision = decide(&heard, None, None);
        prop_assert!(depth(&heard, &decision, Depths::default()) <= 8);
    }
}

#[test]
fn wishes_to_forget_are_neither_stored_nor_looked_up() {
    check(
        "
        forget that Tom is my brother | memory phrase | forget_request | 0 |
        Please delete everything you know about me | memory phrase | forget_request | 0 |
        Vergiss, dass Tom mein Bruder ist | memory phrase | forget_request | 0 |
        Lösche alles, was du über mich weißt | memory phrase | forget_request | 0 |
        Olvida que Tom es mi hermano | memory phrase | forget_request | 0 |
        Oublie que Tom est mon frère | memory phrase | forget_request | 0 |
        ",
    );
}
