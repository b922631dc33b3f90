//! Workloads: who sends how many bytes to whom, and when. One file a kind, one row a kind in [`WORKLOADS`].
//!
//! What is generated depends on the scenario's fabric, workload and seed, never on the scheme, so that schemes are compared
//! on the same traffic.

pub mod htsim_cm;
pub mod mice;
pub mod pairs;
pub mod permutation;
mod site;

use std::sync::Arc;

use crate::fields::{Row, Section};
use crate::rng::{Domain, Rng};
use crate::settings::{
    Generator, Scenario, StartJitter, StragglerHosts, Stragglers, straggler_count,
};
use crate::topology::FatTree;
use crate::units::Span;

pub use site::{Site, Wrong, no_such_host};

/// A kind of workload as its keys say, not yet checked against the rest of the scenario.
pub trait Draft: std::fmt::Debug {
    /// The workload, or what is wrong with it, told to `site`.
    fn check(&self, site: &mut Site<'_>) -> Option<Arc<dyn Generator>>;
}

/// The table of kinds: from `"name" => module::Keys` it makes what users see and how each is read. A module has `ABOUT`, and its keys are a
/// [`Draft`].
macro_rules! workloads {
    ($($name:literal => $module:ident::$keys:ident,)*) => {
        /// All kinds.
        pub const WORKLOADS: &[Row<Box<dyn Draft>>] = &[
            $(Row {
                name: $name,
                about: $module::ABOUT,
                keys: || $module::$keys::keys(None),
                read: |fields| Box::new($module::$keys::read(fields, None)),
            },)*
        ];
    };
}

workloads! {
    "permutation" => permutation::Permutation,
    "pairs" => pairs::PairsKeys,
    "htsim_cm" => htsim_cm::MatrixKeys,
}

pub use crate::settings::{
    Activator, Connection, Dependencies, FlowClass, FlowEvent, FlowSpec, Message, Target, Traffic,
    Trigger,
};

/// The flows of one run, in the workload's order, without what they wait for.
///
/// # Panics
///
/// As [`traffic`].
#[must_use]
pub fn flows(scenario: &Scenario, seed: u64) -> Vec<FlowSpec> {
    traffic(scenario, seed).flows
}

/// The flows of one run, in the workload's order, and what they wait for.
///
/// # Panics
///
/// If only inter-pod pairs are wanted of a fabric that is one pod (checked by the scenario).
#[must_use]
pub fn traffic(scenario: &Scenario, seed: u64) -> Traffic {
    let mut traffic = scenario.workload.kind.traffic(scenario.fabric.shape, seed);
    if let Some(mice) = &scenario.workload.mice {
        let flows = mice::flows(scenario, mice, seed);
        traffic.mice = flows.len();
        traffic.flows.extend(flows);
    }
    traffic
}

/// Each host's receiver in a round of mice: another host, of another pod where the collective keeps to such pairs.
fn receivers(scenario: &Scenario, rng: &mut Rng) -> Vec<u32> {
    let tree = FatTree::of(scenario.fabric.shape);
    if scenario.workload.kind.is_inter_pod() {
        permutation::inter_pod(tree, rng)
    } else {
        permutation::derangement(tree.hosts(), rng)
    }
}

/// How much later than nominal each host starts: by its start jitter, and stragglers by their delay.
#[must_use]
pub fn start_offsets(scenario: &Scenario, seed: u64) -> Vec<Span> {
    let hosts = FatTree::of(scenario.fabric.shape).hosts();
    let range = match scenario.workload.start_jitter {
        StartJitter::None => Span::ZERO,
        StartJitter::Slot => scenario.slot(),
        StartJitter::Uniform(span) => span,
    };
    let offset = |host: u32| match range {
        Span::ZERO => Span::ZERO,
        Span(range) => Span(Rng::stream(seed, Domain::StartJitter, host.into()).below_u64(range)),
    };
    let mut offsets: Vec<Span> = (0..hosts).map(offset).collect();
    if let Some(stragglers) = &scenario.workload.stragglers {
        for host in late_hosts(stragglers, hosts, seed) {
            offsets[host as usize] += stragglers.delay;
        }
    }
    offsets
}

/// The stragglers among `hosts` hosts. A fraction takes the first of one random order of all hosts, so that under one seed a larger
/// fraction has the stragglers of a smaller one and others.
fn late_hosts(stragglers: &Stragglers, hosts: u32, seed: u64) -> Vec<u32> {
    match &stragglers.hosts {
        StragglerHosts::Listed(late) => late.clone(),
        StragglerHosts::Fraction(fraction) => {
            let mut order: Vec<u32> = (0..hosts).collect();
            Rng::stream(seed, Domain::Stragglers, 0).shuffle(&mut order);
            order.truncate(straggler_count(*fraction, hosts) as usize);
            order
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theory::testing::paper;
    use crate::units::Ratio;

    #[test]
    fn a_permutation_has_one_flow_a_host_in_order_of_senders() {
        let flows = flows(&paper(3, 4), 1);
        let senders: Vec<u32> = flows.iter().map(|flow| flow.src).collect();
        assert_eq!(senders, (0..16).collect::<Vec<_>>());
        assert!(flows.iter().all(|flow| flow.bytes == 1 << 20));
        assert!(flows.iter().all(|flow| flow.id == u64::from(flow.src)));
    }

    #[test]
    fn start_offsets_fill_one_slot_and_depend_on_host_and_seed_alone() {
        let offsets = start_offsets(&paper(3, 12), 1);
        assert_eq!(offsets.len(), 432);
        assert!(offsets.iter().all(|offset| offset.0 < 41_780));
        let mean = offsets.iter().map(|offset| offset.0).sum::<u64>() / 432;
        assert!((18_000..24_000).contains(&mean), "{mean}");
        assert_eq!(start_offsets(&paper(3, 4), 1), offsets[..16]);
        assert_ne!(start_offsets(&paper(3, 4), 2), offsets[..16]);
    }

    #[test]
    fn uniform_offsets_fill_their_span_and_a_span_of_zero_is_none() {
        let mut scenario = paper(3, 12);
        scenario.workload.start_jitter = StartJitter::Uniform(Span::from_ns(2_000));
        let offsets = start_offsets(&scenario, 1);
        assert!(offsets.iter().all(|offset| offset.0 < 2_000_000));
        // The deviation of a mean of 432 is 2 us / sqrt(12 x 432) = 27.8 ns.
        let mean = offsets.iter().map(|offset| offset.0).sum::<u64>() / 432;
        assert!((861_000..1_139_000).contains(&mean), "{mean}");
        scenario.workload.start_jitter = StartJitter::Uniform(Span::ZERO);
        assert_eq!(start_offsets(&scenario, 1), [Span::ZERO; 432]);
    }

    /// The hosts that start later than without stragglers, all by the delay.
    fn late(hosts: StragglerHosts, seed: u64) -> Vec<u32> {
        let mut scenario = paper(3, 12);
        let punctual = start_offsets(&scenario, seed);
        let delay = Span::from_ns(10_000);
        scenario.workload.stragglers = Some(Stragglers { hosts, delay });
        let offsets = start_offsets(&scenario, seed);
        let late = |host: &u32| {
            let (offset, before) = (offsets[*host as usize], punctual[*host as usize]);
            assert!([Span::ZERO, delay].contains(&Span(offset.0 - before.0)));
            offset != before
        };
        (0..432).filter(late).collect()
    }

    #[test]
    fn listed_stragglers_start_late_and_nobody_else() {
        let listed = vec![0, 17, 431];
        assert_eq!(late(StragglerHosts::Listed(listed.clone()), 1), listed);
    }

    #[test]
    fn a_fraction_of_the_hosts_straggles_others_under_another_seed() {
        let fraction = |num, den| StragglerHosts::Fraction(Ratio { num, den });
        let few = late(fraction(1, 100), 1);
        assert_eq!(few.len(), 4);
        assert_ne!(few, late(fraction(1, 100), 2));
        let many = late(fraction(1, 10), 1);
        assert_eq!(many.len(), 43);
        assert!(few.iter().all(|host| many.contains(host)));
        assert_eq!(late(fraction(1, 1), 1).len(), 432);
        assert_eq!(late(fraction(0, 1), 1).len(), 0);
    }

    #[test]
    fn a_fraction_is_rounded_to_the_nearest_count() {
        let counts = [(1, 864), (1, 865), (1, 100), (3, 864), (1, 1)]
            .map(|(num, den)| straggler_count(Ratio { num, den }, 432));
        assert_eq!(counts, [1, 0, 4, 2, 432]);
    }

    #[test]
    fn without_start_jitter_all_hosts_start_at_once() {
        let mut scenario = paper(3, 4);
        scenario.workload.start_jitter = StartJitter::None;
        assert_eq!(start_offsets(&scenario, 1), [Span::ZERO; 16]);
    }
}
