//! Mixed fabrics: random deployments, and which switches they take, from the model's description.

use std::collections::BTreeMap;

use spraysim::lb::mixed::{Deployment, Placement, SwitchName};
use spraysim::lb::switch::{Level, SwitchScheme};
use spraysim::rng::{Domain, Rng};
use spraysim::scenario::Scenario;
use spraysim::units::Ratio;

use super::cases::Dice;
use super::schemes::random_switch_scheme;
use super::wiring::Wiring;

/// No, one or several deployments; none where hosts name the routes.
pub(crate) fn random_deployments(dice: &mut Dice, scenario: &Scenario) -> Vec<Deployment> {
    if scenario.load_balancing.is_source_routed() || dice.chance(60) {
        return Vec::new();
    }
    let count = dice.one_of(&[1, 1, 2, 3]);
    let deployment = |_| Deployment {
        place: random_place(dice, scenario),
        scheme: random_switch_scheme(dice),
    };
    (0..count).map(deployment).collect()
}

fn random_place(dice: &mut Dice, scenario: &Scenario) -> Placement {
    let shape = &scenario.fabric.shape;
    let edges = u64::from(shape.pods * shape.edges_per_pod);
    let aggs = u64::from(shape.pods * shape.aggs_per_pod);
    // At least one of two leaves, and of two pods.
    let share = Ratio {
        num: dice.between(25, 100),
        den: 100,
    };
    let edge = |index: u64| SwitchName {
        level: Level::Edge,
        index: index as u32,
    };
    let two = vec![edge(0), edge(dice.between(1, edges - 1))];
    let mut places = vec![
        Placement::RandomSwitches(share),
        Placement::Edge,
        Placement::Listed(two.clone()),
    ];
    if shape.levels == 3 {
        let level = Level::Aggregation;
        let index = dice.between(0, aggs - 1) as u32;
        let mixed = vec![two[1], SwitchName { level, index }];
        places.extend([
            Placement::RandomPods(share),
            Placement::Aggregation,
            Placement::Listed(mixed),
        ]);
    }
    dice.one_of(&places)
}

/// The switches that run another scheme, by their numbers: edges from 0, aggregation switches behind them.
pub(crate) fn others(scenario: &Scenario, seed: u64) -> BTreeMap<usize, SwitchScheme> {
    let wiring = Wiring::new(&scenario.fabric.shape);
    let mut others = BTreeMap::new();
    for (number, deployment) in scenario.deployments.iter().enumerate() {
        let mut draws = Rng::stream(seed, Domain::Deployment, number as u64);
        for switch in taken(&deployment.place, &wiring, &mut draws) {
            others.insert(switch, deployment.scheme.switch.clone());
        }
    }
    others
}

fn taken(place: &Placement, wiring: &Wiring, draws: &mut Rng) -> Vec<usize> {
    let aggs = if wiring.cores > 0 { wiring.aggs } else { 0 };
    let all: Vec<usize> = (0..wiring.edges + aggs).collect();
    let pod = |switch: usize| match switch.checked_sub(wiring.edges) {
        None => switch * wiring.pods() / wiring.edges,
        Some(agg) => agg * wiring.pods() / wiring.aggs,
    };
    match place {
        Placement::RandomSwitches(share) => some(all, *share, draws),
        Placement::RandomPods(share) => {
            let pods = some((0..wiring.pods()).collect(), *share, draws);
            let inside = |switch: &usize| pods.contains(&pod(*switch));
            all.into_iter().filter(inside).collect()
        }
        Placement::Edge => (0..wiring.edges).collect(),
        Placement::Aggregation => (wiring.edges..all.len()).collect(),
        Placement::Listed(names) => {
            let number = |name: &SwitchName| match name.level {
                Level::Edge => name.index as usize,
                Level::Aggregation => wiring.edges + name.index as usize,
            };
            names.iter().map(number).collect()
        }
    }
}

/// The first of `all` in a random order: their share, to the nearest whole number.
fn some(mut all: Vec<usize>, share: Ratio, draws: &mut Rng) -> Vec<usize> {
    draws.shuffle(&mut all);
    let exact = all.len() as f64 * share.num as f64 / share.den as f64;
    all.truncate((exact + 0.5).floor() as usize);
    all
}
