//! Recovery of what is lost, held to numbers computed by hand.

use spraysim::cc::{Controller, fixed_window};
use spraysim::scenario::{AckTurns, Failures, LinkFault, Scenario};
use spraysim::settings::{
    DupThreshold, Evict, LinkLoss, LossFrames, Queue, QueueKind, Rto, RtoKind, RtoScope, Transport,
    TransportKind, Trimming,
};
use spraysim::units::{Ratio, Span, Time};
use spraysim::workload::{Connection, Dependencies, FlowSpec, Message};

use super::bench::{flow, leftmost, paper};
use super::seen::{RecoverySeen, Seen};
use super::world::{simulate, simulate_waiting};

const SLOT: u64 = 41_780;
const ACK_SLOT: u64 = 840;
const DATA: u64 = 41_580;
const ACK: u64 = 640;
const LATENCY: u64 = 500_000;
/// Round trips at one edge, and between two edges of a pod.
const NEAR: u64 = 4 * LATENCY + 2 * (DATA + ACK);
const FAR: u64 = 8 * LATENCY + 4 * (DATA + ACK);
const RTO: u64 = 10_000_000;

const TRANSPORT: Transport = Transport {
    kind: TransportKind::SelectiveRepeat,
    handshake: false,
    ack_bytes_threshold: 0,
    counts_received_bytes: false,
    reorder_packets: 16_384,
    dup_threshold: None,
    rto: Rto {
        kind: RtoKind::Fixed(Some(Span(RTO))),
        backoff: 1,
        max: Span(10_000_000_000),
        scope: RtoScope::Oldest,
    },
    sleek: None,
    give_up_after: 100,
};

fn with(transport: Transport) -> Scenario {
    let mut scenario = paper(4);
    scenario.transport = Some(transport);
    scenario
}

fn with_rto(rto: Rto) -> Transport {
    Transport { rto, ..TRANSPORT }
}

fn fixed(us: u64, scope: RtoScope, backoff: u32) -> Rto {
    Rto {
        kind: RtoKind::Fixed(Some(Span(us * 1_000_000))),
        backoff,
        scope,
        ..TRANSPORT.rto
    }
}

/// The first link on the way from one edge to another loses what is on it at that instant.
fn blink(mut scenario: Scenario, at: u64) -> Scenario {
    scenario.fabric.failures = Some(Failures {
        links: vec![LinkFault {
            cable: 0,
            from: Time(at),
            until: Time(at + 1),
            slow_to: None,
        }],
        ..Failures::default()
    });
    scenario
}

fn run(scenario: &Scenario, flows: &[FlowSpec]) -> Seen {
    simulate(scenario, flows, 1, &leftmost())
}

fn lone(dst: u32, packets: u64) -> [FlowSpec; 1] {
    [flow(0, dst, packets, Time::ZERO)]
}

fn end(seen: &Seen, flow: usize) -> u64 {
    seen.flows[flow].end.expect("the flow finished").0
}

#[test]
fn where_nothing_is_lost_recovery_changes_nothing() {
    for kind in [TransportKind::SelectiveRepeat, TransportKind::GoBackN] {
        let scenario = with(Transport { kind, ..TRANSPORT });
        let (seen, plain) = (
            run(&scenario, &lone(15, 256)),
            run(&paper(4), &lone(15, 256)),
        );
        assert_eq!(seen.flows, plain.flows);
        assert_eq!(seen.links, plain.links);
        assert_eq!(seen.recovery, [RecoverySeen::default()]);
    }
}

#[test]
fn a_lost_packet_is_sent_again_when_its_timer_expires() {
    let seen = run(&blink(with(TRANSPORT), 560_000), &lone(2, 1));
    assert_eq!(end(&seen, 0), RTO + FAR);
    let recovery = RecoverySeen {
        retransmissions: 1,
        timeouts: 1,
        ..RecoverySeen::default()
    };
    assert_eq!(seen.recovery[0], recovery);
    assert_eq!(seen.flows[0].packets, 2);
    // What is sent again does not count.
    assert_eq!(seen.last_sent, Some(Time(DATA)));
    // Two of three are lost; the timer expires for each, or once for both.
    for (scope, timeouts) in [(RtoScope::Oldest, 2), (RtoScope::All, 1)] {
        let transport = with_rto(fixed(10, scope, 1));
        let seen = run(&blink(with(transport), 600_000), &lone(2, 3));
        assert_eq!(end(&seen, 0), RTO + SLOT + FAR, "{scope:?}");
        assert_eq!(seen.recovery[0].timeouts, timeouts);
        assert_eq!(seen.recovery[0].retransmissions, 2);
    }
}

#[test]
fn a_timer_that_has_backed_off_is_itself_again_when_something_is_acknowledged() {
    // The first of two lost packets is back at RTO + FAR; until then the timer of the second is 20 us; then it has expired long since.
    let transport = with_rto(fixed(10, RtoScope::Oldest, 2));
    let seen = run(&blink(with(transport), 600_000), &lone(2, 3));
    assert_eq!(end(&seen, 0), RTO + 2 * FAR);
    assert_eq!(seen.recovery[0].timeouts, 2);
}

#[test]
fn a_connection_gives_up_after_so_many_timeouts_in_a_row() {
    let mut scenario = with(Transport {
        give_up_after: 3,
        ..with_rto(fixed(10, RtoScope::Oldest, 2))
    });
    scenario.fabric.losses.links = vec![LinkLoss {
        link: None,
        member: None,
        probability: Ratio::ONE,
        frames: LossFrames::Data,
    }];
    let seen = run(&scenario, &lone(2, 1));
    assert_eq!((seen.flows[0].end, seen.flows[0].packets), (None, 3));
    assert_eq!(seen.recovery[0].timeouts, 3);
    assert!(seen.ran_dry);
    // Sent at 0, 10 and 30 us.
    assert_eq!(seen.last_sent, Some(Time(DATA)));
    assert_eq!(seen.ended, Time(3 * RTO + LATENCY + 2 * DATA));
}

#[test]
fn a_hasty_timer_sends_what_has_arrived() {
    // 1 us: sent at 0, 1 and 2 us; the first ACK is back at 2.08 us.
    let seen = run(&with(with_rto(fixed(1, RtoScope::Oldest, 1))), &lone(1, 1));
    assert_eq!(end(&seen, 0), NEAR);
    let recovery = RecoverySeen {
        retransmissions: 2,
        timeouts: 2,
        spurious: 2,
        ..RecoverySeen::default()
    };
    assert_eq!(seen.recovery[0], recovery);
    assert_eq!((seen.delivered_packets, seen.data_packets), (1, 3));
    assert_eq!(seen.ack_packets, 3, "a duplicate is acknowledged");
    assert_eq!(seen.flows[0].max_reordering, 0);
}

#[test]
fn a_trimmed_packet_is_sent_again_when_its_nack_is_back() {
    let mut scenario = with(TRANSPORT);
    scenario.fabric.queue = Queue {
        kind: QueueKind::Trimming(Trimming {
            trim_bytes: Some(64),
            header_buffer_bytes: None,
            evict: Evict::Arriving,
        }),
        ..Queue::PLAIN
    };
    let frame = Some(4_158);
    scenario
        .fabric
        .each_tier(|tier| (tier.down_buffer_bytes, tier.up_buffer_bytes) = (frame, frame));
    let flows = [(0, 2), (1, 3)].map(|(src, dst)| flow(src, dst, 1, Time::ZERO));
    let seen = run(&scenario, &flows);
    // Host 1's packet comes second to the uplink; its header, on three links, goes first.
    let nack_at = (LATENCY + DATA) + 3 * (LATENCY + ACK) + 4 * (LATENCY + ACK);
    assert_eq!(end(&seen, 1), nack_at + FAR);
    assert_eq!(end(&seen, 0), ACK_SLOT + FAR);
    let recovery = RecoverySeen {
        retransmissions: 1,
        nacks: 1,
        ..RecoverySeen::default()
    };
    assert_eq!(seen.recovery, [RecoverySeen::default(), recovery]);
}

#[test]
fn acks_are_coalesced_by_bytes() {
    // 4 frames reach 16,384 bytes. An ACK each for the first packet, the 4th after it, the 4th after that, and the last, which asks.
    let coalesced = Transport {
        ack_bytes_threshold: 16_384,
        counts_received_bytes: false,
        ..TRANSPORT
    };
    let mut scenario = with(coalesced);
    let seen = run(&scenario, &lone(1, 10));
    assert_eq!(seen.ack_packets, 4);
    assert_eq!(end(&seen, 0), 9 * SLOT + NEAR);
    let near = Some((4, u128::from(4 * NEAR), Span(NEAR), Span(NEAR)));
    let answers = &seen.answers[0];
    assert_eq!((answers.acks, answers.marked, answers.rtts), (4, 0, near));
    // Marked packets are acknowledged one by one.
    scenario.fabric.ecn_threshold_bytes = Some(0);
    let seen = run(&scenario, &lone(1, 10));
    assert_eq!(seen.ack_packets, 10);
    assert_eq!((seen.answers[0].acks, seen.answers[0].marked), (10, 10));
    // Packet 0 of 5 is lost. ACKs answer packet 1, as the first that arrives, and 4, which asks: so that the bitmap of this one begins
    // with it, and the sender does not hear of 2 and 3. These are sent again after 0, before an ACK of 0 can tell it.
    let seen = run(&blink(with(coalesced), 560_000), &lone(2, 5));
    assert_eq!((seen.ack_packets, seen.recovery[0].timeouts), (5, 3));
    assert_eq!(seen.recovery[0].spurious, 2);
    assert_eq!(end(&seen, 0), RTO + FAR);
}

#[test]
fn a_window_is_what_may_be_in_flight() {
    let with_window = |bdp: (u64, u64), bytes: Option<u64>| {
        let mut scenario = with(TRANSPORT);
        let bdp = Ratio {
            num: bdp.0,
            den: bdp.1,
        };
        let params = fixed_window::Params { bdp, bytes };
        scenario.congestion_control.controller = Controller::FixedWindow(params);
        scenario
    };
    let two = with_window((1, 1), Some(2 * 4_158));
    // Sent at 0 and S, at R and R + S, at 2 R.
    let seen = run(&two, &lone(1, 5));
    assert_eq!(end(&seen, 0), 3 * NEAR);
    assert_eq!(seen.answers[0].window, Some((8_316, Span(3 * NEAR))));
    // 625,332 bytes are the longest round trip's: 2 frames are 1.33 hundredths.
    let some = run(&with_window((133, 10_000), None), &lone(1, 5));
    assert_eq!(end(&some, 0), 3 * NEAR);
    let fewer = run(&with_window((132, 10_000), None), &lone(1, 5));
    assert_eq!(end(&fewer, 0), 5 * NEAR);
    // Less than a frame lets nothing go.
    let none = run(&with_window((1, 1), Some(4_157)), &lone(1, 5));
    assert_eq!((none.flows[0].start, none.data_packets), (None, 0));
    assert_eq!(none.answers[0].window, None);
}

#[test]
fn a_full_window_asks_for_an_ack() {
    // With room for 6 frames and ACKs each 16,384 bytes: ACKs answer packet 0, packet 4 by bytes, and packet 5, which fills the window.
    let mut scenario = with(Transport {
        ack_bytes_threshold: 16_384,
        counts_received_bytes: false,
        ..TRANSPORT
    });
    scenario.congestion_control.controller = Controller::FixedWindow(fixed_window::Params {
        bdp: Ratio::ONE,
        bytes: Some(6 * 4_158),
    });
    let seen = run(&scenario, &lone(1, 6));
    assert_eq!(seen.ack_packets, 3);
    let seen = run(&scenario, &lone(1, 12));
    // Packet 6 goes at R; 7 at R + 4 S, when the ACK of 4 is back; then the window is open: 8 to 11 go up to R + 8 S.
    assert_eq!(end(&seen, 0), NEAR + 8 * SLOT + NEAR);
}

#[test]
fn packets_that_later_ones_overtake_are_lost_at_the_threshold() {
    let transport = Transport {
        dup_threshold: Some(DupThreshold::Packets(3)),
        ..TRANSPORT
    };
    let seen = run(&blink(with(transport), 560_000), &lone(2, 4));
    assert_eq!(end(&seen, 0), 3 * SLOT + 2 * FAR);
    assert_eq!(seen.recovery[0].timeouts, 0);
    assert_eq!(seen.flows[0].max_reordering, 3);
    let seen = run(&blink(with(transport), 560_000), &lone(2, 3));
    assert_eq!(end(&seen, 0), RTO + FAR, "too few to tell");
}

#[test]
fn go_back_n_repeats_all_from_the_gap_on() {
    let transport = Transport {
        kind: TransportKind::GoBackN,
        ..TRANSPORT
    };
    let seen = run(&blink(with(transport), 560_000), &lone(2, 4));
    // The second packet's NACK is back a slot after the first packet's ACK would have been.
    assert_eq!(end(&seen, 0), SLOT + FAR + 3 * SLOT + FAR);
    let recovery = RecoverySeen {
        retransmissions: 4,
        nacks: 1,
        discarded: 3,
        ..RecoverySeen::default()
    };
    assert_eq!(seen.recovery[0], recovery);
    assert_eq!(seen.flows[0].max_reordering, 0);
}

#[test]
fn a_receiver_discards_what_is_beyond_its_reorder_buffer() {
    // It keeps 2 packets from the lowest missing one on, so one beside the missing one: the others must come again.
    let transport = Transport {
        reorder_packets: 2,
        ..TRANSPORT
    };
    let seen = run(&blink(with(transport), 560_000), &lone(2, 4));
    let recovery = RecoverySeen {
        retransmissions: 3,
        timeouts: 3,
        discarded: 2,
        ..RecoverySeen::default()
    };
    assert_eq!(seen.recovery[0], recovery);
    assert_eq!(end(&seen, 0), RTO + 3 * SLOT + FAR);
}

#[test]
fn so_many_acks_go_for_each_data_frame() {
    // As for round robin: three short packets come to host 0 while it sends its 25th data packet.
    let soon = Time(10_000);
    let short = FlowSpec {
        bytes: 1,
        ..flow(1, 0, 1, soon)
    };
    let flows = [
        flow(0, 2, 40, Time::ZERO),
        short.clone(),
        short.clone(),
        short,
    ];
    let mut scenario = paper(4);
    for turns in [AckTurns::Class, AckTurns::Flow] {
        scenario.nic.ack_turns = turns;
        for (acks, data_between) in [(2, 1), (3, 0), (10, 0)] {
            scenario.nic.control_per_data = acks;
            let seen = run(&scenario, &flows);
            let third = 25 * SLOT + 2 * ACK_SLOT + data_between * SLOT;
            assert_eq!(end(&seen, 3), third + 2 * (LATENCY + ACK), "{turns:?}");
        }
    }
}

#[test]
fn messages_of_a_connection_share_its_numbers_and_are_counted_apart() {
    let flows = [flow(0, 2, 1, Time::ZERO), flow(0, 2, 2, Time::ZERO)];
    let messages = [0, 1].map(|flow| Message {
        flow,
        number: flow.into(),
    });
    let dependencies = Dependencies {
        connections: vec![Connection {
            messages: messages.to_vec(),
        }],
        ..Dependencies::default()
    };
    // Packets 0 and 1, the first of either message, are lost.
    let scenario = blink(with(TRANSPORT), 600_000);
    let seen = simulate_waiting(&scenario, (&flows, &dependencies), 1, &leftmost());
    assert_eq!(
        [end(&seen, 0), end(&seen, 1)],
        [RTO + FAR, RTO + SLOT + FAR]
    );
    let again = seen
        .recovery
        .iter()
        .map(|r| (r.retransmissions, r.timeouts));
    assert_eq!(again.collect::<Vec<_>>(), [(1, 1), (1, 1)]);
    assert_eq!([seen.flows[0].packets, seen.flows[1].packets], [2, 3]);
    // ACKs of packets that were sent twice answer the second sending, and say so.
    let far = |acks: u64| {
        let sum = u128::from(acks * FAR);
        (acks, Some((acks, sum, Span(FAR), Span(FAR))))
    };
    let told = seen.answers.iter().map(|a| (a.acks, a.rtts));
    assert_eq!(told.collect::<Vec<_>>(), [far(1), far(2)]);
}
