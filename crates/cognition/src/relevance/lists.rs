//! Which word lists a word is on, found in one look-up however long the lists are.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words;

/// A set of word lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Lists(u16);

impl Lists {
    pub(super) const SUBJECTS: Self = Self(1);
    pub(super) const FIRST_PERSON: Self = Self(1 << 1);
    pub(super) const TITLES: Self = Self(1 << 2);
    pub(super) const DAYS_AND_MONTHS: Self = Self(1 << 3);
    pub(super) const TIMES: Self = Self(1 << 4);
    pub(super) const NUMBERS: Self = Self(1 << 5);
    pub(super) const PLACES: Self = Self(1 << 6);
    pub(super) const MONEY: Self = Self(1 << 7);
    pub(super) const REASONS: Self = Self(1 << 8);
    pub(super) const NO_NAMES: Self = Self(1 << 9);
    pub(super) const SCAFFOLDING: Self = Self(1 << 10);

    /// The lists that a lower-case word is on.
    pub(super) fn of(word: &str) -> Self {
        BY_WORD.get(word).copied().unwrap_or_default()
    }

    /// What is on either.
    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the word is on any of those.
    pub(super) const fn any(self, of: Self) -> bool {
        self.0 & of.0 != 0
    }
}

const ALL: [(Lists, &[&str]); 11] = [
    (Lists::SUBJECTS, words::SUBJECTS),
    (Lists::FIRST_PERSON, words::FIRST_PERSON),
    (Lists::TITLES, words::TITLES),
    (Lists::DAYS_AND_MONTHS, words::DAYS_AND_MONTHS),
    (Lists::TIMES, words::TIMES),
    (Lists::NUMBERS, words::NUMBERS),
    (Lists::PLACES, words::PLACES),
    (Lists::MONEY, words::MONEY),
    (Lists::REASONS, words::REASONS),
    (Lists::NO_NAMES, words::NO_NAMES),
    (Lists::SCAFFOLDING, words::SCAFFOLDING),
];

static BY_WORD: LazyLock<HashMap<&'static str, Lists>> = LazyLock::new(|| {
    let mut by_word = HashMap::new();
    for (list, words) in ALL {
        for word in words {
            let lists: &mut Lists = by_word.entry(*word).or_default();
            *lists = lists.or(list);
        }
    }
    by_word
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_on_the_lists_that_hold_it_and_on_no_other() {
        let every = ALL.iter().flat_map(|(_, words)| words.iter().copied());
        for word in every.chain(["", "harbour", "Monday"]) {
            for (list, words) in ALL {
                assert_eq!(Lists::of(word).any(list), words.contains(&word), "{word:?}");
            }
        }
    }
}
