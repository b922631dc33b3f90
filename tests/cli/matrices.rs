//! The connection matrices of other simulators run to the end, and what is read and ignored is told.

use crate::support::{Folder, columns, input, table};

/// Name, levels, k, flows and bytes of every matrix.
const MATRICES: [(&str, u8, u32, usize, u64); 18] = [
    ("test_cr_1f1m10p", 3, 2, 1, 40_860),
    ("test_cr_1f10m1p", 3, 2, 10, 40_860),
    ("one", 3, 4, 1, 2_000_000),
    ("bidir", 3, 4, 2, 4_000_000),
    ("incast", 3, 4, 15, 30_000_000),
    ("own_two_flows_one_uplink", 2, 4, 2, 40_000_000),
    ("own_incast_128n_32to1_8MiB", 3, 8, 32, 268_435_456),
    ("perm_16n_16c_2MB", 3, 4, 16, 32_000_000),
    ("tornado_n16_s4194304", 3, 4, 16, 67_108_864),
    ("all_red_ring_1mb", 3, 4, 496, 496_000_000),
    ("alltoall_serial_16n", 3, 4, 240, 480_000_000),
    ("perm_32n_32c_2MB", 2, 8, 32, 64_000_000),
    ("40load_32", 2, 8, 836, 2_573_556_456),
    ("allreduce_t", 2, 8, 160, 3_200_000_000),
    ("incast_128", 3, 8, 127, 254_000_000),
    ("outcast_incast", 3, 8, 21, 42_000_000),
    ("perm_128n_128c_2MB", 3, 8, 128, 256_000_000),
    ("perm_432n_1MiB", 3, 12, 432, 452_984_832),
];

fn scenario(name: &str, levels: u8, k: u32) -> Option<String> {
    let file = input(&format!("htsim_cm/{name}.cm"))?;
    let mut workload = serde_json::json!({"kind": "htsim_cm", "path": file});
    match name {
        "40load_32" => workload["start_unit"] = "ps".into(),
        "own_two_flows_one_uplink" => workload["start_unit"] = "us".into(),
        _ => {}
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
fn every_matrix_runs_to_the_end_on_its_plain_fat_tree() {
    for (name, levels, k, flows, bytes) in MATRICES {
        let Some(scenario) = scenario(name, levels, k) else {
            return;
        };
        let folder = Folder::of(&scenario);
        let ended = folder
            .spraysim(&["run", "x.json", "--csv", "--quiet", "--out", "out"])
            .done();
        let names = [
            "flows",
            "finished_flows",
            "dropped_packets",
            "delivered_bytes",
        ];
        let told = columns(&ended.out, &names);
        let flows = flows.to_string();
        let expected = [flows.as_str(), flows.as_str(), "0", &bytes.to_string()];
        assert_eq!(told, [expected], "{name}");
        let finished = columns(&folder.read("out/flows.csv"), &["finished"]).concat();
        assert!(finished.iter().all(|finished| finished == "true"), "{name}");
        assert_eq!(finished.len().to_string(), flows);
    }
}

/// The number behind `word` on a line of a matrix.
fn number(line: &str, word: &str) -> Option<usize> {
    let mut words = line.split_whitespace();
    words.find(|found| *found == word)?;
    words.next()?.parse().ok()
}

#[test]
fn every_flow_of_the_matrices_with_triggers_starts_a_trigger_latency_after_the_one_before() {
    for (name, levels, k) in [
        ("all_red_ring_1mb", 3, 4),
        ("alltoall_serial_16n", 3, 4),
        ("allreduce_t", 2, 8),
    ] {
        let (Some(scenario), Some(file)) = (
            scenario(name, levels, k),
            input(&format!("htsim_cm/{name}.cm")),
        ) else {
            return;
        };
        let folder = Folder::of(&scenario);
        folder
            .spraysim(&["run", "x.json", "--quiet", "--out", "out"])
            .done();
        let times = columns(
            &folder.read("out/flows.csv"),
            &["src", "release_ps", "start_ps", "end_ps"],
        );
        let ps = |flow: usize, column: usize| -> u64 { times[flow][column].parse().expect("ps") };
        let text = std::fs::read_to_string(file).expect("a matrix");
        let lines: Vec<&str> = text.lines().filter(|line| line.contains("->")).collect();
        let mut triggered = 0;
        for (flow, line) in lines.iter().enumerate() {
            let Some(trigger) = number(line, "trigger") else {
                continue;
            };
            let is_it = |line: &&str| number(line, "send_done_trigger") == Some(trigger);
            let before = lines.iter().position(is_it).expect("an activator");
            let latency = if times[before][0] == times[flow][0] {
                0
            } else {
                500_000
            };
            assert_eq!(ps(flow, 1), ps(before, 3) + latency, "{name}: {line}");
            assert!(ps(flow, 2) >= ps(flow, 1), "{name}: {line}");
            triggered += 1;
        }
        assert_eq!(
            triggered,
            number(&text, "Triggers").expect("a count"),
            "{name}"
        );
    }
}

#[test]
fn ten_messages_of_one_connection_take_their_turns_and_are_told_apart() {
    let Some(scenario) = scenario("test_cr_1f10m1p", 3, 2) else {
        return;
    };
    let folder = Folder::of(&scenario);
    folder
        .spraysim(&["run", "x.json", "--quiet", "--out", "out"])
        .done();
    let rows = columns(
        &folder.read("out/flows.csv"),
        &["flow", "id", "message", "packets", "start_ps", "release_ps"],
    );
    let first: u64 = rows[0][5].parse().expect("ps");
    for (i, row) in rows.iter().enumerate() {
        let number = i.to_string();
        // Frames of 4,148 bytes and gaps of 20 at 10 ps a byte.
        let start = (first + i as u64 * 41_680).to_string();
        let expected = [&number, "1", &number, "1", &start, &first.to_string()];
        assert_eq!(row, &expected);
    }
}

/// A matrix of 16 hosts with these lines, and a scenario that runs it.
fn of(lines: &[&str]) -> Folder {
    let count = |wanted: fn(&&&str) -> bool| lines.iter().filter(wanted).count();
    let matrix = format!(
        "Nodes 16\nConnections {}\nTriggers {}\n{}\n",
        count(|line| line.contains("->")),
        count(|line| line.starts_with("trigger")),
        lines.join("\n")
    );
    let scenario = r#"{"repeats": 1, "fabric": {"k": 4}, "load_balancing": {"scheme": "ofan"}, "workload": {"kind": "htsim_cm", "path": "m.cm"}}"#;
    Folder::new(&[("m.cm", &matrix), ("x.json", scenario)])
}

#[test]
fn what_was_read_and_what_was_ignored_is_told_once() {
    let lines = [
        "0->1 id 1 msg start 0 size 7 prio 3 send_done_trigger 1",
        "0->1 id 1 msg start 0 size 5",
        "1->0 trigger 1 size 1",
        "trigger id 1 oneshot",
    ];
    let folder = of(&lines);
    let told = "m.cm: 3 flows, 13 bytes, 1 trigger, 1 re-used connection of 2 messages; ignored: `prio` on 1 line";
    let run = folder.spraysim(&["run", "x.json"]).done();
    assert_eq!(
        run.err.lines().filter(|line| *line == told).count(),
        1,
        "{}",
        run.err
    );
    let check = folder.spraysim(&["check", "x.json"]).done();
    assert_eq!(
        check.out.lines().filter(|line| *line == told).count(),
        1,
        "{}",
        check.out
    );
    assert!(
        check
            .out
            .contains("1 with targets, 500.00 ns between hosts"),
        "{}",
        check.out
    );
    let quiet = folder.spraysim(&["run", "x.json", "--quiet"]).done();
    assert_eq!(quiet.err, "");
}

#[test]
fn what_can_never_start_is_refused_with_file_and_line() {
    let cases: [(&[&str], &str); 5] = [
        (
            &["0->1 trigger 4 size 1", "trigger id 4 oneshot"],
            "m.cm: line 5: trigger 4 never fires for the flows of line 4: no flow activates it",
        ),
        (
            &[
                "0->1 start 0 size 1 send_done_trigger 4",
                "2->1 trigger 4 size 1",
                "trigger id 4 barrier count 3",
            ],
            "m.cm: line 6: trigger 4 has 1 activation (line 4); allowed for this barrier: exactly its `count`, 3",
        ),
        (
            &["0->1 trigger 8 size 1"],
            "m.cm: line 4: trigger 8 does not exist; allowed: the `id` of a `trigger` line",
        ),
        (
            &[
                "0->1 trigger 1 size 1 send_done_trigger 2",
                "1->2 trigger 2 size 1 send_done_trigger 1",
                "trigger id 1 oneshot",
                "trigger id 2 oneshot",
            ],
            "m.cm: line 4: the flows of lines 4, 5 wait for one another, so none of them starts",
        ),
        (
            &[
                "0->1 id 3 msg start 0 size 1",
                "0->2 id 3 msg start 0 size 1",
            ],
            "m.cm: line 5: `0->2`: connection `id 3` is `0->1` on line 4",
        ),
    ];
    for (lines, expected) in cases {
        let told = of(lines).spraysim(&["run", "x.json"]).refused();
        assert_eq!(told, [format!("error: x.json: workload.path: {expected}")]);
    }
}

#[test]
fn triggers_that_wait_for_acks_are_refused_where_there_are_none() {
    let folder = of(&[
        "0->1 start 0 size 1 send_done_trigger 1",
        "1->2 trigger 1 size 1",
        "trigger id 1 oneshot",
    ]);
    let args = ["check", "x.json", "--set", "packet.acks=none"];
    let told = folder.spraysim(&args).refused();
    let words = "m.cm: line 4: `send_done_trigger` waits for ACKs, and packet.acks is \"none\"; allowed: `recv_done_trigger`, or \"per_packet\"";
    assert!(told.len() == 1 && told[0].ends_with(words), "{told:?}");
}

#[test]
fn a_flow_that_waits_for_one_that_never_ends_within_the_horizon_has_no_times() {
    let folder = of(&[
        "0->15 start 0 size 1000000 send_done_trigger 1",
        "1->2 trigger 1 size 1",
        "trigger id 1 oneshot",
    ]);
    let args = [
        "run",
        "x.json",
        "-q",
        "--out",
        "out",
        "--set",
        "horizon_us=2",
    ];
    assert_eq!(folder.spraysim(&args).code, 3);
    let (_, rows) = table(&folder.read("out/flows.csv"));
    assert_eq!(rows.len(), 2);
    let times = columns(
        &folder.read("out/flows.csv"),
        &[
            "release_ps",
            "start_ps",
            "end_ps",
            "fct_ps",
            "packets",
            "finished",
        ],
    );
    assert_eq!(times[1], ["", "", "", "", "0", "false"]);
    assert!(times[0][0].parse::<u64>().is_ok());
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
    let mut known: Vec<&str> = MATRICES.iter().map(|matrix| matrix.0).collect();
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
