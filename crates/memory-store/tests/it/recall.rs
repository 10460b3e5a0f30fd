//! Which traces a cue brings, and in which order.

use std::sync::Arc;

use bethink_clock::Entropy;
use bethink_domain::{Cue, Draft, Recollection, Source, TraceId, TraceKind};
use bethink_memory_store::{RecallSettings, Snapshot, append, recall};
use bethink_protocol::Remember;

use crate::harness::{World, cue, day, draft, hashed, ids};

/// A snapshot that holds these texts, and their ids.
fn holding(world: &World, drafts: Vec<Draft>) -> (Arc<Snapshot>, Vec<TraceId>) {
    let slot = world.open().expect("because it is new");
    let base = Arc::new(Snapshot::load(&slot, &world.config).expect("because it is sound"));
    let with_vector = |draft: Draft| Draft { embedding: hashed(&draft.text), ..draft };
    let statements: Vec<Remember> =
        drafts.into_iter().map(|draft| Remember { draft: with_vector(draft), at: day(0.0) }).collect();
    let stored =
        append(&slot, &base, statements, Entropy::seeded(1), &world.config).expect("because there is room");
    let ids = stored.results.into_iter().map(|result| result.expect("because it is sound").id).collect();
    (stored.snapshot, ids)
}

fn look(snapshot: &Snapshot, cue: &Cue) -> Recollection {
    recall(snapshot, cue, RecallSettings { threshold: 0.3, ..RecallSettings::default() })
}

#[test]
fn a_higher_threshold_only_takes_away() {
    let world = World::new();
    let drafts =
        (0..600).map(|n| draft(&format!("Note {n} about topic{} and place{}", n % 7, n % 31))).collect();
    let (snapshot, stored) = holding(&world, drafts);
    let mut last: Option<Vec<TraceId>> = None;
    for step in 0..=20 {
        let threshold = Some(step as f32 / 20.0);
        let found =
            ids(&look(&snapshot, &Cue { threshold, k: 100, ..cue("What about topic3 at place17?", 1.0) }));
        if let Some(last) = &last {
            assert!(found.iter().all(|id| last.contains(id)), "at {step}");
        }
        last = Some(found);
    }
    // The cue is the text itself: first, whatever the threshold.
    let own = look(&snapshot, &Cue { threshold: Some(1.0), ..cue("Note 3 about topic3 and place3", 1.0) });
    assert_eq!(own.traces[0].id, stored[3]);
    assert!(own.traces[0].relevance > 0.99);
}

#[test]
fn odd_limits_are_clamped() {
    let world = World::new();
    let drafts = (0..300).map(|n| draft(&format!("The kettle number{n} whistles"))).collect();
    let (snapshot, _) = holding(&world, drafts);
    for (k, expected) in [(0, 0), (1, 1), (100, 100), (usize::MAX, 100)] {
        let found = look(&snapshot, &Cue { k, threshold: Some(0.0), ..cue("kettle whistles", 1.0) });
        assert_eq!(found.traces.len(), expected, "k {k}");
    }
    for threshold in [f32::NAN, f32::INFINITY, -1.0] {
        let _ = look(&snapshot, &Cue { threshold: Some(threshold), ..cue("kettle whistles", 1.0) });
    }
}

#[test]
fn odd_cues_do_no_harm() {
    let world = World::new();
    let (snapshot, _) = holding(&world, vec![draft("The kettle whistles")]);
    let long = "固😀é👨‍👩‍👧क्षि".repeat(400);
    for n in 0..64 {
        let text = format!("{}{long}", "a".repeat(n));
        let _ = look(&snapshot, &Cue::new(text, day(0.0)));
    }
    for text in ["", " ", "\0", "?!", &"word ".repeat(2_000_000)] {
        let _ = look(&snapshot, &Cue::new(text, day(0.0)));
    }
}

#[test]
fn the_same_text_is_said_once() {
    let world = World::new();
    let event = |text: &str| Draft { kind: TraceKind::Episodic, ..draft(text) };
    let inferred = |text: &str| Draft { source: Source::AgentInference, ..draft(text) };
    let text = "The boiler was serviced by Ruth Okafor";
    let (snapshot, _) = holding(&world, vec![draft(text), event(text), inferred(text)]);
    assert_eq!(snapshot.len(), 3);
    assert_eq!(look(&snapshot, &cue("Who serviced the boiler?", 1.0)).traces.len(), 1);
}

#[test]
fn everything_is_found_among_many() {
    let world = World::new();
    let drafts = (0..1_000).map(|n| draft(&format!("Locker{n} belongs to member{}", n * 7))).collect();
    let (snapshot, stored) = holding(&world, drafts);
    for (n, id) in stored.iter().enumerate() {
        let found = look(&snapshot, &cue(&format!("locker{n} belongs to member{}", n * 7), 1.0));
        assert_eq!(found.traces.first().map(|trace| trace.id), Some(*id), "locker{n}");
    }
}

#[test]
fn what_matters_is_found_after_years() {
    let world = World::new();
    let drafts =
        (0..20).map(|n| Draft { importance: 9.0, ..draft(&format!("Rule{n} guards gate{n}")) }).collect();
    let (snapshot, stored) = holding(&world, drafts);
    for (n, id) in stored.iter().enumerate() {
        let found = look(&snapshot, &cue(&format!("rule{n} guards gate{n}"), 240.0));
        assert_eq!(found.traces[0].id, *id);
        assert!(found.traces[0].strength >= 0.10);
    }
}
