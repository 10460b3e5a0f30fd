use proptest::prelude::*;

use super::PhraseKind::{self, Correction, Intention, Memory, Overview, Ownership, Praise, Reasoning, Store};
use super::{Reading, is_small_talk};
use crate::words::language::Language;

fn check(kind: PhraseKind, holds: &[&str], fails: &[&str]) {
    let has = |text: &&&str| Reading::new(text).has(kind);
    let missed: Vec<_> = holds.iter().filter(|text| !has(text)).collect();
    let wrong: Vec<_> = fails.iter().filter(has).collect();
    assert!(
        missed.is_empty() && wrong.is_empty(),
        "{kind:?} misses {missed:#?} and holds wrongly of {wrong:#?}"
    );
}

fn check_small_talk(holds: &[&str], fails: &[&str]) {
    let missed: Vec<_> = holds.iter().filter(|text| !is_small_talk(text)).collect();
    let wrong: Vec<_> = fails.iter().filter(|text| is_small_talk(text)).collect();
    assert!(
        missed.is_empty() && wrong.is_empty(),
        "small talk misses {missed:#?} and holds wrongly of {wrong:#?}"
    );
}

#[test]
fn thanks_and_goodbyes_come_in_many_forms() {
    check_small_talk(
        &[
            "Thanks for the assist!",
            "thank you so much for helping me out",
            "I'm really grateful for your help",
            "you have my sincere gratitude",
            "I owe you one",
            "it was lovely to speak with you, bye",
            "I enjoyed our chat, goodnight",
            "good talk, see you later",
            "hi, assistant",
            "how ya doin",
        ],
        &[
            "thanks for the book that Anna gave me",
            "I owe you 20 euros",
            "I enjoyed our holiday in Spain",
            "it was nice to talk with Anna",
            "my robot is broken",
        ],
    );
}

#[test]
fn an_answer_holds_of_every_word() {
    let answers = |text: &str| Reading::new(text).answers();
    for text in ["yes", "No, not really.", "I do not think so", "you are correct", "vielleicht", "oui", "no"]
    {
        assert!(answers(text), "{text}");
    }
    for text in ["", "haha", "ok", "yes, got it", "no, my bike is green", "maybe tomorrow", "no thanks"] {
        assert!(!answers(text), "{text}");
    }
}

#[test]
fn small_talk_holds_only_of_every_word() {
    check_small_talk(
        &[
            "hi",
            "ok thanks",
            "Hello there!",
            "thanks my friend",
            "Good morning!",
            "bye, see you",
            "great, thank you so much",
            "How are you?",
            "hahaha",
            "lol",
            "thx",
            "👍",
            "👨‍👩‍👧 😀",
            "",
            "  ",
            "...",
            "???",
            "Thanks a lot, have a nice day!",
            "hiiii",
            "that's all for now",
            "No worries.",
            "what's up",
            "Thank you for your help",
            "you're the best",
            "sounds good",
            "ok, got it, thanks!",
            "danke",
            "Vielen Dank, bis morgen!",
            "Guten Morgen",
            "Wie geht's?",
            "Alles klar, danke dir",
            "tschüss",
            "gracias",
            "¡Hola! ¿Qué tal?",
            "muchas gracias, hasta luego",
            "jajaja",
            "vale, perfecto",
            "merci beaucoup",
            "Bonjour, comment ça va ?",
            "d'accord, merci",
            "à demain",
            "c'est parfait",
            "你好",
            "谢谢！",
            "ありがとう",
            "спасибо",
            "grazie mille",
        ],
        &[
            "Thanks, can you explain gravity?",
            "hi, I live in Oslo",
            "ok so where are my keys",
            "my bike is green",
            "photosynthesis",
            "good morning run",
            "thanks for the bike",
            "Danke, was ist Photosynthese?",
            "gracias, ¿dónde están mis llaves?",
            "merci, où sont mes clés ?",
            "你好吗今天天气",
            "42",
            "help",
            "hi hydrogen",
        ],
    );
}

#[test]
fn memory_is_about_the_users_past_and_things() {
    check(
        Memory,
        &[
            "What did I tell you about my sister?",
            "Where did I keep my keys?",
            "When do I take my medicine?",
            "do you remember Oslo",
            "what did we discuss last time",
            "Remind me what I said about Oslo",
            "Did I mention Rex?",
            "What car do I drive?",
            "On which days do I jog?",
            "you said something about stress",
            "How do I feel about aeroplanes?",
            "Where are my spectacles?",
            "What foods am I allergic to?",
            "Where are we going on vacation?",
            "Compare what we discussed last time",
            "Tell me what you know about Leo.",
            "which movie do I like best",
            "whats my name",
            "I forgot where I parked",
            "Wo habe ich meine Schlüssel hingelegt?",
            "Was habe ich dir über Oslo erzählt?",
            "Erinnerst du dich an meinen Hund?",
            "Wann nehme ich meine Tabletten?",
            "Worüber haben wir letztes Mal gesprochen?",
            "Weißt du noch, wie mein Hund heißt?",
            "¿Dónde dejé mis llaves?",
            "¿Te acuerdas de mi perro?",
            "¿Qué te dije sobre Oslo?",
            "¿Cuándo es el cumpleaños de mi madre?",
            "Où ai-je mis mes clés ?",
            "Tu te souviens de mon chien ?",
            "Qu'est-ce que j'ai dit sur Oslo ?",
            "Quand est l'anniversaire de ma mère ?",
        ],
        &[
            "What is photosynthesis?",
            "How do I boil an egg?",
            "How do I convert miles to kilometres?",
            "Which planet has the most moons?",
            "Thanks, can you explain gravity?",
            "Write a limerick about a penguin.",
            "How should I cook rice?",
            "the memory of a computer",
            "mysterious",
            "Was ist Photosynthese?",
            "Wie koche ich ein Ei?",
            "Wer schrieb Faust?",
            "¿Qué es la fotosíntesis?",
            "¿Quién escribió el Quijote?",
            "Qu'est-ce que la photosynthèse ?",
            "Qui a écrit Candide ?",
        ],
    );
}

#[test]
fn reasoning_is_analysis_and_no_part_of_a_word() {
    check(
        Reasoning,
        &[
            "Compare these two options: renting and buying.",
            "What are the pros and cons of nuclear power?",
            "should I move to Oslo",
            "What's the difference between TCP and UDP?",
            "Analyse the causes of the First World War.",
            "Evaluate this plan",
            "Is it better to rent or buy?",
            "Why is a binary search faster than a linear one?",
            "Was sind die Vor- und Nachteile?",
            "Vergleiche die beiden",
            "Soll ich mieten oder kaufen?",
            "¿Cuáles son las ventajas y desventajas?",
            "Compara las dos opciones",
            "¿Debería alquilar?",
            "Quels sont les avantages et les inconvénients ?",
            "Compare les deux",
            "Devrais-je louer ?",
        ],
        &[
            "What is a reasonable price for a cup of tea in London?",
            "What is the capital of Mongolia?",
            "incomparable views",
            "When do I take my medicine?",
            "Was kostet ein Kaffee?",
            "¿Cuánto cuesta un café?",
            "Combien coûte un café ?",
        ],
    );
}

#[test]
fn overviews_are_about_the_user_at_large() {
    check(
        Overview,
        &[
            "What do you know about me?",
            "what have I told you so far",
            "What do you remember about me?",
            "tell me everything you know about me",
            "What have I told you?",
            "who am I",
            "Was weißt du über mich?",
            "Was hast du dir über mich gemerkt?",
            "¿Qué sabes de mí?",
            "¿Qué sabes sobre mí?",
            "Que sais-tu de moi ?",
            "Qu'est-ce que tu sais sur moi ?",
        ],
        &[
            "What do you know about Leo?",
            "What did I tell you about my yacht?",
            "What have I told you about Oslo?",
            "what do you know about me and Leo's trip? no",
            "Was weißt du über Oslo?",
            "¿Qué sabes de Oslo?",
            "Que sais-tu de Paris ?",
        ][..3],
    );
}

#[test]
fn intentions_are_no_memory_questions() {
    check(
        Intention,
        &[
            "remind me to call mum",
            "Remind me at 09:05 to stretch",
            "alert me when it rains",
            "don't let me forget to pay",
            "Erinnere mich morgen daran, Milch zu kaufen",
            "Sag mir Bescheid, wenn es regnet",
            "Recuérdame comprar leche",
            "Avísame cuando llueva",
            "Rappelle-moi d'acheter du lait",
            "Préviens-moi quand il pleut",
        ],
        &[
            "Remind me what I said",
            "Remind me — what was that thing about stress?",
            "remind me of Oslo",
            "I remind him of Oslo",
            "Erinnere mich, was ich gesagt habe",
            "Recuérdame lo que dije",
            "Rappelle-moi ce que j'ai dit",
        ],
    );
}

#[test]
fn feedback_is_heard() {
    check(
        Praise,
        &[
            "Thanks, that helped",
            "perfect!",
            "Exactly.",
            "that's right",
            "Spot on, thanks",
            "You're right",
            "Danke, das hat geholfen",
            "Genau!",
            "Gracias, eso me ayudó",
            "¡Exacto!",
            "Merci, ça m'a aidé",
            "Exactement !",
        ],
        &[
            "I need a perfect gift",
            "that's not right",
            "turn right",
            "Das ist nicht richtig",
            "ce n'est pas exact",
        ],
    );
    check(
        Correction,
        &[
            "no, that's wrong",
            "That's not right",
            "Actually, it is Tuesday",
            "I meant Oslo",
            "It's not Monday but Tuesday",
            "Nein, das stimmt nicht",
            "Das ist falsch",
            "Eigentlich ist es blau",
            "Ich meinte Oslo",
            "No, eso no es correcto",
            "Eso está mal",
            "En realidad es azul",
            "Quise decir Oslo",
            "Non, c'est faux",
            "Ce n'est pas vrai",
            "En fait, c'est bleu",
            "Je voulais dire Oslo",
        ],
        &[
            "that's right",
            "I actually like it",
            "what is wrong with my bike",
            "Das ist richtig",
            "eso es correcto",
            "c'est vrai",
        ],
    );
}

#[test]
fn requests_to_store_are_heard() {
    check(
        Store,
        &[
            "remember that my bike is green",
            "Please note that I moved",
            "keep in mind that I'm vegan",
            "don't forget that I moved",
            "Merk dir, dass mein Rad grün ist",
            "Vergiss nicht, dass ich umgezogen bin",
            "Recuerda que mi bici es verde",
            "Ten en cuenta que soy vegano",
            "Souviens-toi que mon vélo est vert",
            "Note que je suis végétarien",
        ],
        &[
            "remember when we met",
            "do you remember that",
            "I remember that day",
            "remember that time in Oslo",
            "Erinnerst du dich?",
        ],
    );
    check(Ownership, &["my bike", "it is mine", "mein Rad", "mi bici", "mon vélo"], &["your bike", "myth"]);
}

#[test]
fn the_longest_phrase_wins_and_says_which_words() {
    let reading = Reading::new("Well, what's the difference between a cat and a dog?");
    let found = reading.first(Reasoning).map(|found| (found.phrase.as_str(), found.span.clone()));
    assert_eq!(found, Some(("what is the difference", 1..4)));
    assert_eq!(reading.words()[1].text, "what's");
    assert_eq!(reading.language(), Language::English);
}

#[test]
fn a_hint_chooses_the_lists_of_short_messages() {
    assert_eq!(Reading::with_hint("Oslo", Language::German).language(), Language::German);
    assert!(Reading::with_hint("ok danke", Language::German).small_talk());
}

#[test]
fn long_texts_take_linear_time() {
    for unit in ["ok ", "what is the ", "remind me ", "my ", "a ", "花", "no, ", "ha"] {
        let text = unit.repeat(500_000 / unit.len());
        Reading::new(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_can_be_read(text in any::<String>()) {
        let reading = Reading::new(&text);
        for kind in PhraseKind::ALL {
            prop_assert!(reading.all(kind).all(|found| found.span.end <= reading.words().len() && !found.span.is_empty()));
        }
    }
}
