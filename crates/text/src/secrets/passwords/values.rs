//! What is told as a password: a word, the words of a passphrase, or what only speaks about one.

use std::ops::Range;

use crate::secrets::SecretKind;
use crate::words::language::{Language, is_stop};
use crate::words::{is_dense, normalise};

/// How sure it is that what follows is a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Telling {
    /// It is called so in the same clause: plain words are a password too.
    Sure,
    /// "I lost my password. It is …": only what looks like a password is one.
    Vague,
}

/// Words that say something about a password instead of being one, beside stop words.
const ABOUT: &str = "required needed wrong right correct incorrect invalid valid weak strong expired expiring safe secure \
    insecure hidden known unknown lost forgotten missing case one different similar identical longer shorter long short hard \
    easy simple used shared reset changed stored saved written kept always never probably maybe empty blank optional mandatory \
    encrypted hashed somewhere inside secret important good bad old new gone protected best great string null none true false \
    removed help thanks compromised leaked stolen hacked public private unique visible ready due broken locked outdated working \
    enough complicated complex sensitive strict annoying boring terrible fine again name hint policy manager user username login \
    email mail account host everywhere anywhere \
    falsch richtig vergessen sicher unsicher abgelaufen gespeichert nötig erforderlich geheim geändert lang kurz stark schwach \
    benutzer konto incorrecta correcta segura olvidada necesaria obligatoria secreta larga corta débil usuario cuenta oublié \
    nécessaire sûr faux perdu obligatoire expiré compte utilisateur errada correta incorreta longa curta forte fraca muito \
    sbagliata corretta sicura debole lunga corta molto nel nella sul sulla na no em está неверный неправильный верный \
    правильный слабый сильный надёжный надежный старый новый на в во под у с за не без очень слишком خطأ صحيحة قوية ضعيفة";
/// Words that stand behind a password.
const FILLERS: &str = "ok okay today now yesterday tomorrow thanks thank please lol btw since everywhere everyone heute jetzt \
    gestern bitte hoy ahora ayer gracias aujourd hier maintenant merci сегодня";
/// Words with which a passphrase may begin although they often speak about a password.
const STARTS: [&str; 14] =
    ["the", "a", "my", "your", "this", "i", "der", "die", "das", "ein", "el", "la", "le", "un"];
/// Words at which a sentence goes on to something else.
const GOES_ON: [&str; 18] = [
    "and", "but", "for", "please", "so", "or", "because", "und", "aber", "für", "bitte", "weil", "y", "pero",
    "para", "et", "mais", "pour",
];
/// What is said about a password in scripts without spaces between words.
const DENSE_ABOUT: [&str; 58] = [
    "什么",
    "什麼",
    "多少",
    "哪",
    "吗",
    "嗎",
    "呢",
    "谁",
    "安全",
    "错",
    "錯",
    "正确",
    "对的",
    "必",
    "需要",
    "忘",
    "旧",
    "新的",
    "一样",
    "保密",
    "秘密",
    "您",
    "你",
    "我",
    "在",
    "不",
    "很",
    "太",
    "已",
    "过期",
    "何",
    "どこ",
    "必要",
    "正し",
    "違",
    "間違",
    "変更",
    "同じ",
    "無効",
    "有効",
    "わか",
    "分か",
    "知",
    "書",
    "あり",
    "ない",
    "ません",
    "長",
    "短",
    "弱",
    "強",
    "뭐",
    "무엇",
    "어디",
    "필요",
    "틀",
    "안전",
    "잊",
];
/// A passphrase of more words is a sentence.
const PHRASE_WORDS_MAX: usize = 16;
/// Fewer words behind an adjective only describe the password.
const PHRASE_WORDS_MIN: usize = 3;
/// Longer values are not read to their end.
const VALUE_BYTES_MAX: usize = 400;
/// A password that only stands next to the word is at least this long.
const BARE_CHARS_MIN: usize = 6;
/// Fewer digits are a year or an amount.
const DIGITS_MIN: usize = 5;

/// The password that begins at a place: in quotes, one word, or the words of a passphrase.
pub(super) fn told(text: &str, at: usize, name: &str, telling: Telling) -> Option<Range<usize>> {
    let rest = value_at(text, at);
    for (open, close) in
        [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('\'', '\''), ('`', '`'), ('「', '」'), ('‘', '’')]
    {
        if let Some(inner) = rest.strip_prefix(open) {
            let length = inner.find(close).filter(|length| *length > 0 && !inner.starts_with('['))?;
            let start = at + open.len_utf8();
            return Some(start..start + length);
        }
    }
    let first = token(text, at);
    let word = &text[first.clone()];
    if telling == Telling::Vague {
        let digits = word.len() >= DIGITS_MIN && word.bytes().all(|byte| byte.is_ascii_digit());
        return (is_secret(word) && (digits || is_mixed(word))).then_some(first);
    }
    if word.starts_with(is_dense) {
        let about = DENSE_ABOUT.into_iter().any(|about| word.contains(about));
        return (!about && word.chars().count() > 1).then_some(first);
    }
    if !is_secret(word) {
        return phrase_behind(text, first);
    }
    if name.trim_end().ends_with('=') {
        return Some(first);
    }
    Some(first.start..phrase_end(text, first))
}

/// A passphrase whose first word alone does not tell: "correct horse battery staple", but not "on the fridge".
fn phrase_behind(text: &str, first: Range<usize>) -> Option<Range<usize>> {
    let start = normalise(&text[first.clone()]);
    let starts = STARTS.contains(&start.as_str());
    let describes = ABOUT.split_whitespace().any(|about| about == start) && !stops(&start);
    let mut words = clause_words(text, first.start);
    words.truncate(words.iter().position(|word| goes_on(&text[word.clone()])).unwrap_or(words.len()));
    let least = PHRASE_WORDS_MIN + usize::from(starts);
    let random = words.len() >= least && words[1..].iter().all(|word| is_secret(&text[word.clone()]));
    let last = words.last().filter(|_| random && (starts || describes))?;
    Some(first.start..with_exclamation(text, last.end))
}

/// Where a passphrase ends that begins with a word.
fn phrase_end(text: &str, first: Range<usize>) -> usize {
    let plain = text[first.clone()].chars().all(|c| c.is_alphabetic() || c == '-');
    let words = clause_words(text, first.start);
    let mut end = first.end;
    for (n, word) in words.iter().enumerate().skip(1) {
        let said = &text[word.clone()];
        let parted = text[..word.start].trim_end().ends_with(',');
        let ends = if goes_on(said) {
            let behind = &words[n + 1..];
            !plain || behind.is_empty() || !behind.iter().all(|word| is_secret(&text[word.clone()]))
        } else if parted {
            !plain || words.len() < 3 || !words[n..].iter().all(|word| is_secret(&text[word.clone()]))
        } else {
            !plain && !is_secret(said)
        };
        if ends {
            break;
        }
        end = word.end;
    }
    with_exclamation(text, end)
}

/// The words from a place to the end of the sentence, without the marks around them.
fn clause_words(text: &str, at: usize) -> Vec<Range<usize>> {
    let line = value_at(text, at);
    let base = line.as_ptr() as usize;
    let mut words = Vec::new();
    for word in line.split_whitespace().take(PHRASE_WORDS_MAX) {
        let start = at + (word.as_ptr() as usize - base);
        let end = start + bare_len(word);
        // A mask, a label, or a dash begins something else.
        if word.starts_with('[') || word.ends_with([':', '=']) || !word.contains(char::is_alphanumeric) {
            break;
        }
        words.push(start..end);
        if word[end - start..].contains(['.', ';', '!', '?', '。', '！', '？']) {
            break;
        }
    }
    words
}

/// The line from a place on, as far as a value may reach.
fn value_at(text: &str, at: usize) -> &str {
    let end = text.floor_char_boundary(at.saturating_add(VALUE_BYTES_MAX));
    text[at..end].lines().next().unwrap_or_default()
}

/// The word that begins at a place, without punctuation behind it but with exclamation marks, which may be part of it.
pub(super) fn token(text: &str, at: usize) -> Range<usize> {
    let value = value_at(text, at);
    let word =
        value.split(|c: char| c.is_whitespace() || "。，、！？；".contains(c)).next().unwrap_or_default();
    at..with_exclamation(text, at + bare_len(word))
}

/// The length of a word without the marks behind it; of marks alone their own.
fn bare_len(word: &str) -> usize {
    let bare = word.trim_end_matches([
        '.', ',', ';', ':', '!', '?', ')', '"', '\'', '”', '’', '。', '，', '！', '？', '；', '»',
    ]);
    if bare.is_empty() { word.len() } else { bare.len() }
}

/// The end of a value with the exclamation marks that cling to it.
fn with_exclamation(text: &str, end: usize) -> usize {
    let behind = &text[end..];
    let marks = behind.len() - behind.trim_start_matches(['!', '?']).len();
    if behind[..marks].contains('!') { end + marks } else { end }
}

/// The word that ends at a place, without punctuation before it.
pub(super) fn token_before(text: &str, at: usize) -> Range<usize> {
    let from = text.ceil_char_boundary(at.saturating_sub(VALUE_BYTES_MAX));
    let word = text[from..at].rsplit(char::is_whitespace).next().unwrap_or_default();
    let bare =
        word.trim_start_matches(['"', '\'', '“', '(', ',', '.', ':']).trim_end_matches(['"', '\'', '”']);
    let start = at - word.len() + word.find(bare).unwrap_or(0);
    start..start + bare.len()
}

/// Whether a word may be a password: no mask, no placeholder, no word that says something about passwords.
pub(super) fn is_secret(word: &str) -> bool {
    let plain = normalise(word);
    let plain = plain.trim_end_matches(['!', '?']);
    let head = plain.split('\'').next().unwrap_or_default();
    let speaks =
        |word: &str| stops(word) || is_filler(word) || ABOUT.split_whitespace().any(|about| about == word);
    let letters = plain.chars().all(|c| c.is_alphabetic() || "-'’".contains(c));
    let short_number = plain.len() < 3 && plain.bytes().all(|byte| byte.is_ascii_digit());
    !(plain.starts_with(['<', '{', '*', '…'])
        || SecretKind::ALL.into_iter().any(|kind| kind.mask().starts_with(word) || word.contains("removed]"))
        || ["case-", "one-"].into_iter().any(|about| plain.starts_with(about))
        || !plain.contains(char::is_alphanumeric)
        || plain.starts_with(is_dense)
        || short_number
        || (letters && (speaks(head) || speaks(plain))))
}

fn goes_on(word: &str) -> bool {
    GOES_ON.contains(&normalise(word).as_str())
}

fn stops(word: &str) -> bool {
    Language::KNOWN.into_iter().any(|language| is_stop(word, language))
}

fn is_filler(word: &str) -> bool {
    FILLERS.split_whitespace().any(|filler| filler == word)
}

/// Letters with digits or signs among them, and long enough, as in no word.
pub(super) fn is_mixed(word: &str) -> bool {
    let sign = |c: char| c.is_ascii_digit() || "#@$%&*!?^~+=".contains(c);
    word.chars().count() >= BARE_CHARS_MIN
        && word.contains(char::is_alphabetic)
        && word.trim_end_matches(['!', '?']).contains(sign)
        && is_secret(word)
}
