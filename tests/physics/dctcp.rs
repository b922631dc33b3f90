//! DCTCP: a lone flow runs, and packets that overtake one another are taken for lost ones.

use super::recovery::{TRANSPORT, with_window};
use super::setup::*;
use spraysim::cc::{Controller, dctcp};
use spraysim::scenario::Scenario;
use spraysim::settings::{DupThreshold, Transport};
use spraysim::units::Ratio;

/// DCTCP with a first window of `num` / 4 bandwidth-delay products and htsim's threshold over several paths.
fn with_dctcp(mut scenario: Scenario, num: u64) -> Scenario {
    scenario.transport = Some(Transport {
        dup_threshold: Some(DupThreshold::PathsPlus(3)),
        ..TRANSPORT
    });
    scenario.congestion_control.controller = Controller::Dctcp(dctcp::Params {
        initial_window_bdp: Ratio { num, den: 4 },
        ..dctcp::Params::default()
    });
    scenario
}

#[test]
fn a_lone_flow_is_as_fast_as_with_a_fixed_window() {
    let flows = || vec![flow(0, 15, 4 << 20)];
    let fixed = run_flows(&with_window(paper(3, 4, "ofan"), 937_998), flows(), 1);
    let adaptive = run_flows(&with_dctcp(paper(3, 4, "ofan"), 6), flows(), 1);
    assert_eq!(fct(&adaptive), fct(&fixed));
}

#[test]
fn reordering_beyond_the_paths_costs_windows_that_order_does_not() {
    let increase = |scheme: &str| {
        let mut scenario = with_dctcp(paper(3, 12, scheme), 5).permutation(4 << 20, false);
        scenario.fabric.each_tier(|tier| {
            (tier.down_buffer_bytes, tier.up_buffer_bytes) = (Some(800_000), Some(800_000));
        });
        let result = run(&scenario, 1);
        let again: u64 = result.flows.iter().map(|flow| flow.retransmissions).sum();
        let spurious = result
            .flows
            .iter()
            .map(|flow| flow.spurious_retransmissions);
        assert_eq!(again, spurious.sum::<u64>(), "nothing was lost");
        // Appendix A's bound for 1,024 packets.
        (cct(&result) as f64 / 49_789_100.0, again)
    };
    let (ofan, repeated) = increase("ofan");
    assert!(ofan < 1.02 && repeated == 0, "{ofan}");
    // The paper has three to four times the bound (figure 12); halved windows take long to come back.
    let (reps, repeated) = increase("reps");
    assert!(reps > 1.5 && repeated > 0, "{reps}");
}
