//! Windows that adapt: they let a lone flow run, share a receiver without long queues, and lose nothing.

use super::recovery::{TRANSPORT, completes, with_window};
use super::setup::*;
use spraysim::cc::{Controller, mnscc, nscc};
use spraysim::scenario::Scenario;
use spraysim::settings::{Evict, QueueKind, Trimming};
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
