//! What keeps hosts and switches from lockstep: random doses of it for the cases, and what the model page says it does.

use std::collections::BTreeMap;

use spraysim::engine::Ties;
use spraysim::lb::switch::SwitchScheme;
use spraysim::rng::{Domain, Rng};
use spraysim::scenario::{Scenario, StartJitter, StragglerHosts, Stragglers, TieBreak};
use spraysim::units::{Drift, Ratio, Span, Time};

use super::cases::Dice;
use super::flows::slot;
use super::mixed::others;

/// Make the scenario less perfect, each way at times.
pub(crate) fn spoil(scenario: &mut Scenario, dice: &mut Dice) {
    let slot = slot(scenario).0;
    if dice.chance(60) {
        let any = dice.between(1, 1_000_000_000);
        let skews = [any, 1_000_000, 100_000_000, 1_000_000_000];
        scenario.imperfection.clock_skew = Drift(dice.one_of(&skews));
    }
    if dice.chance(40) {
        let any = dice.between(1, 20 * slot);
        let jitters = [any, slot, 1, 3, 200_000];
        scenario.imperfection.switch_jitter = Span(dice.one_of(&jitters));
    }
    if dice.chance(50) {
        scenario.imperfection.tie_break = TieBreak::Random;
    }
    if dice.chance(40) {
        let span = dice.between(0, 30 * slot);
        scenario.workload.start_jitter = StartJitter::Uniform(Span(span));
    }
    if dice.chance(30) {
        let shape = &scenario.fabric.shape;
        let hosts = u64::from(shape.pods * shape.edges_per_pod * shape.hosts_per_edge);
        let some = dice.between(0, hosts - 1) as u32;
        let num = dice.between(0, 100);
        let which = [
            StragglerHosts::Listed(vec![some]),
            StragglerHosts::Fraction(Ratio { num, den: 100 }),
        ];
        scenario.workload.stragglers = Some(Stragglers {
            hosts: dice.one_of(&which),
            delay: Span(dice.one_of(&[slot, 7 * slot, 1_000_000, 1])),
        });
    }
}

/// What a switch draws for each packet that it decides on.
#[derive(Debug)]
pub(crate) struct Pipeline {
    latency: Span,
    jitter: Span,
    draws: Rng,
    /// When the last packet of each ingress port reaches its queue.
    last: BTreeMap<u16, Time>,
}

impl Pipeline {
    pub(crate) fn new(scenario: &Scenario, number: usize, tier: usize, seed: u64) -> Self {
        Self {
            latency: scenario.fabric.tiers[tier].switch_latency,
            jitter: scenario.imperfection.switch_jitter,
            draws: Rng::stream(seed, Domain::SwitchJitter, number as u64),
            last: BTreeMap::new(),
        }
    }

    /// When a packet that arrives now reaches its queue.
    pub(crate) fn through(&mut self, now: Time, ingress: u16) -> Time {
        let mut at = now + self.latency;
        if self.jitter > Span::ZERO {
            at += Span(self.draws.below_u64(self.jitter.0 + 1));
            let before = self.last.get(&ingress).copied();
            at = at.max(before.unwrap_or(at));
            self.last.insert(ingress, at);
        }
        at
    }
}

/// What a policy that reads queues sees of them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Seen {
    Now,
    At(Time),
    Nothing,
}

/// When a switch copies its queue lengths for its policy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sight {
    first: u64,
    period: u64,
}

impl Sight {
    pub(crate) fn new(scenario: &Scenario, number: usize, seed: u64) -> Self {
        let others = others(scenario, seed);
        let base = &scenario.load_balancing.switch;
        let Span(period) = match others.get(&number).unwrap_or(base) {
            SwitchScheme::Jsq(params) => params.view.period,
            SwitchScheme::Ar(params) => params.view.period,
            _ => Span::ZERO,
        };
        let mut draws = Rng::stream(seed, Domain::ViewPhase, number as u64);
        let first = if period == 0 {
            0
        } else {
            draws.below_u64(period)
        };
        Self { first, period }
    }

    pub(crate) fn of(self, now: Time) -> Seen {
        match now.0.checked_sub(self.first) {
            _ if self.period == 0 => Seen::Now,
            None => Seen::Nothing,
            Some(since) => Seen::At(Time(self.first + since / self.period * self.period)),
        }
    }
}

/// How each node orders what arrives at one instant; nothing if that is by ingress port.
pub(crate) fn ties(scenario: &Scenario, nodes: usize, seed: u64) -> Vec<Ties> {
    if scenario.imperfection.tie_break == TieBreak::IngressPort {
        return Vec::new();
    }
    let key = |node: usize| {
        let mut draws = Rng::stream(seed, Domain::TieBreak, node as u64);
        let high = u64::from(draws.bits());
        high << 32 | u64::from(draws.bits())
    };
    (0..nodes).map(|node| Ties::new(key(node))).collect()
}

/// How slow a host's clock is, in parts in 10^12.
pub(crate) fn drift(scenario: &Scenario, host: usize, seed: u64) -> u64 {
    let Drift(skew) = scenario.imperfection.clock_skew;
    let mut draws = Rng::stream(seed, Domain::ClockSkew, host as u64);
    if skew == 0 {
        0
    } else {
        draws.below_u64(2 * skew + 1)
    }
}

/// Parts of a picosecond, and of a clock's rate.
const PARTS: u128 = 1_000_000_000_000;

/// An instant to the 10^-12 of a picosecond.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fine(u128);

impl Fine {
    pub(crate) fn at(time: Time) -> Self {
        Self(u128::from(time.0) * PARTS)
    }

    /// Later by a span of a clock with that drift.
    pub(crate) fn after(self, span: Span, drift: u64) -> Self {
        Self(self.0 + u128::from(span.0) * (PARTS + u128::from(drift)))
    }

    /// The first whole picosecond at or after it.
    pub(crate) fn time(self) -> Time {
        let whole = self.0 / PARTS;
        Time((whole + u128::from(self.0 > whole * PARTS)) as u64)
    }
}

/// How much later than its flows say each host starts.
pub(crate) fn offsets(scenario: &Scenario, hosts: usize, seed: u64) -> Vec<Span> {
    let mut offsets: Vec<Span> = Vec::new();
    for host in 0..hosts {
        let mut draws = Rng::stream(seed, Domain::StartJitter, host as u64);
        offsets.push(match scenario.workload.start_jitter {
            StartJitter::Slot => Span(draws.below_u64(slot(scenario).0)),
            StartJitter::Uniform(Span(below)) if below > 0 => Span(draws.below_u64(below)),
            StartJitter::Uniform(_) | StartJitter::None => Span::ZERO,
        });
    }
    let Some(stragglers) = &scenario.workload.stragglers else {
        return offsets;
    };
    let late: Vec<usize> = match &stragglers.hosts {
        StragglerHosts::Listed(listed) => listed.iter().map(|host| *host as usize).collect(),
        StragglerHosts::Fraction(Ratio { num, den }) => {
            let mut order: Vec<usize> = (0..hosts).collect();
            Rng::stream(seed, Domain::Stragglers, 0).shuffle(&mut order);
            // Within half a host of so many.
            let is_nearest = |count: &u64| {
                let (twice, exact) = (2 * count * den, 2 * num * hosts as u64);
                exact < twice + den && twice <= exact + den
            };
            let count = (0..=hosts as u64).find(is_nearest).expect("0 to all");
            order.drain(..count as usize).collect()
        }
    };
    for host in late {
        offsets[host] += stragglers.delay;
    }
    offsets
}
