//! Ethereal: equal bytes on every path, ACKs on the way back (paper, section 3.4 and appendix E).

use super::setup::*;
use spraysim::scenario::Scenario;
use spraysim::sim::{LinkResult, RunResult, Stage};
use spraysim::topology::{FatTree, NodeName};

const SIZES: [u64; 7] = [1, 5, 4096, 65_536, 100_000, 1 << 20, (1 << 20) + 1];

fn link(result: &RunResult, src: NodeName, dst: NodeName) -> &LinkResult {
    let found = result
        .links
        .iter()
        .find(|link| link.src == src && link.dst == dst);
    found.expect("the two are cabled")
}

/// The links up from pod 0 and down into the last pod that path (a, c) takes, and those of the way back.
fn path_links(tree: FatTree, result: &RunResult, a: u32, c: u32) -> [LinkResult; 4] {
    let (near, far) = (
        NodeName('a', a),
        NodeName('a', (tree.pods() - 1) * tree.aggs_per_pod() + a),
    );
    let core = NodeName('c', a * tree.aggs_per_pod() + c);
    [(near, core), (core, far), (far, core), (core, near)]
        .map(|(src, dst)| link(result, src, dst).clone())
}

/// Payload bytes and packets of subflow `i` of `paths`.
fn subflow(bytes: u64, paths: u64, i: u64) -> (u64, u64) {
    let payload = bytes / paths + u64::from(i < bytes % paths);
    (payload, payload.div_ceil(PAYLOAD))
}

fn lone(scenario: &Scenario, bytes: u64) -> RunResult {
    let last = tree(scenario).hosts() - 1;
    run_flows(scenario, vec![flow(0, last, bytes)], 1)
}

#[test]
fn every_path_carries_the_same_payload_within_a_byte_and_acks_return_on_it() {
    for k in [4, 6, 8, 12] {
        let scenario = paper(3, k, "ethereal");
        let tree = tree(&scenario);
        let paths = u64::from(tree.aggs_per_pod() * tree.aggs_per_pod());
        for bytes in SIZES {
            let result = lone(&scenario, bytes);
            let mut carried = Vec::new();
            for (a, c) in
                (0..tree.aggs_per_pod()).flat_map(|a| (0..tree.aggs_per_pod()).map(move |c| (a, c)))
            {
                let [up, down, back_up, back_down] = path_links(tree, &result, a, c);
                assert_eq!((up.packets, up.bytes), (down.packets, down.bytes));
                assert_eq!(
                    (back_up.packets, back_up.bytes),
                    (up.packets, 64 * up.packets)
                );
                assert_eq!(
                    (back_down.packets, back_down.bytes),
                    (up.packets, 64 * up.packets)
                );
                carried.push((up.bytes - 62 * up.packets, up.packets));
            }
            carried.sort_unstable();
            let mut expected: Vec<_> = (0..paths).map(|i| subflow(bytes, paths, i)).collect();
            expected.sort_unstable();
            assert_eq!(carried, expected, "k = {k}, {bytes} B");
        }
    }
}

#[test]
fn a_mebibyte_takes_288_packets_at_k_12() {
    assert_eq!(lone(&paper(3, 12, "ethereal"), 1 << 20).data_packets, 288);
}

#[test]
fn in_an_inter_pod_permutation_every_link_of_a_stage_carries_the_same() {
    // Figure 3: Ethereal's overload is zero. Without ACKs; a message that splits into whole bytes.
    for k in [4, 6, 8, 12] {
        let bytes = u64::from(k * k / 4) * 6_000;
        let scenario = paper(3, k, "ethereal").permutation(bytes, true).quiet();
        let result = run(&scenario, 3);
        for stage in Stage::ALL {
            let mut links = result.links.iter().filter(|link| link.stage == stage);
            let first = links.next().expect("the stage has links");
            assert!(
                links.all(|link| (link.packets, link.bytes) == (first.packets, first.bytes)),
                "k = {k}, {stage:?}"
            );
        }
    }
}
