//! Words: one form for texts that look alike, and segmentation in every script.

pub(crate) mod language;
pub(crate) mod terms;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word in its normal form (see [`normalise`]).
    pub text: String,
    /// Where it stands, in bytes of the text as given.
    pub span: Range<usize>,
}

/// What is left out before a word after an elision, as in "l'école" and "qu'elle" (French, Italian, Catalan).
const ELISIONS: [&str; 13] =
    ["l", "d", "j", "m", "t", "s", "n", "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu"];

/// One form for texts that look alike: NFKC, lower case, typographic apostrophes, quotes and hyphens unified,
/// invisible characters dropped.
pub fn normalise(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase().replace('`', "'");
    }
    let visible = text.chars().filter(|c| !is_invisible(*c)).map(unify);
    visible.nfkc().map(unify).flat_map(char::to_lowercase).nfc().collect()
}

/// The words of a text, in order.
///
/// Runs of Han, Hiragana, Katakana, Hangul, Thai, Lao, Khmer and Myanmar, which are written without spaces or glue
/// particles to words, come as overlapping pairs of characters (a lone one as it is). Numbers, codes
/// ("SR-2023-052", "v1.10"), e-mail and web addresses stay whole. An elided article is a word of its own
/// ("l'", "école"); other contractions ("don't") are one word. Punctuation and emoji are no words.
pub fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    for (start, chunk) in chunks(text) {
        if is_address(trimmed(chunk).1) {
            let (skipped, address) = trimmed(chunk);
            push(&mut found, address, start + skipped);
            continue;
        }
        for (offset, run, dense) in runs(chunk) {
            if dense {
                push_pairs(&mut found, run, start + offset);
            } else {
                push_run(&mut found, run, start + offset);
            }
        }
    }
    found
}

/// Splits at white space: (byte offset, chunk).
fn chunks(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let base = text.as_ptr() as usize;
    text.split_whitespace().map(move |chunk| (chunk.as_ptr() as usize - base, chunk))
}

/// A chunk without punctuation around it, and how many bytes were cut in front.
fn trimmed(chunk: &str) -> (usize, &str) {
    let front = chunk.trim_start_matches(|c: char| !c.is_alphanumeric());
    (chunk.len() - front.len(), front.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '/'))
}

/// E-mail and web addresses.
fn is_address(chunk: &str) -> bool {
    if !chunk.contains(['@', ':', '.']) || chunk.contains(is_dense) {
        return false;
    }
    if chunk.contains("://") || chunk.starts_with("www.") {
        return chunk
            .find("://")
            .is_none_or(|at| at > 0 && chunk[..at].bytes().all(|b| b.is_ascii_alphanumeric()));
    }
    let Some((local, host)) = chunk.split_once('@') else { return false };
    let in_local = |c: char| c.is_alphanumeric() || "._%+-".contains(c);
    let in_host = |c: char| c.is_alphanumeric() || ".-".contains(c);
    !local.is_empty() && local.chars().all(in_local) && host.contains('.') && host.chars().all(in_host)
}

/// Splits a chunk where scripts without word spaces begin and end: (byte offset, run, without word spaces).
fn runs(chunk: &str) -> Vec<(usize, &str, bool)> {
    let mut found = Vec::new();
    let (mut start, mut dense) = (0, None);
    for (at, c) in chunk.char_indices() {
        let here = match dense {
            Some(before) if is_attached(c) => before,
            _ => is_dense(c),
        };
        if dense.is_some_and(|before| before != here) {
            found.push((start, &chunk[start..at], !here));
            start = at;
        }
        dense = Some(here);
    }
    found.extend(dense.map(|dense| (start, &chunk[start..], dense)));
    found
}

/// Letters of scripts that put no spaces between words, and Hangul, whose particles cling to the word.
pub(crate) fn is_dense(c: char) -> bool {
    matches!(u32::from(c),
        0x0E01..=0x0E3A | 0x0E40..=0x0E4E                       // Thai
        | 0x0E81..=0x0ECE | 0x0EDC..=0x0EDF                     // Lao
        | 0x1000..=0x103F | 0x1050..=0x109F                     // Myanmar
        | 0x1780..=0x17D3                                       // Khmer
        | 0x1100..=0x11FF | 0x3130..=0x318F | 0xA960..=0xA97F | 0xAC00..=0xD7FF // Hangul
        | 0x2E80..=0x2FDF | 0x3005..=0x3007 | 0x3021..=0x3029 | 0x3038..=0x303B // radicals, iteration marks
        | 0x3041..=0x3096 | 0x309D..=0x309F | 0x30A1..=0x30FA | 0x30FC..=0x312F // kana, bopomofo
        | 0x31A0..=0x31BF | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF   // Han
        | 0xFF66..=0xFF9F                                       // half-width katakana
        | 0x1B000..=0x1B16F | 0x20000..=0x3FFFD)
}

/// Marks that belong to the character before them.
fn is_attached(c: char) -> bool {
    is_combining_mark(c)
        || matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

fn push_pairs(found: &mut Vec<Word>, run: &str, start: usize) {
    let clusters: Vec<(usize, &str)> = run.grapheme_indices(true).collect();
    if let [(_, only)] = clusters[..] {
        push(found, only, start);
    }
    for pair in clusters.windows(2) {
        let (from, to) = (pair[0].0, pair[1].0 + pair[1].1.len());
        push(found, &run[from..to], start + from);
    }
}

/// Pushes the words of a run of a script that separates its words.
fn push_run(found: &mut Vec<Word>, run: &str, start: usize) {
    let mut piece_start = 0;
    let mut before = None;
    let mut characters = run.char_indices().filter(|(_, c)| !is_attached(*c)).peekable();
    while let Some((at, c)) = characters.next() {
        let after = characters.peek().map(|(_, c)| *c);
        let inside = c.is_alphanumeric() || is_invisible(c) || joins(before, c, after);
        if !inside {
            push_piece(found, &run[piece_start..at], start + piece_start);
            piece_start = at + c.len_utf8();
        }
        before = Some(c);
    }
    push_piece(found, &run[piece_start..], start + piece_start);
}

/// Whether a character between two others holds them together in one piece.
fn joins(before: Option<char>, c: char, after: Option<char>) -> bool {
    let (Some(before), Some(after)) = (before, after) else {
        return matches!((before, c), (Some('c' | 'C' | 'f' | 'F'), '#'));
    };
    let both = |test: fn(char) -> bool| test(before) && test(after);
    match unify(c) {
        '-' | '_' | '.' | '\'' => both(char::is_alphanumeric),
        ':' | ',' | '/' => both(char::is_numeric),
        _ => false,
    }
}

/// Pushes a piece whole if it is a number or code, else word by word.
fn push_piece(found: &mut Vec<Word>, piece: &str, start: usize) {
    if is_code(piece) {
        return push(found, piece, start);
    }
    // The general rules know neither these as apostrophes nor invisible characters as nothing.
    if piece.contains(['´', '`', '′']) || piece.contains(is_invisible) {
        return push_elided(found, piece, start);
    }
    for (offset, word) in piece.split_word_bound_indices() {
        push_elided(found, word, start + offset);
    }
}

/// Numbers with separators and codes with a digit, but not "3-year-old", whose words count one by one.
/// A single letter and a word ("e-mail", "x-ray") count as one too, and so does "c#".
fn is_code(piece: &str) -> bool {
    if piece.contains(char::is_numeric) {
        let mut parts = piece.split(['-', '\u{2010}', '\u{2011}']);
        let number_first = parts.next().is_some_and(|part| part.chars().all(char::is_numeric));
        let words = parts.clone().count() > 0
            && parts.all(|part| part.chars().count() > 2 && part.chars().all(char::is_lowercase));
        return !(number_first && words);
    }
    let mut characters = piece.chars();
    let first = characters.next().is_some_and(char::is_alphabetic);
    first && matches!(characters.next(), Some('-' | '#' | '\u{2010}' | '\u{2011}'))
}

fn push_elided(found: &mut Vec<Word>, word: &str, start: usize) {
    let Some(apostrophe) = word.find(is_apostrophe) else { return push(found, word, start) };
    let elided = ELISIONS.iter().any(|elision| word[..apostrophe].eq_ignore_ascii_case(elision));
    let rest = apostrophe + word[apostrophe..].chars().next().map_or(0, char::len_utf8);
    if elided && rest < word.len() && !word.eq_ignore_ascii_case("c'mon") {
        push(found, &word[..rest], start);
        push(found, &word[rest..], start + rest);
    } else {
        push(found, word, start);
    }
}

fn push(found: &mut Vec<Word>, word: &str, start: usize) {
    if word.contains(char::is_alphanumeric) {
        let end = start + word.len();
        found.push(Word { text: normalise(word), span: start..end });
    }
}

fn is_apostrophe(c: char) -> bool {
    unify(c) == '\''
}

/// Typographic variants of apostrophe, quote and hyphen.
fn unify(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2bc}' | '\u{2b9}' | '\u{b4}' | '\u{60}' | '\u{2032}'
        | '\u{ff07}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{ab}' | '\u{bb}' | '\u{2039}' | '\u{203a}' | '\u{300c}'..='\u{300f}' => {
            '"'
        }
        '\u{2010}' | '\u{2011}' => '-',
        c => c,
    }
}

/// Characters that show nothing and only split words that look alike.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// A word without the accents of Latin letters, so that "como estás" and "como estas" meet.
pub(crate) fn unaccented(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return Cow::Borrowed(word);
    }
    let mut plain = String::with_capacity(word.len());
    let mut latin = false;
    for c in word.nfd() {
        match c {
            '\u{300}'..='\u{36f}' if latin => continue,
            'ß' => plain.push_str("ss"),
            'œ' => plain.push_str("oe"),
            'æ' => plain.push_str("ae"),
            'ø' => plain.push('o'),
            'ł' => plain.push('l'),
            'đ' => plain.push('d'),
            c => plain.push(c),
        }
        latin = c.is_ascii_alphabetic();
    }
    // Hangul and others that were taken apart are put together again.
    Cow::Owned(plain.nfc().collect())
}
