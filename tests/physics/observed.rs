//! What senders see of ACKs, RTTs and windows: against closed forms, marks on links, and the trace of the same run.

use super::recovery::{TRANSPORT, flows, lossy, with_window};
use super::setup::*;
use spraysim::scenario::Scenario;
use spraysim::settings::{Transport, TransportKind};
use spraysim::sim::{self, Engine, FlowResult, Progress, RunOptions, RunResult, TraceEvent};
use spraysim::units::{Rate, Span};
use spraysim::workload::{Connection, Dependencies, FlowSpec, Message, Traffic};

/// An ACK's frame.
const ACK: u64 = 640;

/// The RTT of a full frame over so many links each way.
const fn rtt(hops: u64) -> u64 {
    2 * hops * 500_000 + hops * (DATA + ACK)
}

/// The number of RTTs, their sum, the shortest and the longest.
fn rtts(flow: &FlowResult) -> (u64, u128, u64, u64) {
    let rtts = flow.rtts.expect("ACKs give RTTs");
    (rtts.samples, rtts.sum_ps, rtts.min.0, rtts.max.0)
}

#[test]
fn every_rtt_of_a_lone_flow_is_that_of_its_path_whatever_the_window() {
    // Hosts under one edge, in one pod, in two pods; windows far below, about and above 150 frames, which are a bandwidth-delay product.
    for (dst, hops) in [(1, 2), (2, 4), (15, 6)] {
        for frames in [1, 7, 100, 149, 151, 300] {
            for scheme in ["rps", "ofan", "reps"] {
                let window = frames * 4_158;
                let scenario = with_window(paper(3, 4, scheme), window);
                let result = run_flows(&scenario, vec![flow(0, dst, 256 * PAYLOAD)], 1);
                let flow = &result.flows[0];
                let told = format!("{scheme}, {frames} frames, to {dst}");
                let path = rtt(hops);
                let all = (256, 256 * u128::from(path), path, path);
                assert_eq!(rtts(flow), all, "{told}");
                assert_eq!((flow.acks, flow.marked_acks), (256, 0), "{told}");
                let seen = flow.window.expect("it is limited");
                assert_eq!((seen.min, seen.max, seen.end), (window, window, window));
                assert_eq!(seen.span.0, fct(&result), "{told}");
                let area = u128::from(window) * u128::from(fct(&result));
                assert_eq!(seen.byte_ps, area, "{told}");
            }
        }
    }
}

#[test]
fn an_ack_for_16_kib_is_one_for_the_first_packet_every_fourth_and_the_last() {
    // 489 packets of 4,150 bytes after the first make 122 fours and one left over.
    let mut scenario = paper(3, 4, "ofan");
    scenario.packet.payload_bytes = 4_150 - scenario.packet.header_bytes;
    scenario.transport = Some(Transport {
        ack_bytes_threshold: 16_384,
        ..TRANSPORT
    });
    let bytes = 490 * u64::from(scenario.packet.payload_bytes);
    let scenario = with_window(scenario, 490 * 4_150);
    let result = run_flows(&scenario, vec![flow(0, 15, bytes)], 1);
    assert_eq!((result.data_packets, result.flows[0].acks), (490, 124));
    // Each gives an RTT: that of the packet that it answers, which had not been acknowledged before.
    let frame = Rate::from_gbps(800).tx_time(4_150).0;
    let path = 2 * 3_000_000 + 6 * (frame + ACK);
    let expected = (124, 124 * u128::from(path), path, path);
    assert_eq!(rtts(&result.flows[0]), expected);
}

#[test]
fn without_a_transport_acks_are_counted_and_nothing_else() {
    let result = run(&paper(3, 4, "rps").permutation(100_000, false), 3);
    for flow in &result.flows {
        assert_eq!(flow.acks, 25);
        assert_eq!((flow.rtts, flow.window), (None, None));
    }
    let quiet = run(&paper(3, 4, "rps").permutation(100_000, false).quiet(), 3);
    assert!(quiet.flows.iter().all(|flow| flow.acks == 0));
}

/// Hosts 1 and 2 send `packets` each to host 0 under one edge, whose ports mark above `ecn_frames`.
fn two_to_one(window: Option<u64>, packets: u64, ecn_frames: u64) -> RunResult {
    let mut scenario = paper(3, 6, "ecmp").at_once();
    scenario.fabric.ecn_threshold_bytes = Some(ecn_frames * 4_158);
    if let Some(frames) = window {
        scenario = with_window(scenario, frames * 4_158);
    }
    let flows = [1, 2].map(|src| flow(src, 0, packets * PAYLOAD));
    run_flows(&scenario, flows.to_vec(), 1)
}

#[test]
fn two_windows_through_one_port_see_the_rtts_of_its_queue() {
    // The port sends a frame a slot, of either sender in turn. Packet n < W of a sender leaves at n slots and finds n frames of both and,
    // if it is the second sender's, one more: its RTT is n (or n + 1) slots beyond the path's. A later one leaves when packet n - W is
    // acknowledged, and its ACK comes 2 W slots later. The last packet of the first windows has the longest, as W slots are
    // shorter than the path: the senders fall silent after it, and the queue drains.
    let (window, packets, path) = (40, 500, rtt(2));
    assert!(window * SLOT < path && path < 2 * window * SLOT);
    let result = two_to_one(Some(window), packets, 10);
    for (flow, behind) in result.flows.iter().zip([0, 1]) {
        let first: u64 = (0..window).map(|n| path + (n + behind) * SLOT).sum();
        let rest = (packets - window) * 2 * window * SLOT;
        let (least, most) = (path + behind * SLOT, path + (window - 1 + behind) * SLOT);
        let expected = (packets, u128::from(first + rest), least, most);
        assert_eq!(rtts(flow), expected, "sender {behind}");
    }
}

#[test]
fn acks_echo_every_mark_where_nothing_is_lost() {
    for window in [None, Some(5), Some(40)] {
        for ecn_frames in [0, 1, 10, 30] {
            let result = two_to_one(window, 500, ecn_frames);
            let echoed: u64 = result.flows.iter().map(|flow| flow.marked_acks).sum();
            let acks: u64 = result.flows.iter().map(|flow| flow.acks).sum();
            assert_eq!(acks, 1_000);
            // No packet passes more than one port of a switch, so none is marked twice.
            let on_links = result.links.iter().map(|link| link.marked_packets);
            assert_eq!(echoed, on_links.sum::<u64>(), "{window:?}, {ecn_frames}");
            // Above no frame all are marked; two windows of five frames never make a queue of ten.
            assert!(ecn_frames > 0 || echoed == 1_000);
            assert_eq!(echoed > 0, window != Some(5) || ecn_frames < 10);
        }
    }
}

/// One run of `traffic` with the trace of flow 0.
fn traced(scenario: &Scenario, traffic: impl Into<Traffic>, seed: u64) -> RunResult {
    let options = RunOptions {
        engine: Engine::Windowed,
        threads: 1,
        record_paths: false,
        trace: Some(0),
        general_ports: false,
    };
    sim::run_flows(scenario, traffic, seed, options, &Progress::default()).0
}

/// The numbers of the first flow are those of its trace.
fn is_traced(result: &RunResult, case: u64) {
    let flow = &result.flows[0];
    let of = |event| result.trace.iter().filter(move |row| row.event == event);
    let count = |event| of(event).count() as u64;
    let acks = (flow.acks, flow.nacks);
    assert_eq!(acks, (count(TraceEvent::Ack), count(TraceEvent::Nack)));
    let marked = of(TraceEvent::Ack).filter(|row| row.marked).count();
    assert_eq!(flow.marked_acks, marked as u64, "case {case}");
    let rtts: Vec<Span> = of(TraceEvent::Ack).filter_map(|row| row.rtt).collect();
    let expected = rtts.iter().min().zip(rtts.iter().max());
    let seen = flow.rtts.as_ref();
    assert_eq!(seen.map(|rtts| (&rtts.min, &rtts.max)), expected);
    let sum = rtts.iter().map(|rtt| u128::from(rtt.0)).sum();
    assert_eq!(seen.map_or(0, |rtts| rtts.sum_ps), sum, "case {case}");
    assert_eq!(seen.map_or(0, |rtts| rtts.samples), rtts.len() as u64);
}

/// What is so of every flow.
fn is_possible(scenario: &Scenario, result: &RunResult) {
    let tree = tree(scenario);
    for flow in &result.flows {
        assert!(flow.marked_acks <= flow.acks);
        if let Some(rtts) = flow.rtts {
            let (n, sum) = (u128::from(rtts.samples), rtts.sum_ps);
            assert!((1..=flow.acks).contains(&rtts.samples));
            assert!(n * u128::from(rtts.min.0) <= sum && sum <= n * u128::from(rtts.max.0));
            // Nothing is faster than the light and one byte of payload.
            let hops = u64::from(tree.hops(tree.layer(flow.spec.src, flow.spec.dst)));
            assert!(rtts.min.0 >= hops * (1_000_000 + 630 + ACK), "{rtts:?}");
        }
        if let (Some(window), Some(start)) = (flow.window, flow.start) {
            assert!((window.min..=window.max).contains(&window.end));
            let time = u128::from(window.span.0);
            let possible = u128::from(window.min) * time..=u128::from(window.max) * time;
            assert!(possible.contains(&window.byte_ps));
            assert!(flow.end.is_none_or(|end| end - start == window.span));
        }
    }
}

#[test]
fn whatever_is_lost_the_numbers_are_possible_and_those_of_the_trace() {
    let (mut unsampled, mut coded) = (0, 0);
    for case in 0..300 {
        let mut dice = Dice::new(31_000 + case);
        let scenario = lossy(&mut dice, &["reps", "drb", "rps", "ofan"]);
        let flows = flows(&scenario, &mut dice);
        let result = traced(&scenario, flows, case);
        is_possible(&scenario, &result);
        is_traced(&result, case);
        // An ACK of a packet that was sent twice, or known to have arrived, gives no RTT.
        let samples = |flow: &FlowResult| flow.rtts.map_or(0, |rtts| rtts.samples);
        unsampled += u32::from(result.flows.iter().any(|flow| samples(flow) < flow.acks));
        let kind = scenario.transport.map(|transport| transport.kind);
        coded += u32::from(matches!(kind, Some(TransportKind::Erasure(_))));
    }
    assert!(unsampled > 50 && coded > 50, "{unsampled}, {coded}");
}

#[test]
fn messages_of_a_connection_count_their_own_packets_and_share_its_window() {
    // Three messages of 20, 1 and 30 packets follow each other without a pause, in a window of 150 packets and more: 51 packets in step.
    let messages: Vec<FlowSpec> = [20, 1, 30]
        .map(|packets| flow(0, 15, packets * PAYLOAD))
        .to_vec();
    let message = |flow| Message {
        flow,
        number: u64::from(flow),
    };
    let dependencies = Dependencies {
        connections: vec![Connection {
            messages: [0, 1, 2].map(message).to_vec(),
        }],
        ..Dependencies::default()
    };
    let traffic = Traffic {
        flows: messages,
        dependencies,
        mice: 0,
    };
    let window = 200 * 4_158;
    let scenario = with_window(paper(3, 4, "ofan").at_once(), window);
    let result = traced(&scenario, traffic, 1);
    let path = rtt(6);
    for (flow, (packets, before)) in result.flows.iter().zip([(20, 0), (1, 20), (30, 21)]) {
        assert_eq!(flow.acks, packets);
        let all = (packets, u128::from(packets * path), path, path);
        assert_eq!(rtts(flow), all);
        let seen = flow.window.expect("it is limited");
        // From the first bit of its first packet to the ACK of its last one.
        assert_eq!(flow.start.map(|start| start.0), Some(before * SLOT));
        assert_eq!(seen.span.0, (packets - 1) * SLOT + path);
        let area = u128::from(window) * u128::from(seen.span.0);
        assert_eq!((seen.min, seen.max, seen.byte_ps), (window, window, area));
    }
    is_traced(&result, 0);
}
