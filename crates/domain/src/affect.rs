//! The feeling that a trace carries.

/// Valence, arousal and dominance (Mehrabian and Russell 1974).
///
/// Invariant: every part finite; valence and dominance in −1…1, arousal in 0…1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Affect {
    valence: f32,
    arousal: f32,
    dominance: f32,
}

impl Affect {
    /// No feeling at all.
    pub const NEUTRAL: Self = Self { valence: 0.0, arousal: 0.0, dominance: 0.0 };

    /// Clamps the parts into their ranges; what is not a number counts as 0.
    #[must_use]
    pub fn new(valence: f32, arousal: f32, dominance: f32) -> Self {
        let within = |value: f32, low: f32| if value.is_nan() { 0.0 } else { value.clamp(low, 1.0) };
        Self {
            valence: within(valence, -1.0),
            arousal: within(arousal, 0.0),
            dominance: within(dominance, -1.0),
        }
    }

    /// Unpleasant −1 to pleasant 1.
    #[must_use]
    pub fn valence(self) -> f32 {
        self.valence
    }

    /// Calm 0 to excited 1.
    #[must_use]
    pub fn arousal(self) -> f32 {
        self.arousal
    }

    /// Controlled −1 to in control 1.
    #[must_use]
    pub fn dominance(self) -> f32 {
        self.dominance
    }

    /// Emotional intensity, |valence| · arousal, 0…1.
    #[must_use]
    pub fn intensity(self) -> f32 {
        self.valence.abs() * self.arousal
    }
}
