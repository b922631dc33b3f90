//! Invariant 1 and property 1 (appendix F) at the end of runs without failures, counted packet by packet.

use super::setup::*;
use spraysim::lb::host::Layer;
use spraysim::lb::switch::ofan::{AckPointer, Consolidate, FirstPointer, Params, PortOrder};
use spraysim::scenario::Scenario;
use spraysim::sim::{FlowResult, RunResult, Stage};
use spraysim::topology::FatTree;
use spraysim::units::Time;
use spraysim::workload::FlowSpec;
use std::collections::BTreeMap;

/// For each key, packets by uplink.
type Counts = BTreeMap<(u32, u32), Vec<u64>>;

fn layer(tree: FatTree, flow: &FlowResult) -> Layer {
    tree.layer(flow.spec.src, flow.spec.dst)
}

fn paths(flow: &FlowResult) -> &[[u8; 2]] {
    flow.paths.as_deref().expect("paths are recorded")
}

/// Data by edge uplink, for each source edge and `destination`.
fn by_edge(tree: FatTree, result: &RunResult, destination: impl Fn(u32) -> u32) -> Counts {
    let mut counts = Counts::new();
    for flow in result
        .flows
        .iter()
        .filter(|flow| layer(tree, flow) != Layer::SameEdge)
    {
        let key = (tree.edge_of(flow.spec.src), destination(flow.spec.dst));
        let of_key = counts
            .entry(key)
            .or_insert_with(|| vec![0; tree.aggs_per_pod() as usize]);
        paths(flow)
            .iter()
            .for_each(|path| of_key[usize::from(path[0])] += 1);
    }
    counts
}

/// Data by core, for each source aggregation switch and `destination`.
fn by_agg(tree: FatTree, result: &RunResult, destination: impl Fn(u32) -> u32) -> Counts {
    let mut counts = Counts::new();
    for flow in result
        .flows
        .iter()
        .filter(|flow| layer(tree, flow) == Layer::InterPod)
    {
        for path in paths(flow) {
            let agg = tree.pod_of_host(flow.spec.src) * tree.aggs_per_pod() + u32::from(path[0]);
            let key = (agg, destination(flow.spec.dst));
            let of_key = counts
                .entry(key)
                .or_insert_with(|| vec![0; tree.aggs_per_pod() as usize]);
            of_key[usize::from(path[1])] += 1;
        }
    }
    counts
}

fn spread(counts: &[u64]) -> u64 {
    counts.iter().max().expect("a switch has uplinks")
        - counts.iter().min().expect("and a least one")
}

fn assert_even(what: &str, counts: &Counts, most: u64) {
    assert!(!counts.is_empty());
    for (key, of_key) in counts {
        assert!(spread(of_key) <= most, "{what} {key:?}: {of_key:?}");
    }
}

/// Several flows a host, of all sizes, started over two round trips, so that ACKs pass between the data.
fn crowd(tree: FatTree, case: u64) -> Vec<FlowSpec> {
    let mut dice = Dice::new(case);
    let hosts = u64::from(tree.hosts());
    let mut one = |src: u32| {
        let dst = (u64::from(src) + 1 + dice.below(hosts - 1)) % hosts;
        let start = Time(dice.below(13) * 1_000_000);
        FlowSpec {
            start,
            ..flow(src, dst as u32, 1 + dice.below(60 * PAYLOAD))
        }
    };
    (0..2 * tree.hosts())
        .map(|i| one(i % tree.hosts()))
        .collect()
}

/// Ofan's invariants after `result`.
fn check_ofan(tree: FatTree, result: &RunResult) {
    assert_even("edge", &by_edge(tree, result, |dst| tree.edge_of(dst)), 1);
    assert_even("agg", &by_agg(tree, result, |dst| tree.pod_of_host(dst)), 1);
}

#[test]
fn ofan_spreads_the_data_to_each_edge_over_aggs_and_to_each_pod_over_cores_within_one_packet() {
    for k in [4, 6, 8, 12] {
        let scenario = paper(3, k, "ofan");
        let tree = tree(&scenario);
        for (seed, bytes) in (1..).zip([PAYLOAD, 23 * PAYLOAD, 100_000]) {
            for scenario in [scenario.clone(), scenario.clone().quiet()] {
                check_ofan(
                    tree,
                    &run_with_paths(&scenario.permutation(bytes, false), seed),
                );
            }
        }
        check_ofan(tree, &run_flows(&scenario, crowd(tree, u64::from(k)), 1));
    }
}

#[test]
fn so_it_does_in_any_port_order_from_any_first_pointer_and_with_random_ack_pointers() {
    for port_order in [PortOrder::XorAdd, PortOrder::Random, PortOrder::Identity] {
        for first_pointer in [FirstPointer::Random, FirstPointer::ShortestQueue] {
            let scenario = paper(3, 6, "ofan").ofan(Params {
                port_order,
                first_pointer,
                ack_pointer: AckPointer::Random,
                ..Params::default()
            });
            let tree = tree(&scenario);
            check_ofan(tree, &run_flows(&scenario, crowd(tree, 9), 2));
        }
    }
}

#[test]
fn consolidated_by_host_the_data_to_each_host_is_spread_within_one_packet() {
    let scenario = paper(3, 8, "ofan").ofan(Params {
        consolidate: Consolidate::Host,
        ..Params::default()
    });
    let tree = tree(&scenario);
    let result = run_flows(&scenario, crowd(tree, 4), 3);
    assert_even("edge", &by_edge(tree, &result, |dst| dst), 1);
    assert_even("agg", &by_agg(tree, &result, |dst| dst), 1);
}

#[test]
fn pofan_spreads_them_within_one_packet_for_each_pipe() {
    let scenario = paper(3, 12, "pofan");
    let tree = tree(&scenario);
    let result = run_flows(&scenario, crowd(tree, 5), 3);
    // Pipes of four: two of them among six down-ports.
    assert_even("edge", &by_edge(tree, &result, |dst| tree.edge_of(dst)), 2);
    assert_even(
        "agg",
        &by_agg(tree, &result, |dst| tree.pod_of_host(dst)),
        2,
    );
}

/// Data by link into each edge: sums over source edges.
fn into_edges(tree: FatTree, counts: &Counts) -> BTreeMap<u32, (u64, Vec<u64>)> {
    let mut into = BTreeMap::new();
    for (&(_, edge), of_key) in counts {
        let (sources, sums) = into
            .entry(edge)
            .or_insert_with(|| (0, vec![0; tree.aggs_per_pod() as usize]));
        *sources += 1;
        sums.iter_mut()
            .zip(of_key)
            .for_each(|(sum, count)| *sum += count);
    }
    into
}

#[test]
fn links_into_an_edge_carry_data_that_differs_by_at_most_one_packet_for_each_source_edge() {
    for k in [4, 8, 12] {
        let scenario = paper(3, k, "ofan").permutation(23 * PAYLOAD, false).quiet();
        let tree = tree(&scenario);
        let result = run_with_paths(&scenario, 5);
        let into = into_edges(tree, &by_edge(tree, &result, |dst| tree.edge_of(dst)));
        let links: Vec<u64> = result
            .links
            .iter()
            .filter(|link| link.stage == Stage::Ae)
            .map(|link| link.packets)
            .collect();
        for (edge, (sources, sums)) in into {
            assert!(
                spread(&sums) <= sources,
                "k = {k}, edge {edge}: {sums:?} from {sources}"
            );
            // The same from the links: agg (pod, a) has down-port edge mod w.
            let (pod, port) = (tree.pod_of(edge), edge % tree.aggs_per_pod());
            let carried: Vec<u64> = (0..tree.aggs_per_pod())
                .map(|a| {
                    links[((pod * tree.aggs_per_pod() + a) * tree.aggs_per_pod() + port) as usize]
                })
                .collect();
            assert_eq!(carried, sums);
        }
    }
}

/// DRB's counts by path of each pair of hosts.
fn check_drb(scenario: &Scenario, result: &RunResult) {
    let tree = tree(scenario);
    let w = tree.aggs_per_pod() as usize;
    for flow in &result.flows {
        let inter_pod = layer(tree, flow) == Layer::InterPod;
        if layer(tree, flow) == Layer::SameEdge {
            continue;
        }
        let mut counts = vec![0; if inter_pod { w * w } else { w }];
        for path in paths(flow) {
            let [agg, core] = path.map(usize::from);
            let path = if inter_pod { agg * w + core } else { agg };
            counts[path] += 1;
        }
        assert!(spread(&counts) <= 1, "{:?}: {counts:?}", flow.spec);
        // Digit reversal: any count of packets is even over aggregation switches too.
        let by_agg: Vec<u64> = counts
            .chunks(counts.len() / w)
            .map(|paths| paths.iter().sum())
            .collect();
        assert!(spread(&by_agg) <= 1, "{:?}: {by_agg:?}", flow.spec);
    }
}

#[test]
fn drb_spreads_each_flow_over_its_paths_and_over_aggs_within_one_packet() {
    for k in [4, 6, 8, 12] {
        for bytes in [PAYLOAD, 23 * PAYLOAD, 100_000, 64 * PAYLOAD] {
            let scenario = paper(3, k, "drb").permutation(bytes, false);
            check_drb(&scenario, &run_with_paths(&scenario, bytes));
        }
    }
}
