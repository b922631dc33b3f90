//! `failures` from outside: what `check` tells, what is refused before anything runs, and the columns.

use crate::support::{Folder, SMALL, column};

/// The small scenario with this `failures` object.
fn failing(failures: &str) -> Folder {
    let with = format!("\"failures\": {failures},\n  \"load_balancing\"");
    Folder::of(&SMALL.replace("\"load_balancing\"", &with))
}

#[test]
fn check_tells_how_many_links_of_the_first_seed_are_down() {
    let folder = failing(
        r#"{"switches": [{"switch": "a0"}], "links": [{"link": "e7-a7", "slow_to": 0.5}]}"#,
    );
    let text = folder.spraysim(&["check", "x.json"]).done().out;
    let expected =
        "failures        4 links down at some time, 1 slow, 0 draws repeated (first seed)";
    assert!(text.contains(expected), "{text}");
    let intact = Folder::of(SMALL).spraysim(&["check", "x.json"]).done().out;
    assert!(!intact.contains("links down"), "{intact}");
}

#[test]
fn lists_that_cut_off_hosts_which_communicate_are_refused_with_the_pairs_before_anything_runs() {
    let folder = failing(r#"{"switches": [{"switch": "a0"}, {"switch": "a1"}]}"#);
    for command in ["run", "check"] {
        let refused = folder.spraysim(&[command, "x.json"]).refused();
        assert_eq!(refused.len(), 2, "one a seed: {refused:?}");
        let start = "error: x.json: failures: point 1, seed 1: no path from h";
        assert!(refused[0].starts_with(start), "{refused:?}");
        let end = "or \"on_partition\": \"drop\"";
        assert!(refused[0].ends_with(end), "{refused:?}");
    }
    let dropped = [
        "run",
        "x.json",
        "--csv",
        "--quiet",
        "--set",
        "failures.on_partition=drop",
    ];
    let unfinished = folder.spraysim(&dropped);
    assert_eq!(unfinished.code, 3, "{unfinished:?}");
    let unroutable = column(&unfinished.out, "unroutable_packets");
    assert!(unroutable.iter().all(|cell| cell != "0"), "{unroutable:?}");
}

#[test]
fn a_probability_that_leaves_no_fabric_is_refused_after_a_thousand_draws() {
    let folder = failing(r#"{"edge_agg_probability": 1}"#);
    let refused = folder.spraysim(&["run", "x.json"]).refused();
    assert_eq!(refused.len(), 1, "the first run is enough: {refused:?}");
    let draws = "each of 1000 draws cuts off hosts";
    assert!(refused[0].contains(draws), "{refused:?}");
}

#[test]
fn one_seed_fails_the_same_links_whatever_the_scheme() {
    let folder = failing(r#"{"edge_agg_probability": 0.2, "agg_core_probability": 0.1}"#);
    let csv = |scheme: &str| {
        let set = format!("load_balancing.scheme={scheme}");
        let args = [
            "run",
            "x.json",
            "--csv",
            "--quiet",
            "--repeats",
            "8",
            "--set",
            &set,
        ];
        folder.spraysim(&args).done().out
    };
    let (one, other) = (csv("rsq"), csv("ethereal"));
    for name in ["failed_links", "failure_redraws"] {
        assert_eq!(column(&one, name), column(&other, name));
    }
    let failed: std::collections::BTreeSet<String> =
        column(&one, "failed_links").into_iter().collect();
    assert!(failed.len() > 2, "seeds differ: {failed:?}");
    assert_eq!(column(&one, "lost_packets"), ["0"; 8]);
    assert_eq!(column(&one, "recovery_ps"), [""; 8]);
}

#[test]
fn lost_frames_are_counted_by_link_stage_and_run() {
    let folder = failing(r#"{"links": [{"link": "e0-a0", "from_us": 1}], "convergence_us": 100}"#);
    let unfinished = folder.spraysim(&["run", "x.json", "--quiet", "--out", "o"]);
    assert_eq!(unfinished.code, 3, "{unfinished:?}");
    let sum = |file: &str| -> u64 {
        let cells = column(&folder.read(file), "lost_packets");
        cells
            .iter()
            .map(|cell| cell.parse::<u64>().expect("a number"))
            .sum()
    };
    assert!(sum("o/summary.csv") > 0);
    assert_eq!(sum("o/summary.csv"), sum("o/links.csv"));
    assert_eq!(sum("o/summary.csv"), sum("o/queues.csv"));
}
