//! Tests of the cabling.

use super::*;
use crate::settings::CoreNumbers;
use std::collections::{BTreeMap, BTreeSet};

const KS: [u32; 5] = [2, 4, 6, 8, 12];

pub(crate) fn plain_trees() -> impl Iterator<Item = FatTree> {
    [2, 3]
        .into_iter()
        .flat_map(|levels| KS.map(|k| FatTree::new(levels, k)))
}

/// Trees of all kinds: odd radices, oversubscription, bundles, both numberings of cores.
pub(crate) fn odd_trees() -> Vec<FatTree> {
    let shape =
        |levels, pods, [edges, hosts, aggs, cores]: [u32; 4], bundles: [u32; 2], cores_are| Shape {
            levels,
            pods,
            edges_per_pod: edges,
            hosts_per_edge: hosts,
            aggs_per_pod: aggs,
            cores_per_agg: cores,
            edge_bundle: bundles[0],
            agg_bundle: bundles[1],
            cores: cores_are,
        };
    use CoreNumbers::{Blocks, Strides};
    [
        shape(2, 1, [4, 8, 2, 0], [1, 1], Blocks),
        shape(2, 1, [5, 3, 3, 0], [2, 1], Strides),
        shape(3, 2, [2, 2, 2, 2], [1, 2], Strides),
        shape(3, 3, [2, 4, 3, 2], [2, 3], Strides),
        shape(3, 5, [3, 1, 2, 3], [3, 1], Blocks),
        shape(3, 2, [4, 4, 4, 1], [1, 1], Strides),
    ]
    .map(FatTree::of)
    .into()
}

fn trees() -> impl Iterator<Item = FatTree> {
    plain_trees().chain(odd_trees())
}

/// Every host that a packet can end at when it leaves `node` for `dst`, with the nodes on its way, over all choices of uplink.
fn walks(tree: FatTree, node: u32, dst: u32, so_far: Vec<u32>, found: &mut Vec<Vec<u32>>) {
    let path: Vec<u32> = so_far.into_iter().chain([node]).collect();
    if node == dst {
        found.push(path);
        return;
    }
    let ports = match tree.down_port(node, dst) {
        Some(port) => port..port + tree.down_bundle(node),
        None => tree.down_ports(node)..tree.ports(node),
    };
    for port in ports {
        walks(tree, tree.peer(node, port).node, dst, path.clone(), found);
    }
}

#[test]
fn three_level_trees_have_the_counts_of_the_paper() {
    for (k, hosts) in [(2, 2), (4, 16), (6, 54), (8, 128), (12, 432), (16, 1024)] {
        let tree = FatTree::new(3, k);
        assert_eq!(tree.hosts(), hosts);
        assert_eq!((tree.edges(), tree.aggs()), (k * k / 2, k * k / 2));
        assert_eq!((tree.cores(), tree.pods()), (k * k / 4, k));
    }
}

#[test]
fn two_level_trees_have_k_leaves_and_half_as_many_spines() {
    for (k, hosts) in [(2, 2), (4, 8), (6, 18), (8, 32), (12, 72), (64, 2048)] {
        let tree = FatTree::new(2, k);
        assert_eq!(tree.hosts(), hosts);
        assert_eq!((tree.edges(), tree.aggs()), (k, k / 2));
        assert_eq!((tree.cores(), tree.pods()), (0, 1));
        assert_eq!(tree.ports(tree.agg_node(0)), k);
    }
}

#[test]
fn the_peer_of_a_peer_is_the_port_itself() {
    for tree in trees() {
        let mut seen = BTreeSet::new();
        for node in 0..tree.nodes() {
            for port in 0..tree.ports(node) {
                let far = tree.peer(node, port);
                assert_eq!(tree.peer(far.node, far.port), PortRef { node, port });
                assert!(seen.insert(far), "{tree:?}: two cables in one port");
            }
        }
    }
}

#[test]
fn members_of_a_bundle_have_the_same_number_at_both_ends_and_tell_its_links_apart() {
    for tree in trees() {
        let mut seen = BTreeSet::new();
        for (_, end) in tree.links() {
            let far = tree.peer(end.node, end.port);
            let member = tree.member(end.node, end.port);
            assert_eq!(member, tree.member(far.node, far.port));
            assert!(seen.insert((end.node, far.node, member)));
        }
    }
}

#[test]
fn every_switch_has_k_ports() {
    for tree in plain_trees() {
        let k = tree.shape().k();
        assert!((tree.hosts()..tree.nodes()).all(|node| Some(tree.ports(node)) == k));
    }
}

#[test]
fn every_pair_of_hosts_has_all_its_paths_and_each_has_the_hops_of_its_layer() {
    let small = plain_trees().filter(|tree| tree.hosts() <= 54);
    for tree in small.chain(odd_trees()) {
        for src in 0..tree.hosts() {
            for dst in (0..tree.hosts()).filter(|&dst| dst != src) {
                let layer = tree.layer(src, dst);
                let mut found = Vec::new();
                walks(tree, src, dst, Vec::new(), &mut found);
                // Ways up, times the members of the bundles on the way down.
                let shape = tree.shape();
                let down = match layer {
                    Layer::SameEdge => 1,
                    Layer::SamePod => shape.edge_bundle,
                    Layer::InterPod => shape.edge_bundle * shape.agg_bundle,
                };
                assert_eq!(found.len() as u32, tree.paths(layer) * down);
                assert!(
                    found
                        .iter()
                        .all(|path| path.len() == tree.hops(layer) as usize + 1)
                );
            }
        }
    }
}

#[test]
fn an_inter_pod_pair_has_a_path_through_every_core() {
    let tree = FatTree::new(3, 12);
    let mut found = Vec::new();
    walks(tree, 0, 431, Vec::new(), &mut found);
    let cores: BTreeSet<u32> = found.iter().map(|path| path[3]).collect();
    assert_eq!(found.len(), 36);
    assert_eq!(
        cores,
        (tree.core_node(0)..tree.nodes()).collect::<BTreeSet<_>>()
    );
}

#[test]
fn the_way_down_uses_the_aggregation_index_of_the_way_up() {
    let tree = FatTree::new(3, 6);
    let mut found = Vec::new();
    walks(tree, 0, 53, Vec::new(), &mut found);
    for path in found {
        let index = |node| tree.place(node).1 % tree.aggs_per_pod();
        assert_eq!(index(path[2]), index(path[4]));
    }
}

#[test]
fn links_come_sorted_and_each_stage_has_as_many_as_it_says() {
    for tree in trees() {
        let links: Vec<_> = tree.links().collect();
        assert!(links.is_sorted());
        let mut counts = BTreeMap::new();
        for (stage, end) in &links {
            assert_eq!(*stage, tree.stage(end.node, end.port));
            *counts.entry(*stage).or_insert(0) += 1;
        }
        assert_eq!(
            counts.keys().copied().collect::<Vec<_>>(),
            tree.stages().collect::<Vec<_>>()
        );
        assert!(
            counts
                .iter()
                .all(|(stage, count)| *count == tree.stage_links(*stage))
        );
        assert_eq!(links.len() as u64, tree.directed_links());
        if tree.shape().k().is_some() {
            assert!(counts.values().all(|&count| count == tree.hosts()));
        }
    }
}

#[test]
fn nodes_are_numbered_hosts_edges_aggs_cores_and_named_by_level() {
    let tree = FatTree::new(3, 4);
    let name = |node| tree.name(node).to_string();
    assert_eq!([name(0), name(15), name(16)], ["h0", "h15", "e0"]);
    assert_eq!(
        [name(24), name(31), name(32), name(35)],
        ["a0", "a7", "c0", "c3"]
    );
    assert_eq!(
        (tree.switch_id(15), tree.switch_id(16), tree.switch_id(24)),
        (None, Some(0), Some(8))
    );
}

#[test]
fn cables_run_as_in_the_table_of_the_spec() {
    let tree = FatTree::new(3, 6);
    let at = |node, port| PortRef { node, port };
    // Edge 4 = pod 1, position 1; its uplink 2 leads to aggregation (1, 2) = 5.
    assert_eq!(tree.peer(tree.edge_node(4), 5), at(tree.agg_node(5), 1));
    // Uplink 1 of aggregation (1, 2) leads to core (2, 1) = 7, whose port 1 leads to pod 1.
    assert_eq!(tree.peer(tree.agg_node(5), 4), at(tree.core_node(7), 1));
    assert_eq!(tree.peer(tree.core_node(7), 4), at(tree.agg_node(14), 4));
    assert_eq!(tree.peer(tree.edge_node(4), 2), at(14, 0));
    let leaves = FatTree::new(2, 6);
    assert_eq!(
        leaves.peer(leaves.edge_node(5), 4),
        at(leaves.agg_node(1), 5)
    );
}
