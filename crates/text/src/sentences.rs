//! Sentences: where one thing said ends and the next begins.

use std::ops::Range;

#[cfg(test)]
mod tests;

/// Words that end in a full stop within a sentence. German, Spanish and French ones included.
const ABBREVIATIONS: [&str; 42] = [
    "mr", "mrs", "ms", "dr", "prof", "st", "vs", "e.g", "i.e", "approx", "dept", "fig", "mt", "gen", "rev",
    "hon", "eg", "ie", "z.b", "d.h", "u.a", "bzw", "ca", "nr", "str", "hr", "fr", "sr", "sra", "srta", "ud",
    "uds", "p.ej", "mme", "mlle", "cf", "vgl", "evtl", "inkl", "tel", "art", "av",
];
/// Abbreviations that may also end a sentence: they do if the next word is a capital one.
const AMBIGUOUS: [&str; 22] = [
    "etc", "inc", "ltd", "co", "corp", "min", "max", "hrs", "am", "pm", "a.m", "p.m", "usw", "jr", "jan",
    "feb", "aug", "sept", "oct", "nov", "dec", "no",
];
/// Months in German, where "3. März" is a date.
const MONTHS: [&str; 12] = [
    "januar",
    "februar",
    "märz",
    "april",
    "mai",
    "juni",
    "juli",
    "august",
    "september",
    "oktober",
    "november",
    "dezember",
];
/// Some programs put it before a text; it is no part of it.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// Looking back further than the longest abbreviation is of no use.
const LOOK_BACK_CHARS: usize = 12;

/// The sentences of a text, in order, without the white space around them.
///
/// A sentence ends at `.`, `!`, `?`, `…` before white space, at their CJK forms anywhere, and at the end of a line that
/// is not merely wrapped. Abbreviations, initials, decimals, addresses and numbered points do not end one. A block
/// of code between lines of three backticks is one sentence.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut lines = Lines { text, at: 0 };
    while let Some(line) = lines.next() {
        if text[line.clone()].trim_start().starts_with("```") {
            push_trimmed(&mut found, text, start..line.start);
            let end = lines.skip_code();
            push_trimmed(&mut found, text, line.start..end);
            start = end;
            continue;
        }
        let mut from = line.start;
        while let Some(end) = sentence_end(text, from, line.end) {
            push_trimmed(&mut found, text, start..end);
            (start, from) = (end, end);
        }
        if !wraps(&text[start..line.end], &text[lines.at..]) {
            push_trimmed(&mut found, text, start..line.end);
            start = line.end;
        }
    }
    push_trimmed(&mut found, text, start..text.len());
    found
}

/// Walks the lines of a text, whatever ends them.
struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl Lines<'_> {
    fn next(&mut self) -> Option<Range<usize>> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let start = self.at;
        let length = rest.find(is_line_end).unwrap_or(rest.len());
        let ending = rest[length..].chars().next().map_or(0, char::len_utf8);
        self.at += length + ending;
        Some(start..start + length)
    }

    /// Goes behind the line that closes a block of code, or to the end of the text: where the block ends.
    fn skip_code(&mut self) -> usize {
        while let Some(line) = self.next() {
            if self.text[line.clone()].trim_start().starts_with("```") {
                return line.end;
            }
        }
        self.text.len()
    }
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a sentence goes on in the next line: nothing ends it, and the next line begins in lower case.
fn wraps(sentence: &str, rest: &str) -> bool {
    let open =
        sentence.trim_end().chars().next_back().is_some_and(|c| c.is_alphanumeric() || ",;-".contains(c));
    open && rest.trim_start_matches([' ', '\t']).starts_with(char::is_lowercase)
}

/// The end of the first sentence in `from..to`, if it ends there.
fn sentence_end(text: &str, from: usize, to: usize) -> Option<usize> {
    let line = &text[from..to];
    let mut characters = line.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        if !is_terminator(c) {
            continue;
        }
        let mut end = at + c.len_utf8();
        let mut run = 1;
        let mut strong = !matches!(c, '.' | '…');
        while let Some((next, c)) = characters.next_if(|(_, c)| is_terminator(*c) || closes(*c)) {
            strong |= matches!(c, '!' | '?') || is_wide(c);
            run += usize::from(is_terminator(c));
            end = next + c.len_utf8();
        }
        let rest = &line[end..];
        let ends = match rest.chars().next() {
            None => true,
            Some(_) if is_wide(c) => true,
            Some(next) if !next.is_whitespace() => false,
            Some(_) => strong || full_stop_ends(&line[..at], rest.trim_start(), c == '.' && run == 1),
        };
        if ends {
            return Some(from + end);
        }
    }
    None
}

fn is_terminator(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '؟' | '।' | '‽') || is_wide(c)
}

/// Terminators that need no space after them.
fn is_wide(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '｡' | '．')
}

fn closes(c: char) -> bool {
    matches!(c, '"' | '\'' | ')' | ']' | '”' | '’' | '»' | '」' | '』' | '）')
}

/// Whether a full stop (or dots) between `before` and `after` ends a sentence.
fn full_stop_ends(before: &str, after: &str, single: bool) -> bool {
    let lower = after.starts_with(char::is_lowercase);
    if !single {
        return !lower;
    }
    let back = before.char_indices().rev().take(LOOK_BACK_CHARS);
    let word_start = back.take_while(|(_, c)| !c.is_whitespace()).last().map_or(before.len(), |(at, _)| at);
    let word = before[word_start..].trim_start_matches(|c: char| !c.is_alphanumeric());
    let earlier = before[..word_start].trim_end();
    if word.chars().all(|c| c.is_ascii_digit()) && !word.is_empty() {
        // "3. März", "1. buy milk", "im 3. Stock"; but "I was born in 1980. My sister …".
        let next: String =
            after.chars().take_while(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
        return !(earlier.is_empty() || MONTHS.contains(&next.as_str()) || (lower && word.len() < 3));
    }
    if word.chars().count() == 1 && word.chars().all(char::is_uppercase) && word != "I" {
        // An initial stands after nothing or after another name.
        let name = earlier.rsplit(char::is_whitespace).next().unwrap_or_default();
        return !(name.is_empty() || name.starts_with(char::is_uppercase));
    }
    let word = word.to_lowercase();
    let short = (lower || word == "no" && after.starts_with(|c: char| c.is_ascii_digit()))
        && AMBIGUOUS.contains(&word.as_str());
    !(short || ABBREVIATIONS.contains(&word.as_str()) || (lower && word.chars().count() < 2))
}

fn push_trimmed(found: &mut Vec<Range<usize>>, text: &str, range: Range<usize>) {
    let sentence = &text[range.clone()];
    let front = sentence.trim_start_matches(|c: char| c.is_whitespace() || c == BYTE_ORDER_MARK);
    let start = range.end - front.len();
    let end = start + front.trim_end().len();
    if start < end {
        found.push(start..end);
    }
}
