//! The fence around memories, and why nothing inside or outside can forge it.

use std::borrow::Cow;

use bethink_text::{fence_text, normalise};

/// Opens the block of memories.
pub(crate) const OPEN: &str = "<memories>";
/// Closes it.
pub(crate) const CLOSE: &str = "</memories>";

/// Opens what a tool answered.
pub(crate) const RESULT_OPEN: &str = "<result>";
/// Closes it.
pub(crate) const RESULT_CLOSE: &str = "</result>";

/// A text as one line of data inside the fence, in which nothing looks like a citation. It can neither open nor close
/// a fence, nor begin a line.
pub(crate) fn fenced(text: &str) -> String {
    without_tags(&fence_text(text))
}

/// What a tool answered, as data between two marks: its lines stay, but nothing in it can open or close a fence, cite
/// a memory, or hide.
pub(crate) fn fenced_result(text: &str) -> String {
    let lines = text.lines().map(|line| without_tags(&without_fence(line)));
    let lines = lines
        .map(|line| line.chars().filter(|c| *c == '\t' || !(c.is_control() || is_invisible(*c))).collect());
    let text = lines.collect::<Vec<String>>().join("\n");
    // Once more: a mark may have been spread over lines, or over what was hidden.
    format!("{RESULT_OPEN}\n{}\n{RESULT_CLOSE}", without_fence(&text))
}

/// Text in which nothing looks like a citation.
fn without_tags(text: &str) -> String {
    let mut rest = text.chars().peekable();
    let mut out = String::with_capacity(text.len());
    while let Some(c) = rest.next() {
        let tag_follows = matches!(rest.peek(), Some('m' | 'M' | 'ｍ' | 'Ｍ'));
        out.push(if tag_follows && matches!(c, '[' | '［' | '【') { '(' } else { c });
    }
    out
}

/// A text outside the fence. It is the user's own and stays as it is, unless it holds something that could be taken
/// for the fence; then its angle brackets are blunted.
pub(crate) fn without_fence(text: &str) -> Cow<'_, str> {
    let squeezed: String = normalise(text)
        .chars()
        .filter(|c| !c.is_whitespace() && !c.is_control() && !is_invisible(*c))
        .collect();
    let squeezed: String = squeezed.chars().map(|c| if is_opening(c) { '<' } else { c }).collect();
    let forges =
        |mark: &str| squeezed.contains(&format!("<{mark}")) || squeezed.contains(&format!("</{mark}"));
    if ["memories", "result"].into_iter().any(forges) {
        Cow::Owned(text.chars().map(blunt).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Angle brackets of every width become single quotation marks that look alike.
fn blunt(c: char) -> char {
    match c {
        c if is_opening(c) => '‹',
        '>' | '＞' | '﹥' | '〉' | '\u{232a}' | '⟩' | '˃' | 'ᐳ' | '❭' | '❯' | '❱' | '⧽' | '≻' => {
            '›'
        }
        _ => c,
    }
}

fn is_opening(c: char) -> bool {
    matches!(c, '<' | '＜' | '﹤' | '〈' | '\u{2329}' | '⟨' | '˂' | 'ᐸ' | '❬' | '❮' | '❰' | '⧼' | '≺')
}

/// Characters without width, but for the joiners that emoji and some scripts need; also those that turn the
/// direction of reading and the tag characters in which text can be hidden.
fn is_invisible(c: char) -> bool {
    matches!(u32::from(c),
        0xad | 0x34f | 0x61c | 0x180e | 0x200b | 0x200e | 0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0xfeff
        | 0xfff9..=0xfffb | 0xe0000..=0xe007f)
}
