//! Which uplinks lead where in a tree some of whose links are down, as routing (BGP, say) would tell every switch.
//!
//! Definition: our spec's section 1.6. Only shortest ways up and down count. With uplinks seen as pairs (position of the aggregation
//! switch or core above, member of the bundle), an uplink of edge E is valid for edge F if it is up, if the aggregation switch at that
//! position in F's pod has a live link to F, and, where F is in another pod, if some core has live links to both aggregation
//! switches. An uplink of an aggregation switch is valid for a pod if it is up and its core has a live link to that pod.
//!
//! All of it is intersections of sets kept by edge, by aggregation switch and by pair of pods: nothing is kept by switch and host. Does
//! not model when switches come to know.

use super::{FatTree, Layer, Level, PortRef};
use crate::lb::host::{Ends, LivePaths};
use crate::lb::switch::{UplinkSet, WORDS};

type Words = [u64; WORDS];

/// Live uplinks and what they lead to.
#[derive(Clone, Debug)]
pub struct Reach {
    tree: FatTree,
    /// By edge: its live uplinks.
    edge_up: Box<[Words]>,
    /// By edge F: the uplinks of an edge whose aggregation position has a live link to F.
    edge_below: Box<[Words]>,
    /// By aggregation switch: its live uplinks.
    agg_up: Box<[Words]>,
    /// By aggregation switch: the uplinks of one at this position whose core has a live link to it.
    agg_below: Box<[Words]>,
    /// By pod and pod: the uplinks of an edge whose aggregation position has a core with live links to both pods.
    between: Box<[Words]>,
}

impl Reach {
    /// Of `tree`, where `is_up` says of each cable between switches, named by its lower end, whether it is up.
    #[must_use]
    pub fn new(tree: FatTree, is_up: impl Fn(PortRef) -> bool) -> Self {
        let live = |nodes: std::ops::Range<u32>| -> Box<[Words]> {
            let uplinks = |node: u32| {
                let first = tree.down_ports(node);
                let up = |&uplink: &u32| {
                    let port = first + uplink;
                    is_up(PortRef { node, port })
                };
                set((0..tree.uplinks(node)).filter(up))
            };
            nodes.map(uplinks).collect()
        };
        let edge_up = live(tree.edge_node(0)..tree.agg_node(0));
        let agg_up = live(tree.agg_node(0)..tree.core_node(0));
        let shape = tree.shape();
        let edge_below = edge_up
            .iter()
            .map(|up| whole_bundles(up, shape.edge_bundle, tree.edge_uplinks()))
            .collect();
        let agg_below: Box<[Words]> = agg_up
            .iter()
            .map(|up| whole_bundles(up, shape.agg_bundle, tree.agg_uplinks()))
            .collect();
        let between = between(tree, &agg_up, &agg_below);
        Self {
            tree,
            edge_up,
            edge_below,
            agg_up,
            agg_below,
            between,
        }
    }

    /// The uplinks of edge `edge` that lead to edge `to`, another one.
    #[inline]
    #[must_use]
    pub fn from_edge(&self, edge: u32, to: u32) -> UplinkSet {
        let mut words = and(&self.edge_up[edge as usize], &self.edge_below[to as usize]);
        let (pod, other) = (self.tree.pod_of(edge), self.tree.pod_of(to));
        if pod != other {
            let pair = pod * self.tree.pods() + other;
            words = and(&words, &self.between[pair as usize]);
        }
        UplinkSet::Some(words)
    }

    /// The uplinks of aggregation switch `agg` that lead to pod `to`, another one.
    #[inline]
    #[must_use]
    pub fn from_agg(&self, agg: u32, to: u32) -> UplinkSet {
        let twin = to * self.tree.aggs_per_pod() + agg % self.tree.aggs_per_pod();
        UplinkSet::Some(and(
            &self.agg_up[agg as usize],
            &self.agg_below[twin as usize],
        ))
    }

    /// Whether a packet can get from host `src` to host `dst`.
    #[must_use]
    pub fn connects(&self, src: u32, dst: u32) -> bool {
        let (edge, to) = (self.tree.edge_of(src), self.tree.edge_of(dst));
        edge == to || !self.from_edge(edge, to).is_empty()
    }

    /// Whether the cable between switches at this port, either of its ends, is up.
    #[must_use]
    pub fn is_up(&self, end: PortRef) -> bool {
        let down = self.tree.down_ports(end.node);
        let lower = if end.port < down {
            self.tree.peer(end.node, end.port)
        } else {
            end
        };
        let (level, index) = self.tree.place(lower.node);
        let up = match level {
            Level::Edge => &self.edge_up[index as usize],
            Level::Agg => &self.agg_up[index as usize],
            // Hosts' links never fail.
            Level::Host | Level::Core => return true,
        };
        has(up, lower.port - self.tree.down_ports(lower.node))
    }

    /// The uplinks toward pod `to` of the aggregation switch above `uplink` of `edge`.
    fn beyond(&self, edge: u32, uplink: u32, to: u32) -> UplinkSet {
        let position = uplink / self.tree.shape().edge_bundle;
        let agg = self.tree.pod_of(edge) * self.tree.aggs_per_pod() + position;
        self.from_agg(agg, to)
    }

    /// Bytes that it takes.
    #[must_use]
    pub const fn bytes(tree: FatTree) -> u64 {
        let sets = 2 * tree.edges() as u64 + 2 * tree.aggs() as u64;
        (sets + tree.pods() as u64 * tree.pods() as u64) * size_of::<Words>() as u64
    }
}

impl LivePaths for Reach {
    fn is_live(&self, ends: Ends, [edge_uplink, agg_uplink]: [u8; 2]) -> bool {
        let Ends { src, dst } = ends;
        let (edge, to) = (self.tree.edge_of(src), self.tree.edge_of(dst));
        match self.tree.layer(src, dst) {
            Layer::SameEdge => true,
            Layer::SamePod => self.from_edge(edge, to).contains(edge_uplink.into()),
            Layer::InterPod => {
                self.from_edge(edge, to).contains(edge_uplink.into())
                    && self
                        .beyond(edge, edge_uplink.into(), self.tree.pod_of(to))
                        .contains(agg_uplink.into())
            }
        }
    }

    fn count(&self, ends: Ends) -> u32 {
        let Ends { src, dst } = ends;
        let (edge, to) = (self.tree.edge_of(src), self.tree.edge_of(dst));
        match self.tree.layer(src, dst) {
            Layer::SameEdge => 1,
            Layer::SamePod => self.from_edge(edge, to).len() as u32,
            Layer::InterPod => {
                let pod = self.tree.pod_of(to);
                let beyond = |uplink| self.beyond(edge, uplink as u32, pod).len() as u32;
                self.from_edge(edge, to).iter().map(beyond).sum()
            }
        }
    }
}

fn has(set: &Words, uplink: u32) -> bool {
    set[uplink as usize / 64] >> (uplink % 64) & 1 == 1
}

fn between(tree: FatTree, agg_up: &[Words], agg_below: &[Words]) -> Box<[Words]> {
    let (pods, aggs, bundle) = (tree.pods(), tree.aggs_per_pod(), tree.shape().edge_bundle);
    let meet = |pod: u32, other: u32| {
        let meets = |position: &u32| {
            let up = &agg_up[(pod * aggs + position) as usize];
            let below = &agg_below[(other * aggs + position) as usize];
            and(up, below) != [0; WORDS]
        };
        let members = |position: u32| (0..bundle).map(move |member| position * bundle + member);
        set((0..aggs).filter(meets).flat_map(members))
    };
    (0..pods)
        .flat_map(|pod| (0..pods).map(move |other| (pod, other)))
        .map(|(pod, other)| meet(pod, other))
        .collect()
}

fn and(one: &Words, other: &Words) -> Words {
    std::array::from_fn(|i| one[i] & other[i])
}

fn set(uplinks: impl Iterator<Item = u32>) -> Words {
    let mut words = [0; WORDS];
    for uplink in uplinks {
        words[uplink as usize / 64] |= 1 << (uplink % 64);
    }
    words
}

/// All members of those of `uplinks` bundles that have one in `up`.
fn whole_bundles(up: &Words, bundle: u32, uplinks: u32) -> Words {
    let any = |&uplink: &u32| {
        let first = uplink / bundle * bundle;
        (first..first + bundle).any(|member| has(up, member))
    };
    set((0..uplinks).filter(any))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::fat_tree::tests::{odd_trees, plain_trees};
    use super::*;
    use crate::rng::{Domain, Rng};
    use crate::topology::Level;

    /// Whether a packet for `dst` can go on from `node`, down if it must, by looking at every cable.
    fn leads(tree: FatTree, is_up: &impl Fn(PortRef) -> bool, node: u32, dst: u32) -> bool {
        if node == dst {
            return true;
        }
        let down = tree.down_ports(node);
        let ports = match tree.down_port(node, dst) {
            Some(port) => port..port + tree.down_bundle(node),
            None => down..tree.ports(node),
        };
        let mut ways = ports.map(|port| {
            let (here, there) = (PortRef { node, port }, tree.peer(node, port));
            let lower = if port < down { there } else { here };
            (is_up(lower), there.node)
        });
        ways.any(|(up, next)| up && leads(tree, is_up, next, dst))
    }

    #[test]
    fn an_uplink_is_valid_if_and_only_if_a_packet_can_get_through_it() {
        let small = plain_trees().filter(|tree| tree.hosts() <= 54);
        for (number, tree) in (0..).zip(small.chain(odd_trees())) {
            let mut rng = Rng::stream(7, Domain::SwitchPick, number);
            for percent in [0, 10, 40] {
                let mut dead = BTreeSet::new();
                for node in tree.edge_node(0)..tree.core_node(0) {
                    for port in tree.down_ports(node)..tree.ports(node) {
                        if rng.below(100) < percent {
                            dead.insert(PortRef { node, port });
                        }
                    }
                }
                let is_up = |cable: PortRef| !dead.contains(&cable);
                let reach = Reach::new(tree, is_up);
                for node in tree.edge_node(0)..tree.core_node(0) {
                    let (level, index) = tree.place(node);
                    for dst in (0..tree.hosts()).filter(|&dst| tree.down_port(node, dst).is_none())
                    {
                        let to = tree.edge_of(dst);
                        let valid = match level {
                            Level::Edge => reach.from_edge(index, to),
                            _ if tree.levels() == 2 => continue,
                            _ => reach.from_agg(index, tree.pod_of(to)),
                        };
                        let first = tree.down_ports(node);
                        for uplink in 0..tree.uplinks(node) {
                            let port = first + uplink;
                            let above = tree.peer(node, port).node;
                            let mut through = is_up(PortRef { node, port });
                            if level == Level::Edge {
                                through &= leads(tree, &is_up, above, dst);
                            } else {
                                // The edge looks at the last hop; here the core must reach the pod.
                                let pod = tree.down_port(above, dst).expect("a core reaches all");
                                through &= (pod..pod + tree.down_bundle(above))
                                    .any(|port| is_up(tree.peer(above, port)));
                            }
                            assert_eq!(valid.contains(uplink as usize), through);
                        }
                    }
                }
                for (src, dst) in
                    (0..tree.hosts()).flat_map(|a| (0..tree.hosts()).map(move |b| (a, b)))
                {
                    let led = leads(tree, &is_up, src, dst);
                    assert_eq!(reach.connects(src, dst), led);
                    let (u, v) = (tree.edge_uplinks() as u8, tree.agg_uplinks().max(1) as u8);
                    let routes = (0..u).flat_map(|a| (0..v).map(move |c| [a, c]));
                    let live = routes.filter(|&route| reach.is_live(Ends { src, dst }, route));
                    assert_eq!(live.clone().count() > 0, led);
                    // Below the layer where they meet, what the route says of the rest does not count.
                    let idle = match tree.layer(src, dst) {
                        Layer::SameEdge => usize::from(u) * usize::from(v),
                        Layer::SamePod => usize::from(v),
                        Layer::InterPod => 1,
                    };
                    let count = reach.count(Ends { src, dst }) as usize;
                    assert_eq!(count * idle, live.count());
                }
            }
        }
    }
}
