//! Passwords and PINs, by the words that announce them, in several languages.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{Secret, SecretKind};
use crate::words::language::{Language, is_stop};
use crate::words::{is_dense, normalise};

/// What passwords are called.
const NAMES: &str = concat!(
    r"(?:passwords?|passwd|passcode|pass ?phrase|passwort|kennwort|geheimwort|contraseña|contrasena|",
    r"(?:mi|tu|su|nuestra) clave|clave (?:secreta|de acceso)|mots? de passe|mdp|pwd|senha|wachtwoord|пароль|",
    r"密码|密碼|パスワード|비밀번호)",
);
/// What the password is for: "for the wifi", "of my bank".
const PURPOSE: &str =
    r"(?:\s+(?:for|of|to|at|on|für|zum|zur|vom|von|des|der|para|del?|pour|du)(?:\s+[^\s:=.;,!?]+){1,5}?)?";
const VERBS: &str =
    r"(?:is now|is still|is|was|ist jetzt|ist|lautet|war|es ahora|es|era|est maintenant|est|était)";
const CHANGES: &str =
    r"(?:changed?|set|reset|updated?|ändere|änderte|geändert|gesetzt|cambi[éeoó]|cambiad[ao]|changé)";
const INTO: &str = r"(?:to|auf|zu|a|por|en|à|par)";

/// Each ends where the password begins.
static ANNOUNCED: LazyLock<[Regex; 5]> = LazyLock::new(|| {
    [
        compiled(&format!(
            r#"(?:{NAMES}|\b(?:pass|pw|clave|code secret))["'”*]*{PURPOSE}\s*(?::=|=>|->|[:=：])\s*"#
        )),
        compiled(&format!(r"{NAMES}{PURPOSE}\s+{VERBS}\s*:?\s+")),
        compiled(r"(?:密码|密碼|パスワード|비밀번호)\s*(?:是|は|는)\s*"),
        compiled(&format!(r"{NAMES}{PURPOSE}\s+(?:\w+\s+){{0,2}}{CHANGES}\s+{INTO}\s+")),
        compiled(&format!(r"\b{CHANGES}\s+(?:\S+\s+){{1,3}}?{NAMES}{PURPOSE}\s+{INTO}\s+")),
    ]
});
/// "password hunter2": ends where the password begins, if it looks like one.
static BARE: LazyLock<Regex> = LazyLock::new(|| compiled(r"\b(?:password|passwd|passwort|pwd|pass)\s+"));
/// "hunter2 is my password": begins where the password ends.
static REVERSED: LazyLock<Regex> = LazyLock::new(|| {
    compiled(&format!(
        r"\s(?:is|ist|es|est)\s+(?:my|our|the|mein|unser|das|mi|la|mon|le)\s+(?:\S{{1,20}}\s+)?{NAMES}\b"
    ))
});
static PIN: LazyLock<Regex> = LazyLock::new(|| {
    compiled(concat!(
        r"\b(?:pin|pin[ -]?code|code pin|pin[ -]?number|geheimzahl|código pin|puk|cvv|cvc)",
        r"(?:\s+(?:for|of|to|für|von|para|de|del|pour|du)(?:\s+[^\s:=.;,!?]+){1,5}?)?",
        r#"["']?\s*(?:[:=]|is now|is|was|ist|lautet|es|est|number)?\s*["']?([0-9](?:[ -]?[0-9]){2,11})\b"#,
    ))
});

/// Words that say something about a password instead of being one, beside stop words.
const ABOUT: &str = "required needed wrong right correct incorrect invalid valid weak strong expired expiring safe secure \
    insecure hidden known unknown lost forgotten missing case one different similar identical longer shorter long short hard \
    easy simple used shared reset changed stored saved written kept always never probably maybe empty blank optional mandatory \
    encrypted hashed somewhere inside secret important good bad old new gone protected best great string null none true false \
    removed help thanks compromised leaked stolen hacked public private unique visible ready due broken locked outdated working \
    enough complicated complex falsch richtig vergessen sicher unsicher abgelaufen gespeichert nötig erforderlich geheim geändert \
    incorrecta correcta segura olvidada necesaria obligatoria secreta oublié nécessaire sûr faux perdu obligatoire expiré";
/// Words at which a sentence goes on to something else.
const GOES_ON: [&str; 16] = [
    "and", "but", "for", "please", "so", "or", "und", "aber", "für", "bitte", "y", "pero", "para", "et",
    "mais", "pour",
];
/// A passphrase of more words is a sentence.
const PHRASE_WORDS_MAX: usize = 8;
/// Longer values are not read to their end.
const VALUE_BYTES_MAX: usize = 400;
/// A password that only stands next to the word is at least this long.
const BARE_CHARS_MIN: usize = 6;

fn compiled(pattern: &str) -> Regex {
    // Word boundaries of ASCII: those of Unicode make the search slow.
    let pattern = pattern.replace(r"\b", r"(?-u:\b)");
    Regex::new(&format!("(?i){pattern}")).expect("because the patterns are fixed and a test compiles them")
}

pub(super) fn find(text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    for regex in ANNOUNCED.iter() {
        found.extend(regex.find_iter(text).filter_map(|name| announced(text, name.end(), name.as_str())));
    }
    let bare = BARE.find_iter(text).map(|name| token(text, name.end()));
    let bare = bare.filter(|span| span.len() >= BARE_CHARS_MIN && is_mixed(&text[span.clone()]));
    let reversed = REVERSED.find_iter(text).map(|name| token_before(text, name.start()));
    let reversed = reversed.filter(|span| is_secret(&text[span.clone()]));
    found.extend(bare.chain(reversed).map(|span| Secret { kind: SecretKind::Password, span }));
    let pins = PIN.captures_iter(text).filter_map(|captures| captures.get(1));
    found.extend(pins.map(|pin| Secret { kind: SecretKind::Pin, span: pin.range() }));
    found
}

/// The password that begins at a place: in quotes, one word, or the words of a passphrase.
fn announced(text: &str, at: usize, name: &str) -> Option<Secret> {
    let rest = value_at(text, at);
    let secret = |span| Some(Secret { kind: SecretKind::Password, span });
    for (open, close) in [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('\'', '\''), ('`', '`')]
    {
        if let Some(inner) = rest.strip_prefix(open) {
            let length = inner.find(close).filter(|length| *length > 0 && !inner.starts_with('['))?;
            let start = at + open.len_utf8();
            return secret(start..start + length);
        }
    }
    let first = token(text, at);
    if !is_secret(&text[first.clone()]) {
        // "correct horse battery staple": the first word alone does not tell.
        let phrase = first.start..phrase_end(text, first);
        let words = || text[phrase.clone()].split(' ');
        let spoken = !name.to_lowercase().contains("phrase") || words().count() < 3;
        return if spoken || !words().skip(1).all(is_secret) { None } else { secret(phrase) };
    }
    if name.trim_end().ends_with('=') {
        return secret(first);
    }
    secret(first.start..phrase_end(text, first))
}

/// Where a passphrase of plain words ends that begins with a word.
fn phrase_end(text: &str, first: Range<usize>) -> usize {
    let mut end = first.end;
    let inside = |c: char| c.is_alphabetic() || c == '-';
    if !text[first.clone()].chars().all(inside) {
        return end;
    }
    for _ in 1..PHRASE_WORDS_MAX {
        let Some(rest) = value_at(text, end).strip_prefix(' ') else { break };
        let next = end + 1..end + 1 + rest.find(|c: char| !inside(c)).unwrap_or(rest.len());
        let word = &text[next.clone()];
        let ends_there =
            text[next.end..].starts_with([' ', '.', ',', ';', '!', '?', '\n']) || next.end == text.len();
        if word.is_empty() || !ends_there || GOES_ON.contains(&normalise(word).as_str()) {
            break;
        }
        end = next.end;
    }
    end
}

/// The line from a place on, as far as a value may reach.
fn value_at(text: &str, at: usize) -> &str {
    let end = text.floor_char_boundary(at.saturating_add(VALUE_BYTES_MAX));
    text[at..end].lines().next().unwrap_or_default()
}

/// The word that begins at a place, without punctuation behind it.
fn token(text: &str, at: usize) -> Range<usize> {
    let word = value_at(text, at).split(char::is_whitespace).next().unwrap_or_default();
    let bare = word.trim_end_matches(['.', ',', ';', '!', '?', ')', '"', '\'', '”', '。', '，']);
    at..at + if bare.is_empty() { word.len() } else { bare.len() }
}

/// The word that ends at a place, without punctuation before it.
fn token_before(text: &str, at: usize) -> Range<usize> {
    let from = text.ceil_char_boundary(at.saturating_sub(VALUE_BYTES_MAX));
    let word = text[from..at].rsplit(char::is_whitespace).next().unwrap_or_default();
    let bare =
        word.trim_start_matches(['"', '\'', '“', '(', ',', '.', ':']).trim_end_matches(['"', '\'', '”']);
    let start = at - word.len() + word.find(bare).unwrap_or(0);
    start..start + bare.len()
}

/// Whether a word may be a password: no mask, no placeholder, no word that says something about passwords.
fn is_secret(word: &str) -> bool {
    let plain = normalise(word);
    let head = plain.split('\'').next().unwrap_or_default();
    let speaks = |word: &str| {
        let stops = Language::KNOWN.into_iter().any(|language| is_stop(word, language));
        stops || ABOUT.split_whitespace().any(|about| about == word)
    };
    let letters = plain.chars().all(|c| c.is_alphabetic() || "-'’".contains(c));
    let short_number = plain.len() < 3 && plain.bytes().all(|byte| byte.is_ascii_digit());
    !(plain.starts_with(['<', '{', '*', '…'])
        || SecretKind::ALL
            .into_iter()
            .any(|kind| kind.mask().starts_with(word) || word.ends_with("removed]"))
        || ["case-", "one-"].into_iter().any(|about| plain.starts_with(about))
        || !plain.contains(char::is_alphanumeric)
        || plain.starts_with(is_dense)
        || short_number
        || (letters && (speaks(head) || speaks(&plain))))
}

fn is_mixed(word: &str) -> bool {
    let has = |test: fn(char) -> bool| word.contains(test);
    has(char::is_alphabetic) && has(|c| c.is_ascii_digit())
}
