mod hostile;

use proptest::prelude::*;

use super::SpeechAct::{
    self, Correction, Intention, Question, Quotation, Request, SmallTalk, Statement, StoreRequest,
};
use super::{STATEMENTS_MAX, statements, utterances};

fn check_acts(cases: &[(&str, &[SpeechAct])]) {
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        let acts: Vec<SpeechAct> = utterances(text).into_iter().map(|utterance| utterance.act).collect();
        if acts != *expected {
            wrong.push(format!("{text:?} is {acts:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check_told(cases: &[(&str, &[&str])]) {
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        let told: Vec<String> = statements(text).items.into_iter().map(|statement| statement.text).collect();
        if told != *expected {
            wrong.push(format!("{text:?} tells {told:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const ENGLISH: &[(&str, &[SpeechAct])] = &[
    ("I take my blood pressure tablet every morning after breakfast.", &[Statement]),
    ("The lift in block C is out of order", &[Statement]),
    ("where did I put my keys", &[Question]),
    ("Remind me what I said about Oslo", &[Question]),
    ("Remind me — what was that thing that helps with stress?", &[Question]),
    ("Remind me about Oslo", &[Question]),
    ("Remind me when my appointment is", &[Question]),
    ("Remind me to call mum at 5", &[Intention]),
    ("Remind me at 09:05 to stretch", &[Intention]),
    ("please remind me tomorrow about the report", &[Intention]),
    ("Can you remind me to stretch?", &[Intention]),
    ("can you remind me what I said", &[Question]),
    ("Don't let me forget to buy milk", &[Intention]),
    ("don't forget to call mum", &[Intention]),
    ("Alert me when the server is down", &[Intention]),
    ("Set a timer for 10 minutes", &[Intention]),
    ("Remember to buy milk", &[Intention]),
    ("Remember when we met?", &[Question]),
    ("Do you remember my dog's name?", &[Question]),
    ("do you remember that my bike is green?", &[Question]),
    ("What do you remember about me?", &[Question]),
    ("Remember that my bike is green.", &[StoreRequest]),
    ("can you remember that my bike is green?", &[StoreRequest]),
    ("Please note: the door code is 4711", &[StoreRequest]),
    ("keep in mind that I'm allergic to nuts", &[StoreRequest]),
    ("Remember this.", &[Request]),
    ("At 9 tomorrow send me the summary", &[Intention]),
    ("Turn on the lamp at 9 AM", &[Intention]),
    ("tomorrow ask about the 9am slot", &[Intention]),
    ("Tomorrow I fly to Oslo", &[Statement]),
    ("Every morning I run in the park", &[Statement]),
    ("My name is Ana. What's the capital of Peru?", &[Statement, Question]),
    ("I have a question: what is DNA?", &[SmallTalk, Question]),
    ("I just got a new dog named Rex, what should I feed him?", &[Statement, Question]),
    ("I live in Oslo, can you recommend a museum?", &[Statement, Request]),
    ("If it rains, what should I wear?", &[Question]),
    ("When I was young I lived in Oslo", &[Statement]),
    ("What I like most is tea.", &[Statement]),
    ("who wrote Hamlet", &[Question]),
    ("how many cups of coffee do I drink", &[Question]),
    ("is photosynthesis hard", &[Question]),
    ("Will is my brother", &[Statement]),
    ("May is my birthday month", &[Statement]),
    ("i wonder what DNA is", &[Question]),
    ("I can't remember where I put my keys", &[Question]),
    ("I forgot my umbrella at the office.", &[Statement]),
    ("I forgot my sister's birthday", &[Question]),
    ("Let me tell you about my day: I fell off my bike.", &[Statement]),
    ("tell me a joke", &[Request]),
    ("Tell me about photosynthesis", &[Request]),
    ("Explain gravity", &[Request]),
    ("Thanks, can you explain gravity?", &[Request]),
    ("Write a limerick about a penguin.", &[Request]),
    ("compare these two options", &[Request]),
    ("Please help", &[Request]),
    ("photosynthesis", &[Request]),
    ("Show jumping is my hobby", &[Statement]),
    ("No, that's wrong.", &[Correction]),
    ("That's not right", &[Correction]),
    ("Actually, my bike is blue", &[Correction]),
    ("I meant Tuesday", &[Correction]),
    ("It's not Monday but Tuesday", &[Correction]),
    ("Thanks, that helped!", &[SmallTalk]),
    ("Perfect, thank you so much!", &[SmallTalk]),
    ("ok thanks", &[SmallTalk]),
    ("👍", &[SmallTalk]),
    ("You said that the museum opens at 9.", &[Quotation]),
    ("> my bike is green\nIs this still true?", &[Quotation, Question]),
    ("```\nlet x = 1;\n```", &[Quotation]),
    ("Please always answer in metric units", &[Statement]),
    ("Call me Ana", &[Statement]),
    ("My friend Oskar hates football, I play it every Sunday.", &[Statement]),
    ("What a lovely day!", &[Statement]),
];

#[test]
fn english_sentences_are_told_apart() {
    check_acts(ENGLISH);
}

const GERMAN: &[(&str, &[SpeechAct])] = &[
    ("Ich nehme jeden Morgen nach dem Frühstück meine Blutdrucktablette.", &[Statement]),
    ("Der Aufzug in Block C ist kaputt", &[Statement]),
    ("wo habe ich meine Schlüssel hingelegt", &[Question]),
    ("Erinnere mich, was ich über Oslo gesagt habe", &[Question]),
    ("Erinnere mich morgen daran, Milch zu kaufen", &[Intention]),
    ("Erinner mich an Oslo", &[Question]),
    ("Vergiss nicht, Milch zu kaufen", &[Intention]),
    ("Sag mir Bescheid, wenn es regnet", &[Intention]),
    ("Erinnerst du dich an meinen Hund?", &[Question]),
    ("weißt du noch wie mein Hund heißt", &[Question]),
    ("Merk dir, dass mein Rad grün ist.", &[StoreRequest]),
    ("Vergiss nicht, dass ich umgezogen bin", &[StoreRequest]),
    ("Kannst du dir merken, dass ich vegan bin?", &[StoreRequest]),
    ("Ich heiße Ana. Was ist die Hauptstadt von Peru?", &[Statement, Question]),
    ("Ich habe eine Frage: Was ist DNA?", &[SmallTalk, Question]),
    ("Ich habe einen Hund namens Rex, was soll ich ihm geben?", &[Statement, Question]),
    ("Was ich mag, ist Tee", &[Statement]),
    ("Als ich jung war, wohnte ich in Oslo", &[Statement]),
    ("Erkläre mir die Schwerkraft", &[Request]),
    ("Danke, kannst du die Schwerkraft erklären?", &[Request]),
    ("Schreib ein Gedicht über Pinguine", &[Request]),
    ("Schick mir morgen um 9 die Zusammenfassung", &[Intention]),
    ("Morgen um 9 schick mir die Zusammenfassung", &[Intention]),
    ("Nein, das stimmt nicht.", &[Correction]),
    ("Eigentlich ist mein Rad blau", &[Correction]),
    ("Danke, das hat geholfen!", &[SmallTalk]),
    ("Alles klar, vielen Dank!", &[SmallTalk]),
    ("Nenn mich Ana", &[Statement]),
    ("Du hast gesagt, dass es regnet.", &[Quotation]),
];

const SPANISH: &[(&str, &[SpeechAct])] = &[
    ("Tomo mi pastilla para la tensión cada mañana después del desayuno.", &[Statement]),
    ("El ascensor del bloque C no funciona", &[Statement]),
    ("dónde puse mis llaves", &[Question]),
    ("donde deje mis llaves", &[Question]),
    ("Recuérdame lo que dije sobre Oslo", &[Question]),
    ("Recuérdame comprar leche mañana", &[Intention]),
    ("No olvides comprar leche", &[Intention]),
    ("Avísame cuando llueva", &[Intention]),
    ("¿Te acuerdas de mi perro?", &[Question]),
    ("Recuerda que mi bici es verde.", &[StoreRequest]),
    ("¿Puedes recordar que soy vegano?", &[StoreRequest]),
    ("Me llamo Ana. ¿Cuál es la capital de Perú?", &[Statement, Question]),
    ("Tengo una pregunta: ¿qué es el ADN?", &[SmallTalk, Question]),
    ("Tengo un perro llamado Rex, ¿qué debe comer?", &[Statement, Question]),
    ("Cuando era joven vivía en Oslo", &[Statement]),
    ("Explícame la gravedad", &[Request]),
    ("Gracias, ¿puedes explicar la gravedad?", &[Request]),
    ("Mañana a las 9 envíame el resumen", &[Intention]),
    ("No, eso no es correcto.", &[Correction]),
    ("En realidad mi bici es azul", &[Correction]),
    ("Gracias, eso me ayudó", &[SmallTalk]),
    ("Muchas gracias, hasta luego", &[SmallTalk]),
    ("Llámame Ana", &[Statement]),
    ("Me dijiste que iba a llover.", &[Quotation]),
];

const FRENCH: &[(&str, &[SpeechAct])] = &[
    ("Je prends mon comprimé pour la tension chaque matin après le petit déjeuner.", &[Statement]),
    ("L'ascenseur du bloc C est en panne", &[Statement]),
    ("où ai-je mis mes clés", &[Question]),
    ("Rappelle-moi ce que j'ai dit sur Oslo", &[Question]),
    ("Rappelle-moi d'acheter du lait demain", &[Intention]),
    ("N'oublie pas d'acheter du lait", &[Intention]),
    ("Préviens-moi quand il pleut", &[Intention]),
    ("Tu te souviens de mon chien ?", &[Question]),
    ("Souviens-toi que mon vélo est vert.", &[StoreRequest]),
    ("Peux-tu retenir que je suis végétarien ?", &[StoreRequest]),
    ("Je m'appelle Ana. Quelle est la capitale du Pérou ?", &[Statement, Question]),
    ("J'ai une question : qu'est-ce que l'ADN ?", &[SmallTalk, Question]),
    ("J'ai un chien qui s'appelle Rex, que dois-je lui donner ?", &[Statement, Question]),
    ("Quand j'étais petit j'habitais à Oslo", &[Statement]),
    ("Explique-moi la gravité", &[Request]),
    ("Merci, peux-tu expliquer la gravité ?", &[Request]),
    ("Demain à 9h envoie-moi le résumé", &[Intention]),
    ("Non, c'est faux.", &[Correction]),
    ("En fait, mon vélo est bleu", &[Correction]),
    ("Merci, ça m'a aidé !", &[SmallTalk]),
    ("D'accord, merci beaucoup", &[SmallTalk]),
    ("Appelle-moi Ana", &[Statement]),
    ("Tu m'as dit qu'il allait pleuvoir.", &[Quotation]),
];

#[test]
fn german_sentences_are_told_apart() {
    check_acts(GERMAN);
}

#[test]
fn spanish_sentences_are_told_apart() {
    check_acts(SPANISH);
}

#[test]
fn french_sentences_are_told_apart() {
    check_acts(FRENCH);
}

#[test]
fn what_is_told_in_other_languages_is_kept() {
    check_told(&[
        ("Merk dir, dass mein Rad grün ist", &["Mein Rad grün ist."]),
        ("Merk dir: mein Rad ist grün", &["Mein Rad ist grün."]),
        ("Hallo, ich heiße Ana. Was ist DNA?", &["Ich heiße Ana."]),
        ("Nein, mein Rad ist blau.", &["Mein Rad ist blau."]),
        ("Recuerda que mi bici es verde", &["Mi bici es verde."]),
        ("No, mi bici es azul.", &["Mi bici es azul."]),
        ("Souviens-toi que mon vélo est vert", &["Mon vélo est vert."]),
        ("Non, mon vélo est bleu.", &["Mon vélo est bleu."]),
        ("Note que je suis végétarien", &["Je suis végétarien."]),
    ]);
}

#[test]
fn chinese_and_japanese_questions_are_questions() {
    check_acts(&[
        ("我对花生过敏。", &[Statement]),
        ("你记得我叫什么吗", &[Question]),
        ("我叫安娜。我住在哪里？", &[Statement, Question]),
        ("私の鍵はどこですか。", &[Question]),
        ("私は東京に住んでいます。", &[Statement]),
    ]);
}

#[test]
fn what_is_told_is_kept_and_nothing_else() {
    check_told(&[
        ("remember that my bike is green", &["My bike is green."]),
        ("Please remember that I'm allergic to nuts!", &["I'm allergic to nuts!"]),
        ("Can you note that the door code is 4711?", &["The door code is 4711."]),
        ("Remember, my bike is green", &["My bike is green."]),
        ("remember: eu-west-3 is down", &["eu-west-3 is down."]),
        ("don't forget my birthday is on 3 May", &["My birthday is on 3 May."]),
        ("Hi, my name is Ana. What's the capital of Peru?", &["My name is Ana."]),
        ("Thanks! I take it at 9.", &["I take it at 9."]),
        ("No, my bike is blue.", &["My bike is blue."]),
        ("Actually, my bike is blue", &["My bike is blue."]),
        ("Actually, that's great", &[]),
        ("That's wrong. It is Tuesday.", &["It is Tuesday."]),
        ("I have a question: what is DNA?", &[]),
        ("I just got a dog named Rex, what does he eat?", &["I just got a dog named Rex"]),
        ("Remember when we met? Do you remember my dog's name?", &[]),
        ("At 9 tomorrow send me the summary", &[]),
        ("Remind me to buy milk. I like oat milk.", &["I like oat milk."]),
        (
            "- I like tea\n- I hate coffee\n3. My bike is green",
            &["I like tea", "I hate coffee", "My bike is green"],
        ),
        ("You said: \"my bike is green\"", &[]),
        ("Please always answer in metric units", &["always answer in metric units"]),
        ("a line that\n  is wrapped", &["a line that is wrapped"]),
        ("", &[]),
    ]);
}

#[test]
fn spans_say_where_it_was_told() {
    let text = "Hi, my name is Ana. remember that my bike is green";
    let told: Vec<&str> = statements(text).items.into_iter().map(|statement| &text[statement.span]).collect();
    assert_eq!(told, ["my name is Ana.", "my bike is green"]);
}

#[test]
fn a_document_is_folded_and_not_cut() {
    let text: String = (0..100).map(|n| format!("Fact number {n} is true here. ")).collect();
    let told = statements(&text);
    assert_eq!((told.items.len(), told.folded), (STATEMENTS_MAX, 68));
    assert!(told.items[STATEMENTS_MAX - 1].text.ends_with("Fact number 99 is true here."));
}

#[test]
fn long_messages_take_linear_time() {
    for unit in [
        "I have a dog, what is it? ",
        "ok ",
        "remember that ",
        "no, ",
        "my bike. ",
        "what if ",
        "花",
        "a\n",
        "- ",
    ] {
        let text = unit.repeat(200_000 / unit.len());
        assert!(statements(&text).items.len() <= STATEMENTS_MAX);
    }
}

#[test]
fn mixed_clusters_never_break() {
    for n in 0..600 {
        let text = format!("{}{}", "a".repeat(n), "固😀é👨‍👩‍👧क्षि".repeat(3));
        assert!(!utterances(&text).is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_can_be_read(text in any::<String>()) {
        for utterance in utterances(&text) {
            prop_assert!(text.get(utterance.span).is_some());
        }
    }

    #[test]
    fn any_words_can_be_read(words in proptest::collection::vec(
        proptest::sample::select(vec!["remember", "that", "my", "no", ",", "don't", "what's", "?", ".", "remind", "me", "to",
        "actually", "hi", "at", "9", "it's", "—", "not", "but", "\n", ">", "you", "said", "please", "can", ":", "é", "😀"]), 0..14)) {
        let text = words.join(" ");
        for utterance in utterances(&text) {
            prop_assert!(text.get(utterance.span).is_some());
        }
    }
}
