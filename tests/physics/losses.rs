//! Whatever the fabric does to packets, flows complete exactly once: random loss, dead links, full buffers, trimming, pauses.

use super::recovery::{TRANSPORT, completes, with_window};
use super::setup::*;
use spraysim::scenario::Scenario;
use spraysim::settings::{
    DupThreshold, Evict, Failures, LinkFault, LinkLoss, LossFrames, Lossless, OnPartition,
    QueueKind, Queued, Rto, RtoKind, RtoScope, SharedBuffer, StuckHost, Transport, TransportKind,
    Trimming,
};
use spraysim::sim::{LinkResult, RunResult, Stage};
use spraysim::units::{Ratio, Span, Time};
use spraysim::workload::FlowSpec;

const ONE_IN: [u64; 3] = [1_000, 100, 10];

fn loss(one_in: u64, frames: LossFrames, link: Option<(&str, &str)>) -> LinkLoss {
    LinkLoss {
        link: link.map(|(a, b)| (a.to_owned(), b.to_owned())),
        member: None,
        probability: Ratio {
            num: 1,
            den: one_in,
        },
        frames,
    }
}

fn rto(us: u64) -> Rto {
    Rto {
        kind: RtoKind::Fixed(Some(Span::from_ns(us * 1_000))),
        ..TRANSPORT.rto
    }
}

/// Ways to recover that get along with any fabric.
fn ways() -> [Transport; 5] {
    let estimated = RtoKind::Estimated {
        initial: Span::from_ns(50_000),
        min: Span::from_ns(5_000),
    };
    [
        Transport {
            rto: rto(20),
            ..TRANSPORT
        },
        Transport {
            rto: Rto {
                kind: estimated,
                backoff: 2,
                ..TRANSPORT.rto
            },
            ack_bytes_threshold: 16_384,
            counts_received_bytes: false,
            ..TRANSPORT
        },
        Transport {
            rto: Rto {
                scope: RtoScope::All,
                ..rto(20)
            },
            dup_threshold: Some(DupThreshold::Packets(40)),
            ..TRANSPORT
        },
        Transport {
            kind: TransportKind::GoBackN,
            rto: rto(20),
            ..TRANSPORT
        },
        Transport {
            reorder_packets: 16,
            rto: rto(20),
            ..TRANSPORT
        },
    ]
}

fn sum(result: &RunResult, of: fn(&LinkResult) -> u64) -> u64 {
    result.links.iter().map(of).sum()
}

fn retransmissions(result: &RunResult) -> u64 {
    result.flows.iter().map(|flow| flow.retransmissions).sum()
}

/// What receivers had got before: each lost or late packet is sent again, so what is sent again and was not lost is spurious.
fn spurious(result: &RunResult) -> u64 {
    let spurious = result
        .flows
        .iter()
        .map(|flow| flow.spurious_retransmissions);
    spurious.sum()
}

#[test]
fn random_loss_on_one_link_and_on_all_of_any_frames_is_made_good() {
    let mut case = 0;
    let mut lost = 0;
    for one_in in ONE_IN {
        for link in [None, Some(("e0", "a0"))] {
            for frames in [LossFrames::All, LossFrames::Data, LossFrames::Control] {
                for transport in ways() {
                    case += 1;
                    let scheme = ALL[case % ALL.len()];
                    let mut scenario = paper(3, 4, scheme).permutation(150_000, false);
                    scenario.fabric.losses.links = vec![loss(one_in, frames, link)];
                    scenario.transport = Some(transport);
                    if case % 2 == 0 {
                        scenario = with_window(scenario, 400_000);
                    }
                    let result = run(&scenario, case as u64);
                    completes(&scenario, &result, case as u64);
                    lost += sum(&result, |link| link.lost_packets);
                    if frames == LossFrames::Control
                        && transport.kind == TransportKind::SelectiveRepeat
                        && transport.reorder_packets > 16
                    {
                        // All data arrives, so whatever is sent again had arrived.
                        assert_eq!(retransmissions(&result), spurious(&result), "case {case}");
                    }
                }
            }
        }
    }
    assert!(lost > 5_000, "{lost}");
}

#[test]
fn a_link_that_eats_everything_for_a_while_delays_flows_and_no_more() {
    for (case, scheme) in ALL.iter().copied().enumerate() {
        for transport in ways() {
            let mut scenario = paper(3, 4, scheme).permutation(400_000, false);
            scenario.fabric.failures = Some(Failures {
                links: vec![LinkFault {
                    cable: 0,
                    from: Time(2_000_000),
                    until: Time(102_000_000),
                    slow_to: None,
                }],
                convergence: Span::from_ns(1_000_000),
                queued: Queued::Lost,
                on_partition: OnPartition::Drop,
                ..Failures::default()
            });
            scenario.transport = Some(transport);
            let result = run(&scenario, case as u64);
            completes(&scenario, &result, case as u64);
            assert!(sum(&result, |link| link.lost_packets) > 0, "{scheme}");
        }
    }
}

#[test]
fn reordering_alone_is_spurious_at_worst() {
    // Nothing is lost: what is sent again had arrived, or was on its way.
    for (case, threshold) in [1, 3, 10, 1_000].into_iter().enumerate() {
        let mut scenario = paper(3, 6, "rps").permutation(400_000, false);
        scenario.transport = Some(Transport {
            dup_threshold: Some(DupThreshold::Packets(threshold)),
            ..TRANSPORT
        });
        let result = run(&scenario, case as u64);
        completes(&scenario, &result, case as u64);
        assert_eq!(retransmissions(&result), spurious(&result));
        assert_eq!(
            retransmissions(&result) > 0,
            threshold < 1_000,
            "{threshold}"
        );
    }
}

fn trimming(evict: Evict, trim_bytes: Option<u32>) -> QueueKind {
    QueueKind::Trimming(Trimming {
        trim_bytes,
        header_buffer_bytes: None,
        evict,
    })
}

/// A fabric whose ports hold `packets` full frames.
fn with_buffers(mut scenario: Scenario, packets: u64) -> Scenario {
    let buffer = Some(packets * 4_158);
    scenario
        .fabric
        .each_tier(|tier| (tier.down_buffer_bytes, tier.up_buffer_bytes) = (buffer, buffer));
    scenario
}

#[test]
fn trimmed_headers_bring_lost_packets_back_without_timeouts() {
    for (case, evict) in [Evict::Arriving, Evict::Coin].into_iter().enumerate() {
        for packets in [2, 5, 20] {
            let mut scenario = with_buffers(paper(3, 4, "reps"), packets);
            scenario.fabric.queue.kind = trimming(evict, Some(64));
            scenario.fabric.queue.control_priority = true;
            scenario.transport = Some(TRANSPORT);
            scenario.transport = scenario.transport.map(|transport| Transport {
                rto: rto(2_000),
                ..transport
            });
            let scenario = with_window(scenario, 300_000);
            let flows: Vec<FlowSpec> = (1..16).map(|src| flow(src, 0, 200_000)).collect();
            let result = run_flows(&scenario, flows, case as u64);
            completes(&scenario, &result, case as u64);
            let trimmed = sum(&result, |link| link.trimmed_packets);
            assert!(trimmed > 0);
            let timeouts: u64 = result.flows.iter().map(|flow| flow.timeouts).sum();
            let nacks: u64 = result.flows.iter().map(|flow| flow.nacks).sum();
            let dropped = sum(&result, |link| link.dropped_packets);
            if dropped == 0 {
                assert_eq!((timeouts, nacks), (0, trimmed), "{packets}");
            }
        }
    }
}

#[test]
fn what_ports_drop_instead_of_trimming_comes_back_without_nacks() {
    for (case, evict) in [Evict::Arriving, Evict::Coin].into_iter().enumerate() {
        for packets in [2, 5, 20] {
            let mut scenario = with_buffers(paper(3, 4, "reps"), packets);
            scenario.fabric.queue.kind = trimming(evict, None);
            scenario.fabric.queue.control_priority = true;
            scenario.transport = Some(TRANSPORT);
            let scenario = with_window(scenario, 300_000);
            let flows: Vec<FlowSpec> = (1..16).map(|src| flow(src, 0, 200_000)).collect();
            let result = run_flows(&scenario, flows, case as u64);
            completes(&scenario, &result, case as u64);
            let dropped = sum(&result, |link| {
                link.dropped_packets - link.dropped_control_packets
            });
            assert!(dropped > 0 && retransmissions(&result) >= dropped);
            let nacks: u64 = result.flows.iter().map(|flow| flow.nacks).sum();
            let trimmed = sum(&result, |link| link.trimmed_packets);
            assert_eq!((nacks, trimmed), (0, 0), "{packets}");
        }
    }
}

#[test]
fn a_shared_buffer_takes_an_incast_that_its_share_a_port_would_drop() {
    let flows = || (1..16).map(|src| flow(src, 0, 40_000)).collect::<Vec<_>>();
    let own = {
        let mut scenario = with_buffers(paper(3, 4, "ofan"), 8);
        scenario.transport = Some(TRANSPORT);
        run_flows(&scenario, flows(), 1)
    };
    let shared = {
        let mut scenario = paper(3, 4, "ofan");
        scenario.fabric.queue.shared_buffer = Some(SharedBuffer {
            bytes: 4 * 8 * 4_158,
            alpha: Ratio { num: 8, den: 1 },
        });
        scenario.transport = Some(TRANSPORT);
        run_flows(&scenario, flows(), 1)
    };
    let dropped = [&own, &shared].map(|result| sum(result, |link| link.dropped_packets));
    assert!(dropped[1] < dropped[0], "{dropped:?}");
}

/// A lossless fabric whose ingress ports pause at `pause_bytes`.
fn lossless(k: u32, scheme: &str, pause_bytes: u64) -> Scenario {
    let mut scenario = paper(3, k, scheme);
    scenario.fabric.queue.kind = QueueKind::Lossless(Lossless {
        pause_bytes: Some(pause_bytes),
        resume_bytes: None,
        resume_offset_bytes: None,
        headroom_bytes: None,
        pause_frame_bytes: 64,
    });
    scenario
}

/// 3 F + P + 2 gaps + what the link carries in two latencies.
const HEADROOM: u64 = 3 * 4_158 + 64 + 40 + 100_000;

/// Nothing is dropped, everything arrives, and no ingress port holds more than its headroom.
fn is_lossless(result: &RunResult) {
    assert_eq!(sum(result, |link| link.dropped_packets), 0);
    for flow in &result.flows {
        assert!(flow.end.is_some(), "{flow:?}");
    }
    let most = result
        .links
        .iter()
        .map(|link| link.headroom_max_bytes)
        .max();
    assert!(most <= Some(HEADROOM), "{most:?} of {HEADROOM}");
}

/// Links of `stage` that were paused at some time.
fn paused(result: &RunResult, stage: Stage) -> usize {
    let links = result.links.iter().filter(|link| link.stage == stage);
    links.filter(|link| link.pauses > 0).count()
}

#[test]
fn an_incast_of_all_hosts_pauses_its_way_back_to_hosts_and_loses_nothing() {
    let scenario = lossless(12, "ofan", 40_000);
    let flows = (1..432)
        .map(|src| flow(src, 0, 100_000))
        .collect::<Vec<_>>();
    let result = run_flows(&scenario, flows, 1);
    is_lossless(&result);
    // 43 MB for one link: its edge switch pauses those above it, and so on back to the hosts.
    let spread = result
        .stages
        .iter()
        .map(|stage| (stage.stage, paused(&result, stage.stage)));
    let spread: Vec<_> = spread.collect();
    assert!(
        spread
            .iter()
            .all(|&(stage, links)| stage == Stage::Eh || links > 0),
        "{spread:?}"
    );
}

#[test]
fn bursts_of_all_to_all_neither_drop_nor_deadlock() {
    for (case, scheme) in ["ecmp", "rps", "jsq", "ofan"].into_iter().enumerate() {
        let scenario = lossless(4, scheme, 15_000);
        let pairs = (0..16).flat_map(|src| (0..16).map(move |dst| (src, dst)));
        let flows = pairs
            .filter(|(src, dst)| src != dst)
            .map(|(src, dst)| flow(src, dst, 60_000))
            .collect::<Vec<_>>();
        let result = run_flows(&scenario, flows, case as u64);
        is_lossless(&result);
        assert!(sum(&result, |link| link.pauses) > 0, "{scheme}");
    }
}

#[test]
fn a_stuck_host_stops_what_lies_behind_it_and_all_goes_on_when_it_wakes() {
    let mut scenario = lossless(4, "ofan", 15_000).permutation(300_000, false);
    let free = run(&scenario, 3);
    scenario.fabric.losses.stuck_hosts = vec![StuckHost {
        host: 5,
        from: Time(1_000_000),
        until: Time(300_000_000),
    }];
    let result = run(&scenario, 3);
    is_lossless(&result);
    let to_5 = result.flows.iter().position(|flow| flow.spec.dst == 5);
    let to_5 = &result.flows[to_5.expect("a permutation reaches every host")];
    assert!(to_5.end > Some(Time(300_000_000)));
    let late = |result: &RunResult| {
        let ends = result.flows.iter().map(|flow| flow.end);
        ends.filter(|&end| end > Some(Time(290_000_000))).count()
    };
    assert_eq!(late(&free), 0);
    assert!(late(&result) >= 1);
    // Stuck for good: what it is to receive never arrives, and the run ends all the same.
    scenario.fabric.losses.stuck_hosts[0].until = Time::NEVER;
    let result = run(&scenario, 3);
    assert!(result.ran_dry && result.flows.iter().any(|flow| flow.end.is_none()));
    assert_eq!(sum(&result, |link| link.dropped_packets), 0);
}

#[test]
fn reps_avoids_a_dead_link_within_100_us_though_no_switch_knows() {
    let dies = 20_000_000;
    let lost_until = |scheme: &str, horizon: Option<u64>| {
        let mut scenario = paper(3, 4, scheme);
        scenario.fabric.failures = Some(Failures {
            links: vec![LinkFault {
                cable: 0,
                from: Time(dies),
                until: Time::NEVER,
                slow_to: None,
            }],
            // A second: longer than the run.
            convergence: Span::from_ns(1_000_000_000),
            queued: Queued::Lost,
            on_partition: OnPartition::Drop,
            ..Failures::default()
        });
        scenario.transport = Some(Transport {
            rto: rto(30),
            ..TRANSPORT
        });
        scenario.horizon = horizon.map(Time);
        let scenario = with_window(scenario, 600_000);
        let result = run_flows(&scenario, vec![flow(0, 14, 64 << 20)], 1);
        (sum(&result, |link| link.lost_packets), result)
    };
    let (soon, _) = lost_until("reps", Some(dies + 100_000_000));
    let (all, result) = lost_until("reps", None);
    assert!(soon > 0);
    assert_eq!(all, soon, "nothing is lost after 100 us");
    assert!(result.flows[0].end.is_some());
    // Random spraying goes on losing a packet in two to the end.
    let (soon, _) = lost_until("rps", Some(dies + 100_000_000));
    let (all, _) = lost_until("rps", None);
    assert!(all > 10 * soon, "{all} after {soon}");
}
