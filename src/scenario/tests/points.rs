//! The sweep and the command line.

use super::{Folder, SMALL, errors, plan};
use crate::scenario::{Overrides, Plan};
use crate::workload::traffic;

const SWEPT: &str = r#"{
  "fabric": {"k": 4},
  "load_balancing": {"scheme": "ar", "refresh_ns": 7},
  "workload": {"kind": "permutation", "message_bytes": 65536},
  "sweep": {"load_balancing.scheme": ["rps", "ar", "ofan"], "workload.message_bytes": [1, 2]}
}"#;

fn swept(sweep: &str) -> String {
    let open = SMALL.strip_suffix('}').expect("an object");
    format!("{open}, \"sweep\": {sweep}}}")
}

fn values(plan: &Plan) -> Vec<String> {
    let points = plan.points.iter();
    let text = |point: &crate::scenario::Point| {
        let values: Vec<String> = point
            .values
            .iter()
            .map(crate::json::Json::to_compact)
            .collect();
        values.join(" ")
    };
    points.map(text).collect()
}

fn message_bytes(plan: &Plan, point: usize) -> u64 {
    traffic(&plan.points[point].scenario, 1).flows[0].bytes
}

#[test]
fn a_scenario_without_a_sweep_is_one_point() {
    let plan = plan(SMALL, &[]);
    assert_eq!((plan.name.as_str(), plan.seed, plan.repeats), ("x", 1, 10));
    assert_eq!((plan.points.len(), plan.swept.len()), (1, 0));
    assert_eq!(message_bytes(&plan, 0), 65_536);
}

#[test]
fn the_first_swept_key_moves_slowest_in_file_order() {
    let plan = plan(SWEPT, &[]);
    assert_eq!(
        plan.swept,
        ["load_balancing.scheme", "workload.message_bytes"]
    );
    let expected = [
        "\"rps\" 1",
        "\"rps\" 2",
        "\"ar\" 1",
        "\"ar\" 2",
        "\"ofan\" 1",
        "\"ofan\" 2",
    ];
    assert_eq!(values(&plan), expected);
    assert_eq!(plan.points[4].scenario.load_balancing.name, "ofan");
    assert_eq!(message_bytes(&plan, 5), 2);
}

#[test]
fn a_swept_or_set_scheme_takes_its_own_defaults() {
    let plan = plan(SWEPT, &[]);
    let text = plan.points[2].effective.to_compact();
    assert!(text.contains(r#""refresh_ns": 100,"#), "{text}");
    let text = super::plan(SWEPT, &["sweep=null", "load_balancing.scheme=ar"]).points[0]
        .effective
        .to_compact();
    assert!(text.contains(r#""refresh_ns": 100,"#), "{text}");
    let text = super::plan(SWEPT, &["sweep=null"]).points[0]
        .effective
        .to_compact();
    assert!(text.contains(r#""refresh_ns": 7,"#), "{text}");
}

#[test]
fn whole_objects_can_be_swept_and_are_shown_as_written() {
    let sweep = r#"{"load_balancing": [{"scheme": "ar", "refresh_ns": 5}, {"scheme": "ar"}, {"scheme": "pofan"}],
                    "fabric.k": [4, 6.0]}"#;
    let plan = plan(&swept(sweep), &[]);
    assert_eq!(plan.points.len(), 6);
    let first: Vec<String> = plan
        .points
        .iter()
        .map(|point| point.values[0].to_compact())
        .collect();
    assert_eq!(first[1], r#"{"scheme": "ar", "refresh_ns": 5}"#);
    assert_eq!(first[3], r#"{"scheme": "ar"}"#);
    assert_eq!(first[5], r#"{"scheme": "pofan"}"#);
    assert_eq!(plan.points[1].values[1].to_compact(), "6");
    let filled = plan.points[5].effective.to_compact();
    assert!(filled.contains(r#""ports_per_pipe": 4"#), "{filled}");
}

#[test]
fn a_value_that_a_list_has_twice_is_refused() {
    for (sweep, error) in [
        (
            r#"{"fabric.k": [4, 6, 4]}"#,
            "x.json: sweep[\"fabric.k\"][2]: 4 is the same as element [0]; allowed: each value once",
        ),
        (
            r#"{"fabric.k": [6, 4, 4.0]}"#,
            "x.json: sweep[\"fabric.k\"][2]: 4 is the same as element [1]; allowed: each value once",
        ),
        (
            r#"{"fabric": [{"k": 40}, {"k": 4e1}]}"#,
            "x.json: sweep.fabric[1]: {\"k\": 40.0} is the same as element [0]; allowed: each value once",
        ),
    ] {
        assert_eq!(errors(&swept(sweep), &[]), [error]);
    }
}

#[test]
fn seeds_can_be_swept_and_what_is_one_for_all_points_cannot() {
    let plan = plan(&swept(r#"{"seed": [5, 100]}"#), &[]);
    assert_eq!(
        (plan.seed, plan.points[0].seed, plan.points[1].seed),
        (5, 5, 100)
    );
    for key in ["repeats", "sweep", "extends", "sweep.x", "extends[0]"] {
        let found = errors(&swept(&format!("{{\"{key}\": [1]}}")), &[]);
        assert!(found[0].contains("cannot be swept"), "{found:?}");
    }
}

#[test]
fn a_sweep_that_makes_no_sense_is_refused_where_it_stands() {
    for (sweep, error) in [
        (
            "5",
            "sweep: 5 is a number; allowed: null, or an object of paths to lists of values",
        ),
        (
            r#"{"fabric.k": 4}"#,
            "sweep[\"fabric.k\"]: 4 is a number; allowed: a list of at least one value",
        ),
        (
            r#"{"fabric.k": []}"#,
            "sweep[\"fabric.k\"]: the list is empty; allowed: a list of at least one value",
        ),
        (
            r#"{"seed": [1], "seed": [2]}"#,
            "sweep.seed: stands twice in its object; allowed: once",
        ),
        (
            r#"{"fabric..k": [4]}"#,
            "sweep[\"fabric..k\"]: \"fabric..k\" is no path: a key is missing; e.g. workload.pairs[0].bytes",
        ),
        (
            r#"{"fabric.k": [4], "fabric": [{"k": 4}]}"#,
            "sweep.fabric: would undo \"fabric.k\", which stands before it; put it first",
        ),
        (
            r#"{"load_balancing.refresh_ns": [4], "load_balancing.scheme": ["ar"]}"#,
            "sweep[\"load_balancing.scheme\"]: would undo \"load_balancing.refresh_ns\", which stands before it; put it first",
        ),
        (
            r#"{"fabric.k.x": [1, 2]}"#,
            "sweep[\"fabric.k.x\"]: fabric.k: 4 is a number, so it has no key \"x\"",
        ),
        (
            r#"{"fabric.kk": [4, 6]}"#,
            "sweep[\"fabric.kk\"]: unknown key \"kk\"; allowed: kind, levels, k, link_gbps, link_latency_ns, switch_latency_ns, buffer_bytes, buffer_packets, buffer_bdp, ecn_threshold_bytes, ecn_threshold_packets, ecn_threshold_bdp, ecn_max_threshold_bytes, ecn_max_threshold_packets, ecn_max_threshold_bdp, ecn_counts_departing, queue; did you mean \"k\"?",
        ),
    ] {
        let found = errors(&swept(sweep), &[]);
        assert!(
            found.contains(&format!("x.json: {error}")),
            "{sweep}: {found:#?}"
        );
    }
    let many: Vec<String> = (0..1_000).map(|n| n.to_string()).collect();
    let many = format!("[{}]", many.join(", "));
    let found = errors(
        &swept(&format!(r#"{{"seed": {many}, "fabric.k": {many}}}"#)),
        &[],
    );
    assert_eq!(
        found,
        ["x.json: sweep: has 1000000 points; allowed: up to 100000"]
    );
}

#[test]
fn an_object_may_be_swept_before_a_key_in_it() {
    let sweep = r#"{"workload": [{"kind": "permutation"}], "workload.message_bytes": [3, 4]}"#;
    let plan = plan(&swept(sweep), &[]);
    assert_eq!((message_bytes(&plan, 0), message_bytes(&plan, 1)), (3, 4));
}

#[test]
fn a_problem_at_a_point_is_named_by_the_swept_value_and_told_once() {
    let sweep = r#"{"load_balancing.scheme": ["rps", "ofan", "offan"], "workload.message_bytes": [0, 1, "x"]}"#;
    let found = errors(&swept(sweep), &[]);
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(
        found[0]
            .starts_with("x.json: sweep[\"load_balancing.scheme\"][2]: unknown scheme \"offan\"")
    );
    assert!(
        found[1].starts_with("x.json: sweep[\"workload.message_bytes\"][0]: 0 is out of range")
    );
    assert!(
        found[2].starts_with("x.json: sweep[\"workload.message_bytes\"][2]: \"x\" is a string")
    );
}

#[test]
fn a_problem_that_only_some_points_have_says_which() {
    let text = r#"{"fabric": {"k": 4}, "load_balancing": {"scheme": "rps"}, "seed": 3,
        "workload": {"kind": "pairs", "pairs": [{"src": 0, "dst": 20, "bytes": 1}]}, "sweep": {"fabric.k": [6, 4], "seed": [1, 2]}}"#;
    assert_eq!(
        errors(text, &[]),
        [
            "x.json: workload.pairs[0].dst: host 20 does not exist; this fabric has hosts 0 to 15 (where fabric.k = 4)"
        ]
    );
}

#[test]
fn a_slip_in_a_value_that_the_sweep_replaces_is_one_too() {
    let text = SWEPT.replace("\"refresh_ns\": 7", "\"refrsh_ns\": 7");
    let found = errors(&text, &[]);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with("x.json: load_balancing.refrsh_ns: unknown key \"refrsh_ns\""));
}

#[test]
fn the_command_line_sets_any_key() {
    let plan = plan(
        SMALL,
        &[
            "name=a name",
            "workload={\"kind\": \"pairs\", \"pairs\": [{\"src\": 0, \"dst\": 1, \"bytes\": 5}]}",
            "workload.pairs[0].bytes=9",
            "fabric.k=6",
            "packet.acks=none",
            "fabric.k=8",
        ],
    );
    assert_eq!(
        (plan.name.as_str(), plan.points[0].scenario.fabric.shape.k()),
        ("a name", Some(8))
    );
    assert_eq!(message_bytes(&plan, 0), 9);
}

#[test]
fn a_set_scheme_ends_the_files_sweep_of_it_and_its_parameters_stay() {
    let sets = ["load_balancing.scheme=ar", "load_balancing.refresh_ns=9"];
    let plan = plan(SWEPT, &sets);
    assert_eq!(values(&plan), ["1", "2"]);
    let text = plan.points[0].effective.to_compact();
    assert!(text.contains("\"refresh_ns\": 9"), "{text}");
}

#[test]
fn a_set_value_takes_the_place_of_the_files_sweep_of_it() {
    let plan = plan(SWEPT, &["load_balancing.scheme=drb"]);
    assert_eq!(plan.swept, ["workload.message_bytes"]);
    assert_eq!(plan.points[1].scenario.load_balancing.name, "drb");
    let plan = super::plan(
        SWEPT,
        &["workload={\"kind\": \"permutation\", \"message_bytes\": 7}"],
    );
    assert_eq!(plan.swept, ["load_balancing.scheme"]);
    assert_eq!(message_bytes(&plan, 0), 7);
    let overrides = Overrides {
        seed: Some(9),
        repeats: Some(3),
        ..Overrides::default()
    };
    let folder = Folder::new(&[("x.json", &swept(r#"{"seed": [1, 2]}"#))]);
    let plan = folder.load_with("x.json", &overrides).unwrap();
    assert_eq!((plan.seed, plan.repeats, plan.points.len()), (9, 3, 1));
    let plan = super::plan(SMALL, &["sweep={\"fabric.k\": [4, 6]}"]);
    assert_eq!(plan.points.len(), 2);
}

#[test]
fn a_set_that_cannot_work_is_refused_by_name() {
    for (sets, error) in [
        (
            &["x"][..],
            "--set x: has no `=`; allowed: PATH=VALUE, e.g. fabric.k=8",
        ),
        (
            &["=1"],
            "--set =1: \"\" is no path: a key is missing; e.g. workload.pairs[0].bytes",
        ),
        (
            &["fabric.k.x=1"],
            "--set fabric.k.x=1: fabric.k: 4 is a number, so it has no key \"x\"",
        ),
        (
            &["workload.pairs[0].bytes=1"],
            "--set workload.pairs[0].bytes=1: workload.pairs: is missing, so it has no element [0]; set the list first",
        ),
        (
            &["extends=y.json"],
            "--set extends=y.json: extends: only a file can extend another",
        ),
        (
            &["sweep.seed=[1]"],
            "--set sweep.seed=[1]: sweep.seed: the keys of a sweep are paths with dots; set the sweep whole: --set 'sweep={\"fabric.k\": [4, 8]}'",
        ),
        (
            &["fabric.k=6", "fabric={\"k\": 4}"],
            "--set fabric={\"k\": 4}: fabric: would undo fabric.k, which is set before it; set fabric first",
        ),
        (
            &["load_balancing.refresh_ns=6", "load_balancing.scheme=ar"],
            "--set load_balancing.scheme=ar: load_balancing.scheme: would undo load_balancing.refresh_ns, which is set before it; set load_balancing.scheme first",
        ),
        (
            &["fabric={\"k\": 4, \"k\": 6}"],
            "--set fabric={\"k\": 4, \"k\": 6}: fabric.k: stands twice in its object; allowed: once",
        ),
        (
            &["sweep={\"fabric.k\": [4]}", "fabric.k=6"],
            "--set fabric.k=6: fabric.k: is swept by --set sweep={\"fabric.k\": [4]} too; give one of them",
        ),
        (
            &["sweep={\"fabric\": [{\"k\": 4}]}", "fabric.k=6"],
            "--set fabric.k=6: fabric.k: would be undone by the sweep of \"fabric\"; sweep whole objects, or set fabric too",
        ),
        (
            &[
                "sweep={\"load_balancing.scheme\": [\"ar\"]}",
                "load_balancing.refresh_ns=6",
            ],
            "--set load_balancing.refresh_ns=6: load_balancing.refresh_ns: would be undone by the sweep of \"load_balancing.scheme\"; sweep whole objects, or set load_balancing.scheme too",
        ),
    ] {
        let found = errors(SMALL, sets);
        assert!(
            found.iter().any(|line| line == error),
            "{sets:?}: {found:#?}"
        );
    }
    let found = errors(SMALL, &["fabric.link_gpbs=400"]);
    assert!(found[0].starts_with("--set fabric.link_gpbs=400: fabric.link_gpbs: unknown key"));
    assert!(found[0].ends_with("did you mean \"link_gbps\"?"));
}
