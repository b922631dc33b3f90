//! Random permutations: every host sends to one host and receives from one, never itself.
//!
//! Source: paper section 3.3 (uniform derangement) and figure 3 (only pairs in different pods). Both draw from the stream that
//! they are given, so a seed names a permutation whatever the scheme.

use crate::rng::Rng;
use crate::topology::FatTree;

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
