//! rho_max against lists of all paths, made by walking from port to port; and by hand.

mod by_hand;
mod optimum;

use std::collections::BTreeMap;

use num_rational::BigRational;
use num_traits::{One, Zero};

use super::fraction::fraction;
use super::*;
use crate::rng::{Domain, Rng};
use crate::settings::{CoreNumbers, Shape, Tier};
use crate::topology::{FatTree, Level, Reach};
use crate::units::{Rate, Span, Time};

type Cable = BTreeMap<PortRef, Option<Ratio>>;

/// A fabric, its cables and its flows.
struct Case {
    fabric: Fabric,
    cables: Cable,
    flows: Vec<FlowSpec>,
}

/// One way: the directed links, by sending port, with what each carries of a unit.
type Path = Vec<(PortRef, BigRational)>;

fn tier(gbps: u64) -> Tier {
    Tier {
        rate: Rate::from_gbps(gbps),
        latency: Span::ZERO,
        switch_latency: Span::ZERO,
        down_buffer_bytes: None,
        up_buffer_bytes: None,
    }
}

fn flow(src: u32, dst: u32) -> FlowSpec {
    FlowSpec {
        id: 0,
        src,
        dst,
        bytes: 1,
        start: Time::ZERO,
    }
}

fn flows(pairs: &[(u32, u32)]) -> Vec<FlowSpec> {
    pairs.iter().map(|&(src, dst)| flow(src, dst)).collect()
}

fn shape(counts: [u32; 5], bundles: [u32; 2]) -> Shape {
    let [
        pods,
        edges_per_pod,
        hosts_per_edge,
        aggs_per_pod,
        cores_per_agg,
    ] = counts;
    Shape {
        levels: if cores_per_agg == 0 { 2 } else { 3 },
        pods,
        edges_per_pod,
        hosts_per_edge,
        aggs_per_pod,
        cores_per_agg,
        edge_bundle: bundles[0],
        agg_bundle: bundles[1],
        cores: CoreNumbers::Blocks,
    }
}

fn leaf_spine(leaves: u32, hosts: u32, spines: u32, bundle: u32) -> Shape {
    shape([1, leaves, hosts, spines, 0], [bundle, 1])
}

impl Case {
    fn new(shape: Shape, gbps: [u64; 3], flows: Vec<FlowSpec>) -> Self {
        let fabric = Fabric {
            shape,
            tiers: gbps.map(tier),
            ecn_threshold_bytes: None,
            failures: None,
            queue: crate::settings::Queue::PLAIN,
            losses: crate::settings::Losses::NONE,
        };
        Self {
            fabric,
            cables: Cable::new(),
            flows,
        }
    }

    fn tree(&self) -> FatTree {
        FatTree::of(self.fabric.shape)
    }

    /// The cable of uplink `uplink` of the `index`-th edge or aggregation switch.
    fn uplink(&self, level: Level, index: u32, uplink: u32) -> PortRef {
        let tree = self.tree();
        let node = match level {
            Level::Edge => tree.edge_node(index),
            _ => tree.agg_node(index),
        };
        let port = tree.down_ports(node) + uplink;
        PortRef { node, port }
    }

    fn with(mut self, level: Level, index: u32, uplink: u32, state: Option<Ratio>) -> Self {
        let cable = self.uplink(level, index, uplink);
        self.cables.insert(cable, state);
        self
    }

    fn state(&self, cable: PortRef) -> Option<Ratio> {
        self.cables.get(&cable).copied().unwrap_or(Some(Ratio::ONE))
    }

    fn result(&self, rule: RhoMaxRule) -> RhoMax {
        rho_max(&self.fabric, |cable| self.state(cable), &self.flows, rule).expect("a small case")
    }

    fn rho(&self, rule: RhoMaxRule) -> BigRational {
        let result = self.result(rule);
        assert!(result.is_exact, "{rule:?}: {result:?}");
        fraction(result.value.num, result.value.den)
    }

    fn all(&self) -> [BigRational; 3] {
        use RhoMaxRule::{HopEqual, Lp, PathEqual};
        [PathEqual, HopEqual, Lp].map(|rule| self.rho(rule))
    }

    /// The cable behind `port` of `node`, and the node at its other end.
    fn cable(&self, node: u32, port: u32) -> (PortRef, u32) {
        let (here, there) = (PortRef { node, port }, self.tree().peer(node, port));
        let is_up = port >= self.tree().down_ports(node);
        (if is_up { here } else { there }, there.node)
    }

    /// Capacity of the link that leaves `port`, over line rate.
    fn capacity(&self, link: PortRef) -> BigRational {
        let (cable, _) = self.cable(link.node, link.port);
        let tier = match self.tree().place(cable.node).0 {
            Level::Edge => 1,
            _ => 2,
        };
        let rate = |tier: usize| self.fabric.tiers[tier].rate.bits_per_sec();
        let state = self.state(cable).expect("only live links are used");
        fraction(rate(tier), rate(0)) * fraction(state.num, state.den)
    }

    /// The live ports by which `node` sends to `dst`, of those that lead there.
    fn next(&self, node: u32, dst: u32) -> Vec<(u32, u32)> {
        let tree = self.tree();
        let down = tree.down_ports(node);
        let ports = match tree.down_port(node, dst) {
            Some(first) => first..first + tree.down_bundle(node),
            None => down..tree.ports(node),
        };
        ports
            .map(|port| (port, self.cable(node, port)))
            .filter(|(_, (cable, next))| {
                *next == dst || self.state(*cable).is_some() && !self.next(*next, dst).is_empty()
            })
            .map(|(port, (_, next))| (port, next))
            .collect()
    }

    /// All ways up from `node` to `dst`; down, members share.
    fn paths(&self, node: u32, dst: u32) -> Vec<Path> {
        let next = self.next(node, dst);
        let link = |port: u32, share: BigRational| (PortRef { node, port }, share);
        if self.tree().down_port(node, dst).is_none() {
            let mut all = Vec::new();
            for (port, above) in next {
                for mut path in self.paths(above, dst) {
                    path.push(link(port, BigRational::one()));
                    all.push(path);
                }
            }
            return all;
        }
        let below = next[0].1;
        if below == dst {
            return vec![Path::new()];
        }
        let share = fraction(1, next.len());
        let mut path = self.paths(below, dst).remove(0);
        path.extend(next.iter().map(|&(port, _)| link(port, share.clone())));
        vec![path]
    }

    /// Add what `unit` of a flow at `node` loads if it is split equally at every switch.
    fn by_hops(&self, node: u32, dst: u32, unit: &BigRational, loads: &mut Loads) {
        let next = self.next(node, dst);
        for &(port, there) in &next {
            if there != dst {
                let share = unit / fraction(next.len(), 1);
                *loads
                    .entry(PortRef { node, port })
                    .or_insert_with(BigRational::zero) += &share;
                self.by_hops(there, dst, &share, loads);
            }
        }
    }

    /// Flows that have a way, with what they ask for.
    fn asked(&self) -> Vec<(&FlowSpec, BigRational)> {
        let edge = |host: u32| self.tree().peer(host, 0).node;
        let has_way = |flow: &&FlowSpec| !self.next(edge(flow.src), flow.dst).is_empty();
        let sent: Vec<&FlowSpec> = self.flows.iter().filter(has_way).collect();
        let parts = |flow: &FlowSpec| {
            let out = sent.iter().filter(|other| other.src == flow.src).count();
            let into = sent.iter().filter(|other| other.dst == flow.dst).count();
            out.max(into)
        };
        sent.iter()
            .map(|flow| (*flow, fraction(1, parts(flow))))
            .collect()
    }

    fn rho_of(&self, loads: &Loads) -> BigRational {
        let strain = loads.iter().map(|(&link, load)| load / self.capacity(link));
        BigRational::one() / strain.fold(BigRational::one(), Ord::max)
    }

    /// rho_max by lists of paths: split equally over paths, and hop by hop.
    fn listed(&self) -> [BigRational; 2] {
        let (mut by_paths, mut by_hops) = (Loads::new(), Loads::new());
        for (flow, asked) in self.asked() {
            let edge = self.tree().peer(flow.src, 0).node;
            let paths = self.paths(edge, flow.dst);
            let each = &asked / fraction(paths.len(), 1);
            for (link, share) in paths.into_iter().flatten() {
                *by_paths.entry(link).or_insert_with(BigRational::zero) += share * &each;
            }
            self.by_hops(edge, flow.dst, &asked, &mut by_hops);
        }
        [self.rho_of(&by_paths), self.rho_of(&by_hops)]
    }
}

type Loads = BTreeMap<PortRef, BigRational>;

/// Shapes small enough to list all paths.
fn shapes() -> Vec<Shape> {
    vec![
        Shape::fat_tree(3, 4),
        Shape::fat_tree(2, 6),
        leaf_spine(4, 3, 2, 3),
        shape([3, 2, 2, 2, 2], [2, 1]),
        shape([3, 2, 2, 2, 1], [1, 3]),
        shape([2, 3, 1, 2, 2], [2, 2]),
        Shape {
            cores: CoreNumbers::Strides,
            ..Shape::fat_tree(3, 4)
        },
    ]
}

/// Case number `number` of `shape`: links fail, some are slow, tiers differ, hosts send and receive several flows or none.
fn random_case(shape: Shape, number: u64) -> Case {
    let mut rng = Rng::stream(11, Domain::SwitchPick, number);
    let rates = [[100, 100, 100], [100, 40, 300], [200, 50, 70]];
    let mut case = Case::new(shape, rates[rng.below(3) as usize], Vec::new());
    let tree = case.tree();
    let hosts = tree.hosts();
    for _ in 0..1 + rng.below(2 * hosts) {
        let (src, dst) = (rng.below(hosts), rng.below(hosts));
        if src != dst {
            case.flows.push(flow(src, dst));
        }
    }
    let percent = [5, 15, 40][rng.below(3) as usize];
    for node in tree.edge_node(0)..tree.core_node(0) {
        for port in tree.down_ports(node)..tree.ports(node) {
            let state = match rng.below(100) {
                dice if dice < percent => None,
                99 => Some(Ratio { num: 1, den: 3 }),
                98 => Some(Ratio { num: 7, den: 10 }),
                _ => continue,
            };
            case.cables.insert(PortRef { node, port }, state);
        }
    }
    case
}

fn random_cases() -> impl Iterator<Item = Case> {
    let shapes = shapes();
    (0..140).map(move |number| random_case(shapes[number as usize % shapes.len()], number))
}

#[test]
fn equal_splits_are_those_of_the_lists_of_all_paths() {
    for case in random_cases() {
        let [paths, hops, _] = case.all();
        assert_eq!([paths, hops], case.listed(), "{:?}", case.fabric.shape);
    }
}

#[test]
fn loads_of_a_coarse_unit_are_compared_exactly_all_the_same() {
    for case in random_cases() {
        let cables = Cables::new(&case.fabric, |cable| case.state(cable));
        let connects = |from, to| cables.positions(from, to).next().is_some();
        let demand = Demand::new(cables.tree, &case.flows, connects);
        for equal in [Equal::Paths, Equal::Hops] {
            let fine = Split::new(&cables, &demand, equal);
            let coarse = Split::with_unit(&cables, &demand, equal, 1 << 60);
            assert_eq!(fine.heaviest(), coarse.heaviest());
        }
    }
}

#[test]
fn valid_uplinks_are_those_of_reach() {
    for case in random_cases() {
        let tree = case.tree();
        let cables = Cables::new(&case.fabric, |cable| case.state(cable));
        let reach = Reach::new(tree, |cable| case.state(cable).is_some());
        let pairs = |n: u32| (0..n).flat_map(move |a| (0..n).map(move |b| (a, b)));
        for (from, to) in pairs(tree.edges()).filter(|(from, to)| from != to) {
            let valid = reach.from_edge(from, to);
            let mut expected = BTreeMap::new();
            for uplink in (0..tree.edge_uplinks()).filter(|&i| valid.contains(i as usize)) {
                *expected
                    .entry(uplink / tree.shape().edge_bundle)
                    .or_insert(0) += 1;
            }
            let found = cables.positions(from, to).map(|at| (at.number, at.up));
            assert!(found.eq(expected));
        }
        if tree.levels() == 3 {
            for agg in 0..tree.aggs() {
                let pod = agg / tree.aggs_per_pod();
                for to in (0..tree.pods()).filter(|&to| to != pod) {
                    let valid = reach.from_agg(agg, to);
                    let count = (0..tree.agg_uplinks()).filter(|&i| valid.contains(i as usize));
                    assert_eq!(cables.ways(agg, to) as usize, count.count());
                }
            }
        }
    }
}
