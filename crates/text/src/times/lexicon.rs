//! Words of time, from the word lists of a language.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a word can stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Sense {
    /// 1 for Monday to 7 for Sunday.
    Weekday,
    /// A weekday in the plural, which recurs.
    Plural,
    /// 1 to 12.
    Month,
    /// A unit of so many seconds.
    Second,
    /// A unit of so many days.
    Day,
    /// A unit of so many months.
    MonthUnit,
    /// A small number.
    Number,
    Tens,
    Scale,
    Ordinal,
    /// A day so many days from today.
    Relative,
    /// A part of the day.
    Part,
    /// 0 the end, 1 the beginning.
    Edge,
    /// 0 this, 1 next, 2 coming, −1 last.
    This,
    Every,
    /// A word for a recurrence of so many days; 0 for hours.
    Each,
    Holiday,
    Now,
    /// A time that nobody can set a clock by.
    Vague,
    /// Words that may stand between parts of a time.
    Small,
}

const SENSES: [(&str, Sense); 20] = [
    ("weekday", Sense::Weekday),
    ("plural", Sense::Plural),
    ("month", Sense::Month),
    ("second", Sense::Second),
    ("day", Sense::Day),
    ("month_unit", Sense::MonthUnit),
    ("number", Sense::Number),
    ("tens", Sense::Tens),
    ("scale", Sense::Scale),
    ("ordinal", Sense::Ordinal),
    ("relative", Sense::Relative),
    ("part", Sense::Part),
    ("edge", Sense::Edge),
    ("this", Sense::This),
    ("every", Sense::Every),
    ("each", Sense::Each),
    ("holiday", Sense::Holiday),
    ("now", Sense::Now),
    ("vague", Sense::Vague),
    ("small", Sense::Small),
];

type Lexicon = HashMap<&'static str, Vec<(Sense, i64)>>;

static ENGLISH: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon::new();
    for line in include_str!("../../data/times/en.txt").lines().filter(|line| !line.starts_with('#')) {
        let Some((sense, words)) = line.split_once(':') else { continue };
        let Some((name, value)) = sense.split_once(' ') else { continue };
        let sense = SENSES.iter().find(|(known, _)| *known == name).map(|(_, sense)| *sense);
        let (Some(sense), Ok(value)) = (sense, value.parse()) else { continue };
        for word in words.split_whitespace() {
            lexicon.entry(word).or_default().push((sense, value));
        }
    }
    lexicon
});

/// The value of a word in a sense, if it has it.
pub(super) fn sense(word: &str, wanted: Sense) -> Option<i64> {
    ENGLISH.get(word)?.iter().find(|(sense, _)| *sense == wanted).map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_line_of_the_word_list_is_read() {
        let lines = include_str!("../../data/times/en.txt").lines().filter(|line| !line.starts_with('#'));
        for line in lines {
            let (sense, words) = line.split_once(':').unwrap();
            let (name, value) = sense.split_once(' ').unwrap();
            let known = super::SENSES.iter().find(|(known, _)| *known == name).unwrap().1;
            for word in words.split_whitespace() {
                assert!(super::ENGLISH[word].contains(&(known, value.parse().unwrap())), "{line}: {word}");
            }
        }
    }
}
