//! The effective scenario gives the same points again, whatever is swept.

use std::fs;

use super::effective::holds;
use super::{Folder, SMALL};
use crate::lb::SCHEMES;
use crate::rng::{Domain, Rng};

/// Values that each parameter of a scheme may have.
const VALUES: [(&str, &[&str]); 29] = [
    ("entropy_count", &["64", "1", "65536"]),
    (
        "draw",
        &["\"uniform\"", "\"masked_cycle\"", "\"sequential\""],
    ),
    ("ecn_penalty", &["1", "0"]),
    ("nack_penalty", &["4", "2e0"]),
    ("timeout_penalty", &["15", "255"]),
    ("max_penalty", &["1", "15"]),
    ("ring_entries", &["1", "8", "64"]),
    ("entropies", &["1", "1e3", "65536"]),
    ("explore_packets", &["\"bdp\"", "0", "5"]),
    ("lifetime", &["1", "2e0"]),
    ("freezing", &["\"auto\"", "\"timeout\""]),
    ("low_rtt_factor", &["1.65", "2"]),
    ("rtt_window_us", &["null", "0.5"]),
    ("freeze_us", &["0", "1e4"]),
    ("leave", &["\"time\"", "\"probe\""]),
    ("probe_packets", &["\"bdp\"", "1"]),
    ("exit_explore", &["\"bdp\"", "16"]),
    ("on_exit", &["\"reset\"", "\"keep\""]),
    ("entropy_timers", &["false", "true"]),
    ("entropy_rto_initial_us", &["1000", "0.5"]),
    ("entropy_rto_min_us", &["2", "0"]),
    ("ports_per_pipe", &["1", "4", "2.0"]),
    ("consolidate", &["\"switch\"", "\"host\""]),
    ("first_pointer", &["\"random\"", "\"shortest_queue\""]),
    (
        "port_order",
        &["\"auto\"", "\"xor_add\"", "\"random\"", "\"identity\""],
    ),
    ("size_class_bytes", &["null", "[]", "[128]", "[64, 1000]"]),
    ("thresholds_pct", &["[]", "[5, 10, 20]", "\"bytes\""]),
    ("refresh_ns", &["0", "100", "0.5", "1e2"]),
    ("view_period_ns", &["0", "250", "0.5"]),
];

fn values(scheme: &str, param: &str) -> &'static [&'static str] {
    match (scheme, param) {
        ("simple_rr", "ack_pointer") => &["\"shared\"", "\"separate\""],
        (_, "ack_pointer") => &["\"half_rotation\"", "\"random\""],
        _ => {
            let found = VALUES.iter().find(|(name, _)| *name == param);
            found.unwrap_or_else(|| panic!("{param} has values")).1
        }
    }
}

/// Some of `values`, each once, perhaps none.
fn some(values: &[&str], rng: &mut Rng) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    for value in values {
        if rng.below(2) == 0 {
            continue;
        }
        let at = rng.below(list.len() as u32 + 1) as usize;
        list.insert(at, (*value).to_owned());
    }
    if list.iter().any(|value| value == "100") {
        list.retain(|value| value != "1e2");
    }
    list
}

/// A sweep over a scheme's parameters one by one, and perhaps over whole objects before and another key after them.
fn random_sweep(scheme: usize, rng: &mut Rng) -> String {
    let row = &SCHEMES[scheme];
    let mut object = vec![format!("\"scheme\": \"{}\"", row.name)];
    let mut objects = vec![format!("{{{}}}", object.join(", "))];
    let mut axes = Vec::new();
    for param in row.params {
        let list = some(values(row.name, param.name), rng);
        let Some(first) = list.first() else {
            continue;
        };
        if rng.below(2) == 0 {
            object.push(format!("\"{}\": {first}", param.name));
            objects.push(format!("{{{}}}", object.join(", ")));
        } else {
            let list = list.join(", ");
            axes.push(format!("\"load_balancing.{}\": [{list}]", param.name));
        }
    }
    let head = match rng.below(3) {
        0 => format!("\"load_balancing.scheme\": [\"{}\"]", row.name),
        _ => format!("\"load_balancing\": [{}]", objects.join(", ")),
    };
    axes.insert(0, head);
    match rng.below(3) {
        0 => axes.push("\"seed\": [3, 1]".to_owned()),
        1 => axes.push("\"fabric\": [{\"k\": 4}, {\"levels\": 2, \"k\": 4.0}]".to_owned()),
        _ => {}
    }
    format!("sweep={{{}}}", axes.join(", "))
}

#[test]
fn every_point_is_the_same_again_whatever_of_a_scheme_is_swept() {
    let mut rng = Rng::stream(1, Domain::Entropy, 0);
    for _ in 0..15 {
        for scheme in 0..SCHEMES.len() {
            let sweep = random_sweep(scheme, &mut rng);
            holds(
                &Folder::new(&[("x.json", SMALL)]),
                "x.json",
                &[&sweep],
                "out",
            );
        }
    }
}

#[test]
fn a_first_pointer_is_swept_with_the_port_order_that_it_takes() {
    let sweep = "sweep={\"load_balancing.scheme\": [\"ofan\", \"pofan\"], \"load_balancing.first_pointer\": [\"random\", \"shortest_queue\"]}";
    let folder = Folder::new(&[("x.json", SMALL)]);
    let text = holds(&folder, "x.json", &[sweep], "out");
    assert!(text.contains("\"port_order\": \"auto\""), "{text}");
}

#[test]
fn files_of_one_name_are_told_apart_by_the_shortest_ends_of_their_paths() {
    const MATRIX: &str = "Nodes 16\nConnections 1\n0->5 start 0 size 1000\n";
    let text = r#"{"fabric": {"k": 4}, "load_balancing": {"scheme": "rps"}, "workload": {"kind": "htsim_cm"},
        "sweep": {"workload.path": ["pa/a.cm", "x/pb/a.cm", "./y/pb/a.cm", "b.cm"]}}"#;
    let folder = Folder::new(&[
        ("x.json", text),
        ("pa/a.cm", MATRIX),
        ("x/pb/a.cm", MATRIX),
        ("y/pb/a.cm", MATRIX),
        ("b.cm", MATRIX),
    ]);
    holds(&folder, "x.json", &[], "out/deep");
    let plan = folder.load("x.json", &[]).expect("fine");
    let labels: Vec<String> = plan
        .points
        .iter()
        .map(|point| point.values[0].to_compact())
        .collect();
    assert_eq!(
        labels,
        ["\"pa/a.cm\"", "\"x/pb/a.cm\"", "\"y/pb/a.cm\"", "\"b.cm\""]
    );
    fs::write(
        folder.path("y.json"),
        text.replace("./y/pb/a.cm", "pa/../pa/a.cm"),
    )
    .expect("a file");
    assert_eq!(
        folder.load("y.json", &[]).unwrap_err(),
        [
            "y.json: sweep[\"workload.path\"][2]: \"pa/../pa/a.cm\" is the same as element [0]; allowed: each value once"
        ]
    );
}
