//! Hard bounds of the first queueing layer, data only (appendices C to F): independent of message size, seed and permutation.

use super::setup::*;
use spraysim::lb::switch::ofan::{Consolidate, FirstPointer, Params, PortOrder};
use spraysim::scenario::Scenario;
use spraysim::sim::{RunResult, Stage};
use std::ops::Range;

/// Whole packets: the proofs have every host send one packet a period, and a short last one comes early.
const WHOLE: [u64; 5] = [PAYLOAD, 5 * PAYLOAD, 16 * PAYLOAD, 64 * PAYLOAD, 1 << 20];
/// Messages that end in a short packet.
const RAGGED: [u64; 4] = [PAYLOAD + 1, 100_000, 64 * PAYLOAD - 1, 60_000];

/// One run a seed, the sizes in turn; the fabric of 1,024 hosts has 1 MiB but once.
fn runs(scenario: &Scenario, sizes: &[u64], seeds: Range<u64>) -> impl Iterator<Item = RunResult> {
    seeds.map(|seed| {
        let mut bytes = sizes[seed as usize % sizes.len()];
        if scenario.fabric.shape.k() == Some(16) && seed != 4 {
            bytes = bytes.min(32 * PAYLOAD);
        }
        let scenario = scenario.clone().permutation(bytes, seed % 2 == 0).quiet();
        run(&scenario, seed)
    })
}

/// Checks that no queue of `stage` ever holds more than `most` packets.
fn holds_at_most(most: u32, scenario: &Scenario, sizes: &[u64], seeds: Range<u64>, stage: Stage) {
    for (place, result) in runs(scenario, sizes, seeds).enumerate() {
        let held = queue_max(&result, stage);
        let (scheme, k) = (&scenario.load_balancing, scenario.fabric.shape.k());
        assert!(
            held <= u64::from(most),
            "{scheme:?}, k = {k:?}, run {place}: {held} packets > {most}"
        );
    }
}

#[test]
fn no_edge_uplink_ever_holds_more_than_w_plus_1_packets_under_drb_ofan_and_pofan() {
    for k in [4, 8, 12, 16] {
        for scheme in ["drb", "ofan", "pofan"] {
            holds_at_most(k / 2 + 1, &paper(3, k, scheme), &WHOLE, 0..25, Stage::Ea);
        }
    }
}

#[test]
fn a_short_last_packet_adds_at_most_one_to_that_bound() {
    // A last packet that comes early is worth at most a period: f ((t - s + T) / (w T) + 1) packets of a pointer of f flows.
    for k in [4, 8, 12, 16] {
        for scheme in ["drb", "ofan", "pofan"] {
            holds_at_most(k / 2 + 2, &paper(3, k, scheme), &RAGGED, 0..8, Stage::Ea);
        }
    }
}

#[test]
fn no_leaf_of_two_levels_holds_more_than_w_plus_1_packets_at_an_uplink() {
    for scheme in ["drb", "ofan", "pofan", "ethereal"] {
        for seed in 0..10 {
            let scenario = paper(2, 16, scheme)
                .permutation(64 * PAYLOAD, false)
                .quiet();
            assert!(
                queue_max(&run(&scenario, seed), Stage::Ea) <= 9,
                "{scheme}, seed {seed}"
            );
        }
    }
}

#[test]
fn the_bound_of_ofan_holds_whatever_shares_a_pointer_and_in_any_port_order() {
    for k in [4, 8, 12] {
        for consolidate in [Consolidate::Switch, Consolidate::Host] {
            for port_order in [PortOrder::XorAdd, PortOrder::Random, PortOrder::Identity] {
                for first_pointer in [FirstPointer::Random, FirstPointer::ShortestQueue] {
                    let params = Params {
                        consolidate,
                        port_order,
                        first_pointer,
                        ..Params::default()
                    };
                    let scenario = paper(3, k, "ofan").ofan(params);
                    holds_at_most(k / 2 + 1, &scenario, &WHOLE, 0..5, Stage::Ea);
                }
            }
        }
    }
}

/// Messages that Ethereal splits into subflows of whole packets.
fn even(k: u32) -> [u64; 3] {
    [1, 2, 5].map(|packets| u64::from(k * k / 4) * packets * PAYLOAD)
}

#[test]
fn no_edge_uplink_ever_holds_more_than_a_quarter_of_k_squared_plus_1_packets_under_ethereal() {
    for k in [4, 8, 12, 16] {
        holds_at_most(
            k * k / 4 + 1,
            &paper(3, k, "ethereal"),
            &even(k),
            0..25,
            Stage::Ea,
        );
    }
}

#[test]
fn nor_more_bytes_than_so_many_full_frames_at_any_message_size() {
    // Subflows that end in short packets end together, and those come faster than one a period: 1 MiB at k = 12 ends in 36 frames of
    // 518 or 517 B a host. Equal rounds give an uplink (t - s) + w^2 T of work at most in (s, t], so the bound is one of bytes.
    for k in [4, 8, 12, 16] {
        let scenario = paper(3, k, "ethereal");
        for result in runs(&scenario, &RAGGED, 0..8).chain(runs(&scenario, &WHOLE, 0..5)) {
            let links = result.links.iter().filter(|link| link.stage == Stage::Ea);
            let most = links
                .map(|link| link.queue_max_bytes)
                .max()
                .expect("there are uplinks");
            assert!(most <= u64::from(k * k / 4 + 1) * 4158, "k = {k}: {most} B");
        }
    }
}

#[test]
fn no_packet_ever_waits_at_an_uplink_under_simple_rr_and_jsq() {
    // Appendix C, step 5: at most one packet a period from each of w inputs, so there is always an empty uplink; RR's turn is at it.
    for k in [4, 6, 8, 12] {
        for scheme in ["simple_rr", "jsq"] {
            for stage in [Stage::Ea, Stage::Ac] {
                holds_at_most(1, &paper(3, k, scheme), &WHOLE, 0..10, stage);
            }
        }
    }
}
