//! Fat trees of two and three levels, as pure arithmetic: counts, cabling, names, layers, the way down.
//!
//! Source: paper section 2.1 and figure 2 (three levels), section 6.3 (two levels); the numbering is our spec's section 1.1.
//! All nodes share one index space: hosts, then edges, then aggregation switches, then cores. A two-level tree is one pod:
//! its leaves are "edges", its spines "aggregation switches" without uplinks. Does not model failures.
//!
//! With w = k / 2: edge e has down-ports 0..w to hosts e w + j and uplinks w + i to aggregation (pod, i); aggregation (p, a),
//! number p w + a, has down-ports 0..w to edges p w + j and uplinks w + c to core (a, c), number a w + c; a core's port p leads
//! to aggregation (p, a). A spine's port j leads to leaf j. A host's only port is 0.

use super::{NodeName, Stage};
use crate::lb::host::Layer;

/// The level of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// A host.
    Host,
    /// An edge switch (leaf).
    Edge,
    /// An aggregation switch (spine of a two-level tree).
    Agg,
    /// A core switch.
    Core,
}

/// One end of a cable: a node and the number of its port, which is also the ingress number of what arrives there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortRef {
    /// The node, in the common index space.
    pub node: u32,
    /// Its port.
    pub port: u32,
}

/// A fat tree without oversubscription, of switches with k ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FatTree {
    levels: u8,
    k: u32,
}

impl FatTree {
    /// A tree of `levels` 2 or 3 and even `k`, 2 to 128 (checked by the scenario).
    ///
    /// # Panics
    ///
    /// On other values.
    #[must_use]
    pub const fn new(levels: u8, k: u32) -> Self {
        assert!(levels == 2 || levels == 3, "2 or 3 levels");
        assert!(
            k >= 2 && k <= 128 && k.is_multiple_of(2),
            "even k, 2 to 128"
        );
        Self { levels, k }
    }

    /// Levels of switches, 2 or 3.
    #[must_use]
    pub const fn levels(self) -> u8 {
        self.levels
    }

    /// Ports a switch.
    #[must_use]
    pub const fn k(self) -> u32 {
        self.k
    }

    /// Half of the ports: hosts an edge, uplinks an edge.
    #[must_use]
    pub const fn w(self) -> u32 {
        self.k / 2
    }

    const fn three(self) -> bool {
        self.levels == 3
    }

    /// Pods: k, or 1 where there are two levels.
    #[must_use]
    pub const fn pods(self) -> u32 {
        if self.three() { self.k } else { 1 }
    }

    /// Hosts under one edge switch (w).
    #[must_use]
    pub const fn hosts_per_edge(self) -> u32 {
        self.w()
    }

    /// Edge switches of one pod: w, or all k leaves.
    #[must_use]
    pub const fn edges_per_pod(self) -> u32 {
        if self.three() { self.w() } else { self.k }
    }

    /// Hosts of one pod.
    #[must_use]
    pub const fn hosts_per_pod(self) -> u32 {
        self.edges_per_pod() * self.hosts_per_edge()
    }

    /// Hosts: k^3 / 4, or k^2 / 2.
    #[must_use]
    pub const fn hosts(self) -> u32 {
        self.pods() * self.hosts_per_pod()
    }

    /// Edge switches (leaves): k^2 / 2, or k.
    #[must_use]
    pub const fn edges(self) -> u32 {
        self.pods() * self.edges_per_pod()
    }

    /// Aggregation switches (spines): k^2 / 2, or w.
    #[must_use]
    pub const fn aggs(self) -> u32 {
        self.pods() * self.w()
    }

    /// Core switches: k^2 / 4, or none.
    #[must_use]
    pub const fn cores(self) -> u32 {
        if self.three() { self.w() * self.w() } else { 0 }
    }

    /// Switches of all levels.
    #[must_use]
    pub const fn switches(self) -> u32 {
        self.edges() + self.aggs() + self.cores()
    }

    /// Hosts and switches.
    #[must_use]
    pub const fn nodes(self) -> u32 {
        self.hosts() + self.switches()
    }

    /// Directed links of each stage: one a host.
    #[must_use]
    pub const fn links_per_stage(self) -> u32 {
        self.hosts()
    }

    /// The stages that this tree has, in `Stage` order.
    pub fn stages(self) -> impl Iterator<Item = Stage> {
        let three = self.three();
        let has = move |stage: &Stage| three || !matches!(stage, Stage::Ac | Stage::Ca);
        Stage::ALL.into_iter().filter(has)
    }

    /// The edge switch of a host.
    #[must_use]
    pub const fn edge_of(self, host: u32) -> u32 {
        host / self.hosts_per_edge()
    }

    /// The pod of an edge switch.
    #[must_use]
    pub const fn pod_of(self, edge: u32) -> u32 {
        edge / self.edges_per_pod()
    }

    /// The pod of a host.
    #[must_use]
    pub const fn pod_of_host(self, host: u32) -> u32 {
        host / self.hosts_per_pod()
    }

    /// How far apart two hosts are.
    #[must_use]
    pub const fn layer(self, src: u32, dst: u32) -> Layer {
        if self.edge_of(src) == self.edge_of(dst) {
            Layer::SameEdge
        } else if self.pod_of_host(src) == self.pod_of_host(dst) {
            Layer::SamePod
        } else {
            Layer::InterPod
        }
    }

    /// Links that a packet crosses one way.
    #[must_use]
    pub const fn hops(self, layer: Layer) -> u32 {
        match layer {
            Layer::SameEdge => 2,
            Layer::SamePod => 4,
            Layer::InterPod => 6,
        }
    }

    /// Shortest paths between two hosts.
    #[must_use]
    pub const fn paths(self, layer: Layer) -> u32 {
        match layer {
            Layer::SameEdge => 1,
            Layer::SamePod => self.w(),
            Layer::InterPod => self.w() * self.w(),
        }
    }

    /// The node of edge switch `edge`; that of host h is h.
    #[must_use]
    pub const fn edge_node(self, edge: u32) -> u32 {
        self.hosts() + edge
    }

    /// The node of aggregation switch `agg` = pod x w + index.
    #[must_use]
    pub const fn agg_node(self, agg: u32) -> u32 {
        self.hosts() + self.edges() + agg
    }

    /// The node of core switch `core` = aggregation index x w + index.
    #[must_use]
    pub const fn core_node(self, core: u32) -> u32 {
        self.hosts() + self.edges() + self.aggs() + core
    }

    /// The number of a switch node among all switches (edges, aggs, cores), from 0; `None` for a host.
    #[must_use]
    pub const fn switch_id(self, node: u32) -> Option<u32> {
        node.checked_sub(self.hosts())
    }

    /// The level of a node and its number in that level.
    #[must_use]
    pub const fn place(self, node: u32) -> (Level, u32) {
        debug_assert!(node < self.nodes());
        let Some(switch) = node.checked_sub(self.hosts()) else {
            return (Level::Host, node);
        };
        let Some(above_edge) = switch.checked_sub(self.edges()) else {
            return (Level::Edge, switch);
        };
        match above_edge.checked_sub(self.aggs()) {
            None => (Level::Agg, above_edge),
            Some(core) => (Level::Core, core),
        }
    }

    /// The name of a node.
    #[must_use]
    pub const fn name(self, node: u32) -> NodeName {
        let (level, index) = self.place(node);
        let letter = match level {
            Level::Host => 'h',
            Level::Edge => 'e',
            Level::Agg => 'a',
            Level::Core => 'c',
        };
        NodeName(letter, index)
    }

    /// Down-ports of a node: ports 0 up to this, exclusive.
    #[must_use]
    pub const fn down_ports(self, node: u32) -> u32 {
        match self.place(node).0 {
            Level::Host => 0,
            Level::Edge => self.hosts_per_edge(),
            Level::Agg => self.edges_per_pod(),
            Level::Core => self.pods(),
        }
    }

    /// Uplinks of a node: its ports from `down_ports` on.
    #[must_use]
    pub const fn uplinks(self, node: u32) -> u32 {
        match self.place(node).0 {
            Level::Host => 1,
            Level::Edge => self.w(),
            Level::Agg if self.three() => self.w(),
            Level::Agg | Level::Core => 0,
        }
    }

    /// All ports of a node.
    #[must_use]
    pub const fn ports(self, node: u32) -> u32 {
        self.down_ports(node) + self.uplinks(node)
    }

    /// The other end of the cable at `port` of `node`. Its `port` is the peer's ingress number.
    #[must_use]
    pub const fn peer(self, node: u32, port: u32) -> PortRef {
        debug_assert!(port < self.ports(node));
        let w = self.w();
        let (level, index) = self.place(node);
        let down = self.down_ports(node);
        let (node, port) = match level {
            Level::Host => (self.edge_node(index / w), index % w),
            Level::Edge if port < down => (index * w + port, 0),
            Level::Edge => {
                let agg = self.pod_of(index) * w + (port - down);
                (self.agg_node(agg), index % self.edges_per_pod())
            }
            Level::Agg if port < down => {
                let edge = index / w * self.edges_per_pod() + port;
                (self.edge_node(edge), self.hosts_per_edge() + index % w)
            }
            Level::Agg => (self.core_node(index % w * w + (port - down)), index / w),
            Level::Core => (
                self.agg_node(port * w + index / w),
                self.edges_per_pod() + index % w,
            ),
        };
        PortRef { node, port }
    }

    /// The down-port of switch `node` that leads to host `dst`; `None` if `dst` is not below it (or `node` is a host).
    #[must_use]
    pub const fn down_port(self, node: u32, dst: u32) -> Option<u32> {
        let edge = self.edge_of(dst);
        let (level, index) = self.place(node);
        match level {
            Level::Edge if edge == index => Some(dst % self.hosts_per_edge()),
            Level::Agg if self.pod_of(edge) == index / self.w() => {
                Some(edge % self.edges_per_pod())
            }
            Level::Core => Some(self.pod_of(edge)),
            Level::Host | Level::Edge | Level::Agg => None,
        }
    }

    /// The stage of the directed link that leaves `port` of `node`.
    #[must_use]
    pub const fn stage(self, node: u32, port: u32) -> Stage {
        let up = port >= self.down_ports(node);
        match (self.place(node).0, up) {
            (Level::Host, _) => Stage::Nic,
            (Level::Edge, true) => Stage::Ea,
            (Level::Edge, false) => Stage::Eh,
            (Level::Agg, true) => Stage::Ac,
            (Level::Agg, false) => Stage::Ae,
            (Level::Core, _) => Stage::Ca,
        }
    }

    /// Every directed link, as its sending port: by stage, then by node and port.
    pub fn links(self) -> impl Iterator<Item = (Stage, PortRef)> {
        self.stages().flat_map(move |stage| {
            let (first, count) = match stage {
                Stage::Nic => (0, self.hosts()),
                Stage::Ea | Stage::Eh => (self.edge_node(0), self.edges()),
                Stage::Ac | Stage::Ae => (self.agg_node(0), self.aggs()),
                Stage::Ca => (self.core_node(0), self.cores()),
            };
            let ports = move |node| (0..self.ports(node)).map(move |port| PortRef { node, port });
            (first..first + count)
                .flat_map(ports)
                .filter(move |end| self.stage(end.node, end.port) == stage)
                .map(move |end| (stage, end))
        })
    }
}

#[cfg(test)]
#[path = "fat_tree_tests.rs"]
mod tests;
