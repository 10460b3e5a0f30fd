//! Messages that were misread once, in each language.

use super::super::SpeechAct::{
    Correction, ForgetRequest, Intention, Question, Quotation, Request, SmallTalk, Statement, StoreRequest,
};
use super::{check_acts, check_told};

#[test]
fn a_doubt_is_never_cut_off() {
    let whole = [
        "I think I'm allergic to penicillin, but I'm not sure.",
        "I think I'm allergic to penicillin, not sure if it was a test.",
        "I take it at 9, I don't know if that is right.",
        "Ich glaube, ich bin gegen Penicillin allergisch, aber ich bin nicht sicher.",
        "Ich nehme es um 9, ich weiß nicht, ob das stimmt.",
        "Creo que soy alérgico a la penicilina, pero no estoy seguro.",
        "Tomo la pastilla a las 9, no sé si es correcto.",
        "Je crois que je suis allergique à la pénicilline, mais je ne suis pas sûr.",
        "Je le prends à 9 heures, je ne sais pas si c'est juste.",
    ];
    check_told(&[("I take it at nine, but", &["I take it at nine, but"])]);
    for text in whole {
        check_told(&[(text, &[text])]);
    }
}

#[test]
fn what_follows_an_announcement_is_told() {
    check_told(&[
        ("Guess what, I got the job!", &["I got the job!"]),
        ("Well, my knee hurts again", &["my knee hurts again"]),
        ("Let me tell you something: I was born in Cork", &["I was born in Cork"]),
        ("Weißt du was, ich habe den Job!", &["ich habe den Job!"]),
        ("Stell dir vor, ich habe den Job!", &["ich habe den Job!"]),
        ("¡Adivina qué, tengo el trabajo!", &["tengo el trabajo!"]),
        ("Tu sais quoi, j'ai eu le poste !", &["j'ai eu le poste !"]),
        ("👨‍👩‍👧 is my family.", &["👨‍👩‍👧 is my family."]),
        ("Guess what", &[]),
        ("Well, thanks", &[]),
    ]);
}

#[test]
fn a_wish_to_forget_is_told_apart() {
    check_acts(&[
        ("forget that Tom is my brother", &[ForgetRequest]),
        ("Please delete everything you know about me", &[ForgetRequest]),
        ("Can you forget my address?", &[ForgetRequest]),
        ("forget it", &[SmallTalk]),
        ("don't forget that Tom is my brother", &[StoreRequest]),
        ("never forget to lock the door", &[Intention]),
        ("don't let me forget to call mum", &[Intention]),
        ("delete the last line of this text", &[Request]),
        ("I forgot my umbrella at the office.", &[Statement]),
        ("Vergiss, dass Tom mein Bruder ist", &[ForgetRequest]),
        ("Lösche alles, was du über mich weißt", &[ForgetRequest]),
        ("vergiss es", &[SmallTalk]),
        ("Vergiss nicht, dass Tom mein Bruder ist", &[StoreRequest]),
        ("Olvida que Tom es mi hermano", &[ForgetRequest]),
        ("Borra todo lo que sabes de mí", &[ForgetRequest]),
        ("No olvides que Tom es mi hermano", &[StoreRequest]),
        ("Oublie que Tom est mon frère", &[ForgetRequest]),
        ("Supprime tout ce que tu sais sur moi", &[ForgetRequest]),
        ("N'oublie pas que Tom est mon frère", &[StoreRequest]),
        ("Забудь, что Том мой брат", &[ForgetRequest]),
    ]);
}

#[test]
fn intentions_are_heard_in_other_languages() {
    check_acts(&[
        ("提醒我明天买牛奶", &[Intention]),
        ("明天9点提醒我开会", &[Intention]),
        ("她总提醒我吃药。", &[Statement]),
        ("明日会議を思い出させて", &[Intention]),
        ("明日牛乳を買うようリマインドして", &[Intention]),
        ("Напомни мне купить молоко", &[Intention]),
        ("Напомни, что я говорил", &[Question]),
        ("Lembra-me de comprar leite", &[Intention]),
        ("Ricordami di comprare il latte", &[Intention]),
    ]);
}

#[test]
fn question_words_of_other_scripts_ask() {
    let asked = [
        "ห้องน้ำอยู่ที่ไหน",
        "นี่คืออะไร",
        "ما هو اسمي",
        "هل تتذكر اسمي",
        "أين مفاتيحي",
        "私の名前は何",
        "鍵はどこ",
        "彼は誰",
        "我的钥匙在哪里",
        "我叫什么名字",
        "내 열쇠는 어디에 있어",
        "где мои ключи",
        "что я сказал",
        "как меня зовут",
    ];
    for text in asked {
        check_acts(&[(text, &[Question])]);
    }
    let told = [
        "Я знаю, где мои ключи",
        "Когда я был маленьким, я жил в Осло",
        "我对花生过敏",
        "我什么都吃",
        "いつも七時に起きます",
        "何か食べました",
        "나는 언제나 일찍 일어나요",
        "ฉันแพ้ถั่ว",
        "أنا أحب القهوة",
    ];
    for text in told {
        check_acts(&[(text, &[Statement])]);
    }
}

#[test]
fn fragments_and_insults_are_not_kept() {
    check_told(&[
        ("You are stupid", &[]),
        ("Du bist dumm", &[]),
        ("Eres tonto", &[]),
        ("Tu es bête", &[]),
        ("Great guy.", &[]),
        ("Blue.", &[]),
        ("42", &[]),
        ("peanuts", &[]),
        ("- apples\n- pears", &[]),
    ]);
    check_acts(&[("- apples\n- pears", &[Quotation, Quotation])]);
}

#[test]
fn what_was_meant_instead_is_a_correction() {
    check_acts(&[
        ("I meant Max.", &[Correction]),
        ("Not Rex, Max.", &[Correction]),
        ("Nicht Rex, Max.", &[Correction]),
        ("No Rex, Max.", &[Correction]),
        ("Pas Rex, Max.", &[Correction]),
        ("No, thanks.", &[SmallTalk]),
    ]);
}

#[test]
fn words_keep_their_case() {
    check_told(&[
        ("npm run build", &["npm run build"]),
        ("fn main()", &["fn main()"]),
        ("export AWS_REGION=eu-west-1", &["export AWS_REGION=eu-west-1"]),
        ("curl https://a.example/x", &["curl https://a.example/x"]),
        ("remember: npm run build is slow", &["npm run build is slow."]),
        ("my bike is green", &["my bike is green"]),
        ("\u{feff}My bike is green", &["My bike is green"]),
        ("My key is [removed], can you help me?", &["My key is [removed]"]),
    ]);
}
