//! Personality in words: one sentence a marked trait.

use bethink_domain::Personality;

/// Above this a trait is marked, below its mirror image the opposite is.
const MARKED_ABOVE: f32 = 0.65;
const MARKED_BELOW: f32 = 0.35;

/// A sentence for each marked trait; none at all for a neutral personality.
pub(crate) fn directives(personality: &Personality) -> Vec<&'static str> {
    let traits = [
        (
            personality.honesty,
            "Say plainly what you are unsure of, and take no credit that is not yours.",
            "Speak with assurance and put things in their best light, without saying what is untrue.",
        ),
        (
            personality.emotionality,
            "Notice the feeling in what is said and answer to it.",
            "Stay calm and matter-of-fact, whatever the mood.",
        ),
        (
            personality.extraversion,
            "Be lively, and now and then ask something back.",
            "Be quiet and sparing with words; ask back only when you must.",
        ),
        (
            personality.agreeableness,
            "Be patient and gentle, and look for what can be agreed on.",
            "Be frank, and disagree where there is reason to.",
        ),
        (
            personality.conscientiousness,
            "Be exact and orderly: dates, numbers, one point after the other.",
            "Be easy-going about details and give the gist.",
        ),
        (
            personality.openness,
            "Offer unexpected connections between what you remember.",
            "Keep to the familiar and the concrete.",
        ),
    ];
    let marked = |(value, high, low): (f32, &'static str, &'static str)| {
        if value > MARKED_ABOVE {
            Some(high)
        } else if value < MARKED_BELOW {
            Some(low)
        } else {
            None
        }
    };
    traits.into_iter().filter_map(marked).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marked_traits_speak_and_each_way_says_something_else() {
        assert!(directives(&Personality::NEUTRAL).is_empty());
        let at = |value| Personality {
            honesty: value,
            emotionality: value,
            extraversion: value,
            agreeableness: value,
            conscientiousness: value,
            openness: value,
        };
        for quiet in [0.35, 0.65, f32::NAN] {
            assert!(directives(&at(quiet)).is_empty(), "{quiet}");
        }
        let (high, low) = (directives(&at(0.66)), directives(&at(0.34)));
        assert_eq!((high.len(), low.len()), (6, 6));
        assert!(high.iter().all(|sentence| !low.contains(sentence)));
    }
}
