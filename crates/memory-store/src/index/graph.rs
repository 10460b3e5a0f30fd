//! A graph of near neighbours over the vectors of a segment (Malkov and Yashunin 2016), in which a search looks at some
//! hundreds of them instead of all.
//!
//! Its points are the very rows that the snapshot holds, so that the graph itself keeps and stores nothing but links.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use instant_distance::{Builder, Heuristic, Hnsw, Point, Search};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::bytes::{Reader, put_u32};
use crate::snapshot::Vectors;
use crate::vector::{QuantisedVector, dot};

/// Rows that a search finds at most: what the longest list needs. Of the ten nearest it misses less than one in a
/// hundred.
pub(crate) const NEAREST: usize = 128;
/// Neighbours that are considered for a new point. With 100 the graph of 100,000 points takes some 20 s of one
/// processor, and more finds hardly more.
const CONSIDERED: usize = 100;
/// So that the same vectors give the same graph.
const SEED: u64 = 0xBE71_11F0;
/// Search states that are kept for the next searches; each is a byte a point.
const IDLE_MAX: usize = 4;

/// A row of the snapshot as a point.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) vectors: Arc<Vectors>,
    pub(crate) row: u8,
}

impl Node {
    /// A point of its own, to search by.
    fn of(vector: &QuantisedVector) -> Self {
        Self { vectors: Arc::new(Vectors::of(vector)), row: 0 }
    }
}

impl Point for Node {
    fn distance(&self, other: &Self) -> f32 {
        let (a, a_scale) = self.vectors.raw(self.row);
        let (b, b_scale) = other.vectors.raw(other.row);
        1.0 - dot(a, b) as f32 * a_scale * b_scale
    }
}

/// A point while the graph is being built, which ends everything once it is called off.
#[derive(Clone)]
struct Building {
    node: Node,
    off: Arc<AtomicBool>,
}

/// What unwinds out of a build that was called off.
struct CalledOff;

impl Point for Building {
    fn distance(&self, other: &Self) -> f32 {
        if self.off.load(Ordering::Relaxed) {
            // The one way out of a build; it is no failure, so no hook tells of it.
            resume_unwind(Box::new(CalledOff));
        }
        self.node.distance(&other.node)
    }
}

// Only the links are written; points are the rows again when it is read.
impl Serialize for Building {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

thread_local! {
    /// The points of the graph that this thread reads, last first: deserialising hands nothing else through.
    static POINTS: RefCell<Vec<Node>> = const { RefCell::new(Vec::new()) };
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <()>::deserialize(deserializer)?;
        let next = POINTS.with(|points| points.borrow_mut().pop());
        next.ok_or_else(|| D::Error::custom("a graph with more points than rows"))
    }
}

/// Which rows the points are.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rows {
    /// Of each point, the row counted from the segment's first.
    of_point: Box<[u32]>,
    /// Further rows with the very vector of a point, ascending by point. Each would be a point that hides others.
    twins: Box<[(u32, u32)]>,
}

/// See the module.
pub(crate) struct Graph {
    hnsw: Hnsw<Node>,
    rows: Rows,
    idle: Mutex<Vec<Search>>,
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Graph").field("points", &self.rows.of_point.len()).finish_non_exhaustive()
    }
}

/// What a graph is stored as: rows and links.
pub(crate) struct Links(Vec<u8>);

impl Links {
    /// Builds a graph over rows; none when it was called off, or when there is nothing to build it of.
    ///
    /// `nodes` are rows of the segment with their vectors. Takes some 0.2 ms of one processor a row; one thread does it.
    pub(crate) fn build(nodes: Vec<(u32, Node)>, off: &Arc<AtomicBool>) -> Option<Self> {
        let (points, firsts, twins) = unique(nodes);
        let points: Vec<Building> =
            points.into_iter().map(|node| Building { node, off: Arc::clone(off) }).collect();
        let heuristic = Heuristic { extend_candidates: false, keep_pruned: false };
        let builder = Builder::default()
            .ef_construction(CONSIDERED)
            .ef_search(NEAREST)
            .seed(SEED)
            .select_heuristic(Some(heuristic));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().ok()?;
        let built = catch_unwind(AssertUnwindSafe(|| pool.install(|| builder.build_hnsw(points))));
        let (hnsw, ids) = match built {
            Ok(built) => built,
            Err(unwound) if unwound.is::<CalledOff>() => return None,
            Err(unwound) => resume_unwind(unwound),
        };
        let mut of_point = vec![0; firsts.len()];
        let point_of: Vec<u32> = ids.iter().map(|id| id.into_inner()).collect();
        for (row, point) in firsts.iter().zip(&point_of) {
            of_point[*point as usize] = *row;
        }
        let mut twins: Vec<(u32, u32)> =
            twins.into_iter().map(|(first, row)| (point_of[first], row)).collect();
        twins.sort_unstable();
        Self::write(&Rows { of_point: of_point.into(), twins: twins.into() }, &hnsw)
    }

    fn write<P: Serialize>(rows: &Rows, hnsw: &Hnsw<P>) -> Option<Self> {
        let mut out = Vec::new();
        put_u32(&mut out, rows.of_point.len() as u32);
        put_u32(&mut out, rows.twins.len() as u32);
        rows.of_point.iter().for_each(|row| put_u32(&mut out, *row));
        rows.twins.iter().flat_map(|(point, row)| [*point, *row]).for_each(|n| put_u32(&mut out, n));
        postcard::to_extend(hnsw, out).ok().map(Self)
    }

    /// The stored form.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The graph over the rows as they are now; none where the links do not fit them.
    ///
    /// `node` gives a row, if it is there. Where it has no vector any more, the point stays as a way to others.
    pub(crate) fn attach(&self, node: impl Fn(u32) -> Option<Node>) -> Option<Graph> {
        let mut reader = Reader::new(&self.0);
        let (points, twins) = (reader.u32()? as usize, reader.u32()? as usize);
        let of_point = reader.u32s(points)?;
        let twins = reader.u32s(twins.checked_mul(2)?)?;
        let twins: Vec<(u32, u32)> = twins.as_chunks::<2>().0.iter().map(|pair| (pair[0], pair[1])).collect();
        let mut nodes = of_point.iter().map(|row| node(*row)).collect::<Option<Vec<Node>>>()?;
        nodes.reverse();
        POINTS.with(|feed| *feed.borrow_mut() = nodes);
        let hnsw: Option<Hnsw<Node>> = postcard::from_bytes(reader.rest()).ok();
        let left = POINTS.with(|feed| std::mem::take(&mut *feed.borrow_mut()));
        let rows = Rows { of_point: of_point.into(), twins: twins.into() };
        let hnsw = hnsw.filter(|_| left.is_empty())?;
        Some(Graph { hnsw, rows, idle: Mutex::default() })
    }
}

/// Rows with different vectors, their numbers, and the rows that repeat one of them.
#[allow(clippy::type_complexity, reason = "three lists that one walk makes")]
fn unique(nodes: Vec<(u32, Node)>) -> (Vec<Node>, Vec<u32>, Vec<(usize, u32)>) {
    let mut known: HashMap<(u32, Box<[i8]>), usize> = HashMap::with_capacity(nodes.len());
    let (mut points, mut firsts, mut twins) = (Vec::new(), Vec::new(), Vec::new());
    for (row, node) in nodes {
        let (values, scale) = node.vectors.raw(node.row);
        match known.entry((scale.to_bits(), values.into())) {
            Entry::Occupied(first) => twins.push((*first.get(), row)),
            Entry::Vacant(new) => {
                new.insert(points.len());
                points.push(node);
                firsts.push(row);
            }
        }
    }
    (points, firsts, twins)
}

/// What a search found.
pub(crate) struct Near {
    /// Rows of the segment, nearest first; those with the same vector one after the other.
    pub(crate) rows: Vec<u32>,
    /// There may be more that the search did not come to.
    pub(crate) cut: bool,
}

impl Graph {
    /// The rows that are nearest to a vector, at most [`NEAREST`] different ones.
    pub(crate) fn near(&self, cue: &QuantisedVector) -> Near {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut search = idle().pop().unwrap_or_default();
        let cue = Node::of(cue);
        let mut rows = Vec::with_capacity(NEAREST);
        let mut points = 0;
        for item in self.hnsw.search(&cue, &mut search) {
            let point = item.pid.into_inner();
            points += 1;
            rows.push(self.rows.of_point[point as usize]);
            let start = self.rows.twins.partition_point(|(of, _)| *of < point);
            let twins = self.rows.twins[start..].iter().take_while(|(of, _)| *of == point);
            rows.extend(twins.map(|(_, row)| *row));
        }
        let mut idle = idle();
        if idle.len() < IDLE_MAX {
            idle.push(search);
        }
        Near { rows, cut: points >= NEAREST }
    }

    /// Rows that a search can find.
    pub(crate) fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        self.rows.of_point.iter().copied().chain(self.rows.twins.iter().map(|(_, row)| *row))
    }

    /// Its links, as they are stored.
    pub(crate) fn links(&self) -> Option<Links> {
        Links::write(&self.rows, &self.hnsw)
    }
}

#[cfg(test)]
mod tests {
    use bethink_domain::UnitVector;

    use super::*;

    /// Vectors near some centres, the same each time.
    fn vectors(count: usize) -> Vec<QuantisedVector> {
        let part = |seed: usize, k: usize| ((seed * 2_654_435_761 + k * 40_503) % 1_009) as f32 / 500.0 - 1.0;
        let vector = |n: usize| (0..32).map(|k| part(n % 17, k) + 0.4 * part(n + 100, k)).collect();
        let unit = |n| UnitVector::new(vector(n)).expect("because its parts are not all zero");
        (0..count).map(|n| QuantisedVector::new(&unit(n))).collect()
    }

    fn nodes(vectors: &[QuantisedVector]) -> Vec<(u32, Node)> {
        vectors.iter().map(Node::of).zip(0u32..).map(|(node, row)| (row, node)).collect()
    }

    #[test]
    fn it_finds_what_a_scan_finds_also_after_storing() {
        let all = vectors(2_000);
        let links = Links::build(nodes(&all), &Arc::default()).unwrap();
        let links = Links::from_bytes(links.bytes().to_vec());
        let graph = links.attach(|row| Some(Node::of(&all[row as usize]))).unwrap();
        assert_eq!(graph.links().unwrap().bytes(), links.bytes());
        let (mut found, mut wanted) = (0, 0);
        for cue in &vectors(2_100)[2_000..] {
            let cosine = |v: &QuantisedVector| dot(&v.values, &cue.values) as f32 * v.scale;
            let mut exact: Vec<u32> = (0..2_000).collect();
            exact.sort_by(|a, b| cosine(&all[*b as usize]).total_cmp(&cosine(&all[*a as usize])));
            let near = graph.near(cue);
            assert!(near.cut && near.rows.len() >= NEAREST);
            wanted += 10;
            found += exact[..10].iter().filter(|row| near.rows.contains(row)).count();
        }
        assert!(found * 100 >= wanted * 98, "{found} of {wanted}");
    }

    #[test]
    fn the_same_vector_over_and_over_hides_no_other() {
        let mut all = vectors(300);
        let same = all[7].clone();
        all.extend(std::iter::repeat_n(same.clone(), 500));
        let links = Links::build(nodes(&all), &Arc::default()).unwrap();
        let graph = links.attach(|row| Some(Node::of(&all[row as usize]))).unwrap();
        assert_eq!(graph.rows().count(), 800);
        assert_eq!(graph.near(&same).rows.iter().filter(|row| **row >= 300 || **row == 7).count(), 501);
        let reached = all.iter().filter(|v| graph.near(v).rows.iter().any(|row| &all[*row as usize] == *v));
        assert_eq!(reached.count(), 800, "every vector is found by itself");
    }

    #[test]
    fn a_build_that_is_called_off_ends_and_gives_nothing() {
        let off = Arc::new(AtomicBool::new(true));
        assert!(Links::build(nodes(&vectors(500)), &off).is_none());
    }

    #[test]
    fn links_of_other_rows_are_refused() {
        let links = Links::build(nodes(&vectors(50)), &Arc::default()).unwrap();
        assert!(links.attach(|_| None).is_none());
        let cut = Links::from_bytes(links.bytes()[..links.bytes().len() / 2].to_vec());
        let all = vectors(50);
        assert!(cut.attach(|row| Some(Node::of(&all[row as usize]))).is_none());
    }
}
