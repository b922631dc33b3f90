//! Links that are down for a whole run: every scheme uses what is left, evenly where it is even, and nothing is lost.

use std::collections::{BTreeMap, BTreeSet};

use super::setup::*;
use spraysim::lb::host::{Ends, Layer, LivePaths as _};
use spraysim::scenario::{Acks, Failures, OnPartition, Scenario, Shape, SwitchFault};
use spraysim::sim::{RunResult, Stage};
use spraysim::theory::fabric_numbers;
use spraysim::topology::{FatTree, Outages, PortRef};
use spraysim::units::{Ratio, Time};
use spraysim::workload::{self, FlowSpec};

/// Trees of two and three levels, with and without bundles, oversubscription and aggregation switches in plenty.
fn shapes() -> Vec<Shape> {
    let odd = Shape {
        pods: 3,
        edges_per_pod: 2,
        hosts_per_edge: 3,
        aggs_per_pod: 3,
        cores_per_agg: 2,
        ..Shape::fat_tree(3, 4)
    };
    let bundles = Shape {
        edge_bundle: 2,
        agg_bundle: 3,
        ..odd
    };
    let leaves = Shape {
        edge_bundle: 3,
        ..Shape::fat_tree(2, 6)
    };
    let plain = [
        Shape::fat_tree(3, 4),
        Shape::fat_tree(3, 6),
        Shape::fat_tree(2, 6),
    ];
    plain.into_iter().chain([odd, bundles, leaves]).collect()
}

/// Five percent of the cables fail.
fn some() -> Failures {
    let probability = Ratio { num: 1, den: 20 };
    Failures {
        edge_agg_probability: probability,
        agg_core_probability: probability,
        ..Failures::default()
    }
}

/// All but one of the first pod's aggregation switches fail (of the spines, on two levels).
fn most_of_a_pod(shape: Shape) -> Failures {
    let tree = FatTree::of(shape);
    let first = tree.edges();
    let down = |switch| SwitchFault {
        switch,
        from: Time::ZERO,
        until: Time::NEVER,
    };
    Failures {
        switches: (first + 1..first + shape.aggs_per_pod).map(down).collect(),
        ..Failures::default()
    }
}

/// The scheme on the shape with these failures: a permutation of 20 full packets and a short one.
fn scenario(shape: Shape, scheme: &str, failures: Failures) -> Scenario {
    let mut scenario = paper(3, 4, scheme).permutation(20 * PAYLOAD + 100, false);
    scenario.fabric.shape = shape;
    scenario.fabric.failures = Some(failures);
    scenario
}

fn outages(scenario: &Scenario, seed: u64, flows: &[FlowSpec]) -> Outages {
    let failures = scenario.fabric.failures.as_ref().expect("they were set");
    Outages::new(tree(scenario), failures, seed, flows).expect("nobody is cut off")
}

#[test]
fn no_scheme_sends_into_a_link_that_is_down_from_the_start_and_every_flow_finishes() {
    let mut failed = 0;
    for shape in shapes() {
        for &scheme in ALL.iter() {
            for (seed, failures) in [(1, some()), (2, some()), (3, most_of_a_pod(shape))] {
                let scenario = scenario(shape, scheme, failures);
                let result = run(&scenario, seed);
                let flows = workload::flows(&scenario, seed);
                let outages = outages(&scenario, seed, &flows);
                let tree = tree(&scenario);
                for ((_, end), link) in tree.links().zip(&result.links) {
                    let cable = tree.cable_number(PortRef { ..end });
                    let down = cable.is_some_and(|cable| !outages.down(cable).is_empty());
                    assert!(!down || link.packets == 0, "{scheme}: {link:?}");
                    assert_eq!(link.lost_packets, 0, "{scheme}: {link:?}");
                    failed += u64::from(down);
                }
                assert_eq!(result.failures.unroutable_packets, 0, "{scheme}");
                let finished = result.flows.iter().all(|flow| flow.end.is_some());
                assert!(finished, "{scheme} on {shape:?}");
                let hops = fabric_numbers::packet_hops(&scenario, &flows, Some(&outages));
                assert_eq!(result.packet_hops, hops, "{scheme} on {shape:?}");
            }
        }
    }
    assert!(failed > 1_000);
}

/// How many data packets to each destination group took each uplink: of edge switches by (edge, destination edge), of aggregation
/// switches by (aggregation switch, destination pod).
type Counts = BTreeMap<(u32, u32), BTreeMap<u8, u64>>;

fn uplink_counts(tree: FatTree, result: &RunResult) -> [Counts; 2] {
    let mut counts = [Counts::new(), Counts::new()];
    for flow in &result.flows {
        let (src, dst) = (flow.spec.src, flow.spec.dst);
        let (edge, to) = (tree.edge_of(src), tree.edge_of(dst));
        for &[up, further] in flow.paths.as_ref().expect("they were recorded") {
            let layer = tree.layer(src, dst);
            if layer != Layer::SameEdge {
                *counts[0]
                    .entry((edge, to))
                    .or_default()
                    .entry(up)
                    .or_default() += 1;
            }
            if layer == Layer::InterPod {
                let above = tree.peer(
                    tree.edge_node(edge),
                    tree.down_ports(tree.edge_node(edge)) + u32::from(up),
                );
                let key = (tree.place(above.node).1, tree.pod_of(to));
                *counts[1]
                    .entry(key)
                    .or_default()
                    .entry(further)
                    .or_default() += 1;
            }
        }
    }
    counts
}

/// Counts of the uplinks in `valid` differ by at most one, and others have none.
fn assert_even(counts: &BTreeMap<u8, u64>, valid: &BTreeSet<u8>, what: &str) {
    assert!(counts.keys().all(|uplink| valid.contains(uplink)), "{what}");
    let of = |uplink: &u8| counts.get(uplink).copied().unwrap_or(0);
    let (least, most) = (valid.iter().map(of).min(), valid.iter().map(of).max());
    assert!(most <= least.map(|least| least + 1), "{what}: {counts:?}");
}

/// Appendix F.1, invariant 1.
#[test]
fn under_ofan_the_valid_uplinks_toward_a_destination_get_equal_shares_within_a_packet() {
    for shape in shapes() {
        let intact = Failures {
            // Drawn, but next to never.
            switch_probability: Ratio {
                num: 1,
                den: 1_000_000_000_000_000,
            },
            ..Failures::default()
        };
        for failures in [intact, some(), most_of_a_pod(shape)] {
            for seed in 0..4 {
                let mut scenario = scenario(shape, "ofan", failures.clone());
                scenario.packet.acks = Acks::None;
                let result = run_with_paths(&scenario, seed);
                let flows = workload::flows(&scenario, seed);
                let outages = outages(&scenario, seed, &flows);
                let (tree, reach) = (tree(&scenario), outages.at_start());
                let [edges, aggs] = uplink_counts(tree, &result);
                for (&(edge, to), counts) in &edges {
                    let valid = reach.from_edge(edge, to).iter().map(|uplink| uplink as u8);
                    assert_even(counts, &valid.collect(), &format!("e{edge} to e{to}"));
                }
                for (&(agg, pod), counts) in &aggs {
                    let valid = reach.from_agg(agg, pod).iter().map(|uplink| uplink as u8);
                    assert_even(counts, &valid.collect(), &format!("a{agg} to pod {pod}"));
                }
                assert!(!edges.is_empty() && (shape.levels == 2 || !aggs.is_empty()));
            }
        }
    }
}

#[test]
fn drb_and_ethereal_give_each_live_path_of_a_flow_the_same_within_a_packet() {
    for shape in shapes() {
        for (scheme, failures) in [
            ("drb", some()),
            ("ethereal", some()),
            ("drb", most_of_a_pod(shape)),
            ("ethereal", most_of_a_pod(shape)),
        ] {
            for seed in 0..3 {
                let mut scenario = scenario(shape, scheme, failures.clone());
                scenario.packet.acks = Acks::None;
                let result = run_with_paths(&scenario, seed);
                let flows = workload::flows(&scenario, seed);
                let reach = outages(&scenario, seed, &flows);
                let (tree, reach) = (tree(&scenario), reach.at_start());
                for flow in &result.flows {
                    let ends = Ends {
                        src: flow.spec.src,
                        dst: flow.spec.dst,
                    };
                    let mut counts: BTreeMap<[u8; 2], u64> = BTreeMap::new();
                    for &path in flow.paths.as_ref().expect("they were recorded") {
                        assert!(reach.is_live(ends, path), "{scheme}: {path:?}");
                        *counts.entry(path).or_default() += 1;
                    }
                    let (live, sent) = (u64::from(reach.count(ends)), flow.packets);
                    let used = counts.len() as u64;
                    assert_eq!(
                        used,
                        live.min(sent),
                        "{scheme}, {:?}",
                        tree.layer(ends.src, ends.dst)
                    );
                    let (least, most) = (counts.values().min(), counts.values().max());
                    assert!(most <= least.map(|least| least + 1).as_ref(), "{counts:?}");
                }
            }
        }
    }
}

#[test]
fn hosts_without_a_path_lose_their_packets_at_the_edge_if_that_is_asked_for() {
    for &scheme in ALL.iter() {
        let shape = Shape::fat_tree(3, 4);
        let failures = Failures {
            edge_agg_probability: Ratio::ONE,
            on_partition: OnPartition::Drop,
            ..Failures::default()
        };
        let result = run(&scenario(shape, scheme, failures), 1);
        let of = |stage| result.links.iter().filter(move |link| link.stage == stage);
        let through = |stage| of(stage).map(|link| link.packets).sum::<u64>();
        assert_eq!(through(Stage::Ea), 0, "{scheme}");
        let unroutable = result.failures.unroutable_packets;
        assert!(unroutable > 0, "{scheme}");
        assert_eq!(
            through(Stage::Nic),
            through(Stage::Eh) + unroutable,
            "{scheme}"
        );
    }
}

#[test]
fn failures_that_come_after_the_end_change_nothing() {
    for &scheme in ALL.iter() {
        for shape in shapes() {
            let mut late = most_of_a_pod(shape);
            for switch in &mut late.switches {
                switch.from = Time(1_000_000_000_000);
            }
            let mut scenario = scenario(shape, scheme, late);
            let mut failing = run_with_paths(&scenario, 5);
            assert_eq!(failing.failures.outage, None);
            failing.failures = Default::default();
            scenario.fabric.failures = None;
            assert_eq!(failing, run_with_paths(&scenario, 5), "{scheme}");
        }
    }
}
