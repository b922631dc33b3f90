//! Windows that adapt: they let a lone flow run, share a receiver without long queues, and lose nothing.

use super::lossless::PFC;
use super::recovery::{TRANSPORT, completes, with_window};
use super::setup::*;
use spraysim::cc::{Controller, mnscc, nscc};
use spraysim::scenario::Scenario;
use spraysim::settings::{Evict, QueueKind, Transport, TransportKind, Trimming};
use spraysim::sim::RunResult;
use spraysim::units::Span;

/// 1.5 bandwidth-delay products of the paper's fabric.
const MOST: u64 = 937_998;

fn with(mut scenario: Scenario, controller: Controller) -> Scenario {
    scenario.transport.get_or_insert(TRANSPORT);
    scenario.congestion_control.controller = controller;
    scenario
}

/// NSCC and MNSCC with this target.
fn both(target: Option<Span>) -> [Controller; 2] {
    let nscc = nscc::Params {
        target,
        ..nscc::Params::default()
    };
    [
        Controller::Nscc(nscc),
        Controller::Mnscc(mnscc::Params {
            nscc,
            ..mnscc::Params::default()
        }),
    ]
}

#[test]
fn a_lone_flow_is_as_fast_as_with_the_largest_window() {
    let flows = || vec![flow(0, 15, 4 << 20)];
    let fixed = with_window(paper(3, 4, "rps"), MOST);
    let expected = fct(&run_flows(&fixed, flows(), 1));
    for controller in both(None) {
        let scenario = with(paper(3, 4, "rps"), controller);
        assert_eq!(fct(&run_flows(&scenario, flows(), 1)), expected);
    }
}

/// Seven hosts send 2 MiB to one.
fn incast(scenario: &Scenario) -> RunResult {
    let flows: Vec<_> = (1..8).map(|src| flow(src + 8, 0, 2 << 20)).collect();
    let result = run_flows(scenario, flows, 1);
    completes(scenario, &result, 0);
    result
}

#[test]
fn an_incast_has_shorter_queues_and_its_receiver_is_seldom_idle() {
    let fixed = incast(&with_window(paper(3, 4, "rps"), MOST));
    for controller in both(Some(Span::from_ns(1_000))) {
        let adaptive = incast(&with(paper(3, 4, "rps"), controller));
        let mean = |result: &RunResult| queue_mean(result, |_| true);
        assert!(mean(&adaptive) < mean(&fixed) / 2.0);
        // The average delay falls more slowly than the queue, so that windows fall too far: some of the link is lost, not most.
        assert!(cct(&adaptive) < cct(&fixed) * 3 / 2);
    }
}

#[test]
fn small_buffers_that_drop_or_trim_lose_no_flow() {
    let trimming = |trim_bytes| {
        QueueKind::Trimming(Trimming {
            trim_bytes,
            header_buffer_bytes: None,
            evict: Evict::Arriving,
        })
    };
    for kind in [QueueKind::Fifo, trimming(Some(64)), trimming(None)] {
        for controller in both(None) {
            let mut scenario = with(paper(3, 4, "rps"), controller);
            let buffer = Some(20 * 4158);
            scenario.fabric.each_tier(|tier| {
                (tier.down_buffer_bytes, tier.up_buffer_bytes) = (buffer, buffer);
            });
            scenario.fabric.queue.kind = kind;
            let result = incast(&scenario);
            let again: u64 = result.flows.iter().map(|flow| flow.retransmissions).sum();
            assert!(again > 0, "some were lost");
        }
    }
}

/// The fraction of the time between the first arrival and the last in which the receiver's link brings new payload, at least: the nearest sender's
/// first packet and last ACK take longest off the completion time.
fn taken_in(result: &RunResult, packets: u64) -> f64 {
    let (first_arrival, ack_back) = (2 * (500_000 + 41_580), 2 * (500_000 + 640));
    let between = cct(result) - first_arrival - ack_back + 41_580;
    (packets * 41_780) as f64 / between as f64
}

#[test]
fn the_receiver_of_a_large_incast_is_hardly_idle_on_ports_that_trim_or_pause() {
    let trimming = QueueKind::Trimming(Trimming {
        trim_bytes: Some(64),
        header_buffer_bytes: None,
        evict: Evict::Arriving,
    });
    for senders in [64, 431] {
        for (kind, least) in [
            (QueueKind::Fifo, None),
            (trimming, Some(0.95)),
            (QueueKind::Lossless(PFC), Some(0.95)),
        ] {
            let nscc = Controller::Nscc(nscc::Params::default());
            let mut scenario = with(paper(3, 12, "rps"), nscc);
            scenario.fabric.each_tier(|tier| {
                (tier.down_buffer_bytes, tier.up_buffer_bytes) = (Some(800_000), Some(800_000));
            });
            scenario.fabric.queue.kind = kind;
            let flows: Vec<_> = (1..=senders).map(|src| flow(src, 0, 1 << 20)).collect();
            let result = run_flows(&scenario, flows, 1);
            completes(&scenario, &result, 0);
            let taken = taken_in(&result, u64::from(senders) * 256);
            assert!(
                least.is_none_or(|least| taken >= least),
                "{taken}, {kind:?}"
            );
        }
    }
}

#[test]
fn a_permutation_of_1024_hosts_completes_on_all_ports() {
    let trimming = QueueKind::Trimming(Trimming {
        trim_bytes: Some(64),
        header_buffer_bytes: None,
        evict: Evict::Coin,
    });
    for kind in [QueueKind::Fifo, trimming, QueueKind::Lossless(PFC)] {
        let nscc = Controller::Nscc(nscc::Params::default());
        let mut scenario = with(paper(3, 16, "reps"), nscc).permutation(4 << 20, false);
        scenario.fabric.each_tier(|tier| {
            (tier.down_buffer_bytes, tier.up_buffer_bytes) = (Some(800_000), Some(800_000));
        });
        scenario.fabric.queue.kind = kind;
        let result = run(&scenario, 1);
        completes(&scenario, &result, 0);
        // Appendix A's bound for 1,024 packets is 49.79 us; random scatter costs less than half a BDP beside it.
        assert!(cct(&result) >= 49_789_100 && cct(&result) < 49_789_100 * 5 / 4);
    }
}

#[test]
fn a_sender_that_goes_back_and_counts_received_bytes_is_never_stuck_by_acks_that_were_not_sent() {
    // Four senders, windows of one frame at first, NACKs in place of the ACKs that a receiver does not owe yet.
    for seed in 0..20 {
        let nscc = nscc::Params {
            initial_window_packets: Some(1),
            ..nscc::Params::default()
        };
        let mut scenario = with(paper(3, 4, "rps"), Controller::Nscc(nscc));
        scenario.transport = Some(Transport {
            kind: TransportKind::GoBackN,
            ack_bytes_threshold: 16_384,
            counts_received_bytes: true,
            ..TRANSPORT
        });
        let flows: Vec<_> = (0..4).map(|src| flow(src, 15, 100 * PAYLOAD)).collect();
        completes(&scenario, &run_flows(&scenario, flows, seed), seed);
    }
}
