//! Senders that recover: every flow completes exactly once, whatever is lost; windows and timeouts to the picosecond.

use super::setup::*;
use spraysim::cc::{Controller, fixed_window};
use spraysim::scenario::Scenario;
use spraysim::settings::{
    DupThreshold, Erasure, Rto, RtoKind, RtoScope, Sleek, Transport, TransportKind,
};
use spraysim::sim::{self, Engine, Progress, RunOptions, RunResult, Stage};
use spraysim::units::{Ratio, Span, Time};
use spraysim::workload::FlowSpec;

/// Selective repeat with an ACK a packet and a fixed timeout.
pub(super) const TRANSPORT: Transport = Transport::SELECTIVE_REPEAT;

/// The RTT of a full frame and its ACK between pods of the paper's fabric.
const RTT: u64 = 6_253_320;

pub(super) fn with_window(mut scenario: Scenario, bytes: u64) -> Scenario {
    scenario.transport.get_or_insert(TRANSPORT);
    scenario.congestion_control.controller = Controller::FixedWindow(fixed_window::Params {
        bdp: Ratio { num: 3, den: 2 },
        bytes: Some(bytes),
    });
    scenario
}

/// A random way to recover.
fn transport(dice: &mut Dice) -> Transport {
    let kind = dice.one(&[
        TransportKind::SelectiveRepeat,
        TransportKind::SelectiveRepeat,
        TransportKind::GoBackN,
        TransportKind::Erasure(Erasure {
            extra_packets: 0,
            resume: true,
        }),
        TransportKind::Erasure(Erasure {
            extra_packets: 3,
            resume: true,
        }),
    ]);
    let fixed = RtoKind::Fixed(Some(Span::from_ns(dice.one(&[8_000, 30_000, 100_000]))));
    let estimated = RtoKind::Estimated {
        initial: Span::from_ns(50_000),
        min: Span::from_ns(dice.one(&[2_000, 10_000])),
    };
    let sleek = Sleek {
        min_packets: 5,
        window_pct: 150,
        probe_rtts: 3,
        probe_retry_rtts: 5,
        target: None,
    };
    Transport {
        kind,
        handshake: false,
        ack_bytes_threshold: dice.one(&[0, 0, 4_158, 16_384]),
        counts_received_bytes: dice.below(3) == 0,
        reorder_packets: dice.one(&[16_384, 64, 8]),
        dup_threshold: dice.one(&[
            None,
            None,
            Some(DupThreshold::Packets(3)),
            Some(DupThreshold::Packets(40)),
        ]),
        rto: Rto {
            kind: dice.one(&[fixed, fixed, estimated]),
            backoff: dice.one(&[1, 2]),
            max: Span::from_ns(1_000_000),
            scope: dice.one(&[RtoScope::Oldest, RtoScope::All]),
        },
        sleek: (dice.below(4) == 0).then_some(sleek),
        give_up_after: 1_000,
    }
}

/// A random small scenario that loses packets in its buffers.
pub(super) fn lossy(dice: &mut Dice, schemes: &[&'static str]) -> Scenario {
    let (levels, k) = dice.one(&[(3, 2), (3, 4), (2, 4), (2, 6)]);
    let mut scenario = paper(levels, k, dice.one(schemes));
    let packets = dice.one(&[1, 2, 5, 200]);
    // Room for so many full frames.
    let buffer = Some(packets * 4_158);
    scenario
        .fabric
        .each_tier(|tier| (tier.down_buffer_bytes, tier.up_buffer_bytes) = (buffer, buffer));
    let recovers = transport(dice);
    scenario.transport = Some(recovers);
    // Erasure-coded senders that go on at line rate can keep each other's ACKs out of small buffers for ever.
    if packets < 200 && matches!(recovers.kind, TransportKind::Erasure(_)) {
        return with_window(scenario, dice.one(&[4_158, 20_000]));
    }
    match dice.below(3) {
        0 => scenario,
        _ => with_window(scenario, dice.one(&[4_158, 20_000, 600_000])),
    }
}

/// One to three flows a host, of up to 40 packets, some of them to one receiver.
pub(super) fn flows(scenario: &Scenario, dice: &mut Dice) -> Vec<FlowSpec> {
    let hosts = u64::from(tree(scenario).hosts());
    let incast = dice.below(3) == 0;
    (0..1 + dice.below(2 * hosts))
        .map(|_| {
            let src = dice.below(hosts);
            let to_0 = incast && src > 0;
            let away = if to_0 {
                hosts - src
            } else {
                1 + dice.below(hosts - 1)
            };
            let bytes = 1 + dice.below(40 * PAYLOAD);
            flow(src as u32, ((src + away) % hosts) as u32, bytes)
        })
        .collect()
}

/// Every flow completes exactly once: all bytes, each counted once, and nothing is unaccounted for.
pub(super) fn completes(scenario: &Scenario, result: &RunResult, case: u64) {
    let coded = matches!(
        scenario.transport.map(|transport| transport.kind),
        Some(TransportKind::Erasure(_))
    );
    for flow in &result.flows {
        let spec = &flow.spec;
        let transport = scenario.transport;
        assert!(
            flow.end.is_some(),
            "case {case}: {flow:?} does not finish: {transport:?}"
        );
        assert!(flow.end > flow.start);
        let packets = spec.bytes.div_ceil(PAYLOAD);
        let unsplit = scenario.load_balancing.name != "ethereal";
        if !coded && unsplit {
            assert_eq!(flow.packets - flow.retransmissions, packets, "case {case}");
        }
    }
    let bytes: u64 = result.flows.iter().map(|flow| flow.spec.bytes).sum();
    if coded {
        assert!(result.delivered_packets > 0);
    } else {
        assert_eq!(result.delivered_bytes, bytes, "case {case}");
    }
    let sent: u64 = result.flows.iter().map(|flow| flow.packets).sum();
    assert_eq!(sent, result.data_packets, "case {case}");
    assert!(result.ran_dry);
}

#[test]
fn whatever_buffers_lose_every_flow_completes_exactly_once() {
    let mut retransmitted = 0;
    for case in 0..1_000 {
        let mut dice = Dice::new(9_000 + case);
        let mut scenario = lossy(&mut dice, &ALL);
        if scenario.load_balancing.name == "ethereal"
            && matches!(scenario.transport, Some(t) if matches!(t.kind, TransportKind::Erasure(_)))
        {
            scenario.transport = Some(TRANSPORT);
        }
        let flows = flows(&scenario, &mut dice);
        scenario.horizon = None;
        let result = run_flows(&scenario, flows, case);
        completes(&scenario, &result, case);
        retransmitted += u32::from(result.flows.iter().any(|flow| flow.retransmissions > 0));
    }
    assert!(retransmitted > 100, "{retransmitted}");
}

#[test]
fn engines_and_threads_do_not_show_where_senders_recover() {
    for case in 0..60 {
        let mut dice = Dice::new(77_000 + case);
        let scenario = lossy(&mut dice, &["reps", "drb", "jsq", "ofan"]);
        let flows = flows(&scenario, &mut dice);
        let run = |engine, threads| {
            let options = RunOptions {
                record_paths: true,
                trace: Some(0),
                ..RunOptions::new(engine, threads)
            };
            sim::run_flows(
                &scenario,
                flows.clone(),
                case,
                options,
                &Progress::default(),
            )
            .0
        };
        let reference = run(Engine::Heap, 1);
        for threads in 1..4 {
            assert_eq!(reference, run(Engine::Windowed, threads), "case {case}");
        }
    }
}

#[test]
fn a_lone_flow_takes_a_window_a_round_trip() {
    for window in [1, 2, 10, 100, 149] {
        let scenario = with_window(paper(3, 4, "ofan").at_once(), window * 4_158);
        let result = run_flows(&scenario, vec![flow(0, 15, 256 * PAYLOAD)], 1);
        // Packet i leaves in round i / W, so many round trips after the first; within one, slots follow each other.
        let (round, place) = (255 / window, 255 % window);
        assert_eq!(fct(&result), round * RTT + place * SLOT + RTT, "{window}");
        assert_eq!(result.flows[0].retransmissions, 0);
    }
}

#[test]
fn a_window_of_a_bandwidth_delay_product_is_as_fast_as_none() {
    let free = run_flows(
        &paper(3, 4, "ofan").at_once(),
        vec![flow(0, 15, 1 << 20)],
        1,
    );
    let held = with_window(paper(3, 4, "ofan").at_once(), 151 * 4_158);
    let held = run_flows(&held, vec![flow(0, 15, 1 << 20)], 1);
    assert_eq!(fct(&held), fct(&free));
}

#[test]
fn a_window_below_a_frame_sends_nothing_and_the_run_ends() {
    let scenario = with_window(paper(3, 4, "ofan"), 4_157);
    let result = run_flows(&scenario, vec![flow(0, 15, 1 << 20)], 1);
    assert_eq!((result.data_packets, result.flows[0].end), (0, None));
    assert!(result.ran_dry);
}

#[test]
fn without_loss_a_transport_changes_no_instant_of_an_open_loop() {
    for &scheme in ALL.iter() {
        let open = paper(3, 4, scheme).permutation(200_000, false);
        let mut held = open.clone();
        held.transport = Some(TRANSPORT);
        let (open, mut held) = (run(&open, 3), run(&held, 3));
        assert_eq!(open.links, held.links, "{scheme}");
        for (open, held) in open.flows.iter().zip(&mut held.flows) {
            // An ACK that overtakes others says what they will say, so the last news may come earlier.
            assert!(held.end <= open.end, "{scheme}");
            held.end = open.end;
            // Only a transport measures RTTs.
            assert!(held.rtts.take().is_some(), "{scheme}");
            assert_eq!(open, held, "{scheme}");
        }
    }
}

#[test]
fn a_lost_tail_comes_back_one_timeout_after_it_was_sent() {
    // Two senders to one receiver through buffers of one frame: frames that meet another are dropped.
    let mut scenario = paper(3, 4, "ofan").at_once();
    let buffer = Some(4_158);
    scenario
        .fabric
        .each_tier(|tier| (tier.down_buffer_bytes, tier.up_buffer_bytes) = (buffer, buffer));
    let rto = Span::from_ns(20_000);
    scenario.transport = Some(Transport {
        rto: Rto {
            kind: RtoKind::Fixed(Some(rto)),
            ..TRANSPORT.rto
        },
        ..TRANSPORT
    });
    let flows = vec![flow(4, 15, PAYLOAD), flow(8, 15, PAYLOAD)];
    let result = run_flows(&scenario, flows, 1);
    let ends: Vec<_> = result.flows.iter().map(|flow| flow.end).collect();
    // One gets through at once; the other is sent again a timeout after its first bit, and is alone then.
    let alone = Time(RTT);
    assert!(ends.contains(&Some(alone)), "{ends:?}");
    assert!(ends.contains(&Some(alone + rto)), "{ends:?}");
    let dropped: u64 = result.links.iter().map(|link| link.dropped_packets).sum();
    assert_eq!(dropped, 1);
    assert_eq!(result.data_packets, 3);
    assert_eq!(packets(&result, Stage::Nic), 5);
}

fn packets(result: &RunResult, stage: Stage) -> u64 {
    let links = result.links.iter().filter(|link| link.stage == stage);
    links.map(|link| link.packets).sum()
}
