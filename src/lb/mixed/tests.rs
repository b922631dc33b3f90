//! What placements select, drawn and not.

use super::*;
use crate::lb::SCHEMES;

/// Three levels of k = 2 `half`: edges, then aggregation switches, `half` of each in every pod.
fn sites(half: u32) -> Vec<Site> {
    let each = 2 * half * half;
    let level = |level, first| {
        (0..each).map(move |index| Site {
            switch: first + index,
            name: SwitchName { level, index },
            pod: index / half,
        })
    };
    let edges = level(Level::Edge, 0);
    edges.chain(level(Level::Aggregation, each)).collect()
}

fn share(num: u64, den: u64) -> Ratio {
    Ratio { num, den }
}

fn selected(place: &Placement, sites: &[Site], seed: u64) -> BTreeSet<u32> {
    place.select(sites, &mut Rng::stream(seed, Domain::Deployment, 0))
}

fn deployment(place: Placement, name: &str) -> Deployment {
    let scheme = Scheme::by_name(name).expect("a scheme of the table");
    Deployment { place, scheme }
}

#[test]
fn exactly_half_of_144_switches_are_drawn_whatever_the_seed() {
    let sites = sites(6);
    for seed in 0..200 {
        let drawn = selected(&Placement::RandomSwitches(share(1, 2)), &sites, seed);
        assert_eq!(drawn.len(), 72);
        assert!(drawn.iter().all(|&switch| switch < 144));
    }
}

#[test]
fn every_switch_is_drawn_equally_often() {
    let sites = sites(2);
    let mut counts = [0_i64; 16];
    for seed in 0..8_000 {
        for switch in selected(&Placement::RandomSwitches(share(1, 4)), &sites, seed) {
            counts[switch as usize] += 1;
        }
    }
    // Each is binomial with 8,000 x 1/4: five standard deviations are 194.
    assert!(
        counts.iter().all(|count| (count - 2_000).abs() < 194),
        "{counts:?}"
    );
}

#[test]
fn pods_are_drawn_whole() {
    let sites = sites(6);
    for seed in 0..100 {
        let drawn = selected(&Placement::RandomPods(share(1, 2)), &sites, seed);
        assert_eq!(drawn.len(), 72);
        let pods: BTreeSet<u32> = sites
            .iter()
            .filter(|site| drawn.contains(&site.switch))
            .map(|site| site.pod)
            .collect();
        assert_eq!(pods.len(), 6);
        let inside = sites.iter().filter(|site| pods.contains(&site.pod));
        assert!(inside.map(|site| site.switch).eq(drawn));
    }
}

#[test]
fn a_share_is_rounded_to_the_nearest_number_and_a_half_up() {
    let sites = sites(2);
    for (num, den, drawn) in [
        (1, 1, 16),
        (1, 2, 8),
        (1, 32, 1),
        (3, 32, 2),
        (5, 32, 3),
        (1, 33, 0),
        (1, 3, 5),
        (999, 1000, 16),
    ] {
        let place = Placement::RandomSwitches(share(num, den));
        assert_eq!(place.share(&sites), Some((16, drawn)), "{num}/{den}");
        assert_eq!(selected(&place, &sites, 3).len(), drawn);
    }
    let third = Placement::RandomPods(share(3, 8));
    assert_eq!(third.share(&sites), Some((4, 2)));
}

#[test]
fn a_larger_share_holds_a_smaller_one_of_the_same_seed() {
    let sites = sites(4);
    for place in [Placement::RandomSwitches, Placement::RandomPods] {
        for seed in 0..20 {
            let mut smaller = BTreeSet::new();
            for eighths in 1..=8 {
                let larger = selected(&place(share(eighths, 8)), &sites, seed);
                assert!(larger.is_superset(&smaller));
                smaller = larger;
            }
        }
    }
}

#[test]
fn levels_and_lists_select_what_they_name() {
    let sites = sites(2);
    let numbers = |place: &Placement| Vec::from_iter(selected(place, &sites, 1));
    assert_eq!(numbers(&Placement::Edge), Vec::from_iter(0..8));
    assert_eq!(numbers(&Placement::Aggregation), Vec::from_iter(8..16));
    let name = |level, index| SwitchName { level, index };
    let listed = vec![name(Level::Aggregation, 7), name(Level::Edge, 7)];
    assert_eq!(numbers(&Placement::Listed(listed)), [7, 15]);
}

#[test]
fn what_is_certain_does_not_hang_on_the_seed() {
    let sites = sites(2);
    let half = Placement::RandomSwitches(share(1, 2));
    let all = Placement::RandomPods(share(1, 1));
    assert!(half.certain(&sites).is_empty());
    assert_eq!(half.possible(&sites).len(), 16);
    assert_eq!(all.certain(&sites).len(), 16);
    assert_eq!(Placement::Edge.certain(&sites).len(), 8);
}

#[test]
fn later_deployments_win() {
    let sites = sites(2);
    let deployments = [
        deployment(Placement::RandomSwitches(share(1, 2)), "pofan"),
        deployment(Placement::Edge, "jsq"),
        deployment(
            Placement::Listed(vec![SwitchName {
                level: Level::Edge,
                index: 5,
            }]),
            "rsq",
        ),
    ];
    let mix = Mix::new(&deployments, &sites, 9);
    for edge in 0..8 {
        assert_eq!(mix.of(edge), Some(if edge == 5 { 2 } else { 1 }));
    }
    let drawn = selected(&deployments[0].place, &sites, 9);
    for agg in 8..16 {
        assert_eq!(mix.of(agg), drawn.contains(&agg).then_some(0));
    }
    assert_eq!(mix.of(16), None, "a core");
}

#[test]
fn draws_depend_on_the_seed_and_the_number_of_the_deployment_alone() {
    let sites = sites(6);
    let half = || Placement::RandomSwitches(share(1, 2));
    let of = |first: &str, second: &str, seed| {
        let deployments = [deployment(half(), first), deployment(half(), second)];
        let mix = Mix::new(&deployments, &sites, seed);
        Vec::from_iter((0..144).map(|switch| mix.of(switch)))
    };
    let names = || {
        SCHEMES
            .iter()
            .filter(|row| row.is_of_switches())
            .map(|row| row.name)
    };
    for (first, second) in names().flat_map(|first| names().map(move |second| (first, second))) {
        assert_eq!(
            of("pofan", "jsq", 1),
            of(first, second, 1),
            "{first}, {second}"
        );
    }
    assert_ne!(of("pofan", "jsq", 1), of("pofan", "jsq", 2));
    // Two draws of a half each leave a quarter to the scenario's scheme, not a half and not none.
    let left = of("pofan", "jsq", 1).iter().filter(|o| o.is_none()).count();
    assert!((24..48).contains(&left), "{left}");
}

#[test]
fn without_deployments_there_is_nothing_to_look_up() {
    let mix = Mix::new(&[], &sites(6), 1);
    assert!(mix.by_switch.is_empty());
    assert!((0..200).all(|switch| mix.of(switch).is_none()));
}

#[test]
fn labels_name_scheme_and_place() {
    let label = |place: Placement| place.to_string();
    assert_eq!(
        label(Placement::RandomSwitches(share(1, 2))),
        "random_switches:0.5"
    );
    assert_eq!(
        label(Placement::RandomPods(share(1, 8))),
        "random_pods:0.125"
    );
    assert_eq!(label(Placement::Edge), "edge");
    assert_eq!(label(Placement::Aggregation), "aggregation");
    assert_eq!(label(Placement::Listed(Vec::new())), "switches");
}
