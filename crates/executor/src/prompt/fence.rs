//! The fence around memories, and why nothing inside or outside can forge it.

use std::borrow::Cow;

use bethink_text::{fence_text, normalise};

/// Opens the block of memories.
pub(super) const OPEN: &str = "<memories>";
/// Closes it.
pub(super) const CLOSE: &str = "</memories>";

/// A text as one line of data inside the fence, in which nothing looks like a citation. It can neither open nor close
/// a fence, nor begin a line.
pub(super) fn fenced(text: &str) -> String {
    let line = fence_text(text);
    let mut rest = line.chars().peekable();
    let mut out = String::with_capacity(line.len());
    while let Some(c) = rest.next() {
        let tag_follows = matches!(rest.peek(), Some('m' | 'M' | 'ｍ' | 'Ｍ'));
        out.push(if tag_follows && matches!(c, '[' | '［' | '【') { '(' } else { c });
    }
    out
}

/// A text outside the fence. It is the user's own and stays as it is, unless it holds something that could be taken
/// for the fence; then its angle brackets are blunted.
pub(super) fn without_fence(text: &str) -> Cow<'_, str> {
    let squeezed: String = normalise(text)
        .chars()
        .filter(|c| !c.is_whitespace() && !c.is_control() && !is_invisible(*c))
        .collect();
    let squeezed: String = squeezed.chars().map(|c| if is_opening(c) { '<' } else { c }).collect();
    if squeezed.contains("<memories") || squeezed.contains("</memories") {
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
