//! The cables of a fat tree: which port leads where. Numbering as in [`super::fat_tree`].

use super::Stage;
use super::fat_tree::{FatTree, Level, PortRef};
use crate::settings::CoreNumbers;

impl FatTree {
    /// The number of the `l`-th core that aggregation switches at position `a` reach.
    #[must_use]
    pub const fn core(self, a: u32, l: u32) -> u32 {
        match self.shape.cores {
            CoreNumbers::Blocks => a * self.shape.cores_per_agg + l,
            CoreNumbers::Strides => l * self.shape.aggs_per_pod + a,
        }
    }

    /// The position of the aggregation switches that reach core `core`, and its number among the cores of these.
    #[must_use]
    pub const fn core_place(self, core: u32) -> (u32, u32) {
        let (aggs, cores) = (self.shape.aggs_per_pod, self.shape.cores_per_agg);
        match self.shape.cores {
            CoreNumbers::Blocks => (core / cores, core % cores),
            CoreNumbers::Strides => (core % aggs, core / aggs),
        }
    }

    /// Parallel links from a switch to each switch (or host) below it.
    #[must_use]
    pub const fn down_bundle(self, node: u32) -> u32 {
        match self.place(node).0 {
            Level::Host | Level::Edge => 1,
            Level::Agg => self.shape.edge_bundle,
            Level::Core => self.shape.agg_bundle,
        }
    }

    /// Parallel links from a node to each switch above it.
    #[must_use]
    pub const fn up_bundle(self, node: u32) -> u32 {
        match self.place(node).0 {
            Level::Host | Level::Core => 1,
            Level::Edge => self.shape.edge_bundle,
            Level::Agg => self.shape.agg_bundle,
        }
    }

    /// Which of the parallel links to its peer the one at `port` of `node` is, from 0.
    #[must_use]
    pub const fn member(self, node: u32, port: u32) -> u32 {
        let down = self.down_ports(node);
        if port < down {
            port % self.down_bundle(node)
        } else {
            (port - down) % self.up_bundle(node)
        }
    }

    /// Down-ports of a node: ports 0 up to this, exclusive.
    #[must_use]
    pub const fn down_ports(self, node: u32) -> u32 {
        let below = match self.place(node).0 {
            Level::Host => 0,
            Level::Edge => self.hosts_per_edge(),
            Level::Agg => self.edges_per_pod(),
            Level::Core => self.pods(),
        };
        below * self.down_bundle(node)
    }

    /// Uplinks of a node: its ports from `down_ports` on.
    #[must_use]
    pub const fn uplinks(self, node: u32) -> u32 {
        match self.place(node).0 {
            Level::Host => 1,
            Level::Edge => self.edge_uplinks(),
            Level::Agg => self.agg_uplinks(),
            Level::Core => 0,
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
        let (level, index) = self.place(node);
        let down = self.down_ports(node);
        if port >= down {
            return self.peer_above(level, index, port - down);
        }
        let bundle = self.down_bundle(node);
        let (below, member) = (port / bundle, port % bundle);
        let aggs = self.aggs_per_pod();
        let (node, uplink) = match level {
            Level::Host => (node, 0),
            Level::Edge => (index * self.hosts_per_edge() + below, 0),
            Level::Agg => (
                self.edge_node(index / aggs * self.edges_per_pod() + below),
                index % aggs * bundle + member,
            ),
            Level::Core => {
                let (a, l) = self.core_place(index);
                (self.agg_node(below * aggs + a), l * bundle + member)
            }
        };
        PortRef {
            node,
            port: self.down_ports(node) + uplink,
        }
    }

    /// The other end of an uplink of the `index`-th node of `level`.
    const fn peer_above(self, level: Level, index: u32, uplink: u32) -> PortRef {
        let (hosts, edges, aggs) = (
            self.hosts_per_edge(),
            self.edges_per_pod(),
            self.aggs_per_pod(),
        );
        let (node, port) = match level {
            Level::Host => (self.edge_node(index / hosts), index % hosts),
            Level::Edge => {
                let bundle = self.shape.edge_bundle;
                let agg = index / edges * aggs + uplink / bundle;
                (self.agg_node(agg), index % edges * bundle + uplink % bundle)
            }
            Level::Agg | Level::Core => {
                let bundle = self.shape.agg_bundle;
                let core = self.core(index % aggs, uplink / bundle);
                (
                    self.core_node(core),
                    index / aggs * bundle + uplink % bundle,
                )
            }
        };
        PortRef { node, port }
    }

    /// Cables between switches, each both directions of a link. They have numbers: the uplinks of the edges, by edge and port, then
    /// those of the aggregation switches.
    #[must_use]
    pub const fn cables(self) -> u32 {
        self.edge_cables() + self.aggs() * self.agg_uplinks()
    }

    /// Cables between edges and aggregation switches: the first ones.
    #[must_use]
    pub const fn edge_cables(self) -> u32 {
        self.edges() * self.edge_uplinks()
    }

    /// The lower end of a cable.
    #[must_use]
    pub const fn cable(self, number: u32) -> PortRef {
        debug_assert!(number < self.cables());
        let (node, uplink) = match number.checked_sub(self.edge_cables()) {
            None => {
                let uplinks = self.edge_uplinks();
                (self.edge_node(number / uplinks), number % uplinks)
            }
            Some(above) => {
                let uplinks = self.agg_uplinks();
                (self.agg_node(above / uplinks), above % uplinks)
            }
        };
        PortRef {
            node,
            port: self.down_ports(node) + uplink,
        }
    }

    /// The number of the cable at either of its ends; `None` for a host's link.
    #[must_use]
    pub const fn cable_number(self, end: PortRef) -> Option<u32> {
        let down = self.down_ports(end.node);
        let lower = if end.port < down {
            self.peer(end.node, end.port)
        } else {
            end
        };
        let (level, index) = self.place(lower.node);
        match level {
            Level::Host | Level::Core => None,
            Level::Edge => {
                Some(index * self.edge_uplinks() + lower.port - self.down_ports(lower.node))
            }
            Level::Agg => Some(
                self.edge_cables() + index * self.agg_uplinks() + lower.port
                    - self.down_ports(lower.node),
            ),
        }
    }

    /// The cables from switch `lower` up to switch `upper`, by member of the bundle; none if they are no neighbours.
    pub fn bundle(self, lower: u32, upper: u32) -> impl Iterator<Item = u32> {
        let ports = self.down_ports(lower)..self.ports(lower);
        ports
            .filter(move |&port| self.peer(lower, port).node == upper)
            .filter_map(move |port| self.cable_number(PortRef { node: lower, port }))
    }

    /// The cables of a switch but those to hosts.
    pub fn cables_of(self, node: u32) -> impl Iterator<Item = u32> {
        let ports = 0..self.ports(node);
        ports.filter_map(move |port| self.cable_number(PortRef { node, port }))
    }

    /// The first of the down-ports of switch `node` that lead to host `dst` ([`Self::down_bundle`] of them); `None` if `dst` is
    /// not below it (or `node` is a host).
    #[must_use]
    pub const fn down_port(self, node: u32, dst: u32) -> Option<u32> {
        let edge = self.edge_of(dst);
        let (level, index) = self.place(node);
        let below = match level {
            Level::Edge if edge == index => dst % self.hosts_per_edge(),
            Level::Agg if self.pod_of(edge) == index / self.aggs_per_pod() => {
                edge % self.edges_per_pod()
            }
            Level::Core => self.pod_of(edge),
            Level::Host | Level::Edge | Level::Agg => return None,
        };
        Some(below * self.down_bundle(node))
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
