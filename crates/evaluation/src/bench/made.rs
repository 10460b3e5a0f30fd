//! Made-up statements, questions and vectors: the same for the same number, in every program.
//!
//! This file needs nothing but the standard library, since programs that are measured beside Bethink include it.
//!
//! Words follow Zipf's law over a vocabulary of common nouns and a long tail of names; sentences are as long as what
//! people say of themselves. Vectors lie in [`CLUSTERS`] groups of skewed sizes, in [`LATENT`] dimensions of
//! [`DIMENSIONS`], and have length 1: as hard for an index as those of sentences, and free.

// Named, since programs beside Bethink include this file from elsewhere.
#[path = "made/vocabulary.rs"]
mod vocabulary;

use vocabulary::*;

/// Components of a vector, as those of the embedded model.
pub(super) const DIMENSIONS: usize = 384;
/// Dimensions in which vectors really differ.
pub(super) const LATENT: usize = 32;
/// Groups of vectors; the largest holds some hundred times as many as the smallest.
pub(super) const CLUSTERS: u64 = 512;
/// Length of what is a vector's own, relative to what it shares with its group.
const SPREAD: f32 = 0.7;
/// Length of what sets a question apart from the statement that it is about.
const ASKED: f32 = 0.4;

/// Questions whose nearest statements are known.
pub(super) const KNOWN: usize = 100;
/// Of each, so many.
pub(super) const NEAREST: usize = 10;

/// The number of the statement that the k-th question is about, of so many statements: spread over all of them.
#[must_use]
pub(super) fn asked(k: usize, statements: usize) -> u64 {
    (k as u64).wrapping_mul(7_919 * 13) % statements.max(1) as u64
}

/// Makes them.
pub(super) struct Maker {
    /// Latent dimension after latent dimension.
    directions: Vec<f32>,
    /// Cumulative shares of groups.
    groups: Vec<f64>,
    nouns: Vec<f64>,
    names: Vec<f64>,
}

impl Default for Maker {
    fn default() -> Self {
        Self::new()
    }
}

impl Maker {
    /// The only one there is: nothing about it can be chosen.
    #[must_use]
    pub(super) fn new() -> Self {
        let mut chance = Chance::of(1, 0);
        Self {
            directions: (0..LATENT * DIMENSIONS).map(|_| chance.normal()).collect(),
            groups: zipf(CLUSTERS as usize, 0.75),
            nouns: zipf(NOUNS.len(), 0.9),
            names: zipf(NAMES_MAX, 0.8),
        }
    }

    /// The n-th statement.
    #[must_use]
    pub(super) fn statement(&self, n: u64) -> String {
        let mut chance = Chance::of(2, n);
        let (said, _) = SAYINGS[chance.below(SAYINGS.len() as u64) as usize];
        self.fill(said, n)
    }

    /// A question about the n-th statement.
    #[must_use]
    pub(super) fn question(&self, n: u64) -> String {
        let mut chance = Chance::of(2, n);
        let (_, asked) = SAYINGS[chance.below(SAYINGS.len() as u64) as usize];
        self.fill(asked, n)
    }

    /// The n-th vector.
    #[must_use]
    pub(super) fn vector(&self, n: u64) -> Vec<f32> {
        self.outward(&self.latent(n))
    }

    /// The vector of a question about the n-th statement.
    #[must_use]
    pub(super) fn asking(&self, n: u64) -> Vec<f32> {
        let mut chance = Chance::of(4, n);
        let latent = self.latent(n).map(|value| value + ASKED * chance.normal());
        self.outward(&latent)
    }

    fn latent(&self, n: u64) -> [f32; LATENT] {
        let mut own = Chance::of(3, n);
        let group = pick(&self.groups, own.fraction()) as u64;
        let mut shared = Chance::of(5, group);
        std::array::from_fn(|_| shared.normal() + SPREAD * own.normal())
    }

    fn outward(&self, latent: &[f32; LATENT]) -> Vec<f32> {
        let mut vector = vec![0f32; DIMENSIONS];
        for (weight, direction) in latent.iter().zip(self.directions.chunks_exact(DIMENSIONS)) {
            for (value, part) in vector.iter_mut().zip(direction) {
                *value += weight * part;
            }
        }
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|value| *value /= length);
        vector
    }

    /// Fills the places of a pattern; a statement and its question are filled alike.
    fn fill(&self, pattern: &str, n: u64) -> String {
        let mut text = String::with_capacity(120);
        let mut parts = pattern.split('#');
        text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let mut letters = part.chars();
            let slot = letters.next().unwrap_or('?');
            self.put(slot, n, &mut text);
            text.push_str(letters.as_str());
        }
        text
    }

    fn put(&self, slot: char, n: u64, text: &mut String) {
        let mut chance = Chance::of(slot.into(), n);
        let one = |chance: &mut Chance, list: &[&'static str]| list[chance.below(list.len() as u64) as usize];
        match slot {
            'P' | 'Q' => {
                text.push_str(one(&mut chance, FIRST_NAMES));
                text.push(' ');
                text.push_str(&surname(pick(&self.names, chance.fraction()) as u64));
            }
            'R' => text.push_str(one(&mut chance, RELATIONS)),
            'L' => text.push_str(&town(chance.below(TOWN_STARTS.len() as u64 * TOWN_ENDS.len() as u64))),
            'S' => {
                text.push_str(&surname(pick(&self.names, chance.fraction()) as u64));
                text.push(' ');
                text.push_str(one(&mut chance, WAYS));
            }
            'N' | 'M' => text.push_str(NOUNS[pick(&self.nouns, chance.fraction())]),
            'A' => text.push_str(one(&mut chance, ADJECTIVES)),
            'D' => {
                let (day, month) = (chance.below(28) + 1, one(&mut chance, MONTHS));
                text.push_str(&format!("{day} {month}"));
            }
            'Y' => text.push_str(&format!("{}", 1960 + chance.below(66))),
            'W' => text.push_str(one(&mut chance, WEEKDAYS)),
            'C' => text.push_str(&format!("{}", chance.below(990) + 10)),
            'H' => text.push_str(one(&mut chance, HOBBIES)),
            'J' => text.push_str(one(&mut chance, JOBS)),
            other => text.push(other),
        }
    }
}

/// Cumulative shares of ranks, the r-th weighing 1/(r+1)^s.
fn zipf(count: usize, s: f64) -> Vec<f64> {
    let mut sum = 0.0;
    let mut shares: Vec<f64> = (1..=count)
        .map(|rank| {
            sum += (rank as f64).powf(-s);
            sum
        })
        .collect();
    shares.iter_mut().for_each(|share| *share /= sum);
    shares
}

fn pick(shares: &[f64], fraction: f64) -> usize {
    shares.partition_point(|share| *share < fraction).min(shares.len() - 1)
}

/// Surnames that there are.
const NAMES_MAX: usize = NAME_STARTS.len() * NAME_MIDDLES.len() * NAME_ENDS.len();

fn surname(number: u64) -> String {
    // A large step, so that frequent names are not all alike.
    let number = number.wrapping_mul(7_919) % NAMES_MAX as u64;
    let (starts, middles) = (NAME_STARTS.len() as u64, NAME_MIDDLES.len() as u64);
    let start = NAME_STARTS[(number % starts) as usize];
    let middle = NAME_MIDDLES[(number / starts % middles) as usize];
    let end = NAME_ENDS[(number / starts / middles) as usize];
    format!("{start}{middle}{end}")
}

fn town(number: u64) -> String {
    let starts = TOWN_STARTS.len() as u64;
    format!("{}{}", TOWN_STARTS[(number % starts) as usize], TOWN_ENDS[(number / starts) as usize])
}

/// Numbers that look drawn and are the same in every run (SplitMix64).
pub(super) struct Chance(u64);

impl Chance {
    /// A stream of its own for each kind and number.
    #[must_use]
    pub(super) fn of(kind: u64, number: u64) -> Self {
        Self(
            kind.wrapping_mul(0xD134_2543_DE82_EF95)
                ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15)
                ^ 0x5851_F42D,
        )
    }

    /// 64 bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// 0 to `bound`, without it.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.bits() % bound.max(1)
    }

    /// 0 to 1, without it.
    pub(super) fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Normally distributed, mean 0 and variance 1 (Box and Muller 1958).
    pub(super) fn normal(&mut self) -> f32 {
        let (u, v) = (1.0 - self.fraction(), self.fraction());
        ((-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_sentences_of_a_person_and_hardly_ever_the_same() {
        let maker = Maker::new();
        let texts: Vec<String> = (0..20_000).map(|n| maker.statement(n)).collect();
        let different: std::collections::HashSet<&String> = texts.iter().collect();
        assert!(different.len() >= 19_998, "{}", different.len());
        for text in &texts[..200] {
            assert!((30..160).contains(&text.len()) && !text.contains('#'), "{text}");
        }
        assert_eq!(maker.statement(7), Maker::new().statement(7));
    }

    #[test]
    fn a_question_names_what_its_statement_tells() {
        let maker = Maker::new();
        for n in 0..50 {
            let (told, asked) = (maker.statement(n), maker.question(n));
            let words: Vec<&str> = asked.split(' ').filter(|word| word.len() > 4).collect();
            assert!(words.iter().any(|word| told.contains(word.trim_end_matches('?'))), "{told} / {asked}");
        }
    }

    #[test]
    fn vectors_have_length_one_and_questions_lie_near() {
        let maker = Maker::new();
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
        for n in 0..20 {
            let vector = maker.vector(n);
            assert!((dot(&vector, &vector) - 1.0).abs() < 1e-4);
            assert!(dot(&vector, &maker.asking(n)) > 0.7);
        }
        let sizes = maker.groups[0] / (maker.groups[511] - maker.groups[510]);
        assert!(sizes > 100.0, "groups are of skewed sizes: {sizes}");
    }
}
