//! The effective scenario: every default filled in, and loading it changes nothing.

use std::fs;
use std::path::Path;

use super::{Folder, SMALL};
use crate::json::{Json, Value};
use crate::scenario::Plan;
use crate::scenario::effective::map_files;

const MATRIX: &str =
    "Nodes 16\nConnections 2\n0->5 id 1 start 0 size 1000\n1->6 id 2 start 3 size 5\n";

fn described(plan: &Plan) -> String {
    let points: Vec<String> = plan
        .points
        .iter()
        .map(|point| {
            let values: Vec<String> = point
                .values
                .iter()
                .map(crate::json::Json::to_compact)
                .collect();
            format!("{values:?} {} {:?}", point.seed, point.scenario)
        })
        .collect();
    format!(
        "{} {} {} {:?} {points:#?}",
        plan.name, plan.seed, plan.repeats, plan.swept
    )
}

/// Load `name`, write its effective scenario into `out`, load that: the plan and the text are the same again.
pub(super) fn holds(folder: &Folder, name: &str, sets: &[&str], out: &str) -> String {
    let plan = folder
        .load(name, sets)
        .unwrap_or_else(|errors| panic!("{errors:#?}"));
    let out = folder.path(out);
    let text = plan.effective(&out);
    fs::create_dir_all(&out).unwrap();
    let file = out.join("scenario.json");
    fs::write(&file, &text).unwrap();
    let again = super::load(&file, &super::Overrides::default())
        .unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    assert_eq!(described(&again), described(&plan));
    for (again, point) in again.points.iter().zip(&plan.points) {
        let (mut again, mut point) = (again.effective.clone(), point.effective.clone());
        for root in [&mut again, &mut point] {
            // A path is relative to the file that names it.
            map_files(root, &[], &|json| Json::new(Value::Null, json.origin));
        }
        assert_eq!(again.to_compact(), point.to_compact());
    }
    assert_eq!(again.effective(&out), text);
    text
}

#[test]
fn it_has_every_default_and_reads_back_as_it_is() {
    let text = holds(&Folder::new(&[("x.json", SMALL)]), "x.json", &[], "out/a");
    let expected = r#"{
  "name": "x",
  "seed": 1,
  "repeats": 10,
  "fabric": {
    "kind": "fat_tree",
    "levels": 3,
    "k": 4,
    "link_gbps": 800,
    "link_latency_ns": 500,
    "switch_latency_ns": 0,
    "buffer_bytes": null,
    "buffer_packets": null,
    "buffer_bdp": null,
    "ecn_threshold_bytes": "auto",
    "ecn_threshold_packets": null,
    "ecn_threshold_bdp": null,
    "ecn_max_threshold_bytes": null,
    "ecn_max_threshold_packets": null,
    "ecn_max_threshold_bdp": null,
    "ecn_counts_departing": true,
    "queue": {"kind": "fifo", "control_priority": false, "shared_buffer": null}
  },
  "failures": {
    "edge_agg_probability": 0,
    "agg_core_probability": 0,
    "switch_probability": 0,
    "links": [],
    "switches": [],
    "convergence_us": 1,
    "queued": "lost",
    "on_partition": "redraw",
    "loss": [],
    "hosts": []
  },
  "packet": {
    "payload_bytes": 4096,
    "header_bytes": 62,
    "ack_bytes": 64,
    "gap_bytes": 20,
    "acks": "per_packet"
  },
  "load_balancing": {"scheme": "rps", "entropy_count": 65536, "draw": "uniform", "override": []},
  "transport": {"kind": "none"},
  "congestion_control": {"scheme": "none", "load": 1, "rho_max": "path_equal"},
  "nic": {"ack_turns": "class", "control_per_data": 1},
  "workload": {
    "kind": "permutation",
    "message_bytes": 65536,
    "inter_pod_only": false,
    "mice": null,
    "start_jitter": "slot",
    "pacing_jitter_pct": 0,
    "pacing_jitter_adds": false
  },
  "imperfection": {"clock_skew_ppm": 0, "switch_jitter_ns": 0, "tie_break": "ingress_port"},
  "trigger_latency_ns": null,
  "horizon_us": null
}
"#;
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(squeezed(&text), squeezed(expected));
}

#[test]
fn it_keeps_the_sweep_and_what_the_command_line_changed() {
    let base = r#"{"fabric": {"k": 6}, "workload": {"kind": "permutation", "message_bytes": 1e6}}"#;
    let top = r#"{"extends": "base.json", "congestion_control": {"load": 0.9}, "fabric": {"link_latency_ns": 0.125},
        "sweep": {"load_balancing": [{"scheme": "ar", "refresh_ns": 0.5}, {"scheme": "rps"}, {"scheme": "pofan"}],
                  "workload.message_bytes": [1e3, 7], "seed": [4, 2], "packet": [{}, {"gap_bytes": 0}], "packet.ack_bytes": [5]}}"#;
    let folder = Folder::new(&[("a/x.json", top), ("a/base.json", base)]);
    let text = holds(
        &folder,
        "a/x.json",
        &["fabric.k=4", "repeats=3", "horizon_us=0.5"],
        "out",
    );
    assert!(!text.contains("extends"));
    assert!(
        text.contains("\"repeats\": 3") && text.contains("\"k\": 4") && text.contains("[1000, 7]")
    );
    let text = holds(&folder, "a/x.json", &["seed=8"], "out");
    assert!(text.contains("\"seed\": 8") && !text.contains("[4, 2]"));
    holds(
        &folder,
        "a/x.json",
        &["sweep={\"load_balancing.scheme\": [\"ofan\", \"ar\"], \"name\": [\"a\", \"b\"]}"],
        "a",
    );
}

#[test]
fn it_keeps_a_start_jitter_that_is_an_object() {
    let text = r#"{"fabric": {"k": 4}, "load_balancing": {"scheme": "rps"}, "workload": {"kind": "permutation", "message_bytes": 5,
        "start_jitter": {"stragglers": {"hosts": [3], "delay_ns": 0.5}}},
        "sweep": {"workload.start_jitter": ["slot", {"uniform_ns": 7}, {"stragglers": {"fraction": 0.5, "delay_ns": 1e3}}]}}"#;
    let folder = Folder::new(&[("x.json", text)]);
    holds(&folder, "x.json", &[], "out");
    let text = holds(&folder, "x.json", &["sweep=null"], "out");
    assert!(text.contains("\"uniform_ns\": null") && text.contains("\"delay_ns\": 0.5"));
}

#[test]
fn files_are_named_from_where_it_lies() {
    let top =
        r#"{"extends": "conf/base.json", "fabric": {"k": 4}, "load_balancing": {"scheme": "rps"}}"#;
    let base = r#"{"workload": {"kind": "htsim_cm", "path": "../data/m.cm", "start_unit": "ps"}}"#;
    let folder = Folder::new(&[
        ("x.json", top),
        ("conf/base.json", base),
        ("data/m.cm", MATRIX),
        ("other/m.cm", MATRIX),
    ]);
    let text = holds(&folder, "x.json", &[], "out/deep");
    assert!(text.contains("\"path\": \"../../data/m.cm\""), "{text}");
    let swept = r#"{"fabric": {"k": 4}, "load_balancing": {"scheme": "rps"}, "workload": {"kind": "htsim_cm", "start_unit": "us"},
        "sweep": {"workload.path": ["data/m.cm", "./data/../other/m.cm"]}}"#;
    let whole = r#"{"fabric": {"k": 4}, "load_balancing": {"scheme": "rps"},
        "sweep": {"workload": [{"kind": "htsim_cm", "path": "data/m.cm", "start_unit": "us"}, {"kind": "permutation", "message_bytes": 5}]}}"#;
    fs::write(folder.path("y.json"), swept).unwrap();
    fs::write(folder.path("z.json"), whole).unwrap();
    let text = holds(&folder, "y.json", &[], "out");
    assert!(
        text.contains("[\"../data/m.cm\", \"../other/m.cm\"]"),
        "{text}"
    );
    assert!(holds(&folder, "z.json", &[], "out").contains("\"../data/m.cm\""));
    let absolute = folder.path("data/m.cm").display().to_string();
    let text = holds(
        &folder,
        "x.json",
        &[&format!("workload.path={absolute}")],
        "out",
    );
    assert!(text.contains(&format!("\"path\": \"{absolute}\"")));
}

#[test]
fn it_works_for_pairs_and_for_the_working_directory() {
    let text = r#"{"fabric": {"k": 2, "levels": 2}, "load_balancing": {"scheme": "rps"}, "workload": {"kind": "pairs",
        "pairs": [{"src": 0, "dst": 1, "bytes": 5, "start_ns": 0.001}, {"src": 1, "dst": 0, "bytes": 1, "id": 7}]},
        "sweep": {"workload.pairs[1].bytes": [2, 3]}}"#;
    let folder = Folder::new(&[("x.json", text)]);
    let text = holds(&folder, "x.json", &[], ".");
    assert!(text.contains("\"id\": 0") && text.contains("\"start_ns\": 0.001"));
    let plan = folder.load("x.json", &[]).unwrap();
    assert_eq!(plan.effective(Path::new("")), text);
}
