//! The heaviest load on a link if every flow is split equally, over paths or hop by hop.
//!
//! Loads are sums of many fractions of unlike denominators. So they are summed twice: first all of them, as whole numbers of a common
//! unit; then, if that unit does not divide every fraction, those that come within the rounding of the heaviest, exactly. Flows between
//! the same two edge switches, and then those between two pods through one position, are taken together: the cost is that of counting
//! (pair of edge switches, position) and (aggregation switch, pod, core) once each, not paths.

use std::collections::{BTreeMap, BTreeSet};

use num_rational::BigRational;
use num_traits::One;

use super::cables::{Cables, Hop, Link};
use super::demand::{Commodity, Demand};
use super::fraction::{fraction, sum};

/// Where no unit of 64 bits makes all terms whole, it is 1 over this.
const FINEST: u64 = u64::MAX;
/// Loads that are this close to the heaviest, in proportion, are compared exactly. The rounding of fewer than 2^30 terms by 2^-63 is less.
const CLOSE: f64 = 1e-9;

/// Over what a flow is split equally.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Equal {
    /// All pairs of a valid uplink at the edge and one at the aggregation switch.
    Paths,
    /// The valid uplinks at the edge, and at each aggregation switch again.
    Hops,
}

/// What of a commodity goes through the aggregation switches at one position.
#[derive(Clone, Copy, Debug)]
struct Part {
    position: u32,
    /// Its fraction of the commodity: numerator and denominator.
    whole: (u64, u64),
    /// What each valid uplink of the aggregation switch gets.
    uplink: (u64, u64),
}

/// Loads of an equal split.
#[derive(Debug)]
pub(super) struct Split<'a> {
    cables: &'a Cables,
    commodities: &'a [Commodity],
    /// Indices of commodities in order of `to`.
    by_receiver: Vec<u32>,
    equal: Equal,
    /// What loads are whole numbers of: 1 / `per_unit`.
    per_unit: u64,
    /// Whether they are; else each term is rounded down.
    is_exact: bool,
}

impl<'a> Split<'a> {
    /// By the unit that makes all terms whole, or else by the finest.
    pub(super) fn new(cables: &'a Cables, demand: &'a Demand, equal: Equal) -> Self {
        let mut split = Self::with_unit(cables, demand, equal, FINEST);
        if let Some(common) = split.common_denominator() {
            split.per_unit = common;
            split.is_exact = true;
        }
        split
    }

    /// By the unit 1 / `per_unit`.
    pub(super) fn with_unit(
        cables: &'a Cables,
        demand: &'a Demand,
        equal: Equal,
        per_unit: u64,
    ) -> Self {
        let commodities = &demand.commodities[..];
        let mut by_receiver: Vec<u32> = (0..commodities.len() as u32).collect();
        by_receiver.sort_by_key(|&index| commodities[index as usize].to);
        Self {
            cables,
            commodities,
            by_receiver,
            equal,
            per_unit,
            is_exact: false,
        }
    }

    /// The load on the most loaded link, over the rate of that link; 1 if that is less.
    pub(super) fn heaviest(&self) -> BigRational {
        let totals = self.totals();
        let scale = self.per_unit as f64;
        let nearly = |link: Link, total: u128| {
            total as f64 / scale / f64::from(self.divisor(link)) * self.cables.strain(link)
        };
        let loaded = || {
            let all = self.cables.links().zip(&totals);
            all.filter(|(_, total)| **total > 0)
        };
        let highest = loaded().map(|(link, &total)| nearly(link, total));
        let close = highest.fold(1.0, f64::max) * (1.0 - CLOSE);
        let mut known = BTreeSet::new();
        let mut heaviest = BigRational::one();
        for (link, &total) in loaded().filter(|(link, total)| nearly(*link, **total) >= close) {
            let terms = match self.is_exact {
                true => BTreeMap::from([(self.per_unit, total)]),
                false => self.terms(link),
            };
            let slowest = self.cables.slowest(link);
            let key = (terms, self.divisor(link), slowest);
            if !known.contains(&key) {
                let terms = key.0.iter().map(|(&den, &num)| fraction(num, den));
                let load = sum(terms.collect()) / fraction(key.1, 1) / &key.2;
                heaviest = heaviest.max(load);
                known.insert(key);
            }
        }
        heaviest
    }

    /// Into how many equal parts the total of `link` is divided: members, where the total is that of the bundle.
    fn divisor(&self, link: Link) -> u32 {
        match link.hop {
            Hop::CoreUp => 1,
            Hop::EdgeUp | Hop::EdgeDown | Hop::CoreDown => self.cables.live(link),
        }
    }

    /// How a commodity is split, into `parts`.
    fn split(&self, commodity: &Commodity, parts: &mut Vec<Part>) {
        let positions = || self.cables.positions(commodity.from, commodity.to);
        let (edge, paths) = positions().fold((0_u64, 0_u64), |(edge, paths), at| {
            (
                edge + u64::from(at.up),
                paths + u64::from(at.up) * u64::from(at.above),
            )
        });
        parts.clear();
        parts.extend(positions().map(|at| {
            let (up, above) = (u64::from(at.up), u64::from(at.above));
            let (whole, uplink) = match self.equal {
                Equal::Paths => ((up * above, paths), (up, paths)),
                Equal::Hops => ((up, edge), (up, edge * above)),
            };
            Part {
                position: at.number,
                whole,
                uplink,
            }
        }));
    }

    /// The least common denominator of all terms, if it has 64 bits.
    fn common_denominator(&self) -> Option<u64> {
        let mut common = 1_u64;
        let mut parts = Vec::new();
        for commodity in self.commodities {
            self.split(commodity, &mut parts);
            for part in &parts {
                for den in [part.whole.1, part.uplink.1] {
                    let den = commodity.parts * den;
                    if !common.is_multiple_of(den) {
                        let factor = den / gcd(common, den);
                        common = common.checked_mul(factor)?;
                    }
                }
            }
        }
        Some(common)
    }

    /// By number of link, its load: per member for [`Hop::CoreUp`], else of the whole bundle.
    fn totals(&self) -> Vec<u128> {
        let (cables, tree) = (self.cables, self.cables.tree);
        let mut totals = vec![0_u128; cables.links().count()];
        let place = |hop, bundle| cables.number(Link { hop, bundle });
        // By aggregation switch and pod: what each valid uplink gets.
        let mut between = vec![0_u128; (tree.aggs() * tree.pods()) as usize];
        let mut parts = Vec::new();
        for commodity in self.commodities {
            self.split(commodity, &mut parts);
            let (pod, other) = (tree.pod_of(commodity.from), tree.pod_of(commodity.to));
            for part in &parts {
                let units = |(num, den): (u64, u64)| {
                    let num = u128::from(commodity.flows * num) * u128::from(self.per_unit);
                    num / u128::from(commodity.parts * den)
                };
                let i = part.position;
                let whole = units(part.whole);
                totals[place(Hop::EdgeUp, cables.edge_bundle(commodity.from, i))] += whole;
                totals[place(Hop::EdgeDown, cables.edge_bundle(commodity.to, i))] += whole;
                if pod != other {
                    let agg = cables.agg(pod, i);
                    between[(agg * tree.pods() + other) as usize] += units(part.uplink);
                }
            }
        }
        for agg in 0..tree.aggs() {
            for pod in 0..tree.pods() {
                let load = between[(agg * tree.pods() + pod) as usize];
                if load == 0 {
                    continue;
                }
                let twin = cables.agg(pod, agg % tree.aggs_per_pod());
                for (l, up) in cables.valid_cores(agg, pod) {
                    totals[place(Hop::CoreUp, cables.core_bundle(agg, l))] += load;
                    totals[place(Hop::CoreDown, cables.core_bundle(twin, l))] +=
                        load * u128::from(up);
                }
            }
        }
        totals
    }

    /// The exact load on `link`, as in [`Self::totals`]: numerators by denominator.
    fn terms(&self, link: Link) -> BTreeMap<u64, u128> {
        let mut terms = BTreeMap::new();
        let mut parts = Vec::new();
        for commodity in self.crossing(link) {
            self.split(commodity, &mut parts);
            for part in &parts {
                let ((num, den), times) = self.share(link, commodity, part);
                if times > 0 {
                    let sum = terms.entry(commodity.parts * den).or_insert(0);
                    *sum += u128::from(commodity.flows * num) * u128::from(times);
                }
            }
        }
        terms
    }

    /// What `part` adds to `link`: a fraction of the commodity, and how many times.
    fn share(&self, link: Link, commodity: &Commodity, part: &Part) -> ((u64, u64), u32) {
        let (cables, tree) = (self.cables, self.cables.tree);
        let i = part.position;
        let (pod, other) = (tree.pod_of(commodity.from), tree.pod_of(commodity.to));
        let edge = |edge: u32| u32::from(cables.edge_bundle(edge, i) == link.bundle);
        let core = |end: u32| {
            let mut cores = cables.valid_cores(cables.agg(pod, i), other);
            let here = |l: u32| cables.core_bundle(cables.agg(end, i), l) == link.bundle;
            cores.find(|&(l, _)| pod != other && here(l))
        };
        match link.hop {
            Hop::EdgeUp => (part.whole, edge(commodity.from)),
            Hop::EdgeDown => (part.whole, edge(commodity.to)),
            Hop::CoreUp => (part.uplink, core(pod).map_or(0, |_| 1)),
            Hop::CoreDown => (part.uplink, core(other).map_or(0, |(_, up)| up)),
        }
    }

    /// The commodities of the switch or pod at the lower end of `link`, among them all that cross it.
    fn crossing(&self, link: Link) -> Vec<&'a Commodity> {
        let tree = self.cables.tree;
        let bundle = link.bundle as u32;
        let edges = match link.hop {
            Hop::EdgeUp | Hop::EdgeDown => {
                let edge = bundle / tree.aggs_per_pod();
                edge..edge + 1
            }
            Hop::CoreUp | Hop::CoreDown => {
                let pod = bundle / tree.shape().cores_per_agg / tree.aggs_per_pod();
                pod * tree.edges_per_pod()..(pod + 1) * tree.edges_per_pod()
            }
        };
        let all = self.commodities;
        if matches!(link.hop, Hop::EdgeUp | Hop::CoreUp) {
            let first = all.partition_point(|commodity| commodity.from < edges.start);
            let last = all.partition_point(|commodity| commodity.from < edges.end);
            return all[first..last].iter().collect();
        }
        let of = |&index: &u32| &all[index as usize];
        let order = &self.by_receiver;
        let first = order.partition_point(|index| of(index).to < edges.start);
        let last = order.partition_point(|index| of(index).to < edges.end);
        order[first..last].iter().map(of).collect()
    }
}

/// The greatest common divisor of two numbers above 0.
fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
