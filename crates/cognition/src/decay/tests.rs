use bethink_domain::Span;
use proptest::prelude::*;

use super::*;

fn lab() -> Decay {
    Decay { profile: Profile::Lab, ..Decay::default() }
}

fn event(importance: f32) -> Vitals {
    Vitals {
        kind: TraceKind::Episodic,
        source: Source::AgentInference,
        importance,
        weight: 1.0,
        stability: Stability::FRESH,
        recorded_at: day(0.0),
        credited_at: None,
        pinned: false,
        flashbulb: false,
        asked: false,
        provisional: false,
    }
}

fn used(vitals: Vitals, uses: u32) -> Vitals {
    Vitals { stability: Stability { uses, ..vitals.stability }, ..vitals }
}

fn day(days: f64) -> Timestamp {
    Timestamp::from_millis(1_750_000_000_000) + Span::from_days(days)
}

#[track_caller]
fn near(got: f32, expected: f32) {
    assert!((got - expected).abs() <= expected.abs().max(0.01) * 1e-4, "got {got}, expected {expected}");
}

#[test]
fn golden_strengths() {
    for decay in [lab(), Decay::default()] {
        near(decay.strength(&event(5.0), day(0.0)), 0.5);
        near(decay.strength(&event(5.0), day(1.0)), 0.358_266);
        near(decay.strength(&event(5.0), day(3.0)), 0.183_940);
    }
    near(lab().strength(&used(event(8.0), 3), day(30.0)), 0.144_017);
}

#[test]
fn golden_stabilities() {
    let expected = [3.0, 5.4, 9.72, 17.496, 31.4928, 56.687, 102.0367, 180.0, 180.0];
    for (uses, days) in expected.into_iter().enumerate() {
        near(lab().stability_days(&used(event(5.0), uses as u32)), days);
    }
    near(lab().stability_days(&used(event(5.0), u32::MAX)), 180.0);
}

#[test]
fn suppression_twenty_times_reaches_its_floor() {
    let suppressed =
        |suppression: f32| Vitals { stability: Stability { suppression, ..Stability::FRESH }, ..event(5.0) };
    near(lab().stability_days(&suppressed(0.5)), 1.5);
    near(lab().stability_days(&suppressed(0.0776)), 0.3);
}

#[test]
fn an_untouched_event_fades_after_a_week() {
    near(lab().fades_at(&event(5.0)).map_or(0.0, |at| at.since(day(0.0)).as_days() as f32), 6.9078);
    assert!(!lab().faded(&event(5.0), day(6.9)));
    assert!(lab().faded(&event(5.0), day(6.92)));
}

#[test]
fn the_curve_is_one_exponential() {
    // The ratio of two days' strengths fits the stability that is shown.
    let decay = Decay::default();
    let strength = |days| decay.strength(&event(5.0), day(days));
    let stability = decay.stability_days(&event(5.0));
    near(strength(7.0) / strength(1.0), (-6.0 / stability).exp());
    near(strength(30.0) / strength(7.0), (-23.0 / stability).exp());
}

#[test]
fn growth_of_one_makes_uses_not_matter() {
    let strengths = |growth| {
        let decay = Decay { config: DecayConfig { growth, ..DecayConfig::default() }, ..lab() };
        [0, 5].map(|uses| decay.strength(&used(event(5.0), uses), day(30.0)))
    };
    let [never, often] = strengths(1.0);
    assert_eq!(never, often);
    let [never, often] = strengths(1.5);
    assert!(often > never);
}

#[test]
fn what_matters_keeps_a_floor_for_ever() {
    let decay = Decay::default();
    let check = |vitals: Vitals, profiles: [bool; 3]| {
        let kept = [Profile::Assistant, Profile::Service, Profile::Lab]
            .map(|profile| Decay { profile, ..decay }.strength(&vitals, day(10_000.0)) >= 0.10);
        assert_eq!(kept, profiles, "{vitals:?}");
    };
    check(event(5.0), [false, false, false]);
    check(event(7.0), [true, false, false]);
    check(event(9.0), [true, true, false]);
    check(Vitals { pinned: true, ..event(1.0) }, [true, true, true]);
    check(Vitals { flashbulb: true, ..event(5.0) }, [true, true, false]);
    check(Vitals { asked: true, ..event(5.0) }, [true, false, false]);
    check(Vitals { provisional: true, ..event(5.0) }, [true, false, false]);
    let fact = Vitals { kind: TraceKind::Semantic, source: Source::UserStatement, ..event(5.0) };
    check(fact, [true, false, false]);
    check(Vitals { source: Source::Reflection, ..fact }, [false, false, false]);
}

#[test]
fn intentions_do_not_fade() {
    let intention = Vitals { kind: TraceKind::Prospective, ..event(5.0) };
    for profile in [Profile::Assistant, Profile::Lab] {
        let decay = Decay { profile, ..Decay::default() };
        near(decay.strength(&intention, day(10_000.0)), 0.5);
        assert_eq!(decay.fades_at(&intention), None);
    }
}

#[test]
fn switched_off_time_does_nothing() {
    let decay = Decay { config: DecayConfig { enabled: false, ..DecayConfig::default() }, ..lab() };
    near(decay.strength(&Vitals { weight: 0.85, ..event(6.0) }, day(10_000.0)), 0.51);
    assert_eq!(decay.fades_at(&event(5.0)), None);
}

#[test]
fn a_time_in_the_future_counts_as_now() {
    near(lab().strength(&event(5.0), day(-400.0)), 0.5);
}

#[test]
fn defaults_are_within_their_ranges() {
    let outside = |config: DecayConfig| config.bounds().iter().filter(|number| !number.holds()).count();
    assert_eq!(outside(DecayConfig::default()), 0);
    assert_eq!(outside(DecayConfig { growth: f64::NAN, kept_floor: 2.0, ..DecayConfig::default() }), 2);
}

fn any_vitals() -> impl Strategy<Value = Vitals> {
    let numbers = (any::<f32>(), any::<f32>(), any::<u32>(), any::<[f32; 3]>());
    let times = (any::<i64>(), proptest::option::of(any::<i64>()));
    (0..5usize, numbers, times, any::<[bool; 4]>()).prop_map(
        |(kind, (importance, weight, uses, [suppression, source, schema]), times, flags)| Vitals {
            kind: TraceKind::ALL[kind],
            source: Source::UserStatement,
            importance,
            weight,
            stability: Stability { uses, suppression, source, schema },
            recorded_at: Timestamp::from_millis(times.0),
            credited_at: times.1.map(Timestamp::from_millis),
            pinned: flags[0],
            flashbulb: flags[1],
            asked: flags[2],
            provisional: flags[3],
        },
    )
}

proptest! {
    #[test]
    fn strength_is_a_fraction_for_any_numbers(vitals in any_vitals(), now in any::<i64>()) {
        for decay in [lab(), Decay::default()] {
            let strength = decay.strength(&vitals, Timestamp::from_millis(now));
            prop_assert!((0.0..=1.0).contains(&strength), "{strength}");
            let stability = decay.stability_days(&vitals);
            prop_assert!((0.0..=180.0).contains(&stability), "{stability}");
        }
    }

    #[test]
    fn strength_never_rises_with_time(vitals in any_vitals(), a in any::<i64>(), b in any::<i64>()) {
        let [early, late] = [a.min(b), a.max(b)].map(Timestamp::from_millis);
        prop_assert!(lab().strength(&vitals, early) >= lab().strength(&vitals, late));
    }

    #[test]
    fn the_fading_instant_is_exact(importance in 0.1f32..12.0, uses in 0u32..9, pinned in any::<bool>()) {
        let vitals = Vitals { pinned, ..used(event(importance), uses) };
        for decay in [lab(), Decay::default()] {
            match decay.fades_at(&vitals) {
                None => prop_assert!(!decay.faded(&vitals, day(1e6))),
                Some(at) => {
                    prop_assert!(decay.faded(&vitals, at));
                    let before = at - Span::from_millis(1);
                    prop_assert!(at.as_millis() == i64::MIN || !decay.faded(&vitals, before));
                }
            }
        }
    }
}
