//! Random permutations: every host sends to one host and receives from one, never itself.
//!
//! Source: paper section 3.3 (uniform derangement) and figure 3 (only pairs in different pods). Both draw from the stream that
//! they are given, so a seed names a permutation whatever the scheme.

use std::sync::Arc;

use super::{Draft, Site};
use crate::fields::{flag, integer, keys};
use crate::rng::{Domain, Rng};
use crate::settings::limits::MAX_BYTES;
use crate::settings::{Demand, FlowSpec, Generator, LargestFlow, Shape, Traffic};
use crate::topology::FatTree;
use crate::units::Time;

/// What users read about it.
pub const ABOUT: &str =
    "Every host sends one message to another one, and receives one: a uniform random derangement.";

keys! {
    /// A random permutation.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Permutation {
        /// Payload that every host sends
        pub message_bytes: u64 = key("message_bytes", integer(1..=MAX_BYTES), limits = "at most 2^32 - 1 packets"),
        /// Only to hosts of other pods (three levels)
        pub inter_pod_only: bool = key("inter_pod_only", flag(), default = false),
    }
}

/// Where the scenario says them.
const BYTES: &str = "workload.message_bytes";
const INTER_POD: &str = "workload.inter_pod_only";

impl Draft for Permutation {
    fn check(&self, site: &mut Site<'_>) -> Option<Arc<dyn Generator>> {
        let is_alone = site.tree.is_some_and(|tree| tree.pods() == 1);
        if self.inter_pod_only && is_alone && site.sound(&[INTER_POD]) {
            let text = "true makes no sense in a two-level tree, which has no pods, or with one pod; allowed: false";
            site.problem(INTER_POD, text);
        }
        Some(Arc::new(*self))
    }
}

impl Generator for Permutation {
    /// One flow a host, in order of senders.
    fn traffic(&self, shape: Shape, seed: u64) -> Traffic {
        let tree = FatTree::of(shape);
        let mut rng = Rng::stream(seed, Domain::Permutation, 0);
        let receivers = if self.inter_pod_only {
            inter_pod(tree, &mut rng)
        } else {
            derangement(tree.hosts(), &mut rng)
        };
        let flow = |(src, dst): (u32, u32)| FlowSpec {
            id: src.into(),
            src,
            dst,
            bytes: self.message_bytes,
            start: Time::ZERO,
        };
        (0..).zip(receivers).map(flow).collect::<Vec<_>>().into()
    }

    /// At worst, all hosts of a pod send to one port's hosts.
    fn demand(&self, shape: Option<Shape>, payload_bytes: u32) -> Demand {
        let tree = shape.map(FatTree::of);
        let (hosts, of_a_pod) = tree.map_or((0, 0), |tree| (tree.hosts(), tree.hosts_per_pod()));
        let bytes = self.message_bytes;
        let each = u128::from(bytes.div_ceil(payload_bytes.into()));
        Demand {
            path: BYTES,
            flows: hosts.into(),
            largest: LargestFlow {
                bytes,
                path: BYTES.to_owned(),
                told: String::new(),
            },
            all: each * u128::from(hosts),
            meeting: each * u128::from(of_a_pod),
            longest_connection: each,
            shared: Vec::new(),
            last_start: 0,
            trips: 0,
            delays: 0,
            told: format!("{bytes} bytes from each of {hosts} hosts"),
        }
    }

    fn is_inter_pod(&self) -> bool {
        self.inter_pod_only
    }
}

/// A uniform random derangement: whole shuffles until no host is its own receiver (e of them on average). At index h is the
/// host that h sends to.
///
/// # Panics
///
/// With fewer than two hosts: there is none.
#[must_use]
pub fn derangement(hosts: u32, rng: &mut Rng) -> Vec<u32> {
    assert!(hosts >= 2, "a derangement takes two hosts");
    loop {
        let mut receivers: Vec<u32> = (0..hosts).collect();
        rng.shuffle(&mut receivers);
        if (0..).zip(&receivers).all(|(src, &dst)| src != dst) {
            return receivers;
        }
    }
}

/// A random permutation without a pair inside a pod.
///
/// Rejection would take e^(hosts a pod) shuffles. So: one shuffle; each pair inside a pod swaps receivers with a random host
/// such that both pairs leave their pods (one always exists); then 20 random swaps a host, each done only if both pairs still
/// leave their pods. The swaps are a symmetric chain, so its limit is uniform over all that swaps reach; we take 20 a
/// host to be enough to forget the repair.
///
/// # Panics
///
/// If the fabric is one pod: there is none.
#[must_use]
pub fn inter_pod(tree: FatTree, rng: &mut Rng) -> Vec<u32> {
    assert!(tree.pods() >= 2, "inter-pod pairs take two pods");
    let hosts = tree.hosts();
    let mut receivers: Vec<u32> = (0..hosts).collect();
    rng.shuffle(&mut receivers);
    for host in 0..hosts {
        while !leaves_pod(tree, host, receivers[host as usize]) {
            swap_if_allowed(tree, &mut receivers, host, rng.below(hosts));
        }
    }
    for _ in 0..20 * u64::from(hosts) {
        let (a, b) = (rng.below(hosts), rng.below(hosts));
        swap_if_allowed(tree, &mut receivers, a, b);
    }
    receivers
}

fn leaves_pod(tree: FatTree, src: u32, dst: u32) -> bool {
    tree.pod_of_host(src) != tree.pod_of_host(dst)
}

fn swap_if_allowed(tree: FatTree, receivers: &mut [u32], a: u32, b: u32) {
    let (of_a, of_b) = (receivers[a as usize], receivers[b as usize]);
    if leaves_pod(tree, a, of_b) && leaves_pod(tree, b, of_a) {
        receivers.swap(a as usize, b as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Domain;
    use std::collections::BTreeMap;

    fn stream(seed: u64) -> Rng {
        Rng::stream(seed, Domain::Permutation, 0)
    }

    fn derangement(hosts: u32, seed: u64) -> Vec<u32> {
        super::derangement(hosts, &mut stream(seed))
    }

    fn inter_pod(tree: FatTree, seed: u64) -> Vec<u32> {
        super::inter_pod(tree, &mut stream(seed))
    }

    fn is_permutation(receivers: &[u32]) -> bool {
        let mut sorted = receivers.to_vec();
        sorted.sort_unstable();
        sorted == (0..receivers.len() as u32).collect::<Vec<_>>()
    }

    #[test]
    fn a_derangement_has_no_fixed_point() {
        for seed in 0..50 {
            let receivers = derangement(54, seed);
            assert!(is_permutation(&receivers));
            assert!((0..).zip(receivers).all(|(src, dst)| src != dst));
        }
        assert_eq!(derangement(2, 9), [1, 0]);
    }

    #[test]
    fn the_nine_derangements_of_four_hosts_are_equally_likely() {
        let mut counts = BTreeMap::new();
        for seed in 0..9_000 {
            *counts.entry(derangement(4, seed)).or_insert(0_i32) += 1;
        }
        assert_eq!(counts.len(), 9);
        assert!(counts.values().all(|count| (count - 1000).abs() < 150));
    }

    #[test]
    fn an_inter_pod_permutation_has_no_pair_inside_a_pod() {
        for k in [2, 4, 6, 12] {
            let tree = FatTree::new(3, k);
            for seed in 0..20 {
                let receivers = inter_pod(tree, seed);
                assert!(is_permutation(&receivers));
                assert!(
                    (0..)
                        .zip(receivers)
                        .all(|(src, dst)| leaves_pod(tree, src, dst))
                );
            }
        }
    }

    #[test]
    fn inter_pod_receivers_are_uniform_over_the_hosts_of_other_pods() {
        let mut counts = [0_i32; 16];
        for seed in 0..12_000 {
            counts[inter_pod(FatTree::new(3, 4), seed)[5] as usize] += 1;
        }
        assert_eq!(counts[4..8], [0; 4]);
        let others = counts[..4].iter().chain(&counts[8..]);
        assert!(
            others.clone().all(|count| (count - 1000).abs() < 160),
            "{counts:?}"
        );
    }

    #[test]
    fn a_seed_names_a_permutation() {
        assert_eq!(derangement(432, 3), derangement(432, 3));
        assert_ne!(derangement(432, 3), derangement(432, 4));
        let tree = FatTree::new(3, 12);
        assert_eq!(inter_pod(tree, 3), inter_pod(tree, 3));
        assert_ne!(inter_pod(tree, 3), inter_pod(tree, 4));
    }
}
