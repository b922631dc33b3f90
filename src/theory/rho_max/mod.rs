//! rho_max: the highest common fraction of line rate at which all flows can send if they are balanced perfectly over valid shortest
//! paths.
//!
//! Source: paper sections 2.2 and 6.2, our spec's section 1.6. The paper does not say what "balanced perfectly" is where links are
//! missing, so there are three readings ([`RhoMaxRule`]): split equally over paths (the default), split equally hop by hop, or the
//! optimum over all splits. On the way down, parallel links share equally in the first two. What a flow asks for is in `demand.rs`.
//! The result is min(1, 1 / the heaviest load on a link between switches, relative to the link's rate); hosts' links bind nothing, as
//! no host asks for more than its rate either way.
//!
//! Not modelled: ACKs, frames' overheads (they are in line rate as in load), and flows that start or end at different times: all of a
//! run's flows count as if they were sent at once.

mod cables;
mod demand;
mod fraction;
mod lp;
mod split;

use std::fmt;

use num_rational::BigRational;
use num_traits::One;

use crate::settings::{Fabric, FlowSpec, RhoMaxRule, Scenario};
use crate::topology::{FatTree, Outages, PortRef};
use crate::units::Ratio;

use cables::Cables;
use demand::Demand;
use split::{Equal, Split};

/// rho_max of some flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RhoMax {
    /// The fraction of line rate, in (0, 1].
    pub value: Ratio,
    /// Whether `value` is exact. If not, the exact result was rounded down to the next fraction of 64 bits. By [`RhoMaxRule::Lp`]
    /// `value` is proven not to be below the optimum, and the solver found a split within 10^-9 of it, in proportion; if not exact,
    /// within 10^-6.
    pub is_exact: bool,
    /// Flows without a way, which are left out.
    pub cut_off: u64,
}

impl RhoMax {
    /// Line rate.
    pub const ONE: Self = Self {
        value: Ratio::ONE,
        is_exact: true,
        cut_off: 0,
    };
}

/// Why there is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotComputed {
    /// The optimum has more variables (pairs of edge switches x positions of aggregation switches) than `limit`.
    TooLarge {
        /// Variables.
        variables: u64,
        /// The most that are allowed.
        limit: u64,
    },
    /// The solver of linear programs did not come to an end.
    Unsolved,
}

impl fmt::Display for NotComputed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { variables, limit } => {
                write!(f, "not computed: {variables} variables > {limit}")
            }
            Self::Unsolved => f.write_str("not computed: the solver did not come to an end"),
        }
    }
}

impl std::error::Error for NotComputed {}

/// rho_max of `flows` on `fabric`, where `cable` says of each cable between switches, named by its lower end, at what fraction above 0
/// of its rate it works; `None`: it is down.
///
/// # Errors
/// By [`RhoMaxRule::Lp`] only: if there are too many variables (known from the fabric and the number of flows alone, see
/// [`lp_size`]), or if the solver fails.
pub fn rho_max(
    fabric: &Fabric,
    cable: impl Fn(PortRef) -> Option<Ratio>,
    flows: &[FlowSpec],
    rule: RhoMaxRule,
) -> Result<RhoMax, NotComputed> {
    if rule == RhoMaxRule::LineRate {
        return Ok(RhoMax::ONE);
    }
    if rule == RhoMaxRule::Lp {
        lp_size(fabric, flows.len() as u64)?;
    }
    let cables = Cables::new(fabric, cable);
    let connects = |from, to| cables.positions(from, to).next().is_some();
    let demand = Demand::new(cables.tree, flows, connects);
    let equal = |equal| Split::new(&cables, &demand, equal).heaviest();
    let (load, is_optimal) = match rule {
        RhoMaxRule::PathEqual | RhoMaxRule::LineRate => (equal(Equal::Paths), true),
        RhoMaxRule::HopEqual => (equal(Equal::Hops), true),
        RhoMaxRule::Lp => lp::least_load(&cables, &demand)?,
    };
    let (value, fits) = fraction::at_most(&(BigRational::one() / load));
    Ok(RhoMax {
        value,
        is_exact: fits && is_optimal,
        cut_off: demand.cut_off,
    })
}

/// rho_max of a run of `scenario` with these flows and failures, by the rule that it names. Links count as they are at time 0.
///
/// # Errors
/// As [`rho_max`].
pub fn of_run(
    scenario: &Scenario,
    flows: &[FlowSpec],
    outages: Option<&Outages>,
) -> Result<RhoMax, NotComputed> {
    of_rule(
        scenario,
        flows,
        outages,
        scenario.congestion_control.rho_max,
    )
}

/// rho_max of a run of `scenario` with these flows by another rule.
///
/// # Errors
/// As [`rho_max`].
pub fn of_rule(
    scenario: &Scenario,
    flows: &[FlowSpec],
    outages: Option<&Outages>,
    rule: RhoMaxRule,
) -> Result<RhoMax, NotComputed> {
    if is_one(&scenario.fabric) {
        return Ok(RhoMax::ONE);
    }
    let tree = FatTree::of(scenario.fabric.shape);
    let cable = |end: PortRef| match (outages, tree.cable_number(end)) {
        (Some(outages), Some(cable)) => outages.share_at_start(cable),
        _ => Some(Ratio::ONE),
    };
    rho_max(&scenario.fabric, cable, flows, rule)
}

/// Whether rho_max is 1 for all flows by any rule: no link fails, and each switch's uplinks are together as fast as all hosts
/// below it, or the pod's are. An equal split then loads no link beyond its rate.
#[must_use]
pub fn is_one(fabric: &Fabric) -> bool {
    let shape = fabric.shape;
    let rate = |tier: usize| u128::from(fabric.tiers[tier].rate.bits_per_sec());
    let links = |counts: [u32; 4]| counts.into_iter().map(u128::from).product::<u128>();
    let hosts = links([shape.hosts_per_edge, 1, 1, 1]) * rate(0);
    let up = links([shape.aggs_per_pod, shape.edge_bundle, 1, 1]) * rate(1);
    let pod_hosts = hosts * u128::from(shape.edges_per_pod);
    let pod_up = rate(2) * links([shape.aggs_per_pod, shape.cores_per_agg, shape.agg_bundle, 1]);
    fabric.failures.is_none() && hosts <= up && (shape.levels == 2 || pod_hosts <= pod_up)
}

/// Check that the optimum for so many flows on `fabric` is not too large to be computed.
///
/// # Errors
/// If it is.
pub fn lp_size(fabric: &Fabric, flows: u64) -> Result<(), NotComputed> {
    let edges = u64::from(fabric.shape.pods) * u64::from(fabric.shape.edges_per_pod);
    let pairs = flows.min(edges * (edges - 1));
    let variables = pairs * u64::from(fabric.shape.aggs_per_pod);
    let limit = lp::MOST_VARIABLES;
    if variables > limit {
        return Err(NotComputed::TooLarge { variables, limit });
    }
    Ok(())
}

/// `load` x `rho_max`, rounded down to the next fraction of 64 bits if need be.
#[must_use]
pub fn paced(load: Ratio, rho_max: Ratio) -> Ratio {
    if rho_max == Ratio::ONE {
        return load;
    }
    let big = |ratio: Ratio| fraction::fraction(ratio.num, ratio.den);
    fraction::at_most(&(big(load) * big(rho_max))).0
}

#[cfg(test)]
mod tests;
