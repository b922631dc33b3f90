//! The oracle held to numbers computed by hand.

use spraysim::lb::host::Layer;
use spraysim::scenario::{AckTurns, Acks, Scenario, Shape};
use spraysim::sim::{NodeName, Stage};
use spraysim::units::{Ratio, Span, Time};
use spraysim::workload::{
    Activator, Connection, Dependencies, FlowEvent, FlowSpec, Message, Target, Trigger,
};

use super::bench::{PAYLOAD, flow, leftmost, paper};
use super::flows::pieces;
use super::seen::{LinkSeen, Seen};
use super::wiring::Wiring;
use super::world::{simulate, simulate_waiting};

const SLOT: u64 = 41_780;
const ACK_SLOT: u64 = 840;
const DATA: u64 = 41_580;
const ACK: u64 = 640;
const LATENCY: u64 = 500_000;
const BEGIN: Time = Time(0);

fn by_hand(scenario: &Scenario, flows: &[FlowSpec]) -> Seen {
    simulate(scenario, flows, 1, &leftmost())
}

fn without_acks(k: u32) -> Scenario {
    let mut scenario = paper(k);
    scenario.packet.acks = Acks::None;
    scenario
}

fn end(seen: &Seen, flow: usize) -> u64 {
    seen.flows[flow].end.expect("the flow finished").0
}

fn link(seen: &Seen, from: (char, u32), to: (char, u32)) -> &LinkSeen {
    let (from, to) = (NodeName(from.0, from.1), NodeName(to.0, to.1));
    let found = seen
        .links
        .iter()
        .find(|(key, _)| (key.1, key.2) == (from, to));
    found.expect("the link exists").1
}

#[test]
fn every_cable_joins_the_ports_that_the_numbering_says() {
    let wiring = Wiring::new(&Shape::fat_tree(3, 6));
    let (edge, agg, core) = (54, 54 + 18, 54 + 36);
    let plug = |node: usize, port: usize| {
        let plug = wiring.plugs[node][port];
        (plug.peer, plug.peer_port)
    };
    assert_eq!(plug(17, 0), (edge + 5, 2));
    assert_eq!(plug(edge + 5, 3 + 1), (agg + 4, 2));
    assert_eq!(plug(agg + 4, 3 + 2), (core + 5, 1));
    assert_eq!(plug(core + 5, 4), (agg + 13, 3 + 2));
    assert_eq!(plug(agg + 13, 1), (edge + 13, 3 + 1));
    assert_eq!(wiring.plugs.iter().map(Vec::len).sum::<usize>(), 6 * 54);
    let flat = Wiring::new(&Shape::fat_tree(2, 4));
    assert_eq!(flat.plugs[8 + 4 + 1].len(), 4);
    assert_eq!(flat.plugs[8 + 3][2 + 1].peer, 8 + 4 + 1);
    assert_eq!(flat.plugs[8 + 3][2 + 1].peer_port, 3);
}

#[test]
fn layers_are_told_by_what_both_edges_can_reach() {
    let wiring = Wiring::new(&Shape::fat_tree(3, 4));
    let layers = [1, 3, 4].map(|other| wiring.layer(0, other));
    assert_eq!(layers, [Layer::SameEdge, Layer::SamePod, Layer::InterPod]);
    assert_eq!(
        Wiring::new(&Shape::fat_tree(2, 4)).layer(0, 7),
        Layer::SamePod
    );
    let edge_of_0 = wiring.plugs[0][0].peer;
    assert_eq!(wiring.valid_uplinks(edge_of_0, 15, &|_, _| true).len(), 2);
    assert!(wiring.down_ports(edge_of_0, 15).is_empty());
}

#[test]
fn one_packet_between_pods_takes_3249_48_ns() {
    let seen = by_hand(&without_acks(4), &[flow(0, 15, 1, BEGIN)]);
    assert_eq!(end(&seen, 0), 3_249_480);
    assert_eq!(seen.packet_hops, 6);
    assert_eq!(seen.last_sent, Some(Time(DATA)));
}

#[test]
fn a_lone_message_of_256_packets_finishes_after_16907_22_ns() {
    let start = Time(123);
    let seen = by_hand(&paper(4), &[flow(0, 15, 256, start)]);
    assert_eq!(seen.flows[0].start, Some(start));
    assert_eq!(end(&seen, 0) - start.0, 16_907_220);
    assert_eq!(seen.packet_hops, 2 * 6 * 256);
}

#[test]
fn nearer_peers_and_switch_latency_follow_the_closed_form() {
    for (dst, links) in [(1, 2), (3, 4), (15, 6)] {
        for latency in [0, 7_001] {
            let mut scenario = paper(4);
            scenario
                .fabric
                .each_tier(|tier| tier.switch_latency = Span(latency));
            let seen = by_hand(&scenario, &[flow(0, dst, 100, BEGIN)]);
            let wires = 2 * links * LATENCY + links * (DATA + ACK);
            let expected = 99 * SLOT + wires + 2 * (links - 1) * latency;
            assert_eq!(end(&seen, 0), expected, "to {dst}, latency {latency}");
        }
    }
}

#[test]
fn a_message_between_leaves_crosses_four_links() {
    let mut scenario = without_acks(4);
    scenario.fabric.shape = Shape::fat_tree(2, 4);
    let seen = by_hand(&scenario, &[flow(0, 7, 3, BEGIN)]);
    assert_eq!(end(&seen, 0), 2 * SLOT + 4 * (LATENCY + DATA));
    assert_eq!(seen.links.len(), 8 * 4);
    assert!(!seen.stages.contains_key(&Stage::Ac));
}

#[test]
fn of_two_packets_that_meet_the_lower_port_goes_first() {
    let flows = [flow(1, 3, 1, BEGIN), flow(0, 2, 1, BEGIN)];
    let seen = by_hand(&without_acks(4), &flows);
    assert_eq!(end(&seen, 1), 4 * (LATENCY + DATA));
    assert_eq!(end(&seen, 0), 4 * (LATENCY + DATA) + SLOT);
    let shared = link(&seen, ('e', 0), ('a', 0));
    assert_eq!((shared.max_packets, shared.max_bytes), (2, 2 * 4_158));
    assert_eq!((shared.packets, shared.busy), (2, Span(2 * DATA)));
    assert_eq!(link(&seen, ('a', 0), ('e', 1)).max_packets, 1);
    // Both frames and gaps go down between 1,083 and 1,167 ns: within one window.
    assert_eq!(seen.peak_ae_busy, Span(2 * SLOT));
}

#[test]
fn queues_are_integrated_until_the_last_data_packet_has_been_sent() {
    // Two senders share one uplink. Packets reach it at 541.58 and 583.36 ns; the first leaves at 583.16; all is sent at 584.72.
    let flows = [flow(0, 2, 14, BEGIN), flow(1, 3, 14, BEGIN)];
    let seen = by_hand(&without_acks(4), &flows);
    assert_eq!(seen.integrated_until, Time(584_720));
    let uplinks = seen.stages[&Stage::Ea];
    assert_eq!(uplinks.packet_ps, 2 * 41_580 + 1_560 + 2 * 1_360);
    assert_eq!(uplinks.byte_ps, uplinks.packet_ps * 4_158);
    assert_eq!(seen.stages[&Stage::Nic].packet_ps, 2 * 14 * 41_580);
}

#[test]
fn a_frame_that_does_not_fit_the_buffer_is_dropped_and_not_sent_again() {
    let flows = [flow(0, 2, 1, BEGIN), flow(1, 3, 1, BEGIN)];
    for (bytes, dropped) in [(2 * 4_158, 0), (2 * 4_158 - 1, 1), (4_158, 1), (4_157, 2)] {
        let mut scenario = paper(4);
        let buffer = Some(bytes);
        scenario
            .fabric
            .each_tier(|tier| (tier.down_buffer_bytes, tier.up_buffer_bytes) = (buffer, buffer));
        let seen = by_hand(&scenario, &flows);
        let shared = link(&seen, ('e', 0), ('a', 0));
        assert_eq!(shared.dropped, dropped, "buffer of {bytes} bytes");
        let finished = seen.flows.iter().filter(|f| f.end.is_some()).count() as u64;
        assert_eq!(finished + dropped, 2);
        assert_eq!(seen.last_finish.is_some(), dropped == 0);
    }
}

#[test]
fn a_frame_is_marked_strictly_above_the_threshold_itself_included() {
    let flows = [flow(0, 2, 1, BEGIN), flow(1, 3, 1, BEGIN)];
    let cases = [(2 * 4_158, 0), (2 * 4_158 - 1, 1), (4_158, 1), (4_157, 2)];
    for (threshold, marked) in cases {
        let mut scenario = without_acks(4);
        scenario.fabric.ecn_threshold_bytes = Some(threshold);
        let seen = by_hand(&scenario, &flows);
        let shared = link(&seen, ('e', 0), ('a', 0));
        assert_eq!(shared.marked, marked, "threshold of {threshold} bytes");
        let below = link(&seen, ('a', 0), ('e', 1));
        let fresh = if threshold == 4_157 { 0 } else { below.marked };
        assert_eq!(fresh, 0, "a marked frame is not marked again");
    }
}

#[test]
fn data_and_acks_alternate_once_acks_arrive() {
    // 26 data packets leave before the first ACK is pending (1,083.16 ns); then one ACK goes before each data packet.
    let flows = [flow(0, 1, 256, BEGIN), flow(1, 0, 256, BEGIN)];
    let seen = by_hand(&paper(4), &flows);
    let last_data = 26 * SLOT + 230 * ACK_SLOT + 229 * SLOT;
    assert_eq!(seen.last_sent, Some(Time(last_data + DATA)));
    let expected = last_data + 2 * (LATENCY + DATA) + 2 * (LATENCY + ACK);
    assert_eq!([end(&seen, 0), end(&seen, 1)], [expected; 2]);
}

#[test]
fn flows_of_one_host_take_turns_in_order_of_joining() {
    // 0 sends a (3 packets) and b (1) from 0, c (1) from inside the first frame. After its first packet a comes back at the next
    // decision, when c has joined: a b c a a.
    let flows = [
        flow(0, 1, 3, BEGIN),
        flow(0, 2, 1, BEGIN),
        flow(0, 3, 1, Time(1_000)),
    ];
    let seen = by_hand(&without_acks(4), &flows);
    let starts: Vec<u64> = seen.flows.iter().map(|f| f.start.unwrap().0).collect();
    assert_eq!(starts, [0, SLOT, 2 * SLOT]);
    assert_eq!(end(&seen, 0), 4 * SLOT + 2 * (LATENCY + DATA));
}

#[test]
fn acks_of_one_class_share_a_turn_and_acks_by_flow_have_one_each() {
    // Three packets of one byte reach host 0 while it sends its 25th data packet, up to 25 slots. As one class their ACKs alternate
    // with data packets; by flow they go one after another.
    let soon = Time(10_000);
    let short = FlowSpec {
        bytes: 1,
        ..flow(1, 0, 1, soon)
    };
    let flows = [flow(0, 2, 40, BEGIN), short.clone(), short.clone(), short];
    let mut scenario = paper(4);
    for (turns, data_between) in [(AckTurns::Class, 2), (AckTurns::Flow, 0)] {
        scenario.nic.ack_turns = turns;
        let seen = by_hand(&scenario, &flows);
        let third = 25 * SLOT + 2 * ACK_SLOT + data_between * SLOT;
        assert_eq!(end(&seen, 3), third + 2 * (LATENCY + ACK), "{turns:?}");
        let nic = link(&seen, ('h', 0), ('e', 0));
        assert_eq!((nic.max_packets, nic.max_bytes), (4, 4_158 + 3 * 64));
    }
}

#[test]
fn a_load_of_one_half_sends_a_packet_every_two_slots_and_busy_periods_join_up() {
    let mut scenario = without_acks(4);
    scenario.congestion_control.load = Ratio { num: 1, den: 2 };
    let way = 2 * (LATENCY + DATA);
    let alone = by_hand(&scenario, &[flow(0, 1, 10, BEGIN)]);
    assert_eq!(end(&alone, 0), 18 * SLOT + way);
    // The second flow comes after the last packet, but before the next would have been due.
    let flows = [flow(0, 1, 10, BEGIN), flow(0, 1, 1, Time(19 * SLOT))];
    let joined = by_hand(&scenario, &flows);
    assert_eq!(end(&joined, 1), 20 * SLOT + way);
    let flows = [flow(0, 1, 10, BEGIN), flow(0, 1, 1, Time(20 * SLOT + 1))];
    let apart = by_hand(&scenario, &flows);
    assert_eq!(end(&apart, 1), 20 * SLOT + 1 + way);
}

#[test]
fn a_horizon_keeps_the_events_at_its_instant() {
    let mut scenario = without_acks(4);
    let arrival = 2 * (LATENCY + DATA);
    for (horizon, finished) in [(arrival, true), (arrival - 1, false)] {
        scenario.horizon = Some(Time(horizon));
        let seen = by_hand(&scenario, &[flow(0, 1, 1, BEGIN)]);
        assert_eq!(seen.flows[0].end.is_some(), finished);
    }
    scenario.horizon = Some(Time(DATA - 1));
    let seen = by_hand(&scenario, &[flow(0, 1, 1, BEGIN)]);
    assert_eq!((seen.last_sent, seen.packet_hops), (None, 0));
    assert_eq!(seen.stages[&Stage::Nic].packet_ps, u128::from(DATA - 1));
}

#[test]
fn a_message_in_36_subflows_has_288_packets_in_turns() {
    let order: Vec<u32> = (0..36).rev().collect();
    let pieces = pieces(1 << 20, PAYLOAD as u32, &order);
    assert_eq!(pieces.len(), 288);
    let subflows: Vec<u32> = pieces.iter().map(|p| p.subflow).collect();
    assert_eq!(subflows[..36], order);
    let bytes = |s| {
        pieces
            .iter()
            .filter(|p| p.subflow == s)
            .map(|p| p.payload)
            .sum::<u32>()
    };
    assert_eq!((bytes(0), bytes(35)), (29_128, 29_127));
    assert_eq!(
        pieces.iter().map(|p| u64::from(p.payload)).sum::<u64>(),
        1 << 20
    );
}

#[test]
fn a_trigger_starts_a_flow_a_latency_after_the_last_ack_and_at_one_host_at_once() {
    let flows = [
        flow(0, 15, 1, BEGIN),
        flow(3, 12, 1, BEGIN),
        flow(0, 14, 1, BEGIN),
    ];
    let wait = |from, flow, delay| Trigger {
        activators: vec![Activator {
            flow: from,
            event: FlowEvent::Acked,
        }],
        targets: vec![Target { flow, needs: 1 }],
        delay: Span(delay),
    };
    let dependencies = Dependencies {
        triggers: vec![wait(0, 1, 7), wait(0, 2, 0)],
        ..Dependencies::default()
    };
    let mut scenario = paper(4);
    scenario.trigger_latency = Some(Span(600_000));
    let seen = simulate_waiting(&scenario, (&flows, &dependencies), 1, &leftmost());
    let round = 12 * LATENCY + 6 * (DATA + ACK);
    assert_eq!(seen.flows[1].start, Some(Time(round + 600_007)));
    assert_eq!(seen.flows[2].start, Some(Time(round)));
    assert_eq!(end(&seen, 2), 2 * round);
}

#[test]
fn the_next_message_of_a_connection_takes_the_turn_of_the_one_before() {
    let flows = [
        flow(0, 15, 1, BEGIN),
        flow(0, 14, 2, BEGIN),
        flow(0, 15, 1, BEGIN),
    ];
    let messages = [0, 2].map(|flow| Message {
        flow,
        number: flow.into(),
    });
    let connections = vec![Connection {
        messages: messages.to_vec(),
    }];
    let dependencies = Dependencies {
        connections,
        ..Dependencies::default()
    };
    let seen = simulate_waiting(&paper(4), (&flows, &dependencies), 1, &leftmost());
    let starts = seen.flows.iter().map(|flow| flow.start);
    let starts: Vec<u64> = starts.map(|at| at.expect("it starts").0).collect();
    // Message 0, the other flow, message 1, the other flow's second packet.
    assert_eq!(starts, [0, SLOT, 2 * SLOT]);
    assert_eq!(end(&seen, 1), 3 * SLOT + 12 * LATENCY + 6 * (DATA + ACK));
}
