//! `spraysim check`: validation, what follows from a scenario, and the effective scenario.

use crate::support::{Folder, SMALL};

fn line<'a>(text: &'a str, name: &str) -> &'a str {
    let mut lines = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix(name));
    lines
        .next()
        .unwrap_or_else(|| panic!("no {name} in {text}"))
        .trim()
}

#[test]
fn what_follows_from_the_fabric_of_the_paper_is_printed() {
    let folder = Folder::of(SMALL);
    let sets = [
        "--set",
        "fabric.k=12",
        "--set",
        "workload.message_bytes=1048576",
    ];
    let args = [&["check", "x.json"], &sets[..]].concat();
    let text = folder.spraysim(&args).done().out;
    assert_eq!(line(&text, "hosts "), "432");
    assert_eq!(
        line(&text, "switches "),
        "180 (72 edge, 72 aggregation, 36 core)"
    );
    assert_eq!(line(&text, "links "), "1296 (2592 directed)");
    assert!(
        line(&text, "lower bound ").starts_with("17.05694 us (permutation)"),
        "{text}"
    );
    assert!(line(&text, "base RTT ").contains(" us"));
    assert!(line(&text, "BDP ").contains(" packets"));
    // 432 hosts, 256 data packets and ACKs each, at most 6 hops.
    let hops = line(&text, "packet-hops ");
    let hops: u64 = hops
        .split(' ')
        .nth(1)
        .expect("about N a run")
        .parse()
        .expect("a number");
    assert!((1_100_000..=432 * 256 * 2 * 6).contains(&hops), "{hops}");
}

#[test]
fn a_two_level_tree_has_no_core_switches() {
    let folder = Folder::of(SMALL);
    let text = folder
        .spraysim(&["check", "x.json", "--set", "fabric.levels=2"])
        .done()
        .out;
    assert_eq!(line(&text, "hosts "), "8");
    assert_eq!(line(&text, "switches "), "6 (4 edge, 2 aggregation)");
}

#[test]
fn the_estimate_of_packet_hops_is_what_a_run_counts() {
    let pairs = r#"{"repeats": 1, "fabric": {"k": 4}, "load_balancing": {"scheme": "ofan"},
        "workload": {"kind": "pairs", "pairs": [{"src": 0, "dst": 15, "bytes": 9000}, {"src": 0, "dst": 1, "bytes": 1}]}}"#;
    let split = SMALL.replace("rps", "ethereal");
    for text in [SMALL, pairs, &split] {
        let folder = Folder::of(text);
        let told = folder
            .spraysim(&["check", "x.json", "--seed", "3"])
            .done()
            .out;
        let told = line(&told, "packet-hops ")
            .split(' ')
            .nth(1)
            .map(str::to_owned);
        let args = ["run", "x.json", "--seed", "3", "--repeats", "1", "--csv"];
        let counted = crate::support::column(&folder.spraysim(&args).done().out, "packet_hops");
        assert_eq!(counted.first(), told.as_ref());
    }
}

#[test]
fn the_effective_scenario_is_printed_whole_and_runs_the_same() {
    let folder = Folder::of(SMALL);
    let text = folder
        .spraysim(&["check", "x.json", "--set", "fabric.link_gbps=400"])
        .done()
        .out;
    let (_, effective) = text
        .split_once("effective scenario\n")
        .expect("it is announced");
    for key in [
        "\"link_gbps\": 400",
        "\"ecn_threshold_bytes\": \"auto\"",
        "\"start_jitter\": \"slot\"",
    ] {
        assert!(effective.contains(key), "{key}: {effective}");
    }
    folder.write("y.json", effective);
    let again = folder.spraysim(&["check", "y.json"]).done().out;
    assert_eq!(again, text);
    let run = |args: &[&str]| {
        folder
            .spraysim(&[&["run", "--csv", "--quiet"], args].concat())
            .done()
            .out
    };
    assert_eq!(
        run(&["y.json"]),
        run(&["x.json", "--set", "fabric.link_gbps=400"])
    );
}

#[test]
fn nothing_is_simulated_or_written() {
    let folder = Folder::of(SMALL);
    // This would take hours.
    let args = [
        "check",
        "x.json",
        "--set",
        "fabric.k=16",
        "--set",
        "workload.message_bytes=1e10",
        "--repeats",
        "1000",
    ];
    let ended = folder.spraysim(&args).done();
    assert_eq!(ended.err, "");
    assert!(
        ended
            .out
            .starts_with("x: 1 point x 1000 repeats = 1000 runs, about "),
        "{}",
        ended.out
    );
    assert_eq!(folder.entries("."), ["x.json"]);
}

#[test]
fn points_of_a_sweep_are_grouped_by_what_follows_from_them() {
    let folder = Folder::of(SMALL);
    let sweep = r#"sweep={"load_balancing.scheme": ["rps", "ofan"], "fabric.k": [4, 6]}"#;
    let text = folder
        .spraysim(&["check", "x.json", "--set", sweep])
        .done()
        .out;
    assert!(
        text.starts_with("x: 4 points x 2 repeats = 8 runs"),
        "{text}"
    );
    assert_eq!(text.matches("  hosts ").count(), 2, "{text}");
    assert!(
        text.contains("point 1 (scheme=rps, k=4)\npoint 3 (scheme=ofan, k=4)\n"),
        "{text}"
    );
}

#[test]
fn check_and_run_refuse_the_same_with_the_same_words() {
    let folder = Folder::of(SMALL);
    for sets in [
        &["--set", "fabric.k=5"][..],
        &[
            "--set",
            "load_balancing.scheme=offan",
            "--set",
            "fabric.levels=9",
        ],
        &["--set", "nonsense"],
        &["--seed", "18446744073709551615"],
    ] {
        let check = folder
            .spraysim(&[&["check", "x.json"], sets].concat())
            .refused();
        let run = folder
            .spraysim(&[&["run", "x.json"], sets].concat())
            .refused();
        assert_eq!(check, run);
        assert!(
            check.iter().all(|line| line.starts_with("error: ")),
            "{check:?}"
        );
    }
}

#[test]
fn messages_below_one_payload_are_remarked_on_unless_hosts_start_together() {
    let folder = Folder::of(SMALL);
    let check = |sets: &[&str]| {
        let args = [&["check", "x.json"], sets].concat();
        folder.spraysim(&args).done().out
    };
    let (note, small) = ("  note  ", "workload.message_bytes=4095");
    assert!(check(&["--set", small]).contains(note));
    assert!(!check(&["--set", "workload.message_bytes=4096"]).contains(note));
    let together = ["--set", small, "--set", "workload.start_jitter=none"];
    assert!(!check(&together).contains(note));
}
