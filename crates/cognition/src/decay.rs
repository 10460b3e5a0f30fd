//! Strength and stability: how memories fade, and what time alone cannot fade (Ebbinghaus 1885).
//!
//! This is the only place that computes either, so that every surface shows the same numbers.

use bethink_domain::{Bounded, Source, Stability, Timestamp, Trace, TraceKind};
use serde::Deserialize;

#[cfg(test)]
mod tests;

/// Base stability in the *lab* profile, in days, for every kind: the published model's bare number.
const LAB_STABILITY_DAYS: f64 = 3.0;
/// From this importance on, only *lab* lets a trace fade.
const IMPORTANCE_ALWAYS_KEPT: f32 = 9.0;
/// From this importance on, *assistant* keeps a trace.
const IMPORTANCE_KEPT: f32 = 7.0;
/// Milliseconds in a day.
const DAY_MS: f64 = 86_400_000.0;
/// A span beyond any life, 6 million years: what has not faded by then never will.
const NEVER_MS: i64 = 200_000_000_000_000_000;

/// What is kept from fading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Keeps what a person would be sorry to see forgotten: what was asked to be kept, stated facts, what matters.
    #[default]
    Assistant,
    /// Keeps only what is pinned, burnt in or of the highest importance.
    Service,
    /// The published model's numbers bare: three days for every kind, nothing kept but what is pinned.
    Lab,
}

impl Profile {
    /// The word used in configuration and output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Assistant => "assistant",
            Self::Service => "service",
            Self::Lab => "lab",
        }
    }
}

/// Stability of a fresh trace of each kind, in days, 0.1 to 3650.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BaseStability {
    /// Events, 3: an untouched one of middling importance fades within a week.
    pub episodic: f64,
    /// Facts, 30: they hold ten times as long as the event at which they were learnt.
    pub semantic: f64,
    /// Skills and ways of dealing, 60: habits outlast facts.
    pub procedural: f64,
    /// Bonds and trust, 30: as facts.
    pub relational: f64,
}

impl Default for BaseStability {
    fn default() -> Self {
        Self { episodic: 3.0, semantic: 30.0, procedural: 60.0, relational: 30.0 }
    }
}

/// Parameters of fading.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DecayConfig {
    /// Whether time weakens memories at all. Off, strength is weight · importance / 10 for ever.
    pub enabled: bool,
    /// Factor by which each credited use multiplies stability, 1 to 10. At 1, uses do not matter; 1.8 is the
    /// published model's.
    pub growth: f64,
    /// Longest stability in days, 1 to 3650. At 180, even what is used daily fades within years of disuse.
    pub stability_max_days: f64,
    /// Stability of a fresh trace of each kind.
    pub stability_days: BaseStability,
    /// Strength below which a trace counts as faded, 0 to 1. At 0.05, retrieval could hardly reach it any more.
    pub faded_below: f64,
    /// Least strength of a trace that is kept, 0 to 1. Above the fading line, so that what is kept stays within
    /// recall.
    pub kept_floor: f64,
}

impl Default for DecayConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            growth: 1.8,
            stability_max_days: 180.0,
            stability_days: BaseStability::default(),
            faded_below: 0.05,
            kept_floor: 0.10,
        }
    }
}

impl DecayConfig {
    /// The numbers, and what they may be.
    #[must_use]
    pub fn bounds(&self) -> Vec<Bounded> {
        let base = &self.stability_days;
        vec![
            Bounded::new("growth", self.growth, 1.0, 10.0),
            Bounded::new("stability_max_days", self.stability_max_days, 1.0, 3_650.0),
            Bounded::new("stability_days.episodic", base.episodic, 0.1, 3_650.0),
            Bounded::new("stability_days.semantic", base.semantic, 0.1, 3_650.0),
            Bounded::new("stability_days.procedural", base.procedural, 0.1, 3_650.0),
            Bounded::new("stability_days.relational", base.relational, 0.1, 3_650.0),
            Bounded::new("faded_below", self.faded_below, 0.0, 1.0),
            Bounded::new("kept_floor", self.kept_floor, 0.0, 1.0),
        ]
    }
}

/// The numbers of a trace that its strength depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vitals {
    /// Kind of memory.
    pub kind: TraceKind,
    /// Where it comes from.
    pub source: Source,
    /// 1…10.
    pub importance: f32,
    /// Encoding weight.
    pub weight: f32,
    /// Factors of stability.
    pub stability: Stability,
    /// When it was stored.
    pub recorded_at: Timestamp,
    /// When it was last credited.
    pub credited_at: Option<Timestamp>,
    /// Kept by the user's wish.
    pub pinned: bool,
    /// Burnt in by strong feeling.
    pub flashbulb: bool,
    /// Stored on explicit request.
    pub asked: bool,
    /// Waiting to be distilled.
    pub provisional: bool,
}

impl From<&Trace> for Vitals {
    fn from(trace: &Trace) -> Self {
        Self {
            kind: trace.kind,
            source: trace.source,
            importance: trace.importance,
            weight: trace.weight,
            stability: trace.stability,
            recorded_at: trace.recorded_at,
            credited_at: trace.credited_at,
            pinned: trace.pinned,
            flashbulb: trace.flashbulb,
            asked: trace.asked,
            provisional: trace.provisional,
        }
    }
}

/// The rules of fading in force: parameters and profile.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Decay {
    /// Parameters.
    pub config: DecayConfig,
    /// What is kept.
    pub profile: Profile,
}

impl Decay {
    /// How alive a trace is, 0…1: weight · importance / 10 · e^(−days / stability), counted from the last credit,
    /// else from when it was recorded; not below the kept floor for what is kept.
    ///
    /// Never rises with time. A time before the trace was recorded counts as that moment.
    #[must_use]
    pub fn strength(&self, vitals: &Vitals, now: Timestamp) -> f32 {
        self.strength_exact(vitals, now) as f32
    }

    /// Days after which an untouched trace has 1/e of its strength left:
    /// min(max, min(base · growthⁿ, max) · suppression · source · schema).
    #[must_use]
    pub fn stability_days(&self, vitals: &Vitals) -> f32 {
        self.stability_exact(vitals) as f32
    }

    /// Why time alone cannot fade a trace, if so.
    #[must_use]
    pub fn kept(&self, vitals: &Vitals) -> Option<&'static str> {
        if vitals.pinned {
            return Some("pinned");
        }
        if self.profile == Profile::Lab {
            return None;
        }
        if vitals.flashbulb {
            return Some("burnt in");
        }
        if vitals.importance >= IMPORTANCE_ALWAYS_KEPT {
            return Some("important");
        }
        if self.profile == Profile::Service {
            return None;
        }
        self.kept_by_assistant(vitals)
    }

    /// Whether strength is below the fading line. Intentions do not fade.
    #[must_use]
    pub fn faded(&self, vitals: &Vitals, now: Timestamp) -> bool {
        vitals.kind != TraceKind::Prospective && self.strength_exact(vitals, now) < self.config.faded_below
    }

    /// The first instant from which the trace counts as faded if nothing touches it; none when time cannot fade it.
    ///
    /// Agrees with [`Decay::faded`] to the millisecond, so that a scan needs to compare two numbers only.
    #[must_use]
    pub fn fades_at(&self, vitals: &Vitals) -> Option<Timestamp> {
        if vitals.kind == TraceKind::Prospective {
            return None;
        }
        let curve = self.curve(vitals);
        let start_ms = clock_start(vitals).as_millis();
        let faded = |ms: i64| curve.after(ms as f64 / DAY_MS) < self.config.faded_below;
        if faded(0) {
            return Some(Timestamp::from_millis(i64::MIN));
        }
        if !faded(NEVER_MS) {
            return None;
        }
        // Algebra gives the crossing but for rounding; strength never rises, so halving finds it exactly.
        let days = curve.stability_days * (curve.fresh / self.config.faded_below).ln();
        let guess_ms = (days * DAY_MS) as i64;
        let (near_low, near_high) = (guess_ms.saturating_sub(4), guess_ms.saturating_add(4).min(NEVER_MS));
        let mut low = if near_low > 0 && !faded(near_low) { near_low } else { 0 };
        let mut high = if near_high > low && faded(near_high) { near_high } else { NEVER_MS };
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if faded(middle) { high = middle } else { low = middle }
        }
        Some(Timestamp::from_millis(start_ms.saturating_add(high)))
    }

    fn kept_by_assistant(&self, vitals: &Vitals) -> Option<&'static str> {
        let lasting =
            matches!(vitals.kind, TraceKind::Semantic | TraceKind::Procedural | TraceKind::Relational);
        if vitals.asked {
            Some("remembered on request")
        } else if vitals.importance >= IMPORTANCE_KEPT {
            Some("important")
        } else if lasting && vitals.source == Source::UserStatement {
            Some("stated by the user")
        } else if vitals.provisional {
            Some("waiting to be distilled")
        } else {
            None
        }
    }

    fn strength_exact(&self, vitals: &Vitals, now: Timestamp) -> f64 {
        self.curve(vitals).after(now.since(clock_start(vitals)).as_days())
    }

    fn curve(&self, vitals: &Vitals) -> Curve {
        let product = finite(f64::from(vitals.weight)) * finite(f64::from(vitals.importance)) / 10.0;
        let floor = if self.kept(vitals).is_some() { within(self.config.kept_floor, 0.0, 1.0) } else { 0.0 };
        let still = !self.config.enabled || vitals.kind == TraceKind::Prospective;
        Curve {
            fresh: within(product, 0.0, 1.0),
            stability_days: if still { f64::INFINITY } else { self.stability_exact(vitals) },
            floor: if still { 0.0 } else { floor },
        }
    }

    fn stability_exact(&self, vitals: &Vitals) -> f64 {
        let max = finite(self.config.stability_max_days).max(0.0);
        let factors = vitals.stability;
        let uses = i32::try_from(factors.uses).unwrap_or(i32::MAX);
        let grown = self.base_days(vitals.kind) * finite(self.config.growth).max(0.0).powi(uses);
        let suppression = within(f64::from(factors.suppression), 0.1, 1.0);
        let source = within(f64::from(factors.source), 0.0, 1.0);
        let schema = within(f64::from(factors.schema), 0.0, 2.0);
        finite(grown.min(max) * suppression * source * schema).min(max)
    }

    fn base_days(&self, kind: TraceKind) -> f64 {
        if self.profile == Profile::Lab {
            return LAB_STABILITY_DAYS;
        }
        let base = &self.config.stability_days;
        let days = match kind {
            TraceKind::Episodic => base.episodic,
            TraceKind::Semantic => base.semantic,
            TraceKind::Procedural => base.procedural,
            // An intention does not fade; once done it is an episode.
            TraceKind::Prospective => base.episodic,
            TraceKind::Relational => base.relational,
        };
        finite(days).max(0.0)
    }
}

/// The forgetting curve of one trace.
struct Curve {
    fresh: f64,
    stability_days: f64,
    floor: f64,
}

impl Curve {
    fn after(&self, days: f64) -> f64 {
        (self.fresh * retention(days, self.stability_days)).max(self.floor)
    }
}

/// Since when a trace fades.
fn clock_start(vitals: &Vitals) -> Timestamp {
    vitals.credited_at.unwrap_or(vitals.recorded_at)
}

/// Share that is left after some days: e^(−days / stability).
fn retention(days: f64, stability_days: f64) -> f64 {
    if days <= 0.0 {
        1.0
    } else if stability_days <= 0.0 {
        0.0
    } else {
        (-days / stability_days).exp()
    }
}

/// What is not a number counts as nothing.
fn finite(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value }
}

fn within(value: f64, low: f64, high: f64) -> f64 {
    finite(value).clamp(low, high)
}
