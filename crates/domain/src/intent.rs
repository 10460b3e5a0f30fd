//! What a message asks of memory.

use std::borrow::Cow;

/// What a message needs, in the order of priority in which rules decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Intent {
    /// A question about the user's own past, things or people.
    Memory,
    /// Analysis or comparison.
    Reasoning,
    /// Greetings and acknowledgements alone.
    SmallTalk,
    /// Everything else.
    General,
}

impl Intent {
    /// The word used in output and benchmarks: `memory`, `reasoning`, `small_talk`, `general`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Reasoning => "reasoning",
            Self::SmallTalk => "small_talk",
            Self::General => "general",
        }
    }

    /// Reads what [`Intent::name`] writes.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Memory, Self::Reasoning, Self::SmallTalk, Self::General].into_iter().find(|i| i.name() == name)
    }
}

/// An intent and what decided it.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The intent.
    pub intent: Intent,
    /// The rule or classifier that fired, such as `phrase "do i"` or `prototype 0.61`.
    pub rule: Cow<'static, str>,
}

/// What kind of act a message is, as far as a reply must treat it differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// Asks something.
    Question,
    /// Asks for something to be done.
    Request,
    /// Tells something.
    Statement,
    /// Asks for something to be remembered word for word.
    StoreRequest,
    /// Asks to forget something; nothing is deleted without the user's own choice.
    ForgetRequest,
    /// Says that the last reply was wrong.
    Correction,
    /// Asks to be reminded in the future.
    Intention,
    /// Asks for all that is known about the user.
    Overview,
    /// Greets, thanks, acknowledges.
    SmallTalk,
}

impl Purpose {
    /// The word used in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Request => "request",
            Self::Statement => "statement",
            Self::StoreRequest => "store_request",
            Self::ForgetRequest => "forget_request",
            Self::Correction => "correction",
            Self::Intention => "intention",
            Self::Overview => "overview",
            Self::SmallTalk => "small_talk",
        }
    }
}
