//! Mixed fabrics of AR and 4Ofan: the lessons of the paper's section 6.4, on a smaller tree.

use super::setup::*;
use spraysim::lb::Scheme;
use spraysim::lb::mixed::{Deployment, Placement};
use spraysim::scenario::Scenario;
use spraysim::units::Ratio;

/// 1 MiB from each of 128 hosts under AR, 4Ofan at `place`.
fn with_4ofan(place: Option<Placement>) -> Scenario {
    let scheme = Scheme::by_name("pofan").expect("a scheme of the table");
    let deployments = place.map(|place| Deployment { place, scheme });
    Scenario {
        deployments: deployments.into_iter().collect(),
        ..paper(3, 8, "ar")
    }
}

fn mean_cct(scenario: &Scenario) -> f64 {
    let ccts: Vec<f64> = (1..=10)
        .map(|seed| cct(&run(scenario, seed)) as f64)
        .collect();
    mean(&ccts)
}

#[test]
fn half_the_switches_bring_a_part_of_the_gain_wherever_they_are() {
    let half = Ratio { num: 1, den: 2 };
    let (ar, all) = (mean_cct(&with_4ofan(None)), mean_cct(&paper(3, 8, "pofan")));
    for place in [
        Placement::RandomSwitches(half),
        Placement::RandomPods(half),
        Placement::Aggregation,
        Placement::Edge,
    ] {
        let mixed = mean_cct(&with_4ofan(Some(place.clone())));
        assert!(mixed < ar, "{place}: {mixed} is no gain over {ar}");
        let most = ar - 0.75 * (ar - all);
        assert!(mixed > most, "{place}: {mixed} is nearly all of the gain");
    }
}

#[test]
fn the_edge_uplinks_stay_short_where_edges_run_4ofan() {
    // What an edge's uplinks get is decided at that edge alone: without ACKs Ofan's bound holds there, whatever runs above.
    let edges = with_4ofan(Some(Placement::Edge)).quiet();
    let aggregation = with_4ofan(Some(Placement::Aggregation)).quiet();
    for seed in 1..=10 {
        let stage = spraysim::sim::Stage::Ea;
        assert!(queue_max(&run(&edges, seed), stage) <= 4 + 1);
        assert!(queue_max(&run(&aggregation, seed), stage) > 4 + 1);
    }
}
