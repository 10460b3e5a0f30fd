//! Ids and names.
//!
//! Ids of things in a space are 64 bits: milliseconds since 2020 in the upper 44, chance in the lower 20. They grow
//! with time, so that stored keys grow too, and are unique within their space because its one writer never issues an
//! id that is not above the last. People see 13 characters of Crockford's base 32.

use std::fmt;
use std::str::FromStr;

use crate::time::Timestamp;

/// 2020-01-01T00:00:00Z in milliseconds since 1970: the zero of ids. 44 bits reach to the year 2577.
const ID_EPOCH_MS: i64 = 1_577_836_800_000;
/// Bits of chance below the time.
const CHANCE_BITS: u32 = 20;
/// Crockford's alphabet, lower case: no i, l, o, u.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Characters of an id in text: ⌈64 / 5⌉.
const TEXT_LEN: usize = 13;

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an id: 13 letters and digits, as `bethink memory list` prints them")]
pub struct IdFault(pub String);

fn compose(at: Timestamp, chance: u64, above: u64) -> u64 {
    let ms = at.as_millis().saturating_sub(ID_EPOCH_MS).clamp(0, (1 << 44) - 1) as u64;
    let fresh = (ms << CHANCE_BITS) | (chance & ((1 << CHANCE_BITS) - 1));
    fresh.max(above.saturating_add(1))
}

fn write_id(value: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut text = [0u8; TEXT_LEN];
    for (place, byte) in text.iter_mut().enumerate() {
        let shift = 5 * (TEXT_LEN - 1 - place) as u32;
        *byte = ALPHABET[((value >> shift) & 31) as usize];
    }
    f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
}

fn read_id(text: &str) -> Result<u64, IdFault> {
    let fault = || IdFault(text.chars().take(40).collect());
    if text.len() != TEXT_LEN {
        return Err(fault());
    }
    let mut value: u64 = 0;
    for byte in text.bytes() {
        let digit = ALPHABET.iter().position(|&c| c == byte.to_ascii_lowercase()).ok_or_else(fault)?;
        value = value.checked_mul(32).and_then(|v| v.checked_add(digit as u64)).ok_or_else(fault)?;
    }
    Ok(value)
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u64);

        impl $name {
            /// Makes an id from a time and 20 bits of chance, always above `above` (the last one issued, or 0).
            #[must_use]
            pub fn compose(at: Timestamp, chance: u64, above: u64) -> Self {
                Self(compose(at, chance, above))
            }

            /// Returns the id that a stored key stands for.
            #[must_use]
            pub fn from_raw(raw: u64) -> Self {
                Self(raw)
            }

            /// Returns the number that is stored as key.
            #[must_use]
            pub fn raw(self) -> u64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_id(self.0, f)
            }
        }

        impl FromStr for $name {
            type Err = IdFault;

            fn from_str(text: &str) -> Result<Self, IdFault> {
                read_id(text).map(Self)
            }
        }
    };
}

id! {
    /// A remembered thing.
    TraceId
}
id! {
    /// One user message and its reply.
    TurnId
}
id! {
    /// A run of turns through one door.
    SessionId
}
id! {
    /// One recall that may change memory.
    RecallId
}

/// Longest agent or user name, in bytes. File names are made of them, and file systems stop at 255 bytes.
pub const NAME_BYTES_MAX: usize = 128;

/// Why a text is not a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameFault {
    /// Nothing, or white space alone.
    #[error("a name cannot be empty")]
    Empty,
    /// Longer than [`NAME_BYTES_MAX`].
    #[error("a name can have at most {NAME_BYTES_MAX} bytes")]
    TooLong,
    /// A control character, which no terminal shows.
    #[error("a name cannot hold control characters")]
    Control,
}

fn checked(text: &str) -> Result<Box<str>, NameFault> {
    if text.trim().is_empty() {
        return Err(NameFault::Empty);
    }
    if text.len() > NAME_BYTES_MAX {
        return Err(NameFault::TooLong);
    }
    if text.chars().any(char::is_control) {
        return Err(NameFault::Control);
    }
    Ok(text.into())
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        ///
        /// Invariant: not blank, at most [`NAME_BYTES_MAX`] bytes, no control characters.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Box<str>);

        impl $name {
            /// Checks and wraps a name.
            ///
            /// # Errors
            /// A [`NameFault`] that says what is wrong with it.
            pub fn new(text: &str) -> Result<Self, NameFault> {
                checked(text).map(Self)
            }

            /// Returns the name as given.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = NameFault;

            fn from_str(text: &str) -> Result<Self, NameFault> {
                Self::new(text)
            }
        }
    };
}

name! {
    /// A configured persona.
    AgentName
}
name! {
    /// The person that an agent talks with.
    UserName
}

/// The memory of one agent about one user: the unit of isolation, ordering, storage and deletion.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpaceId {
    /// Whose memory it is.
    pub agent: AgentName,
    /// Whom it is about.
    pub user: UserName,
}

impl fmt::Display for SpaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.agent, self.user)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_id_survives_its_text(raw in any::<u64>()) {
            let id = TraceId::from_raw(raw);
            prop_assert_eq!(id.to_string().parse::<TraceId>(), Ok(id));
        }

        #[test]
        fn a_new_id_is_above_the_last(ms in any::<i64>(), chance in any::<u64>(), above in 0..u64::MAX) {
            prop_assert!(TraceId::compose(Timestamp::from_millis(ms), chance, above).raw() > above);
        }

        #[test]
        fn no_text_panics(text in ".*") {
            let _ = text.parse::<TraceId>();
            let _ = UserName::new(&text);
        }
    }

    #[test]
    fn hostile_names_are_refused() {
        for (name, fault) in [("", NameFault::Empty), (" \t", NameFault::Empty), ("a\0b", NameFault::Control)]
        {
            assert_eq!(UserName::new(name), Err(fault), "{name:?}");
        }
        assert_eq!(UserName::new(&"x".repeat(5_000)), Err(NameFault::TooLong));
    }
}
