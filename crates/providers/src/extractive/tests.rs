//! One check: a planned message and what memory gave, and what is said to it.

use std::borrow::Cow;

use bethink_domain::TurnId;
use bethink_domain::{
    AgentName, Decision, Feeling, Intent, Knowing, Overview, OverviewGroup, Recalled, Recollection,
    ScoreTerms, SessionId, Source, Timestamp, TraceId, TraceKind,
};
use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::*;
use crate::language::{Entered, Line};

const NOW: &str = "2026-11-30T15:00:00Z";

fn at(text: &str) -> Timestamp {
    Timestamp::from_millis(text.parse::<jiff::Timestamp>().unwrap().as_millisecond())
}

fn plan(message: &str, intent: Intent, purpose: Purpose) -> Plan {
    Plan {
        turn: TurnId::from_raw(4),
        agent: AgentName::new("bethink").unwrap(),
        session: SessionId::from_raw(1),
        at: at(NOW),
        message: message.to_owned(),
        decision: Decision { intent, rule: Cow::Borrowed("test") },
        purpose,
        stated: Vec::new(),
        masked: Vec::new(),
        embedding: None,
        recollection: Recollection::none(),
        overview: None,
        proposed: vec![],
        forgotten: None,
        private: false,
        degraded: Vec::new(),
    }
}

fn told(id: u64, text: &str, when: &str, relevance: f32) -> Recalled {
    Recalled {
        id: TraceId::from_raw(id),
        kind: TraceKind::Episodic,
        text: text.into(),
        speaker: None,
        source: Source::UserStatement,
        confidence: 1.0,
        occurred_at: at(when),
        recorded_at: at(when),
        score: relevance,
        relevance,
        strength: 0.5,
        faded: false,
        faded_at: None,
        terms: ScoreTerms::default(),
    }
}

fn tablet() -> Recalled {
    told(1, "I take my blood pressure tablet every morning after breakfast.", "2026-11-29T08:15:00Z", 0.7)
}

fn prompt(plan: Plan, memories: Vec<Recalled>, earlier: &[(&str, &str)]) -> Prompt {
    let entered = memories.into_iter().enumerate().map(|(n, recalled)| Entered {
        tag: format!("m{}", n + 1),
        recalled,
        told: String::new(),
    });
    let lines = earlier.iter().flat_map(|(user, agent)| {
        [(Role::User, user), (Role::Agent, agent)].map(|(role, text)| Line { role, text: (*text).to_owned() })
    });
    Prompt {
        instructions: String::new(),
        conversation: lines.collect(),
        context: String::new(),
        message: plan.message.clone(),
        tools: Vec::new(),
        steps: Vec::new(),
        reply_tokens_max: 1_024,
        entered: entered.collect(),
        plan: Arc::new(plan),
        zone: TimeZone::UTC,
    }
}

/// The reply must have these parts in this order and cite these tags.
fn check(prompt: &Prompt, parts: &[&str], cited: &[&str]) {
    let spoken = compose(prompt);
    let text = spoken.joined();
    let mut rest = text.as_str();
    for part in parts {
        let found = rest.find(part);
        assert!(found.is_some(), "{part:?} is missing or out of order in:\n{text}");
        rest = &rest[found.unwrap_or_default() + part.len()..];
    }
    assert_eq!(spoken.cited, cited, "{text}");
}

fn question(message: &str, memories: Vec<Recalled>) -> Prompt {
    prompt(plan(message, Intent::Memory, Purpose::Question), memories, &[])
}

#[test]
fn a_question_is_answered_in_the_words_in_which_it_was_told() {
    check(
        &question("When do I take my medicine?", vec![tablet()]),
        &[
            "You told me yesterday at 08:15: \"I take my blood pressure tablet every morning after breakfast.\"",
        ],
        &["m1"],
    );
    let mut caroline = told(2, "the car is in the garage", "2026-03-03T09:00:00Z", 0.6);
    caroline.speaker = Some("caroline".into());
    check(
        &question("Where is the car?", vec![caroline]),
        &["Caroline said on 3 March: \"the car is"],
        &["m1"],
    );
    let mut guess = told(3, "You dislike mornings.", "2025-03-03T09:00:00Z", 0.6);
    guess.source = Source::AgentInference;
    guess.confidence = 0.4;
    check(
        &question("Do I like mornings?", vec![guess]),
        &["concluded this myself on 3 March 2025, so it may be wrong", "not sure"],
        &["m1"],
    );
}

#[test]
fn several_memories_become_a_dated_list_and_distant_ones_are_left_out() {
    let memories = vec![
        tablet(),
        told(2, "The tablets are in the bathroom.", "2026-11-30T08:15:00Z", 0.6),
        told(3, "The tablets are in the bathroom", "2026-11-30T08:15:00Z", 0.1),
        told(4, "My sister takes vitamins.", "2026-03-03T09:00:00Z", 0.35),
    ];
    check(
        &question("What about my tablets?", memories),
        &["\n- Yesterday at 08:15: \"I take", "\n- Today at 08:15: \"The tablets are in the bathroom.\""],
        &["m1", "m2"],
    );
}

#[test]
fn not_knowing_is_admitted_as_far_as_it_is_known() {
    check(&question("What did I tell you about my yacht?", vec![]), &["your yacht"], &[]);
    check(&question("Where does my sister live?", vec![]), &["you"], &[]);
    let mut faded = plan("What was my first car?", Intent::Memory, Purpose::Question);
    faded.recollection.feeling = Feeling {
        knowing: Knowing::OnceKnown,
        faded: Some((TraceId::from_raw(9), at("2026-03-03T09:00:00Z"))),
        below_threshold: 2,
        considered: 5,
    };
    check(
        &prompt(faded, vec![], &[]),
        &["I once knew something about this, from 3 March. Shall I look?"],
        &[],
    );
    let mut near = plan("Where is my boat?", Intent::Memory, Purpose::Question);
    near.recollection.feeling.below_threshold = 2;
    check(
        &prompt(near.clone(), vec![], &[]),
        &["your boat", "2 memories came near", "relevance_threshold"],
        &[],
    );
    let hint = "One memory came near; a lower `relevance_threshold` under `[memory]` would let it in.";
    let after = |earlier: &[(&str, &str)]| compose(&prompt(near.clone(), vec![], earlier)).joined();
    assert!(!after(&[("Where is my dog?", hint)]).contains("relevance_threshold"), "advice is given once");
    let long = [("hi", "Hello!"); 5];
    assert!(!after(&long).contains("relevance_threshold"), "nor when it may have gone out of mind");
}

#[test]
fn general_questions_get_no_pretended_knowledge_and_one_hint() {
    let asked = plan("What is photosynthesis?", Intent::General, Purpose::Question);
    let first = "I have no memory of that, and no language model is configured, so I can't answer from general knowledge.";
    check(&prompt(asked.clone(), vec![], &[]), &[first, "`[language]`"], &[]);
    let again = compose(&prompt(
        asked,
        vec![],
        &[("Why?", &format!("{first} What answers is chosen under `[language]` in the configuration file."))],
    ))
    .joined();
    assert_eq!(again, first);
    let request = plan("Write a poem about rain.", Intent::General, Purpose::Request);
    check(&prompt(request, vec![], &[]), &["no language model is configured", "can't do it"], &[]);
    let compare = plan("Should I take the tablet before or after?", Intent::Reasoning, Purpose::Question);
    check(&prompt(compare, vec![tablet()], &[]), &["Weighing things up", "You told me yesterday"], &["m1"]);
    let who = plan("Who are you?", Intent::General, Purpose::Question);
    check(&prompt(who, vec![], &[]), &["not a language model"], &[]);
}

#[test]
fn what_will_be_remembered_is_confirmed_and_nothing_else_is_promised() {
    let mut statement =
        plan("My reading glasses are on the bedside table.", Intent::Memory, Purpose::Statement);
    statement.stated = vec![statement.message.clone()];
    for turn in 0..8 {
        statement.turn = TurnId::from_raw(turn);
        let text = compose(&prompt(statement.clone(), vec![tablet()], &[])).joined();
        assert!(text.contains("remember") || text.starts_with("Noted: \"My reading"), "{text}");
        assert!(!text.contains("tablet"), "{text}");
    }
    let mut secret = statement.clone();
    secret.masked = vec!["password", "API key", "password"];
    check(&prompt(secret, vec![], &[]), &["I left out a password and an API key; I don't keep those."], &[]);
    let mut several = statement.clone();
    several.stated = vec!["I live in Oslo.".to_owned(), "I have two cats.".to_owned()];
    check(&prompt(several, vec![], &[]), &["\n- \"I live in Oslo.\"\n- \"I have two cats.\""], &[]);
    let mut nothing = statement.clone();
    nothing.stated.clear();
    check(&prompt(nothing, vec![], &[]), &["found nothing in it"], &[]);
    let mut asked = plan("Remember that the spare key is at Ada's.", Intent::Memory, Purpose::StoreRequest);
    asked.stated = vec!["The spare key is at Ada's.".to_owned()];
    check(&prompt(asked, vec![], &[]), &["\"The spare key is at Ada's.\""], &[]);
    let mut mixed = plan("I moved to Oslo. When do I take my medicine?", Intent::Memory, Purpose::Question);
    mixed.stated = vec!["I moved to Oslo.".to_owned()];
    check(&prompt(mixed, vec![tablet()], &[]), &["\"I moved to Oslo.\"", "You told me yesterday"], &["m1"]);
}

#[test]
fn corrections_and_intentions_are_taken_for_what_they_are() {
    let mut correction = plan("No, that's wrong, it is after dinner.", Intent::Memory, Purpose::Correction);
    check(&prompt(correction.clone(), vec![], &[]), &["noted the correction"], &[]);
    correction.stated = vec!["It is after dinner.".to_owned()];
    let after = [("When?", "You told me …")];
    check(&prompt(correction, vec![], &after), &["less from now on", "\"It is after dinner.\""], &[]);
    let wish = plan("Remind me to call Ada tomorrow.", Intent::Memory, Purpose::Intention);
    check(&prompt(wish, vec![tablet()], &[]), &["I could not make a reminder of that."], &[]);
    for (message, said) in [
        ("forget that Tom is my brother", "Nothing has been deleted."),
        ("Vergiss, dass Tom mein Bruder ist", "Gelöscht ist nichts."),
        ("Olvida que Tom es mi hermano", "No se ha borrado nada."),
        ("Oublie que Tom est mon frère", "Rien n'a été supprimé."),
    ] {
        let wish = plan(message, Intent::Memory, Purpose::ForgetRequest);
        check(&prompt(wish, vec![], &[]), &[said, "`bethink memory list`", "`/forget ID`"], &[]);
    }
}

#[test]
fn private_turns_are_promised_nothing() {
    let private = |message: &str, purpose| Plan {
        private: true,
        stated: vec![message.to_owned()],
        masked: vec!["password"],
        ..plan(message, Intent::Memory, purpose)
    };
    for purpose in [Purpose::Statement, Purpose::StoreRequest, Purpose::Correction, Purpose::Intention] {
        let text = compose(&prompt(private("My PIN is secret.", purpose), vec![], &[])).joined();
        assert!(text.contains("private") && !text.contains("remember") && !text.contains("Noted"), "{text}");
    }
    let ask = || private("When do I take my medicine?", Purpose::Question);
    let note = "(This is private: I keep nothing of it.)";
    check(&prompt(ask(), vec![tablet()], &[]), &["You told me yesterday", note], &["m1"]);
    let again = compose(&prompt(ask(), vec![tablet()], &[("a", &format!("b {note}"))])).joined();
    assert!(!again.contains("private"), "{again}");
}

#[test]
fn small_talk_is_answered_in_kind_and_in_its_language() {
    let check_talk = |message: &str, words: &[&str]| {
        let said =
            compose(&prompt(plan(message, Intent::SmallTalk, Purpose::SmallTalk), vec![], &[])).joined();
        assert!(words.iter().any(|word| said.contains(word)), "{message:?} got {said:?}");
    };
    check_talk("hi", &["Hello", "Hi"]);
    check_talk("ok thanks", &["welcome", "Any time", "Glad"]);
    check_talk("thanks, bye!", &["Goodbye", "See you"]);
    check_talk("good night", &["Good night"]);
    check_talk("how are you?", &["thank"]);
    check_talk("Danke schön!", &["Gern", "Freut"]);
    check_talk("Gute Nacht", &["Gute Nacht"]);
    check_talk("¡Hola!", &["Hola"]);
    check_talk("merci beaucoup", &["De rien", "Avec plaisir", "Content"]);
    check_talk("À demain", &["revoir", "bientôt"]);
    for odd in ["", "👍", "...", "固", "\u{0}"] {
        check_talk(odd, &["All right", "I'm here", "I hear you", "I'm listening"]);
    }
    for aside in ["ugh", "Really?", "...", "😀😀😀"] {
        check_talk(aside, &["I hear you", "I'm listening"]);
    }
    check_talk("I'm fine, and you?", &["All well here", "I'm well too"]);
}

#[test]
fn what_a_message_tells_answers_what_it_asks() {
    let said = |message: &str, stated: &[&str], private| {
        let mut plan = plan(message, Intent::Memory, Purpose::Question);
        plan.stated = stated.iter().map(|text| (*text).to_owned()).collect();
        plan.private = private;
        compose(&prompt(plan, vec![], &[])).joined()
    };
    let green = "My favourite colour is green.";
    let asked = format!("{green} What's my favourite colour?");
    let kept = "You've just told me, and I'll remember it: \"My favourite colour is green.\"";
    assert_eq!(said(&asked, &[green], false), kept);
    let unkept =
        "You've just told me: \"My favourite colour is green.\" (This is private: I keep nothing of it.)";
    assert_eq!(said(&asked, &[green], true), unkept);
    let exam = "My son passed his exam.";
    for rhetorical in ["Can you believe it?", "Guess what?", "Isn't that great?"] {
        let mut asked = plan(&format!("{rhetorical} {exam}"), Intent::Memory, Purpose::Request);
        asked.stated = vec![exam.to_owned()];
        let confirmed = compose(&prompt(asked, vec![], &[])).joined();
        assert!(["remember", "Noted"].iter().any(|word| confirmed.contains(word)), "{confirmed}");
        assert!(!["know", "haven't", "memory", "don't"].iter().any(|w| confirmed.contains(w)), "{confirmed}");
    }
    let other = said("I moved to Oslo. Where is my passport?", &["I moved to Oslo."], false);
    assert!(other.contains("Oslo") && other.contains("Beyond what you've just told me"), "{other}");
}

#[test]
fn what_nobody_told_is_not_asked_of_the_user() {
    let check_general = |message: &str, words: &str| {
        let asked = prompt(plan(message, Intent::Memory, Purpose::Question), vec![], &[]);
        let said = compose(&asked).joined();
        assert!(said.contains(words) && !said.contains("told me"), "{message:?} got {said:?}");
    };
    for general in ["2+2?", "What time is it?", "Is it going to rain?"] {
        check_general(general, "no language model is configured");
    }
    for bare in ["peanuts", "42", "Blue."] {
        let said = compose(&prompt(plan(bare, Intent::Memory, Purpose::Question), vec![], &[])).joined();
        assert!(said.contains("Tell me more") || said.contains("what about it"), "{bare:?} got {said:?}");
    }
    check_general("What's your name?", "bethink");
    check_general("what did I ask you to remind me of?", "`bethink reminders` lists");
    check_general("Do I have any reminders?", "`bethink reminders` lists");
}

#[test]
fn a_memory_that_is_switched_off_is_called_so() {
    let off = |message: &str, purpose| Plan {
        private: true,
        stated: vec![message.to_owned()],
        degraded: vec![Degraded::MemoryOff],
        ..plan(message, Intent::Memory, purpose)
    };
    for purpose in [
        Purpose::Statement,
        Purpose::StoreRequest,
        Purpose::Correction,
        Purpose::Intention,
        Purpose::Question,
        Purpose::Overview,
    ] {
        let said = compose(&prompt(off("My cat is Tom.", purpose), vec![], &[])).joined();
        assert_eq!(said.matches("switched off").count(), 1, "{purpose:?}: {said}");
        assert!(!said.contains("private") && !said.contains("I'll remember"), "{purpose:?}: {said}");
    }
    let thanks = compose(&prompt(off("thanks", Purpose::SmallTalk), vec![], &[])).joined();
    assert!(!thanks.contains("switched off"), "{thanks}");
}

#[test]
fn other_languages_are_answered_in_their_own() {
    check(
        &question("Wann nehme ich meine Tabletten?", vec![tablet()]),
        &["Du hast mir gestern um 08:15 gesagt: „I take my blood"],
        &["m1"],
    );
    check(
        &question("¿Cuándo tomo mi pastilla?", vec![tablet()]),
        &["Me dijiste ayer a las 08:15: «I take"],
        &["m1"],
    );
    check(&question("Où sont mes lunettes de lecture ?", vec![]), &["tu ne me l'as pas dit"], &[]);
    let mut statement = plan("ok.", Intent::Memory, Purpose::Statement);
    statement.stated = vec!["ok.".to_owned()];
    let earlier = [("Ich wohne in der Nähe von Bremen.", "Notiert.")];
    let said = compose(&prompt(statement, vec![], &earlier)).joined();
    assert!(["merk", "behalte", "Notiert"].iter().any(|word| said.contains(word)), "{said}");
}

#[test]
fn an_overview_is_grouped_dated_and_counts_the_rest() {
    let mut fact = told(1, "The spare key is at Ada's.", "2026-03-03T09:00:00Z", 0.0);
    fact.kind = TraceKind::Semantic;
    let group = |kind, traces, more| OverviewGroup { kind, traces, more };
    let mut asked = plan("What do you know about me?", Intent::Memory, Purpose::Overview);
    asked.overview = Some(Overview {
        groups: vec![
            group(TraceKind::Semantic, vec![fact.clone()], 0),
            group(TraceKind::Episodic, vec![tablet(), told(5, "cut off", NOW, 0.0)], 22),
        ],
        total: 25,
    });
    let expected = [
        "what I know about you.\n\nFacts\n- The spare key is at Ada's. (3 March)\n\n",
        "What you told me\n- I take my blood pressure tablet every morning after breakfast. (yesterday)\n- and 23 more",
    ];
    check(&prompt(asked.clone(), vec![fact, tablet()], &[]), &expected, &[]);
    asked.overview = None;
    check(&prompt(asked, vec![], &[]), &["don't know anything about you yet"], &[]);
}

#[test]
fn what_could_not_be_done_is_said_where_it_matters() {
    let mut degraded = plan("When do I take my medicine?", Intent::Memory, Purpose::Question);
    degraded.degraded = vec![Degraded::WordsOnly];
    check(
        &prompt(degraded.clone(), vec![tablet()], &[]),
        &["You told me yesterday", "search by words"],
        &["m1"],
    );
    degraded.purpose = Purpose::Statement;
    assert!(!compose(&prompt(degraded.clone(), vec![], &[])).joined().contains("by words"));
    degraded.degraded = vec![Degraded::NoReminder];
    check(&prompt(degraded.clone(), vec![], &[]), &["I could not make a reminder"], &[]);
    for purpose in [Purpose::Question, Purpose::Overview] {
        degraded.purpose = purpose;
        degraded.degraded = vec![Degraded::MemoryUnreachable("it is asleep".to_owned())];
        let said = compose(&prompt(degraded.clone(), vec![], &[])).joined();
        assert_eq!(said, "I could not look into my memory: it is asleep.", "nothing found means nothing");
    }
}

#[test]
fn quotations_are_one_plain_line_and_never_cut_inside_a_character() {
    let hostile = "line\u{2028}two\r\n\u{1b}[31mred\u{202e}evil {when} 👨‍👩‍👧";
    check(
        &question("What?", vec![told(1, hostile, NOW, 0.5)]),
        &["\"line two [31mredevil {when} 👨‍👩‍👧\""],
        &["m1"],
    );
    let long = "固😀é👨‍👩‍👧क्षि".repeat(300);
    let text = compose(&question("What?", vec![told(1, &long, NOW, 0.5)])).joined();
    assert!(text.contains("👨‍👩‍👧") && text.ends_with("…\"") && text.graphemes(true).count() < 460);
}

proptest! {
    #[test]
    fn no_message_or_memory_panics(
        message in ".{0,80}",
        memory in ".{0,80}",
        turn in any::<u64>(),
        purpose in prop::sample::select(vec![
            Purpose::Question, Purpose::Request, Purpose::Statement, Purpose::StoreRequest, Purpose::Correction,
            Purpose::Intention, Purpose::Overview, Purpose::SmallTalk, Purpose::ForgetRequest,
        ]),
        private in any::<bool>(),
    ) {
        let mut planned = plan(&message, Intent::Memory, purpose);
        planned.turn = TurnId::from_raw(turn);
        planned.private = private;
        planned.stated = vec![memory.clone()];
        let asked = prompt(planned, vec![told(1, &memory, NOW, 0.5)], &[]);
        let text = compose(&asked).joined();
        prop_assert!(!text.trim().is_empty());
        prop_assert_eq!(pieces(&text).concat(), text.clone());
        prop_assert_eq!(compose(&asked).joined(), text, "the same turn says the same");
    }
}

#[tokio::test]
async fn the_reply_is_streamed_in_pieces_and_stops_when_nobody_listens() {
    let (asked, cancel) = (question("When do I take my medicine?", vec![tablet()]), CancellationToken::new());
    let (words, mut heard) = mpsc::channel(32);
    let reply = Extractive.reply(&asked, &words, &cancel).await.unwrap();
    drop(words);
    let mut pieces = Vec::new();
    while let Some(TurnEvent::Text(piece)) = heard.recv().await {
        pieces.push(piece);
    }
    assert!(pieces.len() > 1, "{pieces:?}");
    assert_eq!(pieces.concat(), reply.text);
    let (words, gone) = mpsc::channel(1);
    drop(gone);
    assert_eq!(Extractive.reply(&asked, &words, &cancel).await, Err(ModelError::Cancelled));
    let (full, _unread) = mpsc::channel(1);
    cancel.cancel();
    assert_eq!(Extractive.reply(&asked, &full, &cancel).await, Err(ModelError::Cancelled));
}
