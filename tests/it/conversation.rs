//! What it is like to talk to Bethink, through the real binary with the real model.

use crate::binary::Home;

fn says(reply: &str, fragments: &[&str]) {
    for fragment in fragments {
        assert!(reply.contains(fragment), "{reply:?} lacks {fragment:?}");
    }
}

#[test]
fn what_was_told_is_known_after_a_restart() {
    let home = Home::new();
    let before = home.chat(&[
        "I take my blood pressure tablet every morning after breakfast.",
        "My reading glasses are on the bedside table.",
        "What is photosynthesis?",
        "ok thanks",
    ]);
    assert_eq!(before.len(), 4, "{before:?}");
    says(&before[2], &["no memory", "no language model"]);
    assert!(!before[2].contains("tablet") && !before[2].contains("glasses"), "{before:?}");
    assert_eq!(home.memories().len(), 2, "questions and small talk are no memories");

    let after = home.chat(&[
        "When do I take my medicine?",
        "Where are my spectacles?",
        "What did I tell you about my yacht?",
        "What do you know about me?",
    ]);
    says(&after[0], &["blood pressure tablet every morning after breakfast", "today"]);
    assert!(!after[0].contains("glasses"), "{after:?}");
    says(&after[1], &["reading glasses are on the bedside table", "today"]);
    assert!(!after[1].contains("tablet"), "{after:?}");
    assert!(!after[2].contains("tablet") && !after[2].contains("glasses"), "{after:?}");
    says(&after[2], &["yacht"]);
    says(&after[3], &["tablet", "glasses", "today"]);
    assert_eq!(home.memories().len(), 2, "what was recalled is no new memory");
}

#[test]
fn what_is_to_be_forgotten_is_asked_back_and_gone_after_a_yes() {
    let home = Home::new();
    let replies = home.chat(&[
        "My bike is green.",
        "The boiler is in the cellar.",
        "Forget what I said about my bike.",
        "no",
        "Please forget what I told you about my bike.",
        "yes, forget it",
        "What colour is my bike?",
    ]);
    says(&replies[2], &["delete for ever", "\"My bike is green.\"", "Say \"yes\""]);
    assert!(!replies[2].contains("boiler"), "{replies:?}");
    says(&replies[4], &["\"My bike is green.\""]);
    says(&replies[5], &["One memory is forgotten."]);
    assert!(!replies[6].contains("green"), "{replies:?}");
    assert_eq!(home.memories().len(), 1, "the boiler is still known");
}

#[test]
fn what_was_told_in_few_words_is_known() {
    let check = |told: &str, asked: &str, known: &str| {
        let replies = Home::new().chat(&[told, asked]);
        says(&replies[1], &[known]);
    };
    check("Hello, I'm Dana.", "What's my name?", "I'm Dana.");
    check("I need to buy a gift for Sara", "What do I need to buy?", "gift for Sara");
    check("I like tea.", "What do I like?", "I like tea.");
    check("Мою собаку зовут Шарик.", "Как зовут мою собаку?", "Шарик");
    check("我对花生过敏", "我对什么过敏？", "花生");
}

#[test]
fn a_message_is_not_contradicted_by_its_own_answer() {
    let replies = Home::new().chat(&[
        "My favourite colour is green. What's my favourite colour?",
        "Can you believe it? My son passed his exam.",
        "what did I ask you to remind me of?",
    ]);
    says(&replies[0], &["You've just told me", "green"]);
    assert!(!replies[1].contains("know") && !replies[1].contains("haven't"), "{replies:?}");
    says(&replies[2], &["no open reminders"]);
}

#[test]
fn memory_that_is_switched_off_is_called_so() {
    let home = Home::new();
    let config = home.path().join("off.toml");
    std::fs::write(&config, "[memory]\nenabled = false\n").unwrap();
    let ran =
        home.ok(&["--config", config.to_str().unwrap(), "chat"], "My cat is Tom.\nWhat is my cat called?\n");
    assert_eq!(ran.out.matches("switched off").count(), 2, "{ran:?}");
    assert!(!ran.out.contains("private") && !ran.out.contains("remember"), "{ran:?}");
    assert_eq!(home.memories(), Vec::<String>::new());
}

#[test]
fn asking_to_remember_what_is_remembered_stores_nothing() {
    let home = Home::new();
    home.chat(&["My dog is called Pepper."]);
    let replies = home.chat(&[
        "What do you remember about me?",
        "Do you remember my dog's name?",
        "Remember when we met?",
    ]);
    says(&replies[0], &["Pepper"]);
    says(&replies[1], &["Pepper"]);
    assert_eq!(home.memories(), ["My dog is called Pepper."]);
}

#[test]
fn a_question_that_only_points_back_brings_no_unrelated_memory() {
    let home = Home::new();
    let replies =
        home.chat(&["My bike is a green Brompton.", "Tell me about sweet potatoes", "What are they?"]);
    assert!(!replies[2].contains("Brompton"), "{replies:?}");
}

#[test]
fn a_wish_to_be_reminded_is_answered_truthfully_and_not_stored_as_a_fact() {
    let home = Home::new();
    let replies = home.chat(&["Remind me to call the dentist at 9 tomorrow."]);
    says(&replies[0], &["I'll remind you: “call the dentist”", "at 09:00", "if Bethink is running then"]);
    // It is an intention, and no fact.
    let kinds = home.ok(&["--json", "memory", "list"], "").out;
    assert!(kinds.contains("\"kind\":\"prospective\"") && !kinds.contains("semantic"), "{kinds}");
    assert!(home.ok(&["reminders"], "").out.contains("call the dentist"));
}

#[test]
fn private_talk_leaves_nothing_behind() {
    let home = Home::new();
    home.chat(&["My sister lives in Bergen."]);
    let ran =
        home.ok(&["chat", "--private"], "My secret marker is KUMQUAT77.\nWhere does my sister live?\n/why\n");
    assert!(ran.out.contains("Bergen"), "{ran:?}");
    assert_eq!(home.memories(), ["My sister lives in Bergen."]);
    assert!(!home.holds("KUMQUAT77"), "private words are on disk");
    assert!(!ran.out.contains("Where does my sister live?"), "a private turn has a record: {ran:?}");
}

#[test]
fn secrets_are_left_out_of_everything_that_is_written() {
    let home = Home::new();
    let replies = home.chat(&["My password is hunter2KUMQUAT and my card is 4111 1111 1111 1111."]);
    home.ok(&["remember", "The API key is sk-abcdefghijklmnopqrstuvwxyz123456"], "");
    says(&replies[0], &["password"]);
    for secret in ["hunter2KUMQUAT", "4111 1111", "sk-abcdefghijklmnop"] {
        assert!(!home.holds(secret), "{secret} is on disk");
    }
}

#[test]
fn a_question_in_another_script_is_found_by_its_words() {
    let home = Home::new();
    home.chat(&["我对花生过敏。"]);
    let replies = home.chat(&["我对花生过敏吗？"]);
    says(&replies[0], &["我对花生过敏"]);
}

#[test]
fn praise_and_correction_change_what_a_memory_is_worth() {
    let home = Home::new();
    home.chat(&["My locker code hint is the birthday of Bach."]);
    home.chat(&["What is my locker code hint?", "No, that's wrong."]);
    let ran = home.ok(&["--json", "memory", "list"], "");
    let trace = &ran.objects()[0];
    assert_eq!(trace["uses"], 1, "a correction leaves the uses alone");
    assert_eq!(trace["priority"], 0.0, "and takes back more than the use gave");
}
