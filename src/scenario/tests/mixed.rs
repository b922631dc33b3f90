//! Mixed fabrics: what overrides are read as, what is refused, and what keeps them.

use super::effective::holds;
use super::{Folder, errors, plan};
use crate::lb::mixed::{Deployment, Placement, SwitchName};
use crate::lb::switch::{Level, SwitchScheme, pofan};
use crate::lb::{SCHEMES, Scheme, SchemeRow};
use crate::units::Ratio;

/// A scenario on a tree of k = 4 with this base and these overrides.
fn mixed(base: &str, overrides: &str) -> String {
    format!(
        r#"{{"fabric": {{"k": 4}}, "load_balancing": {{"scheme": "{base}", "override": {overrides}}},
            "workload": {{"kind": "permutation", "message_bytes": 65536}}}}"#
    )
}

/// One override without parameters.
fn one(place: &str) -> String {
    format!(r#"[{{"where": {place}, "scheme": {{"scheme": "ofan"}}}}]"#)
}

/// What is wrong with one override, without file and path of the list.
fn refused(base: &str, overrides: &str, sets: &[&str]) -> Vec<String> {
    let text = mixed(base, overrides);
    errors(&text, sets)
        .into_iter()
        .map(|line| {
            let (_, rest) = line.split_once("load_balancing.override").expect(&line);
            rest.to_owned()
        })
        .collect()
}

#[test]
fn overrides_arrive_with_their_placements_and_parameters() {
    let text = mixed(
        "ar",
        r#"[{"where": "random_switches", "fraction": 0.25, "scheme": {"scheme": "pofan", "ports_per_pipe": 2}},
            {"where": "random_pods", "fraction": 0.5, "scheme": {"scheme": "jsq"}},
            {"where": "edge", "scheme": {"scheme": "jsq"}},
            {"where": ["e0", "a7"], "scheme": {"scheme": "jsq"}}]"#,
    );
    let scenario = &plan(&text, &[]).points[0].scenario;
    let name = |level, index| SwitchName { level, index };
    let places = [
        Placement::RandomSwitches(Ratio { num: 1, den: 4 }),
        Placement::RandomPods(Ratio { num: 1, den: 2 }),
        Placement::Edge,
        Placement::Listed(vec![name(Level::Edge, 0), name(Level::Aggregation, 7)]),
    ];
    let found = scenario.deployments.iter().map(|d| &d.place);
    assert!(found.eq(&places), "{:?}", scenario.deployments);
    let params = pofan::Params {
        ports_per_pipe: 2,
        ..pofan::Params::default()
    };
    assert_eq!(
        scenario.deployments[0].scheme.switch,
        SwitchScheme::Pofan(params)
    );
    let Deployment { scheme, .. } = &scenario.deployments[3];
    assert_eq!(*scheme, Scheme::by_name("jsq").expect("a scheme"));
    assert_eq!(
        scenario.scheme_label(),
        "ar+pofan@random_switches:0.25+jsq@random_pods:0.5+jsq@edge+jsq@switches"
    );
}

#[test]
fn all_bases_without_source_routes_take_overrides() {
    for row in SCHEMES {
        let found = refused(row.name, &one("\"edge\""), &[]);
        let base = Scheme::by_name(row.name).expect("a scheme");
        if base.is_source_routed() {
            let told = format!(
                ": scheme \"{}\" routes every packet from its source, so a switch cannot choose for itself; allowed: [], or a load_balancing.scheme without source routes",
                row.name
            );
            assert_eq!(found, [told]);
            plan(&mixed(row.name, "[]"), &[]);
        } else {
            assert_eq!(found, [""; 0], "{}", row.name);
        }
    }
}

#[test]
fn a_scheme_with_a_host_part_is_refused_by_name_with_those_allowed() {
    let (of_switches, of_hosts): (Vec<&SchemeRow>, Vec<&SchemeRow>) =
        SCHEMES.iter().partition(|row| row.is_of_switches());
    let names: Vec<&str> = of_switches.iter().map(|row| row.name).collect();
    let names = names.join(", ");
    assert!(names.contains("ofan"));
    for name in of_hosts.iter().map(|row| row.name) {
        let found = refused("ar", &one("\"edge\"").replace("ofan", name), &[]);
        let told = format!(
            "[0].scheme.scheme: \"{name}\" has a host part, and hosts run the scenario's own scheme; allowed: {names}"
        );
        assert_eq!(found, [told]);
    }
    let found = refused("ar", &one("\"edge\"").replace("ofan", "ofa"), &[]);
    let told = format!("allowed: {names}; did you mean \"ofan\"?");
    assert!(found[0].ends_with(&told), "{found:?}");
}

#[test]
fn a_share_belongs_to_what_is_drawn_and_is_required_there() {
    let with = |place: &str, fraction: &str| {
        one(place).replace(
            "\"scheme\": {",
            &format!("\"fraction\": {fraction}, \"scheme\": {{"),
        )
    };
    for place in ["\"edge\"", "\"aggregation\"", "[\"e0\"]"] {
        let found = refused("ar", &with(place, "0.5"), &[]);
        assert_eq!(
            found,
            [
                "[0].fraction: belongs to where \"random_switches\" and \"random_pods\"; allowed: none here"
            ]
        );
    }
    for place in ["\"random_switches\"", "\"random_pods\""] {
        let found = refused("ar", &one(place), &[]);
        assert_eq!(
            found,
            ["[0].fraction: missing, and has no default; allowed: a number above 0 and up to 1"]
        );
        assert!(refused("ar", &with(place, "1.01"), &[])[0].contains("out of range"));
        assert!(refused("ar", &with(place, "0"), &[])[0].contains("out of range"));
    }
    assert_eq!(
        refused("ar", &with("\"random_switches\"", "0.03"), &[]),
        [
            "[0].fraction: 0.03 of 16 switches is none, as it is rounded to the nearest number; allowed: a number from 1/32 to 1"
        ]
    );
    assert_eq!(
        refused("ar", &with("\"random_pods\"", "0.12"), &[]),
        [
            "[0].fraction: 0.12 of 4 pods is none, as it is rounded to the nearest number; allowed: a number from 1/8 to 1"
        ]
    );
    plan(&mixed("ar", &with("\"random_pods\"", "0.125")), &[]);
}

#[test]
fn listed_switches_exist_have_a_choice_and_stand_once() {
    assert_eq!(
        refused(
            "ar",
            &one(r#"["e0", "e8", "a8", "c0", "h1", "e0", "e01", 3]"#),
            &[]
        ),
        [
            "[0].where[3]: \"c0\" is a core switch, which has no choice of uplink; allowed: edge and aggregation switches, e.g. \"e0\" or \"a3\"",
            "[0].where[4]: \"h1\" names no switch; allowed: edge and aggregation switches, e.g. \"e0\" or \"a3\"",
            "[0].where[5]: \"e0\" stands twice; allowed: each once",
            "[0].where[6]: \"e01\" names no switch; allowed: edge and aggregation switches, e.g. \"e0\" or \"a3\"",
            "[0].where[7]: 3 is a number; allowed: edge and aggregation switches, e.g. \"e0\" or \"a3\"",
        ]
    );
    let ranges = "this fabric has edge switches e0 to e7 and aggregation switches a0 to a7";
    assert_eq!(
        refused("ar", &one(r#"["e0", "e8", "a4294967295"]"#), &[]),
        [
            format!("[0].where[1]: switch e8 does not exist; {ranges}"),
            format!("[0].where[2]: switch a4294967295 does not exist; {ranges}"),
        ]
    );
    assert!(
        refused("ar", &one("[]"), &[])[0].starts_with("[0].where: the list is empty; allowed: ")
    );
    assert!(refused("ar", &one("\"edges\""), &[])[0].ends_with("; did you mean \"edge\"?"));
}

#[test]
fn two_levels_have_neither_pods_nor_aggregation_switches_with_a_choice() {
    let two = ["fabric.levels=2"];
    let found = refused("ar", &one("\"aggregation\""), &two);
    assert!(found[0].starts_with("[0].where: \"aggregation\" selects no switch: "));
    let found = refused("ar", &one("[\"a0\"]"), &two);
    assert!(
        found[0].starts_with(
            "[0].where[0]: a0: the aggregation switches of a two-level tree are spines"
        )
    );
    assert!(
        found[0].ends_with("allowed: edge switches e0 to e3"),
        "{found:?}"
    );
    let pods = one("\"random_pods\", \"fraction\": 0.5");
    let found = refused("ar", &pods, &two);
    assert!(found[0].contains("makes no sense in a two-level tree, which has no pods"));
    assert_eq!(found.len(), 1);
    let half = one("\"random_switches\", \"fraction\": 0.5");
    plan(&mixed("ar", &half), &two);
}

#[test]
fn an_override_that_later_ones_hide_is_refused() {
    let list = |places: &[&str]| {
        let entry =
            |place: &&str| format!(r#"{{"where": {place}, "scheme": {{"scheme": "ofan"}}}}"#);
        let entries: Vec<String> = places.iter().map(entry).collect();
        format!("[{}]", entries.join(", "))
    };
    let half = "\"random_switches\", \"fraction\": 0.5";
    let all = "\"random_switches\", \"fraction\": 1";
    for places in [
        &["\"edge\"", "\"edge\""][..],
        &["[\"e0\", \"a0\"]", "\"edge\"", "\"aggregation\""],
        &[half, "\"aggregation\"", "\"edge\""],
        &[half, all],
    ] {
        let found = refused("ar", &list(places), &[]);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(
            found[0].starts_with(
                "[0].where: every switch that it selects is taken by a later override"
            )
        );
    }
    for places in [
        &[half, half][..],
        &[half, "\"edge\""],
        &["\"edge\"", "[\"e0\"]"],
        &[all, half],
    ] {
        plan(&mixed("ar", &list(places)), &[]);
    }
}

#[test]
fn setting_sweeping_or_extending_another_scheme_keeps_the_overrides() {
    let text = mixed("ar", &one("\"edge\""));
    let labels = |sets: &[&str]| -> Vec<String> {
        let points = plan(&text, sets).points;
        points.iter().map(|p| p.scenario.scheme_label()).collect()
    };
    assert_eq!(labels(&["load_balancing.scheme=jsq"]), ["jsq+ofan@edge"]);
    assert_eq!(
        labels(&["sweep={\"load_balancing.scheme\": [\"rps\", \"ar\"]}"]),
        ["rps+ofan@edge", "ar+ofan@edge"]
    );
    assert_eq!(
        labels(&[
            "load_balancing.override[0].where=aggregation",
            "load_balancing.scheme=jsq"
        ]),
        ["jsq+ofan@aggregation"]
    );
    assert_eq!(labels(&["load_balancing={\"scheme\": \"jsq\"}"]), ["jsq"]);
    assert_eq!(labels(&["load_balancing.override=[]"]), ["ar"]);
    let top = r#"{"extends": "base.json", "load_balancing": {"scheme": "jsq"}}"#;
    let folder = Folder::new(&[("x.json", top), ("base.json", &text)]);
    let plan = folder.load("x.json", &[]).expect("fine");
    assert_eq!(plan.points[0].scenario.scheme_label(), "jsq+ofan@edge");
}

#[test]
fn the_effective_scenario_has_the_parameters_of_overrides_and_reads_back() {
    let folder = Folder::new(&[("x.json", &mixed("ar", &one("[\"e0\", \"a3\"]")))]);
    let text = holds(&folder, "x.json", &[], "out");
    for part in [
        "\"where\": [\"e0\", \"a3\"]",
        "\"consolidate\": \"switch\"",
        "\"thresholds_pct\"",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let sweep = r#"sweep={"load_balancing.override": [[], [{"where": "random_pods", "fraction": 0.5, "scheme": {"scheme": "pofan"}}],
        [{"where": "edge", "scheme": {"scheme": "pofan", "ports_per_pipe": 2}}]], "load_balancing.scheme": ["ar", "rps"]}"#;
    holds(&folder, "x.json", &[sweep], "out");
    let half = one("\"random_switches\", \"fraction\": 0.5");
    let folder = Folder::new(&[("x.json", &mixed("ar", &half))]);
    let shares = r#"sweep={"load_balancing.override[0].fraction": [0.25, 1]}"#;
    holds(&folder, "x.json", &[shares], "out");
}
