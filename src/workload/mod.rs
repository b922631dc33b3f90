//! Workloads: who sends how many bytes to whom, and when. One file a generator.
//!
//! What is generated depends on the scenario's fabric, workload and seed, never on the scheme, so that schemes are compared
//! on the same traffic.
pub mod htsim_cm;
pub mod permutation;

use crate::rng::{Domain, Rng};
use crate::settings::{Scenario, StartJitter, WorkloadKind};
use crate::topology::FatTree;
use crate::units::{Span, Time};

pub use crate::settings::{
    Activator, Connection, Dependencies, FlowEvent, FlowSpec, Message, Target, Traffic, Trigger,
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
    let tree = FatTree::new(scenario.fabric.levels, scenario.fabric.k);
    match &scenario.workload.kind {
        WorkloadKind::Flows {
            flows,
            dependencies,
            ..
        } => Traffic {
            flows: flows.clone(),
            dependencies: dependencies.clone(),
        },
        WorkloadKind::Permutation {
            message_bytes,
            inter_pod_only,
        } => {
            let receivers = if *inter_pod_only {
                permutation::inter_pod(tree, seed)
            } else {
                permutation::derangement(tree.hosts(), seed)
            };
            let flow = |(src, dst): (u32, u32)| FlowSpec {
                id: src.into(),
                src,
                dst,
                bytes: *message_bytes,
                start: Time::ZERO,
            };
            (0..).zip(receivers).map(flow).collect::<Vec<_>>().into()
        }
    }
}

/// How much later than nominal each host starts: uniform in one slot of a full data frame, gap included, or nothing.
#[must_use]
pub fn start_offsets(scenario: &Scenario, seed: u64) -> Vec<Span> {
    let hosts = FatTree::new(scenario.fabric.levels, scenario.fabric.k).hosts();
    let slot = scenario.slot();
    let offset = |host: u32| match scenario.workload.start_jitter {
        StartJitter::None => Span::ZERO,
        StartJitter::Slot => {
            Span(Rng::stream(seed, Domain::StartJitter, host.into()).below_u64(slot.0))
        }
    };
    (0..hosts).map(offset).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theory::testing::paper;

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
    fn without_start_jitter_all_hosts_start_at_once() {
        let mut scenario = paper(3, 4);
        scenario.workload.start_jitter = StartJitter::None;
        assert_eq!(start_offsets(&scenario, 1), [Span::ZERO; 16]);
    }
}
