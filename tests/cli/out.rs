//! `--out`: five files that appear together, or not at all, and a scenario that reproduces them.

use std::fs;

use crate::support::{Ended, FILES, Folder, SMALL, column, spraysim_in};

const RUN: [&str; 3] = ["run", "x.json", "--quiet"];

fn run(folder: &Folder, more: &[&str]) -> Ended {
    folder.spraysim(&[&RUN[..], more].concat())
}

/// A scenario with all that may be lost on the way: a sweep, a parameter, an import.
fn swept() -> Folder {
    let base = r#"{"fabric": {"k": 4, "link_gbps": 400}, "load_balancing": {"scheme": "ar", "refresh_ns": 7}}"#;
    let text = r#"{"extends": "../base.json", "name": "deep, \"one\"", "seed": 5, "repeats": 2,
        "workload": {"kind": "htsim_cm", "path": "../data/m.cm"},
        "sweep": {"load_balancing": [{"scheme": "pofan", "ports_per_pipe": 1}, {"scheme": "reps"}], "congestion_control.load": [0.3, 1]}}"#;
    let matrix =
        "Nodes 16\nConnections 2\n0->5 id 4 start 0 size 10000\n9->5 id 3 start 0 size 70000\n";
    Folder::new(&[
        ("base.json", base),
        ("sub/x.json", text),
        ("data/m.cm", matrix),
    ])
}

#[test]
fn exactly_five_files_are_written() {
    let folder = Folder::of(SMALL);
    run(&folder, &["--out", "a/b/out"]).done();
    assert_eq!(folder.entries("a/b"), ["out"]);
    assert_eq!(folder.entries("a/b/out"), FILES);
    let out = "a/b/out";
    let rows = |name: &str| folder.read(&format!("{out}/{name}")).lines().count() - 1;
    // Two runs of 16 flows; six stages; 96 directed links: hosts', edges', aggregation switches'.
    assert_eq!((rows("summary.csv"), rows("flows.csv")), (2, 32));
    assert_eq!((rows("queues.csv"), rows("links.csv")), (12, 2 * 96));
}

#[test]
fn every_table_begins_with_the_same_keys() {
    let folder = Folder::of(SMALL);
    run(&folder, &["--out", "out"]).done();
    for (file, text) in folder.outputs("out") {
        if file.ends_with(".csv") {
            let keys = "scenario,scheme,cca,levels,k,hosts,message_bytes,load,seed,";
            assert!(text.starts_with(keys), "{file}");
            assert!(
                text.lines()
                    .skip(1)
                    .all(|row| row.starts_with("x,rps,none,3,4,16,20000,1.0,")),
                "{file}"
            );
        }
    }
}

#[test]
fn the_written_scenario_reproduces_every_byte_from_anywhere() {
    let folder = swept();
    folder
        .spraysim(&["run", "sub/x.json", "-q", "--out", "one"])
        .done();
    let first = folder.outputs("one");
    let scenario = &first[3].1;
    assert!(
        scenario.contains("\"path\": \"../data/m.cm\""),
        "{scenario}"
    );
    assert!(!scenario.contains("extends"), "{scenario}");

    folder
        .spraysim(&[
            "run",
            "one/scenario.json",
            "-q",
            "--out",
            "two",
            "--threads",
            "2",
        ])
        .done();
    assert_eq!(folder.outputs("two"), first, "from the same folder");

    let args = [
        "run",
        "scenario.json",
        "-q",
        "--out",
        "../three",
        "--engine",
        "heap",
    ];
    spraysim_in(&folder.path("one"), &args).done();
    assert_eq!(folder.outputs("three"), first, "from where it lies");

    let elsewhere = Folder::new(&[]);
    let from = folder.path("one/scenario.json");
    let to = folder.path("four");
    let (from, to) = (from.to_str().expect("UTF-8"), to.to_str().expect("UTF-8"));
    elsewhere.spraysim(&["run", from, "-q", "--out", to]).done();
    assert_eq!(
        folder.outputs("four"),
        first,
        "from elsewhere, by absolute paths"
    );
}

#[test]
fn a_deeper_output_folder_changes_the_path_of_an_import_and_nothing_else() {
    let folder = swept();
    folder
        .spraysim(&["run", "sub/x.json", "-q", "--out", "one"])
        .done();
    folder
        .spraysim(&["run", "one/scenario.json", "-q", "--out", "a/b/two"])
        .done();
    let (one, two) = (folder.outputs("one"), folder.outputs("a/b/two"));
    for (first, second) in one.iter().zip(&two) {
        let moved = first
            .1
            .replace("\"../data/m.cm\"", "\"../../../data/m.cm\"");
        assert_eq!(moved, second.1, "{}", first.0);
    }
    folder
        .spraysim(&["run", "a/b/two/scenario.json", "-q", "--out", "three"])
        .done();
    assert_eq!(folder.outputs("three"), one);
}

#[test]
fn a_scenario_can_be_run_into_the_folder_that_it_lies_in() {
    let folder = swept();
    folder
        .spraysim(&["run", "sub/x.json", "-q", "--out", "one"])
        .done();
    let first = folder.outputs("one");
    spraysim_in(
        &folder.path("one"),
        &["run", "scenario.json", "-q", "--out", "."],
    )
    .done();
    assert_eq!(folder.outputs("one"), first);
}

#[test]
fn overrides_of_the_command_line_are_in_the_written_scenario() {
    let folder = Folder::of(SMALL);
    let sets = [
        "--set",
        "load_balancing.scheme=ofan",
        "--seed",
        "7",
        "--repeats",
        "3",
        "--threads",
        "2",
        "--engine",
        "heap",
    ];
    run(&folder, &[&sets[..], &["--out", "one"]].concat()).done();
    let scenario = folder.read("one/scenario.json");
    for absent in ["threads", "engine", "heap", "out"] {
        assert!(!scenario.contains(absent), "{absent}: {scenario}");
    }
    folder
        .spraysim(&["run", "one/scenario.json", "-q", "--out", "two"])
        .done();
    assert_eq!(folder.outputs("two"), folder.outputs("one"));
    assert_eq!(
        column(&folder.read("two/summary.csv"), "seed"),
        ["7", "8", "9"]
    );
}

#[test]
fn no_table_knows_a_path_or_a_date() {
    let folder = swept();
    folder
        .spraysim(&["run", "sub/x.json", "-q", "--out", "one"])
        .done();
    let here = folder.path(".").display().to_string();
    for (file, text) in folder.outputs("one") {
        assert!(!text.contains(here.trim_end_matches(".")), "{file}");
        assert!(file == "scenario.json" || !text.contains("m.cm"), "{file}");
    }
}

#[test]
fn existing_files_are_replaced_and_others_are_left_alone() {
    let folder = Folder::of(SMALL);
    run(&folder, &["--out", "fresh"]).done();
    for name in FILES {
        folder.write(&format!("used/{name}"), "old");
    }
    folder.write("used/notes.txt", "mine");
    run(&folder, &["--out", "used"]).done();
    assert_eq!(folder.read("used/notes.txt"), "mine");
    fs::remove_file(folder.path("used/notes.txt")).expect("it is there");
    assert_eq!(folder.outputs("used"), folder.outputs("fresh"));
}

#[test]
fn an_output_folder_that_cannot_be_is_refused_before_any_run() {
    // This would take hours.
    let long = SMALL
        .replace("20000", "1000000000")
        .replace("\"k\": 4", "\"k\": 16");
    let folder = Folder::of(&long);
    folder.write("file", "mine");
    folder.write("taken/flows.csv/x", "mine");
    for out in ["file", "file/out", "taken", "/proc/no/such/place"] {
        let lines = run(&folder, &["--out", out]).refused();
        assert!(
            lines[0].starts_with(&format!("error: --out {out}: ")),
            "{lines:?}"
        );
    }
    assert_eq!(folder.entries("."), ["file", "taken", "x.json"]);
    assert_eq!(folder.entries("taken"), ["flows.csv"]);
    assert_eq!(folder.read("file"), "mine");
}

#[test]
fn a_refused_scenario_leaves_nothing_behind() {
    let folder = Folder::of(SMALL);
    run(&folder, &["--out", "out/deep", "--set", "fabric.k=3"]).refused();
    assert_eq!(folder.entries("."), ["x.json"]);
}

#[test]
fn unfinished_runs_are_written_all_the_same() {
    let folder = Folder::of(SMALL);
    let ended = run(&folder, &["--out", "out", "--set", "horizon_us=2"]);
    assert_eq!(ended.code, 3);
    assert_eq!(folder.entries("out"), FILES);
    let again = folder.spraysim(&["run", "out/scenario.json", "-q", "--out", "again"]);
    assert_eq!(again.code, 3);
    assert_eq!(folder.outputs("again"), folder.outputs("out"));
}
