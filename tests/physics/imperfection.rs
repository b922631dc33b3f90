//! Imperfect clocks, starts, switches and views: each does what it says, exactly, and no more.

use super::setup::*;
use spraysim::rng::{Domain, Rng};
use spraysim::scenario::{Scenario, TieBreak};
use spraysim::units::{Drift, Span, Time};
use spraysim::workload::FlowSpec;

/// What remains of a packet's way between pods when its last bit has left the NIC.
const REST: u64 = 3_249_480 - DATA;

/// The same with clocks up to so many millionths of a part per million off.
fn skewed(mut scenario: Scenario, skew: u64) -> Scenario {
    scenario.imperfection.clock_skew = Drift(skew);
    scenario
}

/// How slow the clock of `host` is, in parts in 10^12.
fn drift(skew: u64, host: u32, seed: u64) -> u64 {
    Rng::stream(seed, Domain::ClockSkew, u64::from(host)).below_u64(2 * skew + 1)
}

/// `span` x (1 + `drift`), rounded up.
fn stretched(span: u64, drift: u64) -> u64 {
    let parts = 1_000_000_000_000;
    (u128::from(span) * (parts + u128::from(drift))).div_ceil(parts) as u64
}

#[test]
fn the_nth_packets_of_two_hosts_drift_apart_by_n_slots_times_the_difference_of_their_clocks() {
    // At 1 ppm a slot is 0.04 ps longer: only exact remainders make the sum right.
    for skew in [500_000, 1_000_000, 10_000_000, 100_000_000] {
        for m in [1, 2, 25, 256, 4096] {
            let scenario = skewed(paper(3, 4, "ofan").quiet().at_once(), skew);
            let flows = vec![flow(0, 15, m * PAYLOAD), flow(4, 11, m * PAYLOAD)];
            let result = run_flows(&scenario, flows, m);
            for (i, host) in [0, 4].into_iter().enumerate() {
                let left = stretched(m * SLOT - 200, drift(skew, host, m));
                let end = result.flows[i].end.expect("it finishes").0;
                assert_eq!(end, left + REST, "skew {skew}, m = {m}, host {host}");
            }
        }
    }
}

#[test]
fn a_slow_clock_paces_at_the_load_of_its_own_line_rate() {
    let skew = 100_000_000;
    let scenario = skewed(paper(3, 4, "ofan").quiet().at_once().load(1, 2), skew);
    let m = 300;
    let result = run_flows(&scenario, vec![flow(0, 15, m * PAYLOAD)], 7);
    let slow = drift(skew, 0, 7);
    let due = stretched((m - 1) * 2 * SLOT, slow);
    let end = due + stretched(DATA, slow) + REST;
    assert_eq!(result.flows[0].end.expect("it finishes").0, end);
}

#[test]
fn clocks_are_slow_by_up_to_twice_the_skew_and_by_the_skew_on_average() {
    let skew = 100_000_000;
    let drifts: Vec<f64> = (0..1_000).map(|host| drift(skew, host, 1) as f64).collect();
    assert!(drifts.iter().all(|&drift| drift <= 2.0 * skew as f64));
    // Uniform: the deviation of a mean of 1,000 is 2 skew / sqrt(12,000) = 1.8 % of the skew.
    assert!((mean(&drifts) / skew as f64 - 1.0).abs() < 0.07);
}

#[test]
fn no_skewed_run_ends_below_the_bound_of_perfect_clocks() {
    for scheme in ["ofan", "drb", "jsq"] {
        for seed in 0..5 {
            let perfect = paper(3, 4, scheme).quiet().at_once();
            let bound = 13_903_380;
            let slow = cct(&run(&skewed(perfect, 1_000_000_000), seed));
            assert!(slow >= bound, "{scheme}: {slow}");
        }
    }
}

/// The first draw of a switch of up to `jitter`.
fn first_jitter(switch: u32, seed: u64, jitter: u64) -> u64 {
    Rng::stream(seed, Domain::SwitchJitter, u64::from(switch)).below_u64(jitter + 1)
}

#[test]
fn a_packet_takes_what_each_switch_on_its_way_draws_for_it() {
    // k = 4: 8 edges, then 8 aggregation switches, two a pod, then the cores.
    for seed in 0..50 {
        let mut scenario = paper(3, 4, "rsq").quiet().at_once();
        let jitter = 1 + seed * 7_001;
        scenario.imperfection.switch_jitter = Span(jitter);
        let result = run_flows(&scenario, vec![flow(0, 15, PAYLOAD)], seed);
        let paths = result.flows[0].paths.as_ref().expect("recorded");
        let [agg, core] = paths[0].map(u32::from);
        let way = [0, 8 + agg, 16 + 2 * agg + core, 8 + 6 + agg, 7];
        let drawn: u64 = way.map(|id| first_jitter(id, seed, jitter)).iter().sum();
        assert_eq!(fct(&result), 3_249_480 + drawn, "seed {seed}");
    }
}

#[test]
fn switches_that_jitter_keep_the_order_of_a_flow_on_one_path() {
    for seed in 0..10 {
        let mut scenario = paper(3, 4, "ecmp").quiet();
        scenario.imperfection.switch_jitter = Span::from_ns(2_000);
        let flows = vec![flow(0, 15, 100 * PAYLOAD), flow(4, 15, 100 * PAYLOAD)];
        let result = run_flows(&scenario, flows.clone(), seed);
        assert!(result.flows.iter().all(|flow| flow.max_reordering == 0));
        // The same jitter reorders what is spread over paths.
        let mut scenario = paper(3, 4, "rsq").quiet();
        scenario.imperfection.switch_jitter = Span::from_ns(2_000);
        let result = run_flows(&scenario, flows, seed);
        assert!(result.flows.iter().all(|flow| flow.max_reordering > 0));
    }
}

#[test]
fn of_two_packets_that_meet_either_goes_first_and_as_often() {
    // Hosts 1 and 2 send a packet each to host 0 under the same edge: both arrive there at 541.58 ns, and the first leaves at 583.16.
    let meet = |random: bool, seed: u64| {
        let mut scenario = paper(3, 6, "ofan").quiet().at_once();
        if random {
            scenario.imperfection.tie_break = TieBreak::Random;
        }
        let result = run_flows(
            &scenario,
            vec![flow(1, 0, PAYLOAD), flow(2, 0, PAYLOAD)],
            seed,
        );
        let ends = [0, 1].map(|i| result.flows[i].end.expect("it finishes").0);
        let (first, second) = (1_083_160, 1_083_160 + SLOT);
        assert!(
            ends == [first, second] || ends == [second, first],
            "{ends:?}"
        );
        ends[0] == first
    };
    assert!((0..10).all(|seed| meet(false, seed)), "the lower port");
    // 400 seeds: five sigma are 50.
    let lower = (0..400).filter(|&seed| meet(true, seed)).count();
    assert!((150..250).contains(&lower), "{lower}");
}

#[test]
fn at_one_node_either_order_comes_up_at_different_instants() {
    // 64 pairs of packets meet at one output, a millisecond apart.
    let mut scenario = paper(3, 6, "ofan").quiet().at_once();
    scenario.imperfection.tie_break = TieBreak::Random;
    let at = |src, ms: u64| FlowSpec {
        start: Time(ms * 1_000_000_000),
        ..flow(src, 0, PAYLOAD)
    };
    let flows: Vec<_> = (0..64).flat_map(|ms| [at(1, ms), at(2, ms)]).collect();
    let result = run_flows(&scenario, flows, 3);
    let ends: Vec<_> = result.flows.iter().map(|flow| flow.end).collect();
    let lower = ends.chunks(2).filter(|pair| pair[0] < pair[1]).count();
    assert!((16..48).contains(&lower), "{lower}");
}
