//! Which way a switch of an intact tree sends a packet: arithmetic on the destination's number.
//!
//! Not modelled: failed links (every uplink leads everywhere).

use super::{FatTree, Level};

/// Where a packet goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By the down-ports from this one on: [`Routes::down_bundle`] parallel links to one neighbour.
    Down(usize),
    /// By an uplink; the policy chooses one for this destination group: the edge switch's number at an edge, the pod at an aggregation switch.
    Up(usize),
}

/// Division of 32-bit numbers by a number fixed beforehand: one multiplication.
#[derive(Clone, Copy, Debug)]
struct Divisor {
    by: u32,
    /// floor(2^64 / by) + 1: the quotient's error stays below 1 / by for every 32-bit dividend. 0 stands for by = 1.
    magic: u64,
}

impl Divisor {
    fn new(by: u32) -> Self {
        Self {
            by,
            magic: (u64::MAX / u64::from(by)).wrapping_add(1),
        }
    }

    /// Quotient and remainder.
    #[inline]
    fn split(self, value: u32) -> (u32, u32) {
        if self.magic == 0 {
            return (value, 0);
        }
        let quotient = ((u128::from(self.magic) * u128::from(value)) >> 64) as u32;
        (quotient, value - quotient * self.by)
    }
}

/// The routes of one switch.
#[derive(Clone, Copy, Debug)]
pub struct Routes {
    level: Level,
    /// The switch's own group: the edge's number, the aggregation switch's pod.
    own: u32,
    downlinks: usize,
    down_bundle: usize,
    hosts_per_edge: Divisor,
    edges_per_pod: Divisor,
}

impl Routes {
    /// The routes of switch `node` of `tree`.
    #[must_use]
    pub fn new(tree: FatTree, node: u32) -> Self {
        let (level, index) = tree.place(node);
        Self {
            level,
            own: if level == Level::Agg {
                index / tree.aggs_per_pod()
            } else {
                index
            },
            downlinks: tree.down_ports(node) as usize,
            down_bundle: tree.down_bundle(node) as usize,
            hosts_per_edge: Divisor::new(tree.hosts_per_edge()),
            edges_per_pod: Divisor::new(tree.edges_per_pod()),
        }
    }

    /// The way to host `dst`.
    #[inline]
    #[must_use]
    pub fn way(&self, dst: u32) -> Way {
        let (edge, slot) = self.hosts_per_edge.split(dst);
        if self.level == Level::Edge {
            return if edge == self.own {
                Way::Down(slot as usize)
            } else {
                Way::Up(edge as usize)
            };
        }
        let (pod, position) = self.edges_per_pod.split(edge);
        if self.level == Level::Core {
            Way::Down(pod as usize * self.down_bundle)
        } else if pod == self.own {
            Way::Down(position as usize * self.down_bundle)
        } else {
            Way::Up(pod as usize)
        }
    }

    /// Down-ports: the uplinks' port numbers start here.
    #[inline]
    #[must_use]
    pub fn downlinks(&self) -> usize {
        self.downlinks
    }

    /// Parallel links to each neighbour below.
    #[inline]
    #[must_use]
    pub fn down_bundle(&self) -> usize {
        self.down_bundle
    }

    /// Which of a packet's two `via` stamps this switch writes.
    #[inline]
    #[must_use]
    pub fn via(&self) -> usize {
        usize::from(self.level != Level::Edge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_by_multiplication_is_exact() {
        for by in (1..=200).chain([4096, 65_535, u32::MAX]) {
            let divisor = Divisor::new(by);
            for value in (0..3000).chain(u32::MAX - 300..=u32::MAX) {
                assert_eq!(
                    divisor.split(value),
                    (value / by, value % by),
                    "{value} / {by}"
                );
            }
        }
    }

    #[test]
    fn every_switch_sends_every_host_down_where_the_tree_has_it_and_up_elsewhere() {
        for tree in [
            FatTree::new(3, 2),
            FatTree::new(3, 4),
            FatTree::new(3, 6),
            FatTree::new(2, 6),
        ] {
            for node in tree.hosts()..tree.nodes() {
                let routes = Routes::new(tree, node);
                for dst in 0..tree.hosts() {
                    match routes.way(dst) {
                        Way::Down(port) => assert_eq!(tree.down_port(node, dst), Some(port as u32)),
                        Way::Up(group) => {
                            assert_eq!(tree.down_port(node, dst), None);
                            let edge = tree.edge_of(dst);
                            let expected = if tree.place(node).0 == Level::Edge {
                                edge
                            } else {
                                tree.pod_of(edge)
                            };
                            assert_eq!(group as u32, expected);
                        }
                    }
                }
            }
        }
    }
}
