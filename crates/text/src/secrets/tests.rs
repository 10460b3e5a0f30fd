use proptest::prelude::*;

use super::SecretKind::{
    AccountNumber, ApiKey, CardNumber, IdentityNumber, Password, Pin, PrivateKey, Token,
};
use super::{SecretKind, mask_secrets};

fn check(cases: &[(&str, &str, &[SecretKind])]) {
    let mut wrong = Vec::new();
    for (text, masked, found) in cases {
        let outcome = mask_secrets(text);
        if outcome.text != *masked || outcome.found != *found {
            wrong.push(format!("{text:?} becomes {outcome:?}, not {masked:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn passwords_are_masked_in_several_languages() {
    check(&[
        ("my password is hunter2", "my password is [password removed]", &[Password]),
        ("My wifi password is sunflower.", "My wifi password is [password removed].", &[Password]),
        ("Password: S3cr3t!x, user ana", "Password: [password removed], user ana", &[Password]),
        ("pwd=abc", "pwd=[password removed]", &[Password]),
        ("DB_PASSWORD=foo-bar rest", "DB_PASSWORD=[password removed] rest", &[Password]),
        (r#"{"password": "top secret"}"#, r#"{"password": "[password removed]"}"#, &[Password]),
        (
            "The password for the internet at work is Tulip-88",
            "The password for the internet at work is [password removed]",
            &[Password],
        ),
        ("my passphrase is correct-horse battery staple", "my passphrase is [password removed]", &[Password]),
        (
            "passphrase: purple monkey dishwasher and more",
            "passphrase: [password removed] and more",
            &[Password],
        ),
        (
            "I changed my password to banana99 today",
            "I changed my password to [password removed] today",
            &[Password],
        ),
        ("hunter2 is my password", "[password removed] is my password", &[Password]),
        ("login ana, password hunter22", "login ana, password [password removed]", &[Password]),
        ("Mein Passwort ist Apfelbaum", "Mein Passwort ist [password removed]", &[Password]),
        ("Das Kennwort lautet: geheim1", "Das Kennwort lautet: [password removed]", &[Password]),
        ("Mi contraseña es girasol7", "Mi contraseña es [password removed]", &[Password]),
        ("mi clave: girasol", "mi clave: [password removed]", &[Password]),
        ("Mon mot de passe est tournesol.", "Mon mot de passe est [password removed].", &[Password]),
        ("密码是abc123。", "密码是[password removed]。", &[Password]),
        (
            "password: a1, pwd: b2",
            "password: [password removed], pwd: [password removed]",
            &[Password, Password],
        ),
    ]);
}

#[test]
fn passphrases_are_masked_to_the_end_of_their_clause() {
    const GONE: &str = "[password removed]";
    let cases = [
        ("My email password is ", "correct horse battery staple", ""),
        ("My password is ", "correct horse battery staple", " and my dog is called Rex"),
        ("my password is ", "salt and pepper shaker", ""),
        ("my password is ", "the quick brown fox", "."),
        ("my password is ", "purple7 monkey dishwasher", ", but I change it often"),
        ("my password is ", "hunter2", ", but don't tell anyone"),
        ("my passphrase is ", "alpha, bravo, charlie", "."),
        ("Mein Passwort ist ", "richtig Pferd Batterie Klammer", ""),
        ("Mein Passwort ist ", "Sommer2024!", ""),
        ("Mein Passwort ist ", "Apfel Birne Pflaume", " und mein Hund heißt Rex"),
        ("Mi contraseña es ", "caballo grapa batería", " y mi perro se llama Rex"),
        ("Mon mot de passe est ", "cheval agrafe batterie", " mais je l'oublie"),
        ("my password's \"", "p@ss w0rd", "\""),
        ("my password's ", "Giraffe#5", ""),
        ("You asked for my password: it's ", "Giraffe#5", ""),
        ("my new password. it is ", "Walrus#7", ""),
        ("Ich habe ein neues Passwort. Es lautet ", "Walross#7", "."),
        ("my pass is ", "letmein99", ""),
        ("My pw is ", "hunter7", " ok"),
        ("wifi key ", "BlueHorse77", ""),
        ("the wifi key is ", "BlueHorse77", ""),
        ("the login is bob / ", "swordfish9", ""),
        ("La clave del wifi es ", "hunter2", ""),
        ("La clé wifi est ", "hunter2", ""),
        ("Der WLAN-Schlüssel ist ", "hunter2", ""),
        ("كلمة السر هي ", "abc12345", ""),
        ("密码是", "大象123", "。"),
        ("我的密码是", "芝麻开门", "。我住在北京。"),
        ("パスワードは", "neko1234です", "。犬がいます。"),
        ("Мой пароль ", "слон123", ""),
        ("мой пароль — ", "слоненок", ""),
        ("A minha senha é ", "banana77", ""),
        ("La mia password è ", "gatto99", ""),
    ];
    for (before, secret, after) in cases {
        check(&[(&format!("{before}{secret}{after}"), &format!("{before}{GONE}{after}"), &[Password])]);
    }
    check(&[(
        "I changed my password from OldOne11 to NewOne22",
        "I changed my password from [password removed] to [password removed]",
        &[Password, Password],
    )]);
}

#[test]
fn codes_of_cards_and_identity_numbers_are_masked() {
    check(&[
        ("The code for my bank card is 1234", "The code for my bank card is [PIN removed]", &[Pin]),
        ("Der Code für meine Bankkarte ist 1234", "Der Code für meine Bankkarte ist [PIN removed]", &[Pin]),
        ("El código de mi tarjeta es 1234", "El código de mi tarjeta es [PIN removed]", &[Pin]),
        ("Le code de ma carte bancaire est 1234", "Le code de ma carte bancaire est [PIN removed]", &[Pin]),
        ("мой пин-код 4711", "мой пин-код [PIN removed]", &[Pin]),
        ("My SSN is 078-05-1120", "My SSN is [identity number removed]", &[IdentityNumber]),
        (
            "Meine Sozialversicherungsnummer ist 12 345678 A 123",
            "Meine Sozialversicherungsnummer ist [identity number removed]",
            &[IdentityNumber],
        ),
        ("Mi DNI es 12345678Z", "Mi DNI es [identity number removed]", &[IdentityNumber]),
        (
            "Mon numéro de sécurité sociale est 1 85 05 78 006 084 36",
            "Mon numéro de sécurité sociale est [identity number removed]",
            &[IdentityNumber],
        ),
    ]);
}

#[test]
fn pins_are_masked() {
    check(&[
        ("my PIN is 1234", "my PIN is [PIN removed]", &[Pin]),
        ("PIN: 0815.", "PIN: [PIN removed].", &[Pin]),
        ("The PIN of my bank card is 4711", "The PIN of my bank card is [PIN removed]", &[Pin]),
        ("meine PIN lautet 4711", "meine PIN lautet [PIN removed]", &[Pin]),
        ("mi pin es 4711", "mi pin es [PIN removed]", &[Pin]),
        ("mon code pin est 4711", "mon code pin est [PIN removed]", &[Pin]),
    ]);
}

#[test]
fn cards_and_accounts_that_pass_their_check_are_masked() {
    check(&[
        ("card 4111 1111 1111 1111 ok", "card [card number removed] ok", &[CardNumber]),
        ("4111-1111-1111-1111", "[card number removed]", &[CardNumber]),
        ("4111111111111111", "[card number removed]", &[CardNumber]),
        (
            "amex 3782 822463 10005, cvc 123",
            "amex [card number removed], cvc [PIN removed]",
            &[CardNumber, Pin],
        ),
        ("4111 1111 1111 1111 123", "[card number removed] 123", &[CardNumber]),
        (
            "5555 5555 5555 4444 4111 1111 1111 1111",
            "[card number removed] [card number removed]",
            &[CardNumber, CardNumber],
        ),
        ("IBAN DE89 3704 0044 0532 0130 00.", "IBAN [account number removed].", &[AccountNumber]),
        ("GB82WEST12345698765432", "[account number removed]", &[AccountNumber]),
    ]);
}

#[test]
fn keys_and_tokens_are_masked() {
    let cases: [(String, &str, SecretKind); 13] = [
        (format!("key {}", ["sk-", "abcdefghij0123456789"].concat()), "key [key removed]", ApiKey),
        (["sk-proj-", "a1b2c3d4e5f6g7h8"].concat(), "[key removed]", ApiKey),
        (["ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"].concat(), "[key removed]", ApiKey),
        (["AKIA", "IOSFODNN7EXAMPLE"].concat(), "[key removed]", ApiKey),
        (["xoxb-", "123456789012-abcdef"].concat(), "[key removed]", ApiKey),
        (["sk_live_", "abcdefghij0123456789"].concat(), "[key removed]", ApiKey),
        (["eyJ", "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"].concat(), "[token removed]", Token),
        (
            "Authorization: Bearer abcdef0123456789abcdef".into(),
            "Authorization: Bearer [token removed]",
            Token,
        ),
        ("api key: 9f86d081884c7d65".into(), "api key: [key removed]", ApiKey),
        ("MY_SECRET_TOKEN=\"q1w2e3r4t5y6u7\"".into(), "MY_SECRET_TOKEN=\"[key removed]\"", ApiKey),
        ("the token is q1w2e3r4t5y6u7".into(), "the token is [key removed]", ApiKey),
        (
            "https://ana:hunter2@host.example/x".into(),
            "https://ana:[password removed]@host.example/x",
            Password,
        ),
        (
            ["see -----BEGIN RSA PRIVATE ", "KEY-----\nabc\ndef\n-----END RSA PRIVATE KEY----- end"].concat(),
            "see [private key removed] end",
            PrivateKey,
        ),
    ];
    for (text, masked, kind) in &cases {
        check(&[(text, masked, &[*kind])]);
    }
}

/// Texts that name no secret, although some come near.
const ORDINARY: &[&str] = &[
    "my password hint is on the fridge",
    "the door code hint is giraffe",
    "My password is on the fridge",
    "the password is stored in the vault",
    "my password is very long",
    "Your password is required and must be 12 characters long",
    "the password is 12 characters long",
    "What is the password for the internet at work?",
    "what's my password?",
    "I forgot my password: can you help?",
    "I know the password to Netflix",
    "my password is wrong",
    "The password is case-sensitive",
    "order number 1234567890123",
    "call me at +49 151 1234 5678 or 0151 12345678",
    "on 2025-03-14 at 10:30, version 1.10.3, build 20250314",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "timestamp 1700000000000",
    "the key is under the mat",
    "the key is responsibility",
    "a token of appreciation is always welcome",
    "the secret is patience",
    "la clave es la paciencia",
    "Das Passwort ist falsch",
    "mi contraseña es muy larga",
    "Mon mot de passe est sur le frigo",
    "pin the note to the board",
    "a pin of 3 cm",
    "the pass is closed in winter",
    "I forgot my password",
    "I changed my password yesterday",
    "my password manager is KeePass",
    "my password is safe",
    "my password is wrong again",
    "my password is the same as before",
    "my password is weak and needs replacing",
    "I lost my password. It is frustrating.",
    "I use KeePass as my password manager",
    "I need a new password - can you help?",
    "the password policy is strict",
    "the door code is 4711",
    "the alarm code is 9921",
    "the spare key is with Ada",
    "piano key",
    "wifi is slow",
    "the wifi key is under the router",
    "my ski pass is green",
    "Mein Passwort ist sehr lang",
    "Ich habe mein Passwort vergessen",
    "He olvidado mi contraseña",
    "Mi contraseña es segura",
    "J'ai oublié mon mot de passe",
    "Mon mot de passe est sûr",
    "密码是什么？",
    "我忘了密码。",
    "パスワードは安全です",
    "Я забыл пароль",
    "пароль — на холодильнике",
    "A minha senha é muito longa",
    "bearer of bad news",
    "see https://a.example/b:c@d",
    "ISBN 978-3-16-148410-0",
    "我对花生过敏",
    "",
];

#[test]
fn ordinary_text_stays_as_it_is() {
    for text in ORDINARY {
        check(&[(text, text, &[])]);
    }
}

#[test]
fn long_texts_take_linear_time() {
    for unit in [
        "password is ",
        "password: ",
        "password it ",
        "changed password from ",
        "login is a / ",
        "ssn ",
        "code for card ",
        "4",
        "4 ",
        "4111 ",
        "DE89",
        "key=",
        "a:",
        "://",
        "-----BEGIN PRIVATE KEY-----",
        "eyJ",
        "花",
        "'",
    ] {
        let text = unit.repeat(1_000_000 / unit.len());
        mask_secrets(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn masking_twice_is_masking_once(words in proptest::collection::vec(proptest::sample::select(vec![
        "password", "is", ":", "=", "hunter2", "pin", "1234", "4111 1111 1111 1111", "my", "passphrase", "token", "\"", "'", "'x'",
        "sk-abcdefghij0123456789", "DE89370400440532013000", "the", "for", "banana", "apple", "\n", "https://a:b@c.d", ",", "[", "]",
        "changed", "to", "from", "'s", ". it is ", "login is a / ", "ssn is 078-05-1120", "!", "and", "correct", "[password removed]", "é", "密码", "mot de passe", "est", "bearer", "abcdef0123456789abcdef", "key",
    ]), 0..16), glue in "|[ ]") {
        let text = words.join(&glue);
        let once = mask_secrets(&text);
        let twice = mask_secrets(&once.text);
        prop_assert_eq!(&once.text, &twice.text);
        prop_assert!(twice.found.is_empty());
    }

    #[test]
    fn any_text_can_be_masked(text in any::<String>()) {
        mask_secrets(&text);
    }
}
