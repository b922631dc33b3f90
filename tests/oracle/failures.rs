//! Links that fail, by looking: every question goes through the whole list of faults.

use std::collections::BTreeSet;

use spraysim::lb::host::{Ends, Layer, LivePaths};
use spraysim::rng::{Domain, Rng};
use spraysim::scenario::{Failures, OnPartition, Queued};
use spraysim::units::{Rate, Ratio, Span, Time};
use spraysim::workload::FlowSpec;

use super::wiring::Wiring;

/// A port: node and number.
pub(crate) type Port = (usize, usize);

/// One stretch of time in which one cable is down or slow.
#[derive(Clone, Copy, Debug)]
struct Fault {
    ends: [Port; 2],
    from: Time,
    until: Time,
    slow_to: Option<Ratio>,
}

/// All faults of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    list: Vec<Fault>,
    convergence: Span,
    held: bool,
    /// How often the draw was repeated.
    pub(crate) redraws: u64,
}

impl Faults {
    /// Those of the run of `seed`.
    pub(crate) fn new(failures: &Failures, wiring: &Wiring, seed: u64, flows: &[FlowSpec]) -> Self {
        let mut faults = Self {
            convergence: failures.convergence,
            held: failures.queued == Queued::Held,
            ..Self::default()
        };
        loop {
            faults.list = listed(failures, wiring);
            faults
                .list
                .extend(drawn(failures, wiring, seed, faults.redraws));
            let live = Live::new(wiring.clone(), &faults);
            let mut apart = flows.iter().filter(|flow| live.count(ends(flow)) == 0);
            if failures.on_partition == OnPartition::Drop || apart.next().is_none() {
                return faults;
            }
            assert_eq!(failures.on_partition, OnPartition::Redraw, "refused");
            faults.redraws += 1;
        }
    }

    fn of(&self, end: Port) -> impl Iterator<Item = &Fault> {
        self.list
            .iter()
            .filter(move |fault| fault.ends.contains(&end))
    }

    fn downs(&self, end: Port) -> impl Iterator<Item = &Fault> {
        self.of(end).filter(|fault| fault.slow_to.is_none())
    }

    fn down_at(&self, end: Port, at: Time) -> bool {
        self.downs(end)
            .any(|fault| fault.from <= at && at < fault.until)
    }

    /// Whether switches think at `now` that the link at this port is up.
    pub(crate) fn known_up(&self, end: Port, now: Time) -> bool {
        let then = now.0.saturating_sub(self.convergence.0);
        !self.down_at(end, Time(then))
    }

    /// When a frame that may start at `at` does start.
    pub(crate) fn start(&self, end: Port, mut at: Time) -> Option<Time> {
        while self.held && self.down_at(end, at) {
            let over = self.downs(end).filter(|f| f.from <= at && at < f.until);
            at = over.map(|fault| fault.until).max()?;
        }
        (at != Time::NEVER).then_some(at)
    }

    /// The rate of a frame that starts at `at`.
    pub(crate) fn rate(&self, end: Port, at: Time, usual: Rate) -> Rate {
        let mut slow = self.of(end).filter(|f| f.from <= at && at < f.until);
        let share = slow.find_map(|fault| fault.slow_to);
        let bits = u128::from(usual.bits_per_sec());
        share.map_or(usual, |share| {
            let bits = bits * u128::from(share.num) / u128::from(share.den);
            Rate::from_bits_per_sec(bits.max(1) as u64)
        })
    }

    /// The fraction of its rate that the link at this port has at time 0.
    pub(crate) fn share_at_start(&self, end: Port) -> Ratio {
        let mut here = self.of(end).filter(|fault| fault.from == Time::ZERO);
        here.find_map(|fault| fault.slow_to).unwrap_or(Ratio::ONE)
    }

    /// Whether a frame does not arrive whose first bit goes out at `first` and whose last bit would come in at `last`.
    pub(crate) fn loses(&self, end: Port, first: Time, last: Time) -> bool {
        let between = |fault: &Fault| fault.from <= last && first < fault.until;
        self.downs(end).any(between)
    }

    /// Cables that are down at some time.
    pub(crate) fn failed_links(&self) -> u64 {
        let down = self.list.iter().filter(|fault| fault.slow_to.is_none());
        let cables: BTreeSet<[Port; 2]> = down.map(|fault| fault.ends).collect();
        cables.len() as u64
    }

    /// The instants from 1 to `end` at which some link changes.
    pub(crate) fn changes(&self, end: Time) -> Vec<Time> {
        let mut changes = BTreeSet::new();
        for fault in &self.list {
            changes.extend([fault.from, fault.until]);
        }
        // Where one outage of a cable follows or covers the end of another, nothing changes.
        let real = |&at: &Time| {
            self.list.iter().any(|fault| {
                let is_end = fault.from == at || fault.until == at;
                let before = || self.down_at(fault.ends[0], Time(at.0 - 1));
                is_end && (fault.slow_to.is_some() || before() != self.down_at(fault.ends[0], at))
            })
        };
        let inside = changes
            .into_iter()
            .filter(|at| Time::ZERO < *at && *at <= end);
        inside.filter(real).collect()
    }
}

/// Where a flow's data comes from and goes to.
pub(crate) fn ends(flow: &FlowSpec) -> Ends {
    Ends {
        src: flow.src,
        dst: flow.dst,
    }
}

/// Every cable between switches, by the number that settings and random streams give it: lower end first.
fn cables(wiring: &Wiring) -> Vec<[Port; 2]> {
    let mut cables = Vec::new();
    for node in wiring.hosts..wiring.plugs.len() {
        for (port, plug) in wiring.plugs[node].iter().enumerate() {
            if plug.up {
                cables.push([(node, port), (plug.peer, plug.peer_port)]);
            }
        }
    }
    cables
}

/// The faults of a switch.
fn of_switch(cables: &[[Port; 2]], node: usize, from: Time, until: Time) -> Vec<Fault> {
    let here = cables
        .iter()
        .filter(|ends| ends.iter().any(|end| end.0 == node));
    here.map(|&ends| Fault {
        ends,
        from,
        until,
        slow_to: None,
    })
    .collect()
}

fn listed(failures: &Failures, wiring: &Wiring) -> Vec<Fault> {
    let cables = cables(wiring);
    let links = failures.links.iter().map(|link| Fault {
        ends: cables[link.cable as usize],
        from: link.from,
        until: link.until,
        slow_to: link.slow_to,
    });
    let switches = failures.switches.iter().flat_map(|switch| {
        let node = wiring.hosts + switch.switch as usize;
        of_switch(&cables, node, switch.from, switch.until)
    });
    links.chain(switches).collect()
}

fn drawn(failures: &Failures, wiring: &Wiring, seed: u64, attempt: u64) -> Vec<Fault> {
    let cables = cables(wiring);
    let falls = |domain, number: usize, probability: Ratio| {
        let entity = (attempt << 32) + number as u64;
        let draw = Rng::stream(seed, domain, entity).below_u64(probability.den);
        draw < probability.num
    };
    let mut faults = Vec::new();
    for (number, &ends) in cables.iter().enumerate() {
        let probability = match wiring.name(ends[0].0).0 {
            'e' => failures.edge_agg_probability,
            _ => failures.agg_core_probability,
        };
        if falls(Domain::LinkFailure, number, probability) {
            faults.push(Fault {
                ends,
                from: Time::ZERO,
                until: Time::NEVER,
                slow_to: None,
            });
        }
    }
    for node in wiring.hosts + wiring.edges..wiring.plugs.len() {
        let switch = node - wiring.hosts;
        if falls(Domain::SwitchFailure, switch, failures.switch_probability) {
            faults.extend(of_switch(&cables, node, Time::ZERO, Time::NEVER));
        }
    }
    faults
}

/// The paths that are live at time 0, by walking them.
#[derive(Debug)]
pub(crate) struct Live {
    wiring: Wiring,
    dead: BTreeSet<Port>,
}

impl Live {
    /// Those that `faults` leave.
    pub(crate) fn new(wiring: Wiring, faults: &Faults) -> Self {
        let ports = cables(&wiring).into_iter().flatten();
        let dead = ports.filter(|&end| faults.down_at(end, Time::ZERO));
        Self {
            dead: dead.collect(),
            wiring,
        }
    }
}

impl Live {
    /// Whether a packet at `node` gets to `dst` by the ways up that are left, down by any links that are up.
    fn walks(&self, node: usize, dst: usize, ups: &[u8]) -> bool {
        if node == dst {
            return true;
        }
        let mut ports = self.wiring.down_ports(node, dst);
        let mut rest = ups;
        if ports.is_empty() {
            let (uplink, others) = ups.split_first().expect("two ways up at most");
            ports = vec![self.wiring.downlinks(node) + usize::from(*uplink)];
            rest = others;
        }
        let mut live = ports
            .into_iter()
            .filter(|&port| !self.dead.contains(&(node, port)));
        live.any(|port| self.walks(self.wiring.plugs[node][port].peer, dst, rest))
    }
}

impl Live {
    /// The ways up by which `dst` can be reached from `src`.
    pub(crate) fn paths(&self, ends: Ends) -> Vec<[u8; 2]> {
        let Ends { src, dst } = ends;
        let [edge, agg] = self.wiring.climbs.map(|uplinks| uplinks as u8);
        let (edges, aggs) = match self.wiring.layer(src as usize, dst as usize) {
            Layer::SameEdge => (1, 1),
            Layer::SamePod => (edge, 1),
            Layer::InterPod => (edge, agg),
        };
        let paths = (0..edges).flat_map(|a| (0..aggs).map(move |c| [a, c]));
        let live = |path: &[u8; 2]| self.is_live(ends, *path);
        paths.filter(live).collect()
    }
}

impl LivePaths for Live {
    fn is_live(&self, Ends { src, dst }: Ends, uplinks: [u8; 2]) -> bool {
        let edge = self.wiring.plugs[src as usize][0].peer;
        self.walks(edge, dst as usize, &uplinks)
    }

    fn count(&self, ends: Ends) -> u32 {
        self.paths(ends).len() as u32
    }
}
