//! Inner loops of recall and of a commit.
//!
//! ```text
//! cargo bench -p bethink-memory-store
//! ```

use std::sync::Arc;

use bethink_clock::Entropy;
use bethink_domain::{AgentName, Cue, Draft, EmbedderIdentity, SpaceId, Timestamp, UnitVector, UserName};
use bethink_memory_store::{
    RecallSettings, Snapshot, StoreConfig, StoreSlot, append, inner, recall, space_path,
};
use bethink_protocol::Remember;
use divan::{Bencher, black_box};

/// Components of a vector, as those of the embedded model.
const DIMENSIONS: u16 = 384;
/// Some time.
const NOW: Timestamp = Timestamp::from_millis(1_780_272_000_000);
/// An ordinary statement.
const TEXT: &str = "My grandmother Ida lives at 14 Harrow Street in Otterwick, above the old clock shop.";

fn main() {
    divan::main();
}

/// Vectors that look drawn and are the same in every run.
fn vector(n: u64) -> UnitVector {
    let value = |k: u64| {
        let mixed = (n * 1_000 + k + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((mixed >> 40) as f32) / 8_388_608.0 - 1.0
    };
    UnitVector::new((0..u64::from(DIMENSIONS)).map(value).collect()).expect("because it has a direction")
}

fn statement(n: u64) -> Remember {
    let text = format!("Box {n} with the {} lamp stands on shelf {} of the cellar.", n % 97, n * 7 % 1_000);
    Remember { draft: Draft { embedding: Some(vector(n)), ..Draft::asked(text, NOW) }, at: NOW }
}

/// A space of its own in a directory that goes with it.
struct Scene {
    _dir: tempfile::TempDir,
    slot: StoreSlot,
    snapshot: Arc<Snapshot>,
}

impl Scene {
    fn of(count: u64) -> Self {
        let dir = tempfile::tempdir().expect("because there is room for a file");
        let name = "because the name is short and printable";
        let space =
            SpaceId { agent: AgentName::new("bench").expect(name), user: UserName::new("me").expect(name) };
        let identity =
            EmbedderIdentity { model: "made-up".into(), dimensions: DIMENSIONS, revision: "1".into() };
        let path = space_path(dir.path(), &space);
        let slot = StoreSlot::open(&path, &space, Some(&identity), NOW, 4 << 20);
        let slot = slot.expect("because the directory is empty");
        let snapshot = Snapshot::load(&slot, &StoreConfig::default()).expect("because the space is empty");
        let mut scene = Self { _dir: dir, slot, snapshot: Arc::new(snapshot) };
        for first in (0..count).step_by(1_000) {
            scene.append((first..count.min(first + 1_000)).map(statement).collect());
        }
        scene
    }

    fn append(&mut self, statements: Vec<Remember>) {
        let config = StoreConfig::default();
        let done = append(&self.slot, &self.snapshot, statements, Entropy::seeded(1), &config);
        self.snapshot = done.expect("because the disk has room").snapshot;
    }

    fn recall(&self, cue: &Cue) -> usize {
        recall(&self.snapshot, cue, RecallSettings::default()).traces.len()
    }
}

#[divan::bench]
fn int8_dot(bencher: Bencher<'_, '_>) {
    let rows = inner::Rows::new(&[vector(1)]);
    bencher.bench_local(|| black_box(&rows).nearest());
}

#[divan::bench]
fn int8_dot_of_ten_thousand(bencher: Bencher<'_, '_>) {
    let rows = inner::Rows::new(&(0..10_000).map(vector).collect::<Vec<_>>());
    bencher.bench_local(|| black_box(&rows).nearest());
}

#[divan::bench]
fn quantise(bencher: Bencher<'_, '_>) {
    let vector = vector(1);
    bencher.bench_local(|| inner::quantise(black_box(&vector)));
}

#[divan::bench]
fn tokens_of_a_statement() -> usize {
    inner::tokens(black_box(TEXT))
}

#[divan::bench]
fn recall_by_meaning_among_ten_thousand(bencher: Bencher<'_, '_>) {
    let scene = Scene::of(10_000);
    let cue = Cue { embedding: Some(vector(77)), ..Cue::new("", NOW) };
    bencher.bench_local(|| scene.recall(black_box(&cue)));
}

#[divan::bench]
fn recall_by_words_among_ten_thousand(bencher: Bencher<'_, '_>) {
    let scene = Scene::of(10_000);
    let cue = Cue::new("Which box with the 12 lamp stands on shelf 84?", NOW);
    bencher.bench_local(|| scene.recall(black_box(&cue)));
}

#[divan::bench(args = [1, 64], sample_count = 50, sample_size = 1)]
fn commit_among_ten_thousand(bencher: Bencher<'_, '_>, statements: u64) {
    let mut scene = Scene::of(10_000);
    let mut next = 1_000_000;
    bencher.bench_local(|| {
        scene.append((next..next + statements).map(statement).collect());
        next += statements;
    });
}
