//! Mixed fabrics: some switches run another scheme than the rest.
//!
//! Source: the Ofan paper, section 6.4 (incremental deployment: exactly half of the edge and aggregation switches run 4Ofan, the others
//! AR; chosen at random, by random pods, or by level). A deployment replaces what a switch does, never what hosts do. Only switches with
//! a choice of uplink count: neither cores nor the spines of a two-level tree. Not modelled: fabrics that change during a run.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;

use super::Scheme;
use super::switch::Level;
use crate::rng::{Domain, Rng};
use crate::units::Ratio;

/// A scheme, and the switches that run it instead of the scenario's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment {
    /// Which switches.
    pub place: Placement,
    /// What they run; its hosts have no part in it.
    pub scheme: Scheme,
}

/// Which switches of a fabric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// This share of all switches, rounded to the nearest number (half up), drawn uniformly.
    RandomSwitches(Ratio),
    /// All switches of this share of the pods, rounded and drawn alike.
    RandomPods(Ratio),
    /// All aggregation switches.
    Aggregation,
    /// All edge switches.
    Edge,
    /// These.
    Listed(Vec<SwitchName>),
}

/// A switch as tables name it: `e3`, `a5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SwitchName {
    /// Edge or aggregation.
    pub level: Level,
    /// Its number in that level.
    pub index: u32,
}

impl fmt::Display for SwitchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.level {
            Level::Edge => 'e',
            Level::Aggregation => 'a',
        };
        write!(f, "{letter}{}", self.index)
    }
}

/// As in the label of a scheme: the scenario's word, and the share where there is one.
impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RandomSwitches(share) => write!(f, "random_switches:{}", share.as_f64()),
            Self::RandomPods(share) => write!(f, "random_pods:{}", share.as_f64()),
            Self::Aggregation => f.write_str("aggregation"),
            Self::Edge => f.write_str("edge"),
            Self::Listed(_) => f.write_str("switches"),
        }
    }
}

/// A switch with a choice of uplink, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its number among all switches of the fabric.
    pub switch: u32,
    /// Its level and its number there.
    pub name: SwitchName,
    /// Its pod.
    pub pod: u32,
}

impl Placement {
    /// How many things a share is of (switches or pods), and how many of them it is; `None` where there is no share.
    #[must_use]
    pub fn share(&self, sites: &[Site]) -> Option<(usize, usize)> {
        let (all, share) = match self {
            Self::RandomSwitches(share) => (sites.len(), share),
            Self::RandomPods(share) => (pods(sites).len(), share),
            Self::Aggregation | Self::Edge | Self::Listed(_) => return None,
        };
        Some((all, rounded(*share, all)))
    }

    /// The numbers of the selected switches, drawn from `rng` where chance decides.
    ///
    /// A draw puts all candidates, in increasing order, into a random order and takes the first: so of two shares under one seed, the
    /// larger holds the smaller.
    #[must_use]
    pub fn select(&self, sites: &[Site], rng: &mut Rng) -> BTreeSet<u32> {
        let drawn = self.share(sites).map_or(0, |(_, drawn)| drawn);
        match self {
            Self::RandomSwitches(_) => {
                let mut order: Vec<u32> = sites.iter().map(|site| site.switch).collect();
                rng.shuffle(&mut order);
                order.into_iter().take(drawn).collect()
            }
            Self::RandomPods(_) => {
                let mut order = pods(sites);
                rng.shuffle(&mut order);
                numbers(sites, |site| order[..drawn].contains(&site.pod))
            }
            Self::Aggregation | Self::Edge | Self::Listed(_) => self.possible(sites),
        }
    }

    /// The switches that it may select: all that it does, if no chance is involved.
    #[must_use]
    pub fn possible(&self, sites: &[Site]) -> BTreeSet<u32> {
        numbers(sites, |site| match self {
            Self::RandomSwitches(_) | Self::RandomPods(_) => true,
            Self::Aggregation => site.name.level == Level::Aggregation,
            Self::Edge => site.name.level == Level::Edge,
            Self::Listed(names) => names.contains(&site.name),
        })
    }

    /// The switches that it selects whatever the seed.
    #[must_use]
    pub fn certain(&self, sites: &[Site]) -> BTreeSet<u32> {
        match self.share(sites) {
            Some((all, drawn)) if drawn < all => BTreeSet::new(),
            _ => self.possible(sites),
        }
    }
}

/// The pods of the sites, in increasing order.
fn pods(sites: &[Site]) -> Vec<u32> {
    let pods: BTreeSet<u32> = sites.iter().map(|site| site.pod).collect();
    pods.into_iter().collect()
}

fn numbers(sites: &[Site], wanted: impl Fn(&Site) -> bool) -> BTreeSet<u32> {
    let chosen = sites.iter().filter(|site| wanted(site));
    chosen.map(|site| site.switch).collect()
}

/// `share` of `all`, to the nearest integer, half up.
fn rounded(share: Ratio, all: usize) -> usize {
    let (num, den) = (u128::from(share.num), u128::from(share.den));
    ((2 * num * all as u128 + den) / (2 * den)) as usize
}

/// Which deployment each switch of one run follows.
#[derive(Clone, Debug, Default)]
pub struct Mix {
    /// By the switch's number; empty if there are no deployments.
    by_switch: Vec<Option<usize>>,
}

impl Mix {
    /// That of the run with this seed: later deployments win, and each draws from a stream of its own, whatever the schemes.
    #[must_use]
    pub fn new(deployments: &[Deployment], sites: &[Site], seed: u64) -> Self {
        let switches = sites.iter().map(|site| site.switch + 1).max();
        let switches = switches.filter(|_| !deployments.is_empty());
        let mut by_switch = vec![None; switches.unwrap_or(0) as usize];
        for (number, deployment) in deployments.iter().enumerate() {
            let mut rng = Rng::stream(seed, Domain::Deployment, number as u64);
            for switch in deployment.place.select(sites, &mut rng) {
                by_switch[switch as usize] = Some(number);
            }
        }
        Self { by_switch }
    }

    /// The deployment that `switch` follows; `None`: the scenario's scheme.
    #[must_use]
    pub fn of(&self, switch: u32) -> Option<usize> {
        *self.by_switch.get(switch as usize)?
    }
}
