//! The least load of the most loaded link over all splits of the flows over valid shortest paths: a maximum concurrent flow.
//!
//! Written with a variable a path, the linear program is far too large. Two observations make it small:
//!
//! - Few flows need another split than the equal one. So a flow starts as one column, its equal split; others are added only if they pay
//!   (column generation, Dantzig and Wolfe 1960), each the equal split over all paths that are cheapest at the prices of the moment. The
//!   first ones come from a few steps of a descent that shifts load from links which have too much.
//! - Prices w on links prove that no split does better than sum(demand x cheapest path) / sum(capacity x w). The links out of one edge
//!   switch, or out of one pod, or into it, at equal prices, are nearly always such a proof that some split matches.
//!
//! The dual of the restricted program is solved, as its variables are the prices:
//!
//! maximise b z + sum over links of (load of the equal split) w - sum over flows of (demand) s, where z + sum of (capacity) w <= 1, and
//! for each column of a flow, s >= (cost of its equal split) - (cost of the column); b is the best bound known, so the program ends when
//! it is reached.
//!
//! The result is the best bound, evaluated in exact fractions; it is the optimum if it equals the restricted program's. Members of a
//! bundle are taken together: the best split fills them in proportion to their rates.

mod exact;
mod program;

use num_rational::BigRational;

use super::NotComputed;
use super::cables::{Cables, Hop, Link, Position};
use super::demand::Demand;
use super::fraction::approximate;

/// The most variables (pairs of edge switches x positions) of a program that is begun.
pub(super) const MOST_VARIABLES: u64 = 20_000;
/// The most rounds of new columns.
const MOST_ROUNDS: usize = 200;
/// Rounds of the descent that finds the first columns.
const DESCENT: usize = 12;
/// Loads that are this close, in proportion, are taken for equal.
const EQUAL: f64 = 1e-9;

/// The flows between two edge switches.
#[derive(Debug)]
struct Pair {
    from: u32,
    to: u32,
    demand: f64,
}

/// A way to send one unit: fractions of it by number of link.
type Column = Vec<(usize, f64)>;

/// The program, restricted to some columns.
#[derive(Debug)]
struct Master<'a> {
    cables: &'a Cables,
    pairs: Vec<Pair>,
    /// By number of link: capacity, and the load of the equal split.
    capacity: Vec<f64>,
    load: Vec<f64>,
    /// By pair: its equal split over all paths.
    equal_splits: Vec<Column>,
    /// By pair: its other columns.
    columns: Vec<Vec<Column>>,
    /// The best bound known, and its prices by number of link; none: 1.
    bound: f64,
    prices: Vec<f64>,
}

/// The least load, and whether it is exact (else at most 10^-6 of it below); 1 if it is less.
pub(super) fn least_load(
    cables: &Cables,
    demand: &Demand,
) -> Result<(BigRational, bool), NotComputed> {
    let mut master = Master::new(cables, demand);
    master.cut_bounds();
    master.first_columns();
    for _ in 0..MOST_ROUNDS {
        let (load, prices) = master.solve()?;
        if load > master.bound * (1.0 + EQUAL) {
            master.offer(&prices);
        }
        let is_reached = load <= master.bound * (1.0 + EQUAL);
        if is_reached || !master.new_columns(&prices) {
            return exact::bound(&master, demand, load);
        }
    }
    Err(NotComputed::Unsolved)
}

impl<'a> Master<'a> {
    fn new(cables: &'a Cables, demand: &Demand) -> Self {
        let capacity: Vec<f64> = cables
            .links()
            .map(|link| approximate(&cables.capacity(link)))
            .collect();
        let pairs: Vec<Pair> = demand
            .commodities
            .chunk_by(|one, other| (one.from, one.to) == (other.from, other.to))
            .map(|all| Pair {
                from: all[0].from,
                to: all[0].to,
                demand: all.iter().map(|c| c.flows as f64 / c.parts as f64).sum(),
            })
            .collect();
        let mut master = Self {
            cables,
            equal_splits: Vec::new(),
            columns: vec![Vec::new(); pairs.len()],
            pairs,
            load: vec![0.0; capacity.len()],
            prices: vec![0.0; capacity.len()],
            capacity,
            bound: 1.0,
        };
        let splits = master.pairs.iter().map(|pair| master.equal(pair, |_| true));
        master.equal_splits = splits.collect();
        for (pair, split) in master.pairs.iter().zip(&master.equal_splits) {
            for (link, share) in split {
                master.load[*link] += pair.demand * share;
            }
        }
        master
    }

    fn number(&self, hop: Hop, bundle: usize) -> usize {
        self.cables.number(Link { hop, bundle })
    }

    /// The links at the two ends of a way from edge `from` to edge `to` through position `i`.
    fn ends(&self, pair: &Pair, i: u32) -> [usize; 2] {
        let bundle = |edge| self.cables.edge_bundle(edge, i);
        [
            self.number(Hop::EdgeUp, bundle(pair.from)),
            self.number(Hop::EdgeDown, bundle(pair.to)),
        ]
    }

    /// The links to and from each valid core at position `i`, and the uplinks to it; none inside a pod.
    fn cores(&self, pair: &Pair, i: u32) -> Vec<([usize; 2], f64)> {
        let (cables, tree) = (self.cables, self.cables.tree);
        let (pod, other) = (tree.pod_of(pair.from), tree.pod_of(pair.to));
        if pod == other {
            return Vec::new();
        }
        let (agg, twin) = (cables.agg(pod, i), cables.agg(other, i));
        let links = |l| {
            [
                self.number(Hop::CoreUp, cables.core_bundle(agg, l)),
                self.number(Hop::CoreDown, cables.core_bundle(twin, l)),
            ]
        };
        let valid = cables.valid_cores(agg, other);
        valid.map(|(l, up)| (links(l), f64::from(up))).collect()
    }

    /// The equal split, hop by hop, of a pair over the paths of which `may` says so by their links; empty if there are none.
    fn equal(&self, pair: &Pair, may: impl Fn(&[usize]) -> bool) -> Column {
        let is_inside = self.cables.tree.pod_of(pair.from) == self.cables.tree.pod_of(pair.to);
        let mut parts = Vec::new();
        for Position { number: i, up, .. } in self.cables.positions(pair.from, pair.to) {
            let ends = self.ends(pair, i);
            let mut cores = self.cores(pair, i);
            cores.retain(|([up, down], _)| may(&[ends[0], *up, *down, ends[1]]));
            if !cores.is_empty() || is_inside && may(&ends) {
                parts.push((ends, f64::from(up), cores));
            }
        }
        let uplinks: f64 = parts.iter().map(|(_, up, _)| up).sum();
        let mut column = Column::new();
        for (ends, up, cores) in parts {
            let share = up / uplinks;
            column.extend(ends.map(|link| (link, share)));
            let above: f64 = cores.iter().map(|(_, up)| up).sum();
            for (links, up) in cores {
                column.extend(links.map(|link| (link, share * up / above)));
            }
        }
        column
    }

    /// Raise the bound to that of the links out of, or into, an edge switch or a pod.
    fn cut_bounds(&mut self) {
        let (tree, edges) = (self.cables.tree, self.cables.tree.edges() as usize);
        let pods = tree.pods() as usize;
        let mut demand = vec![0.0; 2 * (edges + pods)];
        for pair in &self.pairs {
            demand[pair.from as usize] += pair.demand;
            demand[edges + pair.to as usize] += pair.demand;
            let (pod, other) = (tree.pod_of(pair.from), tree.pod_of(pair.to));
            if pod != other {
                demand[2 * edges + pod as usize] += pair.demand;
                demand[2 * edges + pods + other as usize] += pair.demand;
            }
        }
        let aggs = tree.aggs_per_pod() as usize;
        let pod_links = aggs * tree.shape().cores_per_agg as usize;
        let cut = |link: Link| match link.hop {
            Hop::EdgeUp => link.bundle / aggs,
            Hop::EdgeDown => edges + link.bundle / aggs,
            Hop::CoreUp => 2 * edges + link.bundle / pod_links,
            Hop::CoreDown => 2 * edges + pods + link.bundle / pod_links,
        };
        let cuts: Vec<usize> = self.cables.links().map(cut).collect();
        let mut capacity = vec![0.0; demand.len()];
        let is_used = |number: &usize| self.load[*number] > 0.0;
        for number in (0..cuts.len()).filter(is_used) {
            capacity[cuts[number]] += self.capacity[number];
        }
        for cut in 0..demand.len() {
            if demand[cut] > self.bound * capacity[cut] {
                self.bound = demand[cut] / capacity[cut];
                let price = |number| {
                    if cuts[number] == cut && is_used(&number) {
                        1.0
                    } else {
                        0.0
                    }
                };
                self.prices = (0..cuts.len()).map(price).collect();
            }
        }
    }

    /// Columns from which the program starts: those of a descent (Frank and Wolfe 1956) of the sum of the squares by which strains
    /// exceed the bound. Its prices are the excesses, and in round t each pair moves 2 / (t + 2) of its demand to its cheapest paths.
    fn first_columns(&mut self) {
        let mut load = self.load.clone();
        for round in 0..DESCENT {
            let strain = load.iter().zip(&self.capacity);
            let excess: Vec<f64> = strain
                .map(
                    |(load, capacity)| match load / capacity / self.bound - 1.0 {
                        excess if excess > EQUAL => excess,
                        _ => 0.0,
                    },
                )
                .collect();
            if excess.iter().all(|&excess| excess == 0.0) {
                return;
            }
            let mut target = vec![0.0; load.len()];
            for (index, pair) in self.pairs.iter().enumerate() {
                let cheapest = self.cheapest(pair, |link| excess[link]) + EQUAL;
                let price = |path: &[usize]| path.iter().map(|&link| excess[link]).sum::<f64>();
                let column = self.equal(pair, |path| price(path) <= cheapest);
                for &(link, share) in &column {
                    target[link] += pair.demand * share;
                }
                let known = &mut self.columns[index];
                if column != self.equal_splits[index] && !known.contains(&column) {
                    known.push(column);
                }
            }
            let step = 2.0 / (round as f64 + 2.0);
            for (load, target) in load.iter_mut().zip(target) {
                *load += step * (target - *load);
            }
        }
    }

    /// Take `prices` if their bound is better.
    fn offer(&mut self, prices: &[f64]) {
        let spent: f64 = prices.iter().zip(&self.capacity).map(|(w, c)| w * c).sum();
        let cost = |pair: &Pair| pair.demand * self.cheapest(pair, |link| prices[link]);
        let bound = self.pairs.iter().map(cost).sum::<f64>() / spent;
        if bound > self.bound {
            self.bound = bound;
            self.prices = prices.to_vec();
        }
    }

    /// Add, for each pair where it pays at `prices`, the equal split over its cheapest paths. Returns whether there is any.
    fn new_columns(&mut self, prices: &[f64]) -> bool {
        let total: f64 = self.pairs.iter().map(|pair| pair.demand).sum();
        let margin = EQUAL * self.bound / total;
        let mut any = false;
        for (index, pair) in self.pairs.iter().enumerate() {
            let cost = |column: &Column| {
                let shares = column.iter();
                shares.map(|(link, share)| prices[*link] * share).sum()
            };
            let known = self.columns[index].iter().map(cost);
            let known = known.fold(cost(&self.equal_splits[index]), f64::min);
            let cheapest = self.cheapest(pair, |link| prices[link]);
            if cheapest < known - margin {
                let price = |path: &[usize]| path.iter().map(|&link| prices[link]).sum::<f64>();
                let column = self.equal(pair, |path| price(path) <= cheapest + margin / 2.0);
                self.columns[index].push(column);
                any = true;
            }
        }
        any
    }

    /// The cost of the cheapest path of a pair.
    fn cheapest<T: Copy + PartialOrd + std::ops::Add<Output = T> + Default>(
        &self,
        pair: &Pair,
        price: impl Fn(usize) -> T,
    ) -> T {
        let both = |links: [usize; 2]| price(links[0]) + price(links[1]);
        let least =
            |costs: &mut dyn Iterator<Item = T>| costs.reduce(|a, b| if b < a { b } else { a });
        let through = |i: u32| {
            let cores = self.cores(pair, i);
            let core = least(&mut cores.iter().map(|(links, _)| both(*links)));
            both(self.ends(pair, i)) + core.unwrap_or_default()
        };
        let positions = self.cables.positions(pair.from, pair.to);
        least(&mut positions.map(|at| through(at.number))).unwrap_or_default()
    }
}
