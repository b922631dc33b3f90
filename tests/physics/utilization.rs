//! Figure 1: how busy the links into edges get, at k = 12 and 1 MiB.
//!
//! Utilisation is the peak over windows of 500 ns of the mean over all A->E links (bytes sent and gaps). Pairs under one edge never
//! cross them, so a perfect scheme reaches the share of the other pairs: 98.8 % on average, give or take 0.5 % by permutation.

use super::setup::*;
use spraysim::sim::{Stage, UTILIZATION_WINDOW};

const SEEDS: u64 = 5;

/// Over the seeds: mean peak utilisation, and the same over the share of pairs that cross these links.
fn peaks(scheme: &str, load: (u64, u64)) -> (f64, f64) {
    let scenario = paper(3, 12, scheme).load(load.0, load.1);
    let tree = tree(&scenario);
    let links = f64::from(tree.stage_links(Stage::Ae));
    let (plain, of_share): (Vec<f64>, Vec<f64>) = (1..=SEEDS)
        .map(|seed| {
            let result = run(&scenario, seed);
            let peak = result.peak_ae_busy.0 as f64 / links / UTILIZATION_WINDOW.0 as f64;
            let crosses = result
                .flows
                .iter()
                .filter(|flow| tree.edge_of(flow.spec.src) != tree.edge_of(flow.spec.dst));
            (peak, peak / (crosses.count() as f64 / links))
        })
        .unzip();
    (mean(&plain), mean(&of_share))
}

#[test]
fn at_full_load_reps_and_ar_saturate_below_96_5_percent_and_ofan_above_98() {
    // The spec's calibration has 95.1 % for AR and 94.5 % for REPS, and calls 95.5 % a pass; the mean over other seeds moves by a
    // standard error of 0.3 %, and the paper plots "below 95 %" of a utilisation that it does not define.
    for scheme in ["reps", "ar"] {
        let (plain, _) = peaks(scheme, (1, 1));
        assert!(plain < 0.965, "{scheme}: {plain}");
    }
    for scheme in ["ofan", "pofan"] {
        let (plain, of_share) = peaks(scheme, (1, 1));
        assert!(plain > 0.98, "{scheme}: {plain}");
        // Nothing is lost but by the permutation (queues that drain can carry a little more in a window), and no link is more than busy.
        assert!(
            plain <= 1.0 && of_share >= 0.995,
            "{scheme}: {plain}, {of_share}"
        );
    }
}

#[test]
fn at_nine_tenths_of_the_load_all_are_near_the_diagonal() {
    // 0.9 of the rate for the 98.8 % of pairs that cross, plus their ACKs (84 B a packet of 4,178 B, 1.8 %): 0.907. The peak of
    // some 20 windows lies above the mean by what queues built before release: 2 % in all.
    for scheme in ["reps", "ar", "ofan", "pofan"] {
        let (plain, _) = peaks(scheme, (9, 10));
        assert!((plain - 0.9).abs() < 0.02, "{scheme}: {plain}");
    }
}
