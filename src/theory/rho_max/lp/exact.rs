//! The best bound in exact fractions.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::{EQUAL, Master};
use crate::theory::rho_max::NotComputed;
use crate::theory::rho_max::demand::Demand;
use crate::theory::rho_max::fraction::{approximate, closest, fraction, sum};

/// The most by which the bound may lie below what the program found, in proportion, for want of digits.
const GAP: f64 = 1e-6;
/// Prices are tried as multiples of the least by fractions of a denominator up to this.
const SIMPLE: u32 = 64;
/// Prices below this fraction of the highest are the solver's noise. Any prices give a bound.
const NOISE: f64 = 1e-9;
/// Else the highest price counts this many units.
const FINE: f64 = (1_u64 << 40) as f64;

/// The bound of the best prices, and whether it is as good as `load`, up to the digits of a float; 1 without prices.
pub(super) fn bound(
    master: &Master<'_>,
    demand: &Demand,
    load: f64,
) -> Result<(BigRational, bool), NotComputed> {
    let highest = master.prices.iter().copied().fold(0.0, f64::max);
    if highest == 0.0 {
        return Ok((fraction(1, 1), true));
    }
    let floats: Vec<f64> = master
        .prices
        .iter()
        .map(|&price| if price < NOISE * highest { 0.0 } else { price })
        .collect();
    if let Some(prices) = simple(&floats) {
        let bound = evaluate(master, demand, &prices);
        if load <= approximate(&bound) * (1.0 + 2.0 * EQUAL) {
            return Ok((bound, true));
        }
    }
    let fine = |price: &f64| (price / highest * FINE).round() as u64;
    let bound = evaluate(master, demand, &floats.iter().map(fine).collect::<Vec<_>>());
    if load <= approximate(&bound) * (1.0 + GAP) {
        return Ok((bound, false));
    }
    Err(NotComputed::Unsolved)
}

/// `prices` as whole numbers of the same proportions, if they are simple.
fn simple(prices: &[f64]) -> Option<Vec<u64>> {
    let positive = prices.iter().copied().filter(|price| *price > 0.0);
    let least = positive.fold(f64::INFINITY, f64::min);
    let ratios: Vec<BigRational> = prices
        .iter()
        .map(|price| Some(closest(&BigRational::from_float(price / least)?, SIMPLE)))
        .collect::<Option<_>>()?;
    let mut unit = BigInt::from(1);
    for ratio in &ratios {
        unit = &unit * (fraction(unit.clone(), ratio.denom().clone())).denom();
    }
    let whole = |ratio: &BigRational| (ratio * &unit).to_integer().to_u32().map(u64::from);
    ratios.iter().map(whole).collect()
}

/// The load that no split can avoid, by these prices: the cost of the demand over that of all capacity.
fn evaluate(master: &Master<'_>, demand: &Demand, prices: &[u64]) -> BigRational {
    let mut cost: BTreeMap<u64, u128> = BTreeMap::new();
    let mut commodities = demand.commodities.iter().peekable();
    for pair in &master.pairs {
        let cheapest = u128::from(master.cheapest(pair, |link| prices[link]));
        while let Some(same) = commodities.next_if(|c| (c.from, c.to) == (pair.from, pair.to)) {
            *cost.entry(same.parts).or_insert(0) += u128::from(same.flows) * cheapest;
        }
    }
    let cost = sum(cost
        .iter()
        .map(|(&parts, &cost)| fraction(cost, parts))
        .collect());
    let links = master.cables.links().zip(prices);
    let priced = links.filter(|(_, price)| **price > 0);
    let spent = priced.map(|(link, &price)| master.cables.capacity(link) * fraction(price, 1));
    cost / sum(spent.collect())
}
