//! Theorem 2, step 1: flows of Simple RR and JSQ stick to one aggregation switch.

use super::setup::*;
use spraysim::sim::{FlowResult, Stage};
use spraysim::theory::diagnostics::{p_northbound, p_safe};
use spraysim::units::Span;

/// Whether all packets of a northbound flow took one uplink of its edge.
fn sticks(flow: &FlowResult) -> bool {
    let paths = flow.paths.as_ref().expect("paths are recorded");
    paths.iter().all(|path| path[0] == paths[0][0])
}

#[test]
fn without_internal_traffic_every_flow_of_simple_rr_sticks_to_one_path() {
    for k in [4, 6, 8, 12] {
        for seed in 0..5 {
            let scenario = paper(3, k, "simple_rr")
                .permutation(64 * PAYLOAD, true)
                .quiet();
            for flow in run_with_paths(&scenario, seed).flows {
                let paths = flow.paths.expect("paths are recorded");
                // The core too: aggregation uplinks do not queue either.
                assert!(
                    paths.iter().all(|path| path == &paths[0]),
                    "k = {k}, seed {seed}"
                );
            }
        }
    }
}

#[test]
fn uplinks_of_one_switch_carry_counts_that_differ_by_at_most_one_under_simple_rr() {
    for (k, inter_pod_only) in [(4, true), (6, false), (8, false), (12, true)] {
        for bytes in [PAYLOAD, 5 * PAYLOAD, 100_000, 64 * PAYLOAD] {
            // With ACKs too: they take their turns like data.
            let scenario = paper(3, k, "simple_rr").permutation(bytes, inter_pod_only);
            for scenario in [scenario.clone(), scenario.quiet()] {
                let result = run(&scenario, 7);
                for stage in [Stage::Ea, Stage::Ac] {
                    let counts: Vec<u64> = result
                        .links
                        .iter()
                        .filter(|link| link.stage == stage)
                        .map(|link| link.packets)
                        .collect();
                    for of_switch in counts.chunks(k as usize / 2) {
                        let (least, most) = (of_switch.iter().min(), of_switch.iter().max());
                        assert!(
                            most.unwrap() - least.unwrap() <= 1,
                            "k = {k}, {bytes} B: {of_switch:?}"
                        );
                    }
                }
            }
        }
    }
}

/// The share of JSQ's flows that leave their edge and stick, over ten seeds at k = 12.
fn sticky_share(inter_pod_only: bool) -> f64 {
    let scenario = paper(3, 12, "jsq")
        .permutation(64 * PAYLOAD, inter_pod_only)
        .quiet();
    let tree = tree(&scenario);
    let (mut sticky, mut all) = (0, 0);
    for seed in 0..10 {
        let flows = run_with_paths(&scenario, seed).flows;
        all += flows.len();
        let leaves =
            |flow: &&FlowResult| tree.edge_of(flow.spec.src) != tree.edge_of(flow.spec.dst);
        sticky += flows
            .iter()
            .filter(leaves)
            .filter(|flow| sticks(flow))
            .count();
    }
    assert_eq!(all, 4320);
    f64::from(sticky as u32) / f64::from(all as u32)
}

/// Three standard deviations of the share of 4,320 flows that have a property of probability `p`, if the w = 6 flows of an edge
/// have it or lack it together: the worst correlation that an edge allows.
fn slack(p: f64) -> f64 {
    3.0 * (6.0 * p * (1.0 - p) / 4320.0).sqrt()
}

#[test]
fn at_least_p_northbound_times_p_safe_of_the_flows_of_jsq_stick() {
    let p = p_northbound(12) * p_safe(12, Span(200), Span(SLOT));
    let share = sticky_share(false);
    assert!(share >= p - slack(p), "{share} < {p}");
}

#[test]
fn without_internal_traffic_at_least_p_safe_of_the_flows_of_jsq_stick() {
    let p = p_safe(12, Span(200), Span(SLOT));
    let share = sticky_share(true);
    assert!(share >= p - slack(p), "{share} < {p}");
}
