//! Vectors that lie together in groups, as those of real sentences do, without a model.

use bethink_clock::Entropy;
use bethink_domain::UnitVector;

use crate::stage::space_named;

/// Groups; some fifty vectors in each at 10,000.
const CLUSTERS: usize = 200;
/// Length of the part that differs inside a group, relative to the part that is common.
const SPREAD: f64 = 1.0;

/// So many vectors near random centres; the same in every run.
pub(super) fn near_clusters(dimensions: usize, count: usize) -> Vec<Option<UnitVector>> {
    let (chance, space) = (Entropy::seeded(41), space_named("vectors"));
    let noise = |what: &str, number: usize| {
        let value = |k: usize| chance.fraction(&space, what, number as u64, k as u64) - 0.5;
        (0..dimensions).map(value).collect::<Vec<f64>>()
    };
    let centres: Vec<Vec<f64>> = (0..CLUSTERS).map(|number| noise("centre", number)).collect();
    let near = |number: usize| {
        let own = noise("own", number);
        let sum =
            own.iter().zip(&centres[number % CLUSTERS]).map(|(own, centre)| (centre + SPREAD * own) as f32);
        UnitVector::new(sum.collect()).ok()
    };
    (0..count).map(near).collect()
}

#[cfg(test)]
mod tests {
    use super::{CLUSTERS, near_clusters};

    #[test]
    fn vectors_of_a_group_are_alike_and_others_are_not() {
        let vectors: Vec<_> = near_clusters(384, CLUSTERS + 1).into_iter().flatten().collect();
        let within = vectors[0].cosine(&vectors[CLUSTERS]);
        let between = vectors[0].cosine(&vectors[1]);
        assert!((0.4..0.6).contains(&within) && between.abs() < 0.2, "{within} {between}");
    }
}
