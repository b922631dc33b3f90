//! Nothing is lost or made: packets and bytes through every switch, stage and host of random small scenarios.

use super::setup::*;
use spraysim::lb::host::Layer;
use spraysim::scenario::{AckTurns, Acks, Scenario};
use spraysim::sim::{LinkResult, RunResult, Stage};
use spraysim::theory;
use spraysim::topology::NodeName;
use spraysim::units::{Ratio, Span, Time};
use spraysim::workload::FlowSpec;
use std::collections::BTreeMap;

/// A random small scenario: every scheme, finite and endless buffers, ECN, loads, jitter, horizons, switch latency.
fn scenario(dice: &mut Dice) -> Scenario {
    let (levels, k) = dice.one(&[(3, 2), (3, 4), (3, 4), (3, 6), (2, 4), (2, 6)]);
    let mut scenario = paper(levels, k, dice.one(&ALL));
    let (num, den) = dice.one(&[(1, 1), (1, 1), (9, 10), (1, 3)]);
    scenario = scenario.load(num, den);
    let buffer = dice.one(&[None, None, Some(5_000), Some(20_000)]);
    scenario
        .fabric
        .each_tier(|tier| (tier.down_buffer_bytes, tier.up_buffer_bytes) = (buffer, buffer));
    scenario.fabric.ecn_threshold_bytes = dice.one(&[None, Some(1), Some(9_000), Some(80_000)]);
    scenario
        .fabric
        .each_tier(|tier| tier.switch_latency = Span::from_ns(dice.one(&[0, 0, 70])));
    scenario.workload.pacing_jitter_pct = Ratio {
        num: dice.one(&[0, 0, 25]),
        den: 1,
    };
    scenario.nic.ack_turns = dice.one(&[AckTurns::Class, AckTurns::Flow]);
    if !scenario.load_balancing.needs_acks() && dice.below(3) == 0 {
        scenario = scenario.quiet();
    }
    if dice.below(4) == 0 {
        scenario.horizon = Some(Time(1_000_000 + dice.below(12_000_000)));
    }
    scenario
}

/// One to three flows a host, of up to 30 packets, some of them to one receiver.
fn flows(scenario: &Scenario, dice: &mut Dice) -> Vec<FlowSpec> {
    let hosts = u64::from(tree(scenario).hosts());
    let incast = dice.below(3) == 0;
    (0..1 + dice.below(3 * hosts))
        .map(|_| {
            let src = dice.below(hosts);
            let away = if incast && src > 0 {
                hosts - src
            } else {
                1 + dice.below(hosts - 1)
            };
            let mut flow = flow(
                src as u32,
                ((src + away) % hosts) as u32,
                1 + dice.below(30 * PAYLOAD),
            );
            flow.start = Time(dice.below(3) * 700_000);
            flow
        })
        .collect()
}

/// A random case: scenario, flows, result.
fn case(number: u64) -> (Scenario, Vec<FlowSpec>, RunResult) {
    let mut dice = Dice::new(number);
    let scenario = scenario(&mut dice);
    let flows = flows(&scenario, &mut dice);
    let result = run_flows(&scenario, flows.clone(), number);
    (scenario, flows, result)
}

/// Cases of each test.
const CASES: u64 = 400;

fn of_stage(result: &RunResult, stage: Stage) -> impl Iterator<Item = &LinkResult> {
    result.links.iter().filter(move |link| link.stage == stage)
}

fn packets(result: &RunResult, stage: Stage) -> u64 {
    of_stage(result, stage).map(|link| link.packets).sum()
}

fn dropped(result: &RunResult) -> u64 {
    result.links.iter().map(|link| link.dropped_packets).sum()
}

/// For each switch: packets in, packets out, packets dropped.
fn through_switches(result: &RunResult) -> BTreeMap<NodeName, [u64; 3]> {
    let mut through: BTreeMap<NodeName, [u64; 3]> = BTreeMap::new();
    for link in &result.links {
        through.entry(link.dst).or_default()[0] += link.packets;
        let from = through.entry(link.src).or_default();
        from[1] += link.packets;
        from[2] += link.dropped_packets;
    }
    through.retain(|node, _| node.0 != 'h');
    through
}

#[test]
fn what_enters_a_switch_leaves_it_or_is_dropped_or_is_still_there_at_the_horizon() {
    let (mut dry, mut drops) = (0, 0);
    for number in 0..CASES {
        let (scenario, _, result) = case(number);
        for (node, [entered, left, dropped]) in through_switches(&result) {
            if result.ran_dry {
                assert_eq!(
                    entered,
                    left + dropped,
                    "case {number}: {node} of {scenario:?}"
                );
            } else {
                assert!(
                    entered >= left + dropped,
                    "case {number}: {node} of {scenario:?}"
                );
            }
        }
        if scenario.fabric.tiers[0].down_buffer_bytes.is_none() {
            assert_eq!(dropped(&result), 0, "case {number}");
        }
        dry += u64::from(result.ran_dry);
        drops += u64::from(dropped(&result) > 0);
    }
    // The matrix reaches what it is meant to reach.
    assert!(
        dry > CASES / 2 && dry < CASES && drops > CASES / 10,
        "{dry} dry, {drops} with drops"
    );
}

#[test]
fn sent_is_delivered_plus_dropped_plus_in_flight_and_every_delivered_packet_is_acknowledged_once() {
    for number in 0..CASES {
        let (scenario, flows, result) = case(number);
        let sent = packets(&result, Stage::Nic);
        let arrived = packets(&result, Stage::Eh);
        assert_eq!(
            sent,
            result.data_packets + result.ack_packets,
            "case {number}"
        );
        assert!(sent >= arrived + dropped(&result), "case {number}");
        assert!(
            result.delivered_packets <= result.data_packets,
            "case {number}"
        );
        assert!(
            result.ack_packets <= result.delivered_packets,
            "case {number}"
        );
        if result.ran_dry {
            assert_eq!(sent, arrived + dropped(&result), "case {number}");
            let acks = u64::from(scenario.packet.acks == Acks::PerPacket);
            assert_eq!(
                result.ack_packets,
                acks * result.delivered_packets,
                "case {number}"
            );
            let bytes: u64 = flows.iter().map(|flow| flow.bytes).sum();
            assert!(result.delivered_bytes <= bytes);
            if dropped(&result) == 0 {
                assert_eq!(
                    result.delivered_packets, result.data_packets,
                    "case {number}"
                );
                assert_eq!(result.delivered_bytes, bytes, "case {number}");
                assert!(
                    result.flows.iter().all(|flow| flow.end.is_some()),
                    "case {number}"
                );
            }
        }
    }
}

/// Packets that cross `stage` if all flows are delivered: each flow's, both ways if acknowledged.
fn crossing(scenario: &Scenario, result: &RunResult, stage: Stage) -> u64 {
    let tree = tree(scenario);
    let ways = if scenario.packet.acks == Acks::PerPacket {
        2
    } else {
        1
    };
    let crosses = |layer: Layer| match stage {
        Stage::Nic | Stage::Eh => true,
        Stage::Ea | Stage::Ae => layer != Layer::SameEdge,
        Stage::Ac | Stage::Ca => layer == Layer::InterPod,
    };
    let flows = result.flows.iter();
    let crossing = flows.filter(|flow| crosses(tree.layer(flow.spec.src, flow.spec.dst)));
    crossing.map(|flow| flow.packets * ways).sum()
}

#[test]
fn each_stage_carries_the_packets_and_bytes_of_the_flows_that_cross_it() {
    for number in 0..CASES {
        let (scenario, flows, result) = case(number);
        if !result.ran_dry || dropped(&result) > 0 {
            continue;
        }
        for stage in Stage::ALL {
            assert_eq!(
                packets(&result, stage),
                crossing(&scenario, &result, stage),
                "case {number}, {stage:?}"
            );
        }
        let payload: u64 = flows.iter().map(|flow| flow.bytes).sum();
        let frames = payload + 62 * result.data_packets + 64 * result.ack_packets;
        for stage in [Stage::Nic, Stage::Eh] {
            let bytes: u64 = of_stage(&result, stage).map(|link| link.bytes).sum();
            assert_eq!(bytes, frames, "case {number}, {stage:?}");
        }
        let hops = theory::fabric_numbers::packet_hops(&scenario, &flows, None);
        assert_eq!(result.packet_hops, hops, "case {number}");
    }
}

#[test]
fn links_are_busy_for_their_bytes_and_queues_stay_within_buffers_and_areas() {
    for number in 0..CASES {
        let (scenario, _, result) = case(number);
        let buffer = scenario.fabric.tiers[0]
            .down_buffer_bytes
            .unwrap_or(u64::MAX);
        let hops: u64 = result.links.iter().map(|link| link.packets).sum();
        assert_eq!(result.packet_hops, hops, "case {number}");
        for link in &result.links {
            // A byte at 800 Gb/s takes 10 ps.
            assert_eq!(link.busy, Span(10 * link.bytes), "case {number}");
            assert!(
                link.packets == 0 || link.queue_max_packets > 0,
                "case {number}"
            );
            assert!(
                link.queue_max_packets <= link.queue_max_bytes,
                "case {number}"
            );
            assert!(
                link.stage == Stage::Nic || link.queue_max_bytes <= buffer,
                "case {number}"
            );
            if scenario.fabric.ecn_threshold_bytes.is_none() {
                assert_eq!(link.marked_packets, 0, "case {number}");
            }
            assert!(link.marked_packets <= link.packets, "case {number}");
        }
        for stage in &result.stages {
            let most: u64 = of_stage(&result, stage.stage)
                .map(|link| link.queue_max_packets)
                .sum();
            let until = u128::from(result.integrated_until.0);
            assert!(stage.packet_ps <= u128::from(most) * until, "case {number}");
            // Every frame has at least 63 bytes (a header and one of payload) and at most 4,158.
            let frames = 63 * stage.packet_ps..=4158 * stage.packet_ps;
            assert!(frames.contains(&stage.byte_ps), "case {number}");
        }
    }
}

#[test]
fn without_acks_the_queue_of_a_host_is_the_frame_that_it_sends() {
    for number in 0..CASES {
        let (scenario, _, result) = case(number);
        if scenario.packet.acks == Acks::None && result.ran_dry {
            let busy: u64 = of_stage(&result, Stage::Nic).map(|link| link.busy.0).sum();
            assert_eq!(
                result.stages[0].packet_ps,
                u128::from(busy),
                "case {number}"
            );
        }
    }
}

#[test]
fn no_flow_ends_sooner_than_alone_or_after_the_horizon() {
    for number in 0..CASES {
        let (scenario, flows, result) = case(number);
        let tree = tree(&scenario);
        let whole = scenario.load_balancing.name != "ethereal";
        for flow in &result.flows {
            let (Some(start), Some(end)) = (flow.start, flow.end) else {
                continue;
            };
            let frames = theory::Frames::new(&scenario, flow.spec.bytes);
            let hops = tree.hops(tree.layer(flow.spec.src, flow.spec.dst));
            assert!(start >= flow.spec.start, "case {number}");
            assert!(
                !whole || end - start >= theory::ideal_fct::lone_bound(&frames, hops),
                "case {number}"
            );
            assert!(
                scenario.horizon.is_none_or(|horizon| end <= horizon),
                "case {number}"
            );
        }
        if let (true, Some(end)) = (whole, result.last_finish) {
            let earliest = flows
                .iter()
                .map(|flow| flow.start)
                .min()
                .expect("there are flows");
            let bound = theory::lower_bound(&scenario, &flows.clone().into());
            // Every host starts up to a slot later than its flows say, none earlier.
            assert!(
                bound.kind != "naive" || end - earliest >= bound.span,
                "case {number}"
            );
        }
    }
}
