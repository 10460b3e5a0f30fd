//! Chance as a function of its cause.

use std::hash::{BuildHasher, RandomState};

use bethink_domain::SpaceId;

/// A source of chance. Each draw is a hash of the seed and of what it is for, never the next number of a shared
/// stream, so that switching one mechanism off shifts no other.
#[derive(Debug, Clone, Copy)]
pub struct Entropy {
    seed: u64,
}

impl Entropy {
    /// Replays the same draws for the same seed.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self { seed }
    }

    /// Takes its seed from the operating system.
    #[must_use]
    pub fn system() -> Self {
        // The standard library keys its hash maps from the operating system's randomness.
        Self { seed: RandomState::new().hash_one(0u8) }
    }

    /// 64 bits for the `k`-th draw of `mechanism` because of `cause` in `space`.
    #[must_use]
    pub fn draw(&self, space: &SpaceId, mechanism: &str, cause: u64, k: u64) -> u64 {
        let mut state = mix(self.seed);
        for part in [space.agent.as_str(), space.user.as_str(), mechanism] {
            // The length separates the parts: ("ab", "c") must not equal ("a", "bc").
            state = mix(state ^ part.len() as u64);
            for chunk in part.as_bytes().chunks(8) {
                let mut word = [0u8; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                state = mix(state ^ u64::from_le_bytes(word));
            }
        }
        mix(mix(state ^ cause) ^ k)
    }

    /// A fraction in 0…1, excluding 1, from the same hash as [`Entropy::draw`].
    #[must_use]
    pub fn fraction(&self, space: &SpaceId, mechanism: &str, cause: u64, k: u64) -> f64 {
        (self.draw(space, mechanism, cause, k) >> 11) as f64 / (1u64 << 53) as f64
    }
    /// As [`Entropy::fraction`], for what belongs to no space.
    #[must_use]
    pub fn fraction_of(&self, mechanism: &str, cause: u64, k: u64) -> f64 {
        let named = mechanism.bytes().fold(mix(self.seed), |state, byte| mix(state ^ u64::from(byte)));
        (mix(mix(named ^ cause) ^ k) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014), after adding its constant.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bethink_domain::{AgentName, UserName};

    fn space(agent: &str, user: &str) -> SpaceId {
        SpaceId { agent: AgentName::new(agent).unwrap(), user: UserName::new(user).unwrap() }
    }

    #[test]
    fn a_draw_depends_on_each_of_its_causes_and_on_nothing_else() {
        let chance = Entropy::seeded(7);
        let first = chance.draw(&space("ab", "c"), "gist", 1, 0);
        assert_eq!(first, Entropy::seeded(7).draw(&space("ab", "c"), "gist", 1, 0));
        for other in [
            chance.draw(&space("a", "bc"), "gist", 1, 0),
            chance.draw(&space("ab", "c"), "decay", 1, 0),
            chance.draw(&space("ab", "c"), "gist", 2, 0),
            chance.draw(&space("ab", "c"), "gist", 1, 1),
            Entropy::seeded(8).draw(&space("ab", "c"), "gist", 1, 0),
        ] {
            assert_ne!(first, other);
        }
    }

    #[test]
    fn fractions_spread_evenly() {
        let chance = Entropy::seeded(1);
        let mean = (0..10_000).map(|k| chance.fraction(&space("a", "b"), "m", 0, k)).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        let mean = (0..10_000).map(|k| chance.fraction_of("m", 0, k)).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
    }
}
