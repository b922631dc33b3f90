//! What load is a fraction of: the fraction of line rate that the fabric can carry, by going through every path of every flow.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use spraysim::lb::host::LivePaths;
use spraysim::scenario::{RhoMaxRule, Scenario};
use spraysim::topology::{FatTree, Outages};
use spraysim::units::{Rate, Ratio, Time};
use spraysim::workload::FlowSpec;

use super::cases::Case;
use super::failures::{Faults, Live, ends};
use super::wiring::Wiring;

/// The load on each link between switches, by node and port.
type Loads = BTreeMap<(usize, usize), BigRational>;

/// The fraction of line rate that `scenario`'s fabric can carry of `specs`. The optimum is only known where it is line rate.
pub(crate) fn rho_max(
    scenario: &Scenario,
    specs: &[FlowSpec],
    wiring: &Wiring,
    faults: &Faults,
) -> Ratio {
    let rule = scenario.congestion_control.rho_max;
    let live = Live::new(wiring.clone(), faults);
    let sent: Vec<&FlowSpec> = specs
        .iter()
        .filter(|spec| live.count(ends(spec)) > 0)
        .collect();
    let mut walk = Walk {
        wiring,
        faults,
        loads: Loads::new(),
    };
    for spec in &sent {
        let out = sent.iter().filter(|other| other.src == spec.src).count();
        let into = sent.iter().filter(|other| other.dst == spec.dst).count();
        let asked = fraction(1, out.max(into) as u64);
        let (edge, dst) = (wiring.plugs[spec.src as usize][0].peer, spec.dst as usize);
        if rule == RhoMaxRule::HopEqual {
            walk.by_hops(edge, dst, &asked);
            continue;
        }
        let ends = ends(spec);
        let each = asked * fraction(1, live.count(ends).into());
        for ups in live.paths(ends) {
            walk.along(edge, dst, &ups, &each);
        }
    }
    let strain = |(&(node, port), load): (&(usize, usize), &BigRational)| {
        let rates = scenario.fabric.tiers.map(|tier| tier.rate.bits_per_sec());
        let share = faults.share_at_start((node, port));
        let rate = fraction(rates[0], rates[wiring.tier(node, port)]);
        load * rate * fraction(share.den, share.num)
    };
    let heaviest = walk.loads.iter().map(strain).max();
    match heaviest {
        Some(heaviest) if heaviest > BigRational::one() && rule != RhoMaxRule::LineRate => {
            assert_ne!(rule, RhoMaxRule::Lp, "not known here");
            ratio(&heaviest.recip())
        }
        _ => Ratio::ONE,
    }
}

/// `load` x `rho_max`.
pub(crate) fn product(load: Ratio, rho_max: Ratio) -> Ratio {
    if rho_max == Ratio::ONE {
        return load;
    }
    ratio(&(fraction(load.num, load.den) * fraction(rho_max.num, rho_max.den)))
}

fn fraction(num: u64, den: u64) -> BigRational {
    BigRational::new(num.into(), den.into())
}

fn ratio(exact: &BigRational) -> Ratio {
    let part = |integer: &BigInt| integer.to_u64().expect("the small cases here fit");
    Ratio {
        num: part(exact.numer()),
        den: part(exact.denom()),
    }
}

/// Traffic that is put on links.
struct Walk<'a> {
    wiring: &'a Wiring,
    faults: &'a Faults,
    loads: Loads,
}

impl Walk<'_> {
    fn is_up(&self, node: usize, port: usize) -> bool {
        self.faults.known_up((node, port), Time::ZERO)
    }

    /// The down-ports of `node` that lead to `dst` and are up.
    fn down(&self, node: usize, dst: usize) -> Vec<usize> {
        let ports = self.wiring.down_ports(node, dst).into_iter();
        ports.filter(|&port| self.is_up(node, port)).collect()
    }

    /// Put `unit` on `port` of `node`; what is behind it.
    fn cross(&mut self, node: usize, port: usize, unit: &BigRational) -> usize {
        if self.wiring.tier(node, port) > 0 {
            *self
                .loads
                .entry((node, port))
                .or_insert_with(BigRational::zero) += unit;
        }
        self.wiring.plugs[node][port].peer
    }

    /// Send `unit` from `node` to `dst` by these uplinks, and down over parallel links equally.
    fn along(&mut self, node: usize, dst: usize, ups: &[u8], unit: &BigRational) {
        if node == dst {
            return;
        }
        let mut ports = self.down(node, dst);
        let mut rest = ups;
        if self.wiring.down_ports(node, dst).is_empty() {
            ports = vec![self.wiring.downlinks(node) + usize::from(ups[0])];
            rest = &ups[1..];
        }
        let each = unit * fraction(1, ports.len() as u64);
        for port in ports {
            let next = self.cross(node, port, &each);
            self.along(next, dst, rest, &each);
        }
    }

    /// Split `unit` equally at `node` and every switch after it.
    fn by_hops(&mut self, node: usize, dst: usize, unit: &BigRational) {
        if node == dst {
            return;
        }
        let mut ports = self.down(node, dst);
        if self.wiring.down_ports(node, dst).is_empty() {
            let is_up = |node, port| self.is_up(node, port);
            let valid = self.wiring.valid_uplinks(node, dst, &is_up);
            ports = valid
                .iter()
                .map(|uplink| self.wiring.downlinks(node) + uplink)
                .collect();
        }
        let each = unit * fraction(1, ports.len() as u64);
        for port in ports {
            let next = self.cross(node, port, &each);
            self.by_hops(next, dst, &each);
        }
    }
}

#[test]
fn the_product_finds_the_same_where_upper_links_are_slower() {
    let mut below_one = 0;
    for number in 0..60 {
        let Case {
            mut scenario,
            flows,
            seed,
            ..
        } = Case::numbered(number);
        let upper = [[100, 30, 70], [90, 100, 40], [800, 300, 200]][number as usize % 3];
        for (tier, gbps) in scenario.fabric.tiers.iter_mut().zip(upper) {
            tier.rate = Rate::from_gbps(gbps);
        }
        let wiring = Wiring::new(&scenario.fabric.shape);
        let tree = FatTree::of(scenario.fabric.shape);
        let failures = scenario.fabric.failures.as_ref();
        let faults = failures.map(|failures| Faults::new(failures, &wiring, seed, &flows));
        let faults = faults.unwrap_or_default();
        let outages =
            Outages::of(tree, failures, seed, &flows).expect("a case that is not refused");
        for rule in [
            RhoMaxRule::PathEqual,
            RhoMaxRule::HopEqual,
            RhoMaxRule::LineRate,
        ] {
            scenario.congestion_control.rho_max = rule;
            let found = spraysim::theory::rho_max::of_run(&scenario, &flows, outages.as_ref())
                .expect("a small case");
            let expected = rho_max(&scenario, &flows, &wiring, &faults);
            assert_eq!(found.value, expected, "case {number}, {rule:?}");
            below_one += u32::from(expected.num < expected.den);
        }
    }
    assert!(below_one > 60, "{below_one}");
}
