//! Whom a text speaks of: the user, people by their relation to the user, and names.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use super::lists::Lists;
use super::reading::Token;

/// Names of a relation; the first stands for all.
const RELATIONS: &[&[&str]] = &[
    &["mother", "mum", "mom", "mummy", "mommy", "mama", "mam", "mothers"],
    &["father", "dad", "daddy", "papa", "fathers"],
    &["sister", "sis", "sisters"],
    &["brother", "bro", "brothers"],
    &["wife"],
    &["husband", "hubby"],
    &["partner"],
    &["son", "sons", "boy", "lad"],
    &["daughter", "daughters", "girl"],
    &["aunt", "auntie", "aunts"],
    &["uncle", "uncles"],
    &["cousin", "cousins"],
    &["niece", "nieces"],
    &["nephew", "nephews"],
    &["grandmother", "grandma", "granny", "gran", "nan", "nana"],
    &["grandfather", "grandpa", "grandad", "granddad"],
    &["girlfriend"],
    &["boyfriend"],
    &["boss", "manager", "supervisor"],
    &["colleague", "colleagues", "coworker"],
    &["neighbour", "neighbor", "neighbours", "neighbors"],
    &["landlord", "landlady"],
    &["friend", "friends"],
    &["teacher", "teachers"],
    &["flatmate", "roommate", "housemate"],
    &["parents"],
    &["children", "kids"],
    &["grandson"],
    &["granddaughter"],
    &["twin", "twins"],
    &["baby"],
];

/// Relations by marriage, which take two more words.
const IN_LAW: &[(&str, &str)] = &[
    ("mother", "mother-in-law"),
    ("father", "father-in-law"),
    ("sister", "sister-in-law"),
    ("brother", "brother-in-law"),
    ("son", "son-in-law"),
    ("daughter", "daughter-in-law"),
    ("parents", "parents-in-law"),
];

/// A relation that may be meant by another.
const NEAR: &[(&str, &str)] = &[
    ("parents", "mother"),
    ("parents", "father"),
    ("children", "son"),
    ("children", "daughter"),
    ("children", "twin"),
    ("partner", "wife"),
    ("partner", "husband"),
    ("partner", "girlfriend"),
    ("partner", "boyfriend"),
    ("baby", "son"),
    ("baby", "daughter"),
    ("twin", "son"),
    ("twin", "daughter"),
];

/// Any child or stranger, not the user's own, when "the" or "a" goes before.
const ANYBODY: &[&str] = &["boy", "girl", "lad", "baby", "twin"];
/// Stand between "my" and a relation.
const BETWEEN: &[&str] = &[
    "best", "little", "older", "younger", "old", "elder", "eldest", "youngest", "big", "new", "late", "dear",
    "good",
];

/// A relation, by the word that stands for all of its names.
pub(super) type Relation = &'static str;

/// Names that texts tied to a relation: "my brother Jonas".
pub(super) type Aliases = BTreeMap<String, BTreeSet<Relation>>;

/// The relation that a word names.
pub(super) fn relation(word: &str) -> Option<Relation> {
    BY_NAME.get(word).copied()
}

static BY_NAME: LazyLock<HashMap<&'static str, Relation>> =
    LazyLock::new(|| RELATIONS.iter().flat_map(|names| names.iter().map(|name| (*name, names[0]))).collect());

/// Whether a relation is, or may be meant by, one of those.
pub(super) fn among(wanted: Relation, present: &BTreeSet<Relation>) -> bool {
    let near = |a: Relation, b: Relation| NEAR.contains(&(a, b)) || NEAR.contains(&(b, a));
    present.iter().any(|other| *other == wanted || near(wanted, other))
}

/// The relations that a text speaks of.
pub(super) fn relations(tokens: &[Token]) -> BTreeSet<Relation> {
    (0..tokens.len()).filter_map(|at| relation_at(tokens, at)).map(|(found, _)| found).collect()
}

/// The relation named at a place, and the place after it.
fn relation_at(tokens: &[Token], at: usize) -> Option<(Relation, usize)> {
    let word = tokens[at].low.as_str();
    let found = relation(word)?;
    let before = at.checked_sub(1).map(|i| tokens[i].low.as_str());
    if ANYBODY.contains(&word) && matches!(before, Some("the" | "a" | "an")) {
        return None;
    }
    let by_marriage = matches!(tokens.get(at + 1..at + 3), Some([a, b]) if a.low == "in" && b.low == "law");
    match IN_LAW.iter().find(|(own, _)| by_marriage && *own == found) {
        Some((_, married)) => Some((married, at + 3)),
        None => Some((found, at + 1)),
    }
}

/// Written like a name, wherever it stands.
pub(super) fn name_like(token: &Token) -> bool {
    let word = token.low.as_str();
    token.capital
        && word.chars().nth(1).is_some()
        && !word.contains(|c: char| c.is_ascii_digit())
        && relation(word).is_none()
        && !Lists::of(word).any(NAMELESS)
}

/// Hold words that are written with a capital and name nobody.
const NAMELESS: Lists = Lists::NO_NAMES
    .or(Lists::FIRST_PERSON)
    .or(Lists::DAYS_AND_MONTHS)
    .or(Lists::TIMES)
    .or(Lists::TITLES)
    .or(Lists::NUMBERS);

/// Names that stand inside a sentence, where a capital is no accident.
pub(super) fn names(tokens: &[Token]) -> BTreeSet<String> {
    tokens.iter().filter(|token| token.inside && name_like(token)).map(|token| token.low.clone()).collect()
}

/// Whether the user is the subject: "I", "we".
pub(super) fn user_is_subject(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| Lists::of(&token.low).any(Lists::SUBJECTS))
}

/// Whether the user is spoken of at all: "I", "my", "us".
pub(super) fn user_is_there(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| Lists::of(&token.low).any(Lists::FIRST_PERSON))
}

/// Collects who is what to the user: "my sister Clara", "our neighbour is called Nils", "Jonas, my brother".
pub(super) fn learn_aliases(tokens: &[Token], aliases: &mut Aliases) {
    for at in (0..tokens.len()).filter(|at| matches!(tokens[*at].low.as_str(), "my" | "our")) {
        let Some((found, after)) = related(tokens, at + 1) else { continue };
        let mut name_at = after;
        if holds_at(tokens, name_at, &["is", "called"]) || holds_at(tokens, name_at, &["is", "named"]) {
            name_at += 2;
        }
        name_at += tokens[name_at.min(tokens.len())..]
            .iter()
            .take_while(|token| Lists::of(&token.low).any(Lists::TITLES))
            .count();
        let beside = [tokens.get(name_at), at.checked_sub(1).and_then(|before| tokens.get(before))];
        for token in beside.into_iter().flatten().filter(|token| name_like(token)) {
            aliases.entry(token.low.clone()).or_default().insert(found);
        }
    }
}

fn related(tokens: &[Token], from: usize) -> Option<(Relation, usize)> {
    let skipped =
        tokens.get(from..)?.iter().take_while(|token| BETWEEN.contains(&token.low.as_str())).count();
    (from + skipped < tokens.len()).then(|| relation_at(tokens, from + skipped))?
}

fn holds_at(tokens: &[Token], at: usize, words: &[&str]) -> bool {
    tokens.get(at..at + words.len()).is_some_and(|span| span.iter().zip(words).all(|(t, w)| t.low == *w))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_one_relation() {
        for names in RELATIONS {
            for name in *names {
                assert_eq!(relation(name), Some(names[0]), "{name}");
            }
        }
        assert_eq!(relation("harbour"), None);
    }
}
