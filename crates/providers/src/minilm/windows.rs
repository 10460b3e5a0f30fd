//! Which parts of a text the model reads.

use crate::wordpiece::WordPieces;

/// Word pieces between the two marks; the model was trained on 256 tokens, marks included.
const PIECES_MAX: usize = 254;
/// Windows of one text: enough for its start, its end and two places between.
const WINDOWS_MAX: usize = 4;
/// A longer text is cut to excerpts before it is spelled, so that the cost of any text is bounded. Four windows of
/// ordinary text are some 4 KB.
const SPELLED_BYTES_MAX: usize = 16 * 1024;
const EXCERPT_BYTES: usize = SPELLED_BYTES_MAX / WINDOWS_MAX;

/// What the model reads at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Window {
    /// Place of its text in the request.
    pub text: usize,
    /// 3 to 256 tokens, marks included.
    pub tokens: Vec<u16>,
}

/// The windows of a text: none when nothing in it can be spelled.
pub(super) fn windows(vocabulary: &WordPieces, text: usize, content: &str) -> Vec<Window> {
    let marks = vocabulary.marks;
    let window = |pieces: &[u16]| Window { text, tokens: [&[marks.begin], pieces, &[marks.end]].concat() };
    parts(vocabulary, content)
        .iter()
        .filter(|part| part.iter().any(|id| *id != marks.unknown))
        .map(|part| window(part))
        .collect()
}

/// Runs of word pieces, each short enough for a window.
fn parts(vocabulary: &WordPieces, content: &str) -> Vec<Vec<u16>> {
    if content.len() > SPELLED_BYTES_MAX {
        return (0..WINDOWS_MAX).map(|n| excerpt_part(vocabulary, content, n)).collect();
    }
    let all: Vec<Vec<u16>> = spelled(vocabulary, content).chunks(PIECES_MAX).map(<[u16]>::to_vec).collect();
    if all.len() <= WINDOWS_MAX {
        return all;
    }
    (0..WINDOWS_MAX).map(|n| all[(all.len() - 1) * n / (WINDOWS_MAX - 1)].clone()).collect()
}

/// The pieces of one of the excerpts, which lie evenly from the start of a long text to its end.
fn excerpt_part(vocabulary: &WordPieces, content: &str, n: usize) -> Vec<u16> {
    let last = WINDOWS_MAX - 1;
    let start = content.ceil_char_boundary((content.len() - EXCERPT_BYTES) * n / last);
    let end = content.floor_char_boundary(start + EXCERPT_BYTES);
    let mut pieces = spelled(vocabulary, &content[start..end]);
    if n == last {
        // The text ends here, so its last words count.
        pieces.drain(..pieces.len().saturating_sub(PIECES_MAX));
    }
    pieces.truncate(PIECES_MAX);
    pieces
}

fn spelled(vocabulary: &WordPieces, text: &str) -> Vec<u16> {
    vocabulary.pieces(text).iter().map(|piece| piece.id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wordpiece::{BEGIN, END, WORD_PIECES};
    use proptest::prelude::*;

    #[test]
    fn a_short_text_is_one_window_between_the_marks() {
        let found = windows(&WORD_PIECES, 7, "reading glasses");
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].text, found[0].tokens.len()), (7, 4));
        assert_eq!((found[0].tokens[0], found[0].tokens[3]), (BEGIN, END));
    }

    #[test]
    fn a_long_text_is_read_at_its_start_and_at_its_end() {
        for filler in [400, 40_000] {
            let text = format!("apple {} zebra", "stone ".repeat(filler));
            let found = windows(&WORD_PIECES, 0, &text);
            let holds = |window: &Window, word| window.tokens.contains(&WORD_PIECES.pieces(word)[0].id);
            assert!(holds(&found[0], "apple") && !holds(&found[0], "zebra"));
            assert!(found.len() <= WINDOWS_MAX);
            assert!(holds(&found[found.len() - 1], "zebra"), "{filler}");
        }
    }

    #[test]
    fn what_cannot_be_spelled_has_no_window() {
        for text in ["", "   ", "🦀🦀 🦀"] {
            assert_eq!(windows(&WORD_PIECES, 0, text), []);
        }
    }

    proptest! {
        #[test]
        fn every_window_fits_the_model(text in "\\PC{0,40}", times in 1usize..600) {
            let found = windows(&WORD_PIECES, 0, &text.repeat(times));
            prop_assert!(found.len() <= WINDOWS_MAX);
            prop_assert!(found.iter().all(|window| (3..=256).contains(&window.tokens.len())));
        }
    }
}
