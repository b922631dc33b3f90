//! What is left of a tree's links, bundle by bundle: how many are up, how fast, and which ways lead where.
//!
//! A bundle is the parallel links between two switches; one without parallel links is a bundle of one. Both directions of a cable share
//! its state. Valid ways are those of [`crate::topology::Reach`] (a test compares them), counted instead of listed.

use std::collections::BTreeMap;

use num_rational::BigRational;

use super::fraction::{approximate, fraction, sum};
use crate::settings::Fabric;
use crate::topology::{FatTree, PortRef};
use crate::units::Ratio;

/// A direction of all bundles of a tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hop {
    /// From edge switch E to the aggregation switch at position i of its pod: bundle E A + i.
    EdgeUp,
    /// The other direction of these.
    EdgeDown,
    /// From aggregation switch a to the l-th core above it: bundle a L + l.
    CoreUp,
    /// The other direction of these.
    CoreDown,
}

/// A directed bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) hop: Hop,
    /// Its number among those of its tier.
    pub(super) bundle: usize,
}

/// A position of aggregation switches, as a way from one edge switch to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    pub(super) number: u32,
    /// The edge switch's valid uplinks to it.
    pub(super) up: u32,
    /// Those of the aggregation switch there; 1 inside a pod.
    pub(super) above: u32,
}

/// The bundles of one tier.
#[derive(Debug)]
struct Bundles {
    /// Rate of an unimpaired member over line rate.
    rate: BigRational,
    /// By bundle, the members that are up.
    live: Vec<u32>,
    /// Of the bundles with an impaired member, the fractions of their rate that live members have.
    impaired: BTreeMap<usize, Vec<Ratio>>,
}

/// The cables between switches.
#[derive(Debug)]
pub(super) struct Cables {
    pub(super) tree: FatTree,
    tiers: [Bundles; 2],
    /// By aggregation switch and pod, the former's valid uplinks to the latter.
    ways: Vec<u32>,
}

impl Cables {
    /// Of `fabric`, where `cable` says of each cable between switches, named by its lower end, at what fraction of its rate it works;
    /// `None`: it is down.
    pub(super) fn new(fabric: &Fabric, cable: impl Fn(PortRef) -> Option<Ratio>) -> Self {
        let tree = FatTree::of(fabric.shape);
        let tier = |above: usize, nodes: std::ops::Range<u32>, members: u32| {
            let line = fabric.host_rate().bits_per_sec();
            let rate = fraction(fabric.tiers[above].rate.bits_per_sec(), line);
            let mut bundles = Bundles {
                rate,
                live: Vec::new(),
                impaired: BTreeMap::new(),
            };
            for node in nodes {
                let (first, all) = (tree.down_ports(node), tree.ports(node));
                for port in (first..all).step_by(members as usize) {
                    let member = |port| cable(PortRef { node, port });
                    bundles.push((port..port + members).filter_map(member).collect());
                }
            }
            bundles
        };
        let shape = fabric.shape;
        let edges = tier(1, tree.edge_node(0)..tree.agg_node(0), shape.edge_bundle);
        let aggs = tier(2, tree.agg_node(0)..tree.core_node(0), shape.agg_bundle);
        let mut cables = Self {
            tree,
            tiers: [edges, aggs],
            ways: Vec::new(),
        };
        cables.ways = cables.count_ways();
        cables
    }

    fn count_ways(&self) -> Vec<u32> {
        let (aggs, pods) = (self.tree.aggs_per_pod(), self.tree.pods());
        let count = |agg: u32, pod: u32| {
            let twin = pod * aggs + agg % aggs;
            self.cores(agg)
                .zip(self.cores(twin))
                .map(|(up, down)| if down > 0 { up } else { 0 })
                .sum()
        };
        (0..self.tree.aggs())
            .flat_map(|agg| (0..pods).map(move |pod| count(agg, pod)))
            .collect()
    }

    /// Live members of the bundles above aggregation switch `agg`.
    fn cores(&self, agg: u32) -> impl Iterator<Item = u32> {
        let cores = self.tree.shape().cores_per_agg as usize;
        let first = agg as usize * cores;
        self.tiers[1].live[first..first + cores].iter().copied()
    }

    /// The number of the bundle between edge switch `edge` and position `i`.
    pub(super) const fn edge_bundle(&self, edge: u32, i: u32) -> usize {
        (edge * self.tree.aggs_per_pod() + i) as usize
    }

    /// The number of the bundle between aggregation switch `agg` and its `l`-th core.
    pub(super) const fn core_bundle(&self, agg: u32, l: u32) -> usize {
        (agg * self.tree.shape().cores_per_agg + l) as usize
    }

    /// The aggregation switch at position `i` of `pod`.
    pub(super) const fn agg(&self, pod: u32, i: u32) -> u32 {
        pod * self.tree.aggs_per_pod() + i
    }

    /// Valid uplinks of aggregation switch `agg` to `pod`, another one.
    pub(super) fn ways(&self, agg: u32, pod: u32) -> u32 {
        self.ways[(agg * self.tree.pods() + pod) as usize]
    }

    /// The positions through which edge `from` reaches edge `to`, another one.
    pub(super) fn positions(&self, from: u32, to: u32) -> impl Iterator<Item = Position> {
        let (pod, other) = (self.tree.pod_of(from), self.tree.pod_of(to));
        let live = |edge: u32, i: u32| self.tiers[0].live[self.edge_bundle(edge, i)];
        (0..self.tree.aggs_per_pod()).filter_map(move |i| {
            let up = if live(to, i) > 0 { live(from, i) } else { 0 };
            let above = match pod == other {
                true => 1,
                false => self.ways(self.agg(pod, i), other),
            };
            (up > 0 && above > 0).then_some(Position {
                number: i,
                up,
                above,
            })
        })
    }

    /// The cores through which aggregation switch `agg` reaches `pod`, another one, and the uplinks to each.
    pub(super) fn valid_cores(&self, agg: u32, pod: u32) -> impl Iterator<Item = (u32, u32)> {
        let twin = self.agg(pod, agg % self.tree.aggs_per_pod());
        let both = self.cores(agg).zip(self.cores(twin));
        (0..)
            .zip(both)
            .filter(|(_, (up, down))| *up > 0 && *down > 0)
            .map(|(l, (up, _))| (l, up))
    }

    /// Every directed bundle.
    pub(super) fn links(&self) -> impl Iterator<Item = Link> {
        let bundles = |hop: Hop| 0..self.tiers[hop.tier()].live.len();
        Hop::ALL
            .into_iter()
            .flat_map(move |hop| bundles(hop).map(move |bundle| Link { hop, bundle }))
    }

    /// The number of `link` in the order of [`Self::links`].
    pub(super) fn number(&self, link: Link) -> usize {
        let (edge, core) = (self.tiers[0].live.len(), self.tiers[1].live.len());
        link.bundle
            + match link.hop {
                Hop::EdgeUp => 0,
                Hop::EdgeDown => edge,
                Hop::CoreUp => 2 * edge,
                Hop::CoreDown => 2 * edge + core,
            }
    }

    /// Members that are up.
    pub(super) fn live(&self, link: Link) -> u32 {
        self.tiers[link.hop.tier()].live[link.bundle]
    }

    /// Rate over line rate of the slowest member that is up; there must be one.
    pub(super) fn slowest(&self, link: Link) -> BigRational {
        let tier = &self.tiers[link.hop.tier()];
        let least = |fractions: &Vec<Ratio>| fractions.iter().map(big).min();
        match tier.impaired.get(&link.bundle).and_then(least) {
            Some(least) => &tier.rate * least,
            None => tier.rate.clone(),
        }
    }

    /// Rate over line rate of all members that are up.
    pub(super) fn capacity(&self, link: Link) -> BigRational {
        let tier = &self.tiers[link.hop.tier()];
        let all = match tier.impaired.get(&link.bundle) {
            Some(fractions) => sum(fractions.iter().map(big).collect()),
            None => fraction(tier.live[link.bundle], 1),
        };
        &tier.rate * all
    }

    /// What a load, per member, of 1 is to the slowest member, nearly.
    pub(super) fn strain(&self, link: Link) -> f64 {
        1.0 / approximate(&self.slowest(link))
    }
}

impl Bundles {
    /// The next bundle: the fractions of their rate that its live members have.
    fn push(&mut self, members: Vec<Ratio>) {
        if members.iter().any(|fraction| fraction.num != fraction.den) {
            self.impaired.insert(self.live.len(), members.clone());
        }
        self.live.push(members.len() as u32);
    }
}

impl Hop {
    const ALL: [Self; 4] = [Self::EdgeUp, Self::EdgeDown, Self::CoreUp, Self::CoreDown];

    /// 0 below the aggregation switches, 1 above.
    const fn tier(self) -> usize {
        match self {
            Self::EdgeUp | Self::EdgeDown => 0,
            Self::CoreUp | Self::CoreDown => 1,
        }
    }
}

fn big(ratio: &Ratio) -> BigRational {
    fraction(ratio.num, ratio.den)
}
