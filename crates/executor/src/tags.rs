//! Tags such as `[m1]` by which a model cites memories: found for attribution, taken out of what the user sees.

use std::collections::BTreeSet;

/// Longest group such as `[m1, m2, m3]`; what is longer is no citation.
const GROUP_BYTES_MAX: usize = 60;
/// White space that is held back in case a tag follows.
const SPACE_BYTES_MAX: usize = 256;

/// The known tags that a text cites, in order of their first citation.
pub(crate) fn cited(text: &str, known: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (at, _) in text.match_indices('[') {
        let Some(end) = text[at..].find(']') else { break };
        for tag in group(&text[at..=at + end]).unwrap_or_default() {
            if known.contains(&tag) && !found.contains(&tag) {
                found.push(tag);
            }
        }
    }
    found
}

/// The tags of a whole group `[m1; M2]`, in lower case; none when it is anything else.
fn group(text: &str) -> Option<Vec<String>> {
    let inside = text.strip_prefix('[')?.strip_suffix(']')?;
    let parts = inside.split([',', ';', ' ']).filter(|part| !part.is_empty());
    let tags: Vec<String> = parts.map(str::to_ascii_lowercase).collect();
    let is_tag = |tag: &String| {
        tag.strip_prefix('m').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    (text.len() <= GROUP_BYTES_MAX && !tags.is_empty() && tags.iter().all(is_tag)).then_some(tags)
}

/// Takes citations out of a text that comes in pieces, wherever the pieces are cut, and white space at both ends of
/// the text with them.
#[derive(Debug)]
pub(crate) struct Stripper {
    known: BTreeSet<String>,
    /// White space that was heard and not passed on yet.
    space: String,
    /// A group that has begun, from its bracket on.
    bracket: String,
    begun: bool,
    /// A tag stood at the start of a line: the space behind it goes too.
    skip_space: bool,
}

impl Stripper {
    pub(crate) fn new(known: &[String]) -> Self {
        Self {
            known: known.iter().cloned().collect(),
            space: String::new(),
            bracket: String::new(),
            begun: false,
            skip_space: false,
        }
    }

    /// Takes a piece and gives what can be shown of it and of what was held back.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        let mut out = String::with_capacity(piece.len());
        piece.chars().for_each(|c| self.take(c, &mut out));
        out
    }

    /// What is still held back and turned out to be no citation.
    pub(crate) fn finish(mut self) -> String {
        let mut out = String::new();
        self.release_bracket(&mut out);
        out
    }

    fn take(&mut self, c: char, out: &mut String) {
        if self.bracket.is_empty() {
            return self.take_outside(c, out);
        }
        if c == ']' {
            self.bracket.push(c);
            return self.close(out);
        }
        let fits = c.is_ascii_digit() || matches!(c, 'm' | 'M' | ',' | ';' | ' ');
        if fits && self.bracket.len() < GROUP_BYTES_MAX {
            self.bracket.push(c);
        } else {
            self.release_bracket(out);
            self.take_outside(c, out);
        }
    }

    fn take_outside(&mut self, c: char, out: &mut String) {
        if c == '[' {
            self.bracket.push(c);
        } else if c.is_whitespace() {
            if !(self.skip_space && c == ' ') {
                self.space.push(c);
            }
            if self.space.len() > SPACE_BYTES_MAX {
                self.release_space(out);
            }
        } else {
            self.release_space(out);
            self.show(out, c.encode_utf8(&mut [0; 4]));
        }
    }

    fn close(&mut self, out: &mut String) {
        let cites = group(&self.bracket).is_some_and(|tags| tags.iter().any(|tag| self.known.contains(tag)));
        if !cites {
            return self.release_bracket(out);
        }
        self.bracket.clear();
        // A line break before a tag is the text's own; a space before it belongs to the tag.
        self.skip_space = self.space.contains('\n');
        if !self.skip_space {
            self.space.clear();
        }
    }

    fn release_bracket(&mut self, out: &mut String) {
        if !self.bracket.is_empty() {
            self.release_space(out);
            let bracket = std::mem::take(&mut self.bracket);
            self.show(out, &bracket);
        }
    }

    fn release_space(&mut self, out: &mut String) {
        let space = std::mem::take(&mut self.space);
        if self.begun {
            out.push_str(&space);
        }
    }

    fn show(&mut self, out: &mut String, text: &str) {
        self.begun = true;
        self.skip_space = false;
        out.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn known() -> Vec<String> {
        ["m1", "m2", "m12"].map(str::to_owned).to_vec()
    }

    fn stripped(pieces: &[&str]) -> String {
        let mut stripper = Stripper::new(&known());
        let mut out: String = pieces.iter().map(|piece| stripper.push(piece)).collect();
        out.push_str(&stripper.finish());
        out
    }

    /// Whole, and cut after every character.
    fn check(text: &str, shown: &str, tags: &[&str]) {
        assert_eq!(stripped(&[text]), shown, "{text:?}");
        let singles: Vec<String> = text.chars().map(String::from).collect();
        assert_eq!(stripped(&singles.iter().map(String::as_str).collect::<Vec<_>>()), shown, "{text:?}");
        assert_eq!(cited(text, &known()), tags, "{text:?}");
    }

    #[test]
    fn citations_vanish_and_everything_else_stays() {
        check("After breakfast [m1].", "After breakfast.", &["m1"]);
        check("[m1] After breakfast", "After breakfast", &["m1"]);
        check("Both [m2, M12] and [m1][m2].", "Both and.", &["m2", "m12", "m1"]);
        check("- one [m1]\n- two\n[m2] three", "- one\n- two\nthree", &["m1", "m2"]);
        check("array[3] and [m99] and [mx] and [m]", "array[3] and [m99] and [mx] and [m]", &[]);
        check("an open [m1", "an open [m1", &[]);
        check("[[m1]]", "[]", &["m1"]);
        check("  \n hello \n ", "hello", &[]);
        check("[m1]", "", &["m1"]);
        check("a [link](x) b", "a [link](x) b", &[]);
        check("[, ]", "[, ]", &[]);
        check("固 [m1] 😀", "固 😀", &["m1"]);
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(text in "[ \\[\\]m12,a\n]{0,40}", cut in 0usize..40) {
            let cut = cut.min(text.len());
            prop_assert_eq!(stripped(&[&text[..cut], &text[cut..]]), stripped(&[&text]));
        }

        #[test]
        fn text_without_brackets_is_only_trimmed(text in "[^\\[]{0,60}") {
            prop_assert_eq!(stripped(&[&text]), text.trim());
        }
    }
}
