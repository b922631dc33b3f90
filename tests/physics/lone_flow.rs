//! A lone flow on an idle fabric: its completion time is a closed form, to the picosecond.

use super::setup::*;
use spraysim::scenario::{PacketFormat, Scenario};
use spraysim::theory::ideal_fct::{ideal_fct, lone_bound};
use spraysim::theory::{self, Frames};
use spraysim::units::{Rate, Span};

/// Message sizes around every boundary: one byte, one payload, the first ACK, 1 MiB.
const SIZES: [u64; 14] = [
    1,
    2,
    4095,
    4096,
    4097,
    8191,
    8192,
    8193,
    100_000,
    77 * 4096,
    78 * 4096 + 1,
    (1 << 20) - 1,
    1 << 20,
    (1 << 20) + 1,
];

fn lone(scenario: &Scenario, dst: u32, bytes: u64) -> u64 {
    fct(&run_flows(scenario, vec![flow(0, dst, bytes)], 1))
}

#[test]
fn one_inter_pod_packet_takes_3_249_480_ps_and_its_ack_is_back_after_6_253_320_ps() {
    for k in [4, 8, 12] {
        for scheme in unsplit() {
            let scenario = paper(3, k, scheme);
            let last = tree(&scenario).hosts() - 1;
            assert_eq!(
                lone(&scenario, last, PAYLOAD),
                6_253_320,
                "{scheme}, k = {k}"
            );
            // REPS lives on ACKs, but one packet leaves before any.
            assert_eq!(
                lone(&scenario.quiet(), last, PAYLOAD),
                3_249_480,
                "{scheme}, k = {k}"
            );
        }
    }
}

#[test]
fn a_lone_inter_pod_flow_of_256_packets_completes_at_16_907_220_ps_under_every_scheme_that_does_not_split_it()
 {
    // (m - 1) T'_d + 2 T_p + H (T_d + T_a): equal frames never wait for each other, whatever their paths.
    assert_eq!(255 * SLOT + 2 * 3_000_000 + 6 * (DATA + 640), 16_907_220);
    for k in [2, 4, 8, 12] {
        for scheme in unsplit() {
            let scenario = paper(3, k, scheme);
            let last = tree(&scenario).hosts() - 1;
            assert_eq!(
                lone(&scenario, last, 1 << 20),
                16_907_220,
                "{scheme}, k = {k}"
            );
            assert_eq!(
                lone(&scenario.quiet(), last, 1 << 20),
                13_903_380,
                "{scheme}, k = {k}"
            );
        }
    }
}

/// The fabrics and frames that the closed form is tried on: rates that do not divide a picosecond, switch latency, odd frames.
fn variants(mut each: impl FnMut(&Scenario)) {
    let frames = [(62, 64, 20), (40, 1500, 0), (77, 83, 33)];
    for (levels, k) in [(3, 2), (3, 4), (3, 6), (3, 8), (2, 2), (2, 4), (2, 8)] {
        for gbps in [100, 300, 800] {
            for (switch_ns, (header_bytes, ack_bytes, gap_bytes)) in
                [0, 350].into_iter().flat_map(|ns| frames.map(|f| (ns, f)))
            {
                let mut scenario = paper(levels, k, "ecmp");
                scenario
                    .fabric
                    .each_tier(|tier| tier.rate = Rate::from_gbps(gbps));
                scenario
                    .fabric
                    .each_tier(|tier| tier.switch_latency = Span::from_ns(switch_ns));
                scenario.packet = PacketFormat {
                    header_bytes,
                    ack_bytes,
                    gap_bytes,
                    ..scenario.packet
                };
                each(&scenario);
            }
        }
    }
}

/// One receiver under the sender's edge, one in its pod, one farthest away; those that the tree has.
fn receivers(scenario: &Scenario) -> Vec<u32> {
    let tree = tree(scenario);
    let mut receivers = vec![1, tree.aggs_per_pod(), tree.hosts() - 1];
    receivers.retain(|&dst| dst > 0 && dst < tree.hosts());
    receivers.dedup();
    receivers
}

fn frames(scenario: &Scenario, dst: u32, bytes: u64) -> (Frames, u32) {
    let tree = tree(scenario);
    (Frames::new(scenario, bytes), tree.hops(tree.layer(0, dst)))
}

#[test]
fn over_one_path_the_closed_form_is_exact_for_every_size_layer_fabric_and_frame() {
    variants(|scenario| {
        for dst in receivers(scenario) {
            for bytes in SIZES {
                let (frames, hops) = frames(scenario, dst, bytes);
                let result = run_flows(scenario, vec![flow(0, dst, bytes)], 1);
                assert_eq!(
                    fct(&result),
                    ideal_fct(&frames, hops).0,
                    "{bytes} B to {dst} in {scenario:?}"
                );
                assert_eq!(result.flows[0].ideal.0, fct(&result));
            }
        }
    });
}

#[test]
fn over_many_paths_it_is_exact_without_a_short_last_packet() {
    // Only frames of one size arrive in order over paths of one length; the next test has the others.
    variants(|scenario| {
        let mut scenario = scenario.clone();
        scenario.load_balancing = paper(3, 4, "drb").load_balancing;
        for dst in receivers(&scenario) {
            for bytes in SIZES
                .into_iter()
                .filter(|bytes| bytes % PAYLOAD == 0 || *bytes < PAYLOAD)
            {
                let (frames, hops) = frames(&scenario, dst, bytes);
                let simulated = lone(&scenario, dst, bytes);
                assert_eq!(
                    simulated,
                    ideal_fct(&frames, hops).0,
                    "{bytes} B to {dst} in {scenario:?}"
                );
            }
        }
    });
}

#[test]
fn over_many_paths_a_short_last_packet_ends_between_the_bound_and_the_form_for_one_path() {
    // It may overtake the packet before it, which can only help.
    for scheme in unsplit() {
        for k in [4, 8] {
            let scenario = paper(3, k, scheme);
            for dst in receivers(&scenario) {
                for bytes in SIZES {
                    let (frames, hops) = frames(&scenario, dst, bytes);
                    let simulated = lone(&scenario, dst, bytes);
                    let (least, most) = (lone_bound(&frames, hops).0, ideal_fct(&frames, hops).0);
                    assert!(
                        (least..=most).contains(&simulated),
                        "{scheme}, k = {k}: {bytes} B to {dst}: {simulated} outside {least}..={most}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_lone_flow_never_queues_behind_anything() {
    for scheme in unsplit() {
        let scenario = paper(3, 6, scheme);
        let flows = vec![flow(0, 53, 1 << 20)];
        let hops = theory::fabric_numbers::packet_hops(&scenario, &flows, None);
        let result = run_flows(&scenario, flows, 3);
        assert_eq!(switch_queue_max(&result), 1, "{scheme}");
        assert_eq!(result.packet_hops, hops, "{scheme}");
        assert_eq!(result.flows[0].max_reordering, 0, "{scheme}");
    }
}
