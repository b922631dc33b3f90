//! Flows that wait for others: exact instants of chains, barriers, turns and messages of one connection.

use super::setup::*;
use spraysim::scenario::Scenario;
use spraysim::sim::RunResult;
use spraysim::theory;
use spraysim::units::{Span, Time};
use spraysim::workload::{
    Activator, Connection, Dependencies, FlowEvent, FlowSpec, Message, Target, Traffic, Trigger,
};

/// One packet between pods and its ACK: 6 links each way.
const ROUND: u64 = 6_253_320;
/// One packet between pods, one way.
const WAY: u64 = 3_249_480;
/// An ACK and its gap (T'_a).
const ACK_SLOT: u64 = 840;
const LATENCY: u64 = 500_000;

fn trigger(from: &[(u32, FlowEvent)], to: &[(u32, u32)], delay: u64) -> Trigger {
    let activator = |&(flow, event): &(u32, FlowEvent)| Activator { flow, event };
    let target = |&(flow, needs): &(u32, u32)| Target { flow, needs };
    Trigger {
        activators: from.iter().map(activator).collect(),
        targets: to.iter().map(target).collect(),
        delay: Span(delay),
    }
}

fn waiting(flows: Vec<FlowSpec>, triggers: Vec<Trigger>) -> Traffic {
    let dependencies = Dependencies {
        triggers,
        ..Dependencies::default()
    };
    Traffic {
        flows,
        dependencies,
        mice: 0,
    }
}

/// Flow i + 1 waits for flow i.
fn chain(flows: Vec<FlowSpec>, event: FlowEvent, delay: u64) -> Traffic {
    let link = |i| trigger(&[(i, event)], &[(i + 1, 1)], delay);
    let triggers = (0..flows.len() as u32 - 1).map(link).collect();
    waiting(flows, triggers)
}

/// Behind `others`, messages of one connection from the last host to the first.
fn connection(others: Vec<FlowSpec>, packets: &[u64], starts: &[u64]) -> Traffic {
    let first = others.len() as u32;
    let message = |(&packets, &start): (&u64, &u64)| FlowSpec {
        start: Time(start),
        ..flow(15, 0, packets * PAYLOAD)
    };
    let mut flows = others;
    flows.extend(packets.iter().zip(starts).map(message));
    let message = |flow: u32| Message {
        flow,
        number: (flow - first).into(),
    };
    let messages = (first..flows.len() as u32).map(message).collect();
    let connections = vec![Connection { messages }];
    let dependencies = Dependencies {
        connections,
        ..Dependencies::default()
    };
    Traffic {
        flows,
        dependencies,
        mice: 0,
    }
}

fn quickly(scheme: &str) -> Scenario {
    paper(3, 4, scheme).at_once()
}

fn releases(result: &RunResult) -> Vec<u64> {
    let flows = result.flows.iter();
    flows
        .map(|flow| flow.release.expect("it was released").0)
        .collect()
}

fn end(result: &RunResult, flow: usize) -> u64 {
    result.flows[flow].end.expect("it finishes").0
}

#[test]
fn a_chain_of_acked_packets_takes_a_round_trip_and_a_latency_a_link() {
    for &scheme in ALL.iter() {
        for n in [1_u32, 2, 17] {
            let around = |i| flow(i % 16, (i + 8) % 16, PAYLOAD);
            let traffic = chain((0..n).map(around).collect(), FlowEvent::Acked, 0);
            // Ethereal cuts a packet into smaller frames, which cross store-and-forward hops sooner.
            let scenario = quickly(scheme);
            let bound = theory::lower_bound(&scenario, &traffic).span.0;
            let exact = u64::from(n) * ROUND + u64::from(n - 1) * LATENCY;
            assert_eq!(bound, exact);
            let took = cct(&run_flows(&scenario, traffic, 3));
            match scheme {
                "ethereal" => assert!(took < exact),
                _ => assert_eq!(took, exact, "{scheme}, {n} flows"),
            }
        }
    }
}

#[test]
fn start_jitter_shifts_a_chain_as_a_whole() {
    let flows = (0..9).map(|i| flow(i, i + 4, PAYLOAD)).collect();
    let mut scenario = quickly("ofan");
    scenario.workload.start_jitter = spraysim::scenario::StartJitter::Slot;
    let result = run_flows(&scenario, chain(flows, FlowEvent::Acked, 0), 5);
    assert!(
        result.first_bit > Some(Time(0)),
        "the first host starts late"
    );
    assert_eq!(cct(&result), 9 * ROUND + 8 * LATENCY);
}

#[test]
fn a_ball_between_two_hosts_has_no_latency_of_its_own() {
    // Whoever has received sends on: first its ACK, then its packet.
    let flows = (0..10).map(|i| match i % 2 {
        0 => flow(0, 15, PAYLOAD),
        _ => flow(15, 0, PAYLOAD),
    });
    let result = run_flows(
        &quickly("ofan"),
        chain(flows.collect(), FlowEvent::Received, 0),
        1,
    );
    for (i, flow) in (0..).zip(&result.flows) {
        let received = i * WAY + i.saturating_sub(1) * ACK_SLOT;
        assert_eq!(flow.release, Some(Time(received)));
        let sent = if i == 0 { 0 } else { received + ACK_SLOT };
        assert_eq!(flow.start, Some(Time(sent)));
    }
}

#[test]
fn a_host_that_goes_through_its_peers_waits_for_round_trips_alone() {
    let flows: Vec<_> = (4..16).map(|dst| flow(0, dst, PAYLOAD)).collect();
    let n = flows.len() as u64;
    let traffic = chain(flows, FlowEvent::Acked, 0);
    assert_eq!(cct(&run_flows(&quickly("rps"), traffic, 1)), n * ROUND);
}

#[test]
fn delays_and_the_trigger_latency_add_up_once_a_link() {
    let flows: Vec<_> = (0..5).map(|i| flow(i, i + 8, PAYLOAD)).collect();
    let mut scenario = quickly("ofan");
    for latency in [LATENCY, LATENCY + 1, 7_654_321, 1_000_000_000_000] {
        scenario.trigger_latency = Some(Span(latency));
        let traffic = chain(flows.clone(), FlowEvent::Received, 123);
        let result = run_flows(&scenario, traffic.clone(), 1);
        let link = WAY + latency + 123;
        assert_eq!(releases(&result), [0, link, 2 * link, 3 * link, 4 * link]);
        let bound = theory::lower_bound(&scenario, &traffic).span.0;
        assert_eq!((cct(&result), bound), (4 * link + ROUND, 4 * link + ROUND));
    }
}

#[test]
fn a_target_does_not_start_before_its_own_time() {
    let late = FlowSpec {
        start: Time(9_000_000),
        ..flow(1, 8, PAYLOAD)
    };
    let early = FlowSpec {
        start: Time(1_000),
        ..flow(2, 9, PAYLOAD)
    };
    let from = [(0, FlowEvent::Acked)];
    let flows = vec![flow(0, 15, PAYLOAD), late, early];
    let triggers = vec![trigger(&from, &[(1, 1), (2, 1)], 0)];
    let result = run_flows(&quickly("ofan"), waiting(flows, triggers), 1);
    assert_eq!(releases(&result), [0, 9_000_000, ROUND + LATENCY]);
}

#[test]
fn a_barrier_opens_a_latency_after_the_last_of_its_flows() {
    // Lone flows of 1 to 4 packets, one a pod's edge, all disjoint.
    let mut flows: Vec<_> = (0..4)
        .map(|i| flow(i * 4, (i * 4 + 5) % 16, (1 + u64::from(i)) * PAYLOAD))
        .collect();
    flows.extend([flow(1, 12, PAYLOAD), flow(9, 2, PAYLOAD)]);
    let from: Vec<_> = (0..4).map(|i| (i, FlowEvent::Acked)).collect();
    let triggers = vec![trigger(&from, &[(4, 4), (5, 4)], 0)];
    let result = run_flows(&quickly("ofan"), waiting(flows, triggers), 1);
    let last = ROUND + 3 * SLOT;
    assert_eq!((0..4).map(|i| end(&result, i)).max(), Some(last));
    assert_eq!(releases(&result)[4..], [last + LATENCY; 2]);
}

#[test]
fn each_activation_releases_the_next_flow_in_turn() {
    // The flows end in the order 2, 1, 0: one, two and three packets.
    let mut flows: Vec<_> = (0..3)
        .map(|i| flow(i * 4, i * 4 + 4, (3 - u64::from(i)) * PAYLOAD))
        .collect();
    flows.extend([flow(1, 12, 1), flow(5, 13, 1), flow(1, 14, 1)]);
    let from: Vec<_> = (0..3).map(|i| (i, FlowEvent::Acked)).collect();
    let triggers = vec![trigger(&from, &[(3, 1), (4, 2), (5, 3)], 0)];
    let result = run_flows(&quickly("ofan"), waiting(flows, triggers), 1);
    let ends = [0, 1, 2].map(|packets| ROUND + packets * SLOT + LATENCY);
    assert_eq!(releases(&result)[3..], ends);
}

#[test]
fn activations_at_one_instant_release_as_many_flows() {
    let mut flows: Vec<_> = (0..3).map(|i| flow(i * 4, i * 4 + 4, PAYLOAD)).collect();
    flows.extend([flow(1, 12, 1), flow(5, 13, 1), flow(1, 14, 1)]);
    let from: Vec<_> = (0..3).map(|i| (i, FlowEvent::Acked)).collect();
    let triggers = vec![trigger(&from, &[(3, 1), (4, 2), (5, 2)], 0)];
    let result = run_flows(&quickly("ofan"), waiting(flows, triggers), 1);
    assert_eq!(releases(&result)[3..], [ROUND + LATENCY; 3]);
}

#[test]
fn messages_of_a_connection_are_one_flow_to_the_network() {
    // The connection comes last in the order of senders, so that all flows have the same numbers in both runs.
    let others = || vec![flow(15, 9, 50 * PAYLOAD), flow(12, 15, 30 * PAYLOAD)];
    for scheme in unsplit() {
        for load in [(1, 1), (37, 100)] {
            let scenario = paper(3, 4, scheme).load(load.0, load.1);
            let many = connection(others(), &[3, 1, 20, 7, 40, 2], &[0; 6]);
            let one = connection(others(), &[73], &[0]);
            let (many, one) = (run_flows(&scenario, many, 7), run_flows(&scenario, one, 7));
            assert!(many.links == one.links, "{scheme}");
            assert!(many.stages == one.stages, "{scheme}");
            assert!(many.flows[..2] == one.flows[..2], "{scheme}");
            let message_ends = many.flows[2..].iter().map(|flow| flow.end);
            assert_eq!(message_ends.max(), Some(one.flows[2].end), "{scheme}");
            assert_eq!(many.data_packets, 50 + 30 + 73);
        }
    }
}

#[test]
fn a_message_waits_for_its_own_start_and_for_the_one_before_it() {
    let starts = [0, 0, 5_000_000, 1_000, 9_000_000, 9_000_000];
    let result = run_flows(
        &quickly("ecmp"),
        connection(Vec::new(), &[2, 1, 3, 1, 1, 2], &starts),
        1,
    );
    let sent: Vec<u64> = result
        .flows
        .iter()
        .map(|flow| flow.start.expect("it starts").0)
        .collect();
    let expected = [
        0,
        2 * SLOT,
        5_000_000,
        5_000_000 + 3 * SLOT,
        9_000_000,
        9_000_000 + SLOT,
    ];
    assert_eq!(sent, expected);
    assert_eq!(releases(&result), starts);
    assert_eq!(end(&result, 5), 9_000_000 + 2 * SLOT + ROUND);
}

#[test]
fn flows_behind_one_that_is_lost_never_start() {
    let mut scenario = quickly("ecmp");
    // A buffer of one frame: two hosts that send to a third lose packets.
    scenario.fabric.each_tier(|tier| {
        (tier.down_buffer_bytes, tier.up_buffer_bytes) = (Some(4_158), Some(4_158))
    });
    let flows = vec![
        flow(0, 15, 40 * PAYLOAD),
        flow(1, 15, 40 * PAYLOAD),
        flow(4, 8, PAYLOAD),
    ];
    let from = [(0, FlowEvent::Received), (1, FlowEvent::Received)];
    let triggers = vec![trigger(&from, &[(2, 2)], 0)];
    let result = run_flows(&scenario, waiting(flows, triggers), 1);
    assert!(result.links.iter().any(|link| link.dropped_packets > 0));
    assert!(result.ran_dry);
    let last = &result.flows[2];
    assert_eq!((last.release, last.start, last.end), (None, None, None));
    assert_eq!((result.last_sent, result.last_finish), (None, None));
    assert!(result.integrated_until > Time(40 * SLOT));
}
