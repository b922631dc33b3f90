//! No permutation ends below the paper's bound (appendix A), give or take one slot of start jitter.

use super::setup::*;
use spraysim::scenario::{Acks, Scenario};
use spraysim::theory;

/// Messages from one packet to 1 MiB, with a short last packet among them.
const SIZES: [u64; 6] = [
    PAYLOAD,
    16 * PAYLOAD,
    100_000,
    64 * PAYLOAD,
    1 << 20,
    (1 << 20) + 1,
];

/// How far above the bound a run ended, in ps; below is negative.
fn margin(scenario: &Scenario, seed: u64) -> i64 {
    let result = run(scenario, seed);
    let flows: Vec<_> = result.flows.iter().map(|flow| flow.spec.clone()).collect();
    let bound = theory::lower_bound(scenario, &flows.into());
    assert_ne!(bound.kind, "naive");
    cct(&result) as i64 - bound.span.0 as i64
}

/// Hosts start within one slot of each other, which shifts the first ACK's turn by as much. Without ACKs nothing is shifted:
/// each flow takes its lone time at least.
fn slack(scenario: &Scenario) -> i64 {
    match scenario.packet.acks {
        Acks::PerPacket => SLOT as i64,
        Acks::None => 0,
    }
}

/// Runs `scheme` over fabrics and seeds, and checks.
fn check(scheme: &str, bytes: u64, inter_pod_only: bool) {
    for (k, seeds) in [(4, 6), (6, 4), (8, 3), (12, 1)] {
        let acked = paper(3, k, scheme).permutation(bytes, inter_pod_only);
        let mut scenarios = vec![acked.clone()];
        if !acked.load_balancing.needs_acks() {
            scenarios.push(acked.quiet());
        }
        for scenario in scenarios {
            for seed in 1..=seeds {
                let margin = margin(&scenario, seed);
                let acks = scenario.packet.acks;
                assert!(
                    margin >= -slack(&scenario),
                    "{scheme}, k = {k}, {bytes} B, {acks:?}, seed {seed}: {margin} ps"
                );
            }
        }
    }
}

#[test]
fn no_inter_pod_permutation_of_whole_messages_ends_below_the_bound() {
    for scheme in unsplit() {
        for bytes in SIZES {
            check(scheme, bytes, true);
        }
    }
}

#[test]
fn no_permutation_of_near_and_far_pairs_ends_below_the_bound_of_the_farthest() {
    for scheme in unsplit() {
        for bytes in [PAYLOAD, 100_000, 64 * PAYLOAD] {
            check(scheme, bytes, false);
        }
    }
}

#[test]
fn ethereal_keeps_the_bound_from_64_kib_on_and_passes_below_it_only_where_its_frames_are_small() {
    for bytes in SIZES.into_iter().filter(|&bytes| bytes >= 16 * PAYLOAD) {
        check("ethereal", bytes, true);
    }
    // One payload in k^2/4 frames crosses five store-and-forward hops sooner than one full frame: the bound is for full frames.
    let scenario = paper(3, 12, "ethereal").permutation(PAYLOAD, true).quiet();
    assert!(margin(&scenario, 1) < -slack(&scenario) - SLOT as i64);
}

/// What holds for Ethereal at any size: the sender needs the wire time of all its frames, and the one that leaves last still has
/// five hops to go, each as long as the smallest frame at least.
fn bound_of_small_frames(bytes: u64, paths: u64) -> u64 {
    let sizes = (0..paths).map(|i| bytes / paths + u64::from(i < bytes % paths));
    let frames: Vec<u64> = sizes
        .flat_map(|size| {
            let full = std::iter::repeat_n(PAYLOAD, (size / PAYLOAD) as usize);
            full.chain(Some(size % PAYLOAD).filter(|&rest| rest > 0))
        })
        .map(|payload| payload + 62)
        .collect();
    let wire: u64 = frames.iter().map(|frame| frame + 20).sum();
    let smallest = frames.iter().min().expect("a message has bytes");
    3_000_000 + 10 * (wire - 20 + 5 * smallest)
}

#[test]
fn ethereal_never_ends_below_the_bound_of_its_own_frames() {
    for bytes in SIZES.into_iter().chain([1, 35, 37, 4 * PAYLOAD]) {
        for k in [4, 6, 8] {
            let scenario = paper(3, k, "ethereal").permutation(bytes, true).quiet();
            for seed in 1..=3 {
                let bound = bound_of_small_frames(bytes, u64::from(k * k / 4));
                let cct = cct(&run(&scenario, seed));
                assert!(
                    cct >= bound,
                    "k = {k}, {bytes} B, seed {seed}: {cct} < {bound}"
                );
            }
        }
    }
}
