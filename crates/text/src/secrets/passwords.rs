//! Passwords and PINs, by the words that announce them, in several languages.

mod values;

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{Secret, SecretKind};
use values::{Telling, is_mixed, is_secret, token, token_before, told};

/// What passwords are called.
const NAMES: &str = concat!(
    r"(?:passwords?|passwd|passcode|pass ?phrase|passwort|kennwort|geheimwort|contraseña|contrasena|",
    r"(?:mi|tu|su|nuestra) clave|clave (?:secreta|de acceso|wi-?fi)|",
    r"clave (?:del?|para) (?:la |el |mi )?(?:wi-?fi|red|router|internet|correo|email|banco|cuenta|móvil|ordenador|portátil)|",
    r"mots? de passe|mdp|\bpwd|\bpw|\bpsw|senha|palavra-passe|parola d'ordine|wachtwoord|lösenord|hasło|şifre|mật khẩu|",
    r"(?:wi-?fi|wlan|wpa[23]?|router|network|netzwerk)[ -]?(?:key|schlüssel)|clé (?:du )?(?:wi-?fi)|",
    r"парол[ьяюем]{1,2}|كلم[ةه] (?:ال)?(?:سر|مرور)|סיסמה|รหัสผ่าน|",
    r"密码|密碼|口令|パスワード|비밀번호|암호)",
);
/// What the password is for: "for the wifi", "of my bank".
const PURPOSE: &str = concat!(
    r"(?:\s+(?:for|of|to|at|on|für|zum|zur|vom|von|des|der|para|del?|pour|du|do|da|di|della|от|для|к)",
    r"(?:\s+[^\s:=.;,!?]+){1,5}?)?",
);
const VERBS: &str = concat!(
    r"(?:(?:is|was|ist|war|lautet|es|era|est|était)(?: (?:now|still|actually|just|currently|simply|jetzt|nun|noch|einfach|",
    r"ahora|todavía|maintenant|toujours))?|è|é|era|это|هي|هو|היא|คือ|jest|är)",
);
const CHANGES: &str =
    r"(?:changed?|set|reset|updated?|ändere|änderte|geändert|gesetzt|cambi[éeoó]|cambiad[ao]|changé)";
const INTO: &str = r"(?:to|auf|zu|in|a|por|en|à|par|на)";
/// What takes up a password named just before.
const IT: &str = concat!(
    r"(?:it(?:['’]?s| is| was)(?: now)?|that(?:['’]s| is)|(?:the )?new one(?:['’]s| is)|(?:es|sie) (?:ist|lautet)|",
    r"das neue (?:ist|lautet)|la nueva es|es|c['’]est|il est|le nouveau est|это|он|就是|是)",
);

/// Each ends where the password begins.
static ANNOUNCED: LazyLock<[(Telling, Regex); 8]> = LazyLock::new(|| {
    let sign = r"\s*(?::=|=>|->|[:=：–—]|\s-\s)\s*";
    [
        (
            Telling::Sure,
            compiled(&format!(r#"(?:{NAMES}|\b(?:pass|clave|code secret))["'”*]*{PURPOSE}{sign}"#)),
        ),
        (Telling::Sure, compiled(&format!(r"{NAMES}{PURPOSE}\s+{VERBS}\s*:?\s+"))),
        (
            Telling::Sure,
            compiled(
                r"(?:密码|密碼|口令|パスワード|비밀번호|암호)\s*(?:就是|是|为|為|は|が|는|은|가|이)\s*[:：]?\s*",
            ),
        ),
        (Telling::Sure, compiled(&format!(r"{NAMES}{PURPOSE}\s+(?:\w+\s+){{0,2}}{CHANGES}\s+{INTO}\s+"))),
        (Telling::Sure, compiled(&format!(r"\b{CHANGES}\s+(?:\S+\s+){{1,3}}?{NAMES}{PURPOSE}\s+{INTO}\s+"))),
        (Telling::Sure, compiled(&format!(r"{NAMES}[^.!?:\n]{{0,40}}?[:–—]\s*{IT}\s+"))),
        (Telling::Vague, compiled(&format!(r"{NAMES}['’]s\s+"))),
        (Telling::Vague, compiled(&format!(r"{NAMES}[^.!?\n]{{0,60}}?[.!?;,]\s*(?:\w{{1,4}}\s+)?{IT}\s+"))),
    ]
});
/// Ends where a word begins that is a password if it looks like one: "password hunter2", "my pass is hunter2".
static BARE: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [
        compiled(&format!(r#"(?:{NAMES}|\bpass)(?:['’]s)?\s+[("'“]?"#)),
        compiled(&format!(r"\b(?:pass|login){PURPOSE}\s+{VERBS}\s+")),
    ]
});
/// The old password and the new one: "I changed my password from tulip to rose".
static FROM_TO: LazyLock<Regex> = LazyLock::new(|| {
    compiled(&format!(
        r"(?:{CHANGES}\s+(?:\S+\s+){{1,3}}?{NAMES}|{NAMES}{PURPOSE}\s+(?:\w+\s+){{0,2}}{CHANGES}|{NAMES})\s+(?:from|von|de|du|с)\s+(\S+)\s+{INTO}\s+(\S+)"
    ))
});
/// "my login is bob / hunter2": the part behind the stroke.
static LOGIN: LazyLock<Regex> = LazyLock::new(|| {
    compiled(concat!(
        r"\b(?:log-?ins?|logon|credentials?|user ?name|zugangsdaten|anmeldedaten|credenciales|usuario|identifiants?|логин)",
        r"[^.!?\n]{0,40}?(?:\s(?:is|are|ist|sind|lauten|es|son|est|sont)|\s*[:=])\s+[^\s/]+(?:\s*/\s*|\s+:\s*)",
    ))
});
/// "hunter2 is my password": begins where the password ends.
static REVERSED: LazyLock<Regex> = LazyLock::new(|| {
    compiled(&format!(
        r"\s(?:is|ist|es|est|as|als|como|comme)\s+(?:my|our|the|mein|unser|das|mi|la|mon|le)\s+(?:\S{{1,20}}\s+)?{NAMES}\b(?:$|[^ -]|\s(?:for|of|on|at|für|para|pour|and|but|now))"
    ))
});
static PIN: LazyLock<Regex> = LazyLock::new(|| {
    compiled(concat!(
        r"(?:\b(?:pin|pin[ -]?code|code pin|pin[ -]?number|geheimzahl|código pin|puk|cvv|cvc|security code|pin码)|",
        r"пин(?:-?код)?|暗証番号|الرقم السري)",
        // A number stands directly behind the name, but not inside a word that says what it is for.
        r"(?:(?:\s+(?:for|of|to|für|von|para|de|del|pour|du|do|da|от)(?:\s+[^\s:=.;,!?]+){1,5}?)",
        r#"(?:["']?\s*[:=：—]\s*|["']?\s+(?:(?:is now|is|was|ist|lautet|es|est|è|é|это|هو|هي|number)\s+)?)"#,
        r#"|["']?\s*(?:[:=：—]|is now|is|was|ist|lautet|es|est|è|é|это|هو|هي|number|是|は)?\s*)"#,
        r#"["']?([0-9](?:[ -]?[0-9]){2,11})(?:\b|$)"#,
    ))
});
/// "the code for my bank card is 1234", "my card code is 1234".
static CARD_CODE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(concat!(
        r"(?:\b(?:code|código|codigo|nummer|geheimnummer|number|combination)\s+(?:for|of|to|für|von|zu|zur|de|del|pour|du)\s+(?:\S+\s+){0,3}?",
        r"(?:(?:bank|credit|debit|cash|ec|giro|kredit|atm)[ -]?(?:card|karte)?|card|karte|tarjeta|carte)(?:\s+(?:de|of)\s+\S+|\s+bancaire|\s+bleue)?",
        r"|\b(?:bank|credit|debit|cash|atm)?[ -]?card code|kartencode|kartennummer-?code)",
        r"\s*(?:is now|is|was|ist|lautet|es|est|[:=])\s*([0-9]{3,8})\b",
    ))
});

fn compiled(pattern: &str) -> Regex {
    // Word boundaries of ASCII: those of Unicode make the search slow.
    let pattern = pattern.replace(r"\b", r"(?-u:\b)");
    Regex::new(&format!("(?i){pattern}")).expect("because the patterns are fixed and a test compiles them")
}

pub(super) fn find(text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    for (telling, regex) in ANNOUNCED.iter() {
        found
            .extend(regex.find_iter(text).filter_map(|name| told(text, name.end(), name.as_str(), *telling)));
    }
    for regex in BARE.iter() {
        let bare = regex.find_iter(text).map(|name| token(text, name.end()));
        found.extend(bare.filter(|span| is_mixed(&text[span.clone()])));
    }
    let reversed = REVERSED.find_iter(text).map(|name| token_before(text, name.start()));
    found.extend(reversed.filter(|span| is_secret(&text[span.clone()])));
    found.extend(changed(text));
    let logins = LOGIN.find_iter(text).map(|name| token(text, name.end()));
    found.extend(logins.filter(|span| is_secret(&text[span.clone()])));
    let mut found: Vec<Secret> =
        found.into_iter().map(|span| Secret { kind: SecretKind::Password, span }).collect();
    for regex in [&PIN, &CARD_CODE] {
        let pins = regex.captures_iter(text).filter_map(|captures| captures.get(1));
        found.extend(pins.map(|pin| Secret { kind: SecretKind::Pin, span: pin.range() }));
    }
    found
}

/// The passwords of "changed from one to the other".
fn changed(text: &str) -> impl Iterator<Item = Range<usize>> {
    let both = FROM_TO.captures_iter(text).flat_map(|captures| [captures.get(1), captures.get(2)]);
    let tokens = both.flatten().map(|value| token(text, value.start()));
    tokens.filter(|span| is_secret(&text[span.clone()]))
}
