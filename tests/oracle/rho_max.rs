//! What load is a fraction of: the fraction of line rate that the fabric can carry, by going through every path of every flow.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use spraysim::scenario::{RhoMaxRule, Scenario};
use spraysim::units::{Rate, Ratio};
use spraysim::workload::FlowSpec;

use super::cases::Case;
use super::wiring::Wiring;

/// The load on each link between switches, by node and port.
type Loads = BTreeMap<(usize, usize), BigRational>;

/// The fraction of line rate that `scenario`'s fabric can carry of `specs`. The optimum is only known where it is line rate.
pub(crate) fn rho_max(scenario: &Scenario, specs: &[FlowSpec], wiring: &Wiring) -> Ratio {
    let rule = scenario.congestion_control.rho_max;
    let mut loads = Loads::new();
    for spec in specs {
        let out = specs.iter().filter(|other| other.src == spec.src).count();
        let into = specs.iter().filter(|other| other.dst == spec.dst).count();
        let asked = fraction(1, out.max(into) as u64);
        let (edge, dst) = (wiring.plugs[spec.src as usize][0].peer, spec.dst as usize);
        if rule == RhoMaxRule::HopEqual {
            by_hops(wiring, edge, dst, &asked, &mut loads);
            continue;
        }
        let paths = paths(wiring, edge, dst);
        let each = asked * fraction(1, paths.len() as u64);
        for link in paths.into_iter().flatten() {
            *loads.entry(link).or_insert_with(BigRational::zero) += &each;
        }
    }
    let strain = |(&(node, port), load): (&(usize, usize), &BigRational)| {
        let rates = scenario.fabric.tiers.map(|tier| tier.rate.bits_per_sec());
        let letters = [node, wiring.plugs[node][port].peer].map(|node| wiring.name(node).0);
        let tier = if letters.contains(&'e') { 1 } else { 2 };
        load * fraction(rates[0], rates[tier])
    };
    let heaviest = loads.iter().map(strain).max();
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

/// The ports by which `node` may send to `dst`.
fn ways(wiring: &Wiring, node: usize, dst: usize) -> Vec<usize> {
    if let Some(port) = wiring.down_port(node, dst) {
        return vec![port];
    }
    let valid = wiring.valid_uplinks(node, dst);
    let uplinks = (0..wiring.uplinks(node)).filter(|&uplink| valid.contains(uplink));
    uplinks
        .map(|uplink| wiring.downlinks(node) + uplink)
        .collect()
}

/// The links between switches of every path from `node` to `dst`.
fn paths(wiring: &Wiring, node: usize, dst: usize) -> Vec<Vec<(usize, usize)>> {
    let mut all = Vec::new();
    for port in ways(wiring, node, dst) {
        let next = wiring.plugs[node][port].peer;
        if next == dst {
            return vec![Vec::new()];
        }
        for mut path in paths(wiring, next, dst) {
            path.push((node, port));
            all.push(path);
        }
    }
    all
}

/// Split `unit` equally at `node` and every switch after it.
fn by_hops(wiring: &Wiring, node: usize, dst: usize, unit: &BigRational, loads: &mut Loads) {
    let ways = ways(wiring, node, dst);
    for &port in &ways {
        let next = wiring.plugs[node][port].peer;
        if next != dst {
            let share = unit * fraction(1, ways.len() as u64);
            *loads.entry((node, port)).or_insert_with(BigRational::zero) += &share;
            by_hops(wiring, next, dst, &share, loads);
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
            ..
        } = Case::numbered(number);
        let upper = [[100, 30, 70], [90, 100, 40], [800, 300, 200]][number as usize % 3];
        for (tier, gbps) in scenario.fabric.tiers.iter_mut().zip(upper) {
            tier.rate = Rate::from_gbps(gbps);
        }
        let shape = scenario.fabric.shape;
        let wiring = Wiring::new(shape.levels, 2 * shape.hosts_per_edge as usize);
        for rule in [
            RhoMaxRule::PathEqual,
            RhoMaxRule::HopEqual,
            RhoMaxRule::LineRate,
        ] {
            scenario.congestion_control.rho_max = rule;
            let found = spraysim::theory::rho_max::of_run(&scenario, &flows).expect("a small case");
            let expected = rho_max(&scenario, &flows, &wiring);
            assert_eq!(found.value, expected, "case {number}, {rule:?}");
            below_one += u32::from(expected.num < expected.den);
        }
    }
    assert!(below_one > 60, "{below_one}");
}
