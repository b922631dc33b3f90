//! Schemes whose limits are other schemes.

use super::setup::*;
use spraysim::lb::switch::sight::View;
use spraysim::lb::switch::{SwitchScheme, ar, jsq, ofan, pofan};
use spraysim::scenario::{Scenario, Shape};
use spraysim::units::Span;

/// Both scenarios give the same result to the last counter, for several message sizes with ACKs and without.
fn same(one: &Scenario, other: &Scenario) {
    for (seed, bytes) in (1..).zip([PAYLOAD, 100_000, 64 * PAYLOAD]) {
        for quiet in [false, true] {
            let of = |scenario: &Scenario| {
                let scenario = scenario.clone().permutation(bytes, false);
                let scenario = if quiet { scenario.quiet() } else { scenario };
                run_with_paths(&scenario, seed)
            };
            let name = one.load_balancing.name;
            assert!(
                of(one) == of(other),
                "{name}, k = {}, {bytes} B",
                one.fabric.shape.hosts_per_edge
            );
        }
    }
}

fn ar(k: u32, thresholds: ar::Thresholds, refresh_ns: u64) -> Scenario {
    let mut scenario = paper(3, k, "ar");
    let params = ar::Params {
        thresholds,
        refresh: Span::from_ns(refresh_ns),
        view: View { period: Span::ZERO },
    };
    scenario.load_balancing = by_switch("ar", SwitchScheme::Ar(params));
    scenario
}

fn pofan(levels: u8, k: u32, ports_per_pipe: usize) -> Scenario {
    let mut scenario = paper(levels, k, "pofan");
    let params = pofan::Params {
        ports_per_pipe,
        ofan: ofan::Params::default(),
    };
    scenario.load_balancing = by_switch("pofan", SwitchScheme::Pofan(params));
    scenario
}

#[test]
fn ar_without_thresholds_is_rsq() {
    for k in [4, 8] {
        for refresh in [0, 100] {
            same(
                &ar(k, ar::Thresholds::Percent(vec![]), refresh),
                &paper(3, k, "rsq"),
            );
        }
    }
}

#[test]
fn ar_that_compares_fresh_bytes_is_jsq() {
    for k in [4, 8] {
        same(&ar(k, ar::Thresholds::Bytes, 0), &paper(3, k, "jsq"));
    }
}

/// JSQ, and AR that compares bytes, with a view that is refreshed so often.
fn stale(k: u32, period: Span) -> [Scenario; 2] {
    let jsq = jsq::Params {
        view: View { period },
    };
    let ar = ar::Params {
        thresholds: ar::Thresholds::Bytes,
        refresh: Span::ZERO,
        view: View { period },
    };
    let schemes = [
        ("jsq", SwitchScheme::Jsq(jsq)),
        ("ar", SwitchScheme::Ar(ar)),
    ];
    schemes.map(|(name, scheme)| {
        let mut scenario = paper(3, k, name);
        scenario.load_balancing = by_switch(name, scheme);
        scenario
    })
}

#[test]
fn a_view_that_is_always_refreshed_is_that_of_the_instant() {
    // A picosecond can tell only where two packets come at once: not at leaves, whose hosts start apart and do not stop.
    for seed in 0..5 {
        let quiet = |mut scenario: Scenario| {
            scenario.fabric.shape = Shape::fat_tree(2, 8);
            run_with_paths(&scenario.quiet().permutation(64 * PAYLOAD, false), seed)
        };
        let fresh = quiet(paper(2, 8, "jsq"));
        for scenario in stale(8, Span(1)) {
            assert!(quiet(scenario) == fresh, "seed {seed}");
        }
    }
}

#[test]
fn jsq_that_has_never_looked_is_rsq() {
    // The first look comes within the second, i.e. after the run: all queues seem empty, and ties are uniform.
    for scenario in stale(8, Span::from_ns(1_000_000_000)) {
        same(&scenario, &paper(3, 8, "rsq"));
    }
}

#[test]
fn stale_bytes_are_the_same_to_ar_and_jsq_and_not_fresh_ones() {
    for period in [Span(41_780), Span::from_ns(100), Span::from_ns(2_000)] {
        let [jsq, ar] = stale(8, period);
        same(&ar, &jsq);
        assert_ne!(run(&jsq, 1), run(&paper(3, 8, "jsq"), 1));
    }
}

#[test]
fn pofan_whose_pipes_hold_all_ports_is_ofan() {
    for (k, pipe) in [(4, 2), (6, 3), (8, 4), (8, 64), (12, 6)] {
        same(&pofan(3, k, pipe), &paper(3, k, "ofan"));
    }
    same(&pofan(2, 8, 4), &paper(2, 8, "ofan"));
}

#[test]
fn at_k_8_four_ofan_is_ofan_and_at_k_12_it_is_not() {
    same(&paper(3, 8, "pofan"), &paper(3, 8, "ofan"));
    let at_12 = |scheme| run(&paper(3, 12, scheme).permutation(PAYLOAD * 16, false), 1);
    assert_ne!(at_12("pofan"), at_12("ofan"));
}

/// Completion times of 40 permutations of 64 packets at k = 8; the same ones for every scheme.
fn ccts(scheme: &str) -> Vec<f64> {
    let scenario = paper(3, 8, scheme).permutation(64 * PAYLOAD, false);
    (0..40)
        .map(|seed| cct(&run(&scenario, seed)) as f64)
        .collect()
}

/// The largest distance between two empirical distributions.
fn kolmogorov_smirnov(one: &[f64], other: &[f64]) -> f64 {
    let share =
        |of: &[f64], most: f64| of.iter().filter(|&&x| x <= most).count() as f64 / of.len() as f64;
    let distances = one
        .iter()
        .chain(other)
        .map(|&x| (share(one, x) - share(other, x)).abs());
    distances.fold(0.0, f64::max)
}

#[test]
fn rps_and_rsq_complete_alike() {
    let (rps, rsq) = (ccts("rps"), ccts("rsq"));
    // Two samples of 40 of one distribution are further apart than 1.95 sqrt(2 / 40) once in a thousand.
    let critical = 1.95 * (2.0_f64 / 40.0).sqrt();
    let distance = kolmogorov_smirnov(&rps, &rsq);
    assert!(distance < critical, "{distance}");
    let differences: Vec<f64> = rps.iter().zip(&rsq).map(|(a, b)| a - b).collect();
    let (center, sem) = mean_and_sem(&differences);
    assert!(center.abs() < 3.0 * sem, "{center} +- {sem}");
    // The test can tell: JSQ and Ofan do not complete like RSQ.
    for other in ["jsq", "ofan"] {
        assert!(kolmogorov_smirnov(&rsq, &ccts(other)) > critical, "{other}");
    }
}
