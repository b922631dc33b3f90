//! Who is plugged into whom: an explicit table of plugs, written from the numbering of the specification (sections 1.1 and 9.2), and
//! routing by looking below.
//!
//! Nodes have one number each: hosts first, then edges, aggregation switches, cores. A two-level tree has leaves as edges and
//! spines as aggregation switches without uplinks.

use std::collections::BTreeSet;

use spraysim::lb::host::Layer;
use spraysim::lb::switch::UplinkSet;
use spraysim::settings::{CoreNumbers, Shape};
use spraysim::sim::{NodeName, Stage};

/// One end of a cable, seen from its owner: where it leads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plug {
    /// The node at the far end.
    pub(crate) peer: usize,
    /// The port of the far end.
    pub(crate) peer_port: usize,
    /// Whether the far end is the upper one.
    pub(crate) up: bool,
}

/// The fabric's cables.
#[derive(Clone, Debug)]
pub(crate) struct Wiring {
    /// Uplinks of an edge, and of an aggregation switch.
    pub(crate) climbs: [usize; 2],
    pods: usize,
    pub(crate) hosts: usize,
    pub(crate) edges: usize,
    pub(crate) aggs: usize,
    pub(crate) cores: usize,
    /// By node, by port.
    pub(crate) plugs: Vec<Vec<Plug>>,
    /// By node, by port: the hosts that can be reached by going down only. Empty for uplinks.
    below: Vec<Vec<BTreeSet<usize>>>,
}

impl Wiring {
    /// The tree of `shape`.
    pub(crate) fn new(shape: &Shape) -> Self {
        let n = |count: u32| count as usize;
        let pods = n(shape.pods);
        let (edges, aggs) = (pods * n(shape.edges_per_pod), pods * n(shape.aggs_per_pod));
        let cores = n(shape.aggs_per_pod) * n(shape.cores_per_agg);
        let hosts = edges * n(shape.hosts_per_edge);
        let mut wiring = Self {
            climbs: [
                n(shape.aggs_per_pod) * n(shape.edge_bundle),
                n(shape.cores_per_agg) * n(shape.agg_bundle),
            ],
            pods,
            hosts,
            edges,
            aggs,
            cores,
            plugs: vec![Vec::new(); hosts + edges + aggs + cores],
            below: Vec::new(),
        };
        for (lower, lower_port, upper, upper_port) in wiring.cables(shape) {
            wiring.plug(lower, lower_port, upper, upper_port, true);
            wiring.plug(upper, upper_port, lower, lower_port, false);
        }
        for node in 0..wiring.plugs.len() {
            let sets = wiring.plugs[node]
                .iter()
                .map(|plug| wiring.hosts_through(*plug));
            let sets = sets.collect();
            wiring.below.push(sets);
        }
        wiring
    }

    /// Every cable as (lower node, its port, upper node, its port), in an order that fills each node's ports from 0.
    fn cables(&self, shape: &Shape) -> Vec<(usize, usize, usize, usize)> {
        let n = |count: u32| count as usize;
        let [per_edge, edges, aggs, cores] = [
            shape.hosts_per_edge,
            shape.edges_per_pod,
            shape.aggs_per_pod,
            shape.cores_per_agg,
        ]
        .map(n);
        let [thin, thick] = [shape.edge_bundle, shape.agg_bundle].map(n);
        let edge = |e: usize| self.hosts + e;
        let agg = |a: usize| self.hosts + self.edges + a;
        let core = |a: usize, l: usize| {
            let number = match shape.cores {
                CoreNumbers::Blocks => a * cores + l,
                CoreNumbers::Strides => a + l * aggs,
            };
            self.hosts + self.edges + self.aggs + number
        };
        let mut cables = Vec::new();
        for h in 0..self.hosts {
            cables.push((h, 0, edge(h / per_edge), h % per_edge));
        }
        for pod in 0..self.pods {
            for j in 0..edges {
                for i in 0..aggs {
                    for m in 0..thin {
                        let lower = (edge(pod * edges + j), per_edge + i * thin + m);
                        cables.push((lower.0, lower.1, agg(pod * aggs + i), j * thin + m));
                    }
                }
            }
        }
        for pod in 0..self.pods {
            for a in 0..aggs {
                for l in 0..cores {
                    for m in 0..thick {
                        let lower = (agg(pod * aggs + a), edges * thin + l * thick + m);
                        cables.push((lower.0, lower.1, core(a, l), pod * thick + m));
                    }
                }
            }
        }
        cables
    }

    fn plug(&mut self, node: usize, port: usize, peer: usize, peer_port: usize, up: bool) {
        assert_eq!(self.plugs[node].len(), port, "ports are filled in order");
        self.plugs[node].push(Plug {
            peer,
            peer_port,
            up,
        });
    }

    fn hosts_through(&self, plug: Plug) -> BTreeSet<usize> {
        if plug.up {
            return BTreeSet::new();
        }
        if plug.peer < self.hosts {
            return BTreeSet::from([plug.peer]);
        }
        let next = self.plugs[plug.peer].iter();
        next.flat_map(|plug| self.hosts_through(*plug)).collect()
    }

    /// The down-ports of `node` that lead to host `dst`: none if `dst` is not below, several in a bundle.
    pub(crate) fn down_ports(&self, node: usize, dst: usize) -> Vec<usize> {
        let ports = 0..self.below[node].len();
        let ports: Vec<usize> = ports
            .filter(|p| self.below[node][*p].contains(&dst))
            .collect();
        let peers: BTreeSet<usize> = ports.iter().map(|p| self.plugs[node][*p].peer).collect();
        assert!(peers.len() <= 1, "one way down");
        ports
    }

    /// The uplinks of `node`, numbered from 0, that lead to `dst` by links that are up, going up, then down. An aggregation switch looks
    /// as far as the other pod: whether the last hop is up was for the edge to see.
    pub(crate) fn valid_uplinks(
        &self,
        node: usize,
        dst: usize,
        is_up: &dyn Fn(usize, usize) -> bool,
    ) -> UplinkSet {
        let uplinks = self.downlinks(node)..self.plugs[node].len();
        let valid = uplinks.filter(|&port| {
            let above = self.plugs[node][port].peer;
            let down = self.down_ports(above, dst);
            let onward = if down.is_empty() {
                self.leads_over(above, dst, is_up)
            } else if self.is_edge(node) {
                self.leads(above, dst, is_up)
            } else {
                down.iter().any(|&port| is_up(above, port))
            };
            is_up(node, port) && onward
        });
        valid.map(|port| port - self.downlinks(node)).collect()
    }

    /// Whether some uplink of `node` leads to `dst`, all the way.
    fn leads_over(&self, node: usize, dst: usize, is_up: &dyn Fn(usize, usize) -> bool) -> bool {
        let mut uplinks = self.downlinks(node)..self.plugs[node].len();
        uplinks.any(|port| is_up(node, port) && self.leads(self.plugs[node][port].peer, dst, is_up))
    }

    /// Whether a packet at `node`, above `dst`, gets down to it.
    fn leads(&self, node: usize, dst: usize, is_up: &dyn Fn(usize, usize) -> bool) -> bool {
        node == dst
            || self.down_ports(node, dst).iter().any(|&port| {
                is_up(node, port) && self.leads(self.plugs[node][port].peer, dst, is_up)
            })
    }

    fn is_edge(&self, node: usize) -> bool {
        (self.hosts..self.hosts + self.edges).contains(&node)
    }

    /// How many ports of `node` lead down.
    pub(crate) fn downlinks(&self, node: usize) -> usize {
        self.plugs[node].iter().filter(|plug| !plug.up).count()
    }

    /// How many ports of `node` lead up.
    pub(crate) fn uplinks(&self, node: usize) -> usize {
        self.plugs[node].iter().filter(|plug| plug.up).count()
    }

    /// The number of the edge switch of `host` among edges.
    pub(crate) fn edge_of(&self, host: usize) -> usize {
        self.plugs[host][0].peer - self.hosts
    }

    /// The pod of `host`, three levels only.
    pub(crate) fn pod_of(&self, host: usize) -> usize {
        self.edge_of(host) / (self.edges / self.pods)
    }

    /// How many pods there are, three levels only.
    pub(crate) fn pods(&self) -> usize {
        self.pods
    }

    /// The lowest layer that both hosts can reach.
    pub(crate) fn layer(&self, one: usize, other: usize) -> Layer {
        let above = |node: usize| -> BTreeSet<usize> {
            let ups = self.plugs[node].iter().filter(|plug| plug.up);
            ups.map(|plug| plug.peer).collect()
        };
        let (e, f) = (self.plugs[one][0].peer, self.plugs[other][0].peer);
        if e == f {
            Layer::SameEdge
        } else if above(e).is_disjoint(&above(f)) {
            Layer::InterPod
        } else {
            Layer::SamePod
        }
    }

    /// The node's name in results.
    pub(crate) fn name(&self, node: usize) -> NodeName {
        let levels = [
            ('h', self.hosts),
            ('e', self.edges),
            ('a', self.aggs),
            ('c', self.cores),
        ];
        let mut number = node;
        for (letter, count) in levels {
            if number < count {
                return NodeName(letter, number as u32);
            }
            number -= count;
        }
        panic!("no node {node}");
    }

    /// Which of the parallel links to the same node leaves by `port`.
    pub(crate) fn member(&self, node: usize, port: usize) -> u32 {
        let peer = self.plugs[node][port].peer;
        let twins = self.plugs[node][..port].iter();
        twins.filter(|twin| twin.peer == peer).count() as u32
    }

    /// The tier of the link at `port` of `node`: 0 next to hosts, 1 between edges and aggregation switches, 2 above.
    pub(crate) fn tier(&self, node: usize, port: usize) -> usize {
        let lower = node.min(self.plugs[node][port].peer);
        match self.name(lower).0 {
            'h' => 0,
            'e' => 1,
            _ => 2,
        }
    }

    /// The tier whose switches `node` is one of.
    pub(crate) fn own_tier(&self, node: usize) -> usize {
        match self.name(node).0 {
            'e' => 0,
            'a' => 1,
            'c' => 2,
            other => panic!("{other} is no switch"),
        }
    }

    /// The stage of the link that leaves `node` by `port`.
    pub(crate) fn stage(&self, node: usize, port: usize) -> Stage {
        let to = self.plugs[node][port].peer;
        match (self.name(node).0, self.name(to).0) {
            ('h', 'e') => Stage::Nic,
            ('e', 'a') => Stage::Ea,
            ('a', 'c') => Stage::Ac,
            ('c', 'a') => Stage::Ca,
            ('a', 'e') => Stage::Ae,
            ('e', 'h') => Stage::Eh,
            other => panic!("no stage {other:?}"),
        }
    }
}
