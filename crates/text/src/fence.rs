//! Fence: text from memory made safe to stand as data inside a prompt, and previews of texts.

#[cfg(test)]
mod tests;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

use crate::words::is_invisible;

/// A text on one line that can neither open nor close a fence of a prompt, whatever it holds.
///
/// Whatever looks like the start of a tag (`<` before a letter, a slash, `!`, `?`, `|` or another `<`, also in
/// full-width and look-alike forms, or with invisible characters between) becomes a round bracket; a fence of
/// backticks or tildes becomes a single mark. Control characters and invisible ones go, but for the joiners that
/// emoji and Indic letters need; line ends of all kinds become spaces. All else stays as it is ("a < b", "<3").
pub fn fence_text(text: &str) -> String {
    let visible = visible(text);
    let mut safe = String::with_capacity(visible.len());
    let mut opened = 0_usize;
    let mut characters = visible.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        if is_angle_open(c) && opens_tag(&visible[at + c.len_utf8()..]) {
            safe.push('(');
            opened += 1;
        } else if is_angle_close(c) && opened > 0 {
            safe.push(')');
            opened -= 1;
        } else if matches!(c, '`' | '~' | '｀') {
            let mut run = 1;
            while characters.next_if(|(_, next)| *next == c).is_some() {
                run += 1;
            }
            (0..if run > 2 { 1 } else { run }).for_each(|_| safe.push(c));
        } else {
            safe.push(c);
        }
    }
    safe
}

/// The beginning of a text on one line, of at most `chars_max` characters as a reader counts them (grapheme
/// clusters); "…" stands for the rest and counts as one.
///
/// A cluster of more than 32 code points (letters buried in accents) counts as one that is never shown.
pub fn preview(text: &str, chars_max: usize) -> String {
    let mut shown = String::new();
    // Where to cut should there be more than fits: behind the cluster before the last.
    let mut cut = 0;
    for (count, cluster) in one_line(text).enumerate() {
        if count == chars_max || cluster.chars().count() > CLUSTER_CHARS_MAX {
            if count == chars_max {
                shown.truncate(cut);
            }
            if chars_max > 0 {
                shown.truncate(shown.trim_end().len());
                shown.push('…');
            }
            return shown;
        }
        cut = shown.len();
        shown.push_str(cluster);
    }
    shown.truncate(shown.trim_end().len());
    shown
}

/// Longer clusters are an attack on the screen; the longest emoji has 10 code points.
const CLUSTER_CHARS_MAX: usize = 32;

/// The clusters of a text with all white space and control characters as single spaces.
fn one_line(text: &str) -> impl Iterator<Item = &str> {
    let mut spaced = true;
    text.graphemes(true).filter_map(move |cluster| {
        let blank = cluster.chars().all(|c| c.is_whitespace() || is_control(c));
        let before = std::mem::replace(&mut spaced, blank);
        match (blank, before) {
            (true, true) => None,
            (true, false) => Some(" "),
            (false, _) => Some(cluster),
        }
    })
}

/// A text on one line without control characters and without invisible ones that split nothing but words.
fn visible(text: &str) -> String {
    let shown =
        text.chars().filter(|c| is_joiner(*c) || c.is_whitespace() || !(is_invisible(*c) || is_control(*c)));
    let mut characters = shown.peekable();
    let mut visible = String::with_capacity(text.len());
    while let Some(c) = characters.next() {
        let before = visible.chars().next_back();
        if c.is_whitespace() {
            if before.is_some_and(|before| before != ' ') {
                visible.push(' ');
            }
        } else if !is_joiner(c) || joins(before, c, characters.peek().copied()) {
            visible.push(c);
        }
    }
    visible.truncate(visible.trim_end().len());
    visible
}

/// Whether a joiner does something for the characters beside it: letters that join, signs that make one emoji.
fn joins(before: Option<char>, joiner: char, after: Option<char>) -> bool {
    let joinable = |c: char| !(c.is_ascii() || is_angle_open(c) || is_angle_close(c) || c.is_whitespace());
    let emoji_mark = joiner == '\u{fe0f}';
    let follows = before.is_some_and(|c| joinable(c) && (!is_joiner(c) || (c == '\u{fe0f}' && !emoji_mark)));
    follows && (emoji_mark || after.is_some_and(|c| joinable(c) && !is_joiner(c)))
}

/// White space is single by now: what decides is the next character, or the one after a space.
const LOOK_AHEAD_CHARS: usize = 3;

/// Zero-width joiner and non-joiner, and the mark that makes an emoji of a sign.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe0f}')
}

fn is_control(c: char) -> bool {
    c.is_control() || ('\u{fff9}'..='\u{fffb}').contains(&c) || ('\u{fdd0}'..='\u{fdef}').contains(&c)
}

fn is_angle_open(c: char) -> bool {
    matches!(
        c,
        '<' | '＜'
            | '﹤'
            | '‹'
            | '\u{2329}'
            | '\u{3008}'
            | '⟨'
            | '˂'
            | 'ᐸ'
            | '❮'
            | '❰'
            | '≪'
            | '⟪'
            | '⪡'
    )
}

fn is_angle_close(c: char) -> bool {
    matches!(
        c,
        '>' | '＞'
            | '﹥'
            | '›'
            | '\u{232a}'
            | '\u{3009}'
            | '⟩'
            | '˃'
            | 'ᐳ'
            | '❯'
            | '❱'
            | '≫'
            | '⟫'
            | '⪢'
    )
}

/// Whether what follows an angle makes it the start of a tag. At the end of the text it might become one.
fn opens_tag(rest: &str) -> bool {
    // In their compatibility forms: full-width, circled and squared letters are letters.
    let visible = rest.chars().filter(|c| !is_joiner(*c) && (c.is_alphabetic() || !is_combining_mark(*c)));
    let mut characters = visible.take(LOOK_AHEAD_CHARS).nfkc();
    let Some(next) = characters.next() else { return true };
    let slash = |c: char| matches!(c, '/' | '／' | '⁄' | '∕' | '\\' | '＼' | '╱' | '⧸');
    let signs = |c: char| {
        matches!(c, '!' | '！' | '?' | '？' | '|' | '｜' | '_' | ':' | '{' | '[' | '%' | '"' | '\'')
    };
    if next == ' ' {
        return characters.find(|c| *c != ' ').is_none_or(slash);
    }
    slash(next) || signs(next) || next.is_alphabetic() || is_angle_open(next)
}
