//! Mice: short messages beside the collective, as other traffic that is sensitive to delay would send them.
//!
//! Time is cut into rounds of one period. In each round every host sends one message, to its receiver in a random permutation that is
//! drawn anew (without pairs inside a pod where the collective has none), at an instant that is uniform in the round. So each host
//! sends and receives the same number of mice, their load is known, and none is in an incast but by chance.
//!
//! All of this is our reading: the paper (section 4.2) names mice and runs none. Not modelled: sizes that differ, Poisson arrivals,
//! mice that wait for one another or re-use a connection. Each is a flow with a connection of its own.

use super::receivers;
use crate::rng::{Domain, Rng};
use crate::settings::{FlowSpec, Mice, Scenario};
use crate::topology::FatTree;
use crate::units::Span;

/// The mice of one run: round by round, in order of senders.
pub(super) fn flows(scenario: &Scenario, mice: &Mice, seed: u64) -> Vec<FlowSpec> {
    let hosts = FatTree::of(scenario.fabric.shape).hosts();
    let stream = |host: u32| Rng::stream(seed, Domain::MiceStart, host.into());
    let mut starts: Vec<Rng> = (0..hosts).map(stream).collect();
    let mut flows = Vec::with_capacity(hosts as usize * mice.count_per_host as usize);
    for round in 0..mice.count_per_host {
        let mut rng = Rng::stream(seed, Domain::MiceReceivers, round.into());
        let receivers = receivers(scenario, &mut rng);
        for ((src, dst), rng) in (0..).zip(receivers).zip(&mut starts) {
            flows.push(FlowSpec {
                id: flows.len() as u64,
                src,
                dst,
                bytes: mice.message_bytes,
                start: mice.round(round) + within(mice.period, rng),
            });
        }
    }
    flows
}

fn within(period: Span, rng: &mut Rng) -> Span {
    match period {
        Span::ZERO => Span::ZERO,
        Span(period) => Span(rng.below_u64(period)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theory::testing::paper;
    use crate::units::Time;
    use crate::workload::pairs::Pairs;
    use crate::workload::permutation::Permutation;
    use crate::workload::{Traffic, traffic};
    use std::sync::Arc;

    const MICE: Mice = Mice {
        message_bytes: 16_384,
        count_per_host: 5,
        period: Span::from_ns(8_000),
        start: Time(3_000_000),
    };

    fn with(mice: Mice, inter_pod_only: bool, seed: u64) -> Traffic {
        let mut scenario = paper(3, 4);
        scenario.workload.kind = Arc::new(Permutation {
            message_bytes: 1 << 20,
            inter_pod_only,
        });
        scenario.workload.mice = Some(mice);
        traffic(&scenario, seed)
    }

    #[test]
    fn in_each_round_every_host_sends_one_mouse_and_receives_one_never_its_own() {
        for inter_pod_only in [false, true] {
            let traffic = with(MICE, inter_pod_only, 1);
            let mice = &traffic.flows[16..];
            assert_eq!((traffic.mice, mice.len()), (80, 80));
            for (round, flows) in mice.chunks(16).enumerate() {
                let senders: Vec<u32> = flows.iter().map(|flow| flow.src).collect();
                assert_eq!(senders, (0..16).collect::<Vec<_>>());
                let mut receivers: Vec<u32> = flows.iter().map(|flow| flow.dst).collect();
                receivers.sort_unstable();
                assert_eq!(receivers, senders);
                let from = 3_000_000 + round as u64 * 8_000_000;
                for flow in flows {
                    assert_ne!(flow.src, flow.dst);
                    assert!((from..from + 8_000_000).contains(&flow.start.0));
                    assert_eq!(flow.bytes, 16_384);
                    // Four hosts a pod.
                    assert!(!inter_pod_only || flow.src / 4 != flow.dst / 4);
                }
            }
            let ids: Vec<u64> = mice.iter().map(|flow| flow.id).collect();
            assert_eq!(ids, (0..80).collect::<Vec<_>>());
        }
    }

    #[test]
    fn rounds_differ_in_receivers_and_starts_are_uniform_in_them() {
        let mice = Mice {
            count_per_host: 1_000,
            start: Time::ZERO,
            ..MICE
        };
        let traffic = with(mice, false, 1);
        let rounds: Vec<&[FlowSpec]> = traffic.flows[16..].chunks(16).collect();
        let mut counts = [0_i32; 16];
        for flows in &rounds {
            counts[flows[5].dst as usize] += 1;
        }
        // 66.7 for each of the others, with a deviation of 7.9.
        let others = counts.iter().enumerate().filter(|(host, _)| *host != 5);
        assert!(
            others.clone().all(|(_, count)| (count - 67).abs() < 40),
            "{counts:?}"
        );
        let within = |flow: &FlowSpec| flow.start.0 % 8_000_000;
        let mean = traffic.flows[16..].iter().map(within).sum::<u64>() / 16_000;
        // The deviation of a mean of 16,000 is 8 us / sqrt(12 x 16,000) = 18.3 ns.
        assert!((3_910_000..4_090_000).contains(&mean), "{mean}");
    }

    #[test]
    fn the_collective_is_the_same_with_mice_and_without() {
        for inter_pod_only in [false, true] {
            for seed in 1..20 {
                let mut scenario = paper(3, 4);
                scenario.workload.kind = Arc::new(Permutation {
                    message_bytes: 1 << 20,
                    inter_pod_only,
                });
                let alone = traffic(&scenario, seed);
                let offsets = crate::workload::start_offsets(&scenario, seed);
                assert_eq!((alone.mice, alone.collective()), (0, &alone.flows[..]));
                let beside = with(MICE, inter_pod_only, seed);
                assert_eq!(beside.collective(), alone.flows);
                scenario.workload.mice = Some(MICE);
                assert_eq!(crate::workload::start_offsets(&scenario, seed), offsets);
            }
        }
    }

    #[test]
    fn more_rounds_or_another_size_leave_the_mice_before_them_where_they_are() {
        let few = with(MICE, false, 7);
        let mice = Mice {
            message_bytes: 1,
            count_per_host: 9,
            ..MICE
        };
        let many = with(mice, false, 7);
        for (few, many) in few.flows[16..].iter().zip(&many.flows[16..]) {
            assert_eq!((few.dst, few.start), (many.dst, many.start));
        }
        assert_ne!(with(MICE, false, 8).flows, few.flows);
    }

    #[test]
    fn without_a_period_all_mice_start_at_once() {
        let mice = Mice {
            period: Span::ZERO,
            ..MICE
        };
        let traffic = with(mice, false, 1);
        assert!(
            traffic.flows[16..]
                .iter()
                .all(|flow| flow.start == MICE.start)
        );
    }

    #[test]
    fn mice_go_beside_listed_flows_too() {
        let mut scenario = paper(3, 4);
        let listed = vec![FlowSpec {
            id: 9,
            src: 1,
            dst: 2,
            bytes: 5,
            start: Time(1),
        }];
        scenario.workload.kind = Arc::new(Pairs {
            traffic: listed.clone().into(),
        });
        scenario.workload.mice = Some(MICE);
        let traffic = traffic(&scenario, 1);
        assert_eq!(traffic.collective(), listed);
        assert_eq!(traffic.flows[1..], with(MICE, false, 1).flows[16..]);
    }
}
