//! Pacing: at load rho packet i leaves its host at start + ceil(i T'_d / rho), exactly; jitter stays within its bounds.

use super::setup::*;
use spraysim::fields::Words as _;
use spraysim::scenario::{RhoMaxRule, Scenario, Shape};
use spraysim::sim::Stage;
use spraysim::units::{Ratio, Span};
use spraysim::workload::FlowSpec;

const LOADS: [(u64, u64); 7] = [
    (1, 1),
    (9, 10),
    (1, 2),
    (1, 3),
    (123, 1000),
    (999, 1000),
    (37, 100),
];

/// T'_d / rho x `packets`, rounded up to a whole picosecond.
fn due(packets: u64, (num, den): (u64, u64)) -> u64 {
    (u128::from(packets * SLOT) * u128::from(den)).div_ceil(num.into()) as u64
}

#[test]
fn the_last_of_m_packets_leaves_at_the_ceiling_of_m_less_one_slots_over_the_load() {
    // The m-th packet crosses an idle fabric (the next follows a slot later at the earliest), so the flow ends 3,249.48 ns after
    // it left, and its ACK is back after 6,253.32 ns. Trying every m tries every packet.
    for load in LOADS {
        for m in (1..40).chain([255, 256]) {
            for scheme in ["ecmp", "ofan", "drb", "rps"] {
                let scenario = paper(3, 4, scheme).load(load.0, load.1);
                let flows = vec![flow(0, 15, m * PAYLOAD)];
                let acked = fct(&run_flows(&scenario, flows.clone(), m));
                assert_eq!(
                    acked,
                    due(m - 1, load) + 6_253_320,
                    "{scheme}, m = {m}, load {load:?}"
                );
                let arrived = fct(&run_flows(&scenario.quiet(), flows, m));
                assert_eq!(
                    arrived,
                    due(m - 1, load) + 3_249_480,
                    "{scheme}, m = {m}, load {load:?}"
                );
            }
        }
    }
}

#[test]
fn pacing_jitter_delays_the_last_packet_by_less_than_its_share_of_a_slot() {
    // Packet i is due at ceil(i T'_d / rho) + jitter, and behind a late one no later than J after its own time, since packets
    // need no more than a slot each.
    for load in LOADS {
        for (percent, m) in [(1, 1), (1, 200), (50, 33), (100, 1), (100, 200)] {
            let mut scenario = paper(3, 4, "ofan").load(load.0, load.1).at_once().quiet();
            scenario.workload.pacing_jitter_pct = Ratio {
                num: percent,
                den: 1,
            };
            let most = SLOT * percent * load.1 / (100 * load.0);
            for seed in 0..20 {
                let result = run_flows(&scenario, vec![flow(0, 15, m * PAYLOAD)], seed);
                let end = result.last_finish.expect("it finishes").0;
                let exact = due(m - 1, load) + 3_249_480;
                assert!(
                    (exact..=exact + most).contains(&end),
                    "{percent} %, m = {m}, load {load:?}: {end}"
                );
            }
        }
    }
}

#[test]
fn pacing_jitter_is_uniform() {
    // The only packet of a flow leaves at its jitter: mean J / 2, deviation J / sqrt(12). 400 seeds: five sigma are 7.2 % of J.
    let mut scenario = paper(3, 2, "ofan").at_once();
    scenario.workload.pacing_jitter_pct = Ratio { num: 80, den: 1 };
    let starts: Vec<f64> = (0..400)
        .map(|seed| {
            run_flows(&scenario, vec![flow(0, 1, 1)], seed)
                .first_bit
                .expect("sent")
                .0 as f64
        })
        .collect();
    let share = mean(&starts) / (0.8 * SLOT as f64);
    assert!((share - 0.5).abs() < 0.072, "{share}");
    assert!(starts.iter().all(|&start| start <= 0.8 * SLOT as f64));
    let squares: Vec<f64> = starts
        .iter()
        .map(|start| (start / (0.8 * SLOT as f64)).powi(2))
        .collect();
    // Mean square 1/3, its deviation 0.3 / sqrt(400) = 0.015.
    assert!(
        (mean(&squares) - 1.0 / 3.0).abs() < 0.075,
        "{}",
        mean(&squares)
    );
}

#[test]
fn hosts_start_within_one_slot_unless_told_to_start_at_once() {
    for (scenario, most) in [
        (paper(3, 6, "ofan"), SLOT - 1),
        (paper(3, 6, "ofan").at_once(), 0),
    ] {
        let scenario = scenario.permutation(PAYLOAD, false);
        for seed in 0..10 {
            let result = run(&scenario, seed);
            assert!(
                result
                    .flows
                    .iter()
                    .all(|flow| flow.start.expect("sent").0 <= most)
            );
        }
    }
}

#[test]
fn two_flows_of_a_host_share_its_pace() {
    // Two flows of m packets leave in turns as one of 2 m; the second ends last, with the packet 2 m - 1.
    for load in LOADS {
        let scenario = paper(3, 4, "ecmp").load(load.0, load.1).quiet();
        let result = run_flows(
            &scenario,
            vec![flow(0, 15, 20 * PAYLOAD), flow(0, 14, 20 * PAYLOAD)],
            2,
        );
        assert_eq!(cct(&result), due(39, load) + 3_249_480, "load {load:?}");
        let gap = result.flows[1].start.expect("sent") - result.flows[0].start.expect("sent");
        assert_eq!(gap, Span(due(1, load)));
    }
}

/// Leaves of eight hosts and two spines, all links alike: 4 : 1. Every host sends 1 MiB to its place on the next leaf.
fn oversubscribed(rule: RhoMaxRule) -> (Scenario, Vec<FlowSpec>) {
    let mut scenario = paper(2, 4, "ofan").at_once().quiet();
    scenario.fabric.shape = Shape {
        hosts_per_edge: 8,
        ..Shape::fat_tree(2, 4)
    };
    scenario.congestion_control.rho_max = rule;
    let next = |host| flow(host, (host + 8) % 32, 256 * PAYLOAD);
    (scenario, (0..32).map(next).collect())
}

#[test]
fn hosts_of_an_oversubscribed_fabric_send_at_rho_max_and_queues_stay_short() {
    use RhoMaxRule::{HopEqual, Lp, PathEqual};
    for (rule, (num, den)) in [(PathEqual, (1, 1)), (HopEqual, (1, 1)), (Lp, (1, 2))] {
        let (scenario, flows) = oversubscribed(rule);
        let result = run_flows(&scenario.load(num, den), flows, 1);
        assert_eq!(result.rho_max, Ratio { num: 1, den: 4 });
        // Packet 255 is due at 255 slots over load x rho_max; on an idle NIC it leaves when it is due.
        let last = due(255, (num, 4 * den)) + DATA;
        assert_eq!(result.last_sent.expect("all sent").0, last);
        let deepest = result.links.iter().map(|link| link.queue_max_packets).max();
        assert!(deepest <= Some(8), "{deepest:?}");
    }
}

#[test]
fn at_line_rate_the_queues_of_an_oversubscribed_fabric_hold_what_it_cannot_carry() {
    let (scenario, flows) = oversubscribed(RhoMaxRule::LineRate);
    let result = run_flows(&scenario, flows, 1);
    assert_eq!(result.rho_max, Ratio::ONE);
    // Each uplink gets 4 x 256 packets in 256 slots.
    let ea = result.links.iter().filter(|link| link.stage == Stage::Ea);
    for link in ea {
        let deepest = link.queue_max_packets;
        assert!((3 * 256 - 8..=3 * 256 + 8).contains(&deepest), "{deepest}");
    }
}

#[test]
fn without_oversubscription_the_rule_changes_nothing() {
    let run = |rule| {
        let mut scenario = paper(3, 4, "rps").load(9, 10);
        scenario.congestion_control.rho_max = rule;
        run(&scenario, 1)
    };
    let expected = run(RhoMaxRule::LineRate);
    for &(_, rule) in RhoMaxRule::WORDS {
        assert_eq!(run(rule), expected);
    }
}
