//! How queues grow with message size (theorems 1 to 5), without ACKs.
//!
//! The theorems neglect propagation: "after t packet times" is the same instant at every stage. A mean over the time until the
//! hosts have sent therefore counts only a part of the downlinks' history at 500 ns a link (6 of 64 packet times are left of the
//! A->E queues'). So floors of downlinks are checked on links of 1 ns, where it counts nearly all.

use super::setup::*;
use spraysim::scenario::Scenario;
use spraysim::sim::Stage;
use spraysim::theory::diagnostics::{
    p_northbound, p_safe, theorem1_ceiling, theorem1_floor, theorem1_link_floor, theorem2_floor,
};
use spraysim::units::Span;

/// The paper's fabric, or the same with links of 1 ns.
fn fabric(k: u32, scheme: &str, m: u64, near: bool) -> Scenario {
    let mut scenario = paper(3, k, scheme).permutation(m * PAYLOAD, false).quiet();
    if near {
        scenario
            .fabric
            .each_tier(|tier| tier.latency = Span::from_ns(1));
    }
    scenario
}

/// Mean queue of the stages `of` over two seeds: the floors are of expectations, and hundreds of queues make each run one.
fn mean_queue(scenario: &Scenario, of: impl Fn(Stage) -> bool + Copy) -> f64 {
    mean(&[1, 2].map(|seed| queue_mean(&run(scenario, seed), of)))
}

const SIZES: [u64; 3] = [64, 256, 1024];

#[test]
fn rsq_and_rps_keep_the_floors_of_theorem_1() {
    for scheme in ["rsq", "rps"] {
        for k in [8, 12] {
            for m in SIZES {
                let far = fabric(k, scheme, m, false);
                let ea = mean_queue(&far, |stage| stage == Stage::Ea);
                assert!(
                    ea >= theorem1_link_floor(m),
                    "{scheme}, k = {k}, m = {m}: ea {ea}"
                );
                let all = mean_queue(&far, |stage| stage != Stage::Nic);
                assert!(
                    all >= theorem1_floor(m),
                    "{scheme}, k = {k}, m = {m}: all {all}"
                );
            }
        }
    }
}

#[test]
fn rsq_and_rps_keep_the_floor_of_theorem_1_at_the_links_into_an_edge() {
    for scheme in ["rsq", "rps"] {
        for (k, sizes) in [(8, &SIZES[..]), (12, &SIZES[..2])] {
            for &m in sizes {
                let ae = mean_queue(&fabric(k, scheme, m, true), |stage| stage == Stage::Ae);
                assert!(
                    ae >= theorem1_link_floor(m),
                    "{scheme}, k = {k}, m = {m}: ae {ae}"
                );
            }
        }
    }
}

#[test]
fn no_queue_of_rsq_and_rps_exceeds_the_ceiling_of_theorem_1_on_average() {
    // The ceiling is for the expected maximum of one queue; at an edge uplink it holds as it stands (no delay upstream).
    for scheme in ["rsq", "rps"] {
        for m in SIZES {
            let result = run(&fabric(8, scheme, m, false), 1);
            let links = result.links.iter().filter(|link| link.stage == Stage::Ea);
            let maxima: Vec<f64> = links.map(|link| link.queue_max_packets as f64).collect();
            assert!(
                mean(&maxima) <= theorem1_ceiling(m),
                "{scheme}, m = {m}: {}",
                mean(&maxima)
            );
        }
    }
}

#[test]
fn simple_rr_and_jsq_keep_the_floor_of_theorem_2() {
    for k in [8, 12] {
        let safe = p_safe(k, Span(200), Span(SLOT));
        for (scheme, p) in [
            ("simple_rr", p_northbound(k)),
            ("jsq", p_northbound(k) * safe),
        ] {
            for m in SIZES {
                // Far links are nearly as full; where a message is as short as the way, only near ones show it.
                let scenario = fabric(k, scheme, m, m == 64);
                let all = mean_queue(&scenario, |stage| stage != Stage::Nic);
                let floor = theorem2_floor(k, p, m);
                assert!(all >= floor, "{scheme}, k = {k}, m = {m}: {all} < {floor}");
            }
        }
    }
}

/// Mean over four seeds of the largest queue of any switch, in packets, at k = 8.
fn largest(scheme: &str, m: u64) -> f64 {
    let scenario = fabric(8, scheme, m, false);
    mean(&[1, 2, 3, 4].map(|seed| switch_queue_max(&run(&scenario, seed)) as f64))
}

#[test]
fn doubling_the_message_doubles_the_largest_queue_of_simple_rr_and_jsq() {
    for scheme in ["simple_rr", "jsq"] {
        let sizes = [64, 128, 256, 512, 1024].map(|m| largest(scheme, m));
        for pair in sizes.windows(2) {
            // 15 %: the constant -c of "(c - 1) j - c packets after j periods" and JSQ's flows that do not stick.
            let ratio = pair[1] / pair[0];
            assert!((ratio / 2.0 - 1.0).abs() < 0.15, "{scheme}: {sizes:?}");
        }
    }
}

#[test]
fn the_largest_queue_of_rsq_and_rps_grows_as_the_square_root_of_the_message() {
    for scheme in ["rsq", "rps"] {
        let (small, large) = (largest(scheme, 64), largest(scheme, 2048));
        let exponent = (large / small).ln() / 32_f64.ln();
        // 0.15: four seeds' maxima scatter by about 20 %, i.e. 0.05 of an exponent, and corrections at m = 64 are of order 1/sqrt(m).
        assert!(
            (exponent - 0.5).abs() < 0.15,
            "{scheme}: {small} to {large}: {exponent}"
        );
    }
}

#[test]
fn the_largest_queue_of_destination_based_schemes_does_not_grow_with_the_message() {
    for scheme in ["drb", "ethereal", "ofan", "pofan"] {
        let (small, large) = (largest(scheme, 256), largest(scheme, 1024));
        // Two packets: the maximum of a stationary queue over a four times longer time.
        assert!(large <= small + 2.0, "{scheme}: {small} to {large}");
    }
}
