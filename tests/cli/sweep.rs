//! Sweeps: their order and columns, points that do not depend on each other, and schemes that meet the same traffic.

use std::collections::BTreeMap;

use spraysim::lb::SCHEMES;

use crate::support::{Folder, columns, table};

const SWEPT: &str = r#"{
  "repeats": 2,
  "fabric": {"k": 4},
  "load_balancing": {"scheme": "rps"},
  "workload": {"kind": "permutation", "message_bytes": 1},
  "sweep": {"load_balancing.scheme": ["jsq", "ofan", "ar"], "workload.message_bytes": [30000, 5000], "fabric.buffer_bytes": [null, 200000]}
}"#;

fn csv(folder: &Folder, more: &[&str]) -> String {
    let args = [&["run", "x.json", "--csv", "--quiet"], more].concat();
    folder.spraysim(&args).done().out
}

#[test]
fn points_come_in_file_order_with_the_first_key_slowest_then_seeds() {
    let text = csv(&Folder::of(SWEPT), &[]);
    let rows = columns(
        &text,
        &["scheme", "message_bytes", "fabric.buffer_bytes", "seed"],
    );
    let mut expected = Vec::new();
    for scheme in ["jsq", "ofan", "ar"] {
        for bytes in ["30000", "5000"] {
            for buffer in ["null", "200000"] {
                expected.extend(["1", "2"].map(|seed| [scheme, bytes, buffer, seed]));
            }
        }
    }
    assert_eq!(rows, expected);
}

#[test]
fn swept_keys_that_are_no_column_yet_become_one_named_by_their_path_in_every_table() {
    let folder = Folder::of(SWEPT);
    folder
        .spraysim(&["run", "x.json", "-q", "--out", "out"])
        .done();
    for (file, text) in folder.outputs("out") {
        if file.ends_with(".csv") {
            let (header, _) = table(&text);
            assert_eq!(header[8..10], ["seed", "fabric.buffer_bytes"], "{file}");
            let once = |name: &str| header.iter().filter(|column| *column == name).count();
            assert_eq!((once("scheme"), once("message_bytes")), (1, 1), "{file}");
        }
    }
}

/// The rows of each table that belong to one point, without the column that only the sweep has.
fn rows_of(
    folder: &Folder,
    out: &str,
    point: &[&str; 2],
    buffer: Option<&str>,
) -> Vec<Vec<Vec<String>>> {
    let tables = ["summary.csv", "flows.csv", "queues.csv", "links.csv"];
    let rows = tables.map(|name| {
        let (mut header, mut rows) = table(&folder.read(&format!("{out}/{name}")));
        let (scheme, bytes) = (1, 6);
        rows.retain(|row| row[scheme] == point[0] && row[bytes] == point[1]);
        if let Some(at) = header.iter().position(|name| name == "fabric.buffer_bytes") {
            rows.retain(|row| Some(row[at].as_str()) == buffer);
            for row in rows.iter_mut().chain([&mut header]) {
                row.remove(at);
            }
        }
        rows
    });
    rows.into()
}

#[test]
fn the_rows_of_a_point_do_not_depend_on_the_other_points() {
    let folder = Folder::of(SWEPT);
    folder
        .spraysim(&["run", "x.json", "-q", "--out", "all"])
        .done();
    for (scheme, bytes, buffer) in [
        ("ofan", "5000", "null"),
        ("ar", "30000", "200000"),
        ("jsq", "30000", "null"),
    ] {
        let sets = [
            format!("load_balancing.scheme={scheme}"),
            format!("workload.message_bytes={bytes}"),
            format!("fabric.buffer_bytes={buffer}"),
        ];
        let args = [
            "run", "x.json", "-q", "--out", "one", "--set", &sets[0], "--set", &sets[1], "--set",
            &sets[2],
        ];
        folder.spraysim(&args).done();
        let alone = rows_of(&folder, "one", &[scheme, bytes], None);
        let among = rows_of(&folder, "all", &[scheme, bytes], Some(buffer));
        assert_eq!(alone[0].len(), 2);
        assert_eq!(among, alone, "{sets:?}");
    }
}

#[test]
fn the_command_line_drops_a_sweep_of_what_it_sets() {
    let text = csv(
        &Folder::of(SWEPT),
        &[
            "--set",
            "load_balancing.scheme=drb",
            "--set",
            "fabric.buffer_bytes=null",
        ],
    );
    let rows = columns(&text, &["scheme", "message_bytes"]);
    assert_eq!(
        rows,
        [
            ["drb", "30000"],
            ["drb", "30000"],
            ["drb", "5000"],
            ["drb", "5000"]
        ]
    );
    assert!(!text.contains("fabric.buffer_bytes"));
}

#[test]
fn whole_objects_are_swept_and_shown_as_written() {
    let folder = Folder::of(SWEPT);
    let sweep = r#"sweep={"load_balancing": [{"scheme": "pofan"}, {"scheme": "pofan", "ports_per_pipe": 1}, {"scheme": "ar", "thresholds_pct": []}],
        "workload": [{"kind": "permutation", "message_bytes": 9}, {"kind": "pairs", "pairs": [{"src": 3, "dst": 4, "bytes": 8}]}]}"#;
    let text = csv(&folder, &["--set", sweep, "--repeats", "1"]);
    let rows = columns(
        &text,
        &["scheme", "message_bytes", "flows", "load_balancing"],
    );
    let told: Vec<String> = rows.iter().map(|row| row[..3].join(" ")).collect();
    assert_eq!(
        told,
        [
            "pofan 9 16",
            "pofan 8 1",
            "pofan 9 16",
            "pofan 8 1",
            "ar 9 16",
            "ar 8 1"
        ]
    );
    let objects: Vec<&str> = rows.iter().map(|row| row[3].as_str()).collect();
    assert_eq!(objects[0], r#"{"scheme":"pofan"}"#);
    assert_eq!(objects[2], r#"{"scheme":"pofan","ports_per_pipe":1}"#);
    assert_eq!(objects[4], r#"{"scheme":"ar","thresholds_pct":[]}"#);
}

#[test]
fn a_swept_seed_gives_every_point_its_own_list_of_seeds() {
    let text = csv(&Folder::of(SWEPT), &["--set", r#"sweep={"seed": [10, 1]}"#]);
    let seeds = columns(&text, &["seed"]).concat();
    assert_eq!(seeds, ["10", "11", "1", "2"]);
}

#[test]
fn every_scheme_meets_the_same_permutation_and_start_times_under_one_seed() {
    let folder = Folder::of(SWEPT);
    let schemes: Vec<String> = SCHEMES
        .iter()
        .map(|scheme| format!("\"{}\"", scheme.name))
        .collect();
    let sweep = format!(
        "sweep={{\"load_balancing.scheme\": [{}], \"workload.message_bytes\": [1, 9000]}}",
        schemes.join(",")
    );
    folder
        .spraysim(&["run", "x.json", "-q", "--out", "out", "--set", &sweep])
        .done();
    let rows = columns(
        &folder.read("out/flows.csv"),
        &["scheme", "seed", "flow", "src", "dst", "start_ps"],
    );
    assert_eq!(rows.len(), SCHEMES.len() * 2 * 2 * 16);
    let mut met: BTreeMap<(String, String), Vec<[String; 3]>> = BTreeMap::new();
    for row in rows {
        let [_, seed, flow, src, dst, start] = <[String; 6]>::try_from(row).expect("six columns");
        met.entry((seed, flow)).or_default().push([src, dst, start]);
    }
    assert_eq!(met.len(), 32, "two seeds of 16 flows");
    let mut starts = Vec::new();
    for (flow, mut seen) in met {
        starts.push(seen[0][2].clone());
        seen.dedup();
        assert_eq!(seen.len(), 1, "{flow:?}");
    }
    starts.sort();
    starts.dedup();
    assert!(
        starts.len() > 16,
        "start times are spread, and differ by seed: {starts:?}"
    );
}

#[test]
fn what_is_wrong_at_one_point_names_its_value_and_stops_all() {
    let folder = Folder::of(SWEPT);
    let sweep = r#"sweep={"fabric.k": [4, 5], "load_balancing.scheme": ["rps", "offan"]}"#;
    let lines = folder
        .spraysim(&["run", "x.json", "--set", sweep, "--out", "out"])
        .refused();
    assert_eq!(lines.len(), 2, "{lines:#?}");
    for words in [
        "sweep[\"fabric.k\"][1]: 5 is odd",
        "sweep[\"load_balancing.scheme\"][1]: unknown scheme \"offan\"",
        "did you mean \"ofan\"?",
    ] {
        let told = lines.iter().any(|line| line.contains(words));
        assert!(told, "{words}: {lines:#?}");
    }
    assert_eq!(folder.entries("."), ["x.json"]);
}
