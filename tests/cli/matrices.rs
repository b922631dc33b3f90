//! The connection matrices of other simulators: those without triggers run to the end, the others are refused by name.

use crate::support::{Folder, columns, input};

/// Name, levels, k and flows of every matrix without triggers.
const MATRICES: [(&str, u8, u32, usize); 12] = [
    ("test_cr_1f1m10p", 3, 2, 1),
    ("one", 3, 4, 1),
    ("bidir", 3, 4, 2),
    ("incast", 3, 4, 15),
    ("perm_16n_16c_2MB", 3, 4, 16),
    ("tornado_n16_s4194304", 3, 4, 16),
    ("perm_32n_32c_2MB", 2, 8, 32),
    ("40load_32", 2, 8, 836),
    ("incast_128", 3, 8, 127),
    ("outcast_incast", 3, 8, 21),
    ("perm_128n_128c_2MB", 3, 8, 128),
    ("perm_432n_1MiB", 3, 12, 432),
];

/// Every matrix that has triggers or messages, the words that refuse it, and k.
const REFUSED: [(&str, &str, u32); 4] = [
    ("all_red_ring_1mb", "triggers are not supported yet", 4),
    ("allreduce_t", "triggers are not supported yet", 4),
    ("alltoall_serial_16n", "triggers are not supported yet", 4),
    (
        "test_cr_1f10m1p",
        "`msg`: messages on a re-used connection are not supported yet",
        2,
    ),
];

fn scenario(name: &str, levels: u8, k: u32) -> Option<String> {
    let file = input(&format!("htsim_cm/{name}.cm"))?;
    let mut workload = serde_json::json!({"kind": "htsim_cm", "path": file});
    if name == "40load_32" {
        workload["start_unit"] = "ps".into();
    }
    let scenario = serde_json::json!({
        "repeats": 1,
        "fabric": {"levels": levels, "k": k},
        "load_balancing": {"scheme": "ofan"},
        "workload": workload,
    });
    Some(scenario.to_string())
}

#[test]
fn every_matrix_without_triggers_runs_to_the_end_on_its_plain_fat_tree() {
    for (name, levels, k, flows) in MATRICES {
        let Some(scenario) = scenario(name, levels, k) else {
            return;
        };
        let folder = Folder::of(&scenario);
        let ended = folder
            .spraysim(&["run", "x.json", "--csv", "--quiet", "--out", "out"])
            .done();
        let told = columns(&ended.out, &["flows", "finished_flows", "dropped_packets"]);
        let flows = flows.to_string();
        assert_eq!(told, [[flows.as_str(), flows.as_str(), "0"]], "{name}");
        let finished = columns(&folder.read("out/flows.csv"), &["finished"]).concat();
        assert!(finished.iter().all(|finished| finished == "true"), "{name}");
        assert_eq!(finished.len().to_string(), flows);
    }
}

#[test]
fn matrices_with_triggers_or_messages_are_refused_by_name() {
    for (name, words, k) in REFUSED {
        let Some(scenario) = scenario(name, 3, k) else {
            return;
        };
        let lines = Folder::of(&scenario).spraysim(&["run", "x.json"]).refused();
        assert!(
            lines.iter().any(|line| line.contains(words)),
            "{name}: {lines:#?}"
        );
        let named = format!("{name}.cm: line ");
        assert!(lines.iter().all(|line| line.contains(&named)), "{lines:#?}");
    }
}

#[test]
fn every_matrix_there_is_known_to_these_tests() {
    let Some(folder) = input("htsim_cm") else {
        return;
    };
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "cm"))
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    found.sort();
    let runs = MATRICES.iter().map(|matrix| matrix.0);
    let mut known: Vec<&str> = runs.chain(REFUSED.iter().map(|matrix| matrix.0)).collect();
    known.sort_unstable();
    assert_eq!(found, known);
}

#[test]
fn starts_without_a_unit_are_refused_with_the_units_there_are() {
    let Some(scenario) = scenario("40load_32", 2, 8) else {
        return;
    };
    let folder = Folder::of(&scenario);
    let args = ["check", "x.json", "--set", "workload.start_unit=null"];
    let lines = folder.spraysim(&args).refused();
    assert!(
        lines[0].contains("has no unit; set `start_unit` to \"us\" or \"ps\""),
        "{lines:?}"
    );
}

#[test]
fn a_matrix_that_does_not_fit_the_fabric_is_refused_with_the_tree_that_fits() {
    let Some(scenario) = scenario("perm_432n_1MiB", 3, 4) else {
        return;
    };
    let lines = Folder::of(&scenario)
        .spraysim(&["check", "x.json"])
        .refused();
    let words = "Nodes 432 but this fabric has 16 hosts; a fat tree of k = 12 has 432";
    assert!(lines.len() == 1 && lines[0].ends_with(words), "{lines:?}");
}

#[test]
fn ids_and_hosts_of_a_matrix_are_in_the_table_of_flows() {
    let matrix =
        "Nodes 16\nConnections 2\n3->14 id 77 start 0 size 5\n0->1 id 4 start 0 size 9000\n";
    let scenario = r#"{"repeats": 1, "fabric": {"k": 4}, "load_balancing": {"scheme": "ecmp"}, "workload": {"kind": "htsim_cm", "path": "m.cm"}}"#;
    let folder = Folder::new(&[("m.cm", matrix), ("x.json", scenario)]);
    folder
        .spraysim(&["run", "x.json", "-q", "--out", "out"])
        .done();
    let rows = columns(
        &folder.read("out/flows.csv"),
        &["flow", "id", "src", "dst", "bytes", "packets"],
    );
    assert_eq!(
        rows,
        [
            ["0", "77", "h3", "h14", "5", "1"],
            ["1", "4", "h0", "h1", "9000", "3"]
        ]
    );
}
