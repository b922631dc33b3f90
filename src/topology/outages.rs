//! Which cables of a tree fail in one run, when, and when switches come to know.
//!
//! Definition: the Ofan paper, section 6.2, and our spec's section 1.6: each cable between switches fails independently, both
//! directions at once; a draw that cuts off hosts which are to communicate is repeated. Links and switches may be listed too, with
//! times. All switches learn of a change at once, a fixed time after it (our reading; routing protocols spread news hop by hop).
//!
//! Draws depend on the run's seed and on what is drawn for, never on the scheme. Not modelled: hosts' links and edge switches, which do
//! not fail here; failures that are detected late or in one direction only.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::{FatTree, Level, Reach};
use crate::rng::{Domain, Rng};
use crate::settings::{Failures, FlowSpec, OnPartition};
use crate::units::{Ratio, Time};

/// Draws before a run is given up.
const MOST_DRAWS: u32 = 1_000;

/// Pairs of hosts that an error names.
const NAMED_PAIRS: usize = 10;

/// A stretch of time: from its first instant to the first one after it.
pub type Period = (Time, Time);

/// What all switches know from some instant on.
#[derive(Clone, Debug)]
pub struct Epoch {
    /// That instant.
    pub from: Time,
    /// Where uplinks lead.
    pub reach: Arc<Reach>,
}

/// The failures of one run.
#[derive(Clone, Debug)]
pub struct Outages {
    /// By number of the cable: when it is down, in order and apart.
    down: BTreeMap<u32, Vec<Period>>,
    /// By number of the cable: when it is slow, in order, and the fraction of its rate that it keeps.
    slow: BTreeMap<u32, Vec<(Period, Ratio)>>,
    epochs: Arc<[Epoch]>,
    changes: BTreeSet<Time>,
    redraws: u32,
}

impl Outages {
    /// What fails in the run of `seed` whose flows are `flows`.
    ///
    /// # Errors
    /// If hosts that are to communicate cannot at time 0, and the settings do not allow that.
    pub fn new(
        tree: FatTree,
        failures: &Failures,
        seed: u64,
        flows: &[FlowSpec],
    ) -> Result<Self, CutOff> {
        let listed = listed(tree, failures);
        let cut_off = |down: &BTreeMap<u32, Vec<Period>>, redraws| {
            let cut_off = match failures.on_partition {
                OnPartition::Drop => None,
                _ => CutOff::of(&reach(tree, down, Time::ZERO), flows),
            };
            cut_off.map(|pairs| CutOff { redraws, ..pairs })
        };
        let draws = match failures.on_partition {
            OnPartition::Redraw if failures.is_random() => MOST_DRAWS,
            _ => 1,
        };
        // What is listed stays, however often the rest is drawn.
        if let Some(cut_off) = cut_off(&listed, 0) {
            return Err(cut_off);
        }
        let mut last = None;
        for redraws in 0..draws {
            let mut down = listed.clone();
            draw(tree, failures, seed, redraws, &mut down);
            last = cut_off(&down, redraws);
            if last.is_none() {
                let slow = slow(failures);
                let slowed = slow.values().flatten().map(|(period, _)| period);
                return Ok(Self {
                    changes: changes(down.values().flatten().chain(slowed)),
                    epochs: epochs(tree, failures, &down),
                    slow,
                    down,
                    redraws,
                });
            }
        }
        Err(last.expect("a draw that cut off no hosts has returned"))
    }

    /// What fails in a run, if anything can: [`Self::new`] of the failures that the settings may have.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn of(
        tree: FatTree,
        failures: Option<&Failures>,
        seed: u64,
        flows: &[FlowSpec],
    ) -> Result<Option<Self>, CutOff> {
        failures
            .map(|failures| Self::new(tree, failures, seed, flows))
            .transpose()
    }

    /// When the cable is down: in order and apart.
    #[must_use]
    pub fn down(&self, cable: u32) -> &[Period] {
        self.down.get(&cable).map_or(&[], Vec::as_slice)
    }

    /// When the cable is slow, in order, and the fraction of its rate that it keeps.
    #[must_use]
    pub fn slow(&self, cable: u32) -> &[(Period, Ratio)] {
        self.slow.get(&cable).map_or(&[], Vec::as_slice)
    }

    /// What switches know, from when on; the first from time 0.
    #[must_use]
    pub const fn epochs(&self) -> &Arc<[Epoch]> {
        &self.epochs
    }

    /// What is live at time 0.
    #[must_use]
    pub fn at_start(&self) -> &Arc<Reach> {
        &self.epochs[0].reach
    }

    /// The fraction of its rate at which the cable works at time 0; `None`: it is down.
    #[must_use]
    pub fn share_at_start(&self, cable: u32) -> Option<Ratio> {
        if self.down(cable).iter().any(|&(from, _)| from == Time::ZERO) {
            return None;
        }
        let mut slow = self.slow(cable).iter();
        let slow = slow.find(|((from, _), _)| *from == Time::ZERO);
        Some(slow.map_or(Ratio::ONE, |&(_, share)| share))
    }

    /// Cables that are down at some time.
    #[must_use]
    pub fn failed_links(&self) -> u64 {
        self.down.len() as u64
    }

    /// Cables that are slow at some time.
    #[must_use]
    pub fn slow_links(&self) -> u64 {
        self.slow.len() as u64
    }

    /// Draws that were repeated.
    #[must_use]
    pub const fn redraws(&self) -> u32 {
        self.redraws
    }

    /// When, after time 0, cables go down, come back, or change their rate; in order.
    #[must_use]
    pub const fn changes(&self) -> &BTreeSet<Time> {
        &self.changes
    }
}

/// The ends, after time 0, of periods.
fn changes<'a>(periods: impl Iterator<Item = &'a Period>) -> BTreeSet<Time> {
    let ends = periods.flat_map(|&(from, until)| [from, until]);
    ends.filter(|&at| at > Time::ZERO && at != Time::NEVER)
        .collect()
}

/// When the cables of the lists are down.
fn listed(tree: FatTree, failures: &Failures) -> BTreeMap<u32, Vec<Period>> {
    let mut down: BTreeMap<u32, Vec<Period>> = BTreeMap::new();
    for link in failures.links.iter().filter(|link| link.slow_to.is_none()) {
        let periods = down.entry(link.cable).or_default();
        periods.push((link.from, link.until));
    }
    for switch in &failures.switches {
        for cable in tree.cables_of(tree.hosts() + switch.switch) {
            let periods = down.entry(cable).or_default();
            periods.push((switch.from, switch.until));
        }
    }
    down.values_mut().for_each(merge);
    down
}

/// Put periods in order and make those that touch one.
fn merge(periods: &mut Vec<Period>) {
    periods.sort_unstable();
    let mut merged: Vec<Period> = Vec::with_capacity(periods.len());
    for &(from, until) in periods.iter() {
        match merged.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(until),
            _ => merged.push((from, until)),
        }
    }
    *periods = merged;
}

/// Add what a draw takes down for good.
fn draw(
    tree: FatTree,
    failures: &Failures,
    seed: u64,
    attempt: u32,
    down: &mut BTreeMap<u32, Vec<Period>>,
) {
    let falls = |domain, number: u32, probability: Ratio| {
        let entity = u64::from(attempt) << 32 | u64::from(number);
        probability.num > 0
            && Rng::stream(seed, domain, entity).below_u64(probability.den) < probability.num
    };
    let mut fallen = Vec::new();
    for cable in 0..tree.cables() {
        let probability = if cable < tree.edge_cables() {
            failures.edge_agg_probability
        } else {
            failures.agg_core_probability
        };
        if falls(Domain::LinkFailure, cable, probability) {
            fallen.push(cable);
        }
    }
    for node in tree.agg_node(0)..tree.nodes() {
        let switch = node - tree.hosts();
        if falls(Domain::SwitchFailure, switch, failures.switch_probability) {
            fallen.extend(tree.cables_of(node));
        }
    }
    for cable in fallen {
        down.insert(cable, vec![(Time::ZERO, Time::NEVER)]);
    }
}

fn slow(failures: &Failures) -> BTreeMap<u32, Vec<(Period, Ratio)>> {
    let mut slow: BTreeMap<u32, Vec<(Period, Ratio)>> = BTreeMap::new();
    for link in &failures.links {
        if let Some(rate) = link.slow_to {
            let periods = slow.entry(link.cable).or_default();
            periods.push(((link.from, link.until), rate));
        }
    }
    for periods in slow.values_mut() {
        periods.sort_unstable_by_key(|&(period, _)| period);
    }
    slow
}

/// What leads where at instant `at`.
fn reach(tree: FatTree, down: &BTreeMap<u32, Vec<Period>>, at: Time) -> Reach {
    let is_down = |cable: u32| {
        let periods = down.get(&cable);
        periods.is_some_and(|periods| {
            let now = |&(from, until): &Period| from <= at && at < until;
            periods.iter().any(now)
        })
    };
    Reach::new(tree, |end| {
        let cable = tree.cable_number(end);
        !cable.is_some_and(is_down)
    })
}

fn epochs(tree: FatTree, failures: &Failures, down: &BTreeMap<u32, Vec<Period>>) -> Arc<[Epoch]> {
    let start = Epoch {
        from: Time::ZERO,
        reach: Arc::new(reach(tree, down, Time::ZERO)),
    };
    let news = changes(down.values().flatten())
        .into_iter()
        .map(|at| Epoch {
            from: at + failures.convergence,
            reach: Arc::new(reach(tree, down, at)),
        });
    std::iter::once(start).chain(news).collect()
}

/// Hosts that are to communicate and cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutOff {
    /// The first of them.
    pub pairs: Vec<(u32, u32)>,
    /// How many pairs there are.
    pub count: u64,
    /// How often the draw was repeated before.
    pub redraws: u32,
}

impl CutOff {
    fn of(reach: &Reach, flows: &[FlowSpec]) -> Option<Self> {
        let apart = flows
            .iter()
            .map(|flow| (flow.src, flow.dst))
            .filter(|&(src, dst)| !reach.connects(src, dst));
        let pairs: BTreeSet<(u32, u32)> = apart.collect();
        (!pairs.is_empty()).then(|| Self {
            count: pairs.len() as u64,
            pairs: pairs.into_iter().take(NAMED_PAIRS).collect(),
            redraws: 0,
        })
    }
}

impl fmt::Display for CutOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.redraws > 0 {
            let draws = self.redraws + 1;
            write!(f, "each of {draws} draws cuts off hosts; the last one: ")?;
        }
        f.write_str("no path from ")?;
        for (number, (src, dst)) in self.pairs.iter().enumerate() {
            let comma = if number > 0 { ", " } else { "" };
            write!(f, "{comma}h{src} to h{dst}")?;
        }
        match self.count - self.pairs.len() as u64 {
            0 => Ok(()),
            more => write!(f, ", and {more} more"),
        }
    }
}

impl std::error::Error for CutOff {}

impl FatTree {
    /// The cable that a `failure` line of htsim's connection matrices names: link `link` of the `switch`-th switch of `level`. The links
    /// of a `TOR` (edge) and of an `AGG` are its uplinks, those of a `CORE` its down-ports.
    ///
    /// # Errors
    /// If there is no such switch or link: what there is.
    pub fn htsim_cable(self, level: Level, switch: u64, link: u64) -> Result<u32, String> {
        let (kind, first, count) = match level {
            Level::Host => return Err("a host is no switch".to_owned()),
            Level::Edge => ("TOR", self.edge_node(0), self.edges()),
            Level::Agg => ("AGG", self.agg_node(0), self.aggs()),
            Level::Core => ("CORE", self.core_node(0), self.cores()),
        };
        let Some(node) = u32::try_from(switch)
            .ok()
            .filter(|&switch| switch < count)
            .map(|switch| first + switch)
        else {
            return Err(match count.checked_sub(1) {
                None => format!("{kind} {switch} does not exist; this fabric has no {kind}"),
                Some(last) => {
                    format!("{kind} {switch} does not exist; this fabric has {kind} 0 to {last}")
                }
            });
        };
        let (start, links, noun) = match level {
            Level::Core => (0, self.down_ports(node), "down-port"),
            _ => (self.down_ports(node), self.uplinks(node), "uplink"),
        };
        let port = u32::try_from(link).ok().filter(|&link| link < links);
        let end = port.map(|port| super::PortRef {
            node,
            port: start + port,
        });
        end.and_then(|end| self.cable_number(end))
            .ok_or_else(|| match links.checked_sub(1) {
                None => format!("{kind} {switch} has no {noun}s in this fabric"),
                Some(last) => {
                    format!("{noun} {link} of {kind} {switch} does not exist; it has {noun}s 0 to {last}")
                }
            })
    }
}

#[cfg(test)]
#[path = "outages_tests.rs"]
mod tests;
