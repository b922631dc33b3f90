//! `spraysim run`: stdout, stderr, exit codes, and the options that change a scenario or how it is run.

use crate::support::{Folder, SMALL, column, columns, table};

const CSV: [&str; 4] = ["run", "x.json", "--csv", "--quiet"];

fn csv(folder: &Folder, more: &[&str]) -> String {
    folder.spraysim(&[&CSV[..], more].concat()).done().out
}

#[test]
fn csv_on_stdout_is_the_summary_and_nothing_else() {
    let folder = Folder::of(SMALL);
    let loud = folder
        .spraysim(&["run", "x.json", "--csv", "--out", "out"])
        .done();
    assert_eq!(loud.out, folder.read("out/summary.csv"));
    let (header, rows) = table(&loud.out);
    let expected = "scenario,scheme,cca,levels,k,hosts,message_bytes,load,seed,flows,finished_flows,cct_ps,lower_bound_ps,\
                    cct_increase_pct,utilization_mean,utilization_peak,queue_max_packets,queue_max_bytes,queue_mean_packets,\
                    queue_mean_up_packets,queue_mean_down_packets,data_packets,ack_packets,dropped_packets,ecn_marked_packets,\
                    retransmitted_packets,packet_hops";
    assert!(header.join(",").starts_with(expected), "{header:?}");
    assert_eq!(rows.len(), 2);
    assert!(loud.out.ends_with('\n'));
    assert!(!loud.err.is_empty(), "messages go to stderr");
    let quiet = folder.spraysim(&CSV).done();
    assert_eq!((quiet.out, quiet.err.as_str()), (loud.out, ""));
}

#[test]
fn without_csv_a_table_has_a_line_a_point_with_mean_and_error() {
    let folder = Folder::of(SMALL);
    let sweep = r#"sweep={"load_balancing.scheme": ["rps", "ofan", "drb"]}"#;
    let ended = folder.spraysim(&["run", "x.json", "--set", sweep]).done();
    for scheme in ["rps", "ofan", "drb"] {
        let mut lines = ended.out.lines().filter(|line| line.contains(scheme));
        let line = lines
            .next()
            .unwrap_or_else(|| panic!("no line for {scheme}: {}", ended.out));
        assert!(line.contains('±'), "{line}");
        assert_eq!(lines.next(), None);
    }
    assert!(
        ended.err.contains("3 points") && ended.err.contains("6 runs"),
        "{}",
        ended.err
    );
    assert!(
        !ended.err.contains('\u{1b}'),
        "no progress bar where there is no terminal"
    );
    let quiet = folder
        .spraysim(&["run", "x.json", "--set", sweep, "-q"])
        .done();
    assert_eq!((quiet.out, quiet.err.as_str()), (ended.out, ""));
}

#[test]
fn unfinished_flows_end_with_3_and_are_told_in_rows_and_on_stderr() {
    let folder = Folder::of(SMALL);
    let args = [
        "run",
        "x.json",
        "--csv",
        "--set",
        "horizon_us=1",
        "--out",
        "out",
    ];
    let ended = folder.spraysim(&args);
    assert_eq!(ended.code, 3, "{}", ended.err);
    let told = columns(
        &ended.out,
        &["flows", "finished_flows", "cct_ps", "cct_increase_pct"],
    );
    assert_eq!(told, [["16", "0", "", ""], ["16", "0", "", ""]]);
    assert!(
        ended.err.contains("16 of 16 flows unfinished"),
        "{}",
        ended.err
    );
    let flows = columns(
        &folder.read("out/flows.csv"),
        &["end_ps", "fct_ps", "finished"],
    );
    assert_eq!(flows.len(), 32);
    assert!(flows.iter().all(|row| *row == ["", "", "false"]));
}

#[test]
fn a_dropped_packet_leaves_its_flow_unfinished() {
    let folder = Folder::of(SMALL);
    let incast = r#"workload={"kind": "pairs", "pairs": [{"src": 4, "dst": 0, "bytes": 100000}, {"src": 8, "dst": 0, "bytes": 100000}]}"#;
    let args = [
        "run",
        "x.json",
        "--csv",
        "--quiet",
        "--set",
        incast,
        "--set",
        "fabric.buffer_bytes=9000",
    ];
    let ended = folder.spraysim(&args);
    assert_eq!((ended.code, ended.err.as_str()), (3, ""));
    let dropped = column(&ended.out, "dropped_packets");
    assert!(dropped.iter().all(|packets| packets != "0"), "{dropped:?}");
    assert!(column(&ended.out, "cct_ps").iter().all(String::is_empty));
}

#[test]
fn set_reaches_nested_keys_reads_json_and_takes_anything_else_as_a_string() {
    let folder = Folder::of(SMALL);
    let sets = [
        "--set",
        "name=a b",
        "--set",
        "fabric.k=6",
        "--set",
        "load_balancing={\"scheme\": \"ar\", \"thresholds_pct\": [10]}",
        "--set",
        "workload.message_bytes=4096",
        "--set",
        "congestion_control.load=0.5",
    ];
    let shown = ["scenario", "scheme", "hosts", "message_bytes", "load"];
    let rows = columns(&csv(&folder, &sets), &shown);
    assert_eq!(rows[0], ["a b", "ar", "54", "4096", "0.5"]);
    let quoted = columns(
        &csv(
            &folder,
            &[
                "--set",
                "name=\"7\"",
                "--set",
                "load_balancing.scheme=\"jsq\"",
            ],
        ),
        &shown,
    );
    assert_eq!(quoted[0][..2], ["7", "jsq"]);
}

#[test]
fn set_reaches_into_lists_and_the_last_of_two_wins() {
    let pairs = r#"{"repeats": 1, "fabric": {"k": 4}, "load_balancing": {"scheme": "rps"},
        "workload": {"kind": "pairs", "pairs": [{"src": 0, "dst": 9, "bytes": 1}, {"src": 1, "dst": 8, "bytes": 1}]}}"#;
    let folder = Folder::of(pairs);
    let args = [
        "run",
        "x.json",
        "-q",
        "--out",
        "out",
        "--set",
        "workload.pairs[1].dst=5",
        "--set",
        "workload.pairs[1].dst=7",
    ];
    folder.spraysim(&args).done();
    assert_eq!(column(&folder.read("out/flows.csv"), "dst"), ["h9", "h7"]);
}

#[test]
fn setting_a_scheme_takes_its_defaults() {
    let text = SMALL.replace(
        r#"{"scheme": "rps"}"#,
        r#"{"scheme": "pofan", "ports_per_pipe": 1}"#,
    );
    let folder = Folder::of(&text);
    let check = |sets: &[&str]| {
        folder
            .spraysim(&[&["check", "x.json"], sets].concat())
            .done()
            .out
    };
    assert!(check(&[]).contains("\"ports_per_pipe\": 1"));
    assert!(check(&["--set", "load_balancing.scheme=pofan"]).contains("\"ports_per_pipe\": 4"));
    assert!(!check(&["--set", "load_balancing.scheme=rps"]).contains("ports_per_pipe"));
}

#[test]
fn a_bad_set_is_refused_by_its_own_name() {
    let folder = Folder::of(SMALL);
    for (set, place) in [
        ("fabric.k", "--set fabric.k: "),
        (
            "fabric.k=",
            "--set fabric.k=: fabric.k: \"\" is a string; allowed: ",
        ),
        ("fabric..k=4", "--set fabric..k=4: "),
        (
            "fabric.kk=4",
            "--set fabric.kk=4: fabric.kk: unknown key \"kk\"; allowed: ",
        ),
        (
            "load_balancing.scheme=offan",
            "--set load_balancing.scheme=offan: load_balancing.scheme: unknown scheme \"offan\"; allowed: ",
        ),
        ("name.x=1", "--set name.x=1: "),
        ("extends=y.json", "--set extends=y.json: extends: "),
    ] {
        let lines = folder.spraysim(&["run", "x.json", "--set", set]).refused();
        assert_eq!(lines.len(), 1, "{lines:#?}");
        assert!(
            lines[0].starts_with(&format!("error: {place}")),
            "{lines:?}"
        );
    }
}

#[test]
fn seed_and_repeats_win_over_the_file_and_name_the_rows() {
    let folder = Folder::of(SMALL);
    let seeds = |more: &[&str]| column(&csv(&folder, more), "seed");
    assert_eq!(seeds(&[]), ["1", "2"]);
    assert_eq!(
        seeds(&["--seed", "40", "--repeats", "3"]),
        ["40", "41", "42"]
    );
    assert_eq!(seeds(&["--set", "seed=9", "--set", "repeats=1"]), ["9"]);
    let last = ["--seed", "18446744073709551614", "--repeats", "1"];
    assert_eq!(seeds(&last), ["18446744073709551614"]);
}

#[test]
fn a_run_with_a_seed_is_that_row_of_a_longer_list_of_repeats() {
    let folder = Folder::of(SMALL);
    let all = csv(&folder, &["--repeats", "4"]);
    let third = csv(&folder, &["--seed", "3", "--repeats", "1"]);
    assert_eq!(all.lines().nth(3), third.lines().nth(1));
    assert_ne!(all.lines().nth(1), third.lines().nth(1));
}

#[test]
fn without_latency_windows_are_refused_and_the_heap_is_the_default() {
    let folder = Folder::of(SMALL);
    let zero = ["--set", "fabric.link_latency_ns=0"];
    let args = [&CSV[..], &zero, &["--engine", "windowed", "--out", "out"]].concat();
    let lines = folder.spraysim(&args).refused();
    assert!(
        lines[0].contains("--engine windowed needs a link latency"),
        "{lines:?}"
    );
    assert!(lines[0].contains("fabric.link_latency_ns"), "{lines:?}");
    assert_eq!(folder.entries("."), ["x.json"]);
    let heap = csv(&folder, &[&zero[..], &["--engine", "heap"]].concat());
    assert_eq!(csv(&folder, &zero), heap);
}

#[test]
fn a_zero_latency_at_one_point_alone_refuses_windows_before_any_run() {
    let folder = Folder::of(SMALL);
    let sweep = r#"sweep={"fabric.link_latency_ns": [500, 0]}"#;
    let args = [&CSV[..], &["--set", sweep, "--engine", "windowed"]].concat();
    folder.spraysim(&args).refused();
    assert_eq!(csv(&folder, &["--set", sweep]).lines().count(), 5);
}

#[test]
fn more_threads_than_runs_are_fine() {
    let folder = Folder::of(SMALL);
    assert_eq!(
        csv(&folder, &["--threads", "64"]),
        csv(&folder, &["--threads", "1"])
    );
}

#[test]
fn a_run_that_would_not_fit_is_refused_with_the_figure_of_check() {
    let large = r#"{"fabric": {"k": 32}, "load_balancing": {"scheme": "rsq"},
        "workload": {"kind": "permutation", "message_bytes": 1048576}}"#;
    let folder = Folder::of(large);
    let check = folder.spraysim(&["check", "x.json"]).out;
    let figures = check
        .split_once("memory          about ")
        .map(|(_, rest)| rest);
    let figures = figures.and_then(|rest| rest.split_once(" on several threads)"));
    let (alone, several) = figures
        .and_then(|(figures, _)| figures.split_once(" GB a run ("))
        .unwrap_or_else(|| panic!("{check}"));
    for (threads, figure) in [("1", alone), ("2", several)] {
        let args = ["run", "x.json", "--out", "out", "--max-memory", "0.1"];
        let lines = folder
            .spraysim(&[&args[..], &["--threads", threads]].concat())
            .refused();
        let wanted = format!("--max-memory 0.1: 1 run at a time would take about {figure} GB");
        assert!(lines[0].contains(&wanted), "{lines:?}");
    }
    assert_eq!(folder.entries("."), ["x.json"]);
    for wrong in ["0", "-1", "nan", "inf", "much"] {
        folder
            .spraysim(&["run", "x.json", "--csv", "--max-memory", wrong])
            .refused();
    }
}

#[test]
fn a_run_that_fits_is_done() {
    let folder = Folder::of(SMALL);
    assert_eq!(csv(&folder, &["--max-memory", "0.5"]), csv(&folder, &[]));
}
