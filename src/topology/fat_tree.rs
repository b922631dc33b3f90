//! Fat trees of two and three levels, as pure arithmetic: counts, cabling, names, layers, the way down.
//!
//! Source: paper section 2.1 and figure 2 (three levels), section 6.3 (two levels); the numbering is our spec's section 1.1; bundles of
//! parallel links, oversubscription and the other numbering of cores are htsim's (`FatTreeTopology`). All nodes share one index space:
//! hosts, then edges, then aggregation switches, then cores. A two-level tree is one pod: its leaves are "edges", its spines
//! "aggregation switches" without uplinks. Does not model failures, and trees whose switches of one level differ.
//!
//! With H hosts an edge, E edges and A aggregation switches a pod, bundles of b and B links, and L cores an aggregation switch: edge e
//! has down-ports 0..H to hosts e H + j, and uplinks H + i b + m (member m) to aggregation (pod, i), number pod A + i. Aggregation
//! (p, a) has down-ports j b + m to edges p E + j and uplinks E b + l B + m to core (a, l), which is number a L + l, or l A + a. A core's
//! ports p B + m lead to aggregation (p, a). A host's only port is 0.

use super::{NodeName, Stage};
use crate::lb::host::Layer;
use crate::settings::Shape;

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

/// A fat tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FatTree {
    pub(super) shape: Shape,
}

impl FatTree {
    /// The tree of this shape (checked by the scenario).
    #[must_use]
    pub const fn of(shape: Shape) -> Self {
        assert!(shape.levels == 2 || shape.levels == 3, "2 or 3 levels");
        Self { shape }
    }

    /// The fat tree of switches with `k` ports, even, on `levels` 2 or 3.
    ///
    /// # Panics
    ///
    /// On other values.
    #[must_use]
    pub const fn new(levels: u8, k: u32) -> Self {
        assert!(k >= 2 && k.is_multiple_of(2), "even k");
        Self::of(Shape::fat_tree(levels, k))
    }

    /// Counts of switches and links.
    #[must_use]
    pub const fn shape(self) -> Shape {
        self.shape
    }

    /// Levels of switches, 2 or 3.
    #[must_use]
    pub const fn levels(self) -> u8 {
        self.shape.levels
    }

    const fn three(self) -> bool {
        self.shape.levels == 3
    }

    /// Pods, 1 where there are two levels.
    #[must_use]
    pub const fn pods(self) -> u32 {
        self.shape.pods
    }

    /// Hosts under one edge switch.
    #[must_use]
    pub const fn hosts_per_edge(self) -> u32 {
        self.shape.hosts_per_edge
    }

    /// Edge switches of one pod, or all leaves.
    #[must_use]
    pub const fn edges_per_pod(self) -> u32 {
        self.shape.edges_per_pod
    }

    /// Aggregation switches of one pod, or all spines.
    #[must_use]
    pub const fn aggs_per_pod(self) -> u32 {
        self.shape.aggs_per_pod
    }

    /// Uplinks of an edge switch, every member of a bundle counted.
    #[must_use]
    pub const fn edge_uplinks(self) -> u32 {
        self.shape.aggs_per_pod * self.shape.edge_bundle
    }

    /// Uplinks of an aggregation switch, every member of a bundle counted; none where there are two levels.
    #[must_use]
    pub const fn agg_uplinks(self) -> u32 {
        self.shape.cores_per_agg * self.shape.agg_bundle
    }

    /// Hosts of one pod.
    #[must_use]
    pub const fn hosts_per_pod(self) -> u32 {
        self.edges_per_pod() * self.hosts_per_edge()
    }

    /// Hosts.
    #[must_use]
    pub const fn hosts(self) -> u32 {
        self.pods() * self.hosts_per_pod()
    }

    /// Edge switches (leaves).
    #[must_use]
    pub const fn edges(self) -> u32 {
        self.pods() * self.edges_per_pod()
    }

    /// Aggregation switches (spines).
    #[must_use]
    pub const fn aggs(self) -> u32 {
        self.pods() * self.aggs_per_pod()
    }

    /// Core switches, or none.
    #[must_use]
    pub const fn cores(self) -> u32 {
        self.shape.aggs_per_pod * self.shape.cores_per_agg
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

    /// Directed links of a stage.
    #[must_use]
    pub const fn stage_links(self, stage: Stage) -> u32 {
        match stage {
            Stage::Nic | Stage::Eh => self.hosts(),
            Stage::Ea | Stage::Ae => self.edges() * self.edge_uplinks(),
            Stage::Ac | Stage::Ca => self.aggs() * self.agg_uplinks(),
        }
    }

    /// Directed links of all stages.
    #[must_use]
    pub fn directed_links(self) -> u64 {
        self.stages()
            .map(|stage| u64::from(self.stage_links(stage)))
            .sum()
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

    /// Shortest ways up between two hosts: choices of uplinks, every member of a bundle counted.
    #[must_use]
    pub const fn paths(self, layer: Layer) -> u32 {
        match layer {
            Layer::SameEdge => 1,
            Layer::SamePod => self.edge_uplinks(),
            Layer::InterPod => self.edge_uplinks() * self.agg_uplinks(),
        }
    }

    /// The node of edge switch `edge`; that of host h is h.
    #[must_use]
    pub const fn edge_node(self, edge: u32) -> u32 {
        self.hosts() + edge
    }

    /// The node of aggregation switch `agg` = pod x aggs_per_pod + index.
    #[must_use]
    pub const fn agg_node(self, agg: u32) -> u32 {
        self.hosts() + self.edges() + agg
    }

    /// The node of core switch `core`.
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

    /// The node of that name, if this tree has it.
    #[must_use]
    pub fn named(self, name: NodeName) -> Option<u32> {
        let NodeName(letter, index) = name;
        let (first, count) = match letter {
            'h' => (0, self.hosts()),
            'e' => (self.edge_node(0), self.edges()),
            'a' => (self.agg_node(0), self.aggs()),
            'c' => (self.core_node(0), self.cores()),
            _ => return None,
        };
        (index < count).then(|| first + index)
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
}

#[cfg(test)]
#[path = "fat_tree_tests.rs"]
pub(crate) mod tests;
