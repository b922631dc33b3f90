//! TCP: handshakes and recoveries to the picosecond, and what DCTCP makes of them.

use super::recovery::{TRANSPORT, completes, flows, lossy, with_window};
use super::setup::*;
use spraysim::cc::{Controller, dctcp, dctcp_stock};
use spraysim::host::GaveUp;
use spraysim::scenario::{Failures, LinkFault, Scenario};
use spraysim::settings::{DupThreshold, Erasure, Rto, RtoKind, Transport, TransportKind};
use spraysim::sim::{FlowResult, RunResult, Stage, Stuck};
use spraysim::units::{Rate, Span, Time};
use spraysim::workload::FlowSpec;

/// There and back between pods: a data packet and its ACK, a SYN and its answer. Six links each way.
const RTT: u64 = 12 * 500_000 + 6 * (DATA + 640);
const SYN_RTT: u64 = 12 * 500_000 + 12 * 640;
/// The timeout of these tests.
const RTO: u64 = 20_000_000;

const NEWRENO: Transport = Transport {
    kind: TransportKind::NewReno,
    rto: Rto {
        kind: RtoKind::Fixed(Some(Span(RTO))),
        backoff: 2,
        ..TRANSPORT.rto
    },
    ..TRANSPORT
};

const HANDSHAKE: Transport = Transport {
    handshake: true,
    ..NEWRENO
};

/// Two hosts in two pods, one path between them, a window of ten frames; the first link behind the edge is down for this long from then on.
fn one_path(transport: Transport, down: Option<(u64, u64)>) -> Scenario {
    let mut scenario = paper(3, 2, "ecmp").at_once();
    scenario.transport = Some(transport);
    if let Some((from, until)) = down {
        scenario.fabric.failures = Some(Failures {
            links: vec![LinkFault {
                cable: 0,
                from: Time(from),
                until: Time(until),
                slow_to: None,
            }],
            ..Failures::default()
        });
    }
    with_window(scenario, 10 * 4_158)
}

/// Those links lose what is on them at that instant. Packet i is there from i slots and this on, for as long as the latency.
fn blink(packets: u64) -> Option<(u64, u64)> {
    let last_in = DATA + 500_000 + (packets - 1) * SLOT;
    Some((last_in + 10_000, last_in + 10_001))
}

fn lone(scenario: &Scenario, packets: u64) -> RunResult {
    run_flows(scenario, vec![flow(0, 1, packets * PAYLOAD)], 1)
}

/// Packets sent again, those of them in vain, and timeouts of the first flow.
fn repairs(result: &RunResult) -> [u64; 3] {
    let flow = &result.flows[0];
    [
        flow.retransmissions,
        flow.spurious_retransmissions,
        flow.timeouts,
    ]
}

#[test]
fn a_handshake_costs_a_round_trip_of_small_frames_under_every_kind() {
    let erasure = Erasure {
        extra_packets: 0,
        resume: true,
    };
    for kind in [
        TransportKind::NewReno,
        TransportKind::SelectiveRepeat,
        TransportKind::GoBackN,
        TransportKind::Erasure(erasure),
    ] {
        let of = |handshake| {
            let transport = Transport {
                kind,
                handshake,
                ..NEWRENO
            };
            lone(&one_path(transport, None), 30)
        };
        let (with, without) = (of(true), of(false));
        assert_eq!(fct(&with), fct(&without) + SYN_RTT, "{kind:?}");
        // A SYN one way and an answer the other.
        assert_eq!(with.ack_packets, without.ack_packets + 2);
        assert_eq!(with.flows[0].acks, without.flows[0].acks + 1);
        assert_eq!(with.flows[0].rtts, without.flows[0].rtts);
    }
}

#[test]
fn a_lost_syn_is_sent_again_after_the_timeout() {
    let down = Some((600_000, 600_001));
    let result = lone(&one_path(HANDSHAKE, down), 1);
    assert_eq!(fct(&result), RTO + SYN_RTT + RTT);
    assert_eq!(repairs(&result), [0, 0, 1]);
    // TCP's first window is a frame then, and DCTCP's doubles with each ACK up to half of what it was.
    let mut scenario = one_path(HANDSHAKE, down);
    scenario.congestion_control.controller = Controller::Dctcp(dctcp::Params::default());
    let result = lone(&scenario, 3);
    assert_eq!(fct(&result), RTO + SYN_RTT + 2 * RTT + SLOT);
}

#[test]
fn a_connection_whose_syns_are_lost_gives_up() {
    let patient = Transport {
        give_up_after: 3,
        ..HANDSHAKE
    };
    let result = lone(&one_path(patient, Some((1, u64::MAX))), 1);
    let flow = &result.flows[0];
    assert_eq!(
        flow.stuck,
        Some(Stuck::GaveUp(GaveUp::Timeouts(3))),
        "{flow:?}"
    );
    assert_eq!((flow.packets, flow.timeouts), (0, 3));
    assert!(result.ran_dry);
}

#[test]
fn three_duplicates_bring_the_first_packet_back_and_new_ones_go_on_meanwhile() {
    // Packet 0 is lost. Packet 3 brings the third duplicate; in the recovery 3 packets and one a duplicate more go, 9 in all, and the ACK
    // of packet 0 lets go the last.
    let result = lone(&one_path(NEWRENO, blink(1)), 20);
    assert_eq!(repairs(&result), [1, 0, 0]);
    let third = RTT + 3 * SLOT;
    assert_eq!(fct(&result), third + 2 * RTT);
}

#[test]
fn each_partial_ack_brings_the_next_hole_back() {
    // Packets 0 and 1 are lost; the ACK of packet 0 tells of packet 1. Of 20 packets, 18 have been sent by then; one goes behind packet 1,
    // and another with the first duplicate after it.
    let result = lone(&one_path(NEWRENO, blink(2)), 20);
    assert_eq!(repairs(&result), [2, 0, 0]);
    let third = RTT + 4 * SLOT;
    assert_eq!(fct(&result), third + RTT + 2 * SLOT + RTT);
}

#[test]
fn below_the_threshold_a_timeout_goes_back_to_the_first_packet() {
    // Of three packets two bring duplicates. All three are sent again; the ACK of the first tells of all.
    let result = lone(&one_path(NEWRENO, blink(1)), 3);
    assert_eq!(fct(&result), RTO + RTT);
    assert_eq!(repairs(&result), [3, 2, 1]);
    // DCTCP goes on with one frame.
    let mut scenario = one_path(NEWRENO, blink(1));
    scenario.congestion_control.controller = Controller::Dctcp(dctcp::Params::default());
    let result = lone(&scenario, 3);
    assert_eq!(fct(&result), RTO + RTT);
    assert_eq!(repairs(&result), [1, 0, 1]);
}

#[test]
fn the_timer_starts_anew_with_each_ack_that_moves() {
    // Ten packets go at once, the last two behind the ACKs of the first two. The last alone is lost, just before its last bit is in.
    let out = RTT + SLOT + DATA + 500_000;
    let in_by = out + DATA + 500_000;
    let down = Some((in_by - 10_000, in_by - 9_999));
    let result = lone(&one_path(NEWRENO, down), 12);
    assert_eq!(repairs(&result), [1, 0, 1]);
    // The ACK of the one before it comes two round trips after the start.
    assert_eq!(fct(&result), 2 * RTT + RTO + RTT);
}

#[test]
fn a_threshold_of_one_takes_any_reordering_for_a_loss() {
    let repeated = |threshold, scheme: &str| {
        let mut scenario = paper(3, 4, scheme).permutation(1 << 20, false);
        scenario.transport = Some(Transport {
            dup_threshold: Some(threshold),
            ..NEWRENO
        });
        let result = run(&with_window(scenario, 625_332), 1);
        let sum = |of: fn(&FlowResult) -> u64| result.flows.iter().map(of).sum();
        let again: u64 = sum(|flow| flow.retransmissions);
        let spurious: u64 = sum(|flow| flow.spurious_retransmissions);
        assert_eq!(again, spurious, "nothing was lost");
        again
    };
    let (one, three) = (DupThreshold::Packets(1), DupThreshold::Packets(3));
    let paths = DupThreshold::PathsPlus(3);
    let found = [one, three, paths].map(|threshold| repeated(threshold, "rps"));
    assert!(found[0] > found[1] && found[1] > found[2], "{found:?}");
    // One path keeps order.
    assert_eq!(repeated(one, "ecmp"), 0);
}

#[test]
fn whatever_buffers_lose_tcp_completes_every_flow_exactly_once() {
    let (mut fast, mut late) = (0, 0);
    for case in 0..600 {
        let mut dice = Dice::new(190_000 + case);
        let mut scenario = lossy(&mut dice, &ALL);
        let rto = scenario.transport.expect("one that recovers").rto;
        scenario.transport = Some(Transport {
            handshake: dice.below(2) == 0,
            dup_threshold: dice.one(&[
                None,
                Some(DupThreshold::Packets(1)),
                Some(DupThreshold::PathsPlus(3)),
            ]),
            rto,
            give_up_after: 1_000,
            ..NEWRENO
        });
        if dice.below(3) == 0 {
            scenario.congestion_control.controller = Controller::Dctcp(dctcp::Params::default());
        }
        let flows = flows(&scenario, &mut dice);
        let result = run_flows(&scenario, flows, case);
        completes(&scenario, &result, case);
        let any = |of: fn(&FlowResult) -> bool| u32::from(result.flows.iter().any(of));
        fast += any(|flow| flow.retransmissions > 0 && flow.timeouts == 0);
        late += any(|flow| flow.timeouts > 0);
    }
    assert!(fast > 100 && late > 100, "{fast} {late}");
}

/// At 100 Gb/s, with 800 kB a port: a bandwidth-delay product is 24 frames.
fn slow(controller: Controller, transport: Transport) -> Scenario {
    let mut scenario = paper(3, 4, "ecmp");
    scenario.fabric.each_tier(|tier| {
        tier.rate = Rate::from_gbps(100);
        (tier.down_buffer_bytes, tier.up_buffer_bytes) = (Some(800_000), Some(800_000));
    });
    scenario.transport = Some(transport);
    scenario.congestion_control.controller = controller;
    scenario
}

/// htsim's TCP.
const STOCK: Transport = Transport {
    dup_threshold: Some(DupThreshold::Packets(3)),
    rto: Rto {
        kind: RtoKind::Estimated {
            initial: Span(10_000_000_000),
            min: Span(250_000_000_000),
        },
        backoff: 2,
        max: Span(1_000_000_000_000),
        ..TRANSPORT.rto
    },
    ..HANDSHAKE
};

#[test]
fn a_lone_stock_flow_is_at_line_rate_once_its_window_allows() {
    let stock = Controller::DctcpStock(dctcp_stock::Params::default());
    let of = |packets: u64| {
        let scenario = slow(stock, STOCK);
        fct(&run_flows(
            &scenario,
            vec![flow(0, 15, packets * PAYLOAD)],
            1,
        ))
    };
    // A SYN, ten packets; twenty, as each ACK lets go two; a pause of four slots, and then none: the window has more than 24.
    let (frame, ack, gap) = (332_640, 5_120, 1_600);
    let slot = frame + gap;
    assert_eq!(of(2_000) - of(1_000), 1_000 * slot);
    let rtt = 12 * 500_000 + 6 * (frame + ack);
    let syn = 12 * 500_000 + 12 * ack;
    assert_eq!(of(10), syn + rtt + 9 * slot);
    assert_eq!(of(30), syn + 2 * rtt + 19 * slot);
    assert_eq!(of(1_000), syn + 3 * rtt + 969 * slot);
}

#[test]
fn two_flows_share_a_bottleneck_and_its_queue_settles_at_the_threshold() {
    let stock = Controller::DctcpStock(dctcp_stock::Params::default());
    let paper_like = Transport {
        dup_threshold: Some(DupThreshold::PathsPlus(3)),
        rto: Rto {
            kind: RtoKind::Estimated {
                initial: Span(100_000_000),
                min: Span(100_000_000),
            },
            ..STOCK.rto
        },
        ..NEWRENO
    };
    let usual = Controller::Dctcp(dctcp::Params::default());
    for (controller, transport) in [(stock, STOCK), (usual, paper_like)] {
        // The second starts when the first has the link to itself.
        let flows = || {
            let of = |src, start| FlowSpec {
                start: Time(start),
                ..flow(src, 15, 1 << 30)
            };
            vec![of(0, 0), of(4, 100_000_000)]
        };
        // 50 RTTs of 8 us later, and 25 more.
        let until = |us: u64| {
            let mut scenario = slow(controller, transport);
            scenario.horizon = Some(Time(us * 1_000_000));
            run_flows(&scenario, flows(), 1)
        };
        let (first, second) = (until(500), until(700));
        let rates = [0, 1].map(|flow| {
            let bytes = |result: &RunResult| result.flows[flow].acked_bytes;
            (bytes(&second) - bytes(&first)) as f64
        });
        let sum = rates[0] + rates[1];
        let jain = sum * sum / 2.0 / (rates[0] * rates[0] + rates[1] * rates[1]);
        assert!(jain > 0.95, "{jain}: {rates:?}");
        // 4,096 of 4,178 bytes are payload.
        let most = 200e-6 * 100e9 / 8.0 * 4096.0 / 4178.0;
        // The stock one comes out of slow start with 100 frames, four times what the link holds; of that alpha becomes large, and as windows without
        // marks are cut too, the window falls to half of what it needs and then rises by a frame a round trip.
        let is_stock = controller.is_stock_tcp();
        let least = if is_stock { 0.7 } else { 0.98 };
        assert!(sum > least * most, "{sum} of {most}");
        let area = |result: &RunResult| {
            let stages = result.stages.iter().filter(|of| of.stage != Stage::Nic);
            stages.map(|of| of.byte_ps).sum::<u128>()
        };
        let mean = (area(&second) - area(&first)) as f64 / 200e6;
        // All queues of the way; a frame or less in each but that which fills up to the threshold, 80 kB, where windows suffice for that.
        let least = if is_stock { 4_000.0 } else { 40_000.0 };
        assert!((least..105_000.0).contains(&mean), "{mean}");
        assert_eq!(repairs(&second), [0; 3]);
    }
}
