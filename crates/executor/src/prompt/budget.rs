//! Tokens: estimated, shared out, and kept to.

use unicode_segmentation::UnicodeSegmentation;

/// Indices of the sections in the order in which unused tokens flow on: the message first, since an answer to half a
/// question helps nobody; the conversation last, since it is the longest.
const FLOW: [usize; 4] = [3, 0, 2, 1];
const ELLIPSIS: &str = "…";

/// Estimated tokens of a text: four characters a token, and a whole one for each character of scripts that tokenizers
/// split finely (Han, kana, Hangul, emoji).
pub(crate) fn tokens(text: &str) -> usize {
    quarters(text).div_ceil(4)
}

fn quarters(text: &str) -> usize {
    text.chars().map(|c| if matches!(u32::from(c), 0x1100..=0x11ff | 0x2e80..) { 4 } else { 1 }).sum()
}

/// Shares `total` tokens out by weight. What a section does not want goes to those that want more. A section's budget
/// is its share, or what it was given beyond that.
///
/// Invariant: what sections want within their budgets adds up to `total` at most.
pub(super) fn allot(total: usize, weights: [usize; 4], wanted: [usize; 4]) -> [usize; 4] {
    let sum: usize = weights.iter().sum::<usize>().max(1);
    let shares = weights.map(|weight| total / sum * weight + total % sum * weight / sum);
    let mut left = total - (0..4).map(|n| shares[n].min(wanted[n])).sum::<usize>().min(total);
    let mut budgets = shares;
    for n in FLOW {
        let extra = wanted[n].saturating_sub(shares[n]).min(left);
        budgets[n] += extra;
        left -= extra;
    }
    budgets
}

/// The longest beginning of a text that fits, cut between characters as people see them and marked with "…".
pub(crate) fn cut(text: &str, budget: usize) -> String {
    if tokens(text) <= budget {
        return text.to_owned();
    }
    let mut room = (budget * 4).saturating_sub(quarters(ELLIPSIS));
    let mut end = 0;
    for (at, cluster) in text.grapheme_indices(true) {
        let needed = quarters(cluster);
        if needed > room {
            break;
        }
        room -= needed;
        end = at + cluster.len();
    }
    if end == 0 { String::new() } else { format!("{}{ELLIPSIS}", text[..end].trim_end()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cut_text_fits_and_is_a_beginning(text in "\\PC{0,60}", budget in 0usize..20) {
            let cut = cut(&text, budget);
            prop_assert!(tokens(&cut) <= budget);
            prop_assert!(text.starts_with(cut.trim_end_matches(ELLIPSIS)) || cut == text);
        }

        #[test]
        fn sections_never_take_more_than_there_is(
            total in 0usize..5_000,
            weights in prop::array::uniform4(0usize..=100),
            wanted in prop::array::uniform4(0usize..5_000),
        ) {
            let budgets = allot(total, weights, wanted);
            let taken: Vec<usize> = (0..4).map(|n| budgets[n].min(wanted[n])).collect();
            let sum = taken.iter().sum::<usize>();
            prop_assert!(sum <= total, "{taken:?}");
            // Nothing is refused while something is left.
            prop_assert!(sum == total || taken == wanted, "{taken:?} of {total}");
        }
    }

    #[test]
    fn clusters_are_never_torn() {
        let family = "👨‍👩‍👧";
        assert_eq!(cut(&family.repeat(9), 3), "");
        assert_eq!(cut(&family.repeat(9), 4), format!("{family}…"));
        for n in 0..600 {
            let text = format!("{}{}", "a".repeat(n), "固😀é👨‍👩‍👧क्षि".repeat(20));
            let cut = cut(&text, 100);
            assert!(!cut.contains('\u{fffd}') && tokens(&cut) <= 100, "{n}");
        }
    }
}
