//! Dealing the nodes of a tree to shards.
//!
//! A shard has whole pods (whole leaves in a two-level tree) and a share of the switches above them, so that most links stay within it.

use crate::engine::inbox::address;
use crate::topology::{FatTree, Level};

/// Shards for each of several threads: a thread that is done with its own takes one of another that has not begun it. More of them even out
/// more, and send more packets to each other.
const SHARDS_A_THREAD: usize = 2;

/// Which shard each node belongs to.
#[derive(Debug)]
pub(super) struct Partition {
    /// The address of each node.
    addresses: Vec<u32>,
    /// The nodes of each shard, hosts first.
    shards: Vec<Vec<u32>>,
}

impl Partition {
    /// For so many threads; at most one shard a pod (or leaf).
    pub(super) fn new(tree: FatTree, threads: usize) -> Self {
        let units = if tree.cores() > 0 {
            tree.pods()
        } else {
            tree.edges()
        };
        let wanted = match threads {
            0 | 1 => 1,
            several => several.saturating_mul(SHARDS_A_THREAD),
        };
        let count = u32::try_from(wanted).unwrap_or(units).min(units);
        let mut shards = vec![Vec::new(); count as usize];
        let mut addresses = Vec::with_capacity(tree.nodes() as usize);
        for node in 0..tree.nodes() {
            let shard = shard(tree, node, count);
            let nodes = &mut shards[shard as usize];
            addresses.push(address(shard, nodes.len() as u32));
            nodes.push(node);
        }
        Self { addresses, shards }
    }

    /// The nodes of each shard, in order of their numbers in it.
    pub(super) fn shards(&self) -> &[Vec<u32>] {
        &self.shards
    }

    /// Where `node` is.
    pub(super) fn address(&self, node: u32) -> u32 {
        self.addresses[node as usize]
    }
}

/// The shard of a node: of the n members of its level (pods, leaves, spines, cores), the i-th goes to shard floor(i shards / n).
fn shard(tree: FatTree, node: u32, shards: u32) -> u32 {
    let (level, index) = tree.place(node);
    let edge = match level {
        Level::Host => tree.edge_of(index),
        _ => index,
    };
    let (member, members) = match level {
        Level::Core => (index, tree.cores()),
        Level::Agg if tree.cores() == 0 => (index, tree.aggs()),
        Level::Agg => (index / tree.aggs_per_pod(), tree.pods()),
        Level::Host | Level::Edge if tree.cores() == 0 => (edge, tree.edges()),
        Level::Host | Level::Edge => (tree.pod_of(edge), tree.pods()),
    };
    (u64::from(member) * u64::from(shards) / u64::from(members)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shard_has_hosts_and_hosts_come_first() {
        for (tree, threads) in [
            (FatTree::new(3, 2), 7),
            (FatTree::new(3, 6), 4),
            (FatTree::new(3, 8), 3),
            (FatTree::new(2, 6), 5),
        ] {
            let partition = Partition::new(tree, threads);
            let mut all = Vec::new();
            for nodes in partition.shards() {
                assert!(nodes[0] < tree.hosts());
                assert!(nodes.is_sorted(), "so hosts come first");
                all.extend_from_slice(nodes);
            }
            all.sort_unstable();
            assert_eq!(all, (0..tree.nodes()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_pod_stays_together() {
        let tree = FatTree::new(3, 6);
        let partition = Partition::new(tree, 4);
        for host in 0..tree.hosts() {
            let edge = tree.edge_node(tree.edge_of(host));
            assert_eq!(partition.address(host) >> 24, partition.address(edge) >> 24);
        }
    }

    #[test]
    fn one_shard_keeps_the_numbers_of_nodes() {
        let partition = Partition::new(FatTree::new(3, 4), 1);
        assert!((0..36).all(|node| partition.address(node) == node));
    }
}
