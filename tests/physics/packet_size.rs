//! The size of packets as an axis, from 1 byte to the most that a scenario allows: closed forms hold at each, under every scheme.

use super::setup::*;
use spraysim::scenario::Scenario;
use spraysim::sim::{self, Engine, Progress, RunOptions, RunResult};
use spraysim::theory::ideal_fct::ideal_fct;
use spraysim::theory::{self, Frames};
use spraysim::workload::FlowSpec;

/// Payloads: the range that matters, its neighbours, and both ends of what is allowed.
const PAYLOADS: [u32; 13] = [
    1,
    64,
    256,
    257,
    1024,
    4096,
    9000,
    16_384,
    65_536,
    100_000,
    262_144,
    1 << 20,
    1 << 24,
];

/// The paper's fabric with packets of this payload, marked above ten of them.
fn sized(k: u32, scheme: &str, payload: u32) -> Scenario {
    let mut scenario = paper(3, k, scheme);
    scenario.packet.payload_bytes = payload;
    scenario.fabric.ecn_threshold_bytes = Some(10 * u64::from(payload + 62));
    scenario
}

fn by(engine: Engine, scenario: &Scenario, flows: Vec<FlowSpec>) -> RunResult {
    let options = RunOptions {
        record_paths: true,
        ..RunOptions::new(engine, 1)
    };
    sim::run_flows(scenario, flows, 1, options, &Progress::default()).0
}

/// Completion time of a lone flow by both engines, which agree.
fn lone(scenario: &Scenario, dst: u32, bytes: u64) -> u64 {
    let [windowed, heap] = [Engine::Windowed, Engine::Heap]
        .map(|engine| by(engine, scenario, vec![flow(0, dst, bytes)]));
    assert_eq!(windowed, heap, "{bytes} B to {dst} in {scenario:?}");
    fct(&windowed)
}

#[test]
fn a_lone_flow_of_full_packets_takes_its_closed_form_at_every_size_under_every_scheme() {
    // At 800 Gb/s a byte takes 10 ps. All frames but the last are a slot behind one another; the last crosses `links` of them, store
    // and forward, and its ACK comes back: (m - 1) T' + 2 links T_p + links (T_d + T_a), as equal frames never wait for each other.
    for payload in PAYLOADS {
        let data = 10 * (u64::from(payload) + 62);
        let (slot, ack) = (data + 200, 640);
        for scheme in unsplit() {
            let scenario = sized(4, scheme, payload);
            for (dst, links) in [(1, 2), (2, 4), (15, 6)] {
                for packets in [1, 2, 40] {
                    // An ACK is as long as a packet of 2 bytes: below that, those that come back wait for each other.
                    let one_way = links * (500_000 + data);
                    let back = links * (500_000 + ack);
                    let expected = (packets - 1) * slot + one_way + back;
                    let bytes = packets * u64::from(payload);
                    if data < ack && packets > 1 {
                        continue;
                    }
                    let told = format!("{scheme}: {packets} packets of {payload} B to {dst}");
                    assert_eq!(lone(&scenario, dst, bytes), expected, "{told}");
                    let quiet = scenario.clone().quiet();
                    assert_eq!(lone(&quiet, dst, bytes), expected - back, "{told}, no ACKs");
                }
            }
        }
    }
}

#[test]
fn over_one_path_a_short_last_packet_is_exact_at_every_size() {
    for payload in PAYLOADS {
        let scenario = sized(4, "ecmp", payload);
        let full = u64::from(payload);
        for bytes in [1, full.div_ceil(2), full + 1, 7 * full + full.div_ceil(3)] {
            for dst in [1, 2, 15] {
                let hops = tree(&scenario).hops(tree(&scenario).layer(0, dst));
                let frames = Frames::new(&scenario, bytes);
                assert_eq!(
                    lone(&scenario, dst, bytes),
                    ideal_fct(&frames, hops).0,
                    "{bytes} B in packets of {payload} B to {dst}"
                );
            }
        }
    }
}

#[test]
fn under_every_scheme_and_size_a_permutation_arrives_whole_and_not_before_its_bound() {
    for payload in PAYLOADS {
        // A message of 20 packets or, where those are large, of two and a bit.
        let packets = if payload > 20_000 { 2 } else { 20 };
        let bytes = packets * u64::from(payload) + u64::from(payload / 3);
        for &scheme in ALL.iter() {
            let scenario = sized(4, scheme, payload).permutation(bytes, false);
            let told = format!("{scheme}, {payload} B");
            let result = run(&scenario, 5);
            assert_eq!(result.delivered_bytes, 16 * bytes, "{told}");
            let flows = spraysim::workload::flows(&scenario, 5);
            let sent = |flow| theory::fabric_numbers::data_packets(&scenario, flow, None);
            let expected: u64 = flows.iter().map(sent).sum();
            assert_eq!(result.data_packets, expected, "{told}");
            assert_eq!(result.ack_packets, expected, "{told}");
            let bound = theory::lower_bound(&scenario, &flows.clone().into()).span.0;
            let slot = scenario.slot().0;
            // Ethereal's bytes cross in pieces shorter than a packet, which the bound of whole packets does not know.
            if scheme != "ethereal" {
                assert!(
                    cct(&result) + slot >= bound,
                    "{told}: {} below {bound}",
                    cct(&result)
                );
            }
            assert_eq!(by(Engine::Heap, &scenario, flows.clone()), {
                by(Engine::Windowed, &scenario, flows)
            });
        }
    }
}

#[test]
fn ten_packets_mark_the_same_packets_whatever_their_size_where_all_times_scale() {
    // Ten times the bytes of everything at ten times the rate: the same instants, so the same queues, picks and marks.
    let marked = |factor: u32| {
        let mut scenario =
            sized(4, "reps", 1000 * factor).permutation(200_000 * u64::from(factor), true);
        scenario.packet.header_bytes = 60 * factor;
        scenario.packet.ack_bytes = 60 * factor;
        scenario.packet.gap_bytes = 20 * factor;
        let rate = spraysim::units::Rate::from_gbps(100 * u64::from(factor));
        scenario.fabric.each_tier(|tier| tier.rate = rate);
        scenario.fabric.ecn_threshold_bytes = Some(3 * u64::from(1060 * factor));
        let result = run(&scenario, 2);
        let marks: Vec<u64> = result
            .links
            .iter()
            .map(|link| link.marked_packets)
            .collect();
        (cct(&result), marks)
    };
    let (time, marks) = marked(1);
    assert!(marks.iter().sum::<u64>() > 0);
    for factor in [2, 10, 64] {
        assert_eq!(marked(factor), (time, marks.clone()), "x {factor}");
    }
}
