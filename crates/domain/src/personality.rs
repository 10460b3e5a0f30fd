//! HEXACO personality (Lee and Ashton 2004).

/// Six traits, each 0…1; 0.5 is neutral and changes nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Personality {
    /// Honesty-humility.
    pub honesty: f32,
    /// Emotionality.
    pub emotionality: f32,
    /// Extraversion.
    pub extraversion: f32,
    /// Agreeableness.
    pub agreeableness: f32,
    /// Conscientiousness.
    pub conscientiousness: f32,
    /// Openness.
    pub openness: f32,
}

impl Personality {
    /// Every trait at 0.5.
    pub const NEUTRAL: Self = Self {
        honesty: 0.5,
        emotionality: 0.5,
        extraversion: 0.5,
        agreeableness: 0.5,
        conscientiousness: 0.5,
        openness: 0.5,
    };

    /// Slots of working memory: 7 (Miller 1956), one more when openness is above 0.6, one less when
    /// conscientiousness is; 5 to 9.
    #[must_use]
    pub fn working_memory_slots(&self) -> usize {
        let open = usize::from(self.openness > 0.6);
        let strict = usize::from(self.conscientiousness > 0.6);
        (7 + open - strict).clamp(5, 9)
    }
}

impl Default for Personality {
    fn default() -> Self {
        Self::NEUTRAL
    }
}
