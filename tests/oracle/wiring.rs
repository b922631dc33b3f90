//! Who is plugged into whom: an explicit table of plugs, written from the numbering of the specification (section 1.1), and
//! routing by looking below.
//!
//! Nodes have one number each: hosts first, then edges, aggregation switches, cores. A two-level tree has leaves as edges and
//! spines as aggregation switches without uplinks.

use std::collections::BTreeSet;

use spraysim::lb::host::Layer;
use spraysim::lb::switch::UplinkSet;
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
    pub(crate) levels: u8,
    pub(crate) half: usize,
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
    /// The fat tree of `levels` levels of switches with `k` ports.
    pub(crate) fn new(levels: u8, k: usize) -> Self {
        let half = k / 2;
        let (edges, aggs, cores) = match levels {
            2 => (k, half, 0),
            3 => (k * half, k * half, half * half),
            _ => panic!("{levels} levels"),
        };
        let hosts = edges * half;
        let mut wiring = Self {
            levels,
            half,
            hosts,
            edges,
            aggs,
            cores,
            plugs: vec![Vec::new(); hosts + edges + aggs + cores],
            below: Vec::new(),
        };
        for (lower, lower_port, upper, upper_port) in wiring.cables(k) {
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
    fn cables(&self, k: usize) -> Vec<(usize, usize, usize, usize)> {
        let w = self.half;
        let edge = |e: usize| self.hosts + e;
        let agg = |a: usize| self.hosts + self.edges + a;
        let core = |c: usize| self.hosts + self.edges + self.aggs + c;
        let mut cables = Vec::new();
        for h in 0..self.hosts {
            cables.push((h, 0, edge(h / w), h % w));
        }
        if self.levels == 2 {
            for leaf in 0..k {
                for i in 0..w {
                    cables.push((edge(leaf), w + i, agg(i), leaf));
                }
            }
            return cables;
        }
        for pod in 0..k {
            for j in 0..w {
                for i in 0..w {
                    cables.push((edge(pod * w + j), w + i, agg(pod * w + i), j));
                }
            }
        }
        for pod in 0..k {
            for a in 0..w {
                for c in 0..w {
                    cables.push((agg(pod * w + a), w + c, core(a * w + c), pod));
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

    /// The down-port of `node` that leads to host `dst`, if `dst` is below.
    pub(crate) fn down_port(&self, node: usize, dst: usize) -> Option<usize> {
        let mut ports = (0..self.below[node].len()).filter(|p| self.below[node][*p].contains(&dst));
        let port = ports.next();
        assert_eq!(ports.next(), None, "one way down");
        port
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
            let ends_at = |next: usize| match self.is_edge(node) {
                true => self.leads(next, dst, is_up),
                false => true,
            };
            let onward = self.down_port(above, dst);
            let onward =
                onward.map(|port| is_up(above, port) && ends_at(self.plugs[above][port].peer));
            is_up(node, port) && onward.unwrap_or_else(|| self.leads_over(above, dst, is_up))
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
            || self.down_port(node, dst).is_some_and(|port| {
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
        self.edge_of(host) / self.half
    }

    /// How many pods there are, three levels only.
    pub(crate) fn pods(&self) -> usize {
        self.edges / self.half
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
